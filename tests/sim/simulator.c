/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/simulator.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define MEMORY_BASE (4ull << 30)

/* The kernels' hooks have no argument to say which machine they run on. */
static struct simulator *running;
static jmp_buf out_of_chase;

static uint64_t physical_of(const struct simulator *sim, uintptr_t address)
{
    uint64_t offset = address - sim->base;

    return sim->frame[offset >> sim->page_log2] + (offset & ((1ull << sim->page_log2) - 1));
}

static uintptr_t sim_load(uintptr_t address)
{
    struct simulator *sim = running;
    uint64_t physical;

    if (address < sim->base || address > sim->base + sim->bytes - sizeof(uintptr_t)) {
        sim->fault = (struct fault_info){
            .kind = 14, .address = address, .text = "simulated fault: address outside the window"};
        longjmp(out_of_chase, 1);
    }
    physical = physical_of(sim, address);
    sim->loads++;
    for (size_t level = 0; level < sim->config->cache_count; level++) {
        if (sim_cache_access(&sim->cache[level], physical)) {
            sim->cycles += sim->config->cache[level].latency_cycles;
            return *(const volatile uintptr_t *)address;
        }
    }
    sim->cycles += sim->config->memory_ns * 1e-9 * sim->config->core_hz;
    return *(const volatile uintptr_t *)address;
}

static uint64_t sim_ticks(void)
{
    double ticks = running->cycles / running->config->core_hz * running->config->clock_hz;

    return (uint64_t)ticks / running->config->clock_step * running->config->clock_step;
}

#define KERNEL_LOAD(address)         sim_load(address)
#define KERNEL_STORE(address, value) (*(volatile uintptr_t *)(address) = (value))
#define KERNEL_STORE_DRAIN()         ((void)0)
#define KERNEL_TICKS_BEGIN()         sim_ticks()
#define KERNEL_TICKS_END()           sim_ticks()
#define KERNEL_DRAW_COST()           (running->cycles += running->config->draw_cycles)
#define KERNEL_DISTURBANCES()        0

#include "core/kernels.h"

static void spend_ns(struct simulator *sim, double ns)
{
    sim->cycles += ns * 1e-9 * sim->config->core_hz;
}

static uint64_t sim_window_limit(void *self, const struct window_request *request)
{
    const struct simulator *sim = self;

    if (!(sim->description.page_sizes & 1u << request->page))
        return 0;
    if (request->from.value != request->below.value &&
        (request->from.value > MEMORY_BASE ||
         request->below.value < MEMORY_BASE + sim->config->memory_bytes))
        return 0;
    return sim->config->memory_bytes;
}

static enum status sim_window_open(void *self, const struct window_request *request,
                                   struct window *out)
{
    struct simulator *sim = self;
    uint64_t page_bytes = 1ull << request->page;
    uint64_t bytes = (request->bytes + page_bytes - 1) / page_bytes * page_bytes;
    void *base;

    if (bytes > sim_window_limit(self, request))
        return STATUS_NO_MEMORY;
    base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                -1, 0);
    sim->frame = calloc(bytes >> request->page, sizeof *sim->frame);
    if (base == MAP_FAILED || !sim->frame)
        return STATUS_NO_MEMORY;
    sim->open = true;
    sim->base = (uintptr_t)base;
    sim->bytes = bytes;
    sim->page_log2 = request->page;
    frames_start(&sim->frames, &sim->run, 1, request->page, request->order, request->seed);
    for (uint64_t page = 0; page < bytes >> request->page; page++)
        sim->frame[page] = frames_of_page(&sim->frames, page).value;
    *out = (struct window){.base = sim->base,
                           .bytes = bytes,
                           .table_bytes = (bytes >> request->page) * 8,
                           .page = request->page,
                           .map = request->map,
                           .order = request->order,
                           .handle = sim};
    return STATUS_OK;
}

static void sim_window_close(void *self, struct window *window)
{
    struct simulator *sim = self;

    munmap((void *)window->base, window->bytes);
    free(sim->frame);
    sim->open = false;
}

static phys_addr sim_window_phys(void *self, const struct window *window, uint64_t offset)
{
    return phys_make(physical_of(self, window->base + offset));
}

static enum status sim_work_run(void *self, const struct window *w, uint32_t cpu, window_work *work,
                                void *arg, uint64_t first, uint64_t end, struct fault_info *fault)
{
    struct simulator *sim = self;

    (void)cpu;
    (void)fault;
    running = sim;
    work(arg, w, first, end);
    spend_ns(sim, (double)(end - first) * (work == kernel_build || work == kernel_fill
                                               ? sim->config->build_ns
                                               : sim->config->read_ns));
    return STATUS_OK;
}

static void sim_line_flush(const void *address)
{
    for (size_t level = 0; level < running->config->cache_count; level++)
        sim_cache_drop(&running->cache[level], physical_of(running, (uintptr_t)address));
}

static enum status sim_chase_run(void *self, const struct window *w, const struct chase_plan *plan,
                                 struct chase_result *result)
{
    struct simulator *sim = self;
    double opened = sim->cycles;

    running = sim;
    *result = (struct chase_result){.core_hz_before = sim->config->core_hz,
                                    .core_hz_after = sim->config->core_hz,
                                    .delta = {.core_cycles = MACHINE_UNKNOWN,
                                              .smi = 0,
                                              .machine_checks = MACHINE_UNKNOWN,
                                              .llc_misses = MACHINE_UNKNOWN,
                                              .page_walks = MACHINE_UNKNOWN}};
    if (sim->flip.armed && sim->flip.offset < w->bytes) {
        *(uint64_t *)(w->base + sim->flip.offset) ^= 1ull << sim->flip.bit;
        sim->flip.armed = false;
    }
    if (setjmp(out_of_chase) != 0) {
        result->fault = sim->fault;
        return STATUS_FAULT;
    }
    spend_ns(sim, 20000); /* the way in and out */
    kernel_chase(plan, (uint64_t)sim->config->clock_hz, result);
    result->quiet_ns = (uint64_t)((sim->cycles - opened) / sim->config->core_hz * 1e9);
    return STATUS_OK;
}

static enum status sim_prefetch_set(void *self, uint32_t cpu, bool off,
                                    struct prefetch_report *report)
{
    (void)self;
    (void)cpu;
    *report = (struct prefetch_report){.count = 1, .state = off ? PREFETCH_OFF : PREFETCH_ON};
    report->control[0] = (struct prefetch_control){.name = "simulated prefetchers",
                                                   .source = "the simulator has none",
                                                   .mask = 1,
                                                   .requested = off,
                                                   .readback = off,
                                                   .state = report->state};
    return STATUS_OK;
}

static uint64_t sim_wall_ns(void *self)
{
    const struct simulator *sim = self;

    return (uint64_t)(sim->cycles / sim->config->core_hz * 1e9);
}

static void sim_clock_check(void *self, struct clock_check *out)
{
    const struct simulator *sim = self;

    *out = (struct clock_check){.known = true,
                                .ppm = 0,
                                .seconds = sim->cycles / sim->config->core_hz,
                                .source = "virtual clock"};
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
    sim->progress[sim->progress_count++] =
        (struct sim_progress){.at_s = sim->cycles / sim->config->core_hz,
                              .left_s = now->left_s,
                              .share = now->done_share};
}

static void describe(struct simulator *sim)
{
    const struct sim_config *config = sim->config;
    struct machine_description *d = &sim->description;

    for (size_t i = 0; i < config->cache_count; i++)
        sim->cache_level[i] = (struct cache_level){.level = (uint8_t)(i + 1),
                                                   .unified = i != 0,
                                                   .ways = config->cache[i].ways,
                                                   .line_bytes = config->cache[i].line_bytes,
                                                   .shared_by = 1,
                                                   .bytes = config->cache[i].bytes};
    sim->cpu = (struct cpu_info){.enabled = true};
    snprintf(sim->cpu.name, sizeof sim->cpu.name, "simulated");
    sim->memory = (struct memory_range){
        .base = phys_make(MEMORY_BASE), .bytes = config->memory_bytes, .usable = true};
    *d = (struct machine_description){.arch = "simulated",
                                      .firmware = "none",
                                      .board = config->name,
                                      .bios = "",
                                      .cpu_name = "simulated",
                                      .caches = sim->cache_level,
                                      .cache_count = config->cache_count,
                                      .memory = &sim->memory,
                                      .memory_count = 1,
                                      .cpus = &sim->cpu,
                                      .cpu_count = 1,
                                      .clock = {.hz = (uint64_t)config->clock_hz,
                                                .resolution_ticks = (double)config->clock_step,
                                                .source = "virtual clock",
                                                .check_source = "virtual clock",
                                                .invariant = true},
                                      .page_sizes = 1u << PAGE_4K | 1u << PAGE_2M,
                                      .line_bytes = 64,
                                      .chains_cycle_max = 1};
}

void simulator_start(struct simulator *sim, const struct sim_config *config, bool keep_progress)
{
    *sim = (struct simulator){.config = config};
    for (size_t i = 0; i < config->cache_count; i++)
        sim_cache_start(&sim->cache[i], &config->cache[i]);
    sim->run = (struct memmap_run){phys_make(MEMORY_BASE), config->memory_bytes};
    if (keep_progress)
        sim->progress = calloc(SIM_PROGRESS_MAX, sizeof *sim->progress);
    describe(sim);
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
                                    .wall_ns = sim_wall_ns,
                                    .clock_check = sim_clock_check,
                                    .abort_asked = sim_abort_asked,
                                    .progress = sim_progress};
}

void simulator_stop(struct simulator *sim)
{
    for (size_t i = 0; i < sim->config->cache_count; i++)
        sim_cache_stop(&sim->cache[i]);
    free(sim->progress);
}
