/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/truth_curve.h"

#include <math.h>
#include <stdlib.h>

#include "core/chain.h"
#include "core/stats.h"

#define SAMPLES_MAX       256
#define CALIBRATION_BYTES 4096
#define WARM_LAPS         2 /* of independent draws, after every line was loaded once */

/* A figure without and with noise. */
struct pair {
    double ns[2], rel_error[2];
};

struct measuring {
    struct simulator *sim;
    const struct sim_curve *curve;
    struct sim_noise *noise; /* NULL: none wanted */
    struct line_order order;
    struct chain chain;
    struct window window;
    uint64_t filled;  /* lines */
    struct pair draw; /* a hop that every first level serves, the draw's arithmetic in it */
};

/* Draws alone would leave a share e^-laps of the lines unseen, each of them a miss to come: enough
 * to raise a figure near a capacity by some per cent. */
static uint64_t warm_hops(struct measuring *m, uint64_t lines)
{
    const struct sim_config *config = m->sim->config;
    uint64_t cached = config->cache[config->cache_count - 1].bytes / config->cache[0].line_bytes;

    if (lines >= 2 * cached)
        return 2 * WARM_LAPS * cached;
    for (uint64_t line = 0; line < lines; line++)
        simulator_load(m->sim, 0, m->window.base + line * m->chain.stride_bytes);
    return WARM_LAPS * lines;
}

static void conclude(struct measuring *m, unsigned noisy, uint64_t *ticks, uint32_t samples,
                     struct pair *pair)
{
    static uint64_t scratch[SAMPLES_MAX];
    double tick_ns = 1e9 / m->sim->config->counter_hz;
    struct stats stats;

    for (uint32_t i = 0; noisy && i < samples; i++) {
        double ns = (double)ticks[i] * tick_ns;
        ns += sim_noise_of_sample(m->noise, 0, ns);
        ticks[i] = (uint64_t)(ns / tick_ns);
    }
    stats_of(ticks, scratch, samples, (double)m->sim->config->counter_step, &stats);
    pair->ns[noisy] = stats.median * tick_ns / (double)m->curve->hops;
    pair->rel_error[noisy] = stats.rel_error;
}

/* ns of a hop over so many bytes, the draw's arithmetic still in it. */
static void measure(struct measuring *m, uint64_t bytes, struct pair *pair)
{
    const struct machine *machine = &m->sim->machine;
    static uint64_t ticks[SAMPLES_MAX];
    uint64_t lines = bytes / m->chain.stride_bytes;
    struct chase_plan plan = {.kernel = KERNEL_IID,
                              .chains = 1,
                              .hops = m->curve->hops,
                              .samples = m->curve->samples,
                              .ticks = ticks,
                              .base = m->window.base,
                              .lines = lines,
                              .stride_bytes = m->chain.stride_bytes,
                              .limit_ns = UINT64_MAX / 2};
    struct chase_result result;
    struct fault_info fault;

    if (lines > m->filled)
        machine->work_run(m->sim, &m->window, 0, machine->draw_fill, &m->chain, m->filled, lines,
                          &fault);
    m->filled = lines > m->filled ? lines : m->filled;
    plan.start.at[0] = m->window.base;
    plan.warm_hops = warm_hops(m, lines);
    if (machine->chase_run(m->sim, &m->window, &plan, &result) != STATUS_OK)
        abort();
    conclude(m, 0, ticks, result.samples, pair);
    if (m->noise)
        conclude(m, 1, ticks, result.samples, pair);
}

static struct level_point point_of(const struct measuring *m, unsigned noisy, uint64_t bytes,
                                   enum page_size page, const struct pair *pair)
{
    double draw_ns = m->draw.ns[noisy] - m->sim->system.costs.cache_ns[0];
    double ns = pair->ns[noisy] - draw_ns;

    return (struct level_point){.bytes = (double)bytes,
                                .ns = ns,
                                .rel_error = pair->rel_error[noisy] * pair->ns[noisy] / ns,
                                .page = page};
}

static size_t measure_page(struct measuring *m, enum page_size page, struct level_point *points,
                           struct level_point *noisy)
{
    const struct machine *machine = &m->sim->machine;
    const struct sim_curve *curve = m->curve;
    struct window_request request = {.bytes = curve->largest_bytes,
                                     .page = page,
                                     .order =
                                         page == PAGE_4K ? FRAMES_SCATTERED : FRAMES_CONTIGUOUS,
                                     .node = NODE_ANY,
                                     .seed = m->sim->config->seed};
    size_t count = 0;

    if (machine->window_open(m->sim, &request, &m->window) != STATUS_OK)
        return 0;
    m->filled = 0;
    m->chain.order = &m->order;
    line_order_start(&m->order, ORDER_RANDOM, request.bytes / m->chain.stride_bytes, 64,
                     request.seed);
    measure(m, CALIBRATION_BYTES, &m->draw);
    for (unsigned i = 0; count < LEVELS_POINTS_MAX / 2; i++) {
        double exact = (double)curve->smallest_bytes * pow(2, (double)i / curve->per_octave);
        uint64_t bytes = (uint64_t)exact / m->chain.stride_bytes * m->chain.stride_bytes;
        struct pair pair;
        if (exact > (double)curve->largest_bytes)
            break;
        measure(m, bytes, &pair);
        points[count] = point_of(m, 0, bytes, page, &pair);
        if (noisy)
            noisy[count] = point_of(m, 1, bytes, page, &pair);
        count++;
    }
    machine->window_close(m->sim, &m->window);
    return count;
}

size_t sim_curve_measure(struct simulator *sim, const struct sim_curve *curve,
                         struct sim_noise *noise, struct level_point points[LEVELS_POINTS_MAX],
                         struct level_point noisy[LEVELS_POINTS_MAX])
{
    struct measuring *m = calloc(1, sizeof *m);
    enum page_size large = sim->config->page_sizes & 1u << PAGE_1G ? PAGE_1G : PAGE_2M;
    struct prefetch_report report;
    size_t count;

    if (!m)
        abort();
    m->sim = sim;
    m->curve = curve;
    m->noise = noisy ? noise : NULL;
    m->chain.stride_bytes = m->chain.line_bytes = sim->description.line_bytes;
    sim->machine.prefetch_set(sim, 0, true, &report);
    count = measure_page(m, PAGE_4K, points, noisy);
    count += measure_page(m, large, points + count, noisy ? noisy + count : NULL);
    free(m);
    return count;
}
