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

/* Two actors get a message each and, unless they are to stay alive, a pill. Runs in a child
 * process, which writes the line to the pipe. */
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
        bees[i].busy_ns = busy_ns;
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

/* Returns the child's exit code; `said` is what it wrote. */
static int run(const char *scheduler, const char *idle, uint64_t busy_ns, enum ending ending,
               char *said, size_t bytes)
{
    int ends[2], status = 0;
    CHECK(pipe(ends) == 0, "no pipe");
    fflush(NULL);
    pid_t pid = fork();
    CHECK(pid != -1, "no process");
    if (pid == 0)
        child(scheduler, idle, busy_ns, ending, ends[1]);
    close(ends[1]);
    size_t used = 0;
    ssize_t n;
    while ((n = read(ends[0], said + used, bytes - 1 - used)) > 0)
        used += (size_t)n;
    said[used] = '\0';
    close(ends[0]);
    CHECK(waitpid(pid, &status, 0) == pid, "no child");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int main(void)
{
    static const char expected[] = "no message was delivered for 1 s: 2 sent, 2 received, 2 actors "
                                   "alive; queue lengths by worker: 0 0";
    struct tap tap = {0};
    char said[4096];
    for (size_t s = 0; al_schedulers[s] != NULL; s++) {
        const struct al_scheduler_ops *ops = AL_OPS(al_schedulers[s], al_scheduler_ops);
        const char *const idles[] = {"park", ops->idle->plugin.name};
        for (size_t i = ops->sleeps == AL_SLEEPS_OWN ? 1 : 0; i < 2; i++) {
            int code = run(ops->plugin.name, idles[i], 0, NEVER_ENDS, said, sizeof said);
            if (!tap_ok(&tap, code == GAVE_UP && strcmp(said, expected) == 0,
                        "%s, %s: actors that nobody ends are told of", ops->plugin.name, idles[i]))
                printf("# exit %d: %s\n", code, said);
        }
    }
    int code = run("inverted", "spin", 3000000000, ENDS, said, sizeof said);
    if (!tap_ok(&tap, code == 0 && said[0] == '\0', "a long behaviour is no stall"))
        printf("# exit %d: %s\n", code, said);
    code = run("deque", "park", 3000000000, ENDS_DETACHED, said, sizeof said);
    if (!tap_ok(&tap, code == 0 && said[0] == '\0', "nor is a detached actor that computes"))
        printf("# exit %d: %s\n", code, said);
    code = run("inverted", "spin", 0, NEVER_COUNTS, said, sizeof said);
    tap_ok(&tap, code == GAVE_UP && strcmp(said, expected) == 0,
           "what is awaited and never comes is told of");
    return tap_done(&tap);
}
