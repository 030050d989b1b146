/* SPDX-License-Identifier: BSD-2-Clause */
/* The figures of many boots of one board held against each other: against the middle of all, so
 * that it is the odd boot that is named and not all others. Pure. */
#ifndef CORE_VERDICT_BOOTS_H
#define CORE_VERDICT_BOOTS_H

#include "core/verdict/baseline.h"

#define BOOTS_MAX 64

/* The middle of each figure over boots[count] (at most BOOTS_MAX), of those that more than half of
 * the boots have, in *middle (started by the caller). */
void boots_middle(const struct figures boots[], size_t count, struct figures *middle);

/* How far apart a figure's values are over the boots. */
struct boots_spread {
    size_t count;               /* boots that have it */
    double low, high;           /* of FIGURES_WORDS: 0 */
    size_t low_boot, high_boot; /* indices */
};
void boots_spread(const struct figures boots[], size_t count, const struct figures_one *of,
                  struct boots_spread *spread);

#endif
