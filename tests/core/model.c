/* SPDX-License-Identifier: MIT */

/* Machine files: the classes of pairs, the parameters that a topology needs, the arrays that the
 * simulator gets, and writing a file and reading it back. */

#include "core/machine/model.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/tap.h"

#define TWO_SOCKETS AL_MACHINES "/tests/machines/two-sockets.xml"
#define OPTERON     AL_MACHINES "/configs/machines/opteron-6276-4s.xml"

static struct al_topology *load(const char *spec)
{
    struct al_topology *topology;
    struct al_error error;
    CHECK(al_topology_load(spec, &topology, &error) == 0, "%s", error.text);
    return topology;
}

static struct al_model *load_model(const struct al_topology *topology)
{
    struct al_model *model;
    struct al_error error;
    CHECK(al_model_load(topology, &model, &error) == 0, "%s", error.text);
    return model;
}

static struct al_machine *new_machine(const struct al_model *model)
{
    struct al_machine *machine = al_machine_new(model);
    CHECK(machine != NULL, "no memory");
    return machine;
}

/* Whether the class of hand-offs from PU 0 to each of these PUs is this one. */
static bool class_is(const char *spec, enum al_model_key class, const char *pus)
{
    struct al_topology *topology = load(spec);
    bool all = true;
    for (char *end = (char *)pus; *end != '\0';) {
        unsigned pu = (unsigned)strtoul(end, &end, 10);
        enum al_model_key found = al_model_handoff_class(topology, 0, pu);
        if (found != class || found != al_model_handoff_class(topology, pu, 0)) {
            printf("# %s, PU %u: %s\n", spec, pu, al_model_parameters[found].name);
            all = false;
        }
    }
    al_topology_free(topology);
    return all;
}

static void test_classes(struct tap *tap)
{
    const char *all = "package:2 [numa] group:2 l3:2 l2:2 core:2 pu:2";
    tap_ok(tap, class_is(all, AL_MODEL_HANDOFF_CORE, "0 1"), "PUs of a core");
    tap_ok(tap, class_is(all, AL_MODEL_HANDOFF_L2, "2 3"), "cores that share an L2");
    tap_ok(tap, class_is(all, AL_MODEL_HANDOFF_L3, "4 7"), "cores that share an L3");
    tap_ok(tap, class_is(all, AL_MODEL_HANDOFF_NODE, "8 15"), "cores of a group");
    tap_ok(tap, class_is(all, AL_MODEL_HANDOFF_PACKAGE, "16 31"),
           "cores of a package that is a node");
    tap_ok(tap, class_is(all, AL_MODEL_HANDOFF_MACHINE, "32 63"), "cores of two packages");
    tap_ok(tap, class_is("package:2 numa:2 core:2 pu:1", AL_MODEL_HANDOFF_NODE, "1"),
           "cores of a node");
    tap_ok(tap, class_is("package:2 numa:2 core:2 pu:1", AL_MODEL_HANDOFF_PACKAGE, "2 3"),
           "cores of two nodes of a package");
    tap_ok(tap, class_is("numa:2 core:2 pu:1", AL_MODEL_HANDOFF_PACKAGE, "2 3"),
           "a machine without packages is one");
    struct al_topology *nodes = load("package:2 numa:2 core:2 pu:1");
    tap_ok(tap,
           al_model_memory_class(nodes, 0, 1) == AL_MODEL_MEMORY_NODE &&
               al_model_memory_class(nodes, 0, 2) == AL_MODEL_MEMORY_PACKAGE &&
               al_model_memory_class(nodes, 0, 4) == AL_MODEL_MEMORY_MACHINE,
           "three classes of memory");
    al_topology_free(nodes);
}

/* Whether these are, of caches, memories, hand-offs, SMT and clocks, what a topology needs. */
static bool needs_are(const char *spec, const char *expected)
{
    struct al_topology *topology = load(spec);
    bool needs[AL_MODEL_KEYS];
    char text[256] = "";
    al_model_needs(topology, needs);
    al_topology_free(topology);
    for (size_t key = AL_MODEL_L2_HIT; key < AL_MODEL_KEYS; key++) {
        if ((key <= AL_MODEL_HANDOFF_AWAY || key == AL_MODEL_SMT || key == AL_MODEL_CORES_ALL) &&
            needs[key])
            snprintf(text + strlen(text), sizeof text - strlen(text), " %s",
                     al_model_parameters[key].name);
    }
    if (strcmp(text, expected) != 0)
        printf("# %s:%s\n", spec, text);
    return strcmp(text, expected) == 0 && needs[AL_MODEL_INSTRUCTION] && needs[AL_MODEL_READ] &&
           needs[AL_MODEL_MALLOC_FLUSH] && needs[AL_MODEL_MEMORY_BANDWIDTH];
}

static void test_needs(struct tap *tap)
{
    tap_ok(tap, needs_are("core:1 pu:1", " memory.node"), "one core needs no hand-offs");
    tap_ok(tap,
           needs_are("l3:1 l2:2 core:1 pu:1", " l2.hit l3.hit memory.node handoff.l3 cores.all"),
           "two cores with an L3");
    tap_ok(tap, needs_are("core:1 pu:2", " memory.node handoff.core smt"), "one core with SMT");
    tap_ok(tap,
           needs_are("package:2 [numa] l3:2 l2:1 core:1 pu:1",
                     " l2.hit l3.hit memory.node memory.machine handoff.package handoff.machine "
                     "handoff.away cores.all"),
           "an away home needs two packages, and pairs in one of them beyond an L3");
    tap_ok(tap,
           needs_are("package:2 [numa] l3:1 core:2 pu:1",
                     " l3.hit memory.node memory.machine handoff.l3 handoff.machine cores.all"),
           "no pairs in a package beyond an L3");
    tap_ok(tap,
           needs_are("package:1 l3:2 core:1 pu:1", " l3.hit memory.node handoff.package cores.all"),
           "no other package");
    tap_ok(tap,
           needs_are("package:2 [numa] core:1 pu:1", " memory.node memory.machine handoff.machine"),
           "cores that share nothing have no common clock");
}

static void test_arrays(struct tap *tap)
{
    struct al_topology *topology = load(TWO_SOCKETS);
    struct al_model *model = load_model(topology);
    struct al_machine *machine = new_machine(model);
    tap_ok(tap,
           machine->n_pus == 16 && machine->n_cores == 8 && machine->n_l2 == 8 &&
               machine->n_l3 == 4 && machine->n_nodes == 2 && machine->n_dies == 2 &&
               machine->n_packages == 2,
           "numbers of parts");
    const struct al_pu_parts *last = &machine->pus[15];
    tap_ok(tap,
           last->os_index == 15 && last->core == 7 && last->l2 == 7 && last->l3 == 3 &&
               last->node == 1 && last->die == 1 && last->package == 1,
           "the parts of a PU");
    tap_ok(tap, machine->core_pu[3] == 6, "the first PU of a core");
    const uint32_t *row = machine->handoff + 8;
    tap_ok(tap,
           row[1] == 8000 && row[0] == 25300 && row[2] == 134600 && row[4] == 266600 &&
               machine->handoff[1] == row[0],
           "hand-offs of core 1, in ps");
    tap_ok(tap,
           machine->classes[8] == AL_MODEL_HANDOFF_L3 &&
               machine->classes[9] == AL_MODEL_HANDOFF_CORE &&
               machine->classes[12] == AL_MODEL_HANDOFF_MACHINE,
           "and their classes");
    tap_ok(tap,
           machine->memory[0] == 117000 && machine->memory[1] == 210000 &&
               machine->memory[2] == 210000 && machine->memory[3] == 117000,
           "loads from memory, in ps");
    tap_ok(tap,
           machine->l1.sets == 64 && machine->l1.ways == 8 && machine->l2.sets == 1024 &&
               machine->l2.ways == 8 && machine->l3.sets == 4096 && machine->l3.ways == 16,
           "caches");
    tap_ok(tap,
           machine->ps[AL_MODEL_L2_HIT] == 3700 && machine->ps[AL_MODEL_SMT] == 62 &&
               machine->ps[AL_MODEL_STORE_BUFFER] == 48 &&
               machine->ps[AL_MODEL_FREQUENCY] == 2000 &&
               machine->ps[AL_MODEL_MEMORY_BANDWIDTH] == 163840,
           "times become ps, GB/s become MB/s, the others stay");
    al_machine_free(machine);
    al_model_free(model);
    al_topology_free(topology);
}

static bool set(struct al_model *model, const char *name, const char *value)
{
    struct al_error error;
    bool done = al_model_set(model, name, value, &error) == 0;
    if (!done)
        printf("# %s\n", error.text);
    return done;
}

static bool set_refused(struct al_model *model, const char *name, const char *value,
                        const char *says)
{
    struct al_error error = {""};
    bool refused = al_model_set(model, name, value, &error) < 0 && strstr(error.text, says) != NULL;
    if (!refused)
        printf("# %s\n", error.text);
    return refused;
}

static void test_overrides(struct tap *tap)
{
    struct al_topology *topology = load(TWO_SOCKETS);
    struct al_model *model = load_model(topology), *other = load_model(topology);
    tap_ok(tap, al_model_hash(model) == al_model_hash(other), "the same file, the same hash");
    tap_ok(tap,
           set(model, "handoff.l3", "30") && set(model, "handoff.core", "9.5 ns") &&
               model->values[AL_MODEL_HANDOFF_L3].overridden &&
               !model->values[AL_MODEL_HANDOFF_MACHINE].overridden,
           "a number, with or without its unit");
    struct al_machine *machine = new_machine(model);
    tap_ok(tap, machine->handoff[1] == 30000 && machine->handoff[0] == 9500, "reaches the arrays");
    al_machine_free(machine);
    tap_ok(tap, al_model_hash(model) != al_model_hash(other), "another hash");
    free(other->values[AL_MODEL_ACCESS].source);
    other->values[AL_MODEL_ACCESS].source = strdup("elsewhere");
    struct al_model *third = load_model(topology);
    tap_ok(tap, al_model_hash(third) == al_model_hash(other), "a source is not in the hash");
    tap_ok(tap, set_refused(model, "handof.l3", "1", "did you mean 'handoff.l3'?; valid: access, "),
           "an unknown parameter");
    tap_ok(tap, set_refused(model, "handoff.l2", "1", "has no use for the parameter 'handoff.l2'"),
           "a parameter that the machine has no parts for");
    uint64_t hash = al_model_hash(model);
    tap_ok(tap,
           model->jitter == AL_MODEL_JITTER && set(model, "jitter", "0") && model->jitter == 0 &&
               al_model_hash(model) != hash && set(model, "jitter", "2 %") &&
               al_model_hash(model) == hash &&
               set_refused(model, "jitter", "51", "from 0 to 50, in %"),
           "the jitter");
    const char *wrong[] = {"", "x", "-1", "1e6", "nan", "3 ms", "3 ns x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        tap_ok(tap, set_refused(model, "handoff.l3", wrong[i], "from 0 to 100000, in ns"),
               "no value: '%s'", wrong[i]);
    al_model_free(third);
    al_model_free(other);
    al_model_free(model);
    al_topology_free(topology);
}

static void test_matrix(struct tap *tap)
{
    struct al_topology *topology = load(OPTERON);
    struct al_model *model = load_model(topology);
    struct al_machine *machine = new_machine(model);
    tap_ok(tap,
           machine->handoff[1] == 18000 && machine->handoff[2] == 38600 &&
               machine->handoff[8] == 76700 && machine->handoff[16] == 82000 &&
               machine->handoff[63] == 120000,
           "the matrix has the hand-offs, pair by pair");
    al_machine_free(machine);
    uint64_t before = al_model_hash(model);
    tap_ok(tap, set(model, "handoff.machine", "202"), "overridden to double");
    machine = new_machine(model);
    tap_ok(tap,
           machine->handoff[16] == 164000 && machine->handoff[63] == 240000 &&
               machine->handoff[1] == 18000,
           "all pairs of the class, and no others, double");
    al_machine_free(machine);
    model->values[AL_MODEL_HANDOFF_MACHINE].value = 101;
    tap_ok(tap, al_model_hash(model) == before, "the hash is as before");
    model->handoff[1] = 19000;
    tap_ok(tap, al_model_hash(model) != before, "the matrix is in the hash");
    al_model_free(model);
    al_topology_free(topology);
}

/* A value for each parameter that is in its range. Freed with the program. */
static void invent(struct al_model_value values[AL_MODEL_KEYS])
{
    for (size_t key = 0; key < AL_MODEL_KEYS; key++) {
        double value = al_model_parameters[key].least + 1 + (double)key;
        values[key] = (struct al_model_value){.value = value,
                                              .low = value - 0.5,
                                              .high = value + 2,
                                              .quality = AL_MODEL_MEASURED,
                                              .source = "a \"test\" & <more>"};
    }
}

/* Write a machine file of this topology, and read it back; NULL after a line in error. */
static struct al_model *write_and_read(const struct al_topology *topology,
                                       const struct al_model_value values[AL_MODEL_KEYS],
                                       struct al_topology **again, struct al_error *error)
{
    char path[] = "/tmp/actorlab-machine-XXXXXX.xml";
    int descriptor = mkstemps(path, 4);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    CHECK(file != NULL, "no temporary file");
    int code = al_model_write(topology, values, "a <machine>", file, error);
    fclose(file);
    struct al_model *model = NULL;
    if (code == 0) {
        *again = load(path);
        model = load_model(*again);
    }
    remove(path);
    return model;
}

static void test_write(struct tap *tap, const char *spec)
{
    struct al_topology *topology = load(spec), *again;
    struct al_model_value values[AL_MODEL_KEYS];
    struct al_error error = {""};
    bool needs[AL_MODEL_KEYS], same = true;
    invent(values);
    al_model_needs(topology, needs);
    struct al_model *model = write_and_read(topology, values, &again, &error);
    CHECK(model != NULL, "%s", error.text);
    for (size_t key = 0; key < AL_MODEL_KEYS; key++) {
        const struct al_model_value *read = &model->values[key], *written = &values[key];
        same &= needs[key] ? read->source != NULL && strcmp(read->source, written->source) == 0 &&
                                 read->value == written->value && read->low == written->low &&
                                 read->high == written->high && read->quality == written->quality
                           : read->source == NULL;
    }
    tap_ok(tap, same, "%s: what was written is read", spec);
    tap_ok(tap, strcmp(model->title, "a <machine>") == 0 && model->handoff == NULL,
           "the title too");
    tap_ok(tap, al_topology_hash(topology) == al_topology_hash(again), "the topology is the same");
    struct al_machine *machine = new_machine(model);
    tap_ok(tap, machine->n_pus == al_topology_n_pus(topology), "the simulator gets it");
    al_machine_free(machine);
    al_model_free(model);
    al_topology_free(again);
    al_topology_free(topology);
}

static void test_write_refused(struct tap *tap)
{
    struct al_topology *topology = load("l3:1 core:2 pu:1"), *again;
    struct al_model_value values[AL_MODEL_KEYS];
    struct al_error error = {""};
    invent(values);
    values[AL_MODEL_PAUSE].source = NULL;
    tap_ok(tap,
           write_and_read(topology, values, &again, &error) == NULL &&
               strstr(error.text, "no actorlab.pause (a pause instruction, in ns)") != NULL,
           "a missing value is refused");
    invent(values);
    values[AL_MODEL_PAUSE].high = 1;
    tap_ok(tap,
           write_and_read(topology, values, &again, &error) == NULL &&
               strstr(error.text, "does not contain") != NULL,
           "a range without its value, too");
    al_topology_free(topology);
}

static bool too_large(const char *spec, const char *says)
{
    struct al_topology *topology = load(spec), *again;
    struct al_model_value values[AL_MODEL_KEYS];
    struct al_error error = {""};
    invent(values);
    bool refused = write_and_read(topology, values, &again, &error) == NULL &&
                   strstr(error.text, says) != NULL;
    if (!refused)
        printf("# %s: %s\n", spec, error.text);
    al_topology_free(topology);
    return refused;
}

static void test_limits(struct tap *tap)
{
    tap_ok(tap, too_large("numa:255 core:1 pu:1", "it has 255 NUMA nodes; valid: up to 254"),
           "too many NUMA nodes are refused");
    tap_ok(tap, too_large("package:17 core:241 pu:1", "it has 4097 cores; valid: up to 4096"),
           "too many cores, too");
    tap_ok(tap, too_large("l3:1(size=2GB) core:2 pu:1", "its L3Cache has 2000000000 bytes"),
           "and too large a cache");
}

int main(void)
{
    struct tap tap = {0};
    test_classes(&tap);
    test_needs(&tap);
    test_arrays(&tap);
    test_overrides(&tap);
    test_matrix(&tap);
    test_write(&tap, "core:1 pu:1");
    test_write(&tap, "numa:2 core:2 pu:2");
    test_write(&tap, "package:2 [numa] group:2 l3:2 l2:2 core:2 pu:2");
    test_write(&tap, OPTERON);
    test_write_refused(&tap);
    test_limits(&tap);
    return tap_done(&tap);
}
