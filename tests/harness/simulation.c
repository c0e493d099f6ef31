/* SPDX-License-Identifier: MIT */
#include "tests/harness/simulation.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/statistics/distributions.h"

const char *const noise_names[NOISES] = {"normal", "lognormal", "bimodal", "2 of 10 slow"};

bool simulation_is_deep(void)
{
    const char *deep = getenv("AL_TEST_DEEP");
    return deep != NULL && strcmp(deep, "1") == 0;
}

double simulated_uniform(struct al_random *random)
{
    return ((double)(al_random_next(random) >> 11) + .5) / 0x1p53;
}

double simulated_normal(struct al_random *random)
{
    return al_normal_quantile(simulated_uniform(random));
}

/* e^Z with its mean taken off, in units of its standard deviation. */
static double skewed(double z)
{
    return (exp(z) - exp(.5)) / sqrt((exp(1) - 1) * exp(1));
}

double simulated_time(struct al_random *random, enum noise noise)
{
    double z = simulated_normal(random);
    if (noise == LOGNORMAL)
        return 1 + SPREAD * skewed(z);
    if (noise == BIMODAL) {
        double mode = simulated_uniform(random) < .5 ? -SPREAD : SPREAD;
        return 1 + mode + SPREAD / 6 * z;
    }
    bool slow = noise == SLOW && simulated_uniform(random) < .2;
    return (1 + SPREAD * z) * (slow ? 4 : 1);
}

/* Two in ten are slower than all others: the median is that of the other eight's smallest five. */
double simulated_median(enum noise noise)
{
    return noise == LOGNORMAL ? 1 + SPREAD * skewed(0)
           : noise == SLOW    ? 1 + SPREAD * al_normal_quantile(5. / 8)
                              : 1;
}

void table_row(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("# | ");
    vprintf(format, arguments);
    puts(" |");
    fflush(stdout);
    va_end(arguments);
}

static double error(size_t trials, double rate)
{
    return sqrt(rate * (1 - rate) / (double)trials);
}

bool at_most(size_t count, size_t trials, double most)
{
    return (double)count / (double)trials <= most + 3 * error(trials, most);
}

bool at_least(size_t count, size_t trials, double least)
{
    return (double)count / (double)trials >= least - 3 * error(trials, least);
}
