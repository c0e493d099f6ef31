/* SPDX-License-Identifier: MIT */
#include "tests/systematic/progress.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/text/json.h"

#define TITLE  "progress of actorlab check, version 1"
#define FORMAT TITLE "\n%s\nseed %" PRIu64 "\nsearches %" PRIu64 "\n"

static char *describe(const struct al_check_choices *choices, const struct al_parsed *parsed)
{
    char *text;
    size_t bytes;
    FILE *out = al_needed(open_memstream(&text, &bytes));
    fprintf(out, "memory %u, search %u, freed %u, bound %" PRIu64 ", runs %" PRIu64 "%s",
            choices->memory, choices->search, choices->freed, choices->bound, choices->runs,
            choices->deep ? ", deep" : "");
    for (size_t i = 0; i < parsed->n_operands; i++)
        fprintf(out, " '%s'", parsed->operands[i]);
    if (fclose(out) != 0)
        al_out_of_memory("the checker", bytes);
    return text;
}

static int foreign(const struct progress *progress, struct al_error *error)
{
    return al_error_set(error, -EINVAL,
                        "--resume '%s': it is not of this search; valid: a new file, or the same "
                        "scenarios and options as when it was begun",
                        progress->path);
}

static int read_file(struct progress *progress, FILE *file, struct al_error *error)
{
    char *line = NULL;
    size_t bytes = 0;
    int code = 0;
    for (unsigned number = 0; number < 4 && code == 0; number++) {
        const char *const wanted[] = {TITLE, progress->what};
        uint64_t *const numbers[] = {&progress->seed, &progress->done};
        bool right = getline(&line, &bytes, file) > 0;
        if (right) {
            line[strcspn(line, "\n")] = '\0';
            right = number < 2 ? strcmp(line, wanted[number]) == 0
                               : sscanf(line, number == 2 ? "seed %" SCNu64 : "searches %" SCNu64,
                                        numbers[number - 2]) == 1;
        }
        if (!right)
            code = foreign(progress, error);
    }
    free(line);
    return code;
}

int progress_load(struct progress *progress, const struct al_check_choices *choices,
                  const struct al_parsed *parsed, struct al_error *error)
{
    *progress = (struct progress){.path = choices->resume, .seed = choices->seed};
    if (progress->path == NULL)
        return 0;
    progress->what = describe(choices, parsed);
    FILE *file = fopen(progress->path, "re");
    if (file == NULL && errno == ENOENT)
        return progress_save(progress, error);
    if (file == NULL)
        return al_error_set(error, -errno, "cannot read '%s': %s", progress->path, strerror(errno));
    int code = read_file(progress, file, error);
    fclose(file);
    return code;
}

int progress_save(const struct progress *progress, struct al_error *error)
{
    if (progress->path == NULL)
        return 0;
    char *path;
    if (asprintf(&path, "%s.new", progress->path) < 0)
        al_out_of_memory("a path", strlen(progress->path));
    FILE *file = fopen(path, "we");
    int code = file == NULL ? -errno : 0;
    if (file != NULL) {
        bool written = fprintf(file, FORMAT, progress->what, progress->seed, progress->done) > 0;
        if (fclose(file) != 0 || !written || rename(path, progress->path) != 0)
            code = errno != 0 ? -errno : -EIO;
    }
    if (code != 0)
        code = al_error_set(error, code, "cannot write '%s': %s", path, strerror(-code));
    free(path);
    return code;
}

void progress_free(struct progress *progress)
{
    free(progress->what);
}
