/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/plugins/load.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "benchmarks/harness/plugins/crash.h"
#include "benchmarks/workloads/benchmark.h"
#include "core/plugin/plugin.h"
#include "schedulers/registry.h"

#define VARIABLE "AL_PLUGINS"
#define OPTION   "--plugin"
#define SYMBOL   "al_plugin_file"
#define ENGINE   "engine="

static struct al_loaded all[AL_PLUGIN_FILES_MOST];
static size_t n_loaded, n_strategies;

const struct al_loaded *al_plugins_loaded(size_t *n)
{
    *n = n_loaded;
    return all;
}

size_t al_plugins_strategies(void)
{
    return n_strategies;
}

__attribute__((format(printf, 2, 3))) static bool refuse(const char *name, const char *format, ...)
{
    va_list arguments;
    char text[1024];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "actorlab: plug-in %s: %s\n", name, text);
    return false;
}

/* Whether it was built as this program was; else a line names the first word that differs. */
static bool is_alike(const char *name, const char *theirs)
{
    const char *ours = al_plugin_built;
    for (;;) {
        size_t length = strcspn(ours, " "), other = strcspn(theirs, " ");
        if (length != other || strncmp(ours, theirs, length) != 0)
            return refuse(name,
                          "it was built with %.*s; valid: %.*s, as this program (`actorlab plugin "
                          "build` takes the right flags)",
                          (int)other, theirs, (int)length, ours);
        if (ours[length] == '\0' || theirs[length] == '\0')
            return true;
        ours += length + 1;
        theirs += length + 1;
    }
}

static bool hash_file(const char *path, unsigned char hash[AL_PLUGIN_HASH_BYTES])
{
    crypto_generichash_state state;
    unsigned char bytes[1 << 16];
    size_t n;
    FILE *file = fopen(path, "rbe");
    if (file == NULL)
        return refuse(path, "%s", strerror(errno));
    crypto_generichash_init(&state, NULL, 0, AL_PLUGIN_HASH_BYTES);
    while ((n = fread(bytes, 1, sizeof bytes, file)) > 0)
        crypto_generichash_update(&state, bytes, n);
    crypto_generichash_final(&state, hash, AL_PLUGIN_HASH_BYTES);
    bool failed = ferror(file) != 0;
    fclose(file);
    return !failed || refuse(path, "cannot be read");
}

/* The file to load for FILE.so: itself, or another beside it. */
static bool find_file(const char *path, char found[PATH_MAX])
{
    const char *engine = strstr(al_plugin_built, ENGINE) + strlen(ENGINE);
    int stem = (int)strlen(path) - 3, length = (int)strcspn(engine, " ");
    bool itself = strncmp(engine, "native", (size_t)length) == 0;
    if (stem < 1 || strcmp(path + stem, ".so") != 0 || strchr(path, ':') != NULL)
        return refuse(path, "not the name of a shared object; valid: one that ends with .so, with "
                            "no colon in its path");
    if (snprintf(found, PATH_MAX, "%.*s%s%.*s.so", stem, path, itself ? "" : ".",
                 itself ? 0 : length, engine) >= PATH_MAX)
        return refuse(path, "%s", strerror(ENAMETOOLONG));
    if (!itself && access(found, F_OK) != 0)
        return refuse(path,
                      "there is no %s, which this program loads in its place; `actorlab "
                      "plugin build` makes it",
                      found);
    return true;
}

static int check_benchmark(const struct al_benchmark_ops *ops, struct al_error *error)
{
    if (ops->prepare == NULL || ops->messages == NULL || ops->start == NULL || ops->check == NULL ||
        ops->release == NULL || ops->small == NULL || ops->stresses == NULL)
        return al_error_set(error, -EINVAL,
                            "workload '%s' lacks an operation or a text; valid: with prepare, "
                            "messages, start, check, release, small and stresses",
                            ops->plugin.name);
    return 0;
}

/* Whether a plug-in is complete. */
static int check(const struct al_plugin **registry, const struct al_plugin *plugin,
                 struct al_error *error)
{
    if (registry == al_benchmarks)
        return check_benchmark(AL_OPS(plugin, al_benchmark_ops), error);
    if (registry == al_schedulers) {
        const struct al_scheduler_ops *ops = AL_OPS(plugin, al_scheduler_ops);
        return al_scheduler_takes(ops, ops->victim, ops->idle, error);
    }
    return 0;
}

/* Add what a file offers of one kind. */
static bool add(const char *name, const struct al_plugin **registry, const char *what,
                const struct al_plugin *const offered[AL_PLUGIN_MOST])
{
    struct al_error error;
    for (size_t i = 0; i < AL_PLUGIN_MOST && offered[i] != NULL; i++) {
        if (al_plugin_add(registry, what, offered[i], &error) != 0 ||
            check(registry, offered[i], &error) != 0)
            return refuse(name, "%s", error.text);
        n_strategies += registry == al_schedulers;
    }
    return true;
}

/* Load a file, unless that has been done. */
static bool load(const char *name)
{
    char path[PATH_MAX], found[PATH_MAX];
    if (realpath(name, path) == NULL)
        return refuse(name, "%s", strerror(errno));
    for (size_t i = 0; i < n_loaded; i++) {
        if (strcmp(all[i].path, path) == 0)
            return true;
    }
    if (n_loaded == AL_PLUGIN_FILES_MOST)
        return refuse(name, "one too many; valid: %d files at most", AL_PLUGIN_FILES_MOST);
    struct al_loaded *loaded = &all[n_loaded];
    if (!find_file(path, found) || !hash_file(found, loaded->hash))
        return false;
    void *handle = dlopen(found, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        return refuse(name, "%s", dlerror());
    const struct al_plugin_file *file = dlsym(handle, SYMBOL);
    if (file == NULL)
        return refuse(name, "it does not say what it offers; valid: with AL_PLUGIN_FILE "
                            "(core/plugin/plugin.h) in one of its source files");
    if (!is_alike(name, file->built))
        return false;
    loaded->path = strdup(path);
    loaded->version = file->version;
    if (loaded->path == NULL)
        return refuse(name, "%s", strerror(ENOMEM));
    n_loaded++;
    return add(name, al_schedulers, "scheduler", file->schedulers) &&
           add(name, al_victims, "victim", file->victims) &&
           add(name, al_idles, "idle policy", file->idles) &&
           add(name, al_benchmarks, "workload", file->benchmarks);
}

static bool load_inherited(void)
{
    const char *inherited = getenv(VARIABLE);
    char *names = strdup(inherited != NULL ? inherited : ""), *rest = NULL;
    bool well = names != NULL || refuse(VARIABLE, "%s", strerror(ENOMEM));
    for (char *name = well ? strtok_r(names, ":", &rest) : NULL; name != NULL && well;
         name = strtok_r(NULL, ":", &rest))
        well = load(name);
    free(names);
    return well;
}

/* Tell the programs that this one starts. */
static bool pass_on(void)
{
    char *names = NULL;
    size_t size;
    FILE *stream = open_memstream(&names, &size);
    if (stream == NULL)
        return refuse(VARIABLE, "%s", strerror(errno));
    for (size_t i = 0; i < n_loaded; i++)
        fprintf(stream, "%s%s", i > 0 ? ":" : "", all[i].path);
    bool well = fclose(stream) == 0 && setenv(VARIABLE, names, 1) == 0;
    free(names);
    return well || refuse(VARIABLE, "%s", strerror(errno));
}

bool al_plugins_load(int *argc, char **argv)
{
    int kept = 1, i = 1;
    size_t length = strlen(OPTION);
    if (sodium_init() < 0)
        return refuse(OPTION, "libsodium cannot start");
    if (!load_inherited())
        return false;
    for (; i < *argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], OPTION, length) != 0 || strchr("=", argv[i][length]) == NULL) {
            argv[kept++] = argv[i];
            continue;
        }
        const char *name = argv[i][length] == '=' ? argv[i] + length + 1 : argv[++i];
        if (name == NULL) {
            fprintf(stderr, "actorlab: %s wants a file; valid: %s FILE.so\n", OPTION, OPTION);
            return false;
        }
        if (!load(name))
            return false;
    }
    for (; i < *argc; i++)
        argv[kept++] = argv[i];
    argv[ *argc = kept] = NULL;
    if (n_loaded == 0)
        return true;
    al_crash_watch();
    return pass_on();
}
