// SPDX-License-Identifier: MIT

// Mirrors the workload executor (benchmarks/workloads/chapter/executor.c): groups of actors flood
// one another.

#include "benchmarks/peers/caf/peer.hpp"

namespace
{

using go = caf::atom_constant<caf::atom("go")>;
using wake = caf::atom_constant<caf::atom("wake")>; // to one member of a group

// Shared by all actors; read-only while they run, except `received`.
struct state {
    uint64_t actors, group, batch;
    uint64_t total; // messages that each actor sends
    bool by_groups; // start=groups
    std::vector<caf::actor> members;
    std::vector<uint64_t> received; // by each actor, which writes it when it ends
};

class member : public caf::event_based_actor
{
  public:
    member(caf::actor_config &config, state *state, uint64_t number)
        : event_based_actor(config), state_(state), number_(number),
          first_(&state->members[number / state->group * state->group])
    {
    }

    caf::behavior make_behavior() override
    {
        return {[this](go) { receive(); },
                [this](wake) {
                    for (uint64_t i = 0; i < state_->group; i++)
                        send(first_[i], go::value);
                }};
    }

  private:
    void receive()
    {
        if (received_++ == state_->total) {
            state_->received[number_] = received_;
            quit();
            return;
        }
        if (countdown_-- != 0)
            return;
        countdown_ = state_->batch - 1;
        for (uint64_t i = 0; i < state_->batch; i++) {
            send(first_[next_], go::value);
            if (++next_ == state_->group)
                next_ = 0;
        }
    }

    state *state_;
    uint64_t number_;
    const caf::actor *first_; // of its group
    uint64_t next_ = 0;       // the member of its group to send to next
    uint64_t countdown_ = 0;  // messages to receive before the next batch is sent
    uint64_t received_ = 0;
};

class iteration final : public peer::iteration
{
  public:
    iteration(uint64_t actors, uint64_t group, uint64_t rounds, uint64_t batch, bool by_groups)
        : state_{actors,
                 group,
                 batch,
                 group * rounds,
                 by_groups,
                 std::vector<caf::actor>(actors),
                 std::vector<uint64_t>(actors)}
    {
        if (group == 0 || actors % group != 0 || batch == 0 || state_.total % batch != 0)
            throw peer::usage_error("group must divide actors, and batch group x rounds");
    }

    uint64_t messages() const override
    {
        uint64_t woken = state_.by_groups ? state_.actors / state_.group : 0;
        return state_.actors * (state_.total + 1) + woken;
    }

    void start(caf::actor_system &system) override
    {
        for (uint64_t i = 0; i < state_.actors; i++)
            state_.members[i] = system.spawn<member, caf::lazy_init>(&state_, i);
        for (uint64_t i = 0; state_.by_groups && i < state_.actors / state_.group; i++)
            caf::anon_send(state_.members[i * state_.group + i % state_.group], wake::value);
        for (uint64_t i = 0; !state_.by_groups && i < state_.actors; i++)
            caf::anon_send(state_.members[i], go::value);
    }

    std::string check() const override
    {
        for (auto received : state_.received)
            if (received != state_.total + 1)
                return peer::expect("messages received by an actor", received, state_.total + 1);
        return "";
    }

  private:
    state state_;
};

} // namespace

std::unique_ptr<peer::iteration> peer::executor(parameters &given, uint64_t)
{
    return std::make_unique<::iteration>(given.uint("actors"), given.uint("group"),
                                         given.uint("rounds"), given.uint("batch"),
                                         given.choice("start", {"all", "groups"}) == 1);
}
