/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/measure/calibration_access.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "benchmarks/harness/measure/child.h"
#include "benchmarks/harness/statistics/quantiles.h"

#define SENDS      "20000"
#define ITERATIONS "41"
#define TIMES_MOST 64
/* Where the search begins, between which values it looks, and when it has found one. */
#define FIRST  0.3
#define SECOND 1.0
#define LEAST  0.01
#define MOST   100.0
#define CLOSE  0.005
#define TRIES  6

struct times {
    double ns[TIMES_MOST]; /* for each message, ascending */
    size_t n;
};

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The times in a record. */
static bool read_times(const json_t *record, struct times *times)
{
    const json_t *all = json_object_get(record, "time_ns"), *time;
    double messages = json_number_value(json_object_get(record, "messages"));
    size_t i;
    times->n = 0;
    json_array_foreach(all, i, time)
    {
        if (times->n < TIMES_MOST)
            times->ns[times->n++] = json_number_value(time) / messages;
    }
    qsort(times->ns, times->n, sizeof *times->ns, compare);
    return messages > 0 && times->n > 0 && times->ns[0] > 0;
}

/* Run send-static, on the machine of the file if there is one. */
static int run(const char *machine, const char *model, const char *iterations, struct times *times,
               struct al_error *error)
{
    char *command[32] = {
        "/proc/self/exe",
        "run",
        "send-static",
        "--workers",
        "1",
        "--set",
        "sends=" SENDS,
        "--iterations",
        (char *)iterations,
        "--json",
        "-",
        "--no-hardware",
        "--warmup",
        "1",
    };
    size_t n = 14;
    if (machine != NULL) {
        char *more[] = {"--engine", "sim", "--machine", (char *)machine};
        memcpy(command + n, more, sizeof more);
        n += 4;
    }
    if (model != NULL) {
        command[n++] = "--model";
        command[n++] = (char *)model;
    }
    FILE *record = al_memory_file(), *said = al_memory_file();
    if (record == NULL || said == NULL)
        return al_error_set(error, -ENOMEM, "no memory for a record");
    int status = al_child_run(command, NULL, record, said);
    json_t *read = NULL;
    rewind(record);
    if (status == 0)
        read = json_loadf(record, 0, NULL);
    bool found = read != NULL && read_times(read, times);
    if (!found) {
        char line[200] = "no record";
        rewind(said);
        if (fgets(line, sizeof line, said) != NULL)
            line[strcspn(line, "\n")] = '\0';
        al_error_set(error, -EIO, "cannot run send-static%s: %s",
                     machine != NULL ? " in the simulator" : "", line);
    }
    json_decref(read);
    fclose(record);
    fclose(said);
    return found ? 0 : -EIO;
}

static int simulate(const char *file, double access, double *ns, struct al_error *error)
{
    char model[40];
    struct times times;
    snprintf(model, sizeof model, "access=%.6g", access);
    int code = run(file, model, "1", &times, error);
    *ns = times.ns[0];
    return code;
}

/* The point on the line through two others. */
static double on_line(double x1, double y1, double x2, double y2, double y)
{
    return x1 + (y - y1) * (x2 - x1) / (y2 - y1);
}

int al_calibration_access(const char *file, const char *machine, struct al_access_fit *fit,
                          struct al_error *error)
{
    struct times times;
    double a = FIRST, b = SECOND, a_ns, b_ns;
    int code = run(machine, NULL, ITERATIONS, &times, error);
    if (code == 0)
        code = simulate(file, a, &a_ns, error);
    if (code == 0)
        code = simulate(file, b, &b_ns, error);
    if (code != 0)
        return code;
    double ns = al_quantile(times.ns, times.n, 0.5);
    /* Time is nearly linear in `access`: the secant method. */
    for (int tries = 0; tries < TRIES && fabs(b_ns / ns - 1) > CLOSE && b_ns != a_ns; tries++) {
        double next = fmin(fmax(on_line(a, a_ns, b, b_ns, ns), LEAST), MOST);
        a = b;
        a_ns = b_ns;
        b = next;
        code = simulate(file, b, &b_ns, error);
        if (code != 0)
            return code;
    }
    if (fabs(b_ns / ns - 1) > CLOSE)
        return al_error_set(error, -ERANGE,
                            "send-static takes %.3g ns a message, the simulator at least %.3g", ns,
                            b_ns);
    double slope = a_ns != b_ns ? (b - a) / (b_ns - a_ns) : 0;
    *fit = (struct al_access_fit){
        .value = b,
        .low = fmax(b + slope * (al_quantile(times.ns, times.n, 0.1) - b_ns), 0),
        .high = b + slope * (al_quantile(times.ns, times.n, 0.9) - b_ns),
        .ns = ns,
        .simulated_ns = b_ns,
    };
    return 0;
}
