/* SPDX-License-Identifier: BSD-2-Clause */
/* First estimate and whole-run watch; see clock.h. */
#include "efi/clock.h"

#include "core/clock/info.h"
#include "efi/calendar.h"

#define WINDOWS        3
#define WINDOW_MS      50
#define WINDOW_LONG_MS 150
#define STALL_MS       100
/* How long to wait for the calendar's second to change while no frequency is known: more than a
 * second at 1 GHz. */
#define CALENDAR_TICKS_MAX 1250000000ull
#define ANSWER_PER_S       50 /* the second clock is read at most this often */
/* An edge is measured to about a microsecond, under an emulator to tens. */
#define ANSWER_MIN_S 0.05

static const char calendar_name[] = "firmware calendar";

static uint64_t ticks(void *context)
{
    (void)context;
    return arch_ticks();
}

/* Without a second clock or a declared frequency there is only the firmware's delay. */
static void estimate_by_stall(struct clock *clock, const struct firmware *fw, struct notes *notes)
{
    uint64_t begin = arch_ticks();

    firmware_wait_ms(fw, STALL_MS);
    clock->info.hz = (arch_ticks() - begin) * (1000 / STALL_MS);
    clock->info.choice = CLOCK_MEASURED;
    clock->info.source = "firmware Stall";
    notes_add(notes, SEVERITY_WARNING, "clock known roughly",
              "no declared frequency and no second clock; estimated by the firmware's delay");
}

/* Waits for one change of the calendar's second, up to a second. */
static bool calendar_edge(struct clock *clock, uint64_t give_up_ticks, struct calendar_edge *edge)
{
    return calendar_edge_find(calendar_read, (void *)clock->calendar, ticks, NULL, give_up_ticks,
                              edge) == STATUS_OK;
}

/* Measures the second between two edges, to a thousandth or better, if nothing is declared. */
static bool estimate_by_calendar(struct clock *clock, struct notes *notes)
{
    struct calendar_edge first, last;

    if (clock->calendar == NULL || !calendar_edge(clock, CALENDAR_TICKS_MAX, &first) ||
        !calendar_edge(clock, CALENDAR_TICKS_MAX, &last) || calendar_hz(&first, &last) <= 0)
        return false;
    clock->info.hz = (uint64_t)(calendar_hz(&first, &last) + 0.5);
    clock->info.source = calendar_name;
    clock->info.choice = CLOCK_MEASURED;
    notes_add(notes, SEVERITY_WARNING, "clock known roughly",
              "no declared frequency; estimated over one second of the firmware's calendar");
    return true;
}

static void note_remark(struct notes *notes, const struct clock_remark *remark)
{
    if (remark->what != NULL)
        notes_add(notes, remark->severity, remark->what, remark->why);
}

/* Starts without a second clock that can be read at any time. */
static void start_without_second(struct clock *clock, const struct firmware *fw,
                                 struct notes *notes)
{
    struct clock_remark remark;

    clock_info_unmeasured(&clock->info, &remark);
    note_remark(notes, &remark);
    if (clock->info.hz == 0 && !estimate_by_calendar(clock, notes))
        estimate_by_stall(clock, fw, notes);
    else if (clock->calendar == NULL)
        notes_add(notes, SEVERITY_WARNING, "clock not checked",
                  "no second clock answers; the frequency is as declared");
    else
        notes_add(notes, SEVERITY_INFO, "clock checked in long runs only",
                  "the only second clock is the firmware's calendar: 15 s at least");
}

static bool measure(const struct refclock *second, unsigned window_ms,
                    struct refclock_result *result)
{
    return refclock_calibrate(second, ticks, NULL, WINDOWS, window_ms, result) == STATUS_OK &&
           result->hz > 0;
}

/* Calibrates against the first second clock that works. */
static bool calibrate(struct clock *clock, size_t references, struct refclock_result *result)
{
    for (size_t i = 0; i < references; i++) {
        if (measure(&clock->reference[i], WINDOW_MS, result)) {
            struct refclock_result longer;

            if (clock_info_wants_longer(&clock->info, result) &&
                measure(&clock->reference[i], WINDOW_LONG_MS, &longer))
                *result = longer;
            clock->second = &clock->reference[i];
            clock->info.check_source = clock->second->name;
            return true;
        }
    }
    return false;
}

static void note_shared_crystal(const struct clock *clock)
{
    if (clock->second->may_share_crystal)
        notes_format(clock->notes, SEVERITY_INFO, "the second clock may be the same crystal",
                     "firmware may have the CPU emulate the %s: its check proves ratios only; the "
                     "calendar is compared in runs of two minutes and more",
                     clock->second->name);
}

/* Another stretch of the comparison. */
static void watch_again(struct clock *clock)
{
    struct clock_pair pair;

    /* A few warm-up readings, so that the one that counts has a tight bracket. */
    for (unsigned i = 0; i < 4; i++) {
        clock->watching = refclock_edge(clock->second, ticks, NULL, clock->info.hz / 100,
                                        &clock->best_bracket, &pair) == STATUS_OK;
        if (!clock->watching)
            return;
    }
    refclock_watch_again(&clock->watch, pair);
    clock->fed_ticks = pair.ticks;
}

static void watch_start(struct clock *clock)
{
    refclock_watch_start(&clock->watch, clock->second, (double)clock->info.hz,
                         (struct clock_pair){.ticks = 0});
    watch_again(clock);
}

void clock_start(struct clock *clock, const struct firmware *fw, const struct acpi_facts *acpi,
                 struct notes *notes)
{
    struct clock_remark remark;
    struct refclock_result result;
    struct arch_clock declared;
    int64_t seconds;
    size_t references;
    EFI_TPL tpl = fw->boot->RaiseTPL(TPL_HIGH_LEVEL);

    arch_clock_declared(&declared);
    fw->boot->RestoreTPL(tpl);
    *clock = (struct clock){
        .info = clock_info_declared(&declared.declared), .origin = arch_ticks(), .notes = notes};
    clock->info.resolution_ticks = declared.resolution_ticks;
    clock->info.invariant = declared.invariant;
    clock->info.core_base_hz = declared.core_base_hz;
    if (calendar_read((void *)fw, &seconds))
        clock->calendar = fw;
    references = arch_refclocks(acpi, clock->reference, CLOCK_REFERENCES_MAX);
    if (calibrate(clock, references, &result)) {
        clock_info_adopt(&clock->info, clock->second->name, &result, &remark);
        note_remark(notes, &remark);
        note_shared_crystal(clock);
        clock->interval_ticks = (uint64_t)((double)refclock_watch_interval_ns(clock->second) *
                                           1e-9 * (double)clock->info.hz);
        watch_start(clock);
    } else {
        start_without_second(clock, fw, notes);
    }
    if (!declared.invariant)
        notes_format(notes, SEVERITY_WARNING, "clock rate may change", "%s not invariant",
                     declared.counter);
}

static void feed(struct clock *clock, uint64_t at_least_ticks)
{
    struct clock_pair pair;
    uint64_t since;

    if (clock->second == NULL)
        return;
    since = arch_ticks() - clock->fed_ticks;
    if (clock->watching && since < at_least_ticks)
        return;
    if (!clock->watching || since > clock->interval_ticks) {
        watch_again(clock);
        return;
    }
    if (refclock_edge(clock->second, ticks, NULL, clock->info.hz / 100, &clock->best_bracket,
                      &pair) != STATUS_OK)
        return;
    refclock_watch_feed(&clock->watch, pair);
    clock->fed_ticks = pair.ticks;
}

void clock_feed(struct clock *clock)
{
    feed(clock, clock->interval_ticks / 8);
}

void clock_run_starts(struct clock *clock)
{
    if (clock->second != NULL)
        watch_start(clock);
    calendar_watch_start(&clock->calendar_watch, (double)clock->info.hz, arch_ticks(),
                         clock->second == NULL);
}

uint64_t clock_ns(const struct clock *clock)
{
    uint64_t hz = clock->info.hz, passed = arch_ticks() - clock->origin;

    return hz == 0 ? 0 : passed / hz * 1000000000ull + passed % hz * 1000000000ull / hz;
}

/* Reads the calendar at a few moments of a run, and gives it up if it is not a clock. */
static void answer_by_calendar(struct clock *clock, struct clock_check *check)
{
    struct calendar_watch *watch = &clock->calendar_watch;
    struct calendar_edge edge;

    if (calendar_watch_due(watch, arch_ticks())) {
        const char *why = NULL;

        if (calendar_edge(clock, clock->info.hz + clock->info.hz / 4, &edge))
            calendar_watch_edge(watch, &edge);
        else
            why = "the firmware's calendar does not tick";
        if (calendar_watch_is_same_clock(watch))
            why = "the firmware's calendar counts the same clock";
        if (why != NULL) {
            bool alone = clock->second == NULL;

            notes_add(clock->notes, alone ? SEVERITY_WARNING : SEVERITY_INFO,
                      alone ? "clock not checked" : "clock not checked by the calendar", why);
            clock->calendar = NULL;
            return;
        }
    }
    if (!calendar_watch_result(watch, &check->calendar_ppm, &check->calendar_s))
        check->calendar_ppm = check->calendar_s = 0;
}

void clock_answer(struct clock *clock, struct clock_check *check)
{
    double ppm, seconds;

    *check = (struct clock_check){.source = clock->info.check_source};
    if (clock->calendar != NULL)
        answer_by_calendar(clock, check);
    if (clock->second == NULL) {
        clock_check_by_calendar(check, calendar_name);
        return;
    }
    feed(clock, clock->info.hz / ANSWER_PER_S);
    check->known = refclock_watch_result(&clock->watch, &ppm, &seconds) && seconds >= ANSWER_MIN_S;
    check->seconds = check->known ? seconds : 0;
    check->ppm = check->known ? ppm : 0;
}
