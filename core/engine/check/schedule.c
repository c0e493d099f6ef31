/* SPDX-License-Identifier: MIT */
#include "core/engine/check/schedule.h"

#include <stdlib.h>

#include "core/engine/check/model.h"

static const char *const kinds[] = {
    [CHECK_READ] = "read",   [CHECK_WRITE] = "write",
    [CHECK_FENCE] = "fence", [CHECK_MEMBARRIER] = "membarrier",
    [CHECK_LIGHT] = "light", [CHECK_CHOICE] = "choice",
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static bool names_write(unsigned kind)
{
    return kind == CHECK_READ || kind == CHECK_WRITE;
}

/* The last write before this one in co that so many events of each thread have. */
static check_id before_in_co(const struct check_graph *graph, check_id write,
                             const uint16_t done[CHECK_THREADS])
{
    check_id last = CHECK_NONE, id = graph->words[check_event_of(graph, write)->word].first;
    for (; id != write; id = check_event_of(graph, id)->co_next) {
        if (CHECK_INDEX(id) < done[CHECK_THREAD(id)])
            last = id;
    }
    return last;
}

void check_schedule_make(struct check_schedule *schedule, const struct check_graph *graph,
                         const struct check_model *model)
{
    struct check_step *steps = malloc(CHECK_STEPS * sizeof *steps);
    if (steps == NULL)
        al_out_of_memory("the checker", CHECK_STEPS * sizeof *steps);
    unsigned n = check_order(model, graph, steps);
    uint16_t done[CHECK_THREADS] = {0};
    schedule->n = 0;
    for (unsigned i = 0; i < n; i++) {
        check_id id = steps[i].id;
        const struct check_event *event = check_event_of(graph, id);
        if (steps[i].commits)
            continue;
        struct check_move *move = &schedule->moves[schedule->n++];
        *move = (struct check_move){event->kind, (uint8_t)CHECK_THREAD(id), event->rf};
        if (event->kind == CHECK_WRITE)
            move->of = before_in_co(graph, id, done);
        else if (event->kind == CHECK_CHOICE)
            move->of = (check_id)event->value;
        done[CHECK_THREAD(id)]++;
    }
    free(steps);
}

void check_schedule_write(const struct check_schedule *schedule, FILE *file)
{
    for (unsigned i = 0; i < schedule->n; i++) {
        const struct check_move *move = &schedule->moves[i];
        fprintf(file, "%u %s", move->thread, kinds[move->kind]);
        if (move->kind == CHECK_CHOICE)
            fprintf(file, " %u", move->of);
        else if (names_write(move->kind) && move->of == CHECK_NONE)
            fputs(" initial", file);
        else if (names_write(move->kind))
            fprintf(file, " %u.%u", CHECK_THREAD(move->of), CHECK_INDEX(move->of));
        fputc('\n', file);
    }
}

/* A whole number below `end`, and what follows it. -1: there is none. */
static int number(const char **text, int end)
{
    char *rest;
    if (**text < '0' || **text > '9')
        return -1;
    long value = strtol(*text, &rest, 10);
    *text = rest;
    return value < end ? (int)value : -1;
}

static int read_write(const char **text)
{
    static const char initial[] = "initial";
    if (strncmp(*text, initial, sizeof initial - 1) == 0) {
        *text += sizeof initial - 1;
        return CHECK_NONE;
    }
    int thread = number(text, CHECK_THREADS);
    if (thread < 0 || *(*text)++ != '.')
        return -1;
    int event = number(text, CHECK_EVENTS);
    return event < 0 ? -1 : CHECK_ID(thread, event);
}

bool check_schedule_read(struct check_schedule *schedule, const char *line)
{
    int thread = number(&line, CHECK_THREADS), of = CHECK_NONE;
    if (thread < 0 || *line++ != ' ' ||
        schedule->n == sizeof schedule->moves / sizeof *schedule->moves)
        return false;
    unsigned kind = 0;
    while (kind < KINDS && (strncmp(line, kinds[kind], strlen(kinds[kind])) != 0))
        kind++;
    if (kind == KINDS)
        return false;
    line += strlen(kinds[kind]);
    if (names_write(kind) || kind == CHECK_CHOICE) {
        if (*line++ != ' ')
            return false;
        of = kind == CHECK_CHOICE ? number(&line, CHECK_EVENTS) : read_write(&line);
    }
    if (of < 0 || *line != '\0')
        return false;
    schedule->moves[schedule->n++] = (struct check_move){(uint8_t)kind, (uint8_t)thread,
                                                         (check_id)of};
    return true;
}
