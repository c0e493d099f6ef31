// SPDX-License-Identifier: MIT

// Mirrors the workload matrix (benchmarks/workloads/chapter/matrix.c), with its matrices, kernels
// and check: a matrix product, with an actor and a message for each row.

#include "benchmarks/peers/caf/peer.hpp"

#include "core/random.h"

#define restrict __restrict // a keyword of C, but not of C++
#include "benchmarks/workloads/support/matrix_kernel.h"
#undef restrict

namespace
{

constexpr int vectors = 8;

using matrix = std::vector<uint32_t>;

struct state {
    al_matrix_kernel kernel;
    size_t rows, n;
    matrix x, y, z;
};

class row : public caf::event_based_actor
{
  public:
    row(caf::actor_config &config, state *state) : event_based_actor(config), state_(state)
    {
    }

    // The message carries the number of the row.
    caf::behavior make_behavior() override
    {
        return {[this](uint64_t number) {
            size_t n = state_->n;
            al_matrix_row(state_->kernel, &state_->z[number * n], &state_->x[number * n],
                          state_->y.data(), n);
            quit();
        }};
    }

  private:
    state *state_;
};

matrix times(const matrix &a, const matrix &vector)
{
    size_t n = vector.size(), rows = a.size() / n;
    matrix product(rows);
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < n; k++)
            product[i] += a[i * n + k] * vector[k];
    return product;
}

class iteration final : public peer::iteration
{
  public:
    iteration(al_matrix_kernel kernel, size_t rows, size_t n, uint64_t seed)
        : state_{kernel, rows, n, matrix(rows * n), matrix(n * n), matrix(rows * n, ~0u)},
          seed_(seed)
    {
        al_random random;
        al_random_seed(&random, seed, 0);
        for (size_t i = 0; i < rows * n || i < n * n; i++) {
            uint64_t bits = al_random_next(&random);
            if (i < rows * n)
                state_.x[i] = static_cast<uint32_t>(bits);
            if (i < n * n)
                state_.y[i] = static_cast<uint32_t>(bits >> 32);
        }
    }

    uint64_t messages() const override
    {
        return state_.rows;
    }

    void start(caf::actor_system &system) override
    {
        for (uint64_t i = 0; i < state_.rows; i++)
            caf::anon_send(system.spawn<row, caf::lazy_init>(&state_), i);
    }

    std::string check() const override
    {
        al_random random;
        al_random_seed(&random, seed_, 1);
        for (int round = 0; round < vectors; round++) {
            matrix v(state_.n);
            for (auto &value : v)
                value = static_cast<uint32_t>(al_random_next(&random));
            matrix got = times(state_.z, v), right = times(state_.x, times(state_.y, v));
            for (size_t i = 0; i < state_.rows; i++)
                if (got[i] != right[i])
                    return peer::expect("is the checksum of a row", got[i], right[i]);
        }
        return "";
    }

  private:
    state state_;
    uint64_t seed_;
};

} // namespace

std::unique_ptr<peer::iteration> peer::matrix(parameters &given, uint64_t seed)
{
    auto kernel = given.choice("kernel", {"naive", "blocked"}); // as in al_matrix_kernel
    auto rows = given.uint("rows"), columns = given.uint("columns");
    return std::make_unique<::iteration>(static_cast<al_matrix_kernel>(kernel), rows,
                                         columns != 0 ? columns : rows, seed);
}
