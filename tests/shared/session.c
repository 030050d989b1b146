/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/shared/session.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/engine.h"
#include "core/report/csv.h"
#include "core/report/report.h"
#include "tests/shared/judge.h"
#include "tests/shared/terminal.h"

/* Remembers the end record's status, and emits pending notes before other records. */
struct session_view {
    struct journal *journal;
    struct notes *notes;
    bool emitting;
    enum session_exit end, verdict;
};

const char session_statuses[] =
    "Exit status: 0 the run ended well, 1 it failed, 2 bad input, nothing was run,\n"
    "3 the verdict is SUSPECT, 4 it is INCOMPLETE, 130 it was stopped (SIGINT,\n"
    "SIGTERM, SIGHUP) and kept what it had.\n";

void session_join(int argc, char **argv, char *text, size_t capacity)
{
    text[0] = '\0';
    for (int i = 1; i < argc; i++) {
        strncat(text, argv[i], capacity - strlen(text) - 1);
        strncat(text, " ", capacity - strlen(text) - 1);
    }
}

bool session_asked(int argc, char **argv, const char *word, const char *other)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], word) == 0 || (other && strcmp(argv[i], other) == 0))
            return true;
    return false;
}

static void echo_record(void *context, const struct record *record)
{
    const struct text_sink *console = context;
    char line[RECORD_LINE_MAX];
    size_t bytes;

    record_json(record, line);
    bytes = strlen(line);
    line[bytes] = '\n';
    console->write(console->context, line, bytes + 1);
}

/* notes_emit writes records, which come back to this view; `emitting` stops the recursion. */
static void emit_notes(struct session_view *view)
{
    if (view->notes == NULL || view->emitting)
        return;
    view->emitting = true;
    notes_emit(view->notes, view->journal);
    view->emitting = false;
}

static void watch(void *context, const struct record *record)
{
    struct session_view *view = context;

    if (record->kind == RECORD_VERDICT)
        view->verdict = strcmp(record->u.verdict.verdict, "OK") == 0        ? SESSION_OK
                        : strcmp(record->u.verdict.verdict, "SUSPECT") == 0 ? SESSION_SUSPECT
                                                                            : SESSION_INCOMPLETE;
    if (record->kind == RECORD_END)
        view->end = strcmp(record->u.end.status, "ok") == 0        ? SESSION_OK
                    : strcmp(record->u.end.status, "aborted") == 0 ? SESSION_ABORTED
                                                                   : SESSION_FAILED;
    /* Pending notes are not emitted among the describing records. */
    if (record->kind == RECORD_POINT || record->kind == RECORD_ERROR || record->kind == RECORD_NOTE)
        emit_notes(view);
}

static void watch_flush(void *context)
{
    emit_notes(context);
}

static void show_last_screen(struct report *report, const struct text_sink *console)
{
    struct terminal terminal = terminal_of(STDOUT_FILENO);

    console->write(console->context, "\n", 1);
    terminal_show(&terminal, report_screen(report, terminal.rows, NULL), console);
}

enum session_exit session_run(const struct session *session)
{
    static struct journal journal;
    static struct report console, report;
    static struct csv csv;
    static struct judge judge;
    struct session_view view = {
        .journal = &journal, .notes = session->notes, .end = SESSION_FAILED};
    struct record_sink sink = results_record_sink(session->results);
    struct text_sink to_console = session->console;
    struct text_sink to_report = results_text_sink(session->results->report);
    struct text_sink to_points = results_text_sink(session->results->points);
    struct engine_request request = {.machine = session->machine,
                                     .options = session->options,
                                     .journal = &journal,
                                     .version = session->version,
                                     .before_end = judge_conclude,
                                     .before_end_context = &judge,
                                     .workspace = calloc(1, engine_workspace_bytes())};

    if (!request.workspace || !judge_start(&judge, session->options, session->results)) {
        fprintf(stderr, "barechase: no memory for the engine's workspace\n");
        return SESSION_FAILED;
    }
    journal_start(&journal, &sink);
    journal_identify(&journal, session->run_id);
    report_start(&console, &to_console);
    report_on_console(&console);
    report_start(&report, &to_report);
    csv_start(&csv, &to_points);
    journal_watch(&journal, (struct journal_view){&console, report_record, report_flush});
    journal_watch(&journal, (struct journal_view){&report, report_record, report_flush});
    journal_watch(&journal, (struct journal_view){&csv, csv_record, NULL});
    journal_watch(&journal, (struct journal_view){&view, watch, watch_flush});
    journal_watch(&journal, (struct journal_view){&judge.verdict, verdict_record, NULL});
    if (session->options->records)
        journal_watch(&journal, (struct journal_view){&to_console, echo_record, NULL});
    (void)engine_run(&request);
    free(request.workspace);
    judge_stop(&judge);
    show_last_screen(&console, &to_console);
    if (journal.sink_failed)
        return SESSION_FAILED;
    return view.end == SESSION_OK ? view.verdict : view.end;
}
