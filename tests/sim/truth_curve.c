/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/truth_curve.h"

#include <math.h>
#include <stdlib.h>

#include "core/chain.h"
#include "core/stats.h"

#define SAMPLES_MAX       256
#define CALIBRATION_BYTES 4096
#define WARM_LAPS         3

struct measuring {
    struct simulator *sim;
    const struct sim_curve *curve;
    struct line_order order;
    struct chain chain;
    struct window window;
    uint64_t filled; /* lines */
    double draw_ns;
};

static double lines_warmed(const struct simulator *sim, uint64_t lines)
{
    const struct sim_config *config = sim->config;
    uint64_t cached = config->cache[config->cache_count - 1].bytes / config->cache[0].line_bytes;

    /* Far beyond the caches every hop misses from the start. */
    return lines < 4 * cached ? (double)(WARM_LAPS * lines) : (double)(4 * WARM_LAPS * cached);
}

/* ns of a hop over so many bytes, the draw's arithmetic still in it. */
static void measure(struct measuring *m, uint64_t bytes, double *ns, double *rel_error)
{
    const struct machine *machine = &m->sim->machine;
    static uint64_t ticks[SAMPLES_MAX], scratch[SAMPLES_MAX];
    uint64_t lines = bytes / m->chain.stride_bytes;
    struct chase_plan plan = {.kernel = KERNEL_IID,
                              .chains = 1,
                              .warm_hops = (uint64_t)lines_warmed(m->sim, lines),
                              .hops = m->curve->hops,
                              .samples = m->curve->samples,
                              .ticks = ticks,
                              .base = m->window.base,
                              .lines = lines,
                              .stride_bytes = m->chain.stride_bytes};
    struct chase_result result;
    struct fault_info fault;
    struct stats stats;

    if (lines > m->filled)
        machine->work_run(m->sim, &m->window, 0, machine->draw_fill, &m->chain, m->filled, lines,
                          &fault);
    m->filled = lines > m->filled ? lines : m->filled;
    plan.start.at[0] = m->window.base;
    plan.limit_ns = UINT64_MAX / 2;
    if (machine->chase_run(m->sim, &m->window, &plan, &result) != STATUS_OK)
        abort();
    stats_of(ticks, scratch, result.samples, (double)m->sim->config->counter_step, &stats);
    *ns = stats.median / m->sim->config->counter_hz * 1e9 / (double)plan.hops;
    *rel_error = stats.rel_error;
}

static size_t measure_page(struct measuring *m, enum page_size page, struct level_point *points,
                           size_t room)
{
    const struct machine *machine = &m->sim->machine;
    const struct sim_curve *curve = m->curve;
    struct window_request request = {.bytes = curve->largest_bytes,
                                     .page = page,
                                     .order =
                                         page == PAGE_4K ? FRAMES_SCATTERED : FRAMES_CONTIGUOUS,
                                     .node = NODE_ANY,
                                     .seed = m->sim->config->seed};
    double rel_error, ns;
    size_t count = 0;

    if (machine->window_open(m->sim, &request, &m->window) != STATUS_OK)
        return 0;
    m->filled = 0;
    m->chain.order = &m->order;
    line_order_start(&m->order, ORDER_RANDOM, request.bytes / m->chain.stride_bytes, 64,
                     request.seed);
    measure(m, CALIBRATION_BYTES, &ns, &rel_error);
    m->draw_ns = ns - m->sim->system.costs.cache_ns[0];
    for (unsigned i = 0; count < room; i++) {
        double exact = (double)curve->smallest_bytes * pow(2, (double)i / curve->per_octave);
        uint64_t bytes = (uint64_t)exact / 64 * 64;
        struct level_point *p = &points[count];
        if (exact > (double)curve->largest_bytes)
            break;
        measure(m, bytes, &ns, &rel_error);
        p->bytes = (double)bytes;
        p->ns = ns - m->draw_ns;
        p->rel_error = rel_error * ns / p->ns;
        p->page = page;
        count++;
    }
    machine->window_close(m->sim, &m->window);
    return count;
}

size_t sim_curve_measure(struct simulator *sim, const struct sim_curve *curve,
                         struct level_point points[LEVELS_POINTS_MAX])
{
    struct measuring *m = calloc(1, sizeof *m);
    struct prefetch_report report;
    size_t count;

    if (!m)
        abort();
    m->sim = sim;
    m->curve = curve;
    m->chain.stride_bytes = m->chain.line_bytes = sim->description.line_bytes;
    sim->machine.prefetch_set(sim, 0, true, &report);
    count = measure_page(m, PAGE_4K, points, LEVELS_POINTS_MAX / 2);
    count += measure_page(m, sim->config->page_sizes & 1u << PAGE_1G ? PAGE_1G : PAGE_2M,
                          points + count, LEVELS_POINTS_MAX / 2);
    free(m);
    return count;
}
