/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUs that a run is asked to measure from: which can be had, and which are not there. */
#ifndef CORE_MEASURE_CPUS_H
#define CORE_MEASURE_CPUS_H

#include "core/machine.h"
#include "core/options/cpus.h"
#include "core/options/options.h"
#include "core/results/journal.h"

/* Whether chases can run there (machine.cpu_ready); *why: in words, static, why not. */
bool measure_cpu_ready(const struct machine *machine, uint32_t cpu, const char **why);
/* A warning if the choice names a CPU that is not there. */
void measure_note_missing_cpu(const struct machine_description *d, const struct cpus_choice *choice,
                              struct journal *journal);
/* Has the CPUs that cpus= takes work on memory too (CPU_EVERY); without cpus= none is asked for
 * that: firmware may hang at the first start of another CPU. A note about those that cannot be had.
 * *asked: this run has done so before, and from now on has. */
void measure_ask_for_cpus(const struct machine *machine, const struct options *options,
                          struct journal *journal, bool *asked);

#endif
