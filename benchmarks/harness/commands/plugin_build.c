/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/commands/plugin_build.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "benchmarks/harness/measure/child.h"
#include "benchmarks/harness/commands/flags.h"
#include "benchmarks/harness/text/json.h"

static const char *const compiler[] = {AL_COMPILER_WORDS, NULL};
static const char *const native[] = {AL_NATIVE_WORDS, "-fPIC", "-fvisibility=hidden", "-shared",
                                     NULL};
static const char *const of_sim[] = {AL_SIM_WORDS, "-Wa,--defsym,AL_SHARED=1", "-g1",
                                     AL_SIM_LINK_WORDS,
                                     /* what reports accesses is the program's, not a sanitizer's */
                                     "-nodefaultlibs", "-lc", "-lgcc", NULL};

const char *const al_plugin_engines[] = {[AL_PLUGIN_NATIVE] = "native",
                                         [AL_PLUGIN_SIM] = "sim",
                                         [AL_PLUGIN_JITTER] = "jitter",
                                         [AL_PLUGIN_VIRTUAL] = "virtual",
                                         NULL};

/* A command line that grows. */
struct words {
    char **all;
    size_t n;
};

static void add(struct words *words, const char *word)
{
    words->all = al_needed(realloc(words->all, (words->n + 2) * sizeof *words->all));
    words->all[words->n++] = al_needed(strdup(word));
    words->all[words->n] = NULL;
}

static void add_all(struct words *words, const char *const *list)
{
    for (; *list != NULL; list++)
        add(words, *list);
}

static void release(struct words *words)
{
    for (size_t i = 0; i < words->n; i++)
        free(words->all[i]);
    free(words->all);
}

/* OPTION and the folder, in a build or installed. */
static int add_folder(struct words *words, const char *option, const char *built,
                      const char *installed, struct al_error *error)
{
    char path[PATH_MAX], word[PATH_MAX + 8];
    int code = al_child_place(built, installed, path, sizeof path, error);
    if (code == 0) {
        snprintf(word, sizeof word, "%s%s", option, path);
        add(words, word);
    }
    return code;
}

/* All words but sources and output. */
static int begin(struct words *words, enum al_plugin_engine engine, struct al_error *error)
{
    char build[PATH_MAX];
    add_all(words, compiler);
    add_all(words, native);
    int code = al_child_beside("core/config.h", build, sizeof build, error);
    bool built = code == 0 && access(build, F_OK) == 0;
    if (code == 0)
        code = add_folder(words, "-I", built ? AL_SOURCES_BUILT : AL_HEADERS_INSTALLED,
                          AL_HEADERS_INSTALLED, error);
    if (code == 0 && built)
        code = add_folder(words, "-I", AL_GENERATED_BUILT, AL_GENERATED_BUILT, error);
    if (engine == AL_PLUGIN_JITTER || engine == AL_PLUGIN_VIRTUAL)
        add(words, engine == AL_PLUGIN_JITTER ? "-DAL_JITTER" : "-DAL_VIRTUAL");
    if (engine != AL_PLUGIN_SIM || code != 0)
        return code;
    add_all(words, of_sim);
    return add_folder(words, "-B", AL_ASSEMBLER_BUILT, AL_ASSEMBLER_INSTALLED, error);
}

int al_plugin_build(char *const *sources, size_t n, const char *out, enum al_plugin_engine engine,
                    struct al_error *error)
{
    struct words words = {0};
    int code = begin(&words, engine, error);
    char *path = al_needed(strdup(out));
    if (engine != AL_PLUGIN_NATIVE) {
        free(path);
        if (asprintf(&path, "%.*s.%s.so", (int)strlen(out) - 3, out, al_plugin_engines[engine]) < 0)
            al_no_memory();
    }
    add(&words, "-o");
    add(&words, path);
    for (size_t i = 0; i < n; i++)
        add(&words, sources[i]);
    int status = code == 0 ? al_child_run(words.all, NULL, NULL, NULL) : 0;
    if (status < 0)
        code = al_error_set(error, status, "cannot run the compiler %s: %s", words.all[0],
                            strerror(-status));
    else if (status != 0)
        code = al_error_set(error, -EINVAL, "%s could not make %s", words.all[0], path);
    free(path);
    release(&words);
    return code;
}

char *al_plugin_flags(enum al_plugin_engine engine, struct al_error *error)
{
    struct words words = {0};
    char *text = NULL;
    if (begin(&words, engine, error) == 0) {
        size_t bytes = 1;
        for (size_t i = 0; i < words.n; i++)
            bytes += strlen(words.all[i]) + 1;
        text = al_needed(calloc(1, bytes));
        for (size_t i = 0; i < words.n; i++) {
            strcat(text, i > 0 ? " " : "");
            strcat(text, words.all[i]);
        }
    }
    release(&words);
    return text;
}
