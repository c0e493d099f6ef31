// SPDX-License-Identifier: MIT

// Mirrors the workload bang (benchmarks/workloads/las/bang.c): many senders flood one receiver.

#include "benchmarks/peers/caf/peer.hpp"

namespace
{

using go = caf::atom_constant<caf::atom("go")>;

struct state {
    uint32_t senders, messages;
    std::vector<uint32_t> next; // the next sequence number of each sender
    uint64_t received = 0, misplaced = 0;
    caf::actor receiver = {};

    uint64_t total() const
    {
        return uint64_t{senders} * messages;
    }
};

class receiver : public caf::event_based_actor
{
  public:
    receiver(caf::actor_config &config, state *state)
        : event_based_actor(config), state_(state), left_(state->total())
    {
    }

    caf::behavior make_behavior() override
    {
        return {[this](uint32_t sender, uint32_t sequence) {
            state_->received++;
            state_->misplaced += sequence != state_->next[sender]++;
            if (--left_ == 0)
                quit();
        }};
    }

  private:
    state *state_;
    uint64_t left_;
};

class sender : public caf::event_based_actor
{
  public:
    sender(caf::actor_config &config, state *state, uint32_t number)
        : event_based_actor(config), state_(state), number_(number)
    {
    }

    caf::behavior make_behavior() override
    {
        return {[this](go) {
            for (uint32_t i = 0; i < state_->messages; i++)
                send(state_->receiver, number_, i);
            quit();
        }};
    }

  private:
    state *state_;
    uint32_t number_;
};

class iteration final : public peer::iteration
{
  public:
    iteration(uint32_t senders, uint32_t messages)
        : state_{senders, messages, std::vector<uint32_t>(senders)}
    {
    }

    // The messages to the receiver, and the first message of each sender.
    uint64_t messages() const override
    {
        return state_.total() + state_.senders;
    }

    void start(caf::actor_system &system) override
    {
        state_.receiver = system.spawn<receiver, caf::lazy_init>(&state_);
        for (uint32_t i = 0; i < state_.senders; i++)
            caf::anon_send(system.spawn<sender, caf::lazy_init>(&state_, i), go::value);
    }

    std::string check() const override
    {
        if (state_.misplaced != 0)
            return peer::expect("messages out of their sender's order", state_.misplaced, 0);
        return peer::expect("messages received", state_.received, state_.total());
    }

  private:
    state state_;
};

} // namespace

std::unique_ptr<peer::iteration> peer::bang(parameters &given, uint64_t)
{
    given.memory("CAF");
    return std::make_unique<::iteration>(given.uint("senders"), given.uint("messages"));
}
