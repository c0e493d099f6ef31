/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/commands/streams.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/text/format.h"

static int first_error; /* the errno of the first failure to write to stdout, or 0 */

/* Other C libraries have streams that cannot be replaced. */
#ifdef __GLIBC__

/* Write all of it, or return 0 after keeping the errno of the first failure. */
static ssize_t write_all(void *cookie, const char *bytes, size_t length)
{
    (void)cookie;
    size_t written = 0;
    while (written < length) {
        ssize_t n = write(STDOUT_FILENO, bytes + written, length - written);
        if (n == -1 && errno == EINTR)
            continue;
        if (n <= 0) {
            if (first_error == 0)
                first_error = n == -1 ? errno : EIO;
            return 0;
        }
        written += (size_t)n;
    }
    return (ssize_t)length;
}

static FILE *messages; /* the standard error, to which stderr writes what may be printed */

/*
 * Make stdout a stream that remembers why a write failed: ferror() says only that one did, and the
 * errno of fflush() is that of the last write, which may have had nothing left to write.
 */
static void watch_stdout(void)
{
    FILE *watched = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_all});
    if (watched == NULL)
        return; /* without memory for a stream, al_streams_end() still sees a failure */
    setvbuf(watched, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFSIZ);
    stdout = watched;
}

/* What stderr has got and not written: the start of a character whose rest the next write brings.
 * Nothing ends with one, since each message ends with a line break. */
struct begun {
    char bytes[5]; /* a character of UTF-8 and a NUL */
    size_t n;
};

/* Whether these bytes are less than a character of UTF-8. */
static bool is_part(const struct begun *begun)
{
    unsigned char first = (unsigned char)begun->bytes[0];
    size_t length = first < 0xc2 || first > 0xf4 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    for (size_t i = 1; i < begun->n; i++) {
        if ((begun->bytes[i] & 0xc0) != 0x80)
            return false;
    }
    return begun->n < length;
}

/*
 * Write all of it, with what a terminal would act on escaped: messages quote names of records,
 * configurations and files. It allocates nothing, because memory may be what is lacking.
 */
static ssize_t write_printable(void *cookie, const char *bytes, size_t length)
{
    struct begun *begun = cookie;
    for (size_t at = 0, used; at < length || begun->n > 0; begun->n -= used) {
        while (begun->n < sizeof begun->bytes - 1 && at < length)
            begun->bytes[begun->n++] = bytes[at++];
        begun->bytes[begun->n] = '\0';
        if (is_part(begun))
            break;
        struct al_text shown = {"\n"};
        used = 1;
        if (*begun->bytes != '\n')
            shown = al_printable_character(begun->bytes, &used);
        if (fputs(shown.text, messages) == EOF)
            return 0;
        memmove(begun->bytes, begun->bytes + used, begun->n - used);
    }
    return fflush(messages) == 0 ? (ssize_t)length : 0;
}

/* Progress on a terminal goes to the terminal itself (commands/measuring.h). */
static void watch_stderr(void)
{
    static char buffer[BUFSIZ];
    static struct begun begun;
    messages = stderr;
    FILE *watched = fopencookie(&begun, "w", (cookie_io_functions_t){.write = write_printable});
    if (watched == NULL)
        return;
    setvbuf(messages, buffer, _IOFBF, sizeof buffer);
    setvbuf(watched, NULL, _IONBF, 0);
    stderr = watched;
}

void al_watch_streams(void)
{
    watch_stderr();
    watch_stdout();
}

#else

void al_watch_streams(void)
{
}

#endif

int al_streams_end(int code)
{
    if (fflush(stdout) != 0 && first_error == 0)
        first_error = errno;
    if (!ferror(stdout))
        return code;
    fprintf(stderr, "actorlab: could not write to standard output: %s\n", strerror(first_error));
    return AL_EXIT_WRITE;
}
