// SPDX-License-Identifier: MIT
#ifndef AL_PEER_HPP
#define AL_PEER_HPP

// What the peers in C++ share: the protocol of docs/reference/peers.md.

#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

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
    // anything but malloc, from which this system allocates all of them.
    void memory(const std::string &system);
    // The parameters that the workload asked for, as a JSON object.
    std::string json() const;
    void refuse_unused() const;

  private:
    const std::string &text(const std::string &key) const;
    std::map<std::string, std::string> given_, used_;
};

struct arguments {
    std::string benchmark;
    uint64_t workers = 1, iterations = 5, warmup = 1, seed = 1;
    std::map<std::string, std::string> options; // the program's own, such as --policy
    parameters given;
};

// What an iteration was: its time, its messages as actorlab counts them, and what was wrong with
// its answer, or "".
struct outcome {
    int64_t time_ns;
    uint64_t messages;
    std::string wrong;
};

// "" if the two agree, else a line with what was got and what is right.
std::string expect(const std::string &what, uint64_t got, uint64_t right);

// The program: runs the iterations and prints the record. `options` are the program's own with
// their defaults. Returns the exit code.
int run(int argc, char **argv, std::map<std::string, std::string> options,
        const std::string &version, const std::function<outcome(arguments &)> &iterate);

} // namespace peer

#endif
