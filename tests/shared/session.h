/* SPDX-License-Identifier: BSD-2-Clause */
/* One run of the engine in a process: records, report and points go to files and to the screen,
 * whatever machine it is that runs. */
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
    struct notes *notes; /* emitted as soon as records come by; NULL: the machine keeps none */
    const char *version;
    uint64_t run_id; /* core/results/run_id.h */
};

/* How the end record ends: a shell can tell the four apart. */
enum session_exit {
    SESSION_OK = 0,
    SESSION_FAILED = 1,    /* also when results could not be written */
    SESSION_BAD_INPUT = 2, /* nothing ran */
    SESSION_ABORTED = 130  /* as a shell reports what SIGINT ended */
};

/* Command line words, joined by blanks: what options_parse reads. */
void session_join(int argc, char **argv, char *text, size_t capacity);
/* Whether a word of the command line is one of these two; `other` may be NULL. */
bool session_asked(int argc, char **argv, const char *word, const char *other);
/* Runs the engine; never SESSION_BAD_INPUT. */
enum session_exit session_run(const struct session *session);

#endif
