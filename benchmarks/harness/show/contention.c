/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/show/contention.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/text/format.h"
#include "benchmarks/harness/text/json.h"

#define NEAR  0.15 /* errors that are counted as small: with two threads, and with any number */
#define SHAPE 0.30

static struct al_contention_point *new_point(struct al_contention_points *points)
{
    points->all = al_needed(realloc(points->all, (points->n + 1) * sizeof *points->all));
    return &points->all[points->n++];
}

void al_contention_add(struct al_contention_points *points, const char *name, bool thinks,
                       uint32_t threads, const struct al_samples *ns)
{
    struct al_contention_point *point = new_point(points);
    *point = (struct al_contention_point){.threads = threads,
                                          .ns = al_samples_median(ns),
                                          .low = al_samples_quantile(ns, 0.1),
                                          .high = al_samples_quantile(ns, 0.9)};
    snprintf(point->name, sizeof point->name, "%s%s", name, thinks ? "-think" : "");
}

void al_contention_free(struct al_contention_points *points)
{
    free(points->all);
    *points = (struct al_contention_points){0};
}

json_t *al_contention_json(const struct al_contention_points *points, const char *title,
                           const char *engine)
{
    json_t *list = al_needed(json_array());
    for (size_t i = 0; i < points->n; i++) {
        const struct al_contention_point *point = &points->all[i];
        al_json_append(list, json_pack("{s:s, s:i, s:f, s:f, s:f}", "name", point->name, "threads",
                                       (int)point->threads, "ns", point->ns, "low", point->low,
                                       "high", point->high));
    }
    return al_needed(
        json_pack("{s:s, s:s, s:o}", "title", title, "engine", engine, "points", list));
}

int al_contention_read(const char *path, struct al_contention_points *points,
                       struct al_error *error)
{
    json_error_t mistake;
    json_t *file = json_load_file(path, 0, &mistake);
    json_t *list = json_object_get(file, "points"), *value;
    size_t i;
    int code = 0;
    if (file == NULL)
        code = al_error_set(error, -EINVAL, "%s: %s", path, mistake.text);
    else if (json_array_size(list) == 0)
        code = al_error_set(error, -EINVAL,
                            "%s has no \"points\"; valid: a file of `actorlab calibrate "
                            "--contention --out`",
                            path);
    json_array_foreach(list, i, value)
    {
        const char *name = json_string_value(json_object_get(value, "name"));
        json_int_t threads = json_integer_value(json_object_get(value, "threads"));
        double ns = json_number_value(json_object_get(value, "ns"));
        if (name == NULL || threads < 1 || threads > UINT32_MAX || !(ns > 0)) {
            code = al_error_set(error, -EINVAL,
                                "%s: point %zu needs a name, threads from 1 on, and ns above 0",
                                path, i);
            break;
        }
        struct al_contention_point *point = new_point(points);
        *point = (struct al_contention_point){.threads = (uint32_t)threads, .ns = ns};
        snprintf(point->name, sizeof point->name, "%s", name);
    }
    json_decref(file);
    return code;
}

static const struct al_contention_point *find(const struct al_contention_points *points,
                                              const struct al_contention_point *wanted)
{
    for (size_t i = 0; points != NULL && i < points->n; i++) {
        const struct al_contention_point *point = &points->all[i];
        if (point->threads == wanted->threads && strcmp(point->name, wanted->name) == 0)
            return point;
    }
    return NULL;
}

/* Errors of some points: how many, their sum, and how many are small. */
struct errors {
    size_t n, small;
    double sum;
};

static void count(struct errors *errors, double error, double small)
{
    errors->n++;
    errors->sum += fabs(error);
    errors->small += fabs(error) <= small;
}

static void print_errors(const char *what, const struct errors *errors, double small, FILE *out)
{
    if (errors->n > 0)
        fprintf(out, "%s: mean error %.0f%%, %zu of %zu within %.0f%%\n", what,
                100 * errors->sum / (double)errors->n, errors->small, errors->n, 100 * small);
}

bool al_contention_print(const struct al_contention_points *points,
                         const struct al_contention_points *other, FILE *out)
{
    struct errors two = {0}, all = {0};
    fprintf(out, "%-18s %7s %10s %10s %10s", "ns an operation", "threads", "median", "10%", "90%");
    fprintf(out, other != NULL ? " %10s %7s\n" : "\n", "other", "error");
    for (size_t i = 0; i < points->n; i++) {
        const struct al_contention_point *point = &points->all[i], *same = find(other, point);
        fprintf(out, "%-18s %7u %10s %10s %10s", point->name, point->threads,
                al_format_number(point->ns, 4).text, al_format_number(point->low, 4).text,
                al_format_number(point->high, 4).text);
        if (same != NULL) {
            double error = point->ns / same->ns - 1;
            fprintf(out, " %10s %+6.0f%%", al_format_number(same->ns, 4).text, 100 * error);
            count(&all, error, SHAPE);
            if (point->threads == 2)
                count(&two, error, NEAR);
        }
        fputc('\n', out);
    }
    print_errors("two threads", &two, NEAR, out);
    print_errors("all", &all, SHAPE, out);
    return other == NULL || all.n > 0;
}
