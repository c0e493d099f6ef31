/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/headline.h"

#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/labels.h"

struct al_text al_range_count(struct al_range range)
{
    struct al_text out;
    if (range.least == range.most)
        snprintf(out.text, sizeof out.text, "%.0f", range.most);
    else if (range.least == 0)
        snprintf(out.text, sizeof out.text, "up to %.0f", range.most);
    else
        snprintf(out.text, sizeof out.text, "%.0f to %.0f", range.least, range.most);
    return out;
}

/* How many times: two digits, and three where only the second would say that it is not 1. */
static struct al_text times_text(double ratio)
{
    struct al_text out = al_format_number(ratio, ratio < 1.095 ? 3 : 2);
    size_t length = strlen(out.text);
    if (length > 2 && strcmp(out.text + length - 2, ".0") == 0)
        out.text[length - 2] = '\0';
    return out;
}

void al_range_times(struct al_range range, const char *what, FILE *out)
{
    char *least = al_text("%s", times_text(range.least).text);
    char *most = al_text("%s", times_text(range.most).text);
    if (!isfinite(range.most) || strcmp(most, "1.00") == 0)
        ;
    else if (strcmp(least, most) == 0)
        fprintf(out, ", %s times%s", most, what);
    else
        fprintf(out, ", %s to %s times%s", strcmp(least, "1.00") == 0 ? "up" : least, most, what);
    free(least);
    free(most);
}
