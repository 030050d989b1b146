/* SPDX-License-Identifier: BSD-2-Clause */
/* Notes collected, with their texts, before there is a journal, until they become records. */
#ifndef CORE_RESULTS_NOTES_H
#define CORE_RESULTS_NOTES_H

#include "core/lib/text.h"
#include "core/machine.h"
#include "core/results/journal.h"

#define NOTES_MAX       24
#define NOTES_WHY_BYTES 160

struct notes {
    size_t count, emitted;
    struct machine_note note[NOTES_MAX];
    char why[NOTES_MAX][NOTES_WHY_BYTES];
};

/* Adds a note. what: a literal; why is copied, and cut to NOTES_WHY_BYTES. If there is no room
 * left, the last note says so. */
void notes_add(struct notes *notes, enum severity severity, const char *what, const char *why);
/* Adds notes that CPU counters do not count misses of the last cache or page walks, and why; NULL:
 * they do. */
void notes_not_counted(struct notes *notes, const char *why_misses, const char *why_walks);
/* notes_add with `why` from a format (text_format in core/lib/text.h). */
void notes_format(struct notes *notes, enum severity severity, const char *what, const char *format,
                  ...) TEXT_CHECKED(4, 5);
/* Emits the notes added since the last call. */
void notes_emit(struct notes *notes, struct journal *journal);

#endif
