/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine on a machine, asked in words as a user writes them; for tests that listen to it. */
#ifndef TESTS_SHARED_WORDS_H
#define TESTS_SHARED_WORDS_H

#include "core/options/options.h"
#include "core/results/journal.h"

/* Runs what those options say; every record goes to `listen` (its context first) and nowhere else.
 * The answer is engine_run's and error->text "", or STATUS_BAD_INPUT and a text: words that were
 * refused, and nothing ran. Not reentrant. */
enum status words_run(const struct machine *machine, const char *words,
                      void (*listen)(void *context, const struct record *record), void *context,
                      struct option_error *error);

#endif
