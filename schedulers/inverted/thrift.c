/* SPDX-License-Identifier: MIT */
#include "schedulers/inverted/thrift.h"

#include <string.h>

struct al_thrift *al_thrift_new(uint32_t n_workers)
{
    size_t bytes = n_workers * sizeof(struct al_thrift);
    struct al_thrift *thrift = al_aligned_alloc(_Alignof(struct al_thrift), bytes);
    if (thrift == NULL)
        return NULL;
    memset(thrift, 0, bytes);
    for (uint32_t i = 0; i < n_workers; i++) {
        thrift[i].watches = al_calloc(n_workers, sizeof *thrift[i].watches);
        if (thrift[i].watches == NULL) {
            al_thrift_free(thrift, n_workers);
            return NULL;
        }
    }
    return thrift;
}

void al_thrift_free(struct al_thrift *thrift, uint32_t n_workers)
{
    for (uint32_t i = 0; thrift != NULL && i < n_workers; i++)
        al_free(thrift[i].watches);
    al_free(thrift);
}
