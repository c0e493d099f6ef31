/* SPDX-License-Identifier: MIT */
#include "core/names.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Levenshtein's distance, for names of up to 63 characters. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t row[64];
    size_t n = strlen(b);
    if (n >= 64)
        return SIZE_MAX;
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            size_t least = change < row[j] + 1 ? change : row[j] + 1;
            row[j] = least < row[j - 1] + 1 ? least : row[j - 1] + 1;
        }
    }
    return row[n];
}

void al_names_add(struct al_names *names, const char *name)
{
    /* The names that fit, and that there are more. */
    static const char more[] = ", …";
    size_t used = strlen(names->text), room = sizeof names->text - used;
    bool fits = strlen(name) + strlen(", ") + sizeof more <= room;
    bool said = used >= strlen(more) && strcmp(names->text + used - strlen(more), more) == 0;
    if (!said)
        snprintf(names->text + used, room, "%s%s", fits && used != 0 ? ", " : "",
                 fits ? name : more);
    size_t distance = edit_distance(names->wanted, name);
    if (distance < names->distance) {
        names->distance = distance;
        snprintf(names->nearest, sizeof names->nearest, "%s", name);
    }
}

int al_names_error(const struct al_names *names, const char *what, struct al_error *error)
{
    /* A name that differs in more than half of its letters was hardly meant. */
    bool near = names->distance <= strlen(names->nearest) / 2;
    return al_error_set(error, -EINVAL, "unknown %s '%s'%s%s%s; valid: %s", what, names->wanted,
                        near ? "; did you mean '" : "", near ? names->nearest : "",
                        near ? "'?" : "", names->text[0] != '\0' ? names->text : "none");
}
