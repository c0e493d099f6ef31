/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/statistics.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"

/* A resample's median: the mean of the values at two ranks, from 1; the same rank twice for odd n.
 */
struct replicate {
    double value;
    uint32_t lower, upper;
};

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static int compare_replicates(const void *left, const void *right)
{
    double a = ((const struct replicate *)left)->value;
    double b = ((const struct replicate *)right)->value;
    return (a > b) - (a < b);
}

/* Type 7: quantile p of n values lies `fraction` of the way from index (returned) to the next. */
static size_t quantile_index(size_t n, double p, double *fraction)
{
    double place = (double)(n - 1) * fmin(fmax(p, 0), 1);
    double whole = floor(place);
    *fraction = place - whole;
    return (size_t)whole;
}

/* fraction is less than 1 */
static double between(double a, double b, double fraction)
{
    return a + fraction * (b - a);
}

double al_quantile(const double *sorted, size_t n, double p)
{
    if (n == 0)
        return NAN;
    double fraction;
    size_t i = quantile_index(n, p, &fraction);
    return fraction > 0 ? between(sorted[i], sorted[i + 1], fraction) : sorted[i];
}

static double replicate_quantile(const struct replicate *sorted, size_t count, double p)
{
    double fraction;
    size_t i = quantile_index(count, p, &fraction);
    return fraction > 0 ? between(sorted[i].value, sorted[i + 1].value, fraction) : sorted[i].value;
}

static double sorted_median(const double *sorted, size_t n)
{
    return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

double al_median(double *values, size_t n)
{
    if (n == 0)
        return NAN;
    qsort(values, n, sizeof *values, compare_doubles);
    return sorted_median(values, n);
}

static double polynomial(const double coefficients[8], double x)
{
    double sum = 0;
    for (int i = 7; i >= 0; i--)
        sum = sum * x + coefficients[i];
    return sum;
}

/* Wichura, "Algorithm AS 241: the percentage points of the normal distribution", Applied Statistics
 * 37 (1988), PPND16: about 16 digits. */
double al_normal_quantile(double p)
{
    static const double centre[2][8] = {
        {3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3,
         1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
         3.3430575583588128105e+4, 2.5090809287301226727e+3},
        {1.0, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
         2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4,
         5.2264952788528545610e+3},
    };
    static const double middle[2][8] = {
        {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
         3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
         2.27238449892691845833e-2, 7.74545014278341407640e-4},
        {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
         1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
         1.05075007164441684324e-9},
    };
    static const double tail[2][8] = {
        {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
         2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
         2.71155556874348757815e-5, 2.01033439929228813265e-7},
        {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
         7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
         2.04426310338993978564e-15},
    };

    double q = p - 0.5;
    if (fabs(q) <= 0.425) {
        double r = 0.180625 - q * q;
        return q * polynomial(centre[0], r) / polynomial(centre[1], r);
    }
    double smaller = q < 0 ? p : 1 - p;
    if (smaller <= 0)
        return q < 0 ? -INFINITY : INFINITY;
    double r = sqrt(-log(smaller));
    double z = r <= 5 ? polynomial(middle[0], r - 1.6) / polynomial(middle[1], r - 1.6)
                      : polynomial(tail[0], r - 5) / polynomial(tail[1], r - 5);
    return q < 0 ? -z : z;
}

static double normal_below(double z)
{
    return erfc(-z / M_SQRT2) / 2;
}

/*
 * Medians of resamples. A resample is drawn as ranks and counted, so that its median is found by
 * adding counts up, without sorting.
 */
static void draw(const double *sorted, size_t n, size_t resamples, uint64_t seed, uint32_t *counts,
                 struct replicate *out)
{
    struct al_random random;
    al_random_seed(&random, seed, 0);
    for (size_t r = 0; r < resamples; r++) {
        memset(counts, 0, n * sizeof *counts);
        for (size_t i = 0; i < n; i++)
            counts[al_random_below(&random, (uint32_t)n)]++;

        uint32_t lower = 0;
        size_t seen = counts[0];
        while (seen < (n + 1) / 2)
            seen += counts[++lower];
        uint32_t upper = lower;
        while (seen < n / 2 + 1)
            seen += counts[++upper];
        out[r] = (struct replicate){(sorted[lower] + sorted[upper]) / 2, lower + 1, upper + 1};
    }
}

/*
 * Coverage. Let b of the n values lie below the population's median m: b is binomial, and a
 * replicate is below m if its upper rank is at most b, above if its lower rank is more. If it
 * straddles m, it is below if its lower value is farther from m than its upper one. Under the
 * Laplace distribution, for which the interpolation of Hettmansperger and Sheather (1986) is exact
 * as well, going outwards from m is a race without memory: the next value is one of those below as
 * often as they are among those still to come.
 */
#define REACH                                                                                      \
    24 /* ranks from m; a farther straddler is as rare as e^-24, and counted at this distance */

struct race {
    size_t below, above; /* how many values lie below m, and above */
    uint64_t room;       /* how many straddlers may fall below m */
    uint64_t sum[REACH + 1]
                [REACH + 1]; /* [d][u]: lower rank at least d, upper one less than u steps out */
};

/* The chance that no more than `room` straddlers fall below m, once d values below m and u above
 * are passed, `count` straddlers fell below, and all this had some chance to happen. */
static double run_race(const struct race *race, size_t d, size_t u, uint64_t count, double chance)
{
    if (count + race->sum[d][u] > race->room)
        return 0;
    if (count + race->sum[d][REACH] <= race->room)
        return 1;
    if (chance < 1e-7) /* still open: what is left out is far below what a resampling tells */
        return 0.5;
    size_t below = race->below - d, above = race->above - u;
    double p = (double)below / (double)(below + above);
    uint64_t fallen = race->sum[d][u] - race->sum[d + 1][u];
    return p * run_race(race, d + 1, u, count + fallen, chance * p) +
           (1 - p) * run_race(race, d, u + 1, count, chance * (1 - p));
}

static double straddlers_stay_above(const struct replicate *replicates, size_t count, size_t n,
                                    size_t b, uint64_t room)
{
    struct race race = {.below = b, .above = n - b, .room = room};
    for (size_t r = 0; r < count; r++) {
        if (replicates[r].lower > b || replicates[r].upper <= b)
            continue;
        size_t d = b - replicates[r].lower, u = replicates[r].upper - b - 1;
        race.sum[d < REACH ? d : REACH - 1][u < REACH ? u + 1 : REACH]++;
    }
    for (size_t d = REACH; d-- > 0;)
        for (size_t u = 1; u <= REACH; u++)
            race.sum[d][u] += race.sum[d][u - 1];
    for (size_t d = REACH; d-- > 0;)
        for (size_t u = 1; u <= REACH; u++)
            race.sum[d][u] += race.sum[d + 1][u];
    return run_race(&race, 0, 0, 0, 1);
}

/*
 * The chance that the replicate at `index` of their order lies above m: that at most `index`
 * replicates are below. With odd n it is P(Bin(n, 1/2) < k) for the one rank k that can be there; k
 * goes to *rank. uppers[b] and lowers[b] count the replicates with an upper or lower rank of at
 * most b.
 */
static double replicate_above(const struct replicate *replicates, size_t count, size_t n,
                              const uint32_t *lowers, const uint32_t *uppers, size_t index,
                              size_t *rank)
{
    /* P(Bin(n, 1/2) = b) as mantissa · 2^exponent: never out of range, and exact for small n. */
    double mantissa = 1, chance = 0;
    int exponent = -(int)n;
    size_t b;
    for (b = 0; b < n && uppers[b] <= index; b++) {
        double mass = ldexp(mantissa, exponent);
        if (lowers[b] > index && mass > 0)
            mass *= straddlers_stay_above(replicates, count, n, b, index - uppers[b]);
        chance += mass;
        int shift;
        mantissa = frexp(mantissa * (double)(n - b) / (double)(b + 1), &shift);
        exponent += shift;
    }
    *rank = b;
    return chance;
}

/* The chance that quantile p of the replicates lies above m. */
static double quantile_above(const struct replicate *replicates, size_t count, size_t n,
                             const uint32_t *lowers, const uint32_t *uppers, double p)
{
    double lambda;
    size_t k, next, index = quantile_index(count, p, &lambda);
    double chance = replicate_above(replicates, count, n, lowers, uppers, index, &k);
    if (lambda == 0)
        return chance;
    double then = replicate_above(replicates, count, n, lowers, uppers, index + 1, &next);
    if (then == chance)
        return chance;
    /* λ = (n-k) I / (k + (n-2k) I) of Hettmansperger and Sheather, inverted. */
    double size = (double)n, at = (double)k;
    return chance + (then - chance) * lambda * at / ((size - at) - lambda * (size - 2 * at));
}

/*
 * Efron's acceleration, from the medians of the n samples that leave one value out. It does not
 * depend on place or scale, so they are taken into [0, 1] first: no overflow, whatever the values.
 */
static double acceleration(const double *sorted, size_t n)
{
    if (n < 2)
        return 0;
    /* Leaving out a value in the upper half, in the lower half, or (odd n) the middle one. */
    size_t m = n / 2;
    bool odd = n % 2 == 1;
    double lowest = odd ? (sorted[m - 1] + sorted[m]) / 2 : sorted[m - 1];
    double highest = odd ? (sorted[m] + sorted[m + 1]) / 2 : sorted[m];
    if (lowest == highest)
        return 0;
    double spread = highest - lowest;
    double centre = odd ? ((sorted[m - 1] + sorted[m + 1]) / 2 - lowest) / spread : 0;
    double half = (double)m;
    double mean = (half + centre) / (double)n;
    double from_low = mean, from_high = mean - 1, from_centre = odd ? mean - centre : 0;
    double squares = half * (pow(from_low, 2) + pow(from_high, 2)) + pow(from_centre, 2);
    double cubes = half * (pow(from_low, 3) + pow(from_high, 3)) + pow(from_centre, 3);
    return cubes / (6 * pow(squares, 1.5));
}

/*
 * Which quantile of the replicates BCa takes in place of the one at normal score z. A median's
 * acceleration is at most 0.069 (three values, two of them equal), so that no score of a double
 * comes to the pole.
 */
static double bca_quantile(double bias, double accelerate, double z)
{
    double score = bias + z;
    return normal_below(bias + score / (1 - accelerate * score));
}

/* z0: how far the replicates lie to one side of the median. */
static double bias_correction(const struct replicate *replicates, size_t count, double median)
{
    size_t less = 0, less_or_equal = 0;
    for (size_t i = 0; i < count; i++) {
        less += replicates[i].value < median;
        less_or_equal += replicates[i].value <= median;
    }
    /* All on one side would be infinitely biased: half a replicate is as far as they can tell. */
    double half = 0.5 / (double)count;
    double share = (double)(less + less_or_equal) / (2 * (double)count);
    return al_normal_quantile(fmin(fmax(share, half), 1 - half));
}

static int bootstrap(const double *values, size_t n, size_t resamples, double level, uint64_t seed,
                     double *replicates, struct al_interval *out, bool bca)
{
    if (n == 0 || n >= INT32_MAX || resamples == 0 || resamples > INT32_MAX ||
        !(level > 0 && level < 1))
        return -EINVAL;
    for (size_t i = 0; i < n; i++)
        if (!(fabs(values[i]) <= DBL_MAX / 2)) /* sums and differences of two values stay finite */
            return -EINVAL;

    double *sorted = calloc(n, sizeof *sorted);
    uint32_t *counts = calloc(n + 1, sizeof *counts), *uppers = calloc(n + 1, sizeof *uppers);
    struct replicate *drawn = calloc(resamples, sizeof *drawn);
    int error = sorted == NULL || counts == NULL || uppers == NULL || drawn == NULL ? -ENOMEM : 0;
    if (error == 0) {
        memcpy(sorted, values, n * sizeof *sorted);
        double median = al_median(sorted, n);
        draw(sorted, n, resamples, seed, counts, drawn);
        for (size_t i = 0; replicates != NULL && i < resamples; i++)
            replicates[i] = drawn[i].value;
        qsort(drawn, resamples, sizeof *drawn, compare_replicates);

        double tail = (1 - level) / 2, from = tail, to = 1 - tail;
        if (bca) {
            double bias = bias_correction(drawn, resamples, median);
            double accelerate = acceleration(sorted, n), z = al_normal_quantile(tail);
            from = bca_quantile(bias, accelerate, z);
            to = bca_quantile(bias, accelerate, -z);
        }
        double low = replicate_quantile(drawn, resamples, from);
        double high = replicate_quantile(drawn, resamples, to);

        uint32_t *lowers = counts;
        memset(lowers, 0, (n + 1) * sizeof *lowers);
        for (size_t i = 0; i < resamples; i++) {
            lowers[drawn[i].lower]++;
            uppers[drawn[i].upper]++;
        }
        for (size_t b = 1; b <= n; b++) {
            lowers[b] += lowers[b - 1];
            uppers[b] += uppers[b - 1];
        }
        double achieved = quantile_above(drawn, resamples, n, lowers, uppers, to) -
                          quantile_above(drawn, resamples, n, lowers, uppers, from);
        *out = (struct al_interval){
            .median = median,
            .low = low,
            .high = high,
            .achieved = fmax(achieved, 0),
            .n = n,
            .degenerate = low == high,
        };
    }
    free(drawn);
    free(uppers);
    free(counts);
    free(sorted);
    return error;
}

int al_bootstrap_median(const double *values, size_t n, size_t resamples, double level,
                        uint64_t seed, double *replicates, struct al_interval *out)
{
    return bootstrap(values, n, resamples, level, seed, replicates, out, false);
}

int al_bootstrap_median_bca(const double *values, size_t n, size_t resamples, double level,
                            uint64_t seed, double *replicates, struct al_interval *out)
{
    return bootstrap(values, n, resamples, level, seed, replicates, out, true);
}
