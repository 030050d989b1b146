/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the search for refreshes share. */
#ifndef CORE_DRAM_REFRESH_INTERNAL_H
#define CORE_DRAM_REFRESH_INTERNAL_H

#include "core/dram/refresh.h"

/* Periods that are looked for: LPDDR has 15.6 us and more when it is cold, and DDR5 0.98 us when it
 * is hot and refreshed in fine granularity. */
#define REFRESH_PERIOD_MIN_NS 900.0
#define REFRESH_PERIOD_MAX_NS 32000.0

/* Why a period is none: compared by address. */
extern const char refresh_two_periods[];

/* Finds the period of refresh->events ends of slow accesses, in the order of time, and its bounds.
 * Returns why there is none; NULL: there is. */
const char *refresh_fold(const struct refresh_series *series, const uint64_t *end,
                         struct refresh *refresh);
/* Finds the stall of a period that is found; mean is the phase at which refreshes end, room for as
 * many values as the series has. It stays NAN where too few waits are in step. */
void refresh_find_stall(const struct refresh_series *series, uint64_t mean, uint64_t *room,
                        struct refresh *refresh);

#endif
