/* SPDX-License-Identifier: BSD-2-Clause */
/* The journal takes every record of a run once and hands it to everything that shows or keeps it:
 * the JSON sink, and the views (console, report.txt, points.csv). */
#ifndef CORE_RESULTS_JOURNAL_H
#define CORE_RESULTS_JOURNAL_H

#include "core/lib/text.h"
#include "core/results/record.h"

#define JOURNAL_VIEWS_MAX 6
#define JOURNAL_WHY_MAX   240 /* bytes of a note's reason, '\0' included */

/* A view sees each record in order, before the call that emitted it returns. Texts in the record
 * are only valid during the call. */
struct journal_view {
    void *context;
    void (*record)(void *context, const struct record *record);
    void (*flush)(void *context); /* called when an experiment ends; may be NULL */
};

struct journal {
    /* Called with a copy of each record before it goes anywhere, to fill in what is known in one
       place for all of them; NULL: not. Texts that it sets have to outlive that. */
    void (*complete)(void *context, struct record *record);
    void *complete_context;
    struct record_sink sink; /* write NULL: no JSON is kept */
    struct journal_view view[JOURNAL_VIEWS_MAX];
    size_t views;
    uint64_t errors, warnings;
    bool sink_failed;
    uint64_t run_id; /* of every record; 0: not known */
    uint64_t number; /* of records so far */
    char line[RECORD_LINE_MAX];
};

/* Starts empty, without views, and nothing completes its records. sink is copied; NULL: none. */
void journal_start(struct journal *journal, const struct record_sink *sink);
/* Sets what tells this run's records from another's; 0 or not called: unknown. Call it before the
 * first record. */
void journal_identify(struct journal *journal, uint64_t run_id);
/* Adds a view; beyond JOURNAL_VIEWS_MAX it is ignored. */
void journal_watch(struct journal *journal, struct journal_view view);
/* Numbers the record, marks it with the run, writes it to the sink and shows it to every view, and
 * counts errors (RECORD_ERROR, notes of SEVERITY_ERROR) and warnings. If the sink fails, a warning
 * is shown, sink_failed is set and nothing more is written to it; the views still see every record.
 */
void journal_emit(struct journal *journal, const struct record *record);
/* Emits a note record; what and why are short phrases. */
void journal_note(struct journal *journal, enum severity severity, const char *what,
                  const char *why);
/* The same with `why` from a format (text_format in core/lib/text.h), cut to JOURNAL_WHY_MAX. */
void journal_note_format(struct journal *journal, enum severity severity, const char *what,
                         const char *format, ...) TEXT_CHECKED(4, 5);
/* The same with "about: what" as what. */
void journal_note_about(struct journal *journal, enum severity severity, const char *about,
                        const char *what, const char *format, ...) TEXT_CHECKED(5, 6);
/* Tells the sink how many points are planned, so that it can make room for their records. */
void journal_expect(struct journal *journal, uint64_t points);
/* Makes what was emitted so far safe: sink.flush. STATUS_IO, or the sink's status, if it failed. */
enum status journal_save(struct journal *journal);
/* To be called at the end of each experiment: every view's flush (which prints tables), then
 * journal_save. */
enum status journal_flush(struct journal *journal);

#endif
