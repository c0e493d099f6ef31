/* SPDX-License-Identifier: MIT */

/* `actorlab plot`: a quick look in the terminal, drawn by gnuplot. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "benchmarks/harness/commands/commands.h"
#include "benchmarks/harness/measure/child.h"
#include "benchmarks/harness/show/gnuplot.h"

static const char help[] =
    "usage: actorlab plot RECORDS --terminal [dumb|sixel] [options]\n\n"
    "RECORDS: a results folder, a file of records, or - for standard input. Draws one panel per "
    "benchmark, through\n"
    "gnuplot. Figures for paper: scripts/plot RECORDS.\n"
    "  --terminal dumb     characters (default), in colour on a terminal unless NO_COLOR is set\n"
    "  --terminal sixel    pixels, for terminals that can\n"
    "  --benchmark B       only this one\n"
    "  --measure M         ns_per_message (default), time_ns, messages_per_s or peak_rss_bytes\n"
    "  --size WxH          of a panel, in characters or pixels (default: what suits the terminal, "
    "800x500 pixels)\n";

/* The terminals that are not of characters count in pixels. */
struct terminal {
    const char *name, *gnuplot;
    int width, height; /* of a panel, unless given */
    int least_width, least_height;
};

static const struct terminal terminals[] = {
    {"dumb", "dumb", 80, 24, 40, 12},
    {"sixel", "sixelgd", 800, 500, 200, 150},
};
#define MOST 10000 /* characters or pixels */

struct arguments {
    const char *records, *measure_name, *benchmark, *size;
    const struct terminal *terminal;
    enum measure measure;
    int width, height;
};

static int refuse(const char *problem, const char *what, const char *valid)
{
    fprintf(stderr, "actorlab plot: %s%s%s%s; valid: %s\n", problem, what != NULL ? " '" : "",
            what != NULL ? what : "", what != NULL ? "'" : "", valid);
    return AL_EXIT_USAGE;
}

/* As wide as the terminal, but no wider than can be read, and lower than it, so that a panel and its title are seen
 * at once. */
static void fit_terminal(struct arguments *arguments)
{
    struct winsize size;
    arguments->width = arguments->terminal->width;
    arguments->height = arguments->terminal->height;
    if (arguments->terminal != &terminals[0] || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 ||
        size.ws_col == 0 || size.ws_row == 0)
        return;
    int width = size.ws_col < 120 ? size.ws_col : 120, height = size.ws_row - 2;
    arguments->width = width > 40 ? width : 40;
    arguments->height = height < 16 ? 16 : height > 32 ? 32 : height;
}

static int check_arguments(struct arguments *arguments)
{
    if (arguments->records == NULL)
        return refuse("no records", NULL, "a results folder, a file of records, or -");
    if (arguments->terminal == NULL)
        return refuse("no --terminal", NULL,
                      "--terminal [dumb|sixel] for a quick look here; scripts/plot RECORDS draws "
                      "figures for paper");
    fit_terminal(arguments);
    if (arguments->size != NULL) {
        const struct terminal *terminal = arguments->terminal;
        int end = 0;
        if (sscanf(arguments->size, "%5dx%5d%n", &arguments->width, &arguments->height, &end) !=
                2 ||
            arguments->size[end] != '\0' || arguments->width < terminal->least_width ||
            arguments->height < terminal->least_height || arguments->width > MOST ||
            arguments->height > MOST) {
            char valid[64];
            snprintf(valid, sizeof valid, "WxH, from %dx%d to %dx%d", terminal->least_width,
                     terminal->least_height, MOST, MOST);
            return refuse("--size", arguments->size, valid);
        }
    }
    arguments->measure = PER_MESSAGE;
    if (arguments->measure_name != NULL)
        arguments->measure = al_measure_named("plot", arguments->measure_name);
    return arguments->measure == MEASURES ? AL_EXIT_USAGE : -1;
}

static const struct terminal *terminal_named(const char *name)
{
    for (size_t t = 0; name != NULL && t < sizeof terminals / sizeof *terminals; t++) {
        if (strcmp(terminals[t].name, name) == 0)
            return &terminals[t];
    }
    return NULL;
}

/* -1 to go on, or the exit code. */
static int parse_arguments(struct arguments *arguments, int argc, char **argv)
{
    const struct {
        const char *flag, **where;
    } flags[] = {
        {"--benchmark", &arguments->benchmark},
        {"--measure", &arguments->measure_name},
        {"--size", &arguments->size},
    };
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            fputs(help, stdout);
            return AL_EXIT_OK;
        }
        if (strcmp(argv[i], "--terminal") == 0) {
            const struct terminal *named = terminal_named(argv[i + 1]);
            arguments->terminal = named != NULL ? named : &terminals[0];
            i += named != NULL;
            continue;
        }
        if (argv[i][0] != '-' || argv[i][1] == '\0') {
            if (arguments->records != NULL)
                return refuse("a second RECORDS", argv[i], "one (terminals are dumb and sixel)");
            arguments->records = argv[i];
            continue;
        }
        const char **where = NULL;
        for (size_t f = 0; f < sizeof flags / sizeof *flags; f++) {
            if (strcmp(argv[i], flags[f].flag) == 0)
                where = flags[f].where;
        }
        if (where == NULL || i + 1 == argc)
            return refuse(where == NULL ? "unknown option" : "no value after", argv[i],
                          "--terminal, --benchmark, --measure, --size");
        *where = argv[++i];
    }
    return check_arguments(arguments);
}

/* Whether there is a gnuplot that knows the terminal; else one line on stderr. */
static bool find_gnuplot(const struct terminal *terminal)
{
    char command[64];
    snprintf(command, sizeof command, "set terminal %s", terminal->gnuplot);
    char *arguments[] = {"gnuplot", "-e", command, NULL};
    FILE *quiet = fopen("/dev/null", "w");
    int status = al_child_run(arguments, NULL, NULL, quiet);
    if (quiet != NULL)
        fclose(quiet);
    if (status < 0)
        fprintf(stderr,
                "actorlab plot: cannot start gnuplot: %s; Debian's package is gnuplot-nox\n",
                strerror(-status));
    if (status > 0)
        fprintf(stderr,
                "actorlab plot: the gnuplot here has no terminal '%s'; Debian's gnuplot-nox has\n",
                terminal->gnuplot);
    return status == 0;
}

static void put_terminal(FILE *gnuplot, const struct arguments *arguments)
{
    const char *no_color = getenv("NO_COLOR");
    bool colour = isatty(STDOUT_FILENO) && (no_color == NULL || no_color[0] == '\0');
    bool in_text = arguments->terminal == &terminals[0];
    fprintf(gnuplot, "set terminal %s size %d,%d %s\n", arguments->terminal->gnuplot,
            arguments->width, arguments->height,
            in_text ? colour ? "ansi256" : "mono" : "linewidth 1.4");
    if (!in_text)
        fputs("set print '-'\n", gnuplot);
}

static int draw(const struct arguments *arguments, const struct al_lines *lines)
{
    if (!find_gnuplot(arguments->terminal))
        return AL_EXIT_USAGE;
    char *command[] = {"gnuplot", NULL};
    FILE *script = al_memory_file(), *picture = al_memory_file(), *said = al_memory_file();
    if (script == NULL || picture == NULL || said == NULL) {
        fprintf(stderr, "actorlab plot: no memory for the picture: %s\n", strerror(errno));
        return AL_EXIT_WRITE;
    }
    bool in_text = arguments->terminal == &terminals[0];
    put_terminal(script, arguments);
    for (struct al_panel panel = {0}; al_lines_next(lines, &panel);) {
        fputs("$data << end_of_data\n", script);
        al_gnuplot_data(script, lines, &panel);
        fputs("end_of_data\n", script);
        al_gnuplot_plot(script, lines, &panel, "$data", in_text);
        if (!in_text)
            fputs("print ''\n", script); /* some terminals leave the cursor beside a picture */
    }
    /* Where fontconfig finds no font, gnuplot says so in many lines, and draws with a font of its own. */
    int status = al_child_run(command, script, picture, said);
    if (status == 0) {
        al_copy(picture, stdout);
    } else {
        al_copy(said, stderr);
        fprintf(stderr, "actorlab plot: gnuplot failed\n");
    }
    fclose(script);
    fclose(picture);
    fclose(said);
    return status == 0 ? AL_EXIT_OK : AL_EXIT_WRITE;
}

int al_plot_main(int argc, char **argv)
{
    struct arguments arguments = {0};
    int code = parse_arguments(&arguments, argc, argv);
    if (code >= 0)
        return code;
    struct al_summary summary = {
        .intake = {.command = "plot"}, .level = 0.95, .resamples = 10000, .seed = 1};
    struct al_lines lines = {0};
    code = al_cells_read(&summary, arguments.records);
    if (code <= AL_EXIT_FAILED) {
        al_lines_make(&summary, arguments.measure, arguments.benchmark, &lines);
        int result = AL_EXIT_FAILED;
        if (lines.n > 0)
            result = draw(&arguments, &lines);
        else
            fprintf(stderr, "actorlab plot: '%s' has no record with outcome ok%s%s\n",
                    arguments.records, arguments.benchmark != NULL ? " of " : "",
                    arguments.benchmark != NULL ? arguments.benchmark : "");
        code = result > code ? result : code;
    }
    al_lines_release(&lines);
    al_cells_release(&summary);
    return code;
}
