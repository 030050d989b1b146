/* SPDX-License-Identifier: BSD-2-Clause */
/* The report: records as text for people, at most 80 columns, '\n' line ends, ASCII. The console
 * and report.txt are two sinks of this one view. */
#ifndef CORE_REPORT_H
#define CORE_REPORT_H

#include "core/journal.h"

#define REPORT_POINTS_MAX 768
#define REPORT_NOTES_MAX  48

/* What the report must remember of a point to draw a table once the experiment is over. */
struct report_point {
    uint64_t bytes;
    double ns, cycles, rel_error;
    uint8_t page_log2;
    uint8_t prefetch; /* enum prefetch_state */
    bool contiguous, identity;
    char limit; /* ' ' error target reached, 'c' cap, 'b' budget, 'a' abort */
};

struct report {
    struct text_sink sink;
    size_t points;
    struct report_point point[REPORT_POINTS_MAX];
    char experiment[24], pattern[24];
    size_t notes; /* warnings and errors kept for the summary, as finished lines */
    char note[REPORT_NOTES_MAX][160];
    struct record_dram dram; /* the headline's numbers; its texts point to static words */
    bool dram_known;
    char header[16][96]; /* the header's values, kept for the summary */
    double clock_warning_ppm;
};

/* sink is copied. */
void report_start(struct report *report, const struct text_sink *sink);
/* journal_view.record: prints the header when the first record after run/cpu/memory/dimm/prefetch
 * arrives, a note at once, tables when an experiment is closed, the summary at the end record. */
void report_record(void *report, const struct record *record);
/* journal_view.flush: prints the table of the points gathered since the last call. */
void report_flush(void *report);

#endif
