/* SPDX-License-Identifier: BSD-2-Clause */
/* The records that describe the machine. */
#ifndef CORE_MEASURE_DESCRIBE_H
#define CORE_MEASURE_DESCRIBE_H

#include "core/machine.h"
#include "core/options/options.h"
#include "core/results/journal.h"

/* Emits the run record. version: the number and the commit; text[OPTIONS_EFFECTIVE_MAX]: caller's
 * room for the options' words, used until it returns. */
void describe_run(const struct machine_description *d, const struct options *options,
                  const char *version, char *text, struct journal *journal);
/* Emits cpu, memory, dimm, modules and cache records, and the machine's notes. */
void describe_machine(const struct machine_description *d, struct journal *journal);
/* Emits the prefetch records of a state requested on a CPU, one per control, or one if there is
 * none. The fields of behaviour, from sequential_over_random on, are taken from *seen; NULL: not
 * measured. */
void describe_prefetch(const struct prefetch_report *report, uint32_t cpu,
                       const struct record_prefetch *seen, struct journal *journal);

#endif
