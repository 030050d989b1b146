/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of numbers such as "0,4-7", as options name CPUs and nodes by them. Pure. */
#ifndef CORE_OPTIONS_NUMBERS_H
#define CORE_OPTIONS_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NUMBERS_RANGES_MAX 32

struct numbers {
    uint32_t ranges;
    struct {
        uint32_t first, last;
    } range[NUMBERS_RANGES_MAX];
};

/* Reads one number of at most `max`. False: it is none. */
bool number_read(const char *text, size_t bytes, uint32_t max, uint32_t *number);
/* Reads numbers of at most `max`, and ranges of them. False: it is no such list; *why: a phrase
 * that follows "which", or left as it is. */
bool numbers_read(const char *text, size_t bytes, uint32_t max, struct numbers *out,
                  const char **why);
bool numbers_hold(const struct numbers *numbers, uint32_t number);
/* The smallest number that is listed and does not exist; UINT32_MAX: all do. */
uint32_t numbers_missing(const struct numbers *numbers,
                         bool (*exists)(const void *context, uint32_t number), const void *context);

#endif
