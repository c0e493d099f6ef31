// SPDX-License-Identifier: MIT

// Mirrors the workload send-dynamic (benchmarks/workloads/chapter/send_dynamic.c): an actor that
// receives a message creates a new actor, sends it a message, and ends.

#include "benchmarks/peers/caf/peer.hpp"

namespace
{

using ping = caf::atom_constant<caf::atom("ping")>;

struct state {
    uint64_t sends, received = 0;
};

class sender : public caf::event_based_actor
{
  public:
    sender(caf::actor_config &config, state *state) : event_based_actor(config), state_(state)
    {
    }

    caf::behavior make_behavior() override
    {
        return {[this](ping) {
            if (++state_->received < state_->sends)
                send(spawn<sender, caf::lazy_init>(state_), ping::value);
            quit();
        }};
    }

  private:
    state *state_;
};

class iteration final : public peer::iteration
{
  public:
    explicit iteration(uint64_t sends) : state_{sends}
    {
    }

    uint64_t messages() const override
    {
        return state_.sends;
    }

    void start(caf::actor_system &system) override
    {
        caf::anon_send(system.spawn<sender, caf::lazy_init>(&state_), ping::value);
    }

    std::string check() const override
    {
        return peer::expect("actors received a message", state_.received, state_.sends);
    }

  private:
    state state_;
};

} // namespace

std::unique_ptr<peer::iteration> peer::send_dynamic(parameters &given, uint64_t)
{
    given.memory("CAF");
    return std::make_unique<::iteration>(given.uint("sends"));
}
