/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/plugins/origin.h"

#include <sodium.h>
#include <string.h>

#include "benchmarks/harness/plugins/load.h"
#include "benchmarks/harness/text/json.h"

json_t *al_plugins_json(void)
{
    char hash[2 * AL_PLUGIN_HASH_BYTES + 1];
    size_t n;
    const struct al_loaded *all = al_plugins_loaded(&n);
    json_t *files = n > 0 ? al_needed(json_object()) : NULL;
    for (size_t i = 0; i < n; i++) {
        sodium_bin2hex(hash, sizeof hash, all[i].hash, sizeof all[i].hash);
        al_json_set(files, all[i].path,
                    json_pack("{s:s, s:s?}", "hash", hash, "version", all[i].version));
    }
    return files;
}

uint64_t al_plugins_hash(void)
{
    crypto_generichash_state state;
    unsigned char bytes[AL_PLUGIN_HASH_BYTES];
    uint64_t hash;
    size_t n;
    const struct al_loaded *all = al_plugins_loaded(&n);
    if (n == 0)
        return 0;
    crypto_generichash_init(&state, NULL, 0, sizeof bytes);
    for (size_t i = 0; i < n; i++)
        crypto_generichash_update(&state, all[i].hash, sizeof all[i].hash);
    crypto_generichash_final(&state, bytes, sizeof bytes);
    memcpy(&hash, bytes, sizeof hash);
    return hash;
}
