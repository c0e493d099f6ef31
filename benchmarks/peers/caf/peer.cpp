// SPDX-License-Identifier: MIT

// peer-caf: actorlab's workloads on CAF, the C++ Actor Framework, with the protocol of
// docs/reference/peers.md:
//
//     peer-caf --policy stealing|sharing WORKLOAD --workers N --iterations K --warmup K --seed X
//              --set KEY=VALUE ...
//
// It uses CAF's defaults, except for the policy and the number of workers. As in actorlab, each
// iteration has an actor system of its own, and starting and ending its threads is not timed.

#include "benchmarks/peers/caf/peer.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <fstream>

#include <caf/policy/work_sharing.hpp>
#include <caf/policy/work_stealing.hpp>
#include <caf/scheduler/coordinator.hpp>

using peer::usage_error;

void peer::parameters::set(std::string key, std::string value)
{
    given_[std::move(key)] = std::move(value);
}

const std::string &peer::parameters::text(const std::string &key) const
{
    auto found = given_.find(key);
    if (found == given_.end())
        throw usage_error("--set " + key + "=... is needed");
    return found->second;
}

template <class T> static T number(const std::string &key, const std::string &text)
{
    T value{};
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        throw usage_error(key + "=" + text + " is not a number of its kind");
    return value;
}

uint64_t peer::parameters::uint(const std::string &key)
{
    auto value = number<uint64_t>(key, text(key));
    used_[key] = std::to_string(value);
    return value;
}

double peer::parameters::real(const std::string &key)
{
    auto value = number<double>(key, text(key));
    char shown[32];
    snprintf(shown, sizeof shown, "%.17g", value);
    used_[key] = shown;
    return value;
}

size_t peer::parameters::choice(const std::string &key, const std::vector<std::string> &choices)
{
    auto &value = text(key);
    auto found = std::find(choices.begin(), choices.end(), value);
    if (found == choices.end())
        throw usage_error("no " + key + "=" + value + " here");
    used_[key] = '"' + value + '"';
    return static_cast<size_t>(found - choices.begin());
}

void peer::parameters::memory()
{
    if (text("memory") != "malloc")
        throw usage_error("CAF allocates with malloc, memory=" + text("memory") +
                          " cannot be compared with it; valid: memory=malloc");
    choice("memory", {"malloc"});
}

std::string peer::parameters::json() const
{
    std::string object;
    for (auto &[key, value] : used_)
        object += (object.empty() ? "" : ", ") + ('"' + key + "\": ") + value;
    return '{' + object + '}';
}

void peer::parameters::refuse_unused() const
{
    for (auto &[key, value] : given_)
        if (used_.count(key) == 0)
            throw usage_error("no parameter " + key + " here");
}

std::string peer::expect(const std::string &what, uint64_t got, uint64_t right)
{
    return got == right ? ""
                        : std::to_string(got) + " " + what + " instead of " + std::to_string(right);
}

namespace
{

const std::map<std::string, peer::workload *> workloads = {
    {"bang", peer::bang},
    {"big", peer::big},
    {"executor", peer::executor},
    {"matrix", peer::matrix},
    {"nqn", peer::nqn},
    {"repeat", peer::repeat},
    {"send-dynamic", peer::send_dynamic},
    {"send-static", peer::send_static},
    {"trapr", peer::trapr},
};

struct arguments {
    std::string policy = "stealing", benchmark;
    uint64_t workers = 1, iterations = 5, warmup = 1, seed = 1;
    peer::parameters given;
};

arguments parse(int argc, char **argv)
{
    arguments result;
    std::map<std::string, uint64_t *> numbers = {{"--workers", &result.workers},
                                                 {"--iterations", &result.iterations},
                                                 {"--warmup", &result.warmup},
                                                 {"--seed", &result.seed}};
    for (int i = 1; i < argc; i++) {
        std::string word = argv[i];
        if (word.empty() || word[0] != '-') {
            result.benchmark = word;
            continue;
        }
        if (++i == argc)
            throw usage_error(word + " needs a value");
        std::string value = argv[i];
        auto equals = value.find('=');
        if (numbers.count(word) != 0)
            *numbers[word] = number<uint64_t>(word, value);
        else if (word == "--policy" && (value == "stealing" || value == "sharing"))
            result.policy = value;
        else if (word == "--set" && equals != std::string::npos)
            result.given.set(value.substr(0, equals), value.substr(equals + 1));
        else
            throw usage_error(word + " " + value + " is not understood");
    }
    if (workloads.count(result.benchmark) == 0)
        throw usage_error("no workload '" + result.benchmark + "' here");
    return result;
}

class configuration : public caf::actor_system_config
{
  public:
    explicit configuration(const arguments &given)
    {
        set("scheduler.policy",
            given.policy == "sharing" ? caf::atom("sharing") : caf::atom("stealing"));
        set("scheduler.max-threads", given.workers);
    }
};

// CAF ignores settings that it does not know. Fail rather than measure another policy.
void verify(caf::actor_system &system, const arguments &given)
{
    using namespace caf;
    auto *scheduler = &system.scheduler();
    bool right =
        given.policy == "sharing"
            ? dynamic_cast<scheduler::coordinator<policy::work_sharing> *>(scheduler) != nullptr
            : dynamic_cast<scheduler::coordinator<policy::work_stealing> *>(scheduler) != nullptr;
    if (!right || scheduler->num_workers() != given.workers)
        throw std::runtime_error("CAF did not take its policy or number of workers");
}

uint64_t peak_rss_bytes()
{
    std::ifstream status("/proc/self/status");
    std::string word;
    uint64_t kibibytes = 0;
    while (status >> word)
        if (word == "VmHWM:" && status >> kibibytes)
            break;
    return kibibytes * 1024;
}

struct result {
    std::vector<int64_t> times_ns;
    uint64_t messages = 0;
    std::string wrong;
};

result run(arguments &given)
{
    using clock = std::chrono::steady_clock;
    result all;
    configuration config(given);
    for (uint64_t i = 0; i < given.warmup + given.iterations && all.wrong.empty(); i++) {
        auto iteration = workloads.at(given.benchmark)(given.given, given.seed);
        given.given.refuse_unused();
        all.messages = iteration->messages();
        caf::actor_system system(config);
        verify(system, given);
        auto began = clock::now();
        iteration->start(system);
        system.await_all_actors_done();
        std::chrono::nanoseconds time = clock::now() - began;
        all.wrong = iteration->check();
        if (i >= given.warmup && all.wrong.empty())
            all.times_ns.push_back(time.count());
    }
    return all;
}

void print(const arguments &given, const result &all)
{
    std::string times;
    for (auto time : all.times_ns)
        times += (times.empty() ? "" : ", ") + std::to_string(time);
    printf("{\"benchmark\": \"%s\", \"parameters\": %s, \"workers\": %ju, \"time_ns\": [%s], "
           "\"messages\": %ju, "
           "\"peak_rss_bytes\": %ju, \"version\": \"CAF %d.%d.%d\", \"outcome\": \"%s\"",
           given.benchmark.c_str(), given.given.json().c_str(), uintmax_t{given.workers},
           times.c_str(), uintmax_t{all.messages}, uintmax_t{peak_rss_bytes()}, CAF_MAJOR_VERSION,
           CAF_MINOR_VERSION, CAF_PATCH_VERSION, all.wrong.empty() ? "ok" : "wrong");
    if (!all.wrong.empty())
        printf(", \"error\": \"%s\"", all.wrong.c_str());
    printf("}\n");
}

} // namespace

int main(int argc, char **argv)
{
    try {
        auto given = parse(argc, argv);
        auto all = run(given);
        print(given, all);
        return all.wrong.empty() ? 0 : 1;
    } catch (const usage_error &error) {
        fprintf(stderr, "peer-caf: %s\n", error.what());
        return 2;
    } catch (const std::exception &error) {
        fprintf(stderr, "peer-caf: %s\n", error.what());
        return 3;
    }
}
