/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/identity.h"

#include <string.h>

#include "benchmarks/harness/results/origin.h"
#include "benchmarks/harness/text/json.h"

const struct al_identity_key al_identity_keys[AL_IDENTITY_KEYS] = {
    {"benchmark", AL_WORK},
    {"parameters", AL_WORK | AL_SECTION},
    {"scheduler", AL_BARE | AL_LINE},
    {"victim", AL_BROUGHT | AL_BARE | AL_LINE},
    {"idle", AL_BROUGHT | AL_BARE | AL_LINE},
    {"options", AL_SECTION},
    {"workers", AL_WORK},
    {"pin", AL_BROUGHT | AL_PLACED | AL_BARE | AL_LINE},
    {"topology", AL_WORK | AL_BROUGHT | AL_PLACED | AL_BARE | AL_LINE},
    {"engine", AL_WORK | AL_BARE | AL_LINE},
    {"machine", AL_WORK | AL_BARE | AL_LINE},
    {"binary", AL_BUILD | AL_BARE | AL_LINE},
    {"binary_hash", AL_BUILD | AL_LINE},
    {"topology_hash", AL_BUILD | AL_LINE},
};

json_t *al_identity_of(const json_t *record)
{
    json_t *environment = al_record_environment(record);
    json_t *identity = al_needed(json_object());
    for (size_t k = 0; k < AL_IDENTITY_KEYS; k++) {
        const char *name = al_identity_keys[k].name;
        json_t *value = json_object_get(record, name);
        if (value == NULL)
            value = json_object_get(environment, name);
        al_json_set(identity, name,
                    strcmp(name, "machine") == 0 ? al_record_machine(record)
                                                 : al_json_or_null(value));
    }
    json_decref(environment);
    return identity;
}

size_t al_identity_differs(const json_t *a, const json_t *b, unsigned roles)
{
    size_t differ = 0;
    for (size_t k = 0; k < AL_IDENTITY_KEYS; k++) {
        const char *name = al_identity_keys[k].name;
        if ((al_identity_keys[k].roles & roles) != 0)
            differ += !json_equal(json_object_get(a, name), json_object_get(b, name));
    }
    return differ;
}

bool al_identity_agrees(const json_t *a, const json_t *b, unsigned roles)
{
    return al_identity_differs(a, b, roles) == 0;
}

char *al_identity_text(const json_t *identity, unsigned roles)
{
    json_t *values = al_needed(json_array());
    for (size_t k = 0; k < AL_IDENTITY_KEYS; k++) {
        if ((al_identity_keys[k].roles & roles) != 0)
            al_json_append(values,
                           json_incref(json_object_get(identity, al_identity_keys[k].name)));
    }
    char *text = al_needed(json_dumps(values, JSON_COMPACT | JSON_SORT_KEYS));
    json_decref(values);
    return text;
}
