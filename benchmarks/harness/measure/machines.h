/* SPDX-License-Identifier: MIT */
#ifndef AL_MACHINES_H
#define AL_MACHINES_H

/* The machine files that come with the program: for a built program those of its source tree
 * (configs/machines), for an installed one those that were installed with it. */

#include <stddef.h>

#include "core/error.h"

/*
 * The path of a machine file that a user names: NAME itself if it ends in .xml, else NAME.xml in
 * the program's folder. -EINVAL with a line in error that suggests the nearest name and lists all,
 * or says that another file than NAME.xml is none; -ENOMEM. The caller frees the path.
 */
__attribute__((warn_unused_result)) int al_machine_path(const char *name, char **path,
                                                        struct al_error *error);

/* The names of the machines in the program's folder, in the order of the alphabet. */
struct al_machine_names {
    char **all;
    size_t n;
};

/* -ENOENT or another errno of opening the folder, with a line in error; -ENOMEM. */
__attribute__((warn_unused_result)) int al_machine_names(struct al_machine_names *names,
                                                         struct al_error *error);
void al_machine_names_free(struct al_machine_names *names);

#endif
