/* SPDX-License-Identifier: MIT */

/*
 * Parameters of the workload synthetic that imitate a profile. What follows from what:
 *
 *   actors        actors_per_worker, times the workers of the profile
 *   trees         as many as there are actors, so that about one message is under way for each
 *   messages      those of a tenth of a second, but 100,000 to 10,000,000
 *   work          the mean that goes with the median time of a behaviour
 *   service       the distribution whose 99th percentile is nearest, as a multiple of the median
 *   fan_out       fan_out, rounded
 *   bytes         message_bytes, less what each of synthetic's messages has
 *   hot           the busiest 1% or 10% of the actors, and as many visits as they have: whichever
 *                 explains the other number better
 *   neighbours    senders, with all messages between neighbours, unless they come from everywhere
 *
 * What a profile does not know stays at its default. `local` and `created` cannot be imitated:
 * actors are dealt to the workers in turn, and live as long as the run.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/commands/run.h"
#include "benchmarks/harness/results/profile.h"
#include "benchmarks/harness/text/json.h"
#include "benchmarks/workloads/ours/synthetic.h"

/* The 99th percentile and the mean of a distribution, in medians (support/distribution.h). */
static const struct shape {
    const char *name;
    double p99, mean;
} shapes[] = {{"constant", 1, 1}, {"exponential", 6.64, 1.443}, {"pareto", 13.57, 1.867}};

static const struct shape *nearest_shape(double work_ns, double p99_ns)
{
    const struct shape *best = &shapes[0];
    double ratio = p99_ns / work_ns;
    for (size_t i = 1; i < sizeof shapes / sizeof shapes[0] && isfinite(ratio); i++) {
        if (fabs(log(ratio / shapes[i].p99)) < fabs(log(ratio / best->p99)))
            best = &shapes[i];
    }
    return best;
}

/* A part of the actors that gets more messages than the others. */
struct hot {
    double part, visits; /* of the actors; of the messages, beyond those that all get */
};

/* Made from one of the two shares: from that one with which the other agrees better. Without
 * visits if one is not known. */
static struct hot hot_part(double busiest_1, double busiest_10)
{
    struct hot few = {0.01, fmax(0, (busiest_1 - 0.01) / 0.99)};
    struct hot many = {0.1, fmax(0, (busiest_10 - 0.1) / 0.9)};
    double few_10 = busiest_1 + (1 - busiest_1) * 0.09 / 0.99, many_1 = fmax(0.01, busiest_10 / 10);
    if (isnan(busiest_1) || isnan(busiest_10))
        return (struct hot){0, NAN};
    return fabs(log(busiest_10 / few_10)) < fabs(log(busiest_1 / many_1)) ? few : many;
}

/* The nearest whole number in a range; what is not known is left out. */
static void add(FILE *out, const char *key, double value, double least, double most)
{
    if (!isnan(value))
        fprintf(out, " %s=%.0f", key, fmin(fmax(round(value), least), most));
}

int al_run_like(const char *path, char **settings, struct al_error *error)
{
    struct al_profile_values profile;
    int code = al_profile_read(path, &profile, error);
    if (code != 0)
        return code;
    const double *of = profile.of;
    double workers = profile.workers > 0 ? profile.workers : 1;
    double actors = fmin(fmax(1, round(of[AL_PROFILE_actors_per_worker] * workers)), 1e8);
    double senders = of[AL_PROFILE_senders];
    const struct shape *shape = nearest_shape(of[AL_PROFILE_work_ns], of[AL_PROFILE_work_p99_ns]);
    struct hot hot = hot_part(of[AL_PROFILE_busiest_1], of[AL_PROFILE_busiest_10]);
    size_t bytes;
    FILE *out = al_needed(open_memstream(settings, &bytes));
    if (!isnan(of[AL_PROFILE_actors_per_worker])) {
        add(out, "actors", actors, 1, 1e8);
        add(out, "trees", actors, 1, 1e5);
        add(out, "hot", actors * (isnan(hot.visits) ? 0 : hot.part), 1, actors);
        if (senders < actors / 2) {
            add(out, "neighbours", senders - 1, 1, 1e8); /* the starting thread sends, too */
            fputs(" local=100", out);
        }
    }
    if (!isnan(hot.visits))
        fprintf(out, " hot_visits=%.3g", 100 * fmin(hot.visits, 1));
    add(out, "messages", of[AL_PROFILE_messages_per_s] / 10, 1e5, 1e7);
    add(out, "work", of[AL_PROFILE_work_ns] * shape->mean, 0, 1e10);
    fprintf(out, " service=%s", shape->name);
    add(out, "fan_out", of[AL_PROFILE_fan_out], 1, 1e6);
    add(out, "bytes", of[AL_PROFILE_message_bytes] - AL_SYNTHETIC_HEAD, 0, 1e9);
    fclose(out);
    *settings = al_needed(*settings);
    return 0;
}
