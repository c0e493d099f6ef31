// SPDX-License-Identifier: MIT

// bang: many senders flood one receiver. See benchmarks/bang.c.

#include "peer.hpp"

namespace
{

using go = caf::atom_constant<caf::atom("go")>;
using bang = caf::atom_constant<caf::atom("bang")>;

struct state {
    uint64_t senders, messages, received = 0;
    caf::actor receiver = {};
};

class receiver : public caf::event_based_actor
{
  public:
    receiver(caf::actor_config &config, state *state) : event_based_actor(config), state_(state)
    {
    }

    caf::behavior make_behavior() override
    {
        return {[this](bang) {
            if (++state_->received == state_->senders * state_->messages)
                quit();
        }};
    }

  private:
    state *state_;
};

class sender : public caf::event_based_actor
{
  public:
    sender(caf::actor_config &config, state *state) : event_based_actor(config), state_(state)
    {
    }

    caf::behavior make_behavior() override
    {
        return {[this](go) {
            for (uint64_t i = 0; i < state_->messages; i++)
                send(state_->receiver, bang::value);
            quit();
        }};
    }

  private:
    state *state_;
};

class iteration final : public peer::iteration
{
  public:
    iteration(uint64_t senders, uint64_t messages) : state_{senders, messages}
    {
    }

    // What the receiver gets, and the first message of each sender.
    uint64_t messages() const override
    {
        return state_.senders * (state_.messages + 1);
    }

    void start(caf::actor_system &system) override
    {
        state_.receiver = system.spawn<receiver, caf::lazy_init>(&state_);
        for (uint64_t i = 0; i < state_.senders; i++)
            caf::anon_send(system.spawn<sender, caf::lazy_init>(&state_), go::value);
    }

    std::string check() const override
    {
        return peer::expect("messages received", state_.received, state_.senders * state_.messages);
    }

  private:
    state state_;
};

} // namespace

std::unique_ptr<peer::iteration> peer::bang(parameters &given, uint64_t)
{
    return std::make_unique<::iteration>(given.uint("senders"), given.uint("messages"));
}
