/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/commands/arguments.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

#include "benchmarks/harness/text/format.h"

bool al_argument_integer(const char *command, const char *option, const char *given, uint64_t min,
                         uint64_t max, uint64_t *out)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(given, &end, 10);
    if (!isdigit((unsigned char)given[0]) || *end != '\0' || errno != 0 || value < min ||
        value > max) {
        fprintf(stderr,
                "actorlab %s: --%s %s: expected an integer from %" PRIu64 " to %" PRIu64 "\n",
                command, option, given, min, max);
        return false;
    }
    *out = value;
    return true;
}

bool al_argument_share(const char *command, const char *option, const char *given, double *out)
{
    char *end;
    *out = strtod(given, &end);
    if (end != given && *end == '\0' && *out > 0 && *out < 1)
        return true;
    fprintf(stderr, "actorlab %s: --%s %s: expected a number between 0 and 1\n", command, option,
            given);
    return false;
}

bool al_argument_percent(const char *command, const char *option, const char *given, double *out)
{
    char *end;
    *out = strtod(given, &end);
    if (end != given && *end == '\0' && *out >= 0 && *out <= 10000)
        return true;
    fprintf(stderr, "actorlab %s: --%s %s: expected a number of percent, 0 to 10000\n", command,
            option, given);
    return false;
}

int al_argument_text(const char *option, const char *given, struct al_error *error)
{
    json_t *text = given != NULL ? json_string(given) : json_null();
    if (text == NULL) {
        char *shown = al_printable(given);
        al_error_set(error, -EINVAL,
                     "--%s '%s' is not UTF-8, as JSON that names it must be; valid: another name",
                     option, shown);
        free(shown);
        return -EINVAL;
    }
    json_decref(text);
    return 0;
}
