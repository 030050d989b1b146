/* SPDX-License-Identifier: BSD-2-Clause */
/* The records that say what the machine is. */
#ifndef CORE_MEASURE_DESCRIBE_H
#define CORE_MEASURE_DESCRIBE_H

#include "core/machine.h"
#include "core/options/options.h"
#include "core/results/journal.h"

/* version: git describe; text[OPTIONS_EFFECTIVE_MAX] is room for the options' words. */
void describe_run(const struct machine_description *d, const struct options *options,
                  const char *version, char *text, struct journal *journal);
void describe_machine(const struct machine_description *d, struct journal *journal);
/* The prefetch records of a state that was asked for. The behaviour's fields, from
 * sequential_over_random on, are taken from `seen`; NULL: not measured. */
void describe_prefetch(const struct prefetch_report *report, const struct record_prefetch *seen,
                       struct journal *journal);

#endif
