/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/measure/child.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

FILE *al_memory_file(void)
{
    int file = memfd_create("actorlab", MFD_CLOEXEC);
    return file != -1 ? fdopen(file, "w+") : NULL;
}

int al_child_run(char *const command[], FILE *in, FILE *out, FILE *error)
{
    FILE *const streams[] = {in, out, error};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status;
    if (in != NULL && (ferror(in) || fflush(in) != 0 || fseek(in, 0, SEEK_SET) != 0))
        return -EIO;
    int failed = posix_spawn_file_actions_init(&actions);
    for (int i = 0; i < 3 && failed == 0; i++) {
        if (streams[i] != NULL)
            failed = posix_spawn_file_actions_adddup2(&actions, fileno(streams[i]), i);
    }
    if (failed == 0)
        failed = posix_spawnp(&child, command[0], &actions, NULL, command, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0)
        return -failed;
    return waitpid(child, &status, 0) == child ? status : -errno;
}

int al_child_beside(const char *name, char path[], size_t size, struct al_error *error)
{
    char own[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length < 0)
        return al_error_set(error, -errno, "cannot find this program's folder: %s",
                            strerror(errno));
    own[length] = '\0';
    *strrchr(own, '/') = '\0';
    int needed = snprintf(path, size, "%s/%s", own, name);
    if (needed < 0 || (size_t)needed >= size)
        return al_error_set(error, -ENAMETOOLONG, "the path of %s is too long", name);
    return 0;
}

int al_child_place(const char *built, const char *installed, char path[], size_t size,
                   struct al_error *error)
{
    int code = al_child_beside(built, path, size, error);
    if (code != 0 || access(path, F_OK) == 0)
        return code;
    return al_child_beside(installed, path, size, error);
}

void al_copy(FILE *from, FILE *to)
{
    char buffer[4096];
    size_t length;
    rewind(from);
    while ((length = fread(buffer, 1, sizeof buffer, from)) > 0)
        fwrite(buffer, 1, length, to);
}
