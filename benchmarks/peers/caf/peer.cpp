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

#include <chrono>

#include <caf/policy/work_sharing.hpp>
#include <caf/policy/work_stealing.hpp>
#include <caf/scheduler/coordinator.hpp>

using peer::arguments;
using peer::usage_error;

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

bool shares(const arguments &given)
{
    auto &policy = given.options.at("--policy");
    if (policy != "sharing" && policy != "stealing")
        throw usage_error("no policy '" + policy + "' here");
    return policy == "sharing";
}

class configuration : public caf::actor_system_config
{
  public:
    explicit configuration(const arguments &given)
    {
        set("scheduler.policy", shares(given) ? caf::atom("sharing") : caf::atom("stealing"));
        set("scheduler.max-threads", given.workers);
    }
};

// CAF ignores settings that it does not know. Fail rather than measure another policy.
void verify(caf::actor_system &system, const arguments &given)
{
    using namespace caf;
    auto *scheduler = &system.scheduler();
    bool right =
        shares(given)
            ? dynamic_cast<scheduler::coordinator<policy::work_sharing> *>(scheduler) != nullptr
            : dynamic_cast<scheduler::coordinator<policy::work_stealing> *>(scheduler) != nullptr;
    if (!right || scheduler->num_workers() != given.workers)
        throw std::runtime_error("CAF did not take its policy or number of workers");
}

peer::outcome iterate(arguments &given)
{
    using clock = std::chrono::steady_clock;
    auto found = workloads.find(given.benchmark);
    if (found == workloads.end())
        throw usage_error("no workload '" + given.benchmark + "' here");
    auto iteration = found->second(given.given, given.seed);
    given.given.refuse_unused();
    configuration config(given);
    caf::actor_system system(config);
    verify(system, given);
    auto began = clock::now();
    iteration->start(system);
    system.await_all_actors_done();
    std::chrono::nanoseconds time = clock::now() - began;
    return {time.count(), iteration->messages(), iteration->check()};
}

} // namespace

int main(int argc, char **argv)
{
    auto version = "CAF " + std::to_string(CAF_MAJOR_VERSION) + '.' +
                   std::to_string(CAF_MINOR_VERSION) + '.' + std::to_string(CAF_PATCH_VERSION);
    return peer::run(argc, argv, {{"--policy", "stealing"}}, version, iterate);
}
