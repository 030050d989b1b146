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
    uint64_t whole_bytes;            /* of records that were written */
    int reason;                      /* errno of the last one that could not be */
};

/* out "": the next free <prefix>NNNN below the working directory. STATUS_IO when the directory
 * cannot be made, or holds results already; then a message on stderr names it and the reason, and
 * nothing is left of what was made here. */
enum status results_open(struct results *results, const char *out, const char *prefix);
/* STATUS_IO when something could not be written; a message was printed. What is left of the records
 * are whole lines. */
enum status results_close(struct results *results);
struct record_sink results_record_sink(struct results *results);
/* Sinks onto a FILE; file NULL swallows. */
struct text_sink results_text_sink(FILE *file);

#endif
