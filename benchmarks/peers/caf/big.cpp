// SPDX-License-Identifier: MIT

// Mirrors the workload big (benchmarks/workloads/las/big.c): every actor pings others in rounds,
// one drawn at random or all of them. It has the same random generator, so actors ping the same
// partners.

#include "benchmarks/peers/caf/peer.hpp"

#include <algorithm>

#include "core/random.h"

namespace
{

using go = caf::atom_constant<caf::atom("go")>;
using ping = caf::atom_constant<caf::atom("ping")>;
using finished = caf::atom_constant<caf::atom("finished")>;
using pill = caf::atom_constant<caf::atom("pill")>;

// An actor's results: pings, pongs, and rounds whose pongs came from others than were pinged.
struct received {
    uint64_t pings = 0, pongs = 0, strays = 0;
};

struct state {
    uint32_t actors;
    uint64_t pings, seed;
    bool ping_all;
    std::vector<caf::actor> all;
    std::vector<received> got;
    std::vector<uint64_t> due; // pings that each actor is to receive
    caf::actor sink = {};
};

// The partner of the actor with this number for its n-th ping, from 0.
uint32_t partner(const state &state, al_random *random, uint32_t number, uint64_t n)
{
    uint32_t others = state.actors - 1;
    uint32_t other = state.ping_all ? static_cast<uint32_t>(n % others)
                                    : al_random_below(random, others);
    return other + (other >= number);
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
                    owed_ -= from + 1;
                    if (++got_.pongs < sent_)
                        return;
                    got_.strays += owed_ != 0;
                    if (sent_ == state_->pings)
                        send(state_->sink, finished::value);
                    else
                        send_pings();
                },
                [this](go) { send_pings(); },
                [this](pill) {
                    state_->got[number_] = got_;
                    quit();
                }};
    }

  private:
    void send_pings()
    {
        uint64_t round = state_->ping_all ? state_->actors - 1 : 1;
        for (uint64_t n = std::min(round, state_->pings - sent_); n != 0; n--) {
            auto other = partner(*state_, &random_, number_, sent_++);
            owed_ += other + 1;
            send(state_->all[other], ping::value);
        }
    }

    state *state_;
    uint32_t number_;
    uint64_t sent_ = 0;
    uint64_t owed_ = 0; // sum of the numbers of the actors that owe it a pong, from 1
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
    iteration(uint32_t actors, uint64_t pings, bool ping_all, uint64_t seed)
        : state_{actors,
                 pings,
                 seed,
                 ping_all,
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
                state_.due[partner(state_, &random, i, ping)]++;
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
                return peer::expect("rounds with pongs of others than were pinged", got.strays, 0);
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
    bool ping_all = given.choice("partners", {"random", "all"}) == 1;
    return std::make_unique<::iteration>(given.uint("actors"), given.uint("pings"), ping_all, seed);
}
