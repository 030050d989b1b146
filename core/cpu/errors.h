/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors that the hardware has counted: banks of a CPU's error records, and what was added between
 * two readings of them. Pure; arch/ reads and decodes the registers. Banks are read and never
 * cleared: what is in them is their handler's. */
#ifndef CORE_CPU_ERRORS_H
#define CORE_CPU_ERRORS_H

#include "core/machine.h"

/* What a bank says anew. */
struct error_news {
    uint32_t bank;
    uint64_t corrected; /* errors added; 0: none */
    bool at_least;      /* there may have been more: presence only, overflow, or at its maximum */
    bool other;         /* a deferred or uncorrected error that was not there before */
};

/* Compares two readings of the same CPU. Returns the number of banks with news, in their order. A
 * bank that counts less than before was cleared meanwhile: all that it counts is new. before NULL:
 * all that is there is news. */
size_t errors_since(const struct error_banks *before, const struct error_banks *now,
                    struct error_news news[ERROR_BANKS_MAX]);

/* "corrected", "deferred", "uncorrected" */
const char *error_severity_name(enum error_severity severity);
/* "counted", "presence", "unread" */
const char *error_counting_name(enum error_counting counting);

#endif
