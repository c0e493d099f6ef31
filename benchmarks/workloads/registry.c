/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "benchmarks/workloads/benchmark.h"
#include "benchmarks/workloads/judged.h"

extern const struct al_benchmark_ops al_benchmark_apsp, al_benchmark_astar,
    al_benchmark_balance_multi, al_benchmark_balance_one, al_benchmark_bang, al_benchmark_banking,
    al_benchmark_barber, al_benchmark_big, al_benchmark_bitonicsort, al_benchmark_bndbuffer,
    al_benchmark_bystander, al_benchmark_cdict, al_benchmark_chameneos, al_benchmark_chat,
    al_benchmark_cigsmok, al_benchmark_count, al_benchmark_csll, al_benchmark_executor,
    al_benchmark_facloc, al_benchmark_fib, al_benchmark_filterbank, al_benchmark_fjcreate,
    al_benchmark_fjthrput, al_benchmark_logm, al_benchmark_matrix, al_benchmark_nqn,
    al_benchmark_open, al_benchmark_outside, al_benchmark_overload, al_benchmark_philosopher,
    al_benchmark_pingpong, al_benchmark_piprecision, al_benchmark_population, al_benchmark_pubsub,
    al_benchmark_race, al_benchmark_quicksort, al_benchmark_radixsort, al_benchmark_recmatmul,
    al_benchmark_repeat, al_benchmark_send_dynamic, al_benchmark_send_static, al_benchmark_sieve,
    al_benchmark_sor, al_benchmark_threadring, al_benchmark_synthetic, al_benchmark_trapr,
    al_benchmark_uct;

const struct al_plugin *al_benchmarks[AL_PLUGINS_MOST] = {
    &al_benchmark_send_static.plugin,   &al_benchmark_send_dynamic.plugin,
    &al_benchmark_executor.plugin,      &al_benchmark_repeat.plugin,
    &al_benchmark_matrix.plugin,        &al_benchmark_balance_one.plugin,
    &al_benchmark_balance_multi.plugin, &al_benchmark_big.plugin,
    &al_benchmark_bang.plugin,          &al_benchmark_logm.plugin,
    &al_benchmark_apsp.plugin,          &al_benchmark_cdict.plugin,
    &al_benchmark_csll.plugin,          &al_benchmark_nqn.plugin,
    &al_benchmark_trapr.plugin,         &al_benchmark_pubsub.plugin,
    &al_benchmark_chat.plugin,          &al_benchmark_pingpong.plugin,
    &al_benchmark_count.plugin,         &al_benchmark_fjthrput.plugin,
    &al_benchmark_fjcreate.plugin,      &al_benchmark_threadring.plugin,
    &al_benchmark_chameneos.plugin,     &al_benchmark_fib.plugin,
    &al_benchmark_bndbuffer.plugin,     &al_benchmark_philosopher.plugin,
    &al_benchmark_barber.plugin,        &al_benchmark_cigsmok.plugin,
    &al_benchmark_banking.plugin,       &al_benchmark_quicksort.plugin,
    &al_benchmark_radixsort.plugin,     &al_benchmark_bitonicsort.plugin,
    &al_benchmark_sieve.plugin,         &al_benchmark_recmatmul.plugin,
    &al_benchmark_sor.plugin,           &al_benchmark_piprecision.plugin,
    &al_benchmark_filterbank.plugin,    &al_benchmark_facloc.plugin,
    &al_benchmark_astar.plugin,         &al_benchmark_uct.plugin,
    &al_benchmark_bystander.plugin,     &al_benchmark_outside.plugin,
    &al_benchmark_overload.plugin,      &al_benchmark_open.plugin,
    &al_benchmark_population.plugin,    &al_benchmark_race.plugin,
    &al_benchmark_synthetic.plugin,
};

const char *al_judged_by(const char *name)
{
    for (size_t i = 0; al_benchmarks[i] != NULL; i++) {
        if (strcmp(al_benchmarks[i]->name, name) == 0)
            return AL_OPS(al_benchmarks[i], al_benchmark_ops)->judged_by;
    }
    return NULL;
}
