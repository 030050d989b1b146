/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known of a machine's clock after a comparison with a second one. */
#ifndef CORE_CLOCK_INFO_H
#define CORE_CLOCK_INFO_H

#include "core/clock/refclock.h"
#include "core/machine.h"

/* A spread of this many ppm and more is no measurement of a frequency. */
#define CLOCK_SPREAD_PPM 50.0

#define CLOCK_INFO_WHY_BYTES 200

/* What is to be noted; what is NULL: nothing. */
struct clock_remark {
    enum severity severity;
    const char *what;
    char why[CLOCK_INFO_WHY_BYTES];
};

/* The clock as declared alone; the strings must outlive it. hz may be 0. */
struct clock_info clock_info_declared(const struct clock_declared *declared);

/* Decides the frequency, given what the second clock measured; `second`, its name, must outlive
 * *info. In this order:
 *   exact, label       as declared
 *   a crystal's ratio  of 24, 25 or 38.4 MHz, if one is within 1000 ppm of the measured one
 *   nothing declared   as measured
 *   nominal, inferred  as measured, if the spread is under CLOCK_SPREAD_PPM and the two are within
 *                      10 % of each other; else as declared
 * check_ppm becomes the excess over the measured frequency; where that is adopted, its spread. A
 * frequency that is kept although it is over CLOCK_WARNING_PPM off, or although nobody vouches for
 * it, is a warning; one that was replaced by one that far off is a remark. Sources: Linux
 * arch/x86/kernel/tsc.c (native_calibrate_tsc, its limit of 10 % between two timers); kernel.org
 * bug 197299 (spread spectrum). */
void clock_info_adopt(struct clock_info *info, const char *second,
                      const struct refclock_result *measured, struct clock_remark *remark);

/* True if a longer measurement may be adopted where this one is not. */
bool clock_info_wants_longer(const struct clock_info *info, const struct refclock_result *measured);

/* The remark where there is no second clock to measure with: a warning if the declared frequency is
 * nominal or inferred. */
void clock_info_unmeasured(const struct clock_info *info, struct clock_remark *remark);

/* Where the calendar is the only second clock: its comparison, if known, is the check. */
void clock_check_by_calendar(struct clock_check *check, const char *name);

/* Which comparison is over CLOCK_WARNING_PPM, its name for a note and *ppm; NULL: none. The second
 * clock's comes first. */
const char *clock_check_disagrees(const struct clock_check *check, double *ppm);

#endif
