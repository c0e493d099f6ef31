/* SPDX-License-Identifier: MIT */

/*
 * The peer `ring`: the message workloads over one FIFO ring of envelopes and on one thread. It does
 * what any strategy that queues envelopes has to do, and nothing else, so its time is a bound.
 * docs/reference/peers.md describes the protocol.
 */

#include <errno.h>
#include <string.h>

#include "benchmarks/peers/ring/ring.h"
#include "benchmarks/peers/support/peer.h"
#include "benchmarks/workloads/benchmark.h"

extern const struct al_benchmark_ops al_benchmark_balance_multi, al_benchmark_balance_one,
    al_benchmark_bang, al_benchmark_big, al_benchmark_executor, al_benchmark_logm,
    al_benchmark_pubsub, al_benchmark_repeat, al_benchmark_send_dynamic, al_benchmark_send_static;

static const struct al_benchmark_ops *const workloads[] = {
    &al_benchmark_send_static, &al_benchmark_send_dynamic, &al_benchmark_executor,
    &al_benchmark_repeat,      &al_benchmark_balance_one,  &al_benchmark_balance_multi,
    &al_benchmark_big,         &al_benchmark_bang,         &al_benchmark_logm,
    &al_benchmark_pubsub,
};
#define N_WORKLOADS (sizeof workloads / sizeof *workloads)

static const struct al_benchmark_ops *find(const char *name)
{
    for (size_t i = 0; i < N_WORKLOADS; i++) {
        if (strcmp(workloads[i]->plugin.name, name) == 0)
            return workloads[i];
    }
    al_peer_refuse("no workload '%s' here", name);
}

static json_t *parameters_of(const struct al_selection *selection)
{
    json_t *parameters = json_object();
    const struct al_option *option = selection->plugin->options;
    for (size_t i = 0; option[i].name != NULL; i++) {
        union al_value value = selection->values[i];
        json_t *shown;
        if (option[i].type == AL_OPTION_ENUM)
            shown = json_string(al_option_choice(&option[i], value));
        else if (option[i].type == AL_OPTION_REAL)
            shown = json_real(value.real);
        else
            shown = json_integer((json_int_t)value.uint);
        json_object_set_new(parameters, option[i].name, shown);
    }
    return parameters;
}

struct iteration {
    uint64_t time_ns, messages;
};

/* 0, or -EBADMSG with a line in error: the answer is wrong. */
static int iterate(const struct al_benchmark_ops *ops, const union al_value *values, uint64_t seed,
                   struct iteration *iteration, struct al_error *error)
{
    void *state = ops->prepare(values, seed);
    if (ops->place != NULL)
        ops->place(state);
    uint64_t began_ns = al_peer_now_ns();
    ops->start(state);
    uint64_t delivered = al_peer_ring_run();
    iteration->time_ns = al_peer_now_ns() - began_ns;
    iteration->messages = ops->messages(state);
    int code = ops->check(state, error);
    if (code == 0 && delivered != iteration->messages)
        code = al_error_set(error, -EBADMSG, "%llu messages were delivered instead of %llu",
                            (unsigned long long)delivered, (unsigned long long)iteration->messages);
    ops->release(state);
    return code;
}

int main(int argc, char **argv)
{
    struct al_peer_arguments arguments;
    al_peer_parse(argc, argv, &arguments);
    const struct al_benchmark_ops *ops = find(arguments.workload);
    struct al_selection selection = {.plugin = &ops->plugin}, *selections[] = {&selection};
    struct al_error error = {""};
    if (arguments.workers != 1)
        al_peer_refuse("--workers %llu: the ring is for one thread; valid: 1",
                       (unsigned long long)arguments.workers);
    if (al_options_parse(selections, 1, arguments.settings, arguments.n_settings, &error) != 0 ||
        (ops->check_parameters != NULL && ops->check_parameters(selection.values, &error) != 0))
        al_peer_refuse("%s", error.text);
    size_t rate;
    if (ops->due_ns != NULL && al_option_matches(&ops->plugin, "rate", &rate) &&
        selection.values[rate].real != 0)
        al_peer_refuse("rate=%g: the ring has no timers; valid: 0", selection.values[rate].real);
    al_peer_bind(0);
    al_peer_ring_init(al_source_of(&selection, AL_MEMORY));
    json_t *times = json_array();
    struct iteration iteration = {0};
    int code = 0;
    for (uint64_t i = 0; i < arguments.warmup + arguments.iterations && code == 0; i++) {
        code = iterate(ops, selection.values, arguments.seed, &iteration, &error);
        if (i >= arguments.warmup && code == 0)
            json_array_append_new(times, json_integer((json_int_t)iteration.time_ns));
    }
    al_peer_ring_fini();
    return al_peer_print(&arguments, parameters_of(&selection), times, iteration.messages, "ring",
                         code != 0 ? error.text : NULL);
}
