/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows of the simulated machine: host memory for the contents, frames for the addresses. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/sim/reserve.h"
#include "tests/sim/simulator.h"

#define PAGES_MAX (1ull << 31) /* of a window; keys of coalesced ones begin there */

/* Whether a request takes memory of that segment. Within range= it takes all kinds. */
static bool is_wanted(const struct window_request *request, const struct sim_segment *segment)
{
    bool ranged = request->from.value != request->below.value;

    return (request->node == NODE_ANY || request->node == segment->node) &&
           (ranged || !segment->specific);
}

/* What lies in [from, below) of a run that is requested, in whole pages. */
static struct memmap_run requested_of(const struct sim_run *run,
                                      const struct window_request *request, uint64_t from,
                                      uint64_t below)
{
    uint64_t mask = (1ull << request->page) - 1;

    from = run->physical + (from > run->offset ? from - run->offset : 0);
    below = below > run->offset + run->bytes ? run->physical + run->bytes
            : below > run->offset            ? run->physical + (below - run->offset)
                                             : run->physical;
    if (request->from.value != request->below.value) {
        from = request->from.value > from ? request->from.value : from;
        below = request->below.value < below ? request->below.value : below;
    }
    from = (from + mask) & ~mask;
    below &= ~mask;
    return (struct memmap_run){phys_make(from), below > from ? below - from : 0};
}

/* The parts of a run that are not to be avoided; returns how many. */
static size_t split(const struct memmap_run *run, const struct window_request *request,
                    struct memmap_run parts[], size_t max)
{
    phys_addr pos = run->base, end = phys_make(run->base.value + run->bytes);
    size_t count = 0;

    while (pos.value < end.value && count < max) {
        bool avoided;
        phys_addr edge = phys_ranges_same(request->avoid, request->avoided, pos, end, &avoided);
        if (!avoided)
            parts[count++] = (struct memmap_run){pos, edge.value - pos.value};
        pos = edge;
    }
    return count;
}

/* As on firmware: frames of several runs, and scattered ones, are taken of whole blocks. */
static struct memmap_run whole_blocks(struct memmap_run run, enum page_size page)
{
    uint64_t mask = (page == PAGE_1G ? 1ull << 30 : 1ull << 21) - 1;
    uint64_t from = (run.base.value + mask) & ~mask, below = (run.base.value + run.bytes) & ~mask;

    return (struct memmap_run){phys_make(from), below > from ? below - from : 0};
}

/* The segments from `first` on that are wanted without a gap end before the returned one. */
static size_t wanted_until(const struct sim_dram *dram, const struct window_request *request,
                           size_t first)
{
    while (first < dram->segment_count && is_wanted(request, &dram->segment[first]))
        first++;
    return first;
}

static size_t memory_requested(const struct simulator *sim, const struct window_request *request,
                               struct memmap_run memory[SIM_PIECES_MAX])
{
    const struct sim_dram *dram = sim->system->dram;
    size_t count = 0;

    for (size_t i = 0; i < dram->map.count; i++)
        for (size_t k = 0, end; k < dram->segment_count; k = end + 1) {
            uint64_t from = k == 0 ? 0 : dram->segment[k - 1].end;
            struct memmap_run run;
            end = wanted_until(dram, request, k);
            if (end == k)
                continue;
            run = requested_of(&dram->map.run[i], request, from, dram->segment[end - 1].end);
            if (request->avoid != NULL) {
                count += split(&run, request, memory + count, SIM_PIECES_MAX - count);
                continue;
            }
            run = whole_blocks(run, request->page);
            if (run.bytes != 0)
                memory[count++] = run;
        }
    return count;
}

uint64_t sim_window_limit(void *self, const struct window_request *request)
{
    const struct simulator *sim = self;
    struct memmap_run memory[SIM_PIECES_MAX];
    uint64_t bytes = 0;
    size_t count;

    if (!(sim->description.page_sizes & 1u << request->page))
        return 0;
    count = memory_requested(sim, request, memory);
    for (size_t i = 0; i < count; i++)
        bytes += memory[i].bytes;
    if (request->avoid == NULL)
        bytes -= bytes < sim->config->memory.kept_bytes ? bytes : sim->config->memory.kept_bytes;
    bytes = bytes >> request->page << request->page;
    return bytes >> request->page < PAGES_MAX ? bytes : PAGES_MAX << request->page;
}

/* Aligned groups of pages whose frames are an aligned run share one entry, and so one key. */
static void make_keys(struct simulator *sim, uint64_t pages)
{
    struct sim_window *window = &sim->window;
    uint32_t group = sim->config->walk.coalesce;

    window->page_key = NULL;
    if (group <= 1)
        return;
    window->page_key = malloc(pages * sizeof *window->page_key);
    if (!window->page_key)
        abort();
    for (uint64_t page = 0; page < pages; page++)
        window->page_key[page] = (uint32_t)page;
    for (uint64_t first = 0; first + group <= pages; first += group) {
        uint32_t frame = window->frame[first], i = 1;
        while (i < group && window->frame[first + i] == frame + i)
            i++;
        for (uint32_t j = 0; i == group && frame % group == 0 && j < group; j++)
            window->page_key[first + j] = 1u << 31 | (uint32_t)(first / group);
    }
}

static uint64_t host_pages(const struct simulator *sim)
{
    return (sim->config->memory.bytes >> SIM_HOST_PAGE_LOG2) + 1;
}

/* The host memory behind the machine's memory is kept from window to window: clearing it each time
 * would take longer than many chases. */
static void *host_memory(struct simulator *sim)
{
    void *base;

    if (sim->host_memory)
        return sim->host_memory;
    base = mmap(NULL, sim->config->memory.bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return NULL;
    if (!sim_config_large(sim->config))
        madvise(base, sim->config->memory.bytes, MADV_HUGEPAGE);
    sim->host_memory = base;
    sim->host_stored = sim_reserve(host_pages(sim));
    /* Faults write where nobody has stored. */
    if (sim->config->fault_count != 0)
        memset(sim->host_stored, true, host_pages(sim));
    return base;
}

void sim_window_stop(struct simulator *sim)
{
    if (sim->host_memory)
        munmap(sim->host_memory, sim->config->memory.bytes);
    sim_reserve_free(sim->host_stored, host_pages(sim));
    sim->host_memory = NULL;
}

/* For every core. */
static void open_all(struct simulator *sim, enum sim_page page, const uint32_t *page_key,
                     uint32_t pages)
{
    for (uint32_t core = 0; core < sim_config_cores(sim->config); core++)
        sim_memory_open(&sim->cores[core], page, page_key, pages);
}

enum status sim_window_open(void *self, const struct window_request *request, struct window *out)
{
    struct simulator *sim = self;
    struct sim_window *window = &sim->window;
    uint64_t page_bytes = 1ull << request->page;
    uint64_t bytes = (request->bytes + page_bytes - 1) / page_bytes * page_bytes;
    uint64_t pages;
    const struct sim_map *map = &sim->system->dram->map;
    size_t count;
    void *base;

    if (request->avoid != NULL)
        bytes = sim_window_limit(self, request);
    if (bytes == 0 || bytes > sim_window_limit(self, request))
        return STATUS_NO_MEMORY;
    base = host_memory(sim);
    if (!base)
        return STATUS_NO_MEMORY;
    pages = bytes >> request->page;
    *window = (struct sim_window){.open = true,
                                  .base = (uintptr_t)base,
                                  .bytes = bytes,
                                  .page_log2 = request->page,
                                  .frame = malloc(pages * sizeof *window->frame)};
    if (!window->frame) {
        window->open = false;
        return STATUS_NO_MEMORY;
    }
    count = memory_requested(sim, request, window->memory);
    frames_start(&window->frames, window->memory, count, request->page, request->order,
                 request->seed);
    for (uint64_t page = 0; page < pages; page++)
        window->frame[page] =
            (uint32_t)(sim_map_offset(map, frames_of_page(&window->frames, page).value) >>
                       request->page);
    make_keys(sim, pages);
    sim_faults_open(sim);
    open_all(sim, sim_page_of(request->page), window->page_key, (uint32_t)pages);
    sim_path_open(sim);
    *out = (struct window){.base = window->base,
                           .bytes = bytes,
                           .table_bytes = pages * 8,
                           .page = request->page,
                           .map = request->map,
                           .order = request->order,
                           .handle = sim};
    return STATUS_OK;
}

void sim_window_close(void *self, struct window *window)
{
    struct simulator *sim = self;

    (void)window;
    free(sim->window.frame);
    free(sim->window.page_key);
    open_all(sim, SIM_PAGE_4K, NULL, 0);
    sim_path_open(sim);
    sim->window = (struct sim_window){.open = false};
}

phys_addr sim_window_phys(void *self, const struct window *window, uint64_t offset)
{
    const struct simulator *sim = self;
    unsigned page_log2 = sim->window.page_log2;
    uint64_t frame = sim->window.frame[offset >> page_log2];

    (void)window;
    return phys_make(sim_map_physical(&sim->system->dram->map,
                                      (frame << page_log2) | (offset & ((1ull << page_log2) - 1))));
}

static phys_addr same_node(void *context, phys_addr base, phys_addr end, uint32_t *node)
{
    const struct simulator *sim = context;

    *node = SIM_NODE_NEAR;
    for (size_t i = 0; i < sim->description.memory_count; i++) {
        const struct memory_range *range = &sim->memory[i];
        uint64_t range_end = range->base.value + range->bytes;
        if (base.value < range->base.value || base.value >= range_end)
            continue;
        *node = range->node;
        return range_end < end.value ? phys_make(range_end) : end;
    }
    return end;
}

void sim_window_span(void *self, const struct window *window, uint64_t bytes,
                     struct window_span *span)
{
    struct simulator *sim = self;

    frames_span(&sim->window.frames, (bytes + (1ull << window->page) - 1) >> window->page,
                same_node, sim, span);
}
