/* SPDX-License-Identifier: BSD-2-Clause */
/* The figures of many boots of one board held against each other: against the middle of all, so
 * that it is the odd boot that is named and not all others. Pure. */
#ifndef CORE_VERDICT_BOOTS_H
#define CORE_VERDICT_BOOTS_H

#include "core/verdict/lines.h"

#define BOOTS_MAX 64

/* The middle of each figure over boots[count] (at most BOOTS_MAX), of those that more than half of
 * the boots have, in *middle (started by the caller): of the boots that do not mark it, if there
 * are any. A difference of lines or ranges stands there if more than a quarter of the boots tell
 * it, lines by whatever groups: those that do not tell it have it by nothing, to within what would
 * have been told; and with how far honest boots may be from it. */
void boots_middle(const struct figures boots[], size_t count, struct lines *room,
                  struct figures *middle);

/* How far apart a figure's values are over the boots. */
struct boots_spread {
    size_t count;               /* boots that have it */
    double low, high;           /* of FIGURES_WORDS: 0 */
    size_t low_boot, high_boot; /* indices */
};
void boots_spread(const struct figures boots[], size_t count, const struct figures_one *of,
                  struct boots_spread *spread);

/* How long the firmware took in each boot, in s; 0: not known. A boot that trains memory anew takes
 * longer: by more than a quarter, and than a second, since drives and sticks that answer sooner or
 * later scatter it by less. */
#define BOOTS_LONGER_SHARE 0.25
#define BOOTS_LONGER_S     1.0
struct boots_times {
    size_t count; /* boots of which it is known */
    double middle_s, low_s, high_s;
    size_t low_boot, high_boot; /* indices */
};
/* count at most BOOTS_MAX. *times is of those that are known; longer[i] is set for each boot that
 * is longer than their middle by so much. */
void boots_firmware(const double s[], size_t count, struct boots_times *times, bool longer[]);

#endif
