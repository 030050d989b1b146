/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/core.h"

/* Work enters the window in pieces: small ones where its beginning or its end shares the window
 * with loads; in between, half a window at a time makes no difference. */
#define WORK_PIECE 4

static uint32_t piece_of_work(uint32_t window, uint32_t done, uint32_t left)
{
    uint32_t edge = 2 * window;
    uint32_t piece = done < edge || left < edge + window ? WORK_PIECE : window / 2;

    return piece < left ? piece : left;
}

static double later(double a, double b)
{
    return a > b ? a : b;
}

void sim_core_open(struct sim_core *core, uint32_t chains, double when_ns)
{
    core->chains = chains;
    core->waiting = core->oldest = core->count = core->weight = 0;
    for (uint32_t i = 0; i < chains; i++) {
        core->first[i] = core->last[i] = SIM_NO_SLOT;
        core->ready_ns[i] = when_ns;
    }
    core->left_ns = core->port_ns = core->work_ns = when_ns;
    core->draw_ns = 0;
}

static double book_core(struct sim_core *core, double from_ns, double until_ns)
{
    core->system->ledger.cause_ns[SIM_BY_CORE] += until_ns - from_ns;
    return until_ns;
}

/* Today's cores begin a few loads per cycle. */
static double take_port(struct sim_core *core, double when_ns)
{
    double start = later(when_ns, core->port_ns);

    core->port_ns = start + core->system->costs.cycle_ns / core->system->config->core.loads;
    return start;
}

static void begin_load(struct sim_core *core, uint32_t chain, struct sim_slot *slot)
{
    double ready = core->ready_ns[chain] + slot->draw_ns;
    double start = take_port(core, later(slot->enters_ns, ready));

    core->system->ledger.cause_ns[SIM_BY_DRAW] += slot->draw_ns;
    book_core(core, ready, start);
    slot->done_ns = slot->instruction == SIM_LOADS_NT
                        ? sim_memory_access_nt(core->system, &slot->to, start)
                        : sim_memory_access(core->system, &slot->to, start);
    core->ready_ns[chain] = slot->done_ns;
    if (core->system->prefetchers.follows)
        core->value(core->context, slot->value, slot->done_ns);
}

/* When the first slot of a chain that has not begun could begin. */
static double could_begin(const struct sim_core *core, uint32_t chain)
{
    const struct sim_slot *slot = &core->slot[core->first[chain]];

    return later(slot->enters_ns, core->ready_ns[chain] + slot->draw_ns);
}

/* How long a slot is in the window, in slots. */
static uint32_t place_of(const struct sim_core *core, uint32_t index)
{
    return (index - core->oldest) % SIM_WINDOW_MAX;
}

/* The chain whose next slot can begin first; of several the one that is in the window longest, or
 * one chain would run ahead of the others for no reason. */
static uint32_t choose_chain(const struct sim_core *core, double *pos)
{
    uint32_t chain = SIM_NO_SLOT;

    for (uint32_t i = 0; i < core->chains; i++) {
        double then;
        if (core->first[i] == SIM_NO_SLOT)
            continue;
        then = could_begin(core, i);
        if (chain != SIM_NO_SLOT &&
            (then > *pos ||
             (then == *pos && place_of(core, core->first[i]) > place_of(core, core->first[chain]))))
            continue;
        chain = i;
        *pos = then;
    }
    return chain;
}

/* What can begin first begins: the memory sees accesses in the order of time, not of the program.
 */
static void begin_one(struct sim_core *core)
{
    double pos = 0;
    uint32_t chain = choose_chain(core, &pos);
    struct sim_slot *slot;

    slot = &core->slot[core->first[chain]];
    core->first[chain] = slot->next;
    core->waiting--;
    slot->begun = true;
    slot->done_ns = pos;
    if (slot->instruction == SIM_HINTS)
        sim_memory_hint(core->system, &slot->to, slot->into, slot->alone, pos);
    else if (slot->instruction == SIM_STORES)
        slot->done_ns = sim_memory_store(core->system, &slot->to, pos);
    else
        begin_load(core, chain, slot);
}

/* The oldest one leaves. */
static void leave(struct sim_core *core)
{
    struct sim_slot *slot = &core->slot[core->oldest];

    while (!slot->begun)
        begin_one(core);
    core->left_ns = later(core->left_ns, slot->done_ns);
    core->weight -= slot->weight;
    core->count--;
    core->oldest = (core->oldest + 1) % SIM_WINDOW_MAX;
}

/* A place in the window, as soon as enough has left. */
static struct sim_slot *enter(struct sim_core *core, enum sim_instruction instruction,
                              uint32_t weight)
{
    struct sim_slot *slot;

    while (core->weight + weight > core->system->config->core.window)
        leave(core);
    slot = &core->slot[(core->oldest + core->count) % SIM_WINDOW_MAX];
    *slot = (struct sim_slot){.instruction = instruction,
                              .weight = weight,
                              .next = SIM_NO_SLOT,
                              .enters_ns = core->left_ns};
    core->count++;
    core->weight += weight;
    return slot;
}

/* The slot begins after the chain's others. */
static void queue(struct sim_core *core, uint32_t chain, struct sim_slot *slot)
{
    uint32_t index = (uint32_t)(slot - core->slot);

    if (core->first[chain] == SIM_NO_SLOT)
        core->first[chain] = index;
    else
        core->slot[core->last[chain]].next = index;
    core->last[chain] = index;
    core->waiting++;
}

void sim_core_load(struct sim_core *core, uint32_t chain, const struct sim_reference *to,
                   uintptr_t value, bool nt)
{
    struct sim_slot *slot = enter(core, nt ? SIM_LOADS_NT : SIM_LOADS, 1);

    slot->to = *to;
    slot->value = value;
    slot->draw_ns = core->draw_ns;
    core->draw_ns = 0;
    queue(core, chain, slot);
}

void sim_core_load_free(struct sim_core *core, const struct sim_reference *to)
{
    struct sim_slot *slot = enter(core, SIM_LOADS, 1);

    slot->begun = true;
    slot->done_ns = sim_memory_access(core->system, to, take_port(core, slot->enters_ns));
}

void sim_core_hint(struct sim_core *core, uint32_t chain, const struct sim_reference *to,
                   size_t into, bool alone)
{
    struct sim_slot *slot = enter(core, SIM_HINTS, 1);

    slot->to = *to;
    slot->into = into;
    slot->alone = alone;
    queue(core, chain, slot);
}

void sim_core_store(struct sim_core *core, uint32_t chain, const struct sim_reference *to)
{
    struct sim_slot *slot = enter(core, SIM_STORES, 1);

    slot->to = *to;
    queue(core, chain, slot);
    /* Loads that nothing waits for begin at once, and it is not to begin after later ones. */
    if (core->system->crew && core->waiting == 1)
        begin_one(core);
}

void sim_core_stream(struct sim_core *core, const struct sim_reference *to)
{
    struct sim_slot *slot = enter(core, SIM_STORES, 1);

    slot->begun = true;
    slot->done_ns = sim_memory_stream(core->system, to, slot->enters_ns);
}

void sim_core_work(struct sim_core *core, uint32_t cycles)
{
    uint32_t window = core->system->config->core.window;

    for (uint32_t done = 0, piece; done < cycles; done += piece) {
        struct sim_slot *slot;
        piece = piece_of_work(window, done, cycles - done);
        slot = enter(core, SIM_WORKS, piece);
        slot->begun = true;
        core->work_ns =
            later(core->work_ns, slot->enters_ns) + piece * core->system->costs.cycle_ns;
        slot->done_ns = core->work_ns;
    }
}

double sim_core_settle(struct sim_core *core)
{
    double now = core->left_ns;

    while (core->count != 0)
        leave(core);
    now = later(core->left_ns, core->work_ns);
    for (uint32_t i = 0; i < core->chains; i++)
        now = later(now, core->ready_ns[i]);
    sim_core_open(core, core->chains, now);
    return now;
}
