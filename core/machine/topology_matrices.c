/* SPDX-License-Identifier: MIT */

/*
 * The matrices of distances in hwloc's XML:
 *
 *     <distances2 type="NUMANode" nbobjs="2" name="NUMALatency" …>
 *       <u64values length="6">10 21 </u64values>
 *
 * hwloc does not say what is wrong with a matrix, and takes negative numbers for large ones.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/topology_private.h"

#define BEGIN        "<distances2"
#define END          "</distances2>"
#define VALUES_BEGIN "<u64values"
#define VALUES_END   "</u64values>"

/* Count the numbers up to the end, or return the place of what is no number. */
static const char *count_numbers(const char *text, const char *end, uint64_t *n)
{
    static const char blanks[] = " \t\r\n";
    text += strspn(text, blanks);
    while (text < end) {
        size_t length = strspn(text, "0123456789");
        if (length == 0 || (text + length < end && strchr(blanks, text[length]) == NULL))
            return text;
        (*n)++;
        text += length;
        text += strspn(text, blanks);
    }
    return NULL;
}

/* Check one matrix, from its first tag to its last. */
static int check(const char *spec, const char *begin, const char *end, struct al_error *error)
{
    const char *size = strstr(begin, "nbobjs=\""), *tag = begin;
    if (size == NULL || size >= end)
        return 0; /* hwloc refuses it */
    unsigned long objects = strtoul(size + strlen("nbobjs=\""), NULL, 10);
    uint64_t n = 0;
    while ((tag = strstr(tag, VALUES_BEGIN)) != NULL && tag < end) {
        const char *text = strchr(tag, '>'), *after = strstr(tag, VALUES_END);
        if (text == NULL || after == NULL || after > end || text > after)
            return 0; /* likewise */
        const char *wrong = count_numbers(text + 1, after, &n);
        if (wrong != NULL)
            return al_error_set(error, -EINVAL,
                                "malformed topology '%s': a matrix of distances has '%.*s'; valid: "
                                "numbers from 0",
                                spec, (int)strcspn(wrong, " \t\r\n<") % 40, wrong);
        tag = after;
    }
    if (objects < 65536 && n != (uint64_t)objects * objects)
        return al_error_set(error, -EINVAL,
                            "malformed topology '%s': a matrix of distances between %lu objects "
                            "has %llu values; valid: %llu",
                            spec, objects, (unsigned long long)n,
                            (unsigned long long)objects * objects);
    return 0;
}

int al_topology_check_matrices(const char *spec, const char *xml, struct al_error *error)
{
    int code = 0;
    const char *begin = xml, *end;
    while (code == 0 && (begin = strstr(begin, BEGIN)) != NULL &&
           (end = strstr(begin, END)) != NULL) {
        code = check(spec, begin, end, error);
        begin = end;
    }
    return code;
}
