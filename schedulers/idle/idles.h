/* SPDX-License-Identifier: MIT */
#ifndef AL_IDLES_H
#define AL_IDLES_H

/* The idle policies, each in the file of its name. A strategy names its own here. */

#include "core/plugin/idle.h"

extern const struct al_idle_ops al_idle_spin;
extern const struct al_idle_ops al_idle_polling;
extern const struct al_idle_ops al_idle_park;
extern const struct al_idle_ops al_idle_backoff;
extern const struct al_idle_ops al_idle_own;

#endif
