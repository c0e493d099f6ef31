/* SPDX-License-Identifier: MIT */
#ifndef AL_FIRES_H
#define AL_FIRES_H

/* Scenes that end their process. */

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/tap.h"

/* Run it in a child process: does it end by this signal (0: normally), and print this (NULL:
 * nothing)? */
static inline bool fires(void (*scene)(void), int signal_number, const char *says)
{
    int ends[2];
    CHECK(pipe(ends) == 0, "no pipe");
    pid_t child = fork();
    CHECK(child >= 0, "no child");
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        alarm(60); /* in case a system never stops */
        scene();
        fflush(NULL);
        _exit(0);
    }
    close(ends[1]);
    char text[4096];
    size_t length = 0;
    ssize_t n;
    while (length < sizeof text - 1 &&
           (n = read(ends[0], text + length, sizeof text - 1 - length)) > 0)
        length += (size_t)n;
    text[length] = '\0';
    close(ends[0]);
    int status;
    waitpid(child, &status, 0);
    int ended_by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    bool said = says != NULL ? strstr(text, says) != NULL : length == 0;
    if (ended_by != signal_number || !said)
        printf("# status %d, said: %s\n", status, text);
    return ended_by == signal_number && said;
}

#endif
