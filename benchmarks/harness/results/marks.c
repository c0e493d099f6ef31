/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/labels.h"

const char *al_marks_text(struct al_marks marks)
{
    return marks.oversubscribed ? marks.mixed_kinds ? "*+" : "*" : marks.mixed_kinds ? "+" : "";
}

void al_marks_print(struct al_marks marks, FILE *out)
{
    if (marks.oversubscribed)
        fputs("* " AL_MARK_OVERSUBSCRIBED "\n", out);
    if (marks.mixed_kinds)
        fputs("+ " AL_MARK_MIXED_KINDS "\n", out);
}
