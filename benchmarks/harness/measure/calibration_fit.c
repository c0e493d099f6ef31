/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/measure/calibration_fit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/measure/calibration.h"
#include "benchmarks/harness/measure/child.h"
#include "benchmarks/harness/statistics/quantiles.h"

#define ITERATIONS     "9"
#define ITERATIONS_SIM "3" /* which differ by little */
/* Where the search begins, between which values it looks, and when it has found one. */
#define FIRST  0.03
#define SECOND 0.15
#define LEAST  0.001
#define MOST   100.0
#define CLOSE  0.005
#define NARROW 1.001 /* or: the ratio of the values between which it is */

/* A message-centric and an actor-centric strategy, on messages alone and on a workload. */
static const struct cell {
    const char *benchmark, *scheduler, *size;
} cells[AL_FIT_CELLS] = {
    {"send-static", "inverted", "sends=20000"},
    {"send-static", "deque", "sends=20000"},
    {"executor", "inverted", "rounds=5"},
    {"executor", "deque", "rounds=5"},
};

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Run it, on the machine of the file if there is one. */
static int run(const struct cell *cell, const char *machine, const char *model,
               const char *iterations, struct al_samples *times, struct al_error *error)
{
    char *command[32] = {
        "/proc/self/exe",
        "run",
        (char *)cell->benchmark,
        "--scheduler",
        (char *)cell->scheduler,
        "--workers",
        "1",
        "--set",
        (char *)cell->size,
        "--iterations",
        (char *)iterations,
        "--json",
        "-",
        "--no-hardware",
        "--warmup",
        "1",
        "--size",
        "sim",
    };
    size_t n = 18;
    if (machine != NULL) {
        char *more[] = {"--engine", "sim", "--machine", (char *)machine};
        memcpy(command + n, more, sizeof more);
        n += 4;
    }
    if (model != NULL) {
        command[n++] = "--model";
        command[n++] = (char *)model;
    }
    struct al_error problem = {""};
    int code = al_child_times(command, times, &problem);
    if (code != 0)
        al_error_set(error, code, "cannot run %s%s: %s", cell->benchmark,
                     machine != NULL ? " in the simulator" : "", problem.text);
    return code;
}

/* The times with a value of `instruction`. Returns the logarithm of how much longer they are than
 * those of the machine, on average; NAN with a line in error if a run fails. */
static double simulate(const char *file, double instruction, struct al_fit *fit,
                       struct al_error *error)
{
    char model[40];
    double sum = 0;
    snprintf(model, sizeof model, "instruction=%.6g", instruction);
    fit->value = instruction;
    for (size_t i = 0; i < AL_FIT_CELLS; i++) {
        struct al_samples times = {.n = 0};
        if (run(&cells[i], file, model, "1", &times, error) != 0)
            return NAN;
        fit->simulated_ns[i] = times.values[0];
        sum += log(times.values[0] / fit->ns[i]);
    }
    return sum / AL_FIT_CELLS;
}

/* The point on the line through two others. */
static double on_line(double x1, double y1, double x2, double y2, double y)
{
    return x1 + (y - y1) * (x2 - x1) / (y2 - y1);
}

/* The value is above x if the times with x are too short, else below. */
static void narrow(double *low, double *high, double x, double at_x)
{
    if (at_x < 0)
        *low = fmax(*low, x);
    else
        *high = fmin(*high, x);
}

int al_fit_measure(const char *machine, struct al_fit_times *times, struct al_error *error)
{
    int code = 0;
    for (size_t i = 0; i < AL_FIT_CELLS && code == 0; i++)
        code = run(&cells[i], machine, NULL, machine != NULL ? ITERATIONS_SIM : ITERATIONS,
                   &times->ns[i], error);
    return code;
}

int al_fit_run(const char *file, struct al_fit_times *times, struct al_fit *fit,
               struct al_error *error)
{
    double spread[2] = {0}; /* logarithms */
    for (size_t i = 0; i < AL_FIT_CELLS; i++) {
        double *ns = times->ns[i].values;
        size_t n = times->ns[i].n;
        qsort(ns, n, sizeof *ns, compare);
        fit->ns[i] = al_quantile(ns, n, AL_CALIBRATION_ALONE);
        spread[0] += log(al_quantile(ns, n, 0.1) / fit->ns[i]) / AL_FIT_CELLS;
        spread[1] += log(al_quantile(ns, n, 0.9) / fit->ns[i]) / AL_FIT_CELLS;
    }
    double a = FIRST, b = SECOND, at_a = simulate(file, a, fit, error),
           at_b = isnan(at_a) ? NAN : simulate(file, b, fit, error);
    /* The time is nearly linear in `instruction`: the secant method. Where it is not, as on a
     * machine whose other costs were measured under load, bisection narrows down where the sign
     * changes. */
    double low = LEAST, high = MOST;
    narrow(&low, &high, a, at_a);
    for (int tries = 0; fabs(at_b) > CLOSE && high > low * NARROW; tries++) {
        narrow(&low, &high, b, at_b);
        double next = at_a != at_b ? fmin(fmax(on_line(a, at_a, b, at_b, 0), low), high) : a;
        if (next == a || next == b || tries % 3 == 2)
            next = sqrt(low * high);
        a = b;
        at_a = at_b;
        b = next;
        at_b = simulate(file, b, fit, error);
    }
    if (isnan(at_b))
        return -EIO;
    double slope = at_a != at_b ? (b - a) / (at_b - at_a) : 0;
    fit->low = fmax(b + slope * spread[0], 0);
    fit->high = b + slope * spread[1];
    return 0;
}
