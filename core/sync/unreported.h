/* SPDX-License-Identifier: MIT */
#ifndef AL_UNREPORTED_H
#define AL_UNREPORTED_H

/*
 * AL_UNREPORTED before a function: its accesses are not reported to a virtual engine one by one,
 * and its instructions not counted (AL_ACCESSES). For kernels that compute on large blocks: the
 * caller declares what they do with al_touch and al_compute, which is as exact and many times as
 * fast. It must call no function that is not declared so, and neither memcpy nor its like.
 */
#if defined AL_ACCESSES && defined __clang__
#define AL_UNREPORTED __attribute__((no_sanitize("thread", "coverage")))
#elif defined AL_ACCESSES
#define AL_UNREPORTED __attribute__((no_sanitize("thread"), no_sanitize_coverage))
#else
#define AL_UNREPORTED
#endif

#endif
