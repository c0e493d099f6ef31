// SPDX-License-Identifier: MIT
#ifndef AL_PEER_CAF_HPP
#define AL_PEER_CAF_HPP

// Shared by the workloads on CAF. A workload is a function that creates iterations. peer.cpp runs
// and times these as actorlab does: prepare; start an actor system; [ start; all actors end ]
// timed; check.

#include <memory>

#include <caf/all.hpp>

#include "benchmarks/peers/support/peer.hpp"

namespace peer
{

class iteration
{
  public:
    virtual ~iteration() = default;
    // Counted as in actorlab: deliveries to behaviours, without CAF's own messages.
    virtual uint64_t messages() const = 0;
    virtual void start(caf::actor_system &system) = 0;
    // Empty if the answer is right, else a line with what was got and what is right.
    virtual std::string check() const = 0;
};

using workload = std::unique_ptr<iteration>(parameters &given, uint64_t seed);

workload bang, big, executor, matrix, nqn, repeat, send_dynamic, send_static, trapr;

} // namespace peer

#endif
