// SPDX-License-Identifier: MIT
#ifndef AL_PEER_PROGRAM_HPP
#define AL_PEER_PROGRAM_HPP

// A peer in C++: its workloads, run with its system.

#include <chrono>
#include <memory>

#include "benchmarks/peers/cpp/chapter.hpp"
#include "benchmarks/peers/cpp/las.hpp"

namespace peer
{

template <class System>
std::unique_ptr<iteration<System>> make(const std::string &name, parameters &given, uint64_t seed)
{
    using made = std::unique_ptr<iteration<System>>;
    if constexpr (System::can_drop)
        if (name == "send-dynamic")
            return made(new send_dynamic<System>(given, seed));
    if (name == "bang")
        return made(new bang<System>(given, seed));
    if (name == "big")
        return made(new big<System>(given, seed));
    if (name == "executor")
        return made(new executor<System>(given, seed));
    if (name == "matrix")
        return made(new matrix<System>(given, seed));
    if (name == "repeat")
        return made(new repeat<System>(given, seed));
    if (name == "send-static")
        return made(new send_static<System>(given, seed));
    throw usage_error("no workload '" + name + "' here");
}

// One iteration. Starting and ending the system is not timed.
template <class System> outcome iterate(arguments &given)
{
    using clock = std::chrono::steady_clock;
    auto workload = make<System>(given.benchmark, given.given, given.seed);
    given.given.refuse_unused();
    System system(given.workers, workload->actors());
    auto began = clock::now();
    system.begin([&] { workload->start(system); });
    system.wait();
    std::chrono::nanoseconds time = clock::now() - began;
    outcome result{time.count(), workload->messages(), workload->check()};
    workload.reset(); // its mailboxes belong to the system
    return result;
}

} // namespace peer

#endif
