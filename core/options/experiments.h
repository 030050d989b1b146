/* SPDX-License-Identifier: BSD-2-Clause */
/* The experiments as the options know them: by name. What each does is in core/experiments/table.h,
 * in the same order. */
#ifndef CORE_OPTIONS_EXPERIMENTS_H
#define CORE_OPTIONS_EXPERIMENTS_H

#include <stddef.h>
#include <stdint.h>

struct experiment_listing {
    const char *name, *help;
    uint32_t plans;   /* bit n: enum option_plan n runs it unless tests= is given */
    uint32_t follows; /* bits of enum followed: those options, of the ones that not every experiment
                         follows */
};

extern const struct experiment_listing experiment_list[];
extern const size_t experiment_count;

#endif
