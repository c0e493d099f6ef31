/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/measure/child.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* Add the times in a record, for each message. */
static bool read_times(const json_t *record, struct al_samples *ns)
{
    const json_t *all = json_object_get(record, "time_ns"), *time;
    double messages = json_number_value(json_object_get(record, "messages"));
    size_t i;
    if (!(messages > 0))
        return false;
    json_array_foreach(all, i, time)
    {
        al_samples_add(ns, json_number_value(time) / messages);
    }
    return json_array_size(all) > 0;
}

static int explain(const json_t *record, FILE *said, struct al_error *error)
{
    char line[200] = "no record";
    const char *problem = json_string_value(json_object_get(record, "error"));
    rewind(said);
    if (problem == NULL && fgets(line, sizeof line, said) != NULL)
        line[strcspn(line, "\n")] = '\0';
    return al_error_set(error, -EIO, "%s", problem != NULL ? problem : line);
}

int al_child_times(char *const command[], struct al_samples *ns, struct al_error *error)
{
    FILE *out = al_memory_file(), *said = al_memory_file();
    if (out == NULL || said == NULL) {
        if (out != NULL)
            fclose(out);
        if (said != NULL)
            fclose(said);
        return al_error_set(error, -ENOMEM, "no memory for a record");
    }
    int status = al_child_run(command, NULL, out, said), code = 0;
    rewind(out);
    json_t *record = json_loadf(out, 0, NULL);
    if (status < 0)
        code = al_error_set(error, status, "%s", strerror(-status));
    else if (status != 0 || !read_times(record, ns))
        code = explain(record, said, error);
    json_decref(record);
    fclose(out);
    fclose(said);
    return code;
}
