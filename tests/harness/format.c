/* SPDX-License-Identifier: MIT */

/* Numbers for people: durations, rates, sizes; and tables. */

#include "benchmarks/harness/text/format.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/counted.h"
#include "tests/support/tap.h"

static void test_formats(struct tap *tap)
{
    static const struct {
        double ns;
        const char *expected;
    } durations[] = {{8.1234, "8.12 ns"}, {12, "12 ns"},        {999.4, "999 ns"},
                     {999.7, "1.00 µs"},  {9.999e3, "10.0 µs"}, {812345678, "812 ms"},
                     {1.5e9, "1.50 s"},   {5e12, "5000 s"},     {0, "0 ns"}};
    bool ok = true;
    for (size_t i = 0; i < sizeof durations / sizeof *durations; i++)
        ok &= strcmp(al_format_duration(durations[i].ns).text, durations[i].expected) == 0;
    ok &= strcmp(al_format_rate(124.9e6).text, "125 M messages/s") == 0;
    ok &= strcmp(al_format_bytes(12345678).text, "12.3 MB") == 0;
    ok &= strcmp(al_format_number(12345.6, 4).text, "12346") == 0;
    ok &= strcmp(al_format_number(9.99951, 4).text, "10.00") == 0;
    ok &= strcmp(al_format_number(8.1, 4).text, "8.100") == 0;
    ok &= strcmp(al_format_number(1.23456e304, 4).text, "1.235e+304") == 0;
    ok &= strcmp(al_format_number(1e-300, 4).text, "1e-300") == 0;
    tap_ok(tap, ok, "numbers for people");
}

static void test_counts(struct tap *tap)
{
    static const struct {
        uint64_t n;
        const char *word, *expected;
    } counts[] = {
        {0, "pair", "0 pairs"},
        {1, "pair", "1 pair"},
        {2, "pair", "2 pairs"},
        {1, "process", "1 process"},
        {3, "process", "3 processes"},
        {UINT64_MAX, "of twenty-four letters.", "18446744073709551615 of twenty-four letters.s"},
    };
    bool ok = true;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        ok &= strcmp(al_counted(counts[i].n, counts[i].word).text, counts[i].expected) == 0;
    tap_ok(tap, ok, "singular and plural");
}

/* The 32 bits align the first columns only. */
static void test_wide_table(struct tap *tap)
{
    enum { COLUMNS = 35 };
    char text[] = "x", none[] = "", *row[COLUMNS], *line = NULL;
    size_t widths[COLUMNS] = {[2] = 3, [34] = 3}, length;
    for (size_t c = 0; c < COLUMNS; c++)
        row[c] = widths[c] > 0 ? text : none;
    FILE *out = open_memstream(&line, &length);
    bool ok = out != NULL;
    if (ok)
        al_table_row(out, row, COLUMNS, widths, 1U << 2);
    ok = ok && fclose(out) == 0 && strcmp(line, "  x  x\n") == 0;
    free(line);
    tap_ok(tap, ok, "a table of more columns than can be aligned right");
}

int main(void)
{
    struct tap tap = {0};
    test_formats(&tap);
    test_counts(&tap);
    test_wide_table(&tap);
    return tap_done(&tap);
}
