/* SPDX-License-Identifier: BSD-2-Clause */
/* A point's quiet sections: chasing, warming, emptying caches. */
#include "core/measure/run.h"

#define TOUCH_LINES  (1u << 20)
#define SETTLE_PARTS 16 /* of a lap: the least a stretch is */

double point_tick_ns(const struct engine *engine)
{
    return 1e9 / (double)engine->machine->description->clock.hz;
}

double point_wall_s(const struct engine *engine, uint64_t since_ns)
{
    return (double)(engine->machine->wall_ns(engine->machine->self) - since_ns) * 1e-9;
}

static void add_counter(uint64_t delta, uint64_t *sum, bool *known)
{
    if (delta == MACHINE_UNKNOWN)
        return;
    *sum += delta;
    *known = true;
}

enum status point_breathe(struct run *run)
{
    struct engine *engine = run->engine;
    const struct machine *machine = engine->machine;
    double past_s = point_wall_s(engine, engine->started_ns);
    struct progress now = {.experiment = experiment_table[run->point->experiment].name,
                           .left_s = estimate_left_s(engine)};

    for (uint32_t i = 0; i < engine->point_count; i++) {
        if (engine->point[i].experiment != run->point->experiment)
            continue;
        now.total++;
        now.done += engine->point[i].over;
    }
    now.done_share = past_s / (past_s + now.left_s + 1e-9);
    machine->progress(machine->self, &now);
    return schedule_go_on(engine);
}

/* Where a chain stands elsewhere than it must: its number, or the number of chains. */
static uint32_t strayed(const struct run *run, uintptr_t *expected)
{
    for (uint32_t k = 0; k < run->point->chains; k++) {
        *expected = chain_after(&run->chain, run->w, k, run->position);
        if (run->cursor.at[k] != *expected)
            return k;
    }
    return run->point->chains;
}

static void add_result(struct run *run, const struct chase_result *result, uint64_t warm_hops)
{
    run->cursor = result->end;
    run->position += result->hops_done;
    run->warm_hops_done += warm_hops;
    point_clock_add(run, result, run->samples);
    run->samples += result->samples;
    add_counter(result->delta.smi, &run->smi, &run->smi_known);
    add_counter(result->delta.machine_checks, &run->machine_checks, &run->machine_checks_known);
    if (run->point->load != LOAD_FLUSH)
        return;
    run->single_count++;
    run->single_ticks += (result->single_ticks - run->single_ticks) / run->single_count;
}

enum status point_enter(struct run *run, uint64_t warm_hops, uint32_t samples)
{
    struct engine *engine = run->engine;
    const struct point *point = run->point;
    struct chase_plan plan = {.kernel = point->kernel,
                              .chains = point->chains,
                              .load = point->load,
                              .hint = point->hint,
                              .work = point->work,
                              .line_bytes = run->chain.line_bytes,
                              .base = run->w->base,
                              .lines = run->chain.order->lines,
                              .stride_bytes = run->chain.stride_bytes,
                              .warm_hops = warm_hops,
                              .hops = run->hops,
                              .samples = samples,
                              .ticks = engine->ticks + run->samples,
                              .disturbed = engine->disturbed + run->samples,
                              .limit_ns = (uint64_t)(2 * POINT_SLICE_NS),
                              .start = run->cursor};
    struct chase_result result = {.samples = 0};
    enum status status = engine->machine->chase_run(engine->machine->self, run->w, &plan, &result);
    uintptr_t expected = 0;
    uint32_t astray;

    if (status == STATUS_FAULT)
        diagnose_chain(engine, point, run->w, &run->chain, &result.fault, 0, 0);
    if (status != STATUS_OK)
        return status;
    add_result(run, &result, warm_hops);
    if (point->kernel != KERNEL_CYCLE)
        return STATUS_OK;
    astray = strayed(run, &expected);
    if (astray == point->chains)
        return STATUS_OK;
    diagnose_chain(engine, point, run->w, &run->chain, NULL, expected, run->cursor.at[astray]);
    return STATUS_FAULT;
}

bool point_sample_is_long(const struct run *run)
{
    return (double)run->hops * run->hop_ns > 2 * POINT_SLICE_NS;
}

enum status point_enter_long(struct run *run, uint64_t warm_hops)
{
    struct engine *engine = run->engine;
    uint32_t slot = run->samples;
    uint64_t whole = run->hops, left = whole, sum = 0;
    uint64_t part = (uint64_t)(POINT_SLICE_NS / run->hop_ns) + 1;
    double hz = 0;
    bool disturbed = false;
    enum status status = STATUS_OK;

    while (left > 0 && status == STATUS_OK) {
        run->hops = left < part ? left : part;
        status = point_enter(run, warm_hops, 1);
        run->samples = slot;
        if (status != STATUS_OK)
            break;
        sum += engine->ticks[slot];
        disturbed = disturbed || engine->disturbed[slot];
        hz += point_clock_part(run) * (double)run->hops / (double)whole;
        left -= run->hops;
        if (left > 0)
            status = point_breathe(run);
    }
    run->hops = whole;
    if (status != STATUS_OK)
        return status;
    engine->ticks[slot] = sum;
    engine->disturbed[slot] = disturbed;
    engine->sample_hz[slot] = hz;
    run->samples = slot + 1;
    return STATUS_OK;
}

/* Untimed hops, as many quiet sections as they need. The last hops of each are timed all the same,
 * so that the hop's cost is known for planning. */
static enum status walk(struct run *run, uint64_t hops)
{
    while (hops > 0) {
        uint64_t slice = (uint64_t)(POINT_SLICE_NS / run->hop_ns);
        enum status status;
        uint32_t probe = run->samples;

        slice = slice < POINT_PILOT_HOPS ? POINT_PILOT_HOPS : slice;
        slice = slice < hops ? slice : hops;
        run->hops = slice > 4 * POINT_PILOT_HOPS ? POINT_PILOT_HOPS : (slice + 3) / 4;
        status = point_enter(run, slice - run->hops, 1);
        if (status != STATUS_OK)
            return status;
        point_learn_hop(run, run->engine->ticks[probe]);
        run->samples = probe;
        hops -= slice;
        status = point_breathe(run);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* Of a set that draws are made from as many lines as caches can hold, many at once: which of them
 * they hold is all the same to draws, which find so many only in many laps. */
static enum status touch_lines(struct run *run)
{
    struct engine *engine = run->engine;
    uint64_t left = estimate_touches(engine, run->point), touched;
    struct chase_plan plan = {.kernel = KERNEL_STREAM,
                              .chains = 1,
                              .line_bytes = run->chain.line_bytes,
                              .base = run->w->base,
                              .lines = run->chain.order->lines,
                              .stride_bytes = run->chain.stride_bytes,
                              .samples = 1,
                              .ticks = engine->ticks,
                              .disturbed = engine->disturbed,
                              .start = {.at = {run->w->base}}};
    enum status status = STATUS_OK;

    for (; left > 0 && status == STATUS_OK; left -= touched) {
        struct chase_result result = {.samples = 0};
        touched = left < TOUCH_LINES ? left : TOUCH_LINES;
        plan.hops = touched;
        status = engine->machine->chase_run(engine->machine->self, run->w, &plan, &result);
        plan.start = result.end;
        if (status == STATUS_OK)
            status = point_breathe(run);
    }
    return status;
}

/* In a smaller share of the set's hops a cache that holds much of it gains so few lines that it
 * does not show; in a shorter time a step of the core's frequency does not. */
static uint64_t settle_hops(const struct run *run, uint64_t warm_hops)
{
    uint64_t hops = chain_length(&run->chain) / SETTLE_PARTS;
    uint64_t least = (uint64_t)(POINT_SETTLE_LEAST_NS / run->hop_ns) + 1;

    hops = hops > least ? hops : least;
    return hops > warm_hops - warm_hops / 4 ? hops : warm_hops - warm_hops / 4;
}

/* Where a lap fits, it is walked in two legs with a checkpoint a little beyond its middle: no
 * single wrong pointer inside the set passes both (a jump ahead is ahead at one of the two, a jump
 * back misses one). */
enum status point_warm(struct run *run)
{
    const struct point *point = run->point;
    uint64_t length = chain_length(&run->chain);
    uint64_t first = length / 2 + 1, wanted;
    enum status status;
    bool settling;

    if (point->cold)
        return STATUS_OK;
    status = point_decide(run);
    if (status == STATUS_OK)
        status = touch_lines(run);
    if (status == STATUS_OK)
        status = walk(run, length < POINT_PILOT_HOPS ? length : POINT_PILOT_HOPS);
    if (status != STATUS_OK)
        return status;
    wanted = estimate_warm_hops(run->engine, point, run->hop_ns);
    run->lap = estimate_lap_fits(run->engine, point, run->hop_ns);
    if (run->lap && length > 1) {
        status = walk(run, first);
        if (status == STATUS_OK)
            status = walk(run, length - first);
        wanted = wanted > length ? wanted - length : 0;
    }
    /* A line that is dropped before it is timed finds the same caches every time. */
    settling = point->load != LOAD_FLUSH;
    if (status == STATUS_OK)
        status = walk(run, settling ? wanted / 4 : wanted);
    if (status == STATUS_OK && settling)
        status = point_settle(run, settle_hops(run, wanted));
    return status == STATUS_OK ? point_pilot(run) : status;
}

#define CACHEABLE_LAST_LEVELS 4
#define KEPT_LAST_LEVELS      32

/* What is not declared may be of any size. */
static bool is_up_to(const struct run *run, uint64_t last_levels)
{
    uint64_t last_level = estimate_last_level_bytes(run->engine);

    return plan_last_level_bytes(run->engine) == 0 ||
           run->point->bytes / run->point->chains <= last_levels * last_level;
}

bool point_is_cacheable(const struct run *run)
{
    return is_up_to(run, CACHEABLE_LAST_LEVELS);
}

bool point_is_kept(const struct run *run)
{
    uint64_t last_level = plan_last_level_bytes(run->engine);

    return run->point->kernel == KERNEL_CYCLE && run->settling &&
           run->point->role != ROLE_HEADLINE && is_up_to(run, KEPT_LAST_LEVELS) &&
           run->point->bytes > last_level;
}

/* What is to be dropped from the caches. */
struct cooling {
    const struct chain *chain;
    bool draws;
    void (*flush)(const void *address);
};

static void cool_lines(void *arg, const struct window *w, uint64_t first, uint64_t end)
{
    const struct cooling *cooling = arg;
    struct chain_link link[CHAIN_LINKS_RUN];
    struct chain_links links;
    uint32_t count;

    if (cooling->draws) {
        for (uint64_t line = first; line < end; line++)
            cooling->flush((const void *)(w->base + line * cooling->chain->stride_bytes));
        return;
    }
    chain_links_start(&links, cooling->chain, w, first, end);
    while ((count = chain_links_next(&links, link)) != 0)
        for (uint32_t i = 0; i < count; i++)
            cooling->flush((const void *)link[i].node);
}

/* From that node on. */
static enum status drop_lines(struct run *run, uint64_t first)
{
    const struct machine *machine = run->engine->machine;
    struct cooling cooling = {.chain = &run->chain,
                              .draws = run->point->kernel == KERNEL_IID,
                              .flush = machine->line_flush};
    uint64_t nodes = diagnose_nodes(run->point, &run->chain);
    struct fault_info fault = {.kind = 0};
    enum status status = point_work(run, cool_lines, &cooling, first, nodes, &fault);

    if (status == STATUS_FAULT)
        diagnose_chain(run->engine, run->point, run->w, &run->chain, &fault, 0, 0);
    return status;
}

bool point_leaves(const struct point *point)
{
    return (point->role == ROLE_PLAIN || point->role == ROLE_FIT || point->role == ROLE_REACH) &&
           !point->cold;
}

enum status point_leave(struct run *run)
{
    enum status status;

    if (!point_leaves(run->point))
        return STATUS_OK;
    status = drop_lines(run, 0);
    /* The point itself is over. */
    return status == STATUS_LATE ? STATUS_OK : status;
}

enum status point_cool(struct run *run)
{
    uint64_t nodes = diagnose_nodes(run->point, &run->chain), first = 0;
    uint64_t built = 2 * plan_last_level_bytes(run->engine) / run->chain.line_bytes;
    enum status status;

    /* Of a large set the caches hold at most what was built last. */
    if (!point_is_cacheable(run) && built < nodes)
        first = nodes - built;
    status = drop_lines(run, first);
    run->cooled_at = run->position;
    run->cooled = true;
    return status;
}
