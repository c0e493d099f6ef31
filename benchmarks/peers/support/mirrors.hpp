// SPDX-License-Identifier: MIT
#ifndef AL_PEER_MIRRORS_HPP
#define AL_PEER_MIRRORS_HPP

// What the workloads compute, whatever the actor system: the same numbers as actorlab's.

#include <cstdint>
#include <string>
#include <vector>

#include "benchmarks/peers/support/peer.hpp"

#include "core/random.h"

#define restrict __restrict // a keyword of C, but not of C++
#include "benchmarks/workloads/support/matrix_kernel.h"
#undef restrict

namespace peer
{

// The product Z = X Y of the workload matrix (benchmarks/workloads/chapter/matrix.c).
class matrix_product
{
  public:
    matrix_product(parameters &given, uint64_t seed)
        : kernel_(static_cast<al_matrix_kernel>(given.choice("kernel", {"naive", "blocked"}))),
          rows_(given.uint("rows")), n_(given.uint("columns")), seed_(seed)
    {
        n_ = n_ != 0 ? n_ : rows_;
        x_.resize(rows_ * n_);
        y_.resize(n_ * n_);
        z_.assign(rows_ * n_, ~0u);
        al_random random;
        al_random_seed(&random, seed, 0);
        for (size_t i = 0; i < x_.size() || i < y_.size(); i++) {
            uint64_t bits = al_random_next(&random);
            if (i < x_.size())
                x_[i] = static_cast<uint32_t>(bits);
            if (i < y_.size())
                y_[i] = static_cast<uint32_t>(bits >> 32);
        }
    }

    size_t rows() const
    {
        return rows_;
    }

    void compute_row(size_t i)
    {
        al_matrix_row(kernel_, &z_[i * n_], &x_[i * n_], y_.data(), n_);
    }

    // Freivalds' method.
    std::string check() const
    {
        al_random random;
        al_random_seed(&random, seed_, 1);
        for (int round = 0; round < 8; round++) {
            std::vector<uint32_t> v(n_);
            for (auto &value : v)
                value = static_cast<uint32_t>(al_random_next(&random));
            auto got = times(z_, v), right = times(x_, times(y_, v));
            for (size_t i = 0; i < rows_; i++)
                if (got[i] != right[i])
                    return expect("is the checksum of a row", got[i], right[i]);
        }
        return "";
    }

  private:
    using matrix = std::vector<uint32_t>;

    static matrix times(const matrix &a, const matrix &vector)
    {
        size_t n = vector.size();
        matrix product(a.size() / n);
        for (size_t i = 0; i < product.size(); i++)
            for (size_t k = 0; k < n; k++)
                product[i] += a[i * n + k] * vector[k];
        return product;
    }

    al_matrix_kernel kernel_;
    size_t rows_, n_;
    uint64_t seed_;
    matrix x_, y_, z_;
};

// Who pings whom in the workload big (benchmarks/workloads/las/big.c).
class partners
{
  public:
    partners(parameters &given, uint64_t seed)
        : all_(given.choice("partners", {"random", "all"}) == 1),
          actors_(static_cast<uint32_t>(given.uint("actors"))), pings_(given.uint("pings")),
          seed_(seed), due_(actors_)
    {
        if (actors_ < 2)
            throw usage_error("actors=" + std::to_string(actors_) + ": nobody to ping");
        for (uint32_t i = 0; i < actors_; i++) {
            auto random = random_of(i);
            for (uint64_t ping = 0; ping < pings_; ping++)
                due_[draw(random, i, ping)]++;
        }
    }

    uint32_t actors() const
    {
        return actors_;
    }

    uint64_t pings() const
    {
        return pings_;
    }

    // How many an actor sends before it waits for their pongs.
    uint64_t round() const
    {
        return all_ ? actors_ - 1 : 1;
    }

    // How many pings an actor is to receive.
    uint64_t due(uint32_t number) const
    {
        return due_[number];
    }

    al_random random_of(uint32_t number) const
    {
        al_random random;
        al_random_seed(&random, seed_, number);
        return random;
    }

    // The partner of the actor with this number for its n-th ping, from 0.
    uint32_t draw(al_random &random, uint32_t number, uint64_t n) const
    {
        uint32_t others = actors_ - 1;
        auto other = all_ ? static_cast<uint32_t>(n % others) : al_random_below(&random, others);
        return other + (other >= number);
    }

  private:
    bool all_;
    uint32_t actors_;
    uint64_t pings_, seed_;
    std::vector<uint64_t> due_;
};

} // namespace peer

#endif
