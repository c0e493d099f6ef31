/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/show/export.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "benchmarks/harness/text/exit.h"
#include "benchmarks/harness/text/format.h"

static int could_not_write(const char *path)
{
    fprintf(stderr, "actorlab export: could not write '%s': %s\n", path, strerror(errno));
    return AL_EXIT_WRITE;
}

/*
 * A name that a file may have in any folder, that leads to no other, and that no command takes for
 * an option. The caller frees it.
 */
static char *file_name(const char *benchmark)
{
    char *name = al_needed(strdup(benchmark[0] != '\0' ? benchmark : "_"));
    for (char *c = name; *c != '\0'; c++) {
        if (!isascii((unsigned char)*c) || !isalnum((unsigned char)*c))
            *c = *c == '-' && c > name ? '-' : '_';
    }
    return name;
}

static void put_script(FILE *out, const struct al_lines *lines, const struct al_panel *panel,
                       const char *name)
{
    char *data = al_text("'%s.dat'", name);
    fprintf(
        out,
        "# gnuplot %s.gp draws %s.png from %s.dat. For a column of a paper, in place of the next "
        "two lines:\n"
        "# set terminal pdfcairo size 3.4in,2.6in font 'sans,7'\n"
        "# set output '%s.pdf'\n"
        "set terminal pngcairo size 960,720 font 'sans,11'\n"
        "set output '%s.png'\n",
        name, name, name, name, name);
    al_gnuplot_plot(out, lines, panel, data, false);
    free(data);
}

/* The data of a panel, or the script that draws them. */
static int write_one(const struct al_lines *lines, const struct al_panel *panel, const char *folder,
                     bool script)
{
    char *name = file_name(panel->benchmark);
    char *path = al_text("%s/%s.%s", folder, name, script ? "gp" : "dat");
    int code = AL_EXIT_OK;
    unlink(path); /* whatever has the name: a link would be followed, and a pipe waited for */
    FILE *out = fopen(path, "wx");
    if (out != NULL && script)
        put_script(out, lines, panel, name);
    else if (out != NULL)
        al_gnuplot_data(out, lines, panel);
    if (out == NULL || (ferror(out) | fclose(out)) != 0)
        code = could_not_write(path);
    free(path);
    free(name);
    return code;
}

/* Whether two benchmarks would have the same file; then one line on stderr. */
static bool names_clash(const struct al_lines *lines)
{
    json_t *taken = al_needed(json_object());
    bool clash = false;
    for (struct al_panel panel = {0}; !clash && al_lines_next(lines, &panel);) {
        char *name = file_name(panel.benchmark);
        clash = json_object_get(taken, name) != NULL;
        if (clash)
            fprintf(stderr,
                    "actorlab export: two benchmarks would be %s.gp; choose one with --benchmark\n",
                    name);
        al_json_set(taken, name, json_true());
        free(name);
    }
    json_decref(taken);
    return clash;
}

int al_export_gnuplot(const struct al_lines *lines, const char *folder)
{
    if (names_clash(lines))
        return AL_EXIT_USAGE;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return could_not_write(folder);
    int code = AL_EXIT_OK;
    for (struct al_panel panel = {0}; code == AL_EXIT_OK && al_lines_next(lines, &panel);) {
        code = write_one(lines, &panel, folder, false);
        if (code == AL_EXIT_OK)
            code = write_one(lines, &panel, folder, true);
    }
    return code;
}
