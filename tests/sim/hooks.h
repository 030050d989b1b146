/* SPDX-License-Identifier: BSD-2-Clause */
/* The hooks of core/chase/kernels.h on the simulated machine; part of simulator.c, which has them
 * act on the machine that is `running`. A value is returned at once, whenever the model finds that
 * it arrives. */
#ifndef TESTS_SIM_HOOKS_H
#define TESTS_SIM_HOOKS_H

#include <math.h>

#include "core/chase/march.h"

static void check_inside(struct simulator *sim, uintptr_t address)
{
    if (!outside(&sim->window, address))
        return;
    sim->fault = (struct fault_info){
        .kind = 14, .address = address, .text = "simulated fault: address outside the window"};
    longjmp(sim->run->out, 1);
}

/* A load among other outstanding ones: it returns its value now, and the core says when it arrives.
 */
static uintptr_t load_among_others(struct simulator *sim, uint32_t chain, uintptr_t address,
                                   bool nt)
{
    struct sim_reference to = simulator_reference(sim, address);
    uintptr_t value = sim_path_word(sim, address);

    sim->loads++;
    sim_core_load(&sim->run->core, chain, &to, value, nt);
    return value;
}

/* A load that the sampler follows, and what the ledger booked for it. */
static uintptr_t followed_load(struct simulator *sim, uintptr_t address)
{
    struct sim_ledger before = *sim_memory_ledger(sim->system), cost;
    double begun = sim->run->ready_ns[0];
    uintptr_t value = simulator_load(sim, 0, address);

    cost = *sim_memory_ledger(sim->system);
    sim_ledger_add(&cost, &before, -1);
    sim_sampler_follow(&sim->run->sampler, address, &cost, sim->run->ready_ns[0] - begun,
                       &sim->system->costs);
    return value;
}

static inline uintptr_t sim_load(uint32_t chain, uintptr_t address)
{
    struct simulator *sim = running;

    check_inside(sim, address);
    if (sim->run->sampler.left != 0 && --sim->run->sampler.left == 0)
        return followed_load(sim, address);
    return sim->run->direct ? simulator_load(sim, 0, address)
                            : load_among_others(sim, chain, address, false);
}

static uintptr_t sim_load_nt(uint32_t chain, uintptr_t address)
{
    check_inside(running, address);
    return load_among_others(running, chain, address, true);
}

/* Streams of loads, and building, go upwards line by line: the host fetches what will be needed of
 * a line further on. The simulation does not change. */
#define SIM_LINES_AHEAD 16
static inline void expect_further(const struct simulator *sim, uintptr_t address)
{
    uintptr_t further = address + (SIM_LINES_AHEAD << sim->system->line_log2);

    if (!outside(&sim->window, further))
        sim_hierarchy_expect(&sim->system->caches, line_of(sim, further), 0);
}

static void sim_load_free(uintptr_t address)
{
    struct simulator *sim = running;
    struct sim_reference to;

    check_inside(sim, address);
    expect_further(sim, address);
    to = simulator_reference(sim, address);
    sim->loads++;
    sim_core_load_free(&sim->run->core, &to);
}

/* No prefetch instruction faults. */
static void sim_hint(uint32_t chain, uintptr_t address, size_t into, bool alone)
{
    struct simulator *sim = running;
    struct sim_reference to;

    if (outside(&sim->window, address))
        return;
    to = simulator_reference(sim, address);
    sim_core_hint(&sim->run->core, chain, &to, into, alone);
}

static void sim_dirty(uint32_t chain, uintptr_t address, uintptr_t value)
{
    struct simulator *sim = running;
    struct sim_reference to;

    check_inside(sim, address);
    to = simulator_reference(sim, address);
    sim_path_write(sim, address, value);
    sim_core_store(&sim->run->core, chain, &to);
}

static double settle(struct simulator *sim)
{
    return sim->run->direct ? simulator_now_ns(sim) : sim_core_settle(&sim->run->core);
}

static void sim_flush(uintptr_t address)
{
    struct simulator *sim = running;
    struct sim_reference to;
    double now = settle(sim);

    check_inside(sim, address);
    to = simulator_reference(sim, address);
    sim_core_open(&sim->run->core, sim->run->chains, sim_memory_flush(sim->system, &to, now));
    /* What memory cannot hold is not there either when it is read again. */
    sim_faults_decay(sim);
}

/* ---- words that several CPUs use: what was stored is seen by whoever comes later */

/* The core goes on when that is done. */
static void go_on(struct simulator *sim, double when_ns)
{
    sim_core_open(&sim->run->core, sim->run->chains, when_ns);
}

/* When an access can be made that waits for all before it, stores included. */
static double reach_shared(struct simulator *sim, uintptr_t address, bool stores,
                           struct sim_reference *to)
{
    double now = settle(sim);

    check_inside(sim, address);
    *to = simulator_reference(sim, address);
    sim->loads += !stores;
    if (stores && now < sim->system->stored_ns)
        now = sim->system->stored_ns;
    return sim_memory_reach(sim->system, to, now);
}

static uintptr_t sim_load_shared(uintptr_t address)
{
    struct simulator *sim = running;
    struct sim_reference to;
    double now = reach_shared(sim, address, false, &to);
    uintptr_t value = sim_path_word(sim, address);

    go_on(sim, sim_memory_load(sim->system, to.line, now));
    return value;
}

static void sim_store_shared(uintptr_t address, uintptr_t value)
{
    struct simulator *sim = running;
    struct sim_reference to;
    double now = reach_shared(sim, address, true, &to);

    sim_path_write(sim, address, value);
    go_on(sim, sim_memory_own(sim->system, to.line, now, NULL));
}

static bool sim_swap(uintptr_t address, uintptr_t expected, uintptr_t desired)
{
    struct simulator *sim = running;
    struct sim_reference to;
    double now = reach_shared(sim, address, true, &to);
    bool equal = sim_path_word(sim, address) == expected;

    if (equal)
        sim_path_write(sim, address, desired);
    go_on(sim, sim_memory_swap(sim->system, to.line, now));
    return equal;
}

/* What CPUs that load memory have done when the samples begin, and when they end. */
static void sim_events(bool end)
{
    struct simulator *sim = running;

    for (uint32_t i = 0; i < sim->loaders; i++) {
        struct sim_loader *loader = &sim->loader[i];
        *(end ? &loader->ended : &loader->begun) = traffic_done_by(&loader->progress);
    }
}

/* One that touches no memory lets others have their turns here alone. */
static bool sim_publish(struct traffic_progress *shared, const struct traffic_done *done)
{
    struct simulator *sim = running;

    sim_crew_reach(&sim->crew, simulator_now_ns(sim));
    return traffic_publish(shared, done);
}

/* Work waits for the work before it, and for nothing else. */
static uint32_t sim_work(uint32_t carry, uint32_t cycles)
{
    sim_core_work(&running->run->core, cycles);
    return carry;
}

static void sim_wait(uint32_t cycles)
{
    struct simulator *sim = running;

    settle(sim);
    spend_ns(sim, cycles * sim->system->costs.cycle_ns);
}

static void sim_draw(void)
{
    struct simulator *sim = running;

    if (!sim->run->direct) {
        sim->run->core.draw_ns += sim->system->costs.draw_ns;
        return;
    }
    sim->run->ready_ns[0] += sim->system->costs.draw_ns;
    sim->system->draws++;
}

/* More chains than the templates support. */
static void sim_many(uintptr_t next[], uint32_t chains, uint64_t hops)
{
    for (; hops != 0; hops--)
        for (uint32_t chain = 0; chain < chains; chain++)
            next[chain] = sim_load(chain, next[chain]);
}

/* A store past the caches beside a chase: lines that nobody else uses need no contents. */
static void stream(struct simulator *sim, uintptr_t address, uintptr_t line)
{
    struct sim_reference to;

    check_inside(sim, address);
    if (line == sim->run->overwritten)
        return;
    sim->run->overwritten = line;
    to = simulator_reference(sim, address);
    sim_core_stream(&sim->run->core, &to);
}

/* Stores past the caches, which lose the line. */
static void sim_store(uintptr_t address, uintptr_t value)
{
    struct simulator *sim = running;
    uintptr_t line = address >> sim->system->line_log2;

    if (sim->run->streams) {
        stream(sim, address, line);
        return;
    }
    if (sim->kept)
        sim_path_keep(sim, address, value);
    if (line == sim->run->overwritten)
        return;
    sim->run->overwritten = line;
    if (sim->emptied)
        return;
    expect_further(sim, address);
    sim_memory_overwrite(sim->system, line_of(sim, address));
}

static uint64_t counter_at(const struct simulator *sim, double when_ns)
{
    uint64_t ticks = (uint64_t)((when_ns + sim->clock_ns) * 1e-9 * sim->config->counter_hz);

    return ticks / sim->config->counter_step * sim->config->counter_step;
}

static uint64_t counter(const struct simulator *sim)
{
    return counter_at(sim, simulator_now_ns(sim));
}

/* Nothing waits for it: what came long enough before is done. */
static uint64_t sim_ticks_free(void)
{
    const struct simulator *sim = running;

    return sim->run->direct ? counter(sim) : counter_at(sim, sim->run->core.left_ns);
}

/* What was timed is over: what disturbed it has lengthened it. What made it shorter has only made
 * the clocks read less: banks do not get back the time that they have used. Refreshes come by the
 * clocks, or these would seem to be slower than memory's. */
static void disturb(struct simulator *sim)
{
    double now = simulator_now_ns(sim);
    double noise_ns = sim_noise_of_part(&sim->noise, sim->run->begun_ns, now);

    spend_ns(sim, noise_ns > 0 ? noise_ns : 0);
    sim->clock_ns += noise_ns < 0 ? noise_ns : 0;
    sim->system->dram->clock_ns = sim->clock_ns;
    sim->system->ledger.cause_ns[SIM_BY_NOISE] += noise_ns;
    sim->run->begun_ns = simulator_now_ns(sim);
}

/* Every earlier load is done, and no later one has begun. */
static uint64_t sim_ticks(void)
{
    struct simulator *sim = running;

    settle(sim);
    spend_ns(sim, sim->system->costs.timer_ns);
    sim->system->ledger.cause_ns[SIM_BY_TIMER] += sim->system->costs.timer_ns;
    if (sim->run->timing)
        disturb(sim);
    return counter(sim);
}

static march_pair sim_pair(uintptr_t address)
{
    uint64_t first = sim_path_word(running, address);

    return (march_pair){first, sim_path_word(running, address + sizeof first)};
}

static uint64_t sim_ticks_begin(void)
{
    struct simulator *sim = running;
    uint64_t ticks = sim_ticks();

    sim->run->timing = true;
    sim_noise_begin(&sim->noise);
    sim->run->begun_ns = simulator_now_ns(sim);
    sim->run->at_begin = *sim_memory_ledger(sim->system);
    return ticks;
}

static uint64_t sim_ticks_end(void)
{
    struct simulator *sim = running;
    uint64_t ticks = sim_ticks();

    if (sim->run->timing) {
        sim_ledger_add(&sim->run->timed, sim_memory_ledger(sim->system), 1);
        sim_ledger_add(&sim->run->timed, &sim->run->at_begin, -1);
    }
    sim->run->timing = false;
    return ticks;
}

static uint64_t sim_disturbances(void)
{
    return running->config->noise.smi_counted ? running->noise.smis : 0;
}

#define KERNEL_LOAD(chain, address)         sim_load(chain, address)
#define KERNEL_LOAD_NT(chain, address)      sim_load_nt(chain, address)
#define KERNEL_LOAD_FREE(address)           sim_load_free(address)
#define KERNEL_HINT_NTA(chain, address)     sim_hint(chain, address, 0, true)
#define KERNEL_HINT_T0(chain, address)      sim_hint(chain, address, 0, false)
#define KERNEL_HINT_T1(chain, address)      sim_hint(chain, address, 1, false)
#define KERNEL_HINT_T2(chain, address)      sim_hint(chain, address, 2, false)
#define KERNEL_FLUSH(address)               sim_flush(address)
#define KERNEL_DIRTY(chain, address, value) sim_dirty(chain, address, value)
#define KERNEL_WORK(carry, cycles)          sim_work(carry, cycles)
#define KERNEL_WAIT(cycles)                 sim_wait(cycles)
#define KERNEL_MANY(next, chains, hops)     sim_many(next, chains, hops)
#define KERNEL_STORE(address, value)        sim_store(address, value)
#define KERNEL_STORE_PAIR(address, first, second) \
    (KERNEL_STORE(address, first), KERNEL_STORE((address) + sizeof(uintptr_t), second))
#define KERNEL_STORE_PAIRS(address, first, second)       \
    (KERNEL_STORE_PAIR(address, (first)[0], (first)[1]), \
     KERNEL_STORE_PAIR((address) + 16, (second)[0], (second)[1]))
#define KERNEL_STORED_LINE(address)             ((void)(address))
#define KERNEL_WORD(address)                    sim_path_word(running, address)
#define KERNEL_PAIR(address)                    sim_pair(address)
#define KERNEL_LOAD_SHARED(address)             sim_load_shared(address)
#define KERNEL_STORE_SHARED(address, value)     sim_store_shared(address, value)
#define KERNEL_SWAP(address, expected, desired) sim_swap(address, expected, desired)
#define KERNEL_SPIN()                           sim_wait(1)
#define KERNEL_PARK(word)                       ((void)(word), sim_crew_yield(&running->crew, INFINITY))
#define KERNEL_STORE_DRAIN()                    ((void)0)
#define KERNEL_PUBLISH(shared, done)            sim_publish(shared, done)
#define KERNEL_TICKS_FREE()                     sim_ticks_free()
#define KERNEL_TICKS()                          sim_ticks()
#define KERNEL_TICKS_BEGIN()                    sim_ticks_begin()
#define KERNEL_TICKS_END()                      sim_ticks_end()
#define KERNEL_MARK_BEGIN()                     ((void)0)
#define KERNEL_MARK_END()                       ((void)0)
#define KERNEL_HOLD(variable)                   ((void)(variable))
#define KERNEL_DRAW_COST()                      sim_draw()
#define KERNEL_DISTURBANCES()                   sim_disturbances()
/* The ledger books what is timed, and that alone is counted. */
#define KERNEL_EVENTS_BEGIN() sim_events(false)
#define KERNEL_EVENTS_END()   sim_events(true)
#define KERNEL_SAMPLER_ARM()  sim_sampler_arm(&running->run->sampler)

#define KERNEL_SAMPLER_TAKE(sample) \
    sim_sampler_take(&running->run->sampler, running->config->counters.sampler, sample)

#endif
