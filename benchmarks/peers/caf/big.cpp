// SPDX-License-Identifier: MIT

// Mirrors the workload big (benchmarks/workloads/las/big.c): every actor pings random others, one
// at a time. It has the same random generator, so actors ping the same partners.

#include "benchmarks/peers/caf/peer.hpp"

#include "core/random.h"

namespace
{

using go = caf::atom_constant<caf::atom("go")>;
using ping = caf::atom_constant<caf::atom("ping")>;
using finished = caf::atom_constant<caf::atom("finished")>;
using pill = caf::atom_constant<caf::atom("pill")>;

// An actor's results: pings, pongs, and pongs from actors that it had not pinged.
struct received {
    uint64_t pings = 0, pongs = 0, strays = 0;
};

struct state {
    uint32_t actors;
    uint64_t pings, seed;
    std::vector<caf::actor> all;
    std::vector<received> got;
    std::vector<uint64_t> due; // pings that each actor is to receive
    caf::actor sink = {};
};

// Draw any actor except the one with this number.
uint32_t draw(const state &state, al_random *random, uint32_t number)
{
    uint32_t drawn = al_random_below(random, state.actors - 1);
    return drawn + (drawn >= number);
}

class pinger : public caf::event_based_actor
{
  public:
    pinger(caf::actor_config &config, state *state, uint32_t number)
        : event_based_actor(config), state_(state), number_(number)
    {
        al_random_seed(&random_, state->seed, number);
    }

    // A pong carries the number of its sender.
    caf::behavior make_behavior() override
    {
        return {[this](ping) {
                    got_.pings++;
                    return number_;
                },
                [this](uint32_t from) {
                    got_.strays += from != pinged_;
                    if (++got_.pongs < state_->pings)
                        send_ping();
                    else
                        send(state_->sink, finished::value);
                },
                [this](go) { send_ping(); },
                [this](pill) {
                    state_->got[number_] = got_;
                    quit();
                }};
    }

  private:
    void send_ping()
    {
        pinged_ = draw(*state_, &random_, number_);
        send(state_->all[pinged_], ping::value);
    }

    state *state_;
    uint32_t number_;
    uint32_t pinged_ = 0; // the actor that owes it a pong
    received got_;
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
    uint32_t n_finished_ = 0;
};

class iteration final : public peer::iteration
{
  public:
    iteration(uint32_t actors, uint64_t pings, uint64_t seed)
        : state_{actors,
                 pings,
                 seed,
                 std::vector<caf::actor>(actors),
                 std::vector<received>(actors),
                 std::vector<uint64_t>(actors)}
    {
        if (actors < 2)
            throw peer::usage_error("actors=" + std::to_string(actors) + ": nobody to ping");
        for (uint32_t i = 0; i < actors; i++) {
            al_random random;
            al_random_seed(&random, seed, i);
            for (uint64_t ping = 0; ping < pings; ping++)
                state_.due[draw(state_, &random, i)]++;
        }
    }

    // Pings and pongs; to each actor the first message and the pill; to the sink a report from
    // each.
    uint64_t messages() const override
    {
        return state_.actors * (2 * state_.pings + 3);
    }

    void start(caf::actor_system &system) override
    {
        state_.sink = system.spawn<sink, caf::lazy_init>(&state_);
        for (uint32_t i = 0; i < state_.actors; i++)
            state_.all[i] = system.spawn<pinger, caf::lazy_init>(&state_, i);
        for (auto &actor : state_.all)
            caf::anon_send(actor, go::value);
    }

    std::string check() const override
    {
        for (uint32_t i = 0; i < state_.actors; i++) {
            auto &got = state_.got[i];
            if (got.pongs != state_.pings)
                return peer::expect("pongs received by an actor", got.pongs, state_.pings);
            if (got.strays != 0)
                return peer::expect("pongs of others than were pinged", got.strays, 0);
            if (got.pings != state_.due[i])
                return peer::expect("pings received by an actor", got.pings, state_.due[i]);
        }
        return "";
    }

  private:
    state state_;
};

} // namespace

std::unique_ptr<peer::iteration> peer::big(parameters &given, uint64_t seed)
{
    return std::make_unique<::iteration>(given.uint("actors"), given.uint("pings"), seed);
}
