// SPDX-License-Identifier: MIT

// Mirrors the workload repeat (benchmarks/workloads/chapter/repeat.c): one client asks many
// servers, again and again. The message carries its number of trips. CAF turns the value that a
// handler returns into a new message to the sender.

#include "benchmarks/peers/caf/peer.hpp"

namespace
{

using go = caf::atom_constant<caf::atom("go")>;
using pill = caf::atom_constant<caf::atom("pill")>;

struct state {
    uint64_t servers, rounds;
    std::vector<caf::actor> all;
    std::vector<uint64_t> answers; // of each server
    uint64_t rounds_done = 0, sum = 0;
};

class server : public caf::event_based_actor
{
  public:
    server(caf::actor_config &config, uint64_t *answers)
        : event_based_actor(config), answers_(answers)
    {
    }

    caf::behavior make_behavior() override
    {
        return {[this](uint64_t trips) {
                    ++*answers_;
                    return trips + 1;
                },
                [this](pill) { quit(); }};
    }

  private:
    uint64_t *answers_;
};

class client : public caf::event_based_actor
{
  public:
    client(caf::actor_config &config, state *state) : event_based_actor(config), state_(state)
    {
    }

    caf::behavior make_behavior() override
    {
        return {[this](uint64_t trips) { answered(trips); }, [this](go) { ask_all(); }};
    }

  private:
    void ask_all()
    {
        for (auto &server : state_->all)
            send(server, state_->rounds_done);
    }

    void answered(uint64_t trips)
    {
        state_->sum += trips;
        if (++n_answers_ < state_->servers)
            return;
        n_answers_ = 0;
        if (++state_->rounds_done < state_->rounds) {
            ask_all();
            return;
        }
        for (auto &server : state_->all)
            send(server, pill::value);
        quit();
    }

    state *state_;
    uint64_t n_answers_ = 0;
};

class iteration final : public peer::iteration
{
  public:
    iteration(uint64_t servers, uint64_t rounds)
        : state_{servers, rounds, std::vector<caf::actor>(servers), std::vector<uint64_t>(servers)}
    {
    }

    // Questions and answers, the first message to the client, and a pill for each server.
    uint64_t messages() const override
    {
        return 2 * state_.servers * state_.rounds + 1 + state_.servers;
    }

    void start(caf::actor_system &system) override
    {
        auto client = system.spawn<::client, caf::lazy_init>(&state_);
        for (uint64_t i = 0; i < state_.servers; i++)
            state_.all[i] = system.spawn<server, caf::lazy_init>(&state_.answers[i]);
        caf::anon_send(client, go::value);
    }

    std::string check() const override
    {
        for (auto answers : state_.answers)
            if (answers != state_.rounds)
                return peer::expect("answers of a server", answers, state_.rounds);
        return peer::expect("is the sum that the client got", state_.sum,
                            state_.servers * (state_.rounds * (state_.rounds + 1) / 2));
    }

  private:
    state state_;
};

} // namespace

std::unique_ptr<peer::iteration> peer::repeat(parameters &given, uint64_t)
{
    return std::make_unique<::iteration>(given.uint("servers"), given.uint("rounds"));
}
