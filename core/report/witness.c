/* SPDX-License-Identifier: BSD-2-Clause */
/* The report's lines of what the CPU's counters and its sampler say beside timing. */
#include "core/report/internal.h"

static void add_share(struct text *line, const char *separator, double share, const char *what)
{
    if (report_known(share))
        text_format(line, "%s%s %% %s", separator, REPORT_NUMBER(100 * share, 2), what);
}

void report_witness(struct report *report, const struct record_witness *witness)
{
    char buffer[160];
    struct text line = text_open(buffer, sizeof(buffer), "Counters    ");

    add_share(&line, " ", witness->missed_share, "of accesses missed the caches");
    add_share(&line, report_known(witness->missed_share) ? ", " : " ", witness->walked_share,
              report_known(witness->missed_share) ? "page walks" : "of accesses waited for a walk");
    text_format(&line, "%s", witness->agrees ? "" : " (!)");
    report_line(report, buffer);
}

void report_ibs(struct report *report, const struct record_ibs *ibs)
{
    report_print_wrapped(report, 13,
                         "IBS          misses in %s take %s cycles longer than in %s, "
                         "hops by the chase %s%s",
                         REPORT_SIZE(ibs->bytes), REPORT_NUMBER(ibs->difference_cycles, 1),
                         REPORT_SIZE(ibs->near_bytes),
                         REPORT_NUMBER(ibs->chase_difference_cycles, 1),
                         ibs->agrees == ANSWER_NO ? " (!)" : "");
}
