/* SPDX-License-Identifier: BSD-2-Clause */
/* points.csv: a header line and one line per point record, with the record's names and units. */
#ifndef CORE_REPORT_CSV_H
#define CORE_REPORT_CSV_H

#include "core/results/journal.h"

struct csv {
    struct text_sink sink;
    bool header_written;
};

void csv_start(struct csv *csv, const struct text_sink *sink);
/* journal_view.record: ignores all but points. */
void csv_record(void *csv, const struct record *record);

#endif
