/* SPDX-License-Identifier: BSD-2-Clause */
/* Rates of reads by class. Lists hold lines of whole pieces of memory, each small enough that few
 * of its lines share a bank but not a row, in an order that goes round all banks: so channels are
 * what limits the rate, and neither open rows nor single banks. All lists are read in turns, that
 * what drifts does not fall on some of them. */
#include "core/measure/regions_run.h"
#include "core/names.h"
#include "core/options/experiments.h"
#include "core/stats/stats.h"

#define CLASS_LINES    (BANDWIDTH_PIECE / 2)
#define TRIES          64
#define ROUNDS_MIN     4
#define CACHED_ROUNDS  5
#define CACHED_PART    0.6 /* of memory's latency: a cache has served the reads */
#define BANDWIDTH_SEED 0x62616e647769ull

static uint64_t piece_bytes(const struct measure *m)
{
    return (uint64_t)BANDWIDTH_PIECE * m->machine->description->line_bytes;
}

/* ---- lists */

/* A piece of a block of those that are asked for. False: none was met. */
static bool draw_piece(struct measure *m, struct bandwidth_piece *piece)
{
    const struct regions_run *regions = &m->regions;
    struct bandwidth_run *run = &m->bandwidth;

    for (uint32_t i = 0; i < TRIES; i++) {
        const struct region_block *block =
            &regions->block[run->first_block +
                            random_below(&run->random, run->end_block - run->first_block)];
        uint64_t pieces = block->bytes / piece_bytes(m), at;
        if (pieces == 0 || block->node != run->node || (block->differs && !run->of_part))
            continue;
        at = random_below(&run->random, pieces) * piece_bytes(m);
        piece->offset = block->offset + at;
        piece->first = block->first.value + at;
        return true;
    }
    return false;
}

/* The bank of an address, as far as BANDWIDTH_BANKS tell. Where no functions are known it is drawn,
 * and the order is a random one. */
static unsigned bank_of(struct measure *m, uint64_t at)
{
    const struct address_mapping *mapping = &m->regions.mapping;
    unsigned bank = m->regions.mapped
                        ? address_class(&mapping->functions, address_moved(mapping, at))
                        : (unsigned)(random_next(&m->bandwidth.random) >> 56);

    return bank % BANDWIDTH_BANKS;
}

static void sort_by_bank(struct measure *m, const struct bandwidth_piece *piece)
{
    uint32_t line_bytes = m->machine->description->line_bytes;
    struct bandwidth_run *run = &m->bandwidth;
    uint16_t next[BANDWIDTH_BANKS] = {0};

    for (uint32_t i = 0; i < BANDWIDTH_PIECE; i++) {
        run->bank[i] = (uint8_t)bank_of(m, piece->first + (uint64_t)i * line_bytes);
        next[run->bank[i]]++;
    }
    run->first[0] = 0;
    for (uint32_t bank = 0; bank < BANDWIDTH_BANKS; bank++) {
        run->first[bank + 1] = (uint16_t)(run->first[bank] + next[bank]);
        next[bank] = run->first[bank];
    }
    for (uint32_t i = 0; i < BANDWIDTH_PIECE; i++)
        run->sorted[next[run->bank[i]]++] = (uint16_t)i;
}

static void shuffle_turns(struct bandwidth_run *run)
{
    for (uint32_t i = 0; i < BANDWIDTH_BANKS; i++)
        run->turn[i] = (uint8_t)i;
    for (uint32_t i = BANDWIDTH_BANKS; i > 1; i--) {
        uint32_t k = (uint32_t)random_below(&run->random, i);
        uint8_t kept = run->turn[i - 1];
        run->turn[i - 1] = run->turn[k];
        run->turn[k] = kept;
    }
}

/* Every bank in turn, in a random order, so that every function of the banks alternates as well;
 * each bank's lines upwards, so that most find their row open. */
static void order_piece(struct measure *m, struct bandwidth_piece *piece)
{
    struct bandwidth_run *run = &m->bandwidth;
    uint32_t count = 0;

    sort_by_bank(m, piece);
    shuffle_turns(run);
    for (uint32_t round = 0; count < BANDWIDTH_PIECE; round++)
        for (uint32_t i = 0; i < BANDWIDTH_BANKS; i++) {
            uint32_t at = run->first[run->turn[i]] + round;
            if (at < run->first[run->turn[i] + 1u])
                piece->order[count++] = run->sorted[at];
        }
}

/* Banks that the first piece has lines in. Returns how many pieces have all banks between them. */
static uint32_t find_reached(struct measure *m)
{
    struct bandwidth_run *run = &m->bandwidth;
    unsigned functions = m->regions.mapping.functions.count;
    uint32_t banks = functions < 8 ? 1u << functions : BANDWIDTH_BANKS, reached = 0;

    for (uint32_t bank = 0; bank < BANDWIDTH_BANKS; bank++)
        run->reached[bank] = false;
    for (uint32_t i = 0; i < BANDWIDTH_PIECE; i++)
        run->reached[run->bank[i] ^ run->piece[0].bank] = true;
    for (uint32_t bank = 0; bank < BANDWIDTH_BANKS; bank++)
        reached += run->reached[bank];
    return m->regions.mapped ? banks / reached : 1;
}

static bool is_other(const struct bandwidth_run *run, unsigned bank)
{
    for (uint32_t i = 0; i < run->pieces; i++)
        if (run->reached[run->piece[i].bank ^ bank])
            return false;
    return true;
}

/* Pieces that have lines of all banks, evenly: functions of high bits alone are the same all over a
 * piece, and would make others of theirs look as if they chose what they do not. Of a part, which
 * may be of one rank, a piece by itself. False: there are none. */
static bool draw_group(struct measure *m)
{
    struct bandwidth_run *run = &m->bandwidth;
    uint32_t needed = 1;

    run->pieces = 0;
    for (uint32_t i = 0; i < TRIES && run->pieces < needed; i++) {
        struct bandwidth_piece *piece = &run->piece[run->pieces];
        if (!draw_piece(m, piece))
            return false;
        piece->bank = bank_of(m, piece->first);
        if (run->pieces != 0 && !is_other(run, piece->bank))
            continue;
        order_piece(m, piece);
        if (run->pieces++ == 0 && !run->of_part)
            needed = find_reached(m);
        if (needed > BANDWIDTH_GROUP)
            return false;
    }
    return run->pieces == needed;
}

/* The lines of the group in turns: number below BANDWIDTH_PIECE * pieces. */
static uint64_t offset_of(const struct measure *m, uint32_t number, uint32_t *piece)
{
    const struct bandwidth_run *run = &m->bandwidth;

    *piece = number % run->pieces;
    return (uint64_t)run->piece[*piece].order[number / run->pieces] *
           m->machine->description->line_bytes;
}

/* `lines` lines of groups of pieces, BANDWIDTH_PIECE of each group. */
static bool fill_all(struct measure *m, const struct window *w, uint32_t lines)
{
    struct bandwidth_run *run = &m->bandwidth;

    for (uint32_t i = 0; i < lines; i++) {
        uint32_t piece;
        uint64_t offset;
        if (i % BANDWIDTH_PIECE == 0 && !draw_group(m))
            return false;
        offset = offset_of(m, i % BANDWIDTH_PIECE, &piece);
        run->line[i] = w->base + (uintptr_t)(run->piece[piece].offset + offset);
    }
    return true;
}

/* CLASS_LINES lines of parity 0 from line[0] on, and as many of parity 1 behind them. */
static bool fill_class(struct measure *m, const struct window *w, uint64_t mask)
{
    const struct address_functions function = {.count = 1, .mask = {mask}};
    struct bandwidth_run *run = &m->bandwidth;
    uint32_t count[2] = {0, 0};

    if (!draw_group(m))
        return false;
    for (uint32_t i = 0; i < BANDWIDTH_PIECE * run->pieces; i++) {
        uint32_t number;
        uint64_t offset = offset_of(m, i, &number);
        const struct bandwidth_piece *piece = &run->piece[number];
        unsigned parity =
            address_class(&function, address_moved(&m->regions.mapping, piece->first + offset));
        if (count[parity] < CLASS_LINES)
            run->line[parity * CLASS_LINES + count[parity]++] =
                w->base + (uintptr_t)(piece->offset + offset);
    }
    return count[0] == CLASS_LINES && count[1] == CLASS_LINES;
}

/* ---- reading */

static enum status read_lines(struct measure *m, const struct window *w, struct reads_plan plan)
{
    struct fault_info fault = {.kind = 0};
    enum status status = m->machine->reads_run(m->machine->self, w, &plan, &fault);

    status = measure_leave_section(m, status, &fault);
    return status == STATUS_OK ? regions_go_on(m) : status;
}

/* What a line took, from lists of so many lines. */
static struct figure line_ns(struct measure *m, const uint64_t *ticks, uint32_t count,
                             uint32_t lines)
{
    const struct clock_info *clock = &m->machine->description->clock;
    double to_ns = 1e9 / (double)clock->hz / lines;
    struct stats stats;

    for (uint32_t i = 0; i < count; i++)
        m->samples.sorted[i] = ticks[i];
    stats_of(m->samples.sorted, m->samples.scratch, count, clock->resolution_ticks, &stats);
    return figure_of(stats.median * to_ns, stats.rel_error);
}

static enum status read_class(struct measure *m, const struct window *w, uint32_t number)
{
    struct bandwidth_run *run = &m->bandwidth;
    uint32_t round = run->class_rounds[number];
    enum status status = STATUS_OK;

    if (run->none[number])
        return STATUS_OK;
    run->none[number] = !fill_class(m, w, run->bandwidth.class[number].mask);
    for (unsigned parity = 0; !run->none[number] && parity < 2 && status == STATUS_OK; parity++)
        status = read_lines(m, w,
                            (struct reads_plan){.line = &run->line[parity * CLASS_LINES],
                                                .lines = CLASS_LINES,
                                                .flush = true,
                                                .rounds = 1,
                                                .ticks = &run->ticks[number][parity][round]});
    run->class_rounds[number] += status == STATUS_OK;
    return status;
}

static void ask_for(struct measure *m, uint32_t first, uint32_t end, bool of_part)
{
    m->bandwidth.first_block = first;
    m->bandwidth.end_block = end;
    m->bandwidth.of_part = of_part;
}

/* Of an eighth of the node's memory. */
static enum status read_part(struct measure *m, const struct window *w, uint32_t part)
{
    struct bandwidth_run *run = &m->bandwidth;
    enum status status = STATUS_OK;

    if (run->no_part[part])
        return STATUS_OK;
    ask_for(m, bandwidth_part_begin(m->regions.count, part),
            bandwidth_part_begin(m->regions.count, part + 1), true);
    run->no_part[part] = !fill_all(m, w, BANDWIDTH_PIECE);
    if (!run->no_part[part])
        status = read_lines(m, w,
                            (struct reads_plan){.line = run->line,
                                                .lines = BANDWIDTH_PIECE,
                                                .flush = true,
                                                .rounds = 1,
                                                .ticks = &run->part_ticks[part][run->rounds]});
    ask_for(m, 0, m->regions.count, false);
    return status;
}

static enum status read_round(struct measure *m, const struct window *w)
{
    struct bandwidth_run *run = &m->bandwidth;
    struct reads_plan plan = {
        .line = run->line, .lines = BANDWIDTH_PIECE, .flush = true, .rounds = 1};
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i <= BANDWIDTH_ALL && status == STATUS_OK; i++) {
        plan.in_turn = i == BANDWIDTH_ALL;
        plan.ticks = plan.in_turn ? &run->in_turn_ticks[run->rounds]
                                  : &run->all_ticks[run->rounds * BANDWIDTH_ALL + i];
        status = fill_all(m, w, plan.lines) ? read_lines(m, w, plan) : STATUS_UNSUPPORTED;
    }
    for (uint32_t i = 0; i < run->bandwidth.count && status == STATUS_OK; i++)
        status = read_class(m, w, i);
    for (uint32_t i = 0; i < BANDWIDTH_PARTS && status == STATUS_OK; i++)
        status = read_part(m, w, i);
    run->rounds += status == STATUS_OK;
    return status;
}

/* Of hundreds of classes a few scatter so much by chance that eight rounds leave them unsure. */
static enum status read_unsure(struct measure *m, const struct window *w)
{
    struct bandwidth_run *run = &m->bandwidth;
    enum status status = STATUS_OK;

    for (uint32_t round = run->rounds; round < BANDWIDTH_ROUNDS_MAX; round++)
        for (uint32_t i = 0; i < run->bandwidth.count && status == STATUS_OK; i++)
            if (run->bandwidth.class[i].effect == BANDWIDTH_BETWEEN)
                status = read_class(m, w, i);
    return status;
}

/* ---- caches */

/* How many reads were under way at a time where a cache serves as many lines as these; unknown: it
 * was memory that did. By Little's law: latency by rate. */
static enum status read_cached(struct measure *m, const struct window *w, uint32_t lines,
                               struct figure *under_way)
{
    struct bandwidth_run *run = &m->bandwidth;
    uint64_t ticks[2][CACHED_ROUNDS];
    struct figure each[2];
    enum status status = STATUS_OK;

    *under_way = figure_unknown();
    if (!fill_all(m, w, lines))
        return STATUS_OK;
    for (unsigned in_turn = 0; in_turn < 2 && status == STATUS_OK; in_turn++) {
        status = read_lines(m, w,
                            (struct reads_plan){.line = run->line,
                                                .lines = lines,
                                                .in_turn = in_turn,
                                                .rounds = CACHED_ROUNDS,
                                                .ticks = ticks[in_turn]});
        each[in_turn] = line_ns(m, ticks[in_turn], CACHED_ROUNDS, lines);
    }
    if (status == STATUS_OK && each[1].value < CACHED_PART * run->bandwidth.in_turn_ns.value)
        *under_way = figure_ratio(each[1], each[0]);
    return status;
}

static enum status read_caches(struct measure *m, const struct window *w)
{
    struct bandwidth *bandwidth = &m->bandwidth.bandwidth;
    enum status status = STATUS_OK;

    for (uint32_t lines = BANDWIDTH_CACHED / 16; lines <= BANDWIDTH_CACHED && status == STATUS_OK;
         lines *= 4) {
        struct figure under_way;
        status = read_cached(m, w, lines, &under_way);
        if (figure_is_known(under_way) && !(bandwidth->cached.value >= under_way.value))
            bandwidth->cached = under_way;
    }
    return status;
}

/* ---- all of it */

static uint32_t node_of(const struct measure *m)
{
    uint32_t own = m->machine->description->cpus[0].node;

    for (uint32_t i = 0; i < m->regions.count; i++)
        if (m->regions.block[i].node == own)
            return own;
    return m->regions.block[m->regions.reference].node;
}

static void start(struct measure *m)
{
    struct bandwidth_run *run = &m->bandwidth;

    random_start(&run->random, m->options->seed ^ BANDWIDTH_SEED);
    run->rounds = 0;
    run->known = false;
    run->can_read = m->plan->probes && m->machine->description->loads & 1u << LOAD_FLUSH;
    run->node = node_of(m);
    run->bandwidth.count = 0;
    run->bandwidth.whole = true;
    run->bandwidth.prefetching = controls_prefetch_state(&m->controls) != PREFETCH_OFF;
    if (m->regions.mapped)
        bandwidth_classes(&m->regions.mapping.functions, &run->bandwidth);
    ask_for(m, 0, m->regions.count, false);
    for (uint32_t i = 0; i < BANDWIDTH_PARTS; i++)
        run->no_part[i] = m->regions.count < BANDWIDTH_PARTS;
    for (uint32_t i = 0; i < BANDWIDTH_CLASSES_MAX; i++) {
        run->none[i] = false;
        run->class_rounds[i] = 0;
    }
}

static void gather_parts(struct measure *m)
{
    double to_ns = 1e9 / (double)m->machine->description->clock.hz / BANDWIDTH_PIECE;
    struct bandwidth_part_lists lists[BANDWIDTH_PARTS];
    struct bandwidth_run *run = &m->bandwidth;

    for (uint32_t k = 0; k < BANDWIDTH_PARTS; k++) {
        lists[k].count = run->no_part[k] ? 0 : run->rounds;
        stats_sort(run->part_ticks[k], lists[k].count);
        for (uint32_t i = 0; i < lists[k].count; i++)
            lists[k].line_ns[i] = (double)run->part_ticks[k][i] * to_ns;
    }
    bandwidth_parts(lists, &run->bandwidth);
}

static void gather(struct measure *m)
{
    struct bandwidth_run *run = &m->bandwidth;
    struct bandwidth *bandwidth = &run->bandwidth;

    bandwidth->line_ns = line_ns(m, run->all_ticks, run->rounds * BANDWIDTH_ALL, BANDWIDTH_PIECE);
    bandwidth->in_turn_ns = line_ns(m, run->in_turn_ticks, run->rounds, BANDWIDTH_PIECE);
    gather_parts(m);
    for (uint32_t i = 0; i < bandwidth->count; i++)
        for (unsigned parity = 0; parity < 2; parity++)
            bandwidth->class[i].line_ns[parity] =
                run->none[i] ? figure_unknown()
                             : line_ns(m, run->ticks[i][parity], run->class_rounds[i], CLASS_LINES);
}

enum status regions_bandwidth(struct measure *m, const struct window *w, const struct point *point)
{
    struct bandwidth_run *run = &m->bandwidth;
    enum status status = STATUS_UNSUPPORTED;

    start(m);
    while (run->can_read && run->rounds < BANDWIDTH_ROUNDS) {
        status = read_round(m, w);
        if (status != STATUS_OK)
            break;
    }
    run->known = run->rounds >= ROUNDS_MIN && status != STATUS_FAULT;
    if (run->known) {
        gather(m);
        run->bandwidth.cached = figure_unknown();
        bandwidth_decide(&run->bandwidth);
        if (status == STATUS_OK)
            status = read_unsure(m, w);
        gather(m);
        if (status == STATUS_OK)
            status = read_caches(m, w);
        bandwidth_decide(&run->bandwidth);
    }
    bandwidth_emit(m, point, status);
    return status == STATUS_UNSUPPORTED ? STATUS_OK : status;
}
