/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/options/numbers.h"

#include "core/lib/text.h"

bool number_read(const char *text, size_t bytes, uint32_t max, uint32_t *number)
{
    uint64_t value;

    if (!text_read_u64(text, bytes, &value) || value > max)
        return false;
    *number = (uint32_t)value;
    return true;
}

/* "4" or "4-7". */
static bool read_range(const char *text, size_t bytes, uint32_t max, uint32_t *first,
                       uint32_t *last)
{
    size_t dash = 0;

    while (dash < bytes && text[dash] != '-')
        dash++;
    if (!number_read(text, dash, max, first))
        return false;
    *last = *first;
    return dash == bytes ||
           (number_read(text + dash + 1, bytes - dash - 1, max, last) && *last >= *first);
}

bool numbers_read(const char *text, size_t bytes, uint32_t max, struct numbers *out,
                  const char **why)
{
    size_t pos = 0;

    out->ranges = 0;
    while (pos <= bytes) {
        size_t end = pos;
        while (end < bytes && text[end] != ',')
            end++;
        if (out->ranges == NUMBERS_RANGES_MAX) {
            *why = "has more than 32 ranges";
            return false;
        }
        if (!read_range(text + pos, end - pos, max, &out->range[out->ranges].first,
                        &out->range[out->ranges].last))
            return false;
        out->ranges++;
        pos = end + 1;
    }
    return true;
}

bool numbers_hold(const struct numbers *numbers, uint32_t number)
{
    for (uint32_t i = 0; i < numbers->ranges; i++)
        if (number >= numbers->range[i].first && number <= numbers->range[i].last)
            return true;
    return false;
}

uint32_t numbers_missing(const struct numbers *numbers,
                         bool (*exists)(const void *context, uint32_t number), const void *context)
{
    uint32_t missing = UINT32_MAX;

    for (uint32_t i = 0; i < numbers->ranges; i++) {
        uint32_t number = numbers->range[i].first;
        while (number <= numbers->range[i].last && exists(context, number))
            number++;
        if (number <= numbers->range[i].last && number < missing)
            missing = number;
    }
    return missing;
}
