// SPDX-License-Identifier: MIT

// Mirrors the workload trapr (benchmarks/workloads/las/trapr.c), with its function, shares and
// check: an integral by the trapezoid rule, divided among workers.

#include "benchmarks/peers/caf/peer.hpp"

#include <cmath>
#include <vector>

namespace
{

using go = caf::atom_constant<caf::atom("go")>;

// As in benchmarks/workloads/las/trapr.c.
constexpr double integral_left = 1, integral_right = 5, integral = 0.27108075195307750;
constexpr double error_trapezoids = 25000, error_rounding = 1e-10;

struct state {
    uint64_t pieces, actors;
    double left, right;
    std::vector<double> areas; // of each worker's share
    caf::actor master = {};
    double sum = 0;
};

double function(double x)
{
    return sin(x * x * x - 1) / (x + 1) * sqrt(1 + exp(sqrt(2 * x)));
}

// Not inlined, because a compiler may round differently in each inlined copy.
[[gnu::noinline]] double trapezoids(const state &state, uint64_t first, uint64_t end)
{
    double left = state.left, width = (state.right - left) / static_cast<double>(state.pieces);
    double sum = 0;
    for (uint64_t piece = first; piece < end; piece++) {
        double x = left + static_cast<double>(piece) * width;
        sum += 0.5 * (function(x) + function(x + width)) * width;
    }
    return sum;
}

uint64_t first_piece(const state &state, uint64_t worker)
{
    uint64_t share = state.pieces / state.actors, rest = state.pieces % state.actors;
    return worker * share + (worker < rest ? worker : rest);
}

class worker : public caf::event_based_actor
{
  public:
    worker(caf::actor_config &config, state *state, uint64_t number)
        : event_based_actor(config), state_(state), number_(number)
    {
    }

    caf::behavior make_behavior() override
    {
        return {[this](uint64_t first, uint64_t end) {
            send(state_->master, number_, trapezoids(*state_, first, end));
            quit();
        }};
    }

  private:
    state *state_;
    uint64_t number_;
};

class master : public caf::event_based_actor
{
  public:
    master(caf::actor_config &config, state *state) : event_based_actor(config), state_(state)
    {
    }

    caf::behavior make_behavior() override
    {
        return {[this](uint64_t worker, double area) {
                    state_->areas[worker] = area;
                    if (++received_ < state_->actors)
                        return;
                    for (auto each : state_->areas)
                        state_->sum += each;
                    quit();
                },
                [this](go) {
                    for (uint64_t i = 0; i < state_->actors; i++)
                        send(spawn<worker, caf::lazy_init>(state_, i), first_piece(*state_, i),
                             first_piece(*state_, i + 1));
                }};
    }

  private:
    state *state_;
    uint64_t received_ = 0;
};

class iteration final : public peer::iteration
{
  public:
    iteration(uint64_t pieces, uint64_t actors, double left, double right)
        : state_{pieces, actors, left, right, std::vector<double>(actors)}
    {
        if (actors == 0 || pieces < actors || left >= right)
            throw peer::usage_error("valid: a piece for each actor, and left below right");
    }

    uint64_t messages() const override
    {
        return 1 + 2 * state_.actors;
    }

    void start(caf::actor_system &system) override
    {
        state_.master = system.spawn<master, caf::lazy_init>(&state_);
        caf::anon_send(state_.master, go::value);
    }

    std::string check() const override
    {
        double sum = 0;
        for (uint64_t i = 0; i < state_.actors; i++) {
            double area = trapezoids(state_, first_piece(state_, i), first_piece(state_, i + 1));
            if (state_.areas[i] != area)
                return "the area of worker " + std::to_string(i) + " is not that of its share";
            sum += area;
        }
        if (state_.sum != sum)
            return "the sum of the areas is " + std::to_string(state_.sum) + ", not " +
                   std::to_string(sum);
        double pieces = static_cast<double>(state_.pieces);
        if (state_.left == integral_left && state_.right == integral_right &&
            !(std::abs(sum - integral) <= error_trapezoids / (pieces * pieces) + error_rounding))
            return "the area is " + std::to_string(sum) + "; the integral is " +
                   std::to_string(integral);
        return "";
    }

  private:
    state state_;
};

} // namespace

std::unique_ptr<peer::iteration> peer::trapr(parameters &given, uint64_t)
{
    return std::make_unique<::iteration>(given.uint("pieces"), given.uint("actors"),
                                         given.real("left"), given.real("right"));
}
