/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the engine with options given as text, as a user writes them; for tests that read its
 * records. */
#ifndef TESTS_SHARED_WORDS_H
#define TESTS_SHARED_WORDS_H

#include "core/options/options.h"
#include "core/results/journal.h"

/* Runs the engine with these options; every record goes to `listen` (its context first) and nowhere
 * else. Returns engine_run's status with error->text "", or STATUS_BAD_INPUT with a message for
 * options that were refused, in which case nothing ran. Not reentrant. */
enum status words_run(const struct machine *machine, const char *words,
                      void (*listen)(void *context, const struct record *record), void *context,
                      struct option_error *error);

#endif
