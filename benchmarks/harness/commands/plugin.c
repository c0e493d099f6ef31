/* SPDX-License-Identifier: MIT */

/* `actorlab plugin`: plug-ins in shared objects of their own. */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/measure/child.h"
#include "benchmarks/harness/commands/plugin_build.h"
#include "benchmarks/harness/commands/plugin_new.h"

struct choices {
    const char *out;
    unsigned engine; /* enum al_plugin_engine */
    unsigned kind;   /* enum al_plugin_kind */
};

static const struct al_argument arguments[] = {
    {"kind", "KIND", AL_ARGUMENT_WORD, offsetof(struct choices, kind), .help = "new: what to write",
     .standard = "strategy", .words = al_plugin_kinds},
    {"out", "FILE.so", AL_ARGUMENT_FILE, offsetof(struct choices, out),
     .help = "build: the shared object; by default the first source with .so in place of .c"},
    {"engine", "ENGINE", AL_ARGUMENT_WORD, offsetof(struct choices, engine),
     .help =
         "what to compile for; build: this alone, by default threads, the simulated machine, and "
         "what `actorlab conform` needs",
     .standard = "native", .words = al_plugin_engines},
    {0},
};

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), n = strlen(end);
    return length > n && strcmp(text + length - n, end) == 0;
}

/* Whether something loads what is compiled for this: builds with a sanitizer have no simulator. */
static bool is_wanted(unsigned engine)
{
    struct al_error error;
    char path[PATH_MAX];
    return engine != AL_PLUGIN_SIM ||
           (al_child_beside("actorlab-sim", path, sizeof path, &error) == 0 &&
            access(path, F_OK) == 0);
}

static int build(const struct choices *choices, bool one, char *const *sources, size_t n)
{
    struct al_error error;
    char *out = NULL;
    for (size_t i = 0; i < n; i++) {
        if (!ends_with(sources[i], ".c"))
            return al_refuse("plugin", "'%s' is no C source; valid: files that end with .c",
                             sources[i]);
    }
    if (choices->out != NULL && !ends_with(choices->out, ".so"))
        return al_refuse("plugin",
                         "--out '%s' is not the name of a shared object; valid: one that "
                         "ends with .so",
                         choices->out);
    const char *path = choices->out;
    if (path == NULL) {
        if (asprintf(&out, "%.*s.so", (int)strlen(sources[0]) - 2, sources[0]) < 0)
            return AL_EXIT_FAILED;
        path = out;
    }
    int code = 0;
    for (unsigned engine = 0; al_plugin_engines[engine] != NULL && code == 0; engine++) {
        if (one ? engine == choices->engine : is_wanted(engine))
            code = al_plugin_build(sources, n, path, engine, &error);
    }
    if (code == 0)
        printf("built %s; load it with --plugin %s, or with plugins = [\"%s\"] in the [sweep] of "
               "a configuration\n",
               path, path, path);
    else
        al_refuse("plugin", "%s", error.text);
    free(out);
    return code == 0 ? AL_EXIT_OK : AL_EXIT_FAILED;
}

static int flags(const struct choices *choices)
{
    struct al_error error;
    char *text = al_plugin_flags(choices->engine, &error);
    if (text == NULL) {
        al_refuse("plugin", "%s", error.text);
        return AL_EXIT_FAILED;
    }
    puts(text);
    free(text);
    return AL_EXIT_OK;
}

static int write_new(const char *name, unsigned kind, const char *folder)
{
    struct al_error error;
    int code = al_plugin_new(name, kind, folder, &error);
    if (code != 0) {
        al_refuse("plugin", "%s", error.text);
        return code == -EINVAL || code == -EEXIST ? AL_EXIT_USAGE : AL_EXIT_WRITE;
    }
    printf("wrote %s/%s.c, which works as it stands, a Makefile and a meson.build; `make -C %s` "
           "builds it, and `make -C %s check` runs the conformance suite on it\n",
           folder, name, folder, folder);
    return AL_EXIT_OK;
}

static int plugin_main(int argc, char **argv)
{
    struct choices choices = {0};
    struct al_parsed parsed;
    if (!al_arguments_read(&al_plugin_command, argc, argv, &choices, &parsed))
        return AL_EXIT_USAGE;
    const char *action = parsed.operands[0];
    if (strcmp(action, "build") == 0 && parsed.n_operands > 1)
        return build(&choices, al_argument_given(&parsed, "engine"), parsed.operands + 1,
                     parsed.n_operands - 1);
    if (strcmp(action, "flags") == 0 && parsed.n_operands == 1)
        return flags(&choices);
    if (strcmp(action, "new") == 0 && (parsed.n_operands == 2 || parsed.n_operands == 3))
        return write_new(parsed.operands[1], choices.kind,
                         parsed.n_operands == 3 ? parsed.operands[2] : parsed.operands[1]);
    return al_refuse(
        "plugin", "unknown action '%s'; valid: new NAME [FOLDER], build SOURCE.c…, flags", action);
}

const struct al_command al_plugin_command = {
    .name = "plugin",
    .help = "build strategies, heuristics and workloads of your own",
    .operand = "ACTION",
    .least = 1,
    .most = 64,
    .usage = "new NAME [FOLDER] [--kind KIND]\nbuild SOURCE.c… [options]",
    .about =
        "Plug-ins are strategies, victim heuristics, idle policies and workloads in a shared "
        "object, which `actorlab --plugin FILE.so` loads. `new` writes a complete one, to begin "
        "with, into a folder, by default NAME. `build` compiles one as this program was compiled: "
        "for threads, and beside it for the simulated machine and for `actorlab conform`. "
        "`actorlab plugin flags` prints the command that does that for one --engine, for a build "
        "system of your own, which adds sources and -o FILE.",
    .arguments = arguments,
    .run = plugin_main,
};
