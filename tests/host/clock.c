/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/host/clock.h"

#include <string.h>
#include <time.h>

#include "arch/arch.h"
#include "core/clock/info.h"
#include "core/lib/text.h"
#include "tests/host/sysfile.h"

#define WINDOWS      3
#define CHECK_MS     5  /* a reading is accurate to some 20 ns: 4 ppm */
#define ESTIMATE_MS  40 /* if no frequency is declared */
#define ANSWER_MIN_S 0.05
#define GIVE_UP_PART 100

static const char raw_name[] = "CLOCK_MONOTONIC_RAW";

static uint64_t clock_ns(clockid_t which)
{
    struct timespec now;

    clock_gettime(which, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t raw_read(void *context)
{
    (void)context;
    return clock_ns(CLOCK_MONOTONIC_RAW);
}

static uint64_t ticks(void *context)
{
    (void)context;
    return arch_ticks();
}

uint64_t clock_wall_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

uint64_t clock_own_ns(void)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* What the kernel makes its clock of: of the same counter, mostly, and then it says what the kernel
 * believes of the counter's rate, not what time it is. */
static void note_source(struct notes *notes)
{
    char source[64];
    bool same;

    if (!sysfile_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", source,
                      sizeof source))
        return;
    same = strcmp(source, "tsc") == 0 || strcmp(source, "arch_sys_counter") == 0 ||
           strcmp(source, "kvm-clock") == 0;
    notes_format(notes, SEVERITY_INFO, "what the second clock is",
                 "CLOCK_MONOTONIC_RAW is the kernel's scale of %s%s", source,
                 same ? ", the same counter: the check is of its declared rate only" : "");
}

static void watch_start(struct clock *clock)
{
    struct clock_pair pair;

    clock->watching = refclock_edge(&clock->second, ticks, NULL, clock->info.hz / GIVE_UP_PART,
                                    &clock->best_bracket, &pair) == STATUS_OK;
    if (clock->watching)
        refclock_watch_start(&clock->watch, &clock->second, (double)clock->info.hz, pair);
}

static bool measure(const struct refclock *second, unsigned window_ms,
                    struct refclock_result *result)
{
    return refclock_calibrate(second, ticks, NULL, WINDOWS, window_ms, result) == STATUS_OK;
}

void clock_start(struct clock *clock, struct notes *notes)
{
    struct clock_remark remark;
    struct refclock_result result, longer;
    struct arch_clock declared;

    arch_clock_declared(&declared);
    *clock = (struct clock){.info = clock_info_declared(&declared.declared),
                            .second = {.name = raw_name,
                                       .hz_numerator = 1000000000u,
                                       .hz_denominator = 1,
                                       .bits = 64,
                                       .read = raw_read}};
    clock->info.resolution_ticks = declared.resolution_ticks;
    clock->info.invariant = declared.invariant;
    clock->info.core_base_hz = declared.core_base_hz;
    if (!measure(&clock->second, declared.declared.hz == 0 ? ESTIMATE_MS : CHECK_MS, &result)) {
        clock_info_unmeasured(&clock->info, &remark);
        notes_add(notes, SEVERITY_WARNING, "clock not checked",
                  "CLOCK_MONOTONIC_RAW does not move as a clock does");
    } else {
        if (clock_info_wants_longer(&clock->info, &result) &&
            measure(&clock->second, ESTIMATE_MS, &longer))
            result = longer;
        clock->info.check_source = raw_name;
        clock_info_adopt(&clock->info, raw_name, &result, &remark);
    }
    if (remark.what != NULL)
        notes_add(notes, remark.severity, remark.what, remark.why);
    note_source(notes);
    if (!declared.invariant)
        notes_format(notes, SEVERITY_WARNING, "clock rate may change", "%s not invariant",
                     declared.counter);
    watch_start(clock);
}

void clock_answer(struct clock *clock, struct clock_check *check)
{
    struct clock_pair pair;

    *check = (struct clock_check){.source = clock->info.check_source};
    if (!clock->watching ||
        refclock_edge(&clock->second, ticks, NULL, clock->info.hz / GIVE_UP_PART,
                      &clock->best_bracket, &pair) != STATUS_OK)
        return;
    refclock_watch_feed(&clock->watch, pair);
    check->known = refclock_watch_result(&clock->watch, &check->ppm, &check->seconds) &&
                   check->seconds >= ANSWER_MIN_S;
}
