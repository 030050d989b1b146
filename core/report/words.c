/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures as text: rounded to significant digits, "-" where they are unknown. */
#include "core/report/internal.h"

#include "core/lib/decimal.h"

#define WIDE_SHARE 0.1

bool report_known(double value)
{
    struct decimal_parts parts = decimal_split(value);

    return !parts.nan && !parts.infinite;
}

bool report_is_wide(double value, double low, double high)
{
    double size = value < 0 ? -value : value;

    return report_known(value) && report_known(low) && report_known(high) &&
           high - low > WIDE_SHARE * size;
}

/* A difference that rounds to zero is printed without a sign. */
static bool rounds_to_zero(const char *number)
{
    for (; *number != '\0'; number++)
        if (*number >= '1' && *number <= '9')
            return false;
    return true;
}

const char *report_number_in(char buffer[REPORT_NUMBER_BYTES], double value, unsigned decimals)
{
    struct text number;

    if (!report_known(value))
        return "-";
    text_start(&number, buffer, REPORT_NUMBER_BYTES);
    text_fixed(&number, value, value >= 100000 || value <= -100000 ? 0 : decimals);
    return buffer[0] == '-' && rounds_to_zero(buffer) ? buffer + 1 : buffer;
}

const char *report_count_in(char buffer[REPORT_NUMBER_BYTES], uint64_t count)
{
    if (count == RECORD_UNKNOWN)
        return "-";
    text_print(buffer, REPORT_NUMBER_BYTES, "%lu", count);
    return buffer;
}

const char *report_size_in(char buffer[TEXT_SIZE_BYTES], uint64_t bytes)
{
    return bytes == RECORD_UNKNOWN || bytes == 0 ? "-" : text_size_in(buffer, bytes);
}

const char *report_bounds_in(char buffer[REPORT_BOUNDS_BYTES], double low, double high,
                             unsigned decimals)
{
    if (!report_known(low) || !report_known(high))
        return "";
    text_print(buffer, REPORT_BOUNDS_BYTES, " (%s to %s)", REPORT_NUMBER(low, decimals),
               REPORT_NUMBER(high, decimals));
    return buffer;
}

bool report_prefetch_differs(enum prefetch_state kept, enum prefetch_state of)
{
    return of != PREFETCH_NOT_MEASURED && of != kept;
}

const char *report_words(const char *words)
{
    return words != NULL && words[0] != '\0' ? words : "-";
}

const char *report_share_in(char buffer[REPORT_SHARE_BYTES], double share, double low, double high)
{
    text_print(buffer, REPORT_SHARE_BYTES, "%s %%%s", REPORT_NUMBER(share * 100, 1),
               REPORT_BOUNDS(low * 100, high * 100, 1));
    return buffer;
}

const char *report_distance_in(char buffer[REPORT_DISTANCE_BYTES], double lines, uint64_t touches)
{
    uint64_t away = (uint64_t)(lines < 0 ? -lines : lines);

    text_print(buffer, REPORT_DISTANCE_BYTES, "%lu %s %s after %lu %s", away,
               away == 1 ? "line" : "lines", lines < 0 ? "back" : "ahead", touches,
               touches == 1 ? "touch" : "touches");
    return buffer;
}

const char *report_doubt_in(char buffer[REPORT_DOUBT_BYTES], const char *before, doubt_set doubt)
{
    struct text words;
    const char *between = "doubt: ";

    text_start(&words, buffer, REPORT_DOUBT_BYTES);
    text_add(&words, doubt != 0 ? before : "");
    for (unsigned reason = 0; reason < DOUBT_REASONS; reason++) {
        if (!(doubt >> reason & 1))
            continue;
        text_format(&words, "%s%s", between, doubt_name((enum doubt_reason)reason));
        between = ", ";
    }
    return buffer;
}

const char *report_known_words(const struct report *report, enum prefetch_state state)
{
    return state == PREFETCH_OFF && report->known_only ? ", known controls" : "";
}

void report_add_bits(struct text *line, uint64_t function)
{
    for (unsigned bit = 0; bit < 64; bit++)
        if (function >> bit & 1)
            text_format(line, " %u", bit);
}
