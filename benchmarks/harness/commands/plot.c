/* SPDX-License-Identifier: MIT */

/* `actorlab plot`: a quick look in the terminal, drawn by gnuplot. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/results/sweep_file.h"
#include "benchmarks/harness/results/measures.h"
#include "benchmarks/harness/measure/child.h"
#include "benchmarks/harness/show/export.h"

enum kind { DUMB, SIXEL };

static const char *const kinds[] = {[DUMB] = "dumb", [SIXEL] = "sixel", NULL};

/* Sizes are in characters for DUMB, in pixels for SIXEL. */
struct terminal {
    const char *gnuplot; /* what gnuplot calls it */
    int width, height;   /* of a panel, unless given */
    int least_width, least_height;
};

static const struct terminal terminals[] = {
    [DUMB] = {"dumb", 80, 24, 40, 12},
    [SIXEL] = {"sixelgd", 800, 500, 200, 150},
};
#define MOST 10000 /* characters or pixels */

struct choices {
    const char *records, *benchmark, *size;
    unsigned terminal; /* enum kind */
    unsigned measure;  /* enum measure */
    int width, height; /* of a panel */
};

static const struct al_argument arguments[] = {
    {"terminal", "KIND", AL_ARGUMENT_WORD, offsetof(struct choices, terminal),
     .help = "draw with characters, coloured on a terminal unless NO_COLOR is set, or with pixels "
             "where the terminal can",
     .standard = "dumb", .words = kinds, .optional = true},
    {"benchmark", "B", AL_ARGUMENT_NAME, offsetof(struct choices, benchmark),
     .help = "draw this benchmark only"},
    {"measure", "MEASURE", AL_ARGUMENT_WORD, offsetof(struct choices, measure),
     .help = "what to draw", .standard = "ns_per_message", .words = al_measure_names},
    {"size", "WxH", AL_ARGUMENT_FILE, offsetof(struct choices, size),
     .help = "size of a panel in characters or pixels; by default what suits the terminal, or "
             "800x500 pixels"},
    {0},
};

/*
 * Fit a panel of characters to the terminal: as wide, but no wider than reads well, and low enough
 * to be seen together with its title.
 */
static void fit_terminal(struct choices *choices)
{
    struct winsize size;
    choices->width = terminals[choices->terminal].width;
    choices->height = terminals[choices->terminal].height;
    if (choices->terminal != DUMB || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 ||
        size.ws_col == 0 || size.ws_row == 0)
        return;
    int width = size.ws_col < 120 ? size.ws_col : 120, height = size.ws_row - 2;
    choices->width = width > 40 ? width : 40;
    choices->height = height < 16 ? 16 : height > 32 ? 32 : height;
}

/* What goes together, and the size of a panel; else one line on stderr. */
static bool check_choices(struct choices *choices, const struct al_parsed *parsed)
{
    if (!al_argument_given(parsed, "terminal")) {
        al_refuse("plot", "no --terminal; valid: --terminal [dumb|sixel] for a quick look here; "
                          "scripts/plot RECORDS draws figures for paper");
        return false;
    }
    fit_terminal(choices);
    if (choices->size == NULL)
        return true;
    const struct terminal *terminal = &terminals[choices->terminal];
    int end = 0;
    if (sscanf(choices->size, "%5dx%5d%n", &choices->width, &choices->height, &end) == 2 &&
        choices->size[end] == '\0' && choices->width >= terminal->least_width &&
        choices->height >= terminal->least_height && choices->width <= MOST &&
        choices->height <= MOST)
        return true;
    al_refuse("plot", "--size '%s' is not a size of a panel; valid: WxH, from %dx%d to %dx%d",
              choices->size, terminal->least_width, terminal->least_height, MOST, MOST);
    return false;
}

/* Whether there is a gnuplot that knows the terminal; else one line on stderr. */
static bool find_gnuplot(const struct terminal *terminal)
{
    char command[64];
    snprintf(command, sizeof command, "set terminal %s", terminal->gnuplot);
    char *words[] = {"gnuplot", "-e", command, NULL};
    FILE *quiet = fopen("/dev/null", "w");
    int status = al_child_run(words, NULL, NULL, quiet);
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

static void put_terminal(FILE *gnuplot, const struct choices *choices)
{
    const char *no_color = getenv("NO_COLOR");
    bool colour = isatty(STDOUT_FILENO) && (no_color == NULL || no_color[0] == '\0');
    bool in_text = choices->terminal == DUMB;
    fprintf(gnuplot, "set terminal %s size %d,%d %s\n", terminals[choices->terminal].gnuplot,
            choices->width, choices->height,
            in_text ? colour ? "ansi256" : "mono" : "linewidth 1.4");
    if (!in_text)
        fputs("set print '-'\n", gnuplot);
}

static int draw(const struct choices *choices, const struct al_lines *lines)
{
    if (!find_gnuplot(&terminals[choices->terminal]))
        return AL_EXIT_USAGE;
    char *command[] = {"gnuplot", NULL};
    FILE *script = al_memory_file(), *picture = al_memory_file(), *said = al_memory_file();
    if (script == NULL || picture == NULL || said == NULL) {
        fprintf(stderr, "actorlab plot: no memory for the picture: %s\n", strerror(errno));
        return AL_EXIT_WRITE;
    }
    bool in_text = choices->terminal == DUMB;
    put_terminal(script, choices);
    for (struct al_panel panel = {0}; al_lines_next(lines, &panel);) {
        fputs("$data << end_of_data\n", script);
        al_gnuplot_data(script, lines, &panel);
        fputs("end_of_data\n", script);
        al_gnuplot_plot(script, lines, &panel, "$data", in_text);
        if (!in_text)
            fputs("print ''\n", script); /* some terminals leave the cursor beside a picture */
    }
    /*
     * Where fontconfig finds no font, gnuplot says so in many lines, and draws with a font of its
     * own.
     */
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

static int plot_main(int argc, char **argv)
{
    struct choices choices = {0};
    struct al_parsed parsed;
    if (!al_arguments_read(&al_plot_command, argc, argv, &choices, &parsed) ||
        !check_choices(&choices, &parsed))
        return AL_EXIT_USAGE;
    choices.records = parsed.operands[0];
    json_t *sweep;
    struct al_summary summary = {0};
    struct al_lines lines = {0};
    int code = al_sweep_cells(choices.records, "plot", &summary, &sweep);
    if (code <= AL_EXIT_FAILED) {
        al_lines_make(&summary, choices.measure, choices.benchmark, &lines);
        al_lines_part(&lines);
        int result = AL_EXIT_FAILED;
        if (lines.n > 0)
            result = draw(&choices, &lines);
        else
            fprintf(stderr, "actorlab plot: '%s' has no record with outcome ok%s%s\n",
                    choices.records, choices.benchmark != NULL ? " of " : "",
                    choices.benchmark != NULL ? choices.benchmark : "");
        code = result > code ? result : code;
    }
    al_lines_release(&lines);
    al_cells_release(&summary);
    json_decref(sweep);
    return code;
}

const struct al_command al_plot_command = {
    .name = "plot",
    .help = "draw recorded runs in the terminal",
    .operand = "RECORDS",
    .least = 1,
    .most = 1,
    .usage = "RECORDS --terminal [dumb|sixel] [options]",
    .about = "Draws one panel per benchmark with gnuplot, for a quick look. RECORDS is a results "
             "folder, a file of records, or - for standard input. Figures for paper: scripts/plot "
             "RECORDS.",
    .arguments = arguments,
    .run = plot_main,
};
