/* SPDX-License-Identifier: BSD-2-Clause */
/* The result files of a hosted run: results.jsonl, report.txt and points.csv in a directory that
 * did not hold results before. */
#ifndef TESTS_SHARED_RESULTS_H
#define TESTS_SHARED_RESULTS_H

#include <stdio.h>

#include "core/options/options.h"

struct results {
    char directory[OPTIONS_LINE_MAX];
    FILE *records, *report, *points; /* NULL: nothing is saved */
    uint64_t whole_bytes;            /* bytes of whole records written */
    int reason;                      /* errno of the last record that could not be written */
};

/* out "": the next free <prefix>NNNN below the working directory. STATUS_IO when the directory
 * cannot be made, or holds results already; then a message on stderr names it and the reason, and
 * nothing is left of what was made here. */
enum status results_open(struct results *results, const char *out, const char *prefix);
/* STATUS_IO if something could not be written; a message was printed. The records' file then ends
 * with a whole line. */
enum status results_close(struct results *results);
/* Makes a further file beside them, which must be new; NULL: it cannot be made, or nothing is
 * saved. A message on stderr says why. The caller closes it. */
FILE *results_add(const struct results *results, const char *name);
struct record_sink results_record_sink(struct results *results);
/* Sinks onto a FILE; NULL: text is dropped. */
struct text_sink results_text_sink(FILE *file);

#endif
