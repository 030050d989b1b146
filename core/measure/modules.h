/* SPDX-License-Identifier: BSD-2-Clause */
/* The records of the memory modules: each slot, and all together. */
#ifndef CORE_MEASURE_MODULES_H
#define CORE_MEASURE_MODULES_H

#include "core/machine.h"
#include "core/options/options.h"
#include "core/results/journal.h"

/* Emits a dimm record for each slot, and a modules record if any is described; a note where modules
 * and memory map differ. */
void modules_describe(const struct machine_description *d, struct journal *journal);
/* Emits an expectation record for each expect- option about modules, and a warning for each that is
 * not met, or where that cannot be told. */
void modules_expect(const struct machine_description *d, const struct options *options,
                    struct journal *journal);

/* Fills what a mapping record says of the modules, from its other fields, and notes banks that are
 * not theirs. */
void modules_compare(const struct machine_description *d, struct record_mapping *mapping,
                     struct journal *journal);

#endif
