/* SPDX-License-Identifier: BSD-2-Clause */
/* Notes kept for later; see notes.h. */
#include "core/results/notes.h"

#include "core/lib/text.h"

void notes_add(struct notes *notes, enum severity severity, const char *what, const char *why)
{
    struct text text;
    size_t at = notes->count;

    if (at == NOTES_MAX) {
        at--;
        severity = SEVERITY_WARNING;
        what = "notes dropped";
        why = "there were more notes than room for them";
    } else {
        notes->count++;
    }
    text_start(&text, notes->why[at], NOTES_WHY_BYTES);
    text_add(&text, why);
    notes->note[at] = (struct machine_note){severity, what, notes->why[at]};
}

void notes_emit(struct notes *notes, struct journal *journal)
{
    while (notes->emitted < notes->count) {
        const struct machine_note *note = &notes->note[notes->emitted++];
        journal_note(journal, note->severity, note->what, note->why);
    }
}
