/* SPDX-License-Identifier: BSD-2-Clause */
/* Warnings and errors, as the summary tells them: each whole, once, and those of one kind as one.
 */
#include "core/report/internal.h"

#define NOTE_INDENT     2
#define TOGETHER_PARTS  16 /* of one kind, told as one */
#define TOGETHER_BYTES  (REPORT_NOTE_BYTES + TOGETHER_PARTS * 100)
#define SEPARATOR_BYTES 2 /* ": " */

/* The place of an equal note, else of a new one; NULL: no room. */
static struct report_kept_note *place_of(struct report *report, enum severity severity,
                                         const char *text)
{
    size_t pos = 0;

    while (pos < report->notes &&
           (report->note[pos].severity != severity || !text_equal(report->note[pos].text, text)))
        pos++;
    if (pos < report->notes)
        return &report->note[pos];
    if (pos < REPORT_NOTES_MAX) {
        report->note[report->notes++].times = 0;
        return &report->note[pos];
    }
    /* An error takes the place of the last warning. */
    while (pos > 0 && report->note[pos - 1].severity == SEVERITY_ERROR)
        pos--;
    if (severity == SEVERITY_WARNING || pos == 0)
        return NULL;
    report->note[pos - 1].times = 0;
    return &report->note[pos - 1];
}

/* "warning: dram: points left out: 3 of a kind: no time": its head ends at "3", its tail begins at
 * ": no". head beyond all text: there are no parts. */
static void find_parts(struct report_kept_note *note, size_t head)
{
    size_t used = text_length(note->text);

    note->head = note->tail = 0;
    for (size_t i = head; i + SEPARATOR_BYTES < used; i++)
        if (note->text[i] == ':' && note->text[i + 1] == ' ')
            note->tail = i;
    if (note->tail > head)
        note->head = head;
}

void report_note_keep(struct report *report, enum severity severity, const char *words,
                      size_t what_bytes)
{
    char buffer[REPORT_NOTE_BYTES];
    struct report_kept_note *kept;
    struct text text;
    size_t head;

    if (severity == SEVERITY_INFO)
        return;
    report->errors += severity == SEVERITY_ERROR;
    report->warnings += severity == SEVERITY_WARNING;
    text = text_open(buffer, sizeof(buffer), "%s: ", severity_name(severity));
    head = what_bytes != 0 ? text.used + what_bytes + SEPARATOR_BYTES : REPORT_NOTE_BYTES;
    text_add(&text, words);
    kept = place_of(report, severity, buffer);
    if (kept == NULL)
        return;
    kept->severity = severity;
    kept->times++;
    kept->told = false;
    text_print(kept->text, sizeof(kept->text), "%s", buffer);
    find_parts(kept, head);
}

/* They say the same of the same thing, each of another part of it. */
static bool are_of_one_kind(const struct report_kept_note *a, const struct report_kept_note *b)
{
    if (a->severity != b->severity || a->head == 0 || a->head != b->head || a->times != 1 ||
        b->times != 1)
        return false;
    for (size_t i = 0; i < a->head; i++)
        if (a->text[i] != b->text[i])
            return false;
    return text_equal(a->text + a->tail, b->text + b->tail);
}

/* Adds what is particular of those of note's kind behind it; answers how many those are. */
static uint64_t add_others(struct report *report, size_t note, struct text *line)
{
    const struct report_kept_note *first = &report->note[note];
    uint64_t others = 0;

    for (size_t i = note + 1; i < report->notes && others + 1 < TOGETHER_PARTS; i++) {
        struct report_kept_note *other = &report->note[i];

        if (other->told || !are_of_one_kind(first, other))
            continue;
        text_add(line, "; ");
        text_bytes(line, other->text + other->head, other->tail - other->head);
        other->told = true;
        others++;
    }
    return others;
}

static uint64_t tell(struct report *report, size_t note)
{
    struct report_kept_note *told = &report->note[note];
    char buffer[TOGETHER_BYTES];
    uint64_t times = told->times;
    struct text line;

    text_start(&line, buffer, sizeof(buffer));
    text_bytes(&line, told->text, told->head != 0 ? told->tail : text_length(told->text));
    if (told->head != 0) {
        times += add_others(report, note, &line);
        text_add(&line, told->text + told->tail);
    }
    if (told->times > 1)
        text_format(&line, " (%lu times)", told->times);
    report_wrapped(report, buffer, NOTE_INDENT);
    return times;
}

/* Answers how many. */
static uint64_t tell_all(struct report *report, enum severity severity)
{
    uint64_t told = 0;

    for (size_t i = 0; i < report->notes; i++)
        if (report->note[i].severity == severity && !report->note[i].told)
            told += tell(report, i);
    return told;
}

void report_notes(struct report *report)
{
    uint64_t all = report->errors + report->warnings, told;

    for (size_t i = 0; i < report->notes; i++)
        report->note[i].told = false;
    told = tell_all(report, SEVERITY_ERROR);
    told += tell_all(report, SEVERITY_WARNING);
    if (all != told)
        report_print(report, "... and %lu more, see above and results.jsonl", all - told);
}
