/* SPDX-License-Identifier: BSD-2-Clause */
/* Warnings and errors for the summary: each whole, once, and those of one kind merged. */
#include "core/report/internal.h"

#define TOGETHER_PARTS  16 /* of one kind, merged */
#define TOGETHER_BYTES  (REPORT_NOTE_BYTES + TOGETHER_PARTS * 100)
#define SEPARATOR_BYTES 2 /* ": " */

/* The place of an equal note, or of a new one; NULL: no room. */
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
    /* An error replaces the last warning. */
    while (pos > 0 && report->note[pos - 1].severity == SEVERITY_ERROR)
        pos--;
    if (severity == SEVERITY_WARNING || pos == 0)
        return NULL;
    report->note[pos - 1].times = 0;
    return &report->note[pos - 1];
}

/* Splits "warning: dram: points left out: 3 of a kind: no time": its head ends at "3", its tail
 * begins at ": no". If head is beyond the text, there are no parts. */
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

/* Whether they say the same about different parts of the same thing. */
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

/* Adds the differing parts of notes of the same kind; returns how many there are. */
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

/* Finds "curve" in "warning: curve: points left out"; "": it does not begin with a single word. */
static void find_about(const struct report_kept_note *note, char *about, size_t capacity)
{
    const char *words = note->text + text_length(severity_name(note->severity)) + SEPARATOR_BYTES;
    size_t end = 0;

    about[0] = '\0';
    while (words[end] != '\0' && words[end] != ':' && words[end] != ' ')
        end++;
    if (words[end] == ':' && end < capacity)
        text_print(about, capacity, "%s", words);
    if (words[end] == ':' && end < capacity)
        about[end] = '\0';
}

/* One note, with all that are merged with it. */
static void tell(struct report *report, size_t note, void *context, report_tell *use)
{
    struct report_kept_note *first = &report->note[note];
    char buffer[TOGETHER_BYTES], about[24];
    struct report_told told = {
        .severity = first->severity, .times = first->times, .words = buffer, .about = about};
    struct text line;

    text_start(&line, buffer, sizeof(buffer));
    text_bytes(&line, first->text, first->head != 0 ? first->tail : text_length(first->text));
    if (first->head != 0) {
        told.times += add_others(report, note, &line);
        text_add(&line, first->text + first->tail);
    }
    if (first->times > 1)
        text_format(&line, " (%lu times)", first->times);
    find_about(first, about, sizeof(about));
    report->told += told.times;
    use(context, &told);
}

static void tell_all(struct report *report, enum severity severity, void *context, report_tell *use)
{
    for (size_t i = 0; i < report->notes; i++)
        if (report->note[i].severity == severity && !report->note[i].told)
            tell(report, i, context, use);
}

uint64_t report_notes_tell(struct report *report, void *context, report_tell *use)
{
    report->told = 0;
    for (size_t i = 0; i < report->notes; i++)
        report->note[i].told = false;
    tell_all(report, SEVERITY_ERROR, context, use);
    tell_all(report, SEVERITY_WARNING, context, use);
    return report->errors + report->warnings - report->told;
}
