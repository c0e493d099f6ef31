/* SPDX-License-Identifier: MIT */
#include "core/config.h"

const char AL_BUILD = 0;
