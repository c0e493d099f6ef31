/* SPDX-License-Identifier: MIT */
#include "tests/engine/sim_machine.h"

#include <string.h>

#include "core/engine/engine.h"

static const struct {
    enum al_model_key key;
    uint64_t value;
} defaults[] = {
    {AL_MODEL_L2_HIT, L2_NS},
    {AL_MODEL_L3_HIT, L3_NS},
    {AL_MODEL_MEMORY_NODE, MEMORY_NS},
    {AL_MODEL_MEMORY_PACKAGE, 130},
    {AL_MODEL_MEMORY_MACHINE, 210},
    {AL_MODEL_HANDOFF_CORE, 8},
    {AL_MODEL_HANDOFF_L2, 16},
    {AL_MODEL_HANDOFF_L3, 24},
    {AL_MODEL_HANDOFF_NODE, 60},
    {AL_MODEL_HANDOFF_PACKAGE, 88},
    {AL_MODEL_HANDOFF_MACHINE, 200},
    {AL_MODEL_READ, 100},
    {AL_MODEL_INVALIDATE, 100},
    {AL_MODEL_LINE_KEPT, 50},
    {AL_MODEL_STREAM, 100},
    {AL_MODEL_OVERLAP, 100},
    {AL_MODEL_STORE_BUFFER, 40},
    {AL_MODEL_PAUSE, 40},
    {AL_MODEL_FREQUENCY, 1000},
    {AL_MODEL_SLICE, 1000000},
    {AL_MODEL_SMT, 100},
    {AL_MODEL_CORES_ALL, 100},
};

enum al_model_key handoff_class(const struct machine *machine, uint32_t pu, uint32_t other)
{
    const struct al_pu_parts *a = &machine->pus[pu], *b = &machine->pus[other];
    return a->core == b->core         ? AL_MODEL_HANDOFF_CORE
           : a->l2 == b->l2           ? AL_MODEL_HANDOFF_L2
           : a->l3 == b->l3           ? AL_MODEL_HANDOFF_L3
           : a->node == b->node       ? AL_MODEL_HANDOFF_NODE
           : a->package == b->package ? AL_MODEL_HANDOFF_PACKAGE
                                      : AL_MODEL_HANDOFF_MACHINE;
}

static enum al_model_key memory_class(const struct machine *machine, uint32_t pu, uint32_t other)
{
    const struct al_pu_parts *a = &machine->pus[pu], *b = &machine->pus[other];
    return a->node == b->node         ? AL_MODEL_MEMORY_NODE
           : a->package == b->package ? AL_MODEL_MEMORY_PACKAGE
                                      : AL_MODEL_MEMORY_MACHINE;
}

uint64_t handoff_ns(const struct machine *machine, uint32_t pu, uint32_t other)
{
    return machine->machine.ps[handoff_class(machine, pu, other)] / 1000;
}

uint64_t memory_ns(const struct machine *machine, uint32_t pu, uint32_t other)
{
    return machine->machine.ps[memory_class(machine, pu, other)] / 1000;
}

static void fill_pairs(struct machine *machine)
{
    struct al_machine *m = &machine->machine;
    for (uint32_t i = 0; i < m->n_pus; i++) {
        for (uint32_t k = 0; k < m->n_pus; k++) {
            const struct al_pu_parts *a = &m->pus[i], *b = &m->pus[k];
            m->handoff[a->core * m->n_cores + b->core] =
                (uint32_t)m->ps[handoff_class(machine, i, k)];
            m->memory[a->node * m->n_nodes + b->node] =
                (uint32_t)m->ps[memory_class(machine, i, k)];
        }
    }
}

void machine_init(struct machine *machine, struct shape shape)
{
    struct al_machine *m = &machine->machine;
    memset(machine, 0, sizeof *machine);
    machine->seed = 1;
    m->pus = machine->pus;
    m->core_pu = machine->core_pu;
    m->handoff = machine->handoff;
    m->memory = machine->memory;
    m->n_packages = shape.packages;
    m->n_dies = m->n_packages;
    m->n_nodes = m->n_packages * shape.nodes;
    m->n_l3 = m->n_nodes * shape.l3s;
    m->n_l2 = m->n_l3 * shape.l2s;
    m->n_cores = m->n_l2 * shape.cores;
    m->n_pus = m->n_cores * shape.pus;
    CHECK(m->n_pus <= PUS_MOST, "%u PUs", m->n_pus);
    for (uint32_t i = 0; i < m->n_pus; i++) {
        uint32_t core = i / shape.pus, l2 = core / shape.cores, l3 = l2 / shape.l2s,
                 node = l3 / shape.l3s;
        m->pus[i] = (struct al_pu_parts){.os_index = i,
                                         .core = core,
                                         .l2 = l2,
                                         .l3 = l3,
                                         .node = node,
                                         .die = node / shape.nodes,
                                         .package = node / shape.nodes};
        if (i % shape.pus == 0)
            m->core_pu[core] = i;
    }
    m->l1 = (struct al_cache_size){L1_LINES / 8, 8};
    m->l2 = (struct al_cache_size){L2_LINES / 8, 8};
    m->l3 = (struct al_cache_size){L3_LINES / 16, 16};
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++)
        machine_set(machine, defaults[i].key, defaults[i].value);
}

void machine_set(struct machine *machine, enum al_model_key key, uint64_t value)
{
    const char *unit = al_model_parameters[key].unit;
    bool fine = strcmp(unit, "ns") == 0 || strcmp(unit, "GB/s") == 0;
    machine->machine.ps[key] = value * (fine ? 1000 : 1);
    fill_pairs(machine);
}

struct al_sim_report machine_run(const struct machine *machine, void (*function)(void *),
                                 void *argument)
{
    struct al_sim_report report;
    struct al_sim_config config = {
        .machine = &machine->machine, .report = &report, .jitter = machine->jitter, .exact = true};
    struct al_engine_result result;
    al_engine_run(
        &(struct al_engine_config){
            .seed = machine->seed, .step_limit = 20000000, .ops = &al_engine_sim, .model = &config},
        function, argument, &result);
    CHECK(result.end == AL_ENGINE_DONE, "%s", result.text);
    return report;
}

void together_add(struct together *together, uint32_t pu, void (*function)(void *), void *argument)
{
    CHECK(together->n < TASKS, "%u tasks", together->n);
    together->tasks[together->n].pu = pu;
    together->tasks[together->n].function = function;
    together->tasks[together->n++].argument = argument;
}

static void run_one(void *argument)
{
    typeof(((struct together *)NULL)->tasks[0]) *task = argument;
    CHECK(al_engine_place(task->pu) == (int)task->pu, "no PU %u", task->pu);
    uint64_t now = al_clock_ns();
    if (task->begin_ns > now)
        al_sleep_ns(task->begin_ns - now);
    task->began_ns = al_clock_ns();
    task->function(task->argument);
    task->ended_ns = al_clock_ns();
}

uint64_t together_run(struct together *together)
{
    uint64_t begin = al_clock_ns() + 1000000, end = 0;
    for (uint32_t i = 0; i < together->n; i++) {
        together->tasks[i].begin_ns = together->n > 1 ? begin : 0;
        CHECK(al_thread_start(&together->tasks[i].thread, run_one, &together->tasks[i]) == 0,
              "no task %u", i);
    }
    for (uint32_t i = 0; i < together->n; i++) {
        al_thread_join(&together->tasks[i].thread);
        end = together->tasks[i].ended_ns > end ? together->tasks[i].ended_ns : end;
    }
    return end - together->tasks[0].began_ns;
}

uint64_t time_of(uint32_t pu, void (*function)(void *), void *argument)
{
    struct together one = {0};
    together_add(&one, pu, function, argument);
    return together_run(&one);
}

void on(uint32_t pu, void (*function)(void *), void *argument)
{
    (void)time_of(pu, function, argument);
}

void read_word(void *word)
{
    (void)al_u64_load_relaxed(word);
}

void write_word(void *word)
{
    al_u64_store_relaxed(word, 1);
}

void update_word(void *word)
{
    al_u64_add_relaxed(word, 1);
}

char *new_pages(size_t bytes)
{
    char *pages = al_aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
    CHECK(pages != NULL, "no memory for %zu bytes", bytes);
    return pages;
}

bool near(uint64_t ns, uint64_t expected_ns, unsigned per_mille)
{
    uint64_t difference = ns > expected_ns ? ns - expected_ns : expected_ns - ns;
    return difference * 1000 <= expected_ns * per_mille;
}
