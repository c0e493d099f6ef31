/* SPDX-License-Identifier: MIT */
#ifndef AL_CHECK_CRASH_H
#define AL_CHECK_CRASH_H

/* A crash of what is checked ends its run, not the process. */

/* From now on, and until the second one; one search at a time. */
void check_crashes_catch(void);
void check_crashes_release(void);

#endif
