/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/doubts.h"
#include "benchmarks/harness/results/labels.h"

const char *al_marks_text(struct al_marks marks)
{
    static const char *const texts[2][2][2] = {{{"", "°"}, {"+", "+°"}},
                                               {{"*", "*°"}, {"*+", "*+°"}}};
    return texts[marks.oversubscribed][marks.mixed_kinds][marks.doubts != 0];
}

void al_marks_print(struct al_marks marks, FILE *out)
{
    if (marks.oversubscribed)
        fputs("* " AL_MARK_OVERSUBSCRIBED "\n", out);
    if (marks.mixed_kinds)
        fputs("+ " AL_MARK_MIXED_KINDS "\n", out);
    for (unsigned d = 0; d < AL_DOUBTS; d++) {
        if ((marks.doubts & 1U << d) != 0)
            fprintf(out, "° %s\n", al_doubt_texts[d]);
    }
}
