/* SPDX-License-Identifier: BSD-2-Clause */
/* Part of core/chase/kernels.h: lines handed from one CPU to another (struct handoff_plan in
 * core/machine.h). Two functions run at the same time, one on each CPU; neither waits longer than
 * the plan's limit, whatever the other does. */
#ifndef CORE_CHASE_KERNELS_HANDOFF_H
#define CORE_CHASE_KERNELS_HANDOFF_H

#include "core/chase/kernels_flush.h"

/* Spins between two looks at the clock, which would slow them down. */
#define KERNEL_HANDOFF_SPINS 1024
/* In the first control word: the other CPU is to stop. */
#define KERNEL_HANDOFF_OVER UINT64_MAX
/* The second control word is a pair of lines behind the first. */
#define KERNEL_HANDOFF_APART 128

/* A machine of one CPU has no use for what this file defines. */
#define KERNEL_OF_TWO __attribute__((unused)) static

struct kernel_handoff {
    const struct handoff_plan *plan;
    uint64_t opened, limit; /* ticks */
};

static struct kernel_handoff kernel_handoff_open(const struct handoff_plan *plan, uint64_t tick_hz)
{
    return (struct kernel_handoff){
        .plan = plan, .opened = KERNEL_TICKS(), .limit = plan->limit_ns / 1000 * tick_hz / 1000000};
}

static bool kernel_handoff_goes_on(const struct kernel_handoff *handoff, uint32_t spins)
{
    return spins % KERNEL_HANDOFF_SPINS != 0 || KERNEL_TICKS() - handoff->opened <= handoff->limit;
}

/* False: the other CPU has ended, or does not answer. */
static bool kernel_handoff_await(const struct kernel_handoff *handoff, uintptr_t address,
                                 uint64_t value)
{
    for (uint32_t spins = 1;; spins++) {
        uint64_t is = KERNEL_LOAD_SHARED(address);
        if (is == value)
            return true;
        if (is == KERNEL_HANDOFF_OVER || !kernel_handoff_goes_on(handoff, spins))
            return false;
        KERNEL_SPIN();
    }
}

/* Waits for its turn and ends it. */
static bool kernel_handoff_swap(const struct kernel_handoff *handoff, uintptr_t line, uint64_t mine,
                                uint64_t others)
{
    for (uint32_t spins = 1; !KERNEL_SWAP(line, mine, others); spins++) {
        if (!kernel_handoff_goes_on(handoff, spins))
            return false;
        KERNEL_SPIN();
    }
    /* Another try could not succeed yet, and would only take the line back. */
    KERNEL_SPIN();
    return true;
}

/* Before the other CPU starts. */
KERNEL_OF_TWO void kernel_handoff_prepare(const struct handoff_plan *plan)
{
    KERNEL_STORE_SHARED(plan->control, 0);
    KERNEL_STORE_SHARED(plan->control + KERNEL_HANDOFF_APART, 0);
    for (uint32_t i = 0; i < plan->lines; i++)
        KERNEL_STORE_SHARED(plan->line[i], 0);
}

/* ---- the CPU that takes the times */

static bool kernel_handoff_time_load(const struct kernel_handoff *handoff, uintptr_t line,
                                     uint64_t turn, uint64_t *ticks)
{
    uintptr_t control = handoff->plan->control, value;
    uint64_t begin;

    KERNEL_FLUSH(line);
    KERNEL_STORE_SHARED(control, turn);
    if (!kernel_handoff_await(handoff, control + KERNEL_HANDOFF_APART, turn))
        return false;
    kernel_wait_varied(turn, handoff->plan->wait_cycles);
    begin = KERNEL_TICKS();
    value = KERNEL_LOAD(0, line);
    KERNEL_HOLD(value);
    *ticks = KERNEL_TICKS() - begin;
    return true;
}

static bool kernel_handoff_loads(const struct kernel_handoff *handoff, uint32_t i)
{
    const struct handoff_plan *plan = handoff->plan;
    uint64_t rounds = (uint64_t)plan->warm_rounds + plan->rounds, turn = i * rounds, ticks;

    for (uint32_t round = 0; round < rounds; round++) {
        if (!kernel_handoff_time_load(handoff, plan->line[i], ++turn, &ticks))
            return false;
        if (round >= plan->warm_rounds)
            plan->ticks[(uint64_t)i * plan->rounds + round - plan->warm_rounds] = ticks;
    }
    return true;
}

/* A round's end is the next one's beginning: the line is on its way while the clock is read. */
static bool kernel_handoff_swaps(const struct kernel_handoff *handoff, uint32_t i)
{
    const struct handoff_plan *plan = handoff->plan;
    uint64_t begin = 0;

    for (uint32_t round = 0; round < plan->warm_rounds; round++)
        if (!kernel_handoff_swap(handoff, plan->line[i], 0, 1))
            return false;
    begin = KERNEL_TICKS();
    for (uint32_t round = 0; round < plan->rounds; round++) {
        uint64_t now;
        for (uint32_t turn = 0; turn < plan->batch; turn++)
            if (!kernel_handoff_swap(handoff, plan->line[i], 0, 1))
                return false;
        now = KERNEL_TICKS();
        plan->ticks[(uint64_t)i * plan->rounds + round] = now - begin;
        begin = now;
    }
    return true;
}

/* False: the other CPU did not answer; plan->lines_done tells how far they came. */
KERNEL_OF_TWO bool kernel_handoff_time(struct handoff_plan *plan, uint64_t tick_hz)
{
    struct kernel_handoff handoff;
    bool swaps = plan->kind == HANDOFF_SWAP, goes_on = true;

    (void)KERNEL_TICKS_BEGIN();
    *plan->timing_ticks = *plan->timing_error_ticks = 0;
    if (!swaps)
        *plan->timing_ticks = kernel_flush_single_ticks(plan->line[0], plan->timing_error_ticks);
    handoff = kernel_handoff_open(plan, tick_hz);
    for (plan->lines_done = 0; plan->lines_done < plan->lines && goes_on;) {
        goes_on = swaps ? kernel_handoff_swaps(&handoff, plan->lines_done)
                        : kernel_handoff_loads(&handoff, plan->lines_done);
        plan->lines_done += goes_on;
    }
    KERNEL_STORE_SHARED(plan->control, KERNEL_HANDOFF_OVER);
    (void)KERNEL_TICKS_END();
    return goes_on;
}

/* ---- the other CPU */

static bool kernel_handoff_answer_load(const struct kernel_handoff *handoff, uintptr_t line,
                                       uint64_t turn)
{
    uintptr_t control = handoff->plan->control, value;

    if (!kernel_handoff_await(handoff, control, turn))
        return false;
    if (handoff->plan->kind == HANDOFF_CLEAN) {
        value = KERNEL_LOAD(0, line);
        KERNEL_HOLD(value);
    } else {
        KERNEL_DIRTY(0, line, (uintptr_t)turn);
    }
    KERNEL_STORE_SHARED(control + KERNEL_HANDOFF_APART, turn);
    return true;
}

KERNEL_OF_TWO void kernel_handoff_answer(const struct handoff_plan *plan, uint64_t tick_hz)
{
    struct kernel_handoff handoff;
    bool swaps = plan->kind == HANDOFF_SWAP, goes_on = true;
    uint64_t turn = 0, rounds = (uint64_t)plan->warm_rounds + plan->rounds;

    (void)KERNEL_TICKS_BEGIN();
    handoff = kernel_handoff_open(plan, tick_hz);
    rounds += swaps ? plan->rounds * (uint64_t)(plan->batch - 1) : 0;
    for (uint32_t i = 0; i < plan->lines && goes_on; i++)
        for (uint64_t round = 0; round < rounds && goes_on; round++)
            goes_on = swaps ? kernel_handoff_swap(&handoff, plan->line[i], 1, 0)
                            : kernel_handoff_answer_load(&handoff, plan->line[i], ++turn);
    (void)KERNEL_TICKS_END();
}

#endif
