/* SPDX-License-Identifier: BSD-2-Clause */
/* The journal takes every record of a run, once, and hands it to everything that shows or keeps
 * it: the JSON sink, and the views (console text, report.txt, points.csv). */
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
    void (*flush)(void *context); /* an experiment has ended; may be NULL */
};

struct journal {
    struct record_sink sink; /* write NULL: no JSON kept */
    struct journal_view view[JOURNAL_VIEWS_MAX];
    size_t views;
    uint64_t errors, warnings;
    bool sink_failed;
    uint64_t run_id; /* of every record; 0: not known */
    uint64_t number; /* of records so far */
    char line[RECORD_LINE_MAX];
};

void journal_start(struct journal *journal, const struct record_sink *sink);
/* What tells this run's records from another's; 0 and not called: not known. Before the first
 * record. */
void journal_identify(struct journal *journal, uint64_t run_id);
void journal_watch(struct journal *journal, struct journal_view view);
/* Numbers the record, and says whose it is. Counts errors (RECORD_ERROR, notes of SEVERITY_ERROR)
 * and warnings. A failing sink is remembered in sink_failed; the views still see every record. */
void journal_emit(struct journal *journal, const struct record *record);
/* A note record; what and why are short phrases. */
void journal_note(struct journal *journal, enum severity severity, const char *what,
                  const char *why);
/* The same with a reason put together from a format (text_format in core/lib/text.h), cut at
 * JOURNAL_WHY_MAX. */
void journal_note_format(struct journal *journal, enum severity severity, const char *what,
                         const char *format, ...) TEXT_CHECKED(4, 5);
/* The same with "ABOUT: WHAT" for what. */
void journal_note_about(struct journal *journal, enum severity severity, const char *about,
                        const char *what, const char *format, ...) TEXT_CHECKED(5, 6);
/* So many points are planned: whoever keeps the records may make room for them. */
void journal_expect(struct journal *journal, uint64_t points);
/* Whatever was emitted so far is safe: sink.flush. */
enum status journal_save(struct journal *journal);
/* At the end of each experiment: every view's flush (tables are printed), then journal_save. */
enum status journal_flush(struct journal *journal);

#endif
