/* SPDX-License-Identifier: MIT */
#ifndef AL_ARGUMENTS_H
#define AL_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "benchmarks/harness/statistics/statistics.h"
#include "benchmarks/harness/text/exit.h"
#include "core/error.h"
#include "core/option.h"

struct al_command;

/*
 * The command line of every subcommand: its usage line, its help, the parsing and checking of its
 * options and the list of valid ones in an error line all come from one struct al_command.
 */

/*
 * What an option's value is, and what it is stored as in the struct that the command parses into.
 */
enum al_argument_kind {
    AL_ARGUMENT_FLAG, /* bool: there is no value */
    AL_ARGUMENT_UINT, /* uint64_t from min to max; AL_ARGUMENT_AS_WORD: `instead` was given */
    AL_ARGUMENT_REAL, /* double from min to max */
    AL_ARGUMENT_WORD, /* unsigned: its place in `words` */
    AL_ARGUMENT_NAME, /* const char *, in UTF-8, as everything is that a record names */
    AL_ARGUMENT_FILE, /* const char *, of any bytes */
    AL_ARGUMENT_PAIR, /* struct al_pairs; the option may be repeated */
};

#define AL_ARGUMENT_AS_WORD UINT64_MAX

/* An option. */
struct al_argument {
    const char *name;  /* without its dashes */
    const char *value; /* what the help calls its value: "FILE" */
    enum al_argument_kind kind;
    size_t at;                /* offset of the value in the command's struct */
    const char *help;         /* without range, words and default, which the help adds */
    const char *standard;     /* the default, as a user would write it; NULL: stays as it was */
    double min, max;          /* both inclusive */
    const char *const *words; /* ends with NULL */
    const char *example;      /* what the error for a bad value adds: "such as 0.05"; or NULL */
    const char *instead;      /* UINT only: a word that may stand for a number; or NULL */
    bool optional; /* --name VALUE or --name alone; of a FILE --name=VALUE or --name alone */
};

/* The KEY=VALUE pairs of an option, in the order given. Freed by al_pairs_free. */
struct al_pairs {
    struct al_setting *all;
    size_t n;
};

struct al_command {
    const char *name;
    const char *help;    /* one line, for `actorlab --help` */
    const char *operand; /* what one is called, "RECORDS"; NULL: the command takes none */
    size_t least, most;  /* how many operands */
    const char *usage;   /* what follows the name; a second way to call it after a newline */
    const char *about;   /* paragraphs before the options; NULL: none */
    const char *more;    /* paragraphs after the options; NULL: none */
    const struct al_argument *arguments; /* ends with an entry without a name; at most 64 */
    int (*run)(int argc, char **argv);   /* with the command's name in argv[0]; an exit code */
    bool passes_on;                      /* its arguments are another program's, --help too */
};

/* A parsed command line. */
struct al_parsed {
    const struct al_command *command;
    char **operands; /* the front of argv, reordered */
    size_t n_operands;
    uint64_t given; /* bit i: the i-th option */
};

/*
 * Parse argv[1] to argv[argc - 1] into the command's struct: defaults first, then what was given.
 * An option may be shortened to an unambiguous beginning, and written --name=VALUE; after -- there
 * are operands only. It reorders argv and cuts KEY=VALUE at the equals sign. -EINVAL with a line in
 * error for a mistake; pairs that were read before it are the caller's to free, as ever.
 */
__attribute__((warn_unused_result)) int al_arguments_parse(const struct al_command *command,
                                                           int argc, char **argv, void *values,
                                                           struct al_parsed *parsed,
                                                           struct al_error *error);

/* Likewise, but false after printing the line. */
__attribute__((warn_unused_result)) bool al_arguments_read(const struct al_command *command,
                                                           int argc, char **argv, void *values,
                                                           struct al_parsed *parsed);

/* Whether the user gave this option, which the command has. */
bool al_argument_given(const struct al_parsed *parsed, const char *name);

void al_pairs_free(struct al_pairs *pairs);

/* Print "actorlab COMMAND: …", escaping what a terminal would act on. Returns AL_EXIT_USAGE. */
__attribute__((format(printf, 2, 3))) int al_refuse(const char *command, const char *format, ...);

/* Whether all names that were asked for ({NAME: …}, or NULL) are known, or none is known at all; if
 * not, a line names the known ones. */
bool al_are_known(const char *command, const char *option, json_t *asked, json_t *known);

/* Print the help of a command, from its table. */
void al_command_help(const struct al_command *command, FILE *out);

/* Run a command with its name in argv[0], or print its help if that is asked for. An exit code. */
int al_command_run(const struct al_command *command, int argc, char **argv);

/* Whether a word asks for help. */
bool al_is_help(const char *word);

/*
 * Options that several commands have. The fewest resamples that make sense: both ends of a 95%
 * interval then lie on the third value from outside, not on the outermost.
 */
#define AL_SHOWN(constant)  AL_SHOWN_AS(constant)
#define AL_SHOWN_AS(number) #number
#define AL_RESAMPLES_LEAST  100
#define AL_RESAMPLES_MOST   10000000
#define AL_SEED_MOST        9e15 /* a double, as in JSON, holds every whole number up to it */
#define AL_ARGUMENT_LEVEL(offset)                                                                  \
    {                                                                                              \
        .name = "level", .value = "L", .kind = AL_ARGUMENT_REAL, .at = (offset),                   \
        .help = "confidence level of the intervals", .standard = AL_SHOWN(AL_LEVEL), .min = 0.001, \
        .max = 0.999999                                                                            \
    }
#define AL_ARGUMENT_RESAMPLES(offset)                                                              \
    {                                                                                              \
        .name = "resamples", .value = "N", .kind = AL_ARGUMENT_UINT, .at = (offset),               \
        .help = "bootstrap resamples", .standard = AL_SHOWN(AL_RESAMPLES),                         \
        .min = AL_RESAMPLES_LEAST, .max = AL_RESAMPLES_MOST                                        \
    }
#define AL_ARGUMENT_SEED(offset, what)                                                             \
    {                                                                                              \
        .name = "seed", .value = "S", .kind = AL_ARGUMENT_UINT, .at = (offset), .help = (what),    \
        .standard = AL_SHOWN(AL_SEED), .max = AL_SEED_MOST                                         \
    }

/* The subcommands of `actorlab`. */
extern const struct al_command al_run_command, al_foresee_command, al_check_command,
    al_list_command, al_topo_command, al_env_command, al_machine_command, al_calibrate_command,
    al_floors_command, al_results_command, al_summarize_command, al_compare_command,
    al_advise_command, al_export_command, al_plot_command, al_claims_command, al_ratio_command,
    al_plugin_command, al_conform_command, al_completion_command;
/* All of them, in the order of the help; ends with NULL. */
extern const struct al_command *const al_commands[];

#endif
