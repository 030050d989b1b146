/* SPDX-License-Identifier: BSD-2-Clause */
/* pattern: one working set, measured exactly as the options spell it out, in each page size that
 * pages= names or else in the largest. The contract of both functions is in experiment.h. */
#ifndef CORE_EXPERIMENT_PATTERN_H
#define CORE_EXPERIMENT_PATTERN_H

#include "core/experiment.h"

enum status pattern_plan(struct engine *engine, uint32_t experiment);
enum status pattern_conclude(struct engine *engine, uint32_t experiment);

#endif
