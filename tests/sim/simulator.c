/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/simulator.h"

#include <setjmp.h>
#include <stdlib.h>

/* The kernels' hooks have no argument to say which machine they run on. */
static struct simulator *running;
static jmp_buf out_of_chase;

double simulator_now_ns(const struct simulator *sim)
{
    double now = sim->ready_ns[0];

    for (uint32_t i = 1; i < sim->chains; i++)
        now = sim->ready_ns[i] > now ? sim->ready_ns[i] : now;
    return now;
}

double simulator_seconds(const struct simulator *sim)
{
    return simulator_now_ns(sim) * 1e-9;
}

/* Nobody loads meanwhile. */
static void spend_ns(struct simulator *sim, double ns)
{
    double now = simulator_now_ns(sim) + ns;

    for (uint32_t i = 0; i < sim->chains; i++)
        sim->ready_ns[i] = now;
}

static bool outside(const struct sim_window *window, uintptr_t address)
{
    return address < window->base || address > window->base + window->bytes - sizeof(uintptr_t);
}

static uint32_t line_of(const struct simulator *sim, uintptr_t address)
{
    const struct sim_window *window = &sim->window;
    uint64_t offset = address - window->base;
    uint64_t inside = offset & ((1ull << window->page_log2) - 1);

    return window->frame_line[offset >> window->page_log2] +
           (uint32_t)(inside >> sim->system.line_log2);
}

static bool peek(void *context, uintptr_t value, uint32_t *line, uintptr_t *word)
{
    const struct simulator *sim = context;

    if (outside(&sim->window, value) || value % sizeof value != 0)
        return false;
    *line = line_of(sim, value);
    *word = *(const volatile uintptr_t *)value;
    return true;
}

uintptr_t simulator_load(struct simulator *sim, uint32_t chain, uintptr_t address)
{
    struct sim_reference to = {
        .line = line_of(sim, address),
        .page = (uint32_t)((address - sim->window.base) >> sim->window.page_log2)};
    uintptr_t value;

    /* The host's own memory is not fast either. */
    __builtin_prefetch((const void *)address);
    sim->loads++;
    sim->ready_ns[chain] = sim_memory_access(&sim->system, &to, sim->ready_ns[chain]);
    value = *(const volatile uintptr_t *)address;
    if (sim->config->prefetch_count != 0)
        sim_prefetchers_after_value(&sim->system, value, sim->ready_ns[chain], peek, sim);
    return value;
}

static inline uintptr_t sim_load(uint32_t chain, uintptr_t address)
{
    struct simulator *sim = running;

    if (outside(&sim->window, address)) {
        sim->fault = (struct fault_info){
            .kind = 14, .address = address, .text = "simulated fault: address outside the window"};
        longjmp(out_of_chase, 1);
    }
    return simulator_load(sim, chain, address);
}

static void sim_line_flush(const void *address)
{
    (void)sim_hierarchy_drop(&running->system.caches, line_of(running, (uintptr_t)address));
    /* What memory cannot hold is not there either when it is read again. */
    sim_window_decay(running);
}

static uint32_t sim_work(uint32_t carry, uint32_t cycles)
{
    return carry + cycles;
}

static void sim_many(uintptr_t *at, uint32_t chains, uint64_t hops)
{
    for (; hops != 0; hops--)
        for (uint32_t chain = 0; chain < chains; chain++)
            at[chain] = sim_load(chain, at[chain]);
}

static void sim_draw(void)
{
    running->ready_ns[0] += running->system.costs.draw_ns;
    running->system.ledger.cause_ns[SIM_BY_DRAW] += running->system.costs.draw_ns;
}

static uint64_t sim_ticks(const struct simulator *sim)
{
    uint64_t ticks = (uint64_t)(simulator_now_ns(sim) * 1e-9 * sim->config->counter_hz);

    return ticks / sim->config->counter_step * sim->config->counter_step;
}

static uint64_t sim_ticks_begin(void)
{
    struct simulator *sim = running;

    sim->timing = true;
    sim->begun_ns = simulator_now_ns(sim);
    sim->at_begin = sim->system.ledger;
    return sim_ticks(sim);
}

/* A sample is over: what disturbed it has lengthened it. */
static uint64_t sim_ticks_end(void)
{
    struct simulator *sim = running;
    double noise_ns;

    if (!sim->timing)
        return sim_ticks(sim);
    sim->timing = false;
    noise_ns = sim_noise_of_sample(&sim->noise, sim->begun_ns, simulator_now_ns(sim));
    spend_ns(sim, noise_ns);
    sim->system.ledger.cause_ns[SIM_BY_NOISE] += noise_ns;
    sim_ledger_add(&sim->timed, &sim->system.ledger, 1);
    sim_ledger_add(&sim->timed, &sim->at_begin, -1);
    return sim_ticks(sim);
}

static uint64_t sim_disturbances(void)
{
    return running->config->noise.smi_counted ? running->noise.smis : 0;
}

#define KERNEL_LOAD(chain, address)         sim_load(chain, address)
#define KERNEL_LOAD_NT(chain, address)      sim_load(chain, address)
#define KERNEL_LOAD_FREE(address)           ((void)sim_load(0, address))
#define KERNEL_HINT_NTA(chain, address)     ((void)(address))
#define KERNEL_HINT_T0(chain, address)      ((void)(address))
#define KERNEL_HINT_T1(chain, address)      ((void)(address))
#define KERNEL_HINT_T2(chain, address)      ((void)(address))
#define KERNEL_FLUSH(address)               sim_line_flush((const void *)(address))
#define KERNEL_DIRTY(chain, address, value) (*(volatile uintptr_t *)(address) = (value))
#define KERNEL_WORK(carry, cycles)          sim_work(carry, cycles)
#define KERNEL_MANY(at, chains, hops)       sim_many(at, chains, hops)
#define KERNEL_STORE(address, value)        (*(volatile uintptr_t *)(address) = (value))
#define KERNEL_STORE_DRAIN()                ((void)0)
#define KERNEL_TICKS()                      sim_ticks(running)
#define KERNEL_TICKS_BEGIN()                sim_ticks_begin()
#define KERNEL_TICKS_END()                  sim_ticks_end()
#define KERNEL_MARK_BEGIN()                 ((void)0)
#define KERNEL_MARK_END()                   ((void)0)
#define KERNEL_DRAW_COST()                  sim_draw()
#define KERNEL_DISTURBANCES()               sim_disturbances()

#include "core/kernels.h"

static enum status sim_work_run(void *self, const struct window *w, uint32_t cpu, window_work *work,
                                void *arg, uint64_t first, uint64_t end, struct fault_info *fault)
{
    struct simulator *sim = self;
    bool builds = work == kernel_build || work == kernel_fill;

    (void)cpu;
    (void)fault;
    running = sim;
    sim_window_decay(sim);
    work(arg, w, first, end);
    spend_ns(sim, (double)(end - first) * (builds ? sim->config->build_ns : sim->config->read_ns));
    sim_window_decay(sim);
    return STATUS_OK;
}

static void choose_frequency(struct simulator *sim)
{
    const struct sim_config *config = sim->config;
    bool turbo = config->turbo_hz > 0 && sim->turbo != TURBO_OFF &&
                 (sim->turbo == TURBO_ON || config->turbo_s <= 0 ||
                  simulator_seconds(sim) < config->turbo_s);
    double hz = turbo ? config->turbo_hz : config->core_hz;

    if (sim->core_hz == hz)
        return;
    sim->core_hz = hz;
    sim_memory_set_frequency(&sim->system, hz);
}

static void spoil(struct simulator *sim, const struct window *w)
{
    if (sim->flip.armed && sim->flip.offset < w->bytes) {
        *(uint64_t *)(w->base + sim->flip.offset) ^= 1ull << sim->flip.bit;
        sim->flip.armed = false;
    }
    sim_window_decay(sim);
}

/* False: a load went outside the window. */
static bool chase(const struct chase_plan *plan, uint64_t tick_hz, struct chase_result *result)
{
    if (setjmp(out_of_chase) != 0)
        return false;
    kernel_chase(plan, tick_hz, result);
    return true;
}

static enum status sim_chase_run(void *self, const struct window *w, const struct chase_plan *plan,
                                 struct chase_result *result)
{
    struct simulator *sim = self;
    double opened_ns = simulator_now_ns(sim);
    uint64_t smis = sim->noise.smis;

    running = sim;
    /* Chains that join now begin when those before have ended. */
    spend_ns(sim, 0);
    sim->chains = plan->chains;
    choose_frequency(sim);
    *result = (struct chase_result){.core_hz_before = sim->core_hz,
                                    .core_hz_after = sim->core_hz,
                                    .delta = {.core_cycles = MACHINE_UNKNOWN,
                                              .smi = MACHINE_UNKNOWN,
                                              .machine_checks = MACHINE_UNKNOWN,
                                              .llc_misses = MACHINE_UNKNOWN,
                                              .page_walks = MACHINE_UNKNOWN}};
    spoil(sim, w);
    sim->timing = false;
    sim->timed = (struct sim_ledger){.accesses = 0};
    spend_ns(sim, sim->config->entry_ns);
    if (!chase(plan, (uint64_t)sim->config->counter_hz, result)) {
        result->fault = sim->fault;
        return STATUS_FAULT;
    }
    result->quiet_ns = (uint64_t)(simulator_now_ns(sim) - opened_ns);
    if (sim->config->noise.smi_counted)
        result->delta.smi = sim->noise.smis - smis;
    sim->entry[sim->entries++ % SIM_ENTRIES_MAX] =
        (struct sim_entry){.hops = plan->hops, .samples = result->samples, .timed = sim->timed};
    return STATUS_OK;
}

static enum status sim_prefetch_set(void *self, uint32_t cpu, bool off,
                                    struct prefetch_report *report)
{
    struct simulator *sim = self;

    (void)cpu;
    if (sim->config->prefetch_count != 0) {
        sim_prefetchers_set(&sim->system.prefetchers, sim->config, off, report);
        return STATUS_OK;
    }
    *report = (struct prefetch_report){.count = 1, .state = off ? PREFETCH_OFF : PREFETCH_ON};
    report->control[0] = (struct prefetch_control){.name = "simulated prefetchers",
                                                   .source = "this machine has none",
                                                   .mask = 1,
                                                   .requested = off,
                                                   .readback = off,
                                                   .state = report->state};
    return STATUS_OK;
}

static enum status sim_prefetch_alone(void *self, uint32_t cpu, uint32_t index,
                                      struct prefetch_report *report)
{
    struct simulator *sim = self;

    (void)cpu;
    return sim_prefetchers_alone(&sim->system.prefetchers, sim->config, index, report)
               ? STATUS_OK
               : STATUS_UNSUPPORTED;
}

/* A machine without a turbo frequency has no control for it either. */
static enum status sim_turbo_set(void *self, uint32_t cpu, enum turbo_choice choice,
                                 struct turbo_report *report)
{
    struct simulator *sim = self;
    bool off = choice == TURBO_OFF;

    (void)cpu;
    *report = (struct turbo_report){.state = TURBO_UNSUPPORTED,
                                    .name = "",
                                    .source = "",
                                    .requested = MACHINE_UNKNOWN,
                                    .readback = MACHINE_UNKNOWN};
    if (sim->config->turbo_hz <= 0)
        return STATUS_OK;
    sim->turbo = choice;
    *report = (struct turbo_report){.state = off ? TURBO_STATE_OFF : TURBO_STATE_ON,
                                    .name = "turbo",
                                    .source = "machine file",
                                    .requested = off,
                                    .readback = off};
    return STATUS_OK;
}

static uint64_t sim_wall_ns(void *self)
{
    return (uint64_t)simulator_now_ns(self);
}

static void sim_clock_check(void *self, struct clock_check *out)
{
    *out = (struct clock_check){
        .known = true, .ppm = 0, .seconds = simulator_seconds(self), .source = "virtual clock"};
}

static bool sim_abort_asked(void *self)
{
    const struct simulator *sim = self;

    return sim->abort_after_loads != 0 && sim->loads >= sim->abort_after_loads;
}

static void sim_progress(void *self, const struct progress *now)
{
    struct simulator *sim = self;

    if (!sim->progress || sim->progress_count == SIM_PROGRESS_MAX)
        return;
    sim->progress[sim->progress_count++] = (struct sim_progress){
        .at_s = simulator_seconds(sim), .left_s = now->left_s, .share = now->done_share};
}

void simulator_start(struct simulator *sim, const struct sim_config *config, bool keep_progress)
{
    *sim = (struct simulator){.config = config, .chains = 1, .core_hz = config->core_hz};
    sim_memory_start(&sim->system, config);
    sim_noise_start(&sim->noise, config);
    random_start(&sim->random, config->seed + 400);
    sim->run = (struct memmap_run){phys_make(SIM_MEMORY_BASE), config->memory.bytes};
    if (keep_progress)
        sim->progress = calloc(SIM_PROGRESS_MAX, sizeof *sim->progress);
    simulator_describe(sim);
    sim->machine = (struct machine){.self = sim,
                                    .description = &sim->description,
                                    .window_limit = sim_window_limit,
                                    .window_open = sim_window_open,
                                    .window_close = sim_window_close,
                                    .window_phys = sim_window_phys,
                                    .work_run = sim_work_run,
                                    .chain_build = kernel_build,
                                    .draw_fill = kernel_fill,
                                    .line_flush = sim_line_flush,
                                    .chase_run = sim_chase_run,
                                    .prefetch_set = sim_prefetch_set,
                                    .prefetch_alone = sim_prefetch_alone,
                                    .turbo_set = sim_turbo_set,
                                    .wall_ns = sim_wall_ns,
                                    .clock_check = sim_clock_check,
                                    .abort_asked = sim_abort_asked,
                                    .progress = sim_progress};
}

void simulator_stop(struct simulator *sim)
{
    sim_memory_stop(&sim->system);
    free(sim->progress);
}
