/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/commands/compare.h"
#include "benchmarks/harness/text/format.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/text/exit.h"

static const char usage[] = "usage: actorlab compare OLD NEW [options]\n"
                            "       actorlab compare RECORDS --against KEY=VALUE [options]\n";
static const char help[] =
    "Ratios of times per message, new / old, with verdicts. OLD, NEW and RECORDS are files of "
    "records or folders of "
    "results.\n"
    "  --against KEY=VALUE     within one file: each cell against the one with this value, as "
    "scheduler=inverted or "
    "workers=1;\n"
    "                          several of them if one leaves several cells to compare with\n"
    "  --noise PERCENT         what makes no difference (default: of the A/A cells, else 2)\n"
    "  --fail-on-regression [PERCENT]\n"
    "                          exit 1 if a cell is slower by more than PERCENT (default: the "
    "noise) or its trials fail now;\n"
    "                          exit 4 if there is none, but A/A cells differ by more than 10%\n"
    "  --json, --csv           in place of the table\n"
    "  --color WHEN            auto, always or never (default auto; NO_COLOR is honoured)\n"
    "  --level L               wished coverage of intervals, between 0 and 1 (default 0.95)\n"
    "  --resamples N           bootstrap resamples, 100 to 10000000 (default 10000)\n"
    "  --seed S                of the resampling (default 1)\n";

enum format { TABLE, JSON, CSV };

struct choices {
    double noise, gate; /* percent; negative: not given */
    enum format format;
    bool color;
};

static bool parse_against(struct al_compare *compare, char *given)
{
    char *value = strchr(given, '=');
    if (value == NULL || value == given || value[1] == '\0') {
        fprintf(stderr,
                "actorlab compare: --against %s: expected KEY=VALUE, as scheduler=inverted\n",
                given);
        return false;
    }
    *value++ = '\0';
    compare->against = al_needed(
        reallocarray(compare->against, compare->n_against + 1, sizeof *compare->against));
    compare->against[compare->n_against++] = (struct al_against){given, value};
    return true;
}

static bool parse_color(const char *given, bool *out)
{
    const char *no_color = getenv("NO_COLOR");
    if (strcmp(given, "auto") == 0)
        *out = isatty(STDOUT_FILENO) && (no_color == NULL || no_color[0] == '\0');
    else if (strcmp(given, "always") == 0 || strcmp(given, "never") == 0)
        *out = given[0] == 'a';
    else
        fprintf(stderr, "actorlab compare: --color %s: expected auto, always or never\n", given);
    return strcmp(given, "auto") == 0 || strcmp(given, "always") == 0 ||
           strcmp(given, "never") == 0;
}

static bool is_number(const char *text)
{
    char *end;
    if (text == NULL)
        return false;
    strtod(text, &end);
    return end != text && *end == '\0';
}

/* Beyond any letter, so that what getopt complains of is a letter only if a letter was given. */
enum {
    OPTION_AGAINST = 256,
    OPTION_NOISE,
    OPTION_GATE,
    OPTION_JSON,
    OPTION_CSV,
    OPTION_COLOR,
    OPTION_LEVEL,
    OPTION_RESAMPLES,
    OPTION_SEED
};

/* -1 to go on, or the exit code. */
static int parse_options(int argc, char **argv, struct al_compare *compare, struct choices *choices)
{
    static const struct option options[] = {
        {"against", required_argument, NULL, OPTION_AGAINST},
        {"noise", required_argument, NULL, OPTION_NOISE},
        {"fail-on-regression", optional_argument, NULL, OPTION_GATE},
        {"json", no_argument, NULL, OPTION_JSON},
        {"csv", no_argument, NULL, OPTION_CSV},
        {"color", required_argument, NULL, OPTION_COLOR},
        {"level", required_argument, NULL, OPTION_LEVEL},
        {"resamples", required_argument, NULL, OPTION_RESAMPLES},
        {"seed", required_argument, NULL, OPTION_SEED},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct al_summary *newer = &compare->newer;
    uint64_t resamples = newer->resamples;
    bool good = parse_color("auto", &choices->color);
    optind = 0; /* glibc: start afresh, whoever parsed before */
    opterr = 0;
    for (int option; good && (option = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
        switch (option) {
        case OPTION_AGAINST:
            good = parse_against(compare, optarg);
            break;
        case OPTION_NOISE:
            good = al_argument_percent("compare", "noise", optarg, &choices->noise);
            break;
        case OPTION_GATE:
            compare->gate = true;
            if (optarg == NULL && is_number(argv[optind]))
                optarg = argv[optind++];
            if (optarg != NULL)
                good = al_argument_percent("compare", "fail-on-regression", optarg, &choices->gate);
            break;
        case OPTION_JSON:
            choices->format = JSON;
            break;
        case OPTION_CSV:
            choices->format = CSV;
            break;
        case OPTION_COLOR:
            good = parse_color(optarg, &choices->color);
            break;
        case OPTION_LEVEL:
            good = al_argument_share("compare", "level", optarg, &newer->level);
            break;
        case OPTION_RESAMPLES:
            good = al_argument_integer("compare", "resamples", optarg, AL_RESAMPLES_LEAST, 10000000,
                                       &resamples);
            break;
        case OPTION_SEED:
            good = al_argument_integer("compare", "seed", optarg, 0, INT64_MAX, &newer->seed);
            break;
        case 'h':
            printf("%s%s", usage, help);
            return AL_EXIT_OK;
        default: {
            const char letter[] = {'-', (char)optopt, '\0'};
            fprintf(stderr,
                    "actorlab compare: %s: %s; options are --against KEY=VALUE, --noise PERCENT, "
                    "--fail-on-regression [PERCENT], --json, --csv, --color WHEN, --level L, "
                    "--resamples N, --seed S, --help\n",
                    optopt > 0 && optopt < 256 ? letter : argv[optind - 1],
                    option == ':' ? "a value is missing" : "not understood");
            good = false;
        }
        }
    }
    newer->resamples = resamples;
    int wanted = compare->n_against > 0 ? 1 : 2;
    if (good && argc - optind != wanted)
        fprintf(stderr, "actorlab compare: expected %s\n",
                wanted == 1 ? "one file or folder of records with --against"
                            : "two files or folders of records, OLD and NEW, or one and --against "
                              "KEY=VALUE");
    return good && argc - optind == wanted ? -1 : AL_EXIT_USAGE;
}

/* The cells of a file, or the exit code of what kept them from being read. */
static int read_cells(struct al_summary *summary, const char *name, int code)
{
    summary->intake.command = "compare";
    int result = al_cells_read(summary, name);
    return result > code ? result : code;
}

/* Whether there is something to compare; else one line on stderr says what is amiss. */
static bool check_against(const struct al_compare *compare)
{
    for (size_t a = 0; a < compare->n_against; a++) {
        const struct al_against *against = &compare->against[a];
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
            fprintf(stderr, "actorlab compare: --against %s=%s: ", key, given);
            free(key);
            free(given);
            const char *value, *comma = "no cell has this value, but ";
            json_t *seen;
            json_object_foreach(values, value, seen)
            {
                char *shown = al_printable(value);
                fprintf(stderr, "%s%s", comma, shown);
                free(shown);
                comma = ", ";
            }
            if (json_object_size(values) == 0)
                fputs("no cell has this key", stderr);
            fputc('\n', stderr);
        }
        json_decref(values);
        if (!there)
            return false;
    }
    return true;
}

static void set_noise(struct al_compare *compare, double given, struct al_bootstrap *bootstrap)
{
    double aa = fmax(al_cells_noise(&compare->newer, bootstrap),
                     al_cells_noise(&compare->older, bootstrap));
    compare->noise_from = given >= 0 ? "option" : aa >= 0 ? "aa" : "default";
    double noise = given >= 0 ? given : aa >= 0 ? aa : AL_NOISE_PERCENT;
    compare->comparisons.noise = noise;
    compare->comparisons.margin = given >= 0 ? given : al_noise_margin(aa);
}

static bool compute(struct al_compare *compare, const struct choices *choices)
{
    struct al_comparisons *comparisons = &compare->comparisons;
    struct al_bootstrap *bootstrap = al_needed(
        al_bootstrap_new(compare->newer.resamples, compare->newer.level, compare->newer.seed));
    if (compare->n_against > 0)
        al_compare_within(comparisons, &compare->newer, compare->against, compare->n_against,
                          bootstrap);
    else
        al_compare_files(comparisons, &compare->newer, &compare->older, bootstrap);
    set_noise(compare, choices->noise, bootstrap);
    compare->gate_percent = choices->gate >= 0 ? choices->gate : comparisons->noise;
    al_compare_judge(comparisons, bootstrap);
    char **keys = al_needed(calloc(comparisons->n + 1, sizeof *keys));
    for (size_t c = 0; c < comparisons->n; c++)
        keys[c] = al_setting_key(&comparisons->all[c]);
    al_averages_make(comparisons, keys, bootstrap, &compare->averages);
    for (size_t c = 0; c < comparisons->n; c++)
        free(keys[c]);
    free(keys);
    al_bootstrap_free(bootstrap);
    for (size_t c = 0; c < comparisons->n; c++)
        compare->regressions += al_compare_is_regression(compare, &comparisons->all[c]);
    bool any = comparisons->n > 0;
    for (size_t a = 0; a < comparisons->n_alone; a++) {
        compare->regressions += comparisons->alone[a].lost;
        any |= comparisons->alone[a].lost || comparisons->alone[a].apart;
    }
    if (!any && compare->n_against > 0)
        fprintf(stderr, "actorlab compare: %s: no cell is the same as another but for %s\n",
                compare->names[1], compare->against[0].key);
    else if (!any)
        fprintf(stderr, "actorlab compare: no cell has values in both %s and %s\n",
                compare->names[0], compare->names[1]);
    return any;
}

int al_compare_main(int argc, char **argv)
{
    struct al_compare compare = {.newer = {.level = 0.95, .resamples = 10000, .seed = 1}};
    struct choices choices = {.noise = -1, .gate = -1};
    int code = parse_options(argc, argv, &compare, &choices);
    bool ready = code == -1;
    if (ready) {
        compare.names[0] = argv[optind];
        compare.names[1] = argv[argc - 1];
        code = AL_EXIT_OK;
        if (compare.n_against == 0)
            code = read_cells(&compare.older, compare.names[0], code);
        /* Blocks of two files are no pairs: their sessions have numbers of their own. */
        compare.newer.intake.n = compare.older.intake.n;
        compare.newer.sessions = json_incref(compare.older.sessions);
        if (code != AL_EXIT_USAGE)
            code = read_cells(&compare.newer, compare.names[1], code);
        ready = code != AL_EXIT_USAGE;
    }
    if (ready && !(check_against(&compare) && compute(&compare, &choices))) {
        ready = false;
        code = AL_EXIT_USAGE;
    }
    if (ready) {
        if (choices.format == JSON)
            al_compare_json(&compare, stdout);
        else if (choices.format == CSV)
            al_compare_csv(&compare, stdout);
        else
            al_compare_table(&compare, stdout, choices.color);
        if (compare.gate && compare.regressions > 0)
            code = AL_EXIT_FAILED;
        else if (compare.gate && al_compare_is_loud(&compare) && code == AL_EXIT_OK)
            code = AL_EXIT_UNSURE;
    }
    al_averages_release(&compare.averages);
    al_comparisons_release(&compare.comparisons);
    al_cells_release(&compare.older);
    al_cells_release(&compare.newer);
    free(compare.against);
    return code;
}
