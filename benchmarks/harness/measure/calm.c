/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/measure/noise.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "benchmarks/harness/measure/probe.h"
#include "core/report.h"
#include "core/sync/sync.h"

/* Between two looks, so that brief wake-ups of others have ended. */
#define GLANCE_NS 5000000u

bool al_calm_wait(const char *root, uint64_t patience_ns, struct al_error *error)
{
    struct al_path path = al_path(root, "/proc/stat");
    double most = AL_CALM_SHARE * (double)sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t began_ns = al_clock_ns();
    for (;;) {
        uint64_t running = al_probe_number(path.text, "procs_running");
        uint64_t others = running == AL_UNKNOWN || running == 0 ? 0 : running - 1; /* not itself */
        if ((double)others <= most)
            return true;
        if (al_clock_ns() - began_ns >= patience_ns) {
            al_error_set(error, -EBUSY,
                         "the machine is busy: %" PRIu64
                         " threads of other programs run; valid: an "
                         "idle machine, or --gate off",
                         others);
            return false;
        }
        al_sleep_ns(GLANCE_NS);
    }
}

void al_calm_begin(struct al_calm *calm)
{
    calm->noise = al_noise_new("");
    al_noise_begin(calm->noise);
}

/* A number of the JSON object; 0 if it is unknown. */
static double number_of(const json_t *noise, const char *key)
{
    return json_number_value(json_object_get(noise, key));
}

double al_calm_end(struct al_calm *calm)
{
    struct al_worker_report anywhere = {.pu = -1, .bound = -1};
    struct al_report report = {.n_workers = 1, .workers = &anywhere};
    al_noise_end(calm->noise, &report);
    json_t *noise = al_noise_json(calm->noise);
    double all_ns = number_of(noise, "elapsed_ns") * number_of(noise, "watched_pus");
    double taken_ns = number_of(noise, "others_ns") + number_of(noise, "steal_ns");
    json_decref(noise);
    al_noise_free(calm->noise);
    return all_ns > 0 ? taken_ns / all_ns : 0;
}
