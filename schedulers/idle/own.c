/* SPDX-License-Identifier: MIT */

/* For strategies that put their workers to sleep themselves. */

#include "schedulers/idle/idles.h"

const struct al_idle_ops al_idle_own = {
    .plugin = {"own", "the strategy's own way of sleeping", NULL},
};
