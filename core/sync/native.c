/* SPDX-License-Identifier: MIT */

/* The seam on real threads: pthreads, futexes and the kernel's clocks. */

#include "core/sync/native.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "core/sync/sync.h"

#if defined(__SANITIZE_THREAD__)
#define AL_TSAN
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define AL_TSAN
#endif
#endif

const bool al_is_virtual = false;

__thread struct al_self_page al_self_native;

#ifdef AL_JITTER
void al_jitter(void)
{
    /* Which operations are delayed need not be repeatable: threads are not either. */
    static _Thread_local uint32_t state;
    if (state == 0)
        state = (uint32_t)(uintptr_t)&state | 1;
    state = state * 1664525 + 1013904223;
    if (state >> 22 == 0) /* one in 1024 */
        al_yield();
    if (state >> 18 == 1) /* one in 16384 */
        al_sleep_ns(50000);
}
#endif

struct start {
    void (*function)(void *);
    void *argument;
};

static void *thread_main(void *argument)
{
    struct start start = *(struct start *)argument;
    free(argument);
    start.function(start.argument);
    return NULL;
}

int al_thread_start(struct al_thread *thread, void (*function)(void *), void *argument)
{
    struct start *start = malloc(sizeof *start);
    if (start == NULL)
        return -ENOMEM;
    *start = (struct start){function, argument};
    pthread_t handle;
    int error = pthread_create(&handle, NULL, thread_main, start);
    if (error != 0) {
        free(start);
        return -error;
    }
    thread->handle = (uintptr_t)handle;
    return 0;
}

void al_thread_join(struct al_thread *thread)
{
    pthread_join((pthread_t)thread->handle, NULL);
}

bool al_thread_join_for(struct al_thread *thread, uint64_t ns)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    ns += (uint64_t)until.tv_nsec;
    until.tv_sec += (time_t)(ns / 1000000000);
    until.tv_nsec = (long)(ns % 1000000000);
    return pthread_timedjoin_np((pthread_t)thread->handle, NULL, &until) == 0;
}

void al_thread_detach(struct al_thread *thread)
{
    pthread_detach((pthread_t)thread->handle);
}

uint64_t al_thread_cpu_ns(const struct al_thread *thread)
{
    clockid_t clock;
    struct timespec time;
    if (pthread_getcpuclockid((pthread_t)thread->handle, &clock) != 0 ||
        clock_gettime(clock, &time) != 0)
        return 0;
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

uint32_t al_thread_limit(void)
{
    /* The mask may be wider than cpu_set_t on large machines: ask with room for 8192 PUs. */
    size_t bytes = CPU_ALLOC_SIZE(8192);
    cpu_set_t *set = CPU_ALLOC(8192);
    uint32_t count = 0;
    if (set != NULL && sched_getaffinity(0, bytes, set) == 0)
        count = (uint32_t)CPU_COUNT_S(bytes, set);
    CPU_FREE(set);
    return count != 0 ? count : (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
}

void al_end_run(const char *line)
{
    (void)line;
}

void al_fence_seq_cst(void)
{
#ifdef AL_TSAN
    /* ThreadSanitizer models no fences; a read-modify-write of one line orders the same. */
    static struct al_atomic_u32 line;
    al_u32_add_acq_rel(&line, 0);
#else
    atomic_thread_fence(memory_order_seq_cst);
#endif
}

bool al_membarrier_ready(void)
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

void al_membarrier(void)
{
    (void)syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

void al_yield(void)
{
    sched_yield();
}

void al_sleep_ns(uint64_t ns)
{
    struct timespec time = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    while (nanosleep(&time, &time) == -1 && errno == EINTR)
        ;
}

uint64_t al_preemptions(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? (uint64_t)usage.ru_nivcsw : 0;
}

void al_sleep_precisely(void)
{
    prctl(PR_SET_TIMERSLACK, 1UL);
}

void al_park(struct al_atomic_u32 *word, uint32_t expected)
{
    syscall(SYS_futex, &word->value, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
}

void al_park_for(struct al_atomic_u32 *word, uint32_t expected, uint64_t ns)
{
    struct timespec time = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    syscall(SYS_futex, &word->value, FUTEX_WAIT_PRIVATE, expected, &time, NULL, 0);
}

void al_unpark(struct al_atomic_u32 *word, uint32_t count)
{
    int most = count > INT_MAX ? INT_MAX : (int)count;
    syscall(SYS_futex, &word->value, FUTEX_WAKE_PRIVATE, most, NULL, NULL, 0);
}

uint64_t al_clock_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

void al_clock_pair(uint64_t *ns, uint64_t *cycles)
{
    uint64_t least = UINT64_MAX;
    for (int reading = 0; reading < 5; reading++) {
        uint64_t before = al_cycles(), now = al_clock_ns(), after = al_cycles();
        if (after - before >= least)
            continue;
        least = after - before;
        *ns = now;
        *cycles = before + least / 2;
    }
}

uint64_t al_work_of(uint64_t ns)
{
    enum { STEPS = 4096, ROUNDS = 24 }; /* 5 us each, of which something may interrupt most */
    uint64_t least_ns = UINT64_MAX;
    for (int round = 0; round < ROUNDS && ns != 0; round++) {
        uint64_t began_ns = al_clock_ns();
        al_work(STEPS);
        uint64_t took_ns = al_clock_ns() - began_ns;
        if (took_ns != 0 && took_ns < least_ns)
            least_ns = took_ns;
    }
    return (ns * STEPS + least_ns / 2) / least_ns;
}

bool al_cycles_steady(void)
{
#if defined(__x86_64__)
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) != 0 && (edx >> 8 & 1) != 0;
#else
    return true; /* al_cycles is the clock */
#endif
}
