// SPDX-License-Identifier: MIT
#ifndef AL_PEER_CAF_HPP
#define AL_PEER_CAF_HPP

// Shared by the workloads on CAF. A workload is a function that creates iterations. peer.cpp runs
// and times these as actorlab does: prepare; start an actor system; [ start; all actors end ]
// timed; check.

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <caf/all.hpp>

namespace peer
{

// A user's mistake: ends the program with one line and exit code 2.
class usage_error : public std::runtime_error
{
    using std::runtime_error::runtime_error;
};

// The settings given as --set KEY=VALUE. A workload asks for each of its parameters by type. A
// parameter that was not given is a mistake, and so is one that the workload did not ask for:
// actorlab supplies the defaults.
class parameters
{
  public:
    void set(std::string key, std::string value);
    uint64_t uint(const std::string &key);
    double real(const std::string &key);
    // The index of the value among the choices.
    size_t choice(const std::string &key, const std::vector<std::string> &choices);
    // For workloads that allocate actors or messages, which have the parameter `memory`: refuses
    // anything but malloc, since CAF allocates each actor, message and envelope from the heap.
    void memory();
    // The parameters that the workload asked for, as a JSON object.
    std::string json() const;
    void refuse_unused() const;

  private:
    const std::string &text(const std::string &key) const;
    std::map<std::string, std::string> given_, used_;
};

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

// "" if the two agree.
std::string expect(const std::string &what, uint64_t got, uint64_t right);

} // namespace peer

#endif
