/* SPDX-License-Identifier: MIT */
#ifndef AL_SCHEMA_H
#define AL_SCHEMA_H

#include <jansson.h>

/*
 * What a record is: docs/reference/records.md. The check of records, the program that writes them
 * and the test of that page all use this one table.
 */

#define AL_SCHEMA_OLDEST  1
#define AL_SCHEMA_VERSION 2
#define AL_TRIAL_DIGITS   32
#define AL_SESSION_DIGITS 16
#define AL_HASH_DIGITS    16
#define AL_DEPTH_MOST     8 /* of nested lists and objects; our own records reach 4 */
#define AL_PATH_MOST      4
#define AL_HANDOFF_MOST   8 /* PUs that the hand-off is probed to */

/* A number that a macro stands for, as a string literal. */
#define AL_TEXT_OF(number)  AL_TEXT_OF_(number)
#define AL_TEXT_OF_(number) #number

/* What a value may be, and when it must be there. */
enum al_kind {
    AL_IS_NIL = 1 << 0,
    AL_IS_TEXT = 1 << 1,
    AL_IS_INTEGER = 1 << 2,
    AL_IS_REAL = 1 << 3,
    AL_IS_BOOLEAN = 1 << 4,
    AL_IS_OBJECT = 1 << 5,
    AL_IS_LIST = 1 << 6,
    AL_IS_HEX = 1 << 7,          /* text of `high` hexadecimal digits */
    AL_IS_OUTCOME = 1 << 8,      /* text, one of al_outcomes */
    AL_REQUIRED = 1 << 9,        /* wherever the object exists that it is in */
    AL_REQUIRED_IF_OK = 1 << 10, /* required, and within its range, if the outcome is ok */
    AL_SINCE_2 = 1 << 11,        /* version 1 does not know it */
    AL_IS_PAIR = 1 << 12,        /* a list of two */
    AL_IS_PLACED = 1 << 13,      /* text, one of al_placed_names */
    AL_IS_NUMBER = AL_IS_INTEGER | AL_IS_REAL,
    AL_IS_PLAIN = AL_IS_NIL | AL_IS_TEXT | AL_IS_NUMBER | AL_IS_BOOLEAN,
};

/*
 * One rule per value. The path leads to it from the record: "*" stands for every item of a list or
 * object, a digit for the item in that place of a list. The range is that of a number, or of a
 * list's length; there is none if both ends are equal. A rule holds where the path leads nowhere,
 * because the rule of the missing part reports that.
 */
struct al_rule {
    const char *path[AL_PATH_MOST + 1];
    unsigned kinds; /* of enum al_kind */
    double low, high;
    const char *problem;
};

/* In the order of checking: the first rule that a record breaks is the one reported. An empty path
 * ends it. */
extern const struct al_rule al_schema[];

/* The outcomes of a trial; only times of the first count. NULL ends them. */
extern const char *const al_outcomes[];

/* What a record says of a placement, by enum al_placed, and then former words. NULL ends them. */
extern const char *const al_placed_names[];

/* For other programs: a list of {"path", "kinds", "low", "high", "required", "since"}. */
json_t *al_schema_json(void);

/* The same as a JSON Schema (json_schema.c), for programs that check records with a library. It
 * leaves out how deep lists and objects may be nested. */
json_t *al_json_schema(void);

/*
 * Whether something is a record. Every reader of records, in C or Python, uses this check, and so
 * does the program that writes them.
 */

/* NULL if the record is valid, else one line that says what was expected of which key. */
const char *al_record_problem(const json_t *record);

#endif
