/* SPDX-License-Identifier: MIT */
#include "core/plugin/plugin.h"

const char al_plugin_built[] = AL_PLUGIN_BUILT;
