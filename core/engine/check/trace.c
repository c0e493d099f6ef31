/* SPDX-License-Identifier: MIT */

/*
 * A step of a trace names the first source line on the way to it that is neither the checker's nor
 * the seam's. Lines come from debugging information, by addr2line of the binutils; without that,
 * functions by the dynamic linker.
 */

#include "core/engine/check/trace.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unwind.h>

#include "core/error.h"

enum { LINE = 256 };

struct unwinding {
    struct check_frames *frames;
    unsigned n;
};

static _Unwind_Reason_Code take_frame(struct _Unwind_Context *context, void *argument)
{
    struct unwinding *unwinding = argument;
    if (unwinding->n == CHECK_FRAMES)
        return _URC_END_OF_STACK;
    unwinding->frames->frames[unwinding->n++] = (const void *)_Unwind_GetIP(context);
    return _URC_NO_REASON;
}

void check_frames(struct check_frames *frames)
{
    *frames = (struct check_frames){{NULL}};
    struct unwinding unwinding = {.frames = frames};
    (void)_Unwind_Backtrace(take_frame, &unwinding);
}

/* A source line; without debugging information line 0, and a function. */
struct place {
    char file[LINE], function[LINE];
    unsigned line;
};

static bool is_ours(const char *file)
{
    return strstr(file, "core/engine/") != NULL || strstr(file, "core/sync/") != NULL;
}

/* The first place among what addr2line prints for an address: pairs of lines, a function and a
 * place, the innermost first. */
static bool first_place(FILE *lines, struct place *place)
{
    char function[LINE], line[LINE];
    while (fgets(function, sizeof function, lines) != NULL &&
           fgets(line, sizeof line, lines) != NULL) {
        char *colon = strrchr(line, ':');
        if (line[0] == '?' || colon == NULL || is_ours(line))
            continue;
        *colon = '\0';
        function[strcspn(function, "\n")] = '\0';
        snprintf(place->function, sizeof place->function, "%s", function);
        snprintf(place->file, sizeof place->file, "%s", line);
        place->line = (unsigned)strtoul(colon + 1, NULL, 10);
        return true;
    }
    return false;
}

/* Where the innermost call is that is neither the checker's nor the seam's. */
static bool find_place(const struct check_frames *frames, struct place *place)
{
    char command[4096];
    Dl_info object;
    for (unsigned i = 0; i < CHECK_FRAMES && frames->frames[i] != NULL; i++) {
        if (dladdr(frames->frames[i], &object) == 0 || object.dli_fname == NULL ||
            strchr(object.dli_fname, '\'') != NULL)
            continue;
        /* A return address is behind the call. */
        unsigned long at =
            (unsigned long)((const char *)frames->frames[i] - (const char *)object.dli_fbase) - 1;
        snprintf(command, sizeof command, "addr2line -fie '%s' %lx 2>/dev/null", object.dli_fname,
                 at);
        FILE *lines = popen(command, "r");
        if (lines == NULL)
            return false;
        bool found = first_place(lines, place);
        pclose(lines);
        if (found)
            return true;
    }
    return false;
}

/* The text of a source line, without its indentation; empty: it cannot be read. */
static void read_source(const struct place *place, char *text, size_t size)
{
    text[0] = '\0';
    FILE *file = place->line != 0 ? fopen(place->file, "r") : NULL;
    if (file == NULL)
        return;
    char line[LINE] = "";
    for (unsigned i = 0; i < place->line; i++) {
        if (fgets(line, sizeof line, file) == NULL)
            line[0] = '\0';
    }
    fclose(file);
    line[strcspn(line, "\n")] = '\0';
    snprintf(text, size, "%s", line + strspn(line, " \t"));
}

/* A value, or the object that it points to. */
static const char *named(const struct check_search *search, uint64_t value, char text[64])
{
    for (unsigned i = 0; i < search->n_names; i++) {
        const struct check_name *name = &search->names[i];
        if (value < name->address || value >= name->address + name->bytes)
            continue;
        if (value == name->address)
            snprintf(text, 64, "%s", name->name);
        else
            snprintf(text, 64, "%s+%llu", name->name, (unsigned long long)(value - name->address));
        return text;
    }
    snprintf(text, 64, value < 1 << 16 ? "%llu" : "0x%llx", (unsigned long long)value);
    return text;
}

/* What an event does. numbers: of each event's step. */
static void print_effect(const struct check_search *search, const struct check_event *event,
                         unsigned numbers[CHECK_THREADS][CHECK_EVENTS], FILE *out)
{
    static const char *const fences[] = {
        [CHECK_FENCE] = "fence",
        [CHECK_MEMBARRIER] = "fence of all threads",
        [CHECK_LIGHT] = "fence for the compiler",
    };
    const struct check_graph *graph = &search->graph;
    const struct check_word *word = &graph->words[event->word];
    char value[64], object[64];
    named(search, event->value, value);
    named(search, word->address & ~CHECK_NO_MEMORY, object);
    bool queue = word->address >= CHECK_NO_MEMORY;
    if (event->kind == CHECK_WRITE) {
        fprintf(out, "%s%s := %s", queue ? "sleepers at " : "", object, value);
    } else if (event->kind == CHECK_READ) {
        fprintf(out, "%s%s is %s", queue ? "sleepers at " : "", object, value);
        check_id next = check_co_next(graph, event->word, event->rf);
        if (next != CHECK_NONE && numbers[CHECK_THREAD(next)][CHECK_INDEX(next)] != 0)
            fprintf(out, ", not yet that of step %u",
                    numbers[CHECK_THREAD(next)][CHECK_INDEX(next)]);
    } else if (event->kind == CHECK_CHOICE) {
        fprintf(out, "way %s", value);
    } else {
        fputs(fences[event->kind], out);
    }
}

/* Behind an effect of so many columns. */
static void print_place(const struct check_frames *frames, int columns, FILE *out)
{
    struct place place;
    char source[LINE], text[2 * LINE];
    fprintf(out, "%*s", columns < 36 ? 36 - columns : 1, "");
    if (!find_place(frames, &place)) {
        fputs("?\n", out);
        return;
    }
    read_source(&place, source, sizeof source);
    const char *file = strrchr(place.file, '/');
    file = file != NULL ? file + 1 : place.file;
    if (place.line != 0)
        snprintf(text, sizeof text, "%s:%u", file, place.line);
    else
        snprintf(text, sizeof text, "%s()", place.function);
    fprintf(out, source[0] != '\0' ? "%-24s %s\n" : "%s%s\n", text, source);
}

static void print_step(const struct check_search *search, check_id id,
                       unsigned numbers[CHECK_THREADS][CHECK_EVENTS], FILE *out)
{
    char *effect = NULL;
    size_t size;
    FILE *text = open_memstream(&effect, &size);
    if (text == NULL)
        al_out_of_memory("the trace", LINE);
    print_effect(search, check_event_of(&search->graph, id), numbers, text);
    fclose(text);
    fputs(effect, out);
    print_place(&search->frames[CHECK_THREAD(id)][CHECK_INDEX(id)], (int)size, out);
    free(effect);
}

char *check_trace(const struct check_search *search)
{
    const struct check_graph *graph = &search->graph;
    struct check_step *steps = malloc(CHECK_STEPS * sizeof *steps);
    unsigned(*numbers)[CHECK_EVENTS] = calloc(CHECK_THREADS, sizeof *numbers);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (steps == NULL || numbers == NULL || out == NULL)
        al_out_of_memory("the trace", CHECK_STEPS * sizeof *steps);
    unsigned n = search->frames != NULL ? search->options->model->order(graph, steps) : 0;
    for (unsigned i = 0; i < n; i++) {
        check_id id = steps[i].id;
        unsigned *number = &numbers[CHECK_THREAD(id)][CHECK_INDEX(id)];
        fprintf(out, "%5u  thread %u  ", i + 1, CHECK_THREAD(id));
        if (steps[i].commits) {
            fprintf(out, "what step %u wrote leaves the store buffer\n", *number);
            continue;
        }
        *number = i + 1;
        print_step(search, id, numbers, out);
    }
    for (unsigned i = 0; i < search->n_parties; i++) {
        const struct check_party *party = &search->parties[i];
        fprintf(out, "       thread %u  %s", party->thread, party->what);
        print_place(&party->frames, (int)strlen(party->what), out);
    }
    fclose(out);
    free(steps);
    free(numbers);
    return text;
}
