/* SPDX-License-Identifier: MIT */
#ifndef AL_SYNTHETIC_H
#define AL_SYNTHETIC_H

/* What synthetic's messages take beside their contents, in bytes. */
#define AL_SYNTHETIC_HEAD 32

#endif
