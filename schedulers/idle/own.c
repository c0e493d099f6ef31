/* SPDX-License-Identifier: MIT */

/* The idle policy of strategies that put their workers to sleep themselves: it does nothing. */

#include "schedulers/idle/idles.h"

const struct al_idle_ops al_idle_own = {
    .plugin = {"own", "the strategy's own way of sleeping", NULL},
};
