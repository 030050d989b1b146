/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of text: ASCII, bounded, to the sink. */
#include "core/report/internal.h"

#define SENTENCE_MAX 1200

static void report_out(struct report *report, const char *bytes, size_t count, size_t indent)
{
    char buffer[REPORT_WIDTH + 2];
    size_t used = 0;

    while (used < indent && used < REPORT_WIDTH)
        buffer[used++] = ' ';
    for (size_t i = 0; i < count && used < REPORT_WIDTH; i++)
        buffer[used++] = bytes[i] >= 0x20 && bytes[i] < 0x7f ? bytes[i] : '?';
    while (used > 0 && buffer[used - 1] == ' ')
        used--;
    buffer[used++] = '\n';
    report->sink.write(report->sink.context, buffer, used);
}

void report_line(struct report *report, const char *words)
{
    char cut[REPORT_WIDTH + 1];
    struct text line;
    size_t length = text_length(words);

    if (length <= REPORT_WIDTH) {
        report_out(report, words, length, 0);
        return;
    }
    text_start(&line, cut, sizeof(cut));
    text_bytes(&line, words, REPORT_WIDTH - 3);
    text_add(&line, "...");
    report_out(report, cut, line.used, 0);
}

void report_print(struct report *report, const char *format, ...)
{
    char buffer[REPORT_WIDTH + 2]; /* a longer line is recognised as such */
    va_list list;

    va_start(list, format);
    (void)text_open_list(buffer, sizeof(buffer), format, list);
    va_end(list);
    report_line(report, buffer);
}

/* How many bytes of words fit a line of this room: up to the last blank, or all of the room. */
static size_t line_share(const char *words, size_t room)
{
    size_t blank = 0, pos = 0;

    for (; pos <= room && words[pos] != '\0' && words[pos] != '\n'; pos++)
        if (words[pos] == ' ')
            blank = pos;
    if (pos <= room)
        return pos;
    return blank > 0 ? blank : room;
}

const char *report_wrap_next(const char *words, size_t room, size_t *share)
{
    *share = line_share(words, room);
    words += *share;
    while (*words == ' ' || *words == '\n')
        words++;
    return words;
}

void report_wrapped(struct report *report, const char *words, size_t indent)
{
    size_t now = 0, share;

    do {
        const char *next = report_wrap_next(words, REPORT_WIDTH - now, &share);

        report_out(report, words, share, now);
        words = next;
        now = indent;
    } while (*words != '\0');
}

void report_print_wrapped(struct report *report, size_t indent, const char *format, ...)
{
    char buffer[SENTENCE_MAX];
    va_list list;

    va_start(list, format);
    (void)text_open_list(buffer, sizeof(buffer), format, list);
    va_end(list);
    report_wrapped(report, buffer, indent);
}

void report_rule(struct report *report, const char *title)
{
    char buffer[REPORT_WIDTH + 1];
    struct text line;

    line = text_open(buffer, sizeof(buffer), "---- %s ", title);
    while (!line.cut)
        text_char(&line, '-');
    report_line(report, buffer);
}
