/* SPDX-License-Identifier: MIT */

/* A stuck system is given up, with a line that says what waits where; one that only computes for
 * long is not. */

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/actor.h"
#include "tests/support/choose.h"
#include "tests/support/tap.h"

#define GAVE_UP 124
#define LONG_NS 2500000000

struct worker_bee {
    struct al_actor actor;
    uint64_t busy_ns, sleep_ns;
};

struct task {
    struct al_message message;
};

AL_ACTOR(worker_bee)
AL_MESSAGE(task)

AL_BEHAVIOUR(worker_bee, task, self, msg)
{
    uint64_t until = al_clock_ns() + self->busy_ns;
    while (al_clock_ns() < until)
        continue;
    return AL_NODELETE;
}

static void give_up(void *argument, const char *text)
{
    dprintf(*(int *)argument, "%s", text);
    _exit(GAVE_UP);
}

enum ending { NEVER_ENDS, NEVER_COUNTS, ENDS, ENDS_DETACHED };

/* Two actors get a message each, of which one takes long, and unless they are to stay alive, a
 * pill. Runs in a child process, which writes the line to the pipe. */
static _Noreturn void child(const char *scheduler, const char *idle, uint64_t busy_ns,
                            enum ending ending, int pipe)
{
    struct al_config config = {.workers = 2,
                               .oversubscribe = true,
                               .stall_s = 1,
                               .stalled = give_up,
                               .stalled_argument = &pipe};
    choose_plugins(&config, scheduler, NULL, idle);
    struct al_system *system;
    struct al_error error = {""};
    static struct worker_bee bees[2];
    static struct task task;
    static struct al_atomic_u64 never;
    CHECK(al_system_start(&config, &system, &error) == 0, "%s", error.text);
    al_message_init(task, &task, AL_NODELETE);
    for (int i = 0; i < 2; i++) {
        bees[i].busy_ns = i == 0 ? busy_ns : 0;
        al_actor_init_at(worker_bee, &bees[i],
                         ending == ENDS_DETACHED ? AL_PLACE_DETACHED : AL_PLACE_ANYWHERE);
        al_send(worker_bee, task, &bees[i], &task);
        if (ending == ENDS || ending == ENDS_DETACHED)
            al_send_pill(&bees[i].actor, &al_finished_msg);
    }
    if (ending == NEVER_COUNTS)
        al_await(&never, 1);
    _exit(al_system_stop(system, NULL) != 0);
}

struct trial {
    pid_t pid;
    int said;
};

static struct trial begin(const char *scheduler, const char *idle, uint64_t busy_ns,
                          enum ending ending)
{
    int ends[2];
    CHECK(pipe(ends) == 0, "no pipe");
    fflush(NULL);
    pid_t pid = fork();
    CHECK(pid != -1, "no process");
    if (pid == 0)
        child(scheduler, idle, busy_ns, ending, ends[1]);
    close(ends[1]);
    return (struct trial){pid, ends[0]};
}

/* A test case: the child ends with this code, having said this. */
static void expect(struct tap *tap, struct trial trial, int code, const char *text,
                   const char *what, const char *scheduler, const char *idle)
{
    char said[4096];
    size_t used = 0;
    int status = 0;
    ssize_t n;
    while ((n = read(trial.said, said + used, sizeof said - 1 - used)) > 0)
        used += (size_t)n;
    said[used] = '\0';
    close(trial.said);
    CHECK(waitpid(trial.pid, &status, 0) == trial.pid, "no child");
    int ended = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    if (!tap_ok(tap, ended == code && strcmp(said, text) == 0, "%s, %s: %s", scheduler, idle, what))
        printf("# exit %d: %s\n", ended, said);
}

/* Each child takes a second or more, so several run at once: of those that spin, one. */
int main(void)
{
    static const char told[] = "no message was delivered for 1 s: 2 sent, 2 received, 2 actors "
                               "alive; queue lengths by worker: 0 0";
    static const char unended[] = "actors that nobody ends are told of";
    struct tap tap = {0};
    for (size_t s = 0; al_schedulers[s] != NULL; s++) {
        const struct al_scheduler_ops *ops = AL_OPS(al_schedulers[s], al_scheduler_ops);
        const char *name = ops->plugin.name, *own = ops->idle->plugin.name;
        bool parks = ops->sleeps != AL_SLEEPS_OWN;
        struct trial trial = begin(name, own, 0, NEVER_ENDS);
        if (parks)
            expect(&tap, begin(name, "park", 0, NEVER_ENDS), GAVE_UP, told, unended, name, "park");
        expect(&tap, trial, GAVE_UP, told, unended, name, own);
    }
    struct trial detached = begin("deque", "park", LONG_NS, ENDS_DETACHED);
    struct trial awaiting = begin("inverted", "park", 0, NEVER_COUNTS);
    struct trial busy = begin("inverted", "spin", LONG_NS, ENDS);
    expect(&tap, busy, 0, "", "a long behaviour is no stall", "inverted", "spin");
    expect(&tap, detached, 0, "", "nor is a detached actor that computes", "deque", "park");
    expect(&tap, awaiting, GAVE_UP, told, "what is awaited and never comes is told of", "inverted",
           "park");
    return tap_done(&tap);
}
