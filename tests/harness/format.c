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

static void test_table(struct tap *tap)
{
    struct al_growing shown;
    struct al_table table = {.columns = 4, .right = 1U << 2};
    al_table_add_copies(&table, (const char *[]){"µs", NULL, "a", "end"});
    al_table_add(&table, (char *[]){NULL, NULL, al_text("%d", 123), NULL});
    al_table_add(&table, (char *[]){al_text("%s", "long"), NULL, NULL, al_text("%s", "x")});
    al_table_print(&table, "> ", al_growing_open(&shown));
    char *text = al_growing_close(&shown);
    tap_ok(tap, strcmp(text, "> µs      a  end\n>       123\n> long       x\n") == 0,
           "a table leaves out what is empty, and no line ends in blanks");
    free(text);
}

int main(void)
{
    struct tap tap = {0};
    test_formats(&tap);
    test_counts(&tap);
    test_table(&tap);
    return tap_done(&tap);
}
