/* SPDX-License-Identifier: BSD-2-Clause */
/* Pass by pass over all experiments, so that whenever the budget ends there are results for all of
 * them; within a pass window by window, the open one first. */
#include "core/experiments/schedule.h"

#include "core/experiments/table.h"
#include "core/lib/real.h"
#include "core/lib/text.h"
#include "core/options/experiments.h"
#include "core/measure/banks.h"
#include "core/measure/footprint_run.h"
#include "core/measure/handoff.h"
#include "core/measure/regions.h"
#include "core/measure/single.h"
#include "core/measure/verify.h"
#include "core/measure/time.h"
#include "core/plan/estimate.h"
#include "core/plan/estimate_populate.h"
#include "core/plan/estimate_warm.h"
#include "core/plan/left_out.h"
#include "core/plan/sampling.h"
#include "core/plan/shares.h"

#define SLICE_NS      250e6 /* of populating: a stop or the deadline is noticed after at most this */
#define SLICE_MIN     (2ull << 20)
#define MIN_BUDGET_NS 10000000000ull
#define SAVE_S        5.0 /* as old as a record may be that is not saved yet */
#define SECTION_S     0.5 /* nothing is asked more seldom whether to save */

static uint64_t now_ns(const struct schedule *schedule)
{
    return time_now_ns(schedule->machine);
}

static double expected_s(const struct schedule *schedule, const struct point *point)
{
    return estimate_point_s(&schedule->plan, point, now_ns(schedule));
}

static void leave_out(struct point *point, enum left_out why)
{
    point->over = true;
    point->left_out = why;
}

/* ---- the open window */

static void close_window(struct schedule *schedule)
{
    if (schedule->window_known)
        schedule->machine->window_close(schedule->machine->self, &schedule->window);
    schedule->window_known = false;
}

/* Bytes of the largest set still to come in such a window: it is opened once for all of them. */
static uint64_t wanted_bytes(const struct schedule *schedule, const struct point *like)
{
    uint64_t max = 0;

    for (uint32_t i = 0; i < schedule->plan.point_count; i++) {
        const struct point *p = &schedule->plan.point[i];
        uint64_t bytes = sampling_window_bytes(schedule->plan.machine->line_bytes, p);
        if (!p->over && plan_same_window(p, like) && bytes > max)
            max = bytes;
    }
    return max;
}

/* Leaves out all points of such a window that need more than half of bytes; a window of half the
 * size may still open. */
static void give_up_larger(struct schedule *schedule, const struct point *like, uint64_t bytes)
{
    for (uint32_t i = 0; i < schedule->plan.point_count; i++) {
        struct point *p = &schedule->plan.point[i];
        if (!p->over && plan_same_window(p, like) &&
            sampling_window_bytes(schedule->plan.machine->line_bytes, p) > bytes / 2)
            leave_out(p, LEFT_NOT_MAPPED);
    }
}

/* Opens the point's window if it is not open. STATUS_NO_MEMORY: the point has been left out. */
static enum status open_window(struct schedule *schedule, const struct point *point)
{
    const struct machine *machine = schedule->machine;
    uint64_t needed = sampling_window_bytes(schedule->plan.machine->line_bytes, point);
    enum status status = STATUS_NO_MEMORY;

    if (schedule->window_known && plan_same_window(&schedule->window_like, point) &&
        schedule->window.bytes >= needed)
        return STATUS_OK;
    close_window(schedule);
    while (!point->over) {
        uint64_t bytes = wanted_bytes(schedule, point);
        struct window_request request = plan_window(&schedule->plan, point, bytes);
        status = machine->window_open(machine->self, &request, &schedule->window);
        if (status == STATUS_OK || status == STATUS_ABORTED)
            break;
        give_up_larger(schedule, point, bytes);
        status = STATUS_NO_MEMORY;
    }
    if (status != STATUS_OK)
        return status;
    schedule->window_known = true;
    schedule->window_like = *point;
    *estimate_populated_bytes(&schedule->plan.estimate, point->page) =
        schedule->window.populated_bytes;
    return STATUS_OK;
}

/* ---- time */

/* The first point is measured in any case, even if the budget is only some seconds or populating
 * its memory takes longer than allowed. */
static void allow_min(struct schedule *schedule, const struct point *point)
{
    double left_s = budget_until_s(schedule->plan.budget.promise_ns, now_ns(schedule));

    if (schedule->begun || estimate_may_shrink(&schedule->plan, point))
        return;
    schedule->measure.lenient =
        schedule->measure.lenient ||
        schedule->plan.budget.deadline_ns - schedule->plan.budget.started_ns < MIN_BUDGET_NS ||
        estimate_populate_s(&schedule->plan, point) > left_s;
    if (schedule->measure.lenient && expected_s(schedule, point) > left_s)
        measure_note_min(&schedule->measure);
}

/* ---- saves */

static void save(struct schedule *schedule)
{
    (void)journal_save(schedule->journal);
    schedule->saved_ns = now_ns(schedule);
    schedule->saved_number = schedule->journal->number;
}

/* If records would be too old before the next chance, which comes after next_s. Outside every quiet
 * section. */
static bool save_if_due(struct schedule *schedule, double next_s)
{
    double age_s = time_since_s(schedule->machine, schedule->saved_ns);

    if (schedule->journal->number == schedule->saved_number || age_s + next_s <= SAVE_S)
        return false;
    save(schedule);
    return true;
}

static bool mark(const struct schedule *schedule)
{
    const struct machine *machine = schedule->machine;

    return machine->mark != NULL && machine->mark(machine->self);
}

/* What a save leaves in the caches between points is gone when the next point's chain has been
 * built and warmed: so one that falls due within the next point comes before it. */
static void save_before(struct schedule *schedule, const struct point *next)
{
    schedule->measure.part = NULL;
    measure_show(&schedule->measure, next->experiment);
    (void)mark(schedule);
    (void)save_if_due(schedule, expected_s(schedule, next));
}

/* Within a point that takes longer than it was expected to, or longer than records may wait. */
static bool save_within(void *schedule)
{
    bool marked = mark(schedule);

    return save_if_due(schedule, SECTION_S) || marked;
}

/* ---- one point */

/* The first time that the clock is too far off the second one, a note says so. */
static void check_clock(struct schedule *schedule)
{
    const struct machine *machine = schedule->machine;
    char what[64];
    double ppm;
    const char *other = time_clock_disagrees(machine, &ppm);

    if (other == NULL || schedule->clock_ppm_noted != 0)
        return;
    schedule->clock_ppm_noted = ppm;
    text_print(what, sizeof what, "the clock disagrees with the %s", other);
    journal_note_format(schedule->journal, SEVERITY_WARNING, what,
                        "by %lu ppm; every figure in ns is off by as much",
                        (uint64_t)real_abs(ppm));
}

static uint64_t next_populated(const struct schedule *schedule, enum page_size page,
                               uint64_t populated, uint64_t bytes)
{
    double slice = SLICE_NS / estimate_populate_ns(&schedule->plan.estimate, page);
    uint64_t step = slice < (double)SLICE_MIN ? SLICE_MIN : (uint64_t)slice;

    return bytes - populated < step ? bytes : populated + step;
}

/* The same where populating has to end at end_ns: what it takes is learnt from small slices first.
 */
static uint64_t next_until(const struct schedule *schedule, enum page_size page, uint64_t populated,
                           uint64_t bytes, uint64_t end_ns)
{
    uint64_t next = next_populated(schedule, page, populated, bytes);
    double left_ns = budget_until_s(end_ns, now_ns(schedule)) * 1e9;
    double fit = left_ns / estimate_populate_ns(&schedule->plan.estimate, page);
    uint64_t most = populated > SLICE_MIN ? populated : SLICE_MIN;

    if (fit < (double)most)
        most = fit > (double)SLICE_MIN ? (uint64_t)fit : SLICE_MIN;
    return next - populated > most ? populated + most : next;
}

/* As many bytes of the point's set as are populated by now, in whole pages, instead of all. */
static void shrink(struct schedule *schedule, struct point *point, uint64_t populated)
{
    uint64_t wanted_bytes = point->bytes;

    point->bytes = populated >> point->page << point->page;
    journal_note_about(schedule->journal, SEVERITY_WARNING, experiment_list[point->experiment].name,
                       "only part of the memory is tested",
                       "of %s a quarter of what budget= leaves was enough to get %s: without "
                       "budget= it takes the time that it needs",
                       TEXT_SIZE(wanted_bytes), TEXT_SIZE(point->bytes));
}

/* Populates the set of a point that makes do with less, for as long as it may take. */
static enum status populate_part(struct schedule *schedule, struct point *point)
{
    const struct machine *machine = schedule->machine;
    struct estimate *estimate = &schedule->plan.estimate;
    uint64_t *populated = estimate_populated_bytes(estimate, point->page);
    uint64_t begun_ns = now_ns(schedule);
    double share_s = estimate_populate_share_s(&schedule->plan, begun_ns);
    uint64_t end_ns = begun_ns + (uint64_t)(share_s * 1e9);

    while (*populated < point->bytes) {
        uint64_t now = now_ns(schedule), next;
        enum status status;
        if (now >= end_ns && *populated >= 1ull << point->page) {
            shrink(schedule, point, *populated);
            return STATUS_OK;
        }
        next = next_until(schedule, point->page, *populated, point->bytes, end_ns);
        status = machine->window_populate(machine->self, &schedule->window, next);
        if (status != STATUS_OK)
            return status;
        estimate_learn_populate(estimate, point->page, next - *populated, now_ns(schedule) - now);
        *populated = next;
        if (machine->abort_requested(machine->self))
            return STATUS_ABORTED;
        (void)save_within(schedule);
    }
    return STATUS_OK;
}

/* Populates the point's set, if the machine populates on demand. */
static enum status populate_set(struct schedule *schedule, struct point *point)
{
    const struct machine *machine = schedule->machine;
    uint64_t *populated = estimate_populated_bytes(&schedule->plan.estimate, point->page);
    uint64_t bytes = sampling_window_bytes(schedule->plan.machine->line_bytes, point);
    enum status status = STATUS_OK;

    if (estimate_may_shrink(&schedule->plan, point))
        return populate_part(schedule, point);
    while (machine->window_populate != NULL && *populated < bytes && status == STATUS_OK) {
        uint64_t begun_ns = time_now_ns(machine);
        uint64_t next = next_populated(schedule, point->page, *populated, bytes);
        status = machine->window_populate(machine->self, &schedule->window, next);
        if (status != STATUS_OK)
            break;
        estimate_learn_populate(&schedule->plan.estimate, point->page, next - *populated,
                                time_now_ns(machine) - begun_ns);
        *populated = next;
        allow_min(schedule, point);
        status = measure_go_on(&schedule->measure);
        (void)save_within(schedule);
    }
    return status;
}

/* repeat= times, with a record each time. The experiment uses the median. */
static enum status measure_point(struct schedule *schedule, struct point *point)
{
    struct point_result *kept = schedule->repeat;
    enum status status = STATUS_OK;
    uint32_t count = 0;

    if (point->work_kind == POINT_FOOTPRINT) {
        point->over = true;
        return footprint_measure(&schedule->measure, point, &schedule->window);
    }
    if (point->work_kind == POINT_BANKS) {
        point->over = true;
        return banks_measure(&schedule->measure, point, &schedule->window);
    }
    if (point->work_kind == POINT_SINGLE) {
        point->over = true;
        return single_measure(&schedule->measure, point, &schedule->window);
    }
    if (point->work_kind == POINT_REGIONS) {
        point->over = true;
        return regions_measure(&schedule->measure, point, &schedule->window);
    }
    if (point->work_kind == POINT_HANDOFF) {
        point->over = true;
        return handoff_measure(&schedule->measure, point, &schedule->window);
    }
    if (point->work_kind == POINT_VERIFY) {
        point->over = true;
        status = verify_measure(&schedule->measure, point, &schedule->window);
        schedule->window_known = schedule->window.handle != NULL;
        close_window(schedule);
        return status;
    }
    for (uint32_t i = 0; i < schedule->options->repeats && status == STATUS_OK; i++) {
        uint32_t pos = count;

        save_before(schedule, point);
        point->result = (struct point_result){.known = false};
        status = point_measure(&schedule->measure, point, &schedule->window);
        if (!point->result.known)
            break;
        for (; pos > 0 && kept[pos - 1].ns > point->result.ns; pos--)
            kept[pos] = kept[pos - 1];
        kept[pos] = point->result;
        count++;
    }
    if (count > 0)
        point->result = kept[(count - 1) / 2];
    point->over = true;
    return status;
}

static enum status begin(struct schedule *schedule, struct point *point)
{
    enum status status;

    save_before(schedule, point);
    allow_min(schedule, point);
    status = open_window(schedule, point);
    if (status == STATUS_OK)
        status = populate_set(schedule, point);
    if (status != STATUS_OK)
        return status;
    controls_set(&schedule->measure.controls, point);
    schedule->plan.current = point;
    schedule->plan.current_ns = schedule->machine->wall_ns(schedule->machine->self);
    status = measure_point(schedule, point);
    schedule->plan.current = NULL;
    hardware_errors_look(&schedule->measure.hardware_errors,
                         experiment_list[point->experiment].name);
    if (point->result.known)
        estimate_learn_pace(&schedule->plan.estimate, expected_s(schedule, point),
                            -budget_until_s(schedule->plan.current_ns, now_ns(schedule)));
    return status;
}

/* Why a point is left out that could not be measured; LEFT_NOT: it was, or the run has failed. */
static enum left_out reason_of(const struct point *point, enum status status)
{
    if (status == STATUS_NO_MEMORY)
        return LEFT_NOT_ALLOCATED;
    if (status == STATUS_LATE)
        return LEFT_LATE;
    if (status == STATUS_UNSUPPORTED && point->traffic.cpus != 0)
        return LEFT_NO_LOAD;
    return status == STATUS_UNSUPPORTED && point->cpu != 0 ? LEFT_NO_CPU : LEFT_NOT;
}

/* Measures a point that is due. STATUS_OK also if it had to be left out. */
static enum status take(struct schedule *schedule, struct point *point)
{
    struct point_result before = point->result;
    enum status status = begin(schedule, point);
    enum left_out reason = reason_of(point, status);

    if (before.known && !point->result.known) {
        point->result = before;
        point->over = true;
        return reason != LEFT_NOT ? STATUS_OK : status;
    }
    if (reason != LEFT_NOT && point->left_out == LEFT_NOT && !point->result.known)
        leave_out(point, reason);
    if (status == STATUS_NO_MEMORY)
        return STATUS_OK;
    schedule->begun = true;
    schedule->measure.lenient = false;
    check_clock(schedule);
    return reason != LEFT_NOT ? STATUS_OK : status;
}

/* ---- the order */

/* Whether a comes before b: of postponed points the cheaper one, else the one whose window is open,
 * else the one planned first. */
static bool comes_before(const struct schedule *schedule, const struct point *a,
                         const struct point *b)
{
    const struct point *like = &schedule->window_like;

    if (schedule->plan.pass == PASS_POSTPONED)
        return expected_s(schedule, a) < expected_s(schedule, b);
    return schedule->window_known && plan_same_window(a, like) && !plan_same_window(b, like);
}

static struct point *next_due(struct schedule *schedule, uint32_t experiment)
{
    struct point *next = NULL;

    for (uint32_t i = 0; i < schedule->plan.point_count; i++) {
        struct point *p = &schedule->plan.point[i];
        if (p->experiment == experiment && !p->over && p->pass <= schedule->plan.pass &&
            (next == NULL || comes_before(schedule, p, next)))
            next = p;
    }
    return next;
}

/* Those that do not fit any more; each is asked about once, and there may be hundreds. */
static void leave_out_over_budget(struct schedule *schedule, uint32_t experiment)
{
    for (uint32_t i = 0; i < schedule->plan.point_count; i++) {
        struct point *p = &schedule->plan.point[i];

        if (p->experiment != experiment || p->over ||
            estimate_affords(&schedule->plan, p, now_ns(schedule)))
            continue;
        if (p->result.known)
            p->over = true;
        else
            leave_out(p, LEFT_OVER_BUDGET);
    }
}

/* A point that does not fit the budget waits: it may fit later, if other programs stop disturbing
 * the machine. */
static enum status run_due(struct schedule *schedule, uint32_t experiment)
{
    enum status status = STATUS_OK;
    struct point *point;

    while (status == STATUS_OK && (point = next_due(schedule, experiment)) != NULL) {
        if (!schedule->begun || estimate_affords(&schedule->plan, point, now_ns(schedule)))
            status = take(schedule, point);
        else if (point->result.known)
            point->over = true;
        else if (schedule->plan.pass == PASS_POSTPONED)
            leave_out_over_budget(schedule, experiment);
        else
            point->pass = point->optional ? PASS_POSTPONED : schedule->plan.pass + 1;
    }
    return status;
}

/* Whether the experiment adds points, given what was measured so far. */
static bool extend(struct schedule *schedule, uint32_t experiment)
{
    const struct experiment *row = &experiment_table[experiment];
    uint32_t planned = schedule->plan.point_count;

    if (row->extend == NULL)
        return false;
    measure_look(schedule->machine, &schedule->plan);
    return row->extend(&schedule->plan, &schedule->bench, experiment) &&
           schedule->plan.point_count > planned;
}

static enum status run_pass(struct schedule *schedule, uint32_t experiment)
{
    enum status status;

    do
        status = run_due(schedule, experiment);
    while (status == STATUS_OK && extend(schedule, experiment));
    return status;
}

static bool is_over(const struct schedule *schedule, uint32_t experiment)
{
    for (uint32_t i = 0; i < schedule->plan.point_count; i++)
        if (schedule->plan.point[i].experiment == experiment && !schedule->plan.point[i].over)
            return false;
    return true;
}

/* Whether the point was measured at another core frequency than the current one, warmed for smaller
 * caches than there are, or in parts of laps before caches were seen to hold some parts better. */
static bool is_outdated(const struct schedule *schedule, const struct point *p)
{
    return (p->result.doubt & doubt_of(DOUBT_DRIFT)) != 0 ||
           estimate_was_colder(&schedule->plan, p) || (schedule->measure.parts && p->result.part);
}

/* Makes outdated points due once more; false: there are none. */
static bool ask_again(struct schedule *schedule, uint32_t experiment)
{
    bool any = false;

    for (uint32_t i = 0; i < schedule->plan.point_count; i++) {
        struct point *p = &schedule->plan.point[i];
        if (p->experiment != experiment || p->again || !p->result.known ||
            !is_outdated(schedule, p))
            continue;
        p->again = true;
        p->over = false;
        any = true;
    }
    return any;
}

static bool concluding_goes_on(void *context, const char *what, double done)
{
    struct schedule *schedule = context;

    schedule->measure.part = NULL;
    (void)save_within(schedule);
    return measure_works_on(&schedule->measure, what, done, schedule->concluding_ns);
}

static enum status conclude(struct schedule *schedule, uint32_t experiment)
{
    enum status status = STATUS_OK;

    if (ask_again(schedule, experiment))
        status = run_due(schedule, experiment);
    if (status != STATUS_OK)
        return status;
    left_out_note(&schedule->plan, experiment);
    schedule->concluding_ns = now_ns(schedule);
    schedule->bench.go_on = concluding_goes_on;
    schedule->bench.go_on_context = schedule;
    if (experiment_table[experiment].conclude != NULL)
        status =
            experiment_table[experiment].conclude(&schedule->plan, &schedule->bench, experiment);
    (void)journal_flush(schedule->journal);
    return status;
}

/* What a run that is stopped has measured is not lost. */
static void conclude_partial(struct schedule *schedule, const uint32_t tests[], uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (experiment_table[tests[i]].partial)
            (void)experiment_table[tests[i]].conclude(&schedule->plan, &schedule->bench, tests[i]);
}

enum status schedule_run(struct schedule *schedule, const uint32_t tests[], uint32_t count)
{
    enum status status = STATUS_OK;
    uint32_t concluded = 0;

    schedule->measure.save = save_within;
    schedule->measure.save_context = schedule;
    journal_expect(schedule->journal,
                   (uint64_t)schedule->plan.point_count * schedule->options->repeats);
    save(schedule);
    for (unsigned pass = PASS_MIN; pass <= PASS_POSTPONED && status == STATUS_OK; pass++) {
        schedule->plan.pass = (enum point_pass)pass;
        for (uint32_t i = concluded; i < count && status == STATUS_OK; i++)
            status = run_pass(schedule, tests[i]);
        save(schedule);
        /* Before it is concluded, an experiment may add points, also because of what the one before
         * it found. */
        while (status == STATUS_OK && pass >= PASS_OCTAVES && concluded < count &&
               is_over(schedule, tests[concluded])) {
            status = run_pass(schedule, tests[concluded]);
            if (status != STATUS_OK || !is_over(schedule, tests[concluded]))
                break;
            status = conclude(schedule, tests[concluded++]);
            if (status == STATUS_OK && concluded < count)
                status = run_pass(schedule, tests[concluded]);
        }
    }
    schedule->plan.stopped = status == STATUS_ABORTED;
    if (status == STATUS_ABORTED)
        conclude_partial(schedule, tests + concluded, count - concluded);
    close_window(schedule);
    return status;
}
