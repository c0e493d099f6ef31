/* SPDX-License-Identifier: MIT */
#include "core/source.h"

const char *const al_source_names[] = {[AL_RECYCLED] = "recycled", [AL_MALLOC] = "malloc", NULL};

enum al_source al_source_of(const struct al_selection *selection, const char *option)
{
    size_t index;
    if (!al_option_matches(selection->plugin, option, &index))
        return AL_RECYCLED;
    return (enum al_source)selection->values[index].uint;
}
