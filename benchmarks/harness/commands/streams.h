/* SPDX-License-Identifier: MIT */
#ifndef AL_STREAMS_H
#define AL_STREAMS_H

/*
 * From now on stdout remembers why a write failed: *first_error is the errno of the first failure,
 * or 0; and stderr escapes what a terminal would act on, since messages quote names of records,
 * configurations and files. With another C library than glibc neither is done. The pointer is used
 * until the process ends. Once, before anything is printed.
 */
void al_watch_streams(int *first_error);

#endif
