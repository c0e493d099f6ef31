/* SPDX-License-Identifier: MIT */
#ifndef AL_PLUGINS_CRASH_H
#define AL_PLUGINS_CRASH_H

/* From now on a line on stderr says in which function of which file this program crashes, before
 * it does. */
void al_crash_watch(void);

#endif
