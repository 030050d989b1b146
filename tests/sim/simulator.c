/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/simulator.h"

#include <stdio.h>
#include <stdlib.h>

/* Fewer are not worth starting others for. */
#define SIM_SHARED_LINES 8192

/* The kernels' hooks have no argument that says which machine they run on. */
static struct simulator *running;

double simulator_now_ns(const struct simulator *sim)
{
    double now = sim->run->ready_ns[0];

    for (uint32_t i = 1; i < sim->run->chains; i++)
        now = sim->run->ready_ns[i] > now ? sim->run->ready_ns[i] : now;
    return now;
}

double simulator_clock_ns(const struct simulator *sim)
{
    return simulator_now_ns(sim) + sim->clock_ns;
}

double simulator_seconds(const struct simulator *sim)
{
    return simulator_now_ns(sim) * 1e-9;
}

/* No loads meanwhile; everything before is done. */
static void spend_ns(struct simulator *sim, double ns)
{
    sim_core_open(&sim->run->core, sim->run->chains, simulator_now_ns(sim) + ns);
}

static bool outside(const struct sim_window *window, uintptr_t address)
{
    return address < window->base || address > window->base + window->bytes - sizeof(uintptr_t);
}

static uint64_t line_of(const struct simulator *sim, uintptr_t address)
{
    const struct sim_window *window = &sim->window;
    uint64_t offset = address - window->base;
    uint64_t inside = offset & ((1ull << window->page_log2) - 1);

    return ((uint64_t)window->frame[offset >> window->page_log2] << window->page_log2 | inside) >>
           sim->system->line_log2;
}

static bool peek(void *context, uintptr_t value, uint64_t *line, uintptr_t *word)
{
    struct simulator *sim = context;

    if (outside(&sim->window, value) || value % sizeof value != 0)
        return false;
    *line = line_of(sim, value);
    *word = sim_path_word(sim, value);
    return true;
}

static void follow_value(void *context, uintptr_t value, double done_ns)
{
    struct simulator *sim = context;

    sim_prefetchers_after_value(sim->system, value, done_ns, peek, sim);
}

struct sim_reference simulator_reference(const struct simulator *sim, uintptr_t address)
{
    return (struct sim_reference){
        .line = line_of(sim, address),
        .page = (uint32_t)((address - sim->window.base) >> sim->window.page_log2)};
}

uintptr_t simulator_load(struct simulator *sim, uint32_t chain, uintptr_t address)
{
    const struct sim_step *step = sim_path_step(sim, &sim->path, address);
    struct sim_reference to = step ? step->to : simulator_reference(sim, address);
    uintptr_t value = step ? step->value : sim_path_word(sim, address);

    sim->loads++;
    sim->run->ready_ns[chain] = sim_memory_access(sim->system, &to, sim->run->ready_ns[chain]);
    if (sim->system->prefetchers.follows)
        follow_value(sim, value, sim->run->ready_ns[chain]);
    return value;
}

#include "tests/sim/hooks.h"
#include "core/chase/kernels.h"
#include "core/chase/kernels_traffic.h"

void simulator_store_all(struct simulator *sim, const struct window *w)
{
    struct chain *chain = &sim->path.chain;

    running = sim;
    sim->emptied = sim->kept = true;
    if (sim->path.draws)
        kernel_fill(chain, w, 0, chain->order->lines);
    else
        kernel_build(chain, w, 0, chain_positions(chain));
}

/* Stores whose contents are known need not be kept, and where the caches have nothing left to drop
 * they need not be done at all; what was never stored still reads back correctly. */
static bool goes_without(struct simulator *sim, window_work *work, void *arg)
{
    if (work == kernel_build || work == kernel_fill) {
        sim->kept = !sim_path_build(sim, arg, work == kernel_fill);
        return !sim->kept && sim->emptied;
    }
    return (work == chain_verify || work == draw_verify) &&
           (sim->path.few || (sim->path.known && !sim->path.stored));
}

static double line_ns(const struct simulator *sim, window_work *work, const void *arg)
{
    const struct march_step *step = arg;

    if (work == kernel_march)
        return (step->expected ? sim->config->read_ns : 0) +
               (step->written ? sim->config->build_ns : 0);
    return work == kernel_build || work == kernel_fill ? sim->config->build_ns
                                                       : sim->config->read_ns;
}

/* Work on every CPU moves lines as fast as so many of them do, until channels can take no more. */
static double at_once_ns(const struct simulator *sim, uint64_t lines, double alone_ns)
{
    const struct sim_memory_config *memory = &sim->config->memory;
    double bytes = (double)lines * sim->description.line_bytes;
    double limit_ns =
        memory->bytes_per_s > 0 ? bytes / (memory->channels * memory->bytes_per_s) * 1e9 : 0;
    double shared_ns = alone_ns / sim_cpus_at_once(sim);

    if (shared_ns < limit_ns)
        return limit_ns < alone_ns ? limit_ns : alone_ns;
    return shared_ns;
}

static void empty_caches(struct simulator *sim)
{
    sim_hierarchy_empty(&sim->system->caches);
    if (sim->system->coherence)
        sim_coherence_clear(&sim->coherence);
}

static uint32_t sim_work_cpus(void *self)
{
    return sim_cpus_at_once(self);
}

/* One part after the other, the last one first: on a machine whose CPUs begin at the same time, a
 * part's first lines are done before the last ones of the part before. */
static void each_part(const struct simulator *sim, const struct window *w, window_work *work,
                      void *arg, uint64_t first, uint64_t end)
{
    uint64_t parts = sim_cpus_at_once(sim), lines = end - first;

    for (uint64_t part = parts; part-- != 0;)
        work(arg, w, first + lines * part / parts, first + lines * (part + 1) / parts);
}

static enum status sim_work_run(void *self, const struct window *w, uint32_t cpu, window_work *work,
                                void *arg, uint64_t first, uint64_t end, struct fault_info *fault)
{
    struct simulator *sim = self;
    bool builds = work == kernel_build || work == kernel_fill, marches = work == kernel_march;
    double took_ns = (double)(end - first) * line_ns(sim, work, arg);

    bool all = cpu == CPU_EVERY || cpu == CPU_EACH;

    (void)fault;
    if (cpu == CPU_EACH && (sim_work_cpus(sim) == 1 || end - first < SIM_SHARED_LINES))
        return STATUS_UNSUPPORTED;
    if (!sim_cpu_run_on(sim, all ? 0 : cpu))
        return STATUS_UNSUPPORTED;
    running = sim;
    sim->run->overwritten = 0;
    /* So many stores leave nothing in the caches that is worth dropping line by line. */
    sim->emptied = marches || (builds && end - first >= sim_hierarchy_room(&sim->system->caches));
    if (marches) {
        sim_path_open(sim);
        sim->kept = true;
    }
    if (sim->emptied)
        empty_caches(sim);
    sim_faults_decay(sim);
    if (cpu == CPU_EACH)
        each_part(sim, w, work, arg, first, end);
    else if (!goes_without(sim, work, arg))
        work(arg, w, first, end);
    spend_ns(sim, all ? at_once_ns(sim, end - first, took_ns) : took_ns);
    sim_faults_decay(sim);
    return STATUS_OK;
}

static void sim_line_flush(const void *address)
{
    (void)sim_hierarchy_flush(&running->system->caches, line_of(running, (uintptr_t)address));
    /* What memory cannot hold is not there either when it is read again. */
    sim_faults_decay(running);
}

static uintptr_t sim_word_read(const void *address)
{
    return sim_path_word(running, (uintptr_t)address);
}

static void spoil(struct simulator *sim, const struct window *w)
{
    if (sim->flip.armed && sim->flip.offset < w->bytes) {
        sim_path_store(sim);
        sim_path_keep(sim, w->base + sim->flip.offset,
                      sim_path_word(sim, w->base + sim->flip.offset) ^ 1ull << sim->flip.bit);
        sim->flip.armed = false;
    }
    sim_faults_decay(sim);
}

/* False: a load went outside the window. */
static bool chase(const struct chase_plan *plan, uint64_t tick_hz, struct chase_result *result)
{
    if (setjmp(running->run->out) != 0)
        return false;
    kernel_chase(plan, tick_hz, result);
    return true;
}

/* Loads that no cache of the CPU's own had the line of. */
static double missed(const struct simulator *sim)
{
    double count =
        sim->run->timed.served[SIM_SERVED_MEMORY] + sim->run->timed.served[SIM_SERVED_PENDING];

    for (size_t i = 0; i < sim->config->cache_count; i++)
        if (sim->config->cache[i].memory_side)
            count += sim->run->timed.served[i];
    return count;
}

static uint64_t event_count(const struct simulator *sim, enum sim_event event, double loads,
                            double by_memory)
{
    switch (event) {
    case SIM_EVENT_NONE:
        break;
    case SIM_EVENT_LOADS:
        return (uint64_t)loads;
    case SIM_EVENT_MEMORY:
        return (uint64_t)by_memory;
    case SIM_EVENT_HALF:
        return (uint64_t)loads / 2;
    case SIM_EVENT_LOSSY:
        return (uint64_t)(loads > 1000 ? 1000 + 0.9 * (loads - 1000) : loads);
    case SIM_EVENT_ALL:
        return (uint64_t)sim->run->timed.accesses;
    case SIM_EVENT_FROZEN:
        return 0;
    }
    return MACHINE_UNKNOWN;
}

static void count_events(const struct simulator *sim, struct machine_counters *delta)
{
    const struct sim_counters_config *counters = &sim->config->counters;

    delta->llc_misses =
        event_count(sim, counters->misses, missed(sim), sim->run->timed.served[SIM_SERVED_MEMORY]);
    delta->page_walks =
        event_count(sim, counters->walks, sim->run->timed.walks, sim->run->timed.walks);
}

/* False: that CPU cannot be had. */
static bool enter(struct simulator *sim, uint32_t cpu, uint32_t chains)
{
    running = sim;
    if (!sim_cpu_run_on(sim, cpu))
        return false;
    sim->run->chains = chains;
    sim->run->direct = false;
    sim->run->timing = false;
    sim_core_open(&sim->run->core, sim->run->chains, simulator_now_ns(sim));
    spend_ns(sim, sim->config->entry_ns);
    return true;
}

static enum status sim_probe_run(void *self, const struct window *w, const struct probe_plan *plan,
                                 struct fault_info *fault)
{
    struct simulator *sim = self;

    (void)w;
    if (!enter(sim, plan->cpu, 1))
        return STATUS_UNSUPPORTED;
    if (setjmp(running->run->out) != 0) {
        *fault = running->fault;
        return STATUS_FAULT;
    }
    kernel_probe(plan);
    return STATUS_OK;
}

static enum status sim_pair_run(void *self, const struct window *w, const struct pair_plan *plan,
                                struct fault_info *fault)
{
    struct simulator *sim = self;

    (void)w;
    if (!enter(sim, plan->cpu, 2))
        return STATUS_UNSUPPORTED;
    if (setjmp(running->run->out) != 0) {
        *fault = running->fault;
        return STATUS_FAULT;
    }
    kernel_pairs(plan);
    return STATUS_OK;
}

static enum status sim_single_run(void *self, const struct window *w,
                                  const struct single_plan *plan, struct fault_info *fault)
{
    struct simulator *sim = self;

    (void)w;
    if (!enter(sim, plan->cpu, 1))
        return STATUS_UNSUPPORTED;
    if (setjmp(running->run->out) != 0) {
        *fault = running->fault;
        return STATUS_FAULT;
    }
    kernel_singles(plan);
    return STATUS_OK;
}

static enum status sim_reads_run(void *self, const struct window *w, const struct reads_plan *plan,
                                 struct fault_info *fault)
{
    struct simulator *sim = self;

    (void)w;
    if (!enter(sim, plan->cpu, 1))
        return STATUS_UNSUPPORTED;
    if (setjmp(running->run->out) != 0) {
        *fault = running->fault;
        return STATUS_FAULT;
    }
    kernel_reads(plan);
    return STATUS_OK;
}

/* On CPU 0, with nothing to do. */
static void start_thread(struct simulator *sim, struct sim_thread *thread, double when_ns)
{
    *thread =
        (struct sim_thread){.core_hz = sim->config->core_hz, .system = &sim->cores[0], .chains = 1};
    thread->core = (struct sim_core){.system = thread->system,
                                     .ready_ns = thread->ready_ns,
                                     .value = follow_value,
                                     .context = sim};
    sim_core_open(&thread->core, thread->chains, when_ns);
}

#include "tests/sim/together.h"

static enum status sim_chase_run(void *self, const struct window *w, const struct chase_plan *plan,
                                 struct chase_result *result)
{
    struct simulator *sim = self;
    double opened_ns = simulator_now_ns(sim);
    uint64_t smis = sim->noise.smis;
    bool good;

    running = sim;
    if (!loaders_prepare(sim, plan->cpu) || !sim_cpu_run_on(sim, plan->cpu))
        return STATUS_UNSUPPORTED;
    sim->run->chains = plan->chains;
    sim->run->direct = plan->chains == 1 && plan->kernel != KERNEL_STREAM &&
                       plan->load == LOAD_PLAIN && plan->hint == HINT_NONE && plan->work == 0;
    sim_core_open(&sim->run->core, sim->run->chains, opened_ns);
    *result = (struct chase_result){.core_hz_before = sim->run->core_hz,
                                    .core_hz_after = sim->run->core_hz,
                                    .delta = {.core_cycles = MACHINE_UNKNOWN,
                                              .smi = MACHINE_UNKNOWN,
                                              .machine_checks = MACHINE_UNKNOWN,
                                              .llc_misses = MACHINE_UNKNOWN,
                                              .page_walks = MACHINE_UNKNOWN,
                                              .accesses = MACHINE_UNKNOWN}};
    sim->run->sampler.left = 0;
    spoil(sim, w);
    sim_path_chase(sim, plan);
    sim->run->timing = false;
    sim->run->timed = (struct sim_ledger){.accesses = 0};
    spend_ns(sim, sim->config->entry_ns);
    loaders_begin(sim);
    good = chase(plan, (uint64_t)sim->config->counter_hz, result);
    if (!loaders_end(sim, plan->done) || !good) {
        result->fault = sim->fault;
        return STATUS_FAULT;
    }
    result->quiet_ns = (uint64_t)(simulator_now_ns(sim) - opened_ns);
    count_events(sim, &result->delta);
    if (sim->config->noise.smi_counted)
        result->delta.smi = sim->noise.smis - smis;
    sim->entry[sim->entries++ % SIM_ENTRIES_MAX] = (struct sim_entry){
        .hops = plan->hops, .samples = result->samples, .timed = sim->run->timed};
    return STATUS_OK;
}

static uint64_t sim_wall_ns(void *self)
{
    return (uint64_t)simulator_clock_ns(self);
}

static void sim_wait_ns(void *self, uint64_t ns)
{
    struct simulator *sim = self;

    spend_ns(sim, (double)ns);
    sim_faults_decay(sim);
}

static void sim_clock_check(void *self, struct clock_check *out)
{
    *out = (struct clock_check){
        .known = true, .ppm = 0, .seconds = simulator_seconds(self), .source = "virtual clock"};
}

static bool sim_abort_asked(void *self)
{
    const struct simulator *sim = self;

    return (sim->stop && *sim->stop) ||
           (sim->abort_after_loads != 0 && sim->loads >= sim->abort_after_loads);
}

static void sim_progress(void *self, const struct progress *now)
{
    struct simulator *sim = self;

    if (!sim->progress || sim->progress_count == SIM_PROGRESS_MAX || now->total == 0)
        return;
    sim->progress[sim->progress_count++] = (struct sim_progress){
        .at_s = simulator_seconds(sim), .left_s = now->left_s, .share = now->done_share};
}

static void start_cores(struct simulator *sim)
{
    uint32_t cores = sim_config_cores(sim->config);

    sim->cores = calloc(cores, sizeof *sim->cores);
    if (!sim->cores) {
        fprintf(stderr, "simulator: no memory for %u cores\n", cores);
        exit(2);
    }
    sim_memory_start(&sim->cores[0], sim->config);
    for (uint32_t core = 1; core < cores; core++)
        sim_memory_start_core(&sim->cores[core], sim->config, &sim->cores[0], core);
    if (cores == 1)
        return;
    sim_dram_serve_cores(sim->cores[0].dram, cores);
    if (!sim->config->coherence.directory)
        return;
    sim_coherence_start(&sim->coherence, sim->config, sim->cores);
    for (uint32_t core = 0; core < cores; core++)
        sim->cores[core].coherence = &sim->coherence;
}

void simulator_start(struct simulator *sim, const struct sim_config *config, bool keep_progress)
{
    *sim = (struct simulator){.config = config};
    start_cores(sim);
    sim_noise_start(&sim->noise, config);
    sim->run = &sim->first;
    start_thread(sim, sim->run, 0);
    sim->system = sim->run->system;
    sim_faults_start(sim);
    random_start(&sim->run->sampler.random, config->seed + 500);
    if (keep_progress)
        sim->progress = calloc(SIM_PROGRESS_MAX, sizeof *sim->progress);
    simulator_describe(sim);
    sim->machine =
        (struct machine){.self = sim,
                         .description = &sim->description,
                         .window_limit = sim_window_limit,
                         .window_open = sim_window_open,
                         .window_close = sim_window_close,
                         .window_phys = sim_window_phys,
                         .window_span = sim_window_span,
                         .cpu_ready = config->cpu_count != 0 ? sim_cpu_ready : NULL,
                         .work_cpus = sim_work_cpus,
                         .work_run = sim_work_run,
                         .chain_build = kernel_build,
                         .draw_fill = kernel_fill,
                         .march = kernel_march,
                         .line_flush = sim_line_flush,
                         .word_read = sim_word_read,
                         .chase_run = sim_chase_run,
                         .probe_run = sim_probe_run,
                         .pair_run = sim_pair_run,
                         .single_run = sim_single_run,
                         .reads_run = sim_reads_run,
                         .load_start = config->cpu_count != 0 ? sim_load_start : NULL,
                         .load_stop = config->cpu_count != 0 ? sim_load_stop : NULL,
                         .handoff_run = config->cpu_count != 0 ? sim_handoff_run : NULL,
                         .prefetch_set = sim_prefetch_set,
                         .prefetch_only_off = sim_prefetch_only_off,
                         .turbo_set = sim_turbo_set,
                         .sampler_try = sim_sampler_try,
                         .errors_read = config->counters.banks != 0 ? sim_faults_read_banks : NULL,
                         .wall_ns = sim_wall_ns,
                         .wait = sim_wait_ns,
                         .clock_check = sim_clock_check,
                         .abort_requested = sim_abort_asked,
                         .progress = sim_progress};
}

void simulator_stop(struct simulator *sim)
{
    sim_window_stop(sim);
    sim_load_stop(sim);
    if (sim->coherence.count != 0)
        sim_coherence_stop(&sim->coherence);
    for (uint32_t core = sim_config_cores(sim->config); core-- != 0;)
        sim_memory_stop(&sim->cores[core]);
    free(sim->cores);
    sim_path_stop(sim);
    free(sim->progress);
}
