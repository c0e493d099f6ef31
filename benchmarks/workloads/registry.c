/* SPDX-License-Identifier: MIT */
#include "benchmarks/workloads/benchmark.h"

extern const struct al_benchmark_ops al_benchmark_apsp, al_benchmark_balance_multi,
    al_benchmark_balance_one, al_benchmark_bang, al_benchmark_big, al_benchmark_cdict,
    al_benchmark_chat, al_benchmark_csll, al_benchmark_executor, al_benchmark_logm,
    al_benchmark_matrix, al_benchmark_nqn, al_benchmark_pubsub, al_benchmark_repeat,
    al_benchmark_send_dynamic, al_benchmark_send_static, al_benchmark_trapr;

const struct al_plugin *const al_benchmarks[] = {
    &al_benchmark_send_static.plugin,   &al_benchmark_send_dynamic.plugin,
    &al_benchmark_executor.plugin,      &al_benchmark_repeat.plugin,
    &al_benchmark_matrix.plugin,        &al_benchmark_balance_one.plugin,
    &al_benchmark_balance_multi.plugin, &al_benchmark_big.plugin,
    &al_benchmark_bang.plugin,          &al_benchmark_logm.plugin,
    &al_benchmark_apsp.plugin,          &al_benchmark_cdict.plugin,
    &al_benchmark_csll.plugin,          &al_benchmark_nqn.plugin,
    &al_benchmark_trapr.plugin,         &al_benchmark_pubsub.plugin,
    &al_benchmark_chat.plugin,          NULL,
};
