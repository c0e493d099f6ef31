/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/measure/child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

FILE *al_memory_file(void)
{
    int file = memfd_create("actorlab", MFD_CLOEXEC);
    return file != -1 ? fdopen(file, "w+") : NULL;
}

/* Start a program with these files as its standard streams; below 0: ours. 0, or an errno. */
static int start(char *const command[], const int files[3], pid_t *child)
{
    posix_spawn_file_actions_t actions;
    int failed = posix_spawn_file_actions_init(&actions);
    for (int i = 0; i < 3 && failed == 0; i++) {
        if (files[i] >= 0)
            failed = posix_spawn_file_actions_adddup2(&actions, files[i], i);
    }
    if (failed == 0)
        failed = posix_spawnp(child, command[0], &actions, NULL, command, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

int al_child_run(char *const command[], FILE *in, FILE *out, FILE *error)
{
    FILE *const streams[] = {in, out, error};
    int files[3], status;
    pid_t child;
    if (in != NULL && (ferror(in) || fflush(in) != 0 || fseek(in, 0, SEEK_SET) != 0))
        return -EIO;
    for (int i = 0; i < 3; i++)
        files[i] = streams[i] != NULL ? fileno(streams[i]) : -1;
    int failed = start(command, files, &child);
    if (failed != 0)
        return -failed;
    return waitpid(child, &status, 0) == child ? status : -errno;
}

int al_child_lines(char *const command[], void (*take)(void *argument, const char *line),
                   void *argument)
{
    int ends[2], status;
    pid_t child;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -errno;
    int failed = start(command, (const int[]){-1, ends[1], -1}, &child);
    close(ends[1]);
    FILE *output = failed == 0 ? fdopen(ends[0], "r") : NULL;
    if (output == NULL)
        close(ends[0]);
    if (failed != 0)
        return -failed;
    char *line = NULL;
    size_t size = 0;
    while (output != NULL && getline(&line, &size, output) > 0) {
        line[strcspn(line, "\n")] = '\0';
        take(argument, line);
    }
    free(line);
    if (output != NULL)
        fclose(output);
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
