/* SPDX-License-Identifier: BSD-2-Clause */
/* One way in for records, several out. */
#include "core/results/journal.h"

#include "core/lib/text.h"

void journal_start(struct journal *journal, const struct record_sink *sink)
{
    journal->sink = sink != NULL ? *sink : (struct record_sink){0};
    journal->complete = NULL;
    journal->views = 0;
    journal->errors = 0;
    journal->warnings = 0;
    journal->sink_failed = false;
    journal->run_id = 0;
    journal->number = 0;
    journal->line[0] = '\0';
}

void journal_identify(struct journal *journal, uint64_t run_id)
{
    journal->run_id = run_id;
}

void journal_watch(struct journal *journal, struct journal_view view)
{
    if (journal->views < JOURNAL_VIEWS_MAX)
        journal->view[journal->views++] = view;
}

static void journal_count(struct journal *journal, const struct record *record)
{
    if (record->kind == RECORD_ERROR)
        journal->errors++;
    if (record->kind != RECORD_NOTE)
        return;
    if (record->u.note.severity == SEVERITY_ERROR)
        journal->errors++;
    else if (record->u.note.severity == SEVERITY_WARNING)
        journal->warnings++;
}

static void journal_show(struct journal *journal, const struct record *record)
{
    journal_count(journal, record);
    for (size_t i = 0; i < journal->views; i++)
        journal->view[i].record(journal->view[i].context, record);
}

/* Nothing more is written after a failure: a file that is a prefix of whole lines can be used, one
 * with a gap cannot. */
static void journal_sink_failed(struct journal *journal, enum status status)
{
    struct record note = {.kind = RECORD_NOTE,
                          .u.note = {.severity = SEVERITY_WARNING,
                                     .what = "results are not kept from here on",
                                     .why = status_name(status)}};

    journal->sink_failed = true;
    journal_show(journal, &note);
}

void journal_emit(struct journal *journal, const struct record *emitted)
{
    struct record numbered = *emitted;
    const struct record *record = &numbered;
    enum status status = STATUS_OK;

    if (journal->complete != NULL)
        journal->complete(journal->complete_context, &numbered);
    numbered.run_id = journal->run_id;
    numbered.number = ++journal->number;
    if (journal->sink.write != NULL && !journal->sink_failed) {
        size_t bytes = record_json(record, journal->line);

        status = journal->sink.write(journal->sink.context, journal->line, bytes);
    }
    if (status != STATUS_OK)
        journal_sink_failed(journal, status);
    journal_show(journal, record);
}

void journal_note(struct journal *journal, enum severity severity, const char *what,
                  const char *why)
{
    struct record note = {.kind = RECORD_NOTE,
                          .u.note = {.severity = severity, .what = what, .why = why}};

    journal_emit(journal, &note);
}

void journal_note_format(struct journal *journal, enum severity severity, const char *what,
                         const char *format, ...)
{
    char why[JOURNAL_WHY_MAX];
    va_list list;

    va_start(list, format);
    (void)text_open_list(why, sizeof why, format, list);
    va_end(list);
    journal_note(journal, severity, what, why);
}

void journal_note_about(struct journal *journal, enum severity severity, const char *about,
                        const char *what, const char *format, ...)
{
    char words[80], why[JOURNAL_WHY_MAX];
    va_list list;

    text_print(words, sizeof words, "%s: %s", about, what);
    va_start(list, format);
    (void)text_open_list(why, sizeof why, format, list);
    va_end(list);
    journal_note(journal, severity, words, why);
}

void journal_expect(struct journal *journal, uint64_t points)
{
    if (journal->sink.expect != NULL)
        journal->sink.expect(journal->sink.context, points);
}

enum status journal_save(struct journal *journal)
{
    enum status status = STATUS_OK;

    if (journal->sink_failed)
        return STATUS_IO;
    if (journal->sink.flush != NULL)
        status = journal->sink.flush(journal->sink.context);
    if (status != STATUS_OK)
        journal_sink_failed(journal, status);
    return status;
}

enum status journal_flush(struct journal *journal)
{
    for (size_t i = 0; i < journal->views; i++)
        if (journal->view[i].flush != NULL)
            journal->view[i].flush(journal->view[i].context);
    return journal_save(journal);
}
