/* SPDX-License-Identifier: BSD-2-Clause */
/* The run's clock: the CPU's counter, its frequency as declared or measured against a second clock
 * in a short first estimate, and the comparison with that second clock over the whole run. */
#ifndef EFI_CLOCK_H
#define EFI_CLOCK_H

#include "arch/arch.h"
#include "core/clock/calendar.h"
#include "core/clock/refclock.h"
#include "core/results/notes.h"
#include "efi/firmware.h"

#define CLOCK_REFERENCES_MAX 4

struct clock {
    struct clock_info info;
    struct refclock reference[CLOCK_REFERENCES_MAX];
    const struct refclock *second; /* the one in use; NULL: none */
    uint64_t origin;               /* ticks when the clock was started */
    struct refclock_watch watch;
    bool watching; /* the current stretch has begun */
    uint64_t best_bracket, fed_ticks, interval_ticks;
    /* the firmware's calendar, beside `second` or instead of it; NULL: it does not answer */
    const struct firmware *calendar;
    struct calendar_watch calendar_watch;
    struct notes *notes; /* for what shows only during a run */
};

/* Starts the clock. Takes up to 200 ms (with the calendar, seconds). acpi may be all unknown. What
 * is unavailable goes to notes. */
void clock_start(struct clock *clock, const struct firmware *fw, const struct acpi_facts *acpi,
                 struct notes *notes);
/* Call often: the second clock wraps (the PM timer after 4.687 s). A stretch that ended too late,
 * after a slow stick for instance, is closed and a new one started; nothing is guessed. */
void clock_feed(struct clock *clock);
/* Restarts the comparison: each run has its own. */
void clock_run_starts(struct clock *clock);
uint64_t clock_ns(const struct clock *clock);
void clock_answer(struct clock *clock, struct clock_check *check);

#endif
