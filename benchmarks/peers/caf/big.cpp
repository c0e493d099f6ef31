// SPDX-License-Identifier: MIT

// big: every actor pings random others, one at a time. See benchmarks/big.c.

#include "peer.hpp"

#include <vector>

#include "core/random.h"

namespace
{

using go = caf::atom_constant<caf::atom("go")>;
using ping = caf::atom_constant<caf::atom("ping")>;
using pong = caf::atom_constant<caf::atom("pong")>;
using finished = caf::atom_constant<caf::atom("finished")>;
using pill = caf::atom_constant<caf::atom("pill")>;

struct state {
    uint64_t actors, pings, seed;
    std::vector<caf::actor> all;
    caf::actor sink;
    std::vector<uint64_t> pinged,
        ponged; // pings and pongs that each received, written when it ends
};

class peer_actor : public caf::event_based_actor
{
  public:
    peer_actor(caf::actor_config &config, state *state, uint32_t number)
        : event_based_actor(config), state_(state), number_(number)
    {
        al_random_seed(&random_, state->seed, number);
    }

    caf::behavior make_behavior() override
    {
        return {[this](ping) {
                    pinged_++;
                    return pong::value;
                },
                [this](pong) {
                    if (++ponged_ < state_->pings)
                        send_ping();
                    else
                        send(state_->sink, finished::value);
                },
                [this](go) { send_ping(); },
                [this](pill) {
                    state_->pinged[number_] = pinged_;
                    state_->ponged[number_] = ponged_;
                    quit();
                }};
    }

  private:
    void send_ping()
    {
        uint32_t other = al_random_below(&random_, static_cast<uint32_t>(state_->actors) - 1);
        send(state_->all[other < number_ ? other : other + 1], ping::value);
    }

    state *state_;
    uint32_t number_;
    uint64_t pinged_ = 0, ponged_ = 0;
    al_random random_;
};

class sink : public caf::event_based_actor
{
  public:
    sink(caf::actor_config &config, state *state) : event_based_actor(config), state_(state)
    {
    }

    caf::behavior make_behavior() override
    {
        return {[this](finished) {
            if (++n_finished_ < state_->actors)
                return;
            for (auto &actor : state_->all)
                send(actor, pill::value);
            quit();
        }};
    }

  private:
    state *state_;
    uint64_t n_finished_ = 0;
};

class iteration final : public peer::iteration
{
  public:
    iteration(uint64_t actors, uint64_t pings, uint64_t seed)
        : state_{actors,
                 pings,
                 seed,
                 std::vector<caf::actor>(actors),
                 {},
                 std::vector<uint64_t>(actors),
                 std::vector<uint64_t>(actors)}
    {
        if (actors < 2)
            throw peer::usage_error("actors=" + std::to_string(actors) + ": nobody to ping");
    }

    // Ping and pong; to each actor the first message and the pill; and to the sink what each sends at the end.
    uint64_t messages() const override
    {
        return state_.actors * (2 * state_.pings + 3);
    }

    void start(caf::actor_system &system) override
    {
        state_.sink = system.spawn<sink, caf::lazy_init>(&state_);
        for (uint32_t i = 0; i < state_.actors; i++)
            state_.all[i] = system.spawn<peer_actor, caf::lazy_init>(&state_, i);
        for (auto &actor : state_.all)
            caf::anon_send(actor, go::value);
    }

    std::string check() const override
    {
        uint64_t pinged = 0;
        for (uint64_t i = 0; i < state_.actors; i++) {
            pinged += state_.pinged[i];
            if (state_.ponged[i] != state_.pings)
                return peer::expect("pongs received by an actor", state_.ponged[i], state_.pings);
        }
        return peer::expect("pings received by all", pinged, state_.actors * state_.pings);
    }

  private:
    state state_;
};

} // namespace

std::unique_ptr<peer::iteration> peer::big(parameters &given, uint64_t seed)
{
    return std::make_unique<::iteration>(given.uint("actors"), given.uint("pings"), seed);
}
