/* SPDX-License-Identifier: BSD-2-Clause */
/* decode=: how a physical address chooses a module's slot, as a lab says it. Pure. */
#ifndef CORE_OPTIONS_DECODE_H
#define CORE_OPTIONS_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/lib/text.h"

#define DECODE_MASKS_MAX 6
#define DECODE_NAME_MAX  40

struct decode {
    bool found;     /* by the functions that tests=banks finds; there are no masks */
    uint32_t masks; /* 0 and not found: nothing is said */
    uint64_t mask[DECODE_MASKS_MAX];
    const char *names; /* of 2^masks slots, separated by commas, in the text that was read */
};

/* Reads "found", or masks separated by slashes, a colon, and names of slots separated by commas:
 * "0x2040/0x10000:A1,A2,B1,B2". The parity of the address under mask n is bit n of the number of a
 * name. *decode points into text; "" says nothing. False: *why (static) is a phrase that follows
 * "which". */
bool decode_read(const char *text, size_t bytes, struct decode *decode, const char **why);

/* Adds the name of that number. */
void decode_name(const struct decode *decode, uint32_t number, struct text *text);

#endif
