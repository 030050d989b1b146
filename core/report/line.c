/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of text: ASCII, bounded, to the sink. */
#include "core/report/parts.h"

#include "core/lib/decimal.h"

#define LABEL_WIDTH 13

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

/* How many bytes of words go on a line of this room: to the last blank, or all of the room. */
static size_t line_share(const char *words, size_t room)
{
    size_t blank = 0, at = 0;

    for (; at <= room && words[at] != '\0' && words[at] != '\n'; at++)
        if (words[at] == ' ')
            blank = at;
    if (at <= room)
        return at;
    return blank > 0 ? blank : room;
}

/* What follows a line of this room; *share: how many bytes stand on it. */
static const char *line_next(const char *words, size_t room, size_t *share)
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
        const char *next = line_next(words, REPORT_WIDTH - now, &share);

        report_out(report, words, share, now);
        words = next;
        now = indent;
    } while (*words != '\0');
}

void report_rule(struct report *report, const char *title)
{
    char buffer[REPORT_WIDTH + 1];
    struct text line;

    text_start(&line, buffer, sizeof(buffer));
    text_add(&line, "---- ");
    text_add(&line, title);
    text_char(&line, ' ');
    while (!line.cut)
        text_char(&line, '-');
    report_line(report, buffer);
}

void report_label(struct text *line, const char *label)
{
    text_add(line, label);
    text_column(line, LABEL_WIDTH);
}

bool report_known(double value)
{
    struct decimal_parts parts = decimal_split(value);

    return !parts.nan && !parts.infinite;
}

/* A difference that rounds to nothing has no sign. */
static bool rounds_to_zero(const char *number)
{
    for (; *number != '\0'; number++)
        if (*number >= '1' && *number <= '9')
            return false;
    return true;
}

void report_number(struct text *line, double value, unsigned decimals)
{
    char buffer[400];
    struct text number;

    if (!report_known(value)) {
        text_char(line, '-');
        return;
    }
    text_start(&number, buffer, sizeof(buffer));
    text_fixed(&number, value, value >= 100000 || value <= -100000 ? 0 : decimals);
    text_add(line, buffer[0] == '-' && rounds_to_zero(buffer) ? buffer + 1 : buffer);
}

void report_words(struct text *line, const char *words)
{
    text_add(line, words != NULL && words[0] != '\0' ? words : "-");
}

void report_count(struct text *line, uint64_t count)
{
    if (count == RECORD_UNKNOWN)
        text_char(line, '-');
    else
        text_u64(line, count);
}

void report_size(struct text *line, uint64_t bytes)
{
    if (bytes == RECORD_UNKNOWN || bytes == 0)
        text_char(line, '-');
    else
        text_size(line, bytes);
}

void report_add_bounds(struct text *line, double low, double high, unsigned decimals)
{
    if (!report_known(low) || !report_known(high))
        return;
    text_add(line, " (");
    report_number(line, low, decimals);
    text_add(line, " to ");
    report_number(line, high, decimals);
    text_char(line, ')');
}

void report_add_doubt(struct text *line, doubt_set doubt)
{
    const char *before = "doubt: ";

    for (unsigned reason = 0; reason < DOUBT_REASONS; reason++) {
        if (!(doubt >> reason & 1))
            continue;
        text_add(line, before);
        text_add(line, doubt_name((enum doubt_reason)reason));
        before = ", ";
    }
}
