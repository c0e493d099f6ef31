/* SPDX-License-Identifier: MIT */

/*
 * A step of a trace names the first source line on the way to it that is neither the checker's nor
 * the seam's. Lines come from debugging information, by addr2line of the binutils; without that,
 * functions by the dynamic linker.
 */

#include "core/engine/check/trace.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
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

/* What is known of a return address. */
struct found {
    const void *address;
    struct place place; /* the innermost there that is neither the checker's nor the seam's */
    bool is_place;
};

struct places {
    struct found *all;
    size_t n, room;
};

static struct found *find(const struct places *places, const void *address)
{
    for (size_t i = 0; i < places->n; i++) {
        if (places->all[i].address == address)
            return &places->all[i];
    }
    return NULL;
}

static void add(struct places *places, const struct check_frames *frames)
{
    for (unsigned i = 0; i < CHECK_FRAMES && frames->frames[i] != NULL; i++) {
        if (find(places, frames->frames[i]) != NULL)
            continue;
        if (places->n == places->room) {
            places->room = 2 * places->room + 64;
            places->all = realloc(places->all, places->room * sizeof *places->all);
            if (places->all == NULL)
                al_out_of_memory("the trace", places->room * sizeof *places->all);
        }
        places->all[places->n++] = (struct found){.address = frames->frames[i]};
    }
}

/* Where an address is in its object; 0: nobody knows. A return address is behind the call. */
static unsigned long offset_in(const void *address, Dl_info *object)
{
    if (dladdr(address, object) == 0 || object->dli_fname == NULL ||
        strchr(object->dli_fname, '\'') != NULL)
        return 0;
    return (unsigned long)((const char *)address - (const char *)object->dli_fbase) - 1;
}

/* Read what addr2line prints: for each address a line with it, then pairs of lines, a function and
 * a place, the innermost first. */
static void read_places(FILE *lines, const struct places *places, const char *base)
{
    char function[LINE], line[LINE];
    struct found *found = NULL;
    while (fgets(function, sizeof function, lines) != NULL) {
        if (strncmp(function, "0x", 2) == 0) {
            found = find(places, base + strtoul(function, NULL, 16) + 1);
            continue;
        }
        if (fgets(line, sizeof line, lines) == NULL)
            return;
        char *colon = strrchr(line, ':');
        if (found == NULL || found->is_place || line[0] == '?' || colon == NULL || is_ours(line))
            continue;
        *colon = '\0';
        function[strcspn(function, "\n")] = '\0';
        found->is_place = true;
        snprintf(found->place.function, sizeof found->place.function, "%s", function);
        snprintf(found->place.file, sizeof found->place.file, "%s", line);
        found->place.line = (unsigned)strtoul(colon + 1, NULL, 10);
    }
}

/* Ask for all places of an object at once, since each program that is started takes a while. */
static void find_in(const struct places *places, const Dl_info *object)
{
    char *command = NULL;
    size_t size;
    FILE *text = open_memstream(&command, &size);
    if (text == NULL)
        al_out_of_memory("the trace", LINE);
    fprintf(text, "addr2line -afie '%s'", object->dli_fname);
    Dl_info other;
    for (size_t i = 0; i < places->n; i++) {
        unsigned long at = offset_in(places->all[i].address, &other);
        if (at != 0 && other.dli_fbase == object->dli_fbase)
            fprintf(text, " %lx", at);
    }
    fputs(" 2>/dev/null", text);
    fclose(text);
    FILE *lines = popen(command, "r");
    if (lines != NULL) {
        read_places(lines, places, object->dli_fbase);
        pclose(lines);
    }
    free(command);
}

static bool is_first_of(const struct places *places, size_t i, const Dl_info *object)
{
    Dl_info other;
    for (size_t k = 0; k < i; k++) {
        if (offset_in(places->all[k].address, &other) != 0 && other.dli_fbase == object->dli_fbase)
            return false;
    }
    return true;
}

static void find_all(const struct places *places)
{
    Dl_info object;
    for (size_t i = 0; i < places->n; i++) {
        if (offset_in(places->all[i].address, &object) != 0 && is_first_of(places, i, &object))
            find_in(places, &object);
    }
}

/* Where the innermost call is that is neither the checker's nor the seam's. NULL: unknown. */
static const struct place *place_of(const struct places *places, const struct check_frames *frames)
{
    for (unsigned i = 0; i < CHECK_FRAMES && frames->frames[i] != NULL; i++) {
        const struct found *found = find(places, frames->frames[i]);
        if (found->is_place)
            return &found->place;
    }
    return NULL;
}

/* Open a source. Programs are built in BUILD/tests/PART, with paths that lead from BUILD to the
 * sources; where that is, debugging information from a compiler's cache does not know. */
static FILE *open_source(const char *file)
{
    char path[PATH_MAX];
    const char *from_build = strstr(file, "/../");
    ssize_t n = from_build != NULL ? readlink("/proc/self/exe", path, sizeof path - 1) : 0;
    FILE *found = NULL;
    path[n > 0 ? n : 0] = '\0';
    for (unsigned up = 0; up < 3; up++) {
        char *slash = strrchr(path, '/');
        if (slash != NULL)
            *slash = '\0';
    }
    size_t used = strlen(path);
    if (used > 0 &&
        (size_t)snprintf(path + used, sizeof path - used, "%s", from_build) < sizeof path - used)
        found = fopen(path, "r");
    return found != NULL ? found : fopen(file, "r");
}

/* The text of a source line, without its indentation; empty: it cannot be read. */
static void read_source(const struct place *place, char *text, size_t size)
{
    text[0] = '\0';
    FILE *file = place->line != 0 ? open_source(place->file) : NULL;
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
static void tell_effect(const struct check_search *search, const struct check_event *event,
                        unsigned numbers[CHECK_THREADS][CHECK_EVENTS], struct check_line *line)
{
    static const char *const fences[] = {
        [CHECK_FENCE] = "fence",
        [CHECK_MEMBARRIER] = "fence of all threads",
        [CHECK_LIGHT] = "fence for the compiler",
    };
    const struct check_graph *graph = &search->graph;
    const struct check_word *word = &graph->words[event->word];
    char value[64], object[64], more[80] = "";
    named(search, event->value, value);
    named(search, word->address & ~CHECK_NO_MEMORY, object);
    const char *queue = word->address >= CHECK_NO_MEMORY ? "sleepers at " : "";
    if (event->kind == CHECK_WRITE) {
        if (event->flags & CHECK_EXCLUSIVE) {
            char was[64];
            snprintf(more, sizeof more, ", was %s", named(search, event[-1].value, was));
        }
        snprintf(line->effect, sizeof line->effect, "%s%s := %s%s", queue, object, value, more);
    } else if (event->kind == CHECK_READ) {
        check_id next = check_co_next(graph, event->word, event->rf);
        if (next != CHECK_NONE && numbers[CHECK_THREAD(next)][CHECK_INDEX(next)] != 0)
            snprintf(more, sizeof more, ", not yet that of step %u",
                     numbers[CHECK_THREAD(next)][CHECK_INDEX(next)]);
        snprintf(line->effect, sizeof line->effect, "%s%s is %s%s", queue, object, value, more);
    } else if (event->kind == CHECK_CHOICE) {
        snprintf(line->effect, sizeof line->effect, "way %s", value);
    } else {
        snprintf(line->effect, sizeof line->effect, "%s", fences[event->kind]);
    }
}

static void tell_place(const struct place *place, struct check_line *line)
{
    if (place == NULL) {
        snprintf(line->place, sizeof line->place, "?");
        return;
    }
    read_source(place, line->source, sizeof line->source);
    const char *file = strrchr(place->file, '/');
    file = file != NULL ? file + 1 : place->file;
    if (place->line != 0)
        snprintf(line->place, sizeof line->place, "%.80s:%u", file, place->line);
    else
        snprintf(line->place, sizeof line->place, "%.80s()", place->function);
}

static const struct check_frames *frames_of(const struct check_search *search, check_id id)
{
    return &search->frames[CHECK_THREAD(id)][CHECK_INDEX(id)];
}

/* Returns how many lines there are. */
static unsigned tell_steps(const struct check_search *search, const struct check_step *steps,
                           unsigned n, const struct places *places, struct check_line *lines)
{
    unsigned(*numbers)[CHECK_EVENTS] = calloc(CHECK_THREADS, sizeof *numbers), last = 0;
    if (numbers == NULL)
        al_out_of_memory("the trace", CHECK_THREADS * sizeof *numbers);
    for (unsigned i = 0; i < n; i++) {
        check_id id = steps[i].id;
        const struct check_event *event = check_event_of(&search->graph, id);
        unsigned *number = &numbers[CHECK_THREAD(id)][CHECK_INDEX(id)];
        if (!steps[i].commits && check_is_first_part(&search->graph, id))
            continue; /* its write says what it was */
        struct check_line *line = &lines[last++];
        line->thread = CHECK_THREAD(id);
        line->step = last;
        if (steps[i].commits) {
            line->from = *number;
            snprintf(line->effect, sizeof line->effect,
                     "what step %u wrote leaves the store buffer", *number);
            continue;
        }
        *number = last;
        check_id rf = event->flags & CHECK_EXCLUSIVE ? event[-1].rf : event->rf;
        if (rf != CHECK_NONE)
            line->from = numbers[CHECK_THREAD(rf)][CHECK_INDEX(rf)];
        tell_effect(search, event, numbers, line);
        tell_place(place_of(places, frames_of(search, id)), line);
    }
    free(numbers);
    return last;
}

void check_trace(const struct check_search *search)
{
    struct check_result *result = search->result;
    struct check_step *steps = malloc(CHECK_STEPS * sizeof *steps);
    struct places places = {0};
    if (steps == NULL)
        al_out_of_memory("the trace", CHECK_STEPS * sizeof *steps);
    unsigned n = 0;
    if (search->frames != NULL)
        n = check_order(search->options->model, &search->graph, steps);
    result->lines = calloc(n + search->n_parties + 1, sizeof *result->lines);
    if (result->lines == NULL)
        al_out_of_memory("the trace", n * sizeof *result->lines);
    for (unsigned i = 0; i < n; i++)
        add(&places, frames_of(search, steps[i].id));
    for (unsigned i = 0; i < search->n_parties; i++)
        add(&places, &search->parties[i].frames);
    find_all(&places);
    result->n_lines = tell_steps(search, steps, n, &places, result->lines);
    for (unsigned i = 0; i < search->n_parties; i++) {
        const struct check_party *party = &search->parties[i];
        struct check_line *line = &result->lines[result->n_lines++];
        line->thread = party->thread;
        snprintf(line->effect, sizeof line->effect, "%s", party->what);
        tell_place(place_of(&places, &party->frames), line);
    }
    free(steps);
    free(places.all);
}
