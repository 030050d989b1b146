/* SPDX-License-Identifier: BSD-2-Clause */
/* How many samples a point takes, and how long each of them is. */
#include "core/measure/run.h"
#include "core/measure/time.h"
#include "core/plan/shares.h"

/* 10 000 ticks keep a sample's quantisation below 0.01 %; a quarter more, since hop_ns may come
 * from a slow stretch. */
#define SAMPLE_MIN_TICKS 12500.0
#define SAMPLE_TARGET_NS \
    50000.0 /* long against the timer's own cost, short against an SMI's period */
#define SAMPLES_PER_ENTRY  16
#define SAMPLES_ENTRY_MAX  256
#define SAMPLES_LONG       3  /* if each is too long for one quiet section */
#define SAMPLE_BUDGETS_MAX 10 /* a sample longer than this many budgets is not started */
#define SAMPLES_SECONDS                                                       \
    2048 /* samples into which seconds= or laps are divided: half of the room \
          */
#define STEADY_TRIES 4
#define STEADY_LAPS  3
#define LAPS_MIN     15 /* samples, if each is a lap: fewer do not show a trend */
#define ROUND_HOPS   128
#define REWARM_HOPS \
    16384 /* after each return from the firmware: the TLBs, and a second-level cache */

static double budget_ns(const struct measure *m)
{
    return (double)m->plan->budget.deadline_ns - (double)m->plan->budget.started_ns;
}

static uint64_t whole(uint64_t hops, uint64_t unit)
{
    return (hops + unit - 1) / unit * unit;
}

/* Hops after which their cost repeats: a whole group, for orders that work in groups. */
static uint64_t period_hops(const struct measurement *run)
{
    const struct point *point = run->point;
    uint64_t hops = point->group_bytes / point->stride_bytes;

    if (point->order == ORDER_HOP_PAGE || hops == 0 || (double)hops * run->hop_ns > POINT_SLICE_NS)
        return 1;
    return hops;
}

static uint64_t sample_hops(const struct measurement *run)
{
    const struct measure *m = run->m;
    double min_ns = SAMPLE_MIN_TICKS * time_tick_ns(m->machine);
    double target_ns = min_ns > SAMPLE_TARGET_NS ? min_ns : SAMPLE_TARGET_NS;
    double seconds_ns = m->options->seconds * 1e9, max_ns = budget_ns(m);
    double spread_ns = (seconds_ns < max_ns ? seconds_ns : max_ns) / SAMPLES_SECONDS;
    uint64_t requested = sampling_hops_requested(m->options, run->point),
             length = chain_length(&run->chain), hops;

    if (requested != 0)
        return requested;
    if (run->by_laps)
        return length;
    target_ns = target_ns > spread_ns ? target_ns : spread_ns;
    spread_ns = (double)run->min_hops * run->hop_ns / SAMPLES_SECONDS;
    target_ns = target_ns > spread_ns ? target_ns : spread_ns;
    /* Whole rounds of the unrolled loop, so that every hop costs the same, and whole groups, so
     * that every sample does. */
    hops = (uint64_t)(target_ns / run->hop_ns) + 1;
    hops = whole(whole(hops, ROUND_HOPS), period_hops(run));
    /* A second lap would not be cold. */
    return run->point->cold && hops > length ? length : hops;
}

/* Some figures are differences of others, which therefore must be known better: by their mean. */
static bool precise(const struct measurement *run)
{
    return run->point->error_scale > 0;
}

/* With cheap hops a sample has many of them, and relax_after_hops is reached soon. */
static double error_target(const struct measurement *run)
{
    double target = run->m->options->error_percent / 100, share = run->point->error_scale;
    double hops = (double)run->samples * (double)run->hops;
    double relax_after = (double)run->point->relax_after_hops;

    if (!precise(run))
        return target;
    if (relax_after > 0)
        share += (1 - share) * (hops < relax_after ? hops / relax_after : 1);
    return target * share;
}

static double error_reached(const struct measurement *run)
{
    return precise(run) ? run->stats.mean_rel_error : run->stats.rel_error;
}

static uint32_t samples_min(const struct measurement *run)
{
    if (run->by_laps)
        return LAPS_MIN;
    return point_sample_is_long(run) ? SAMPLES_LONG : sampling_samples_min(run->point);
}

/* How many samples fit until ends_ns. */
static uint32_t samples_for_seconds(const struct measurement *run)
{
    const struct machine *machine = run->m->machine;
    double left_ns = run->ends_ns - (double)time_now_ns(machine);
    double samples = left_ns / ((double)run->hops * run->hop_ns);

    if (samples < 1)
        return 1;
    return samples < SAMPLES_ENTRY_MAX ? (uint32_t)samples : SAMPLES_ENTRY_MAX;
}

/* How many samples are missing for min_hops, which are whole laps: caches keep one part of a set
 * that does not fit, and samples of another part would not show it. */
static double samples_owed(const struct measurement *run)
{
    double hops = (double)run->samples * (double)run->hops;

    return ((double)run->min_hops - hops) / (double)run->hops;
}

/* How many samples the next entry takes, by the square root law for the missing precision. Each
 * entry has to warm up again, so one long entry is better than many short ones. */
static uint32_t samples_next(const struct measurement *run)
{
    double ratio = error_reached(run) / error_target(run);
    double more = (double)run->samples * (ratio * ratio - 1);
    double relax_after = (double)run->point->relax_after_hops / 2 / (double)run->hops;
    uint32_t max = run->point->samples != 0 ? run->point->samples : MEASURE_SAMPLES_MAX;
    uint32_t room = max - run->samples, wanted = SAMPLES_PER_ENTRY;

    if (run->point->samples != 0)
        return room < SAMPLES_ENTRY_MAX ? room : SAMPLES_ENTRY_MAX;
    if (run->samples == 0)
        return samples_min(run);
    if (relax_after > 0 && more > relax_after)
        more = relax_after; /* by then the target has risen */
    if (more < samples_owed(run))
        more = samples_owed(run) + 1;
    if (run->m->options->seconds > 0)
        wanted = samples_for_seconds(run);
    else if (more > SAMPLES_PER_ENTRY)
        wanted = more < SAMPLES_ENTRY_MAX ? (uint32_t)more : SAMPLES_ENTRY_MAX;
    return room < wanted ? room : wanted;
}

/* This point's share of the remaining budget, at most the cap or the requested seconds. */
static double allowed_s(const struct measurement *run, const char **limited_by)
{
    const struct measure *m = run->m;
    double cap_s = sampling_cap_s(&m->plan->budget, run->point),
           share_s = estimate_sampling_share_s(m->plan, time_now_ns(m->machine));

    if (m->options->seconds > 0) {
        bool fits = m->options->seconds <= share_s / 2;
        *limited_by = fits ? "seconds" : "budget";
        return fits ? m->options->seconds : share_s / 2;
    }
    *limited_by = share_s < cap_s ? "budget" : "cap";
    return share_s < cap_s ? share_s : cap_s;
}

/* Whether the last section's frequency is uncertain and one more section should settle it. */
static bool frequency_open(struct measurement *run)
{
    if (run->hz_confirmed || !point_clock_wavers(run))
        return false;
    run->hz_confirmed = true;
    return true;
}

/* Whether sampling is over, and why: it has the requested number of samples, however long they
 * take, or reached the error target, or ran out of time. */
static bool enough(struct measurement *run, uint64_t begun_ns, double cap_s, const char *limit)
{
    const struct measure *m = run->m;
    uint32_t requested = run->point->samples;
    uint32_t min = point_sample_is_long(run) ? SAMPLES_LONG : SAMPLING_SAMPLES_MIN;
    bool late = requested != 0 ? time_now_ns(m->machine) >= m->plan->budget.deadline_ns
                               : run->samples >= min && samples_owed(run) <= 0 &&
                                     time_since_s(m->machine, begun_ns) >= cap_s;

    run->limited_by = requested != 0 ? "samples" : "error";
    if (requested != 0 ? run->samples >= requested
                       : m->options->seconds == 0 && run->samples >= samples_min(run) &&
                             samples_owed(run) <= 0 && !point_load_owes(run) &&
                             error_reached(run) <= error_target(run))
        return requested != 0 || !frequency_open(run);
    run->limited_by = requested != 0 ? "budget" : limit;
    return late || run->samples == MEASURE_SAMPLES_MAX;
}

/* Before the samples of a cold point: flushes the caches where a lap would find lines of the set in
 * them, and cuts the number of samples to what is left of the lap. */
static enum status samples_cold(struct measurement *run, uint32_t *samples)
{
    uint64_t length = chain_length(&run->chain), used = run->position - run->cooled_at;
    enum status status = STATUS_OK;
    uint64_t left;

    if (run->cooled && !point_is_cacheable(run))
        return STATUS_OK;
    if (!run->cooled || used + run->hops > length) {
        status = point_cool(run);
        used = 0;
    }
    if (!point_is_cacheable(run))
        return status;
    left = used < length ? (length - used) / run->hops : 0;
    if (left < *samples)
        *samples = left == 0 ? 1 : (uint32_t)left;
    return status;
}

static enum status sample_once(struct measurement *run, uint64_t rewarm)
{
    uint32_t samples = samples_next(run);
    enum status status = STATUS_OK;

    if (run->point->cold)
        status = samples_cold(run, &samples);
    if (status != STATUS_OK)
        return status;
    if (point_sample_is_long(run))
        return point_enter_long(run, rewarm);
    return point_enter(run, rewarm, samples);
}

/* Whether one sample of the requested hops takes many times the whole budget; emits the note. */
static bool exceeds_budget(const struct measurement *run)
{
    const struct measure *m = run->m;

    if (!point_sample_is_long(run) ||
        (double)run->hops * run->hop_ns <= SAMPLE_BUDGETS_MAX * budget_ns(m))
        return false;
    journal_note(m->journal, SEVERITY_WARNING, "a point left out",
                 "one sample of the requested hops takes over ten times the budget");
    return true;
}

/* Saves where records have waited long enough, and walks what that left out of the caches. The time
 * of both is not the samples'. */
static enum status save_between(struct measurement *run, uint64_t *begun_ns)
{
    uint64_t since_ns = time_now_ns(run->m->machine), took_ns;
    enum status status;

    if (!point_save(run))
        return STATUS_OK;
    status = point_rewarm(run);
    took_ns = time_now_ns(run->m->machine) - since_ns;
    *begun_ns += took_ns;
    run->ends_ns += (double)took_ns;
    return status;
}

/* Samples until the median is known well enough; no samples if even one would take too long. */
static enum status sample(struct measurement *run)
{
    struct measure *m = run->m;
    uint64_t begun_ns = time_now_ns(m->machine);
    uint64_t length = chain_length(&run->chain);
    const char *limit = "cap";
    double cap_s = allowed_s(run, &limit);
    enum status status = STATUS_OK;
    uint64_t rewarm = 0;

    run->hops = sample_hops(run);
    run->samples = 0;
    point_clock_forget(run);
    run->ends_ns = (double)begun_ns + cap_s * 1e9;
    if (exceeds_budget(run))
        return STATUS_OK;
    while (status == STATUS_OK) {
        status = sample_once(run, rewarm);
        if (status != STATUS_OK)
            break;
        point_update_stats(run);
        if (enough(run, begun_ns, cap_s, limit))
            return STATUS_OK;
        if (!run->point->cold && !run->by_laps)
            rewarm = length < REWARM_HOPS ? length : REWARM_HOPS;
        status = point_poll(run);
        if (status == STATUS_OK)
            status = save_between(run, &begun_ns);
    }
    run->limited_by = status == STATUS_LATE ? "budget" : "abort";
    return status == STATUS_LATE && run->samples > 0 ? STATUS_OK : status;
}

enum status point_sample(struct measurement *run)
{
    uint64_t length = chain_length(&run->chain), laps = STEADY_LAPS * length;
    bool walks = run->lap && point_is_cacheable(run);
    enum status status = STATUS_OK;

    run->by_laps = run->m->parts && point_is_kept(run) && point_may_repeat(run, LAPS_MIN * length);

    run->min_hops = walks ? length : 0;
    for (unsigned tries = STEADY_TRIES; status == STATUS_OK; tries--) {
        uint64_t hops;
        bool parts;

        status = sample(run);
        hops = run->samples * run->hops;
        parts = point_parts(run) > 0 && point_may_repeat(run, LAPS_MIN * length);
        if (status != STATUS_OK || tries == 1 ||
            !(parts || (point_may_repeat(run, hops) && point_moved(run))))
            break;
        run->warm_hops_done += hops;
        run->by_laps = run->by_laps || parts;
        run->m->parts = run->m->parts || parts;
        if (walks && point_may_repeat(run, laps))
            run->min_hops = laps;
    }
    return status;
}
