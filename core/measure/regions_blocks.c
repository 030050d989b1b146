/* SPDX-License-Identifier: BSD-2-Clause */
/* All blocks are built before the first is chased, and chased in the order in which they were
 * built: between building a block and chasing it lies as much as there is. */
#include "core/measure/regions_run.h"
#include "core/measure/time.h"
#include "core/plan/sets.h"

#define LINES_MIN 8192 /* some 0.3 % of a hop that scatters by a quarter, and refreshes evenly */
#define WARM_HOPS 256  /* the block's pages come into the TLB */
/* Hops of a sample: what reading the clock costs is a hundredth of them, and the clock's step too.
 */
#define HOPS_MIN       16
#define STEPS_MIN      64
#define ERROR_TARGET   0.003
#define LINES_PART     4 /* of a block's lines, so that they stay sparse */
#define SAMPLES_MIN    32
#define COLD_FACTOR    4.0 /* of the largest cache */
#define REFERENCE_S    1.0
#define BATCH_NS       2.5e8 /* between two looks at keys and the budget */
#define BATCH_GROWS    4     /* from batch to batch: the first lines may be cheaper */
#define BUDGET_SHARE   0.75  /* the rest is for what is measured again */
#define REFERENCE_SEED 0x5265666572656e63ull

/* ---- cutting */

/* The memory range that holds an address; NULL: none does. */
static const struct memory_range *range_of(const struct machine_description *d, uint64_t at)
{
    for (size_t i = 0; i < d->memory_count; i++)
        if (d->memory[i].base.value <= at && at - d->memory[i].base.value < d->memory[i].bytes)
            return &d->memory[i];
    return NULL;
}

static void add_block(struct measure *m, uint64_t first, uint64_t offset, uint64_t bytes,
                      uint32_t node)
{
    struct regions_run *run = &m->regions;

    if (run->count == REGIONS_BLOCKS_MAX)
        return;
    run->block[run->count++] = (struct region_block){
        .first = phys_make(first), .offset = offset, .bytes = bytes, .node = node};
}

/* Cuts memory in one piece, [first, first + bytes), at the borders of nodes. */
static void cut_piece(struct measure *m, uint64_t first, uint64_t offset, uint64_t bytes)
{
    uint64_t page = m->regions.page_bytes;

    while (bytes > 0) {
        const struct memory_range *range = range_of(m->machine->description, first);
        uint64_t left = bytes, now = m->regions.block_bytes;
        if (range != NULL && range->base.value + range->bytes - first < left)
            left = range->base.value + range->bytes - first;
        now = now < left ? now : left;
        /* A page that lies across a border belongs to where it begins. */
        now = (now + page - 1) / page * page;
        now = now < bytes ? now : bytes;
        add_block(m, first, offset, now, range != NULL ? range->node : NODE_UNKNOWN);
        first += now;
        offset += now;
        bytes -= now;
    }
}

void regions_cut(struct measure *m, const struct window *w, uint64_t bytes)
{
    const struct machine *machine = m->machine;
    uint64_t page = m->regions.page_bytes, begun = 0, first = 0, end = 0;

    m->regions.count = 0;
    for (uint64_t offset = 0; offset < bytes; offset += page) {
        uint64_t at = machine->window_phys(machine->self, w, offset).value;
        if (offset == 0 || at != end) {
            if (offset != 0)
                cut_piece(m, first, begun, offset - begun);
            begun = offset;
            first = at;
        }
        end = at + page;
    }
    cut_piece(m, first, begun, bytes - begun);
}

uint64_t regions_moved_pages(const struct measure *m, const struct window *w)
{
    const struct machine *machine = m->machine;
    uint64_t page = m->regions.page_bytes, moved = 0;

    for (uint32_t i = 0; i < m->regions.count; i++) {
        const struct region_block *block = &m->regions.block[i];
        for (uint64_t at = 0; at < block->bytes; at += page)
            moved += machine->window_phys(machine->self, w, block->offset + at).value !=
                     block->first.value + at;
    }
    return moved;
}

/* ---- lines and hops */

static double cache_bytes(const struct measure *m)
{
    const struct machine_description *d = m->machine->description;
    uint64_t largest = plan_declared_bytes(m->plan);

    for (size_t i = 0; i < d->smbios_cache_count; i++)
        if (d->smbios_caches[i].enabled && d->smbios_caches[i].bytes > largest)
            largest = d->smbios_caches[i].bytes;
    if (m->plan->undeclared_bytes > largest)
        largest = m->plan->undeclared_bytes;
    return (double)largest;
}

uint32_t regions_lines(const struct measure *m, uint64_t bytes, uint32_t *samples)
{
    const struct regions_run *run = &m->regions;
    uint64_t most = bytes / m->machine->description->line_bytes / LINES_PART;

    *samples = 0;
    if (most < run->warm_hops + (uint64_t)SAMPLES_MIN * run->hops)
        return 0;
    if (most > run->lines)
        most = run->lines;
    *samples = (uint32_t)(most - run->warm_hops) / run->hops;
    return run->warm_hops + *samples * run->hops;
}

/* So many lines that samples come out even: a chain is chased once round. */
static void set_lines(struct measure *m, double lines)
{
    struct regions_run *run = &m->regions;

    run->warm_hops = WARM_HOPS;
    run->lines = lines < REGIONS_LINES_MAX ? (uint32_t)lines : REGIONS_LINES_MAX;
    run->lines = regions_lines(m, run->block_bytes, &run->samples);
}

static struct region_span span_of(const struct region_block *block)
{
    return (struct region_span){block->offset, block->bytes};
}

struct random regions_random(const struct measure *m, uint64_t number)
{
    struct random random;

    random_start(&random, m->options->seed ^ random_mix(number + 1));
    return random;
}

/* A chain of one block, built and chased at once. */
static enum status measure_at_once(struct measure *m, const struct window *w,
                                   const struct region_block *block, struct random random,
                                   struct region_figures *figures)
{
    uint64_t start;
    enum status status = regions_build(m, w, span_of(block), m->regions.lines, random, &start);

    if (status == STATUS_OK)
        status = regions_chase(m, w, span_of(block), m->regions.lines, random, start);
    if (status == STATUS_OK)
        regions_figures(m, figures);
    return status;
}

static void note_warm(struct measure *m)
{
    struct regions_run *run = &m->regions;
    uint64_t touched_bytes, largest_bytes;

    run->touched_bytes = (double)run->lines * run->count * m->machine->description->line_bytes;
    run->cache_bytes = cache_bytes(m);
    touched_bytes = (uint64_t)run->touched_bytes;
    largest_bytes = (uint64_t)run->cache_bytes;
    if (largest_bytes == 0)
        journal_note_format(m->journal, SEVERITY_INFO, "no cache is declared",
                            "between building a block and chasing it, %s are touched",
                            TEXT_SIZE(touched_bytes));
    else if (run->touched_bytes < COLD_FACTOR * run->cache_bytes)
        journal_note_format(
            m->journal, SEVERITY_WARNING, "blocks may be partly in a cache",
            "all chains together touch %s, less than four times the largest cache, %s; caches of "
            "the CPUs are flushed, memory-side ones cannot be",
            TEXT_SIZE(touched_bytes), TEXT_SIZE(largest_bytes));
}

/* The first full block whose memory is not known to read wrong, or else the first of any size: the
 * reference is one, and so are most. False: there is none. */
static bool choose_reference(struct regions_run *run)
{
    bool found = false;

    for (uint32_t i = 0; i < run->count; i++) {
        uint32_t number = (run->count / 2 + i) % run->count;
        if (run->block[number].state == REGION_WRONG)
            continue;
        if (!found)
            run->reference = number;
        found = true;
        if (run->block[number].bytes == run->block_bytes) {
            run->reference = number;
            break;
        }
    }
    return found;
}

/* As many lines as the error asks for, and as caches make necessary, in the time there is. */
static double lines_wanted(const struct measure *m, const struct region_figures *figures,
                           double block_s)
{
    const struct regions_run *run = &m->regions;
    double rel = figures->error_ns / figures->ns / ERROR_TARGET;
    double lines = rel > 1 ? run->lines * rel * rel : run->lines;
    double cold = COLD_FACTOR * cache_bytes(m) / m->machine->description->line_bytes / run->count;
    double left_s = budget_left_s(&m->plan->budget, time_now_ns(m->machine)) * BUDGET_SHARE;
    double most = left_s / run->count / (block_s / run->lines);

    lines = lines > cold ? lines : cold;
    lines = lines < most ? lines : most;
    return lines > LINES_MIN / 4 ? lines : LINES_MIN / 4;
}

static enum status choose(struct measure *m, const struct window *w)
{
    const struct clock_info *clock = &m->machine->description->clock;
    struct regions_run *run = &m->regions;
    struct region_figures figures;
    uint64_t begun_ns;
    enum status status;
    double hops;

    run->hops = HOPS_MIN;
    set_lines(m, LINES_MIN);
    status = measure_at_once(m, w, &run->block[run->reference], regions_random(m, REFERENCE_SEED),
                             &figures);
    if (status != STATUS_OK)
        return status;
    hops = STEPS_MIN * clock->resolution_ticks / (double)clock->hz * 1e9 / figures.median_ns;
    if (hops > HOPS_MIN)
        run->hops = (uint32_t)hops + 1;
    set_lines(m, LINES_MIN);
    begun_ns = time_now_ns(m->machine);
    status = measure_at_once(m, w, &run->block[run->reference],
                             regions_random(m, REFERENCE_SEED - 1), &figures);
    if (status != STATUS_OK)
        return status;
    set_lines(m, lines_wanted(m, &figures, time_since_s(m->machine, begun_ns)));
    note_warm(m);
    return STATUS_OK;
}

enum status regions_choose(struct measure *m, const struct window *w)
{
    struct regions_run *run = &m->regions;
    enum status status = STATUS_OK;

    while (status == STATUS_OK && choose_reference(run)) {
        status = choose(m, w);
        if (!regions_blame(m, &status, run->reference))
            return status;
        status = regions_go_on(m);
    }
    return status == STATUS_OK ? STATUS_UNSUPPORTED : status;
}

/* ---- all blocks */

/* Of the next block's chain; 0: none is built there. */
static uint32_t lines_at(const struct measure *m, uint32_t at)
{
    const struct region_block *block = &m->regions.block[m->regions.order[at]];
    uint32_t samples;

    return block->state == REGION_NOT_MEASURED ? regions_lines(m, block->bytes, &samples) : 0;
}

/* How many blocks from the next one on have chains as long as its, of at most so many lines in all,
 * but for that one. */
static uint32_t next_batch(const struct measure *m, uint64_t most_lines)
{
    uint32_t first = m->regions.built, count = 1, lines = lines_at(m, first);

    while (lines != 0 && first + count < m->regions.count && (count + 1ull) * lines <= most_lines &&
           lines_at(m, first + count) == lines)
        count++;
    return count;
}

static enum status build_batch(struct measure *m, const struct window *w, uint32_t count)
{
    struct regions_run *run = &m->regions;
    uint32_t lines = lines_at(m, run->built);

    m->part = "building block";
    m->part_number = run->order[run->built] + 1;
    if (lines == 0)
        return STATUS_OK;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = run->order[run->built + i];
        struct region_block *block = &run->block[number];
        uint64_t *line = &run->batch[(uint64_t)i * lines];
        regions_draw(m, line, span_of(block), lines, regions_random(m, number));
        block->start_line = line[0];
    }
    return regions_build_batch(m, w, count, lines);
}

/* What the next batch may have that does not take too long, by the pace of this one. */
static uint64_t batch_lines(uint64_t lines, uint64_t took_ns)
{
    double fit = BATCH_NS * (double)lines / ((double)took_ns + 1);
    uint64_t most = lines * BATCH_GROWS;

    most = most < REGIONS_BATCH_LINES ? most : REGIONS_BATCH_LINES;
    return fit < (double)most ? (uint64_t)fit : most;
}

/* Half of the time left at most, so that what is built is chased too: then run->built of them. */
static enum status build_all(struct measure *m, const struct window *w)
{
    uint64_t begun_ns = time_now_ns(m->machine), most_lines = 0;
    double share_s = budget_left_s(&m->plan->budget, begun_ns) / 2;
    struct regions_run *run = &m->regions;
    enum status status = STATUS_OK;

    run->built = 0;
    while (run->built < run->count && status == STATUS_OK) {
        uint64_t from_ns = time_now_ns(m->machine);
        uint32_t count = next_batch(m, most_lines), lines = lines_at(m, run->built);
        status = build_batch(m, w, count);
        if (lines != 0)
            most_lines = batch_lines((uint64_t)count * lines, time_now_ns(m->machine) - from_ns);
        run->built += count;
        if (status == STATUS_OK)
            status = regions_go_on(m);
        if (time_since_s(m->machine, begun_ns) > share_s)
            break;
    }
    return status;
}

static enum status read_reference(struct measure *m, const struct window *w, double at_s)
{
    struct regions_run *run = &m->regions;
    struct region_figures figures;
    struct random random = regions_random(m, REFERENCE_SEED + 1 + run->readings);
    enum status status;

    run->reference_lost = run->reference_lost || run->block[run->reference].state == REGION_WRONG;
    if (run->readings == REGIONS_READINGS_MAX || run->reference_lost)
        return STATUS_OK;
    status = measure_at_once(m, w, &run->block[run->reference], random, &figures);
    if (regions_blame(m, &status, run->reference))
        return STATUS_OK;
    if (status == STATUS_OK)
        run->reading[run->readings++] = (struct region_reading){at_s, figures.ns, figures.error_ns};
    return status;
}

static void keep_figures(struct region_block *block, const struct region_figures *figures)
{
    block->ns = figures->ns;
    block->error_ns = figures->error_ns;
    block->median_ns = figures->median_ns;
    block->p95_ns = figures->p95_ns;
    block->p99_ns = figures->p99_ns;
    block->max_ns = figures->max_ns;
}

/* Lines that were read meanwhile are in the caches, which a chain is not to find there. */
static enum status drop_block(struct measure *m, const struct window *w, uint32_t number)
{
    struct region_block *block = &m->regions.block[number];
    uint32_t samples, lines = regions_lines(m, block->bytes, &samples);

    if (block->state != REGION_NOT_MEASURED)
        return STATUS_OK;
    return regions_drop(m, w, span_of(block), lines, regions_random(m, number));
}

static enum status chase_block(struct measure *m, const struct window *w, uint32_t number,
                               double at_s)
{
    struct regions_run *run = &m->regions;
    struct region_block *block = &run->block[number];
    uint32_t whole = run->samples, lines = regions_lines(m, block->bytes, &run->samples);
    struct region_figures figures;
    enum status status = STATUS_OK;

    m->part = "block";
    m->part_number = number + 1;
    if (block->state == REGION_NOT_MEASURED)
        status = regions_chase(m, w, span_of(block), lines, regions_random(m, number),
                               block->start_line);
    if (regions_blame(m, &status, number))
        status = regions_stirred(m, w, number, drop_block);
    if (status == STATUS_OK && block->state == REGION_NOT_MEASURED) {
        regions_figures(m, &figures);
        keep_figures(block, &figures);
        block->state = block->bytes < run->block_bytes ? REGION_SMALL : REGION_COMPARED;
        block->at_s = at_s;
        run->measured++;
    }
    run->samples = whole;
    return status;
}

/* The reference is built anew for each reading: its own chain, the first of all, is over by then.
 */
static enum status chase_all(struct measure *m, const struct window *w)
{
    struct regions_run *run = &m->regions;
    uint64_t begun_ns = time_now_ns(m->machine);
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < run->built && status == STATUS_OK; i++) {
        double at_s = time_since_s(m->machine, begun_ns);
        status = chase_block(m, w, run->order[i], at_s);
        if (status == STATUS_OK &&
            (run->readings == 0 || at_s - run->reading[run->readings - 1].at_s >= REFERENCE_S))
            status = read_reference(m, w, at_s);
        if (status == STATUS_OK)
            status = regions_go_on(m);
    }
    if (status == STATUS_OK)
        status = read_reference(m, w, time_since_s(m->machine, begun_ns));
    return status;
}

static void correct_drift(struct regions_run *run)
{
    run->drifted = run->readings > 1 && regions_drifted(run->reading, run->readings);
    for (uint32_t i = 0; i < run->count && run->drifted; i++) {
        struct region_block *block = &run->block[i];
        double factor = regions_drift_at(run->reading, run->readings, block->at_s);
        block->ns /= factor;
        block->median_ns /= factor;
        block->p95_ns /= factor;
        block->p99_ns /= factor;
        block->max_ns /= factor;
    }
}

static void swap_order(struct regions_run *run, uint32_t a, uint32_t b)
{
    uint32_t kept = run->order[a];

    run->order[a] = run->order[b];
    run->order[b] = kept;
}

/* At random, but for the reference, which is the first. */
static void shuffle_order(struct regions_run *run)
{
    for (uint32_t i = 0; i < run->count; i++)
        run->order[i] = i;
    swap_order(run, 0, run->reference);
    for (uint32_t i = run->count; i > 2; i--)
        swap_order(run, i - 1, 1 + (uint32_t)random_below(&run->random, i - 1));
}

static void find_small(struct measure *m)
{
    uint32_t samples;

    for (uint32_t i = 0; i < m->regions.count; i++) {
        struct region_block *block = &m->regions.block[i];
        if (block->state == REGION_NOT_MEASURED && regions_lines(m, block->bytes, &samples) == 0)
            block->state = REGION_NO_CHAIN;
    }
}

enum status regions_blocks(struct measure *m, const struct window *w)
{
    enum status status;

    find_small(m);
    shuffle_order(&m->regions);
    status = build_all(m, w);
    if (status == STATUS_OK)
        status = chase_all(m, w);
    if (status == STATUS_OK && m->regions.built < m->regions.count)
        status = STATUS_LATE;
    correct_drift(&m->regions);
    return status;
}
