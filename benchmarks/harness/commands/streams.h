/* SPDX-License-Identifier: MIT */
#ifndef AL_STREAMS_H
#define AL_STREAMS_H

/*
 * From now on stdout remembers why a write failed first, for al_streams_end(), and stderr escapes
 * what a terminal would act on, since messages quote names of records, configurations and files.
 * With another C library than glibc neither is done. Once, before anything is printed.
 */
void al_watch_streams(void);

/* At the end of main(): writes what stdout still holds. Returns `code`, the exit code so far, or
 * AL_EXIT_WRITE after a message if not all that was printed could be written. */
int al_streams_end(int code);

#endif
