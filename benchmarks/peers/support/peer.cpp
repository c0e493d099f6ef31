// SPDX-License-Identifier: MIT
#include "benchmarks/peers/support/peer.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <errno.h>
#include <fstream>

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
        throw peer::usage_error(key + "=" + text + " is not a number of its kind");
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

void peer::parameters::memory(const std::string &system)
{
    if (text("memory") != "malloc")
        throw usage_error(system + " allocates with malloc, memory=" + text("memory") +
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

peer::arguments parse(int argc, char **argv, std::map<std::string, std::string> options)
{
    peer::arguments result;
    result.options = std::move(options);
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
            throw peer::usage_error(word + " needs a value");
        std::string value = argv[i];
        auto equals = value.find('=');
        if (numbers.count(word) != 0)
            *numbers[word] = number<uint64_t>(word, value);
        else if (result.options.count(word) != 0)
            result.options[word] = value;
        else if (word == "--set" && equals != std::string::npos)
            result.given.set(value.substr(0, equals), value.substr(equals + 1));
        else
            throw peer::usage_error(word + " " + value + " is not understood");
    }
    return result;
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

void print(const peer::arguments &given, const std::vector<int64_t> &times_ns,
           const peer::outcome &last, const std::string &version)
{
    std::string times;
    for (auto time : times_ns)
        times += (times.empty() ? "" : ", ") + std::to_string(time);
    printf("{\"benchmark\": \"%s\", \"parameters\": %s, \"workers\": %ju, \"time_ns\": [%s], "
           "\"messages\": %ju, \"peak_rss_bytes\": %ju, \"version\": \"%s\", \"outcome\": \"%s\"",
           given.benchmark.c_str(), given.given.json().c_str(), uintmax_t{given.workers},
           times.c_str(), uintmax_t{last.messages}, uintmax_t{peak_rss_bytes()}, version.c_str(),
           last.wrong.empty() ? "ok" : "wrong");
    if (!last.wrong.empty())
        printf(", \"error\": \"%s\"", last.wrong.c_str());
    printf("}\n");
}

} // namespace

int peer::run(int argc, char **argv, std::map<std::string, std::string> options,
              const std::string &version, const std::function<outcome(arguments &)> &iterate)
{
    try {
        auto given = parse(argc, argv, std::move(options));
        std::vector<int64_t> times_ns;
        outcome last{};
        for (uint64_t i = 0; i < given.warmup + given.iterations && last.wrong.empty(); i++) {
            last = iterate(given);
            if (i >= given.warmup && last.wrong.empty())
                times_ns.push_back(last.time_ns);
        }
        print(given, times_ns, last, version);
        return last.wrong.empty() ? 0 : 1;
    } catch (const usage_error &error) {
        fprintf(stderr, "%s: %s\n", program_invocation_short_name, error.what());
        return 2;
    } catch (const std::exception &error) {
        fprintf(stderr, "%s: %s\n", program_invocation_short_name, error.what());
        return 3;
    }
}
