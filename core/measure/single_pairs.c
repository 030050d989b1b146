/* SPDX-License-Identifier: BSD-2-Clause */
/* Pairs of the base line and others, and which of them conflict. */
#include "core/lib/memory.h"
#include "core/measure/single_run.h"
#include "core/stats/stats.h"

#define SPLIT_MIN 8
/* Lines of two ranks wait for more refreshes than lines of one: a slower group that is no bank's is
 * half of all pairs or more. */
#define BANKS_MIN   3
#define REPEAT_MIN  0.9
#define REPEAT_MISS 0.05

static enum status time_pairs(struct measure *m, const struct window *w,
                              const struct line_pair *pair, uint32_t count, uint64_t *ticks)
{
    const struct machine *machine = m->machine;
    uint64_t *rounds = m->single.rounds;
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < count && status == STATUS_OK; i += SINGLE_PAIR_SECTION) {
        uint32_t left = count - i;
        struct pair_plan plan = {.rounds = SINGLE_ROUNDS,
                                 .pair = &pair[i],
                                 .count = left < SINGLE_PAIR_SECTION ? left : SINGLE_PAIR_SECTION,
                                 .ticks = rounds};
        struct fault_info fault = {.kind = 0};
        status = machine->pair_run(machine->self, w, &plan, &fault);
        for (uint32_t k = 0; k < plan.count && status == STATUS_OK; k++)
            ticks[i + k] = conflict_time(&rounds[(size_t)k * SINGLE_ROUNDS], SINGLE_ROUNDS);
        status = measure_leave_section(m, status, &fault);
        status = status == STATUS_OK ? measure_go_on(m) : status;
    }
    return status;
}

/* Lines of a slow rank take longer beside the base line than those that conflict with it in a fast
 * one: what a line alone takes longer than the base line does not count. */
static enum status time_alone(struct measure *m, const struct window *w)
{
    struct single_run *run = &m->single;
    uint64_t base[SINGLE_REPEATS];
    enum status status;

    for (uint32_t i = 0; i < SINGLE_REPEATS; i++)
        run->slow[i] = (struct line_pair){run->base, run->base};
    status = time_pairs(m, w, run->slow, SINGLE_REPEATS, base);
    for (uint32_t i = 0; i < SINGLE_PAIRS; i++)
        run->slow[i] = (struct line_pair){run->pair[i].b, run->pair[i].b};
    if (status == STATUS_OK)
        status = time_pairs(m, w, run->slow, SINGLE_PAIRS, run->slower);
    if (status != STATUS_OK)
        return status;
    stats_sort(base, SINGLE_REPEATS);
    for (uint32_t i = 0; i < SINGLE_PAIRS; i++)
        run->slower[i] = conflict_beyond(run->slower[i], base[SINGLE_REPEATS / 2]);
    return STATUS_OK;
}

/* Times all pairs, without what their other lines are slower by. */
static enum status time_all(struct measure *m, const struct window *w, uint64_t *ticks)
{
    struct single_run *run = &m->single;
    enum status status = time_pairs(m, w, run->pair, SINGLE_PAIRS, ticks);

    for (uint32_t i = 0; i < SINGLE_PAIRS && status == STATUS_OK; i++)
        ticks[i] = conflict_beyond(ticks[i], run->slower[i]);
    return status;
}

/* Conflicts may be one in hundreds, and what disturbed single pairs would hide the gap below them:
 * the slowest pairs are timed again, and their medians count. */
static enum status time_slowest(struct measure *m, const struct window *w)
{
    struct single_run *run = &m->single;
    enum status status = STATUS_OK;
    uint32_t count = 0;
    uint64_t least;

    memory_copy(run->sorted, run->pair_ticks, sizeof run->sorted);
    stats_sort(run->sorted, SINGLE_PAIRS);
    least = run->sorted[SINGLE_PAIRS - SINGLE_SLOWEST];
    for (uint32_t i = 0; i < SINGLE_PAIRS && count < SINGLE_SLOWEST; i++)
        if (run->pair_ticks[i] >= least) {
            run->slow[count] = run->pair[i];
            run->slowest[count++] = i;
        }
    for (size_t k = 0; k < SINGLE_REPEATS && status == STATUS_OK; k++)
        status = time_pairs(m, w, run->slow, count, run->again[k]);
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
        uint64_t times[SINGLE_REPEATS];
        for (size_t k = 0; k < SINGLE_REPEATS; k++)
            times[k] = run->again[k][i];
        stats_sort(times, SINGLE_REPEATS);
        run->pair_ticks[run->slowest[i]] =
            conflict_beyond(times[SINGLE_REPEATS / 2], run->slower[run->slowest[i]]);
    }
    return status;
}

/* Pairs conflict each time or never; else nothing is known of them. */
static void keep_conflicts(struct single_run *run)
{
    uint32_t slow = 0, both = 0, late = 0;

    for (uint32_t i = 0; i < SINGLE_PAIRS; i++) {
        bool again = (double)run->sorted[i] > run->split.time;
        run->conflicts[i] = (double)run->pair_ticks[i] > run->split.time;
        slow += run->conflicts[i];
        both += run->conflicts[i] && again;
        late += !run->conflicts[i] && again;
    }
    run->conflict_count = slow;
    run->split.sure = run->split.sure && slow * BANKS_MIN <= SINGLE_PAIRS &&
                      both >= REPEAT_MIN * slow && late <= REPEAT_MISS * (SINGLE_PAIRS - slow);
}

/* Two groups may be two channels' or two ranks': then conflicts are among the slower pairs. */
static void split_pairs(struct single_run *run, double least)
{
    const size_t third = SINGLE_PAIRS / BANKS_MIN;

    conflict_split(run->sorted, SINGLE_PAIRS, SPLIT_MIN, least, &run->split);
    if (!run->split.sure || run->split.above > third)
        conflict_split(run->sorted + SINGLE_PAIRS - third, third, SPLIT_MIN, least, &run->split);
}

enum status single_pairs(struct measure *m, const struct window *w)
{
    struct single_run *run = &m->single;
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < SINGLE_PAIRS; i++) {
        run->pair[i].a = run->base;
        do
            run->pair[i].b = single_draw(m, w);
        while (run->pair[i].b == run->base);
    }
    status = time_alone(m, w);
    if (status == STATUS_OK)
        status = time_all(m, w, run->pair_ticks);
    if (status == STATUS_OK)
        status = time_slowest(m, w);
    if (status != STATUS_OK)
        return status;
    memory_copy(run->sorted, run->pair_ticks, sizeof run->sorted);
    stats_sort(run->sorted, SINGLE_PAIRS);
    split_pairs(run, conflict_least(m->machine->description->clock.hz));
    status = time_all(m, w, run->sorted);
    if (status == STATUS_OK)
        keep_conflicts(run);
    return status;
}
