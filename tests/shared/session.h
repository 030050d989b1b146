/* SPDX-License-Identifier: BSD-2-Clause */
/* One run of the engine in a process, on any machine: records, report and points go to files and to
 * the screen. */
#ifndef TESTS_SHARED_SESSION_H
#define TESTS_SHARED_SESSION_H

#include "core/options/options.h"
#include "core/results/notes.h"
#include "tests/shared/results.h"

struct session {
    const struct machine *machine;
    const struct options *options;
    struct results *results;
    struct text_sink console;
    struct notes *notes; /* emitted as records come by; NULL: the machine keeps no notes */
    const char *version;
    uint64_t run_id; /* core/results/run_id.h */
};

/* Exit statuses, by how the run ended. */
enum session_exit {
    SESSION_OK = 0,
    SESSION_FAILED = 1,     /* also when results could not be written */
    SESSION_BAD_INPUT = 2,  /* nothing ran */
    SESSION_SUSPECT = 3,    /* the verdict, of a run that is ok otherwise */
    SESSION_INCOMPLETE = 4, /* the same */
    SESSION_ABORTED = 130   /* as a shell reports a program ended by SIGINT */
};

/* The same in words, for a program's help: whole lines. */
extern const char session_statuses[];

/* Command line words, joined by blanks: what options_parse reads. */
void session_join(int argc, char **argv, char *text, size_t capacity);
/* Whether a word of the command line equals `word` or `other`, which may be NULL. */
bool session_asked(int argc, char **argv, const char *word, const char *other);
/* Runs the engine; never SESSION_BAD_INPUT. */
enum session_exit session_run(const struct session *session);

#endif
