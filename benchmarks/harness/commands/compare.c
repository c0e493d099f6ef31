/* SPDX-License-Identifier: MIT */

/* `actorlab compare`: ratios of times per message, with verdicts. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/results/sweep_file.h"
#include "benchmarks/harness/show/results.h"
#include "benchmarks/harness/text/format.h"
#include "core/counted.h"

/* Of a share: 5 would be meant as percent. */
#define MOST_SHARE 0.99
#define EXAMPLE    "such as 0.05 for 5%"

enum color { AUTO, ALWAYS, NEVER };

static const char *const colors[] = {[AUTO] = "auto", [ALWAYS] = "always", [NEVER] = "never", NULL};

struct choices {
    struct al_pairs against;
    double margin, gate; /* shares; negative: not given */
    bool json, csv;
    const char *of;
    unsigned color; /* enum color */
    double level;
    uint64_t seed;
};

static const struct al_argument arguments[] = {
    {"against", "KEY=VALUE", AL_ARGUMENT_PAIR, offsetof(struct choices, against),
     .help = "compare each cell of RECORDS with the one that has this value, such as "
             "scheduler=inverted or workers=1; repeat it where one leaves several cells"},
    {"of", "KEY", AL_ARGUMENT_NAME, offsetof(struct choices, of),
     .help = "compare this number of the records instead of times per message, such as "
             "latencies.p99 or peak_rss_bytes, or one over it where more is better: "
             "1/costs.fairness"},
    {"margin", "SHARE", AL_ARGUMENT_REAL, offsetof(struct choices, margin),
     .help =
         "differences within SHARE, such as 0.05, are of no interest: cells that surely differ by "
         "less are equivalent (default: the sweep's, or 0.05)",
     .max = MOST_SHARE, .example = EXAMPLE},
    {"fail-on-regression", "SHARE", AL_ARGUMENT_REAL, offsetof(struct choices, gate),
     .help = "exit with 1 if a cell is slower by more than SHARE (default: the margin) or "
             "fails more often; with 4 if there are too few blocks for that ever to happen",
     .max = MOST_SHARE, .example = EXAMPLE, .optional = true},
    {"json", NULL, AL_ARGUMENT_FLAG, offsetof(struct choices, json),
     .help = "print JSON instead of the table"},
    {"csv", NULL, AL_ARGUMENT_FLAG, offsetof(struct choices, csv),
     .help = "print CSV instead of the table"},
    {"color", "WHEN", AL_ARGUMENT_WORD, offsetof(struct choices, color),
     .help = "colour the table, where auto means on a terminal without NO_COLOR",
     .standard = "auto", .words = colors},
    AL_ARGUMENT_LEVEL(offsetof(struct choices, level)),
    AL_ARGUMENT_SEED(offsetof(struct choices, seed), "seed of the resampling for averages"),
    {0},
};

static bool in_color(enum color color)
{
    const char *no_color = getenv("NO_COLOR");
    if (color == AUTO)
        return isatty(STDOUT_FILENO) && (no_color == NULL || no_color[0] == '\0');
    return color == ALWAYS;
}

/* What goes together; else one line on stderr. */
static bool check_choices(const struct choices *choices, const struct al_parsed *parsed)
{
    bool within = choices->against.n > 0;
    if (choices->json && choices->csv)
        al_refuse("compare", "--json and --csv; valid: one of them");
    else if (within && parsed->n_operands > 1)
        al_refuse("compare", "--against and a second RECORDS, '%s'; valid: one RECORDS",
                  parsed->operands[1]);
    else if (!within && parsed->n_operands < 2)
        al_refuse("compare",
                  "no NEW to compare '%s' with; valid: OLD NEW, or RECORDS --against "
                  "KEY=VALUE",
                  parsed->operands[0]);
    else
        return true;
    return false;
}

/* The cells of a file, or the exit code of what kept them from being read. */
static int read_cells(struct al_summary *summary, const char *name, int code)
{
    summary->intake.command = "compare";
    int result = al_cells_read(summary, name);
    return result > code ? result : code;
}

/* Whether any record has what is compared; else one line on stderr. */
static bool check_of(const struct al_compare *compare)
{
    bool none = compare->older.count + compare->newer.count == 0;
    if (!none || compare->newer.of == NULL)
        return true;
    al_refuse("compare",
              "--of %s: no record has this number; valid: a key of records, such as latencies.p99",
              compare->newer.of);
    return false;
}

/* Whether there is something to compare; else one line on stderr says what is amiss. */
static bool check_against(const struct al_compare *compare)
{
    for (size_t a = 0; a < compare->n_against; a++) {
        const struct al_setting *against = &compare->against[a];
        json_t *values = al_needed(json_object()); /* in the order they were seen */
        for (size_t c = 0; c < compare->newer.count; c++) {
            const json_t *value = al_cell_value(&compare->newer.cells[c], against->key);
            char *text = al_label_text(value);
            if (value != NULL)
                al_json_set(values, text, json_true());
            free(text);
        }
        bool there = json_object_get(values, against->value) != NULL;
        if (!there) {
            char *key = al_printable(against->key), *given = al_printable(against->value);
            char *seen = al_printable_keys(values);
            fprintf(stderr, "actorlab compare: --against %s=%s: no cell has this %s%s\n", key,
                    given, seen[0] != '\0' ? "value, but " : "key", seen);
            free(key);
            free(given);
            free(seen);
        }
        json_decref(values);
        if (!there)
            return false;
    }
    return true;
}

/* Whether both files are of one engine, as far as they have cells in common; else one line on
 * stderr. */
static bool check_engines(const struct al_compare *compare)
{
    const struct al_summary *files[] = {&compare->older, &compare->newer};
    for (int old = 0; old < 2; old++) {
        const struct al_summary *native = files[old], *simulated = files[1 - old];
        if (compare->n_against == 0 && native->native && !native->simulated &&
            simulated->simulated && !simulated->native) {
            al_refuse("compare",
                      "'%s' is native and '%s' simulated, which are not compared unless asked for; "
                      "valid: two of one engine, or one file with both and --against engine=native",
                      compare->names[old], compare->names[1 - old]);
            return false;
        }
    }
    return true;
}

/* Whether there is anything to show; else one line on stderr. */
static bool check_compared(const struct al_compare *compare, bool any)
{
    if (!any && compare->n_against > 0)
        fprintf(stderr, "actorlab compare: %s: no two cells differ only in %s\n", compare->names[1],
                compare->against[0].key);
    else if (!any)
        fprintf(stderr, "actorlab compare: no cell has values in both %s and %s\n",
                compare->names[0], compare->names[1]);
    return any;
}

/* A gate on two files needs several sessions of each cell; else one line on stderr. */
static bool check_gate(const struct al_compare *compare)
{
    const struct al_comparison *one = compare->gate ? al_compare_without_verdict(compare) : NULL;
    if (one == NULL)
        return true;
    char *benchmark = al_shown_text(al_cell_value(one->cell, "benchmark"));
    char *scheduler = al_shown_text(al_cell_value(one->cell, "scheduler"));
    char *workers = al_shown_text(al_cell_value(one->cell, "workers"));
    fprintf(stderr,
            "actorlab compare: --fail-on-regression: %s, scheduler %s, workers %s has %s "
            "in '%s' and %zu in '%s'; valid: %d of each, or both builds in one sweep "
            "(scripts/compare-builds)\n",
            benchmark, scheduler, workers, al_counted(one->ratio.n[1], "session").text,
            compare->names[0], one->ratio.n[0], compare->names[1], AL_SESSIONS_LEAST);
    free(benchmark);
    free(scheduler);
    free(workers);
    return false;
}

/* Whether no time could have made the gate fail; then a line on stderr says what it takes. */
static bool cannot_fail(const struct al_compare *compare)
{
    size_t needed = al_compare_gate_needs(compare), m = compare->comparisons.family.m;
    const char *unit = compare->n_against > 0 ? "block" : "session";
    if (compare->comparisons.n == 0) {
        fputs("actorlab compare: --fail-on-regression: no two cells were measured together\n",
              stderr);
        return true;
    }
    if (needed == 0)
        return false;
    fprintf(stderr,
            "actorlab compare: --fail-on-regression: with so few %ss it could not have failed; "
            "among %s it takes %zu\n",
            unit, al_counted(m, "comparison").text, needed);
    return true;
}

static int compare_main(int argc, char **argv)
{
    struct choices choices = {.margin = -1, .gate = -1};
    struct al_parsed parsed;
    bool ready = al_arguments_read(&al_compare_command, argc, argv, &choices, &parsed) &&
                 check_choices(&choices, &parsed);
    struct al_compare compare = {
        .older = {.level = choices.level, .seed = choices.seed, .of = choices.of},
        .newer = {.level = choices.level, .seed = choices.seed, .of = choices.of},
        .against = choices.against.all,
        .n_against = choices.against.n,
        .gate = al_argument_given(&parsed, "fail-on-regression"),
    };
    int code = AL_EXIT_USAGE;
    if (ready) {
        compare.names[0] = parsed.operands[0];
        compare.names[1] = parsed.operands[parsed.n_operands - 1];
        code = AL_EXIT_OK;
        if (compare.n_against == 0)
            code = read_cells(&compare.older, compare.names[0], code);
        /* Blocks of two files are no pairs: their sessions have numbers of their own. */
        compare.newer.intake.n = compare.older.intake.n;
        compare.newer.sessions = json_incref(compare.older.sessions);
        if (code != AL_EXIT_USAGE)
            code = read_cells(&compare.newer, compare.names[1], code);
        ready = code != AL_EXIT_USAGE;
        compare.sweep = compare.n_against > 0 ? al_sweep_read(compare.names[1]) : NULL;
    }
    if (ready &&
        !(check_of(&compare) && check_engines(&compare) && check_against(&compare) &&
          check_compared(&compare, al_compare_run(&compare, choices.margin, choices.gate)) &&
          check_gate(&compare))) {
        ready = false;
        code = AL_EXIT_USAGE;
    }
    if (ready) {
        if (choices.json)
            al_compare_json(&compare, stdout);
        else if (choices.csv)
            al_compare_csv(&compare, stdout);
        else
            al_compare_table(&compare, stdout, in_color(choices.color));
        bool all_failed = compare.failed > 0 && compare.comparisons.n == 0;
        if ((compare.gate && compare.regressions > 0) || all_failed)
            code = AL_EXIT_FAILED;
        else if (compare.gate && cannot_fail(&compare) && code == AL_EXIT_OK)
            code = AL_EXIT_UNSURE;
    }
    al_compare_release(&compare);
    al_pairs_free(&choices.against);
    return code;
}

const struct al_command al_compare_command = {
    .name = "compare",
    .help = "show ratios of recorded runs, with verdicts",
    .operand = "RECORDS",
    .least = 1,
    .most = 2,
    .usage = "OLD NEW [options]\nRECORDS --against KEY=VALUE [options]",
    .about = "Prints ratios of times per message, or of what --of names, new / old, with verdicts. "
             "OLD, NEW and RECORDS "
             "are results folders or files of records. With --against, cells of one file are "
             "compared with each other.",
    .arguments = arguments,
    .run = compare_main,
};
