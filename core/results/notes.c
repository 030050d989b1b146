/* SPDX-License-Identifier: BSD-2-Clause */
/* Notes kept for later; see notes.h. */
#include "core/results/notes.h"

void notes_add(struct notes *notes, enum severity severity, const char *what, const char *why)
{
    notes_format(notes, severity, what, "%s", why);
}

void notes_format(struct notes *notes, enum severity severity, const char *what, const char *format,
                  ...)
{
    va_list list;
    size_t index;

    if (notes->count == NOTES_MAX) {
        notes->count--;
        notes_add(notes, SEVERITY_WARNING, "notes dropped", "there were more notes than fit");
        return;
    }
    index = notes->count++;
    va_start(list, format);
    (void)text_open_list(notes->why[index], NOTES_WHY_BYTES, format, list);
    va_end(list);
    notes->note[index] = (struct machine_note){severity, what, notes->why[index]};
}

void notes_emit(struct notes *notes, struct journal *journal)
{
    while (notes->emitted < notes->count) {
        const struct machine_note *note = &notes->note[notes->emitted++];
        journal_note(journal, note->severity, note->what, note->why);
    }
}

void notes_not_counted(struct notes *notes, const char *why_misses, const char *why_walks)
{
    bool alike = why_misses != NULL && why_walks != NULL && text_equal(why_misses, why_walks);

    if (alike)
        notes_add(notes, SEVERITY_INFO, "cache misses and page walks are not counted", why_misses);
    if (why_misses != NULL && !alike)
        notes_add(notes, SEVERITY_INFO, "cache misses are not counted", why_misses);
    if (why_walks != NULL && !alike)
        notes_add(notes, SEVERITY_INFO, "page walks are not counted", why_walks);
}
