/* SPDX-License-Identifier: BSD-2-Clause */
/* What the machine's own counters of hardware errors say of a run: before it, after each of its
 * points, and in all. */
#ifndef CORE_MEASURE_HARDWARE_ERRORS_H
#define CORE_MEASURE_HARDWARE_ERRORS_H

#include "core/cpu/errors.h"
#include "core/machine.h"
#include "core/results/journal.h"

struct hardware_errors {
    const struct machine *machine;
    struct journal *journal;
    struct error_banks before, now;
    struct error_news news[ERROR_BANKS_MAX];
    struct record_hardware_errors sum;
};

/* Reads for the first time; emits a hardware_error record for each that the boot before left, and
 * for each that stands in a bank already. */
void hardware_errors_start(struct hardware_errors *errors, const struct machine *machine,
                           struct journal *journal);
/* Emits a hardware_error record for each bank that says something new; experiment: what ran since
 * the last call. Outside quiet sections. */
void hardware_errors_look(struct hardware_errors *errors, const char *experiment);
/* Emits the hardware_errors record, and notes what keeps errors from being counted. */
void hardware_errors_conclude(struct hardware_errors *errors);

#endif
