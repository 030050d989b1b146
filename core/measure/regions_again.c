/* SPDX-License-Identifier: BSD-2-Clause */
/* What looks different is measured again before anything is said of it: first its edges, piece by
 * piece, then a part of it and an equally large part of what does not differ, in turns. Parts are
 * equally large because a smaller one has fewer rows in a bank, and more hops find theirs open. */
#include "core/chase/listed.h"
#include "core/measure/regions_run.h"
#include "core/stats/stats.h"

#include "core/lib/real.h"

#define PIECE_BYTES  (1ull << 20)
#define PROFILE_HOPS 8192 /* about, of one list */
#define VISITS       128
#define LINES_PART   4
#define TRIM_PART    10 /* one in so many visits, at each end */
/* The variance of a trimmed mean over that of what trimming leaves, times n: for a tenth at each
 * end of a normal distribution. */
#define TRIM_FACTOR  2.4
#define SMALL_MAX    32 /* blocks smaller than the others that are held against parts as small */
#define PLACE_BYTES  4096ull
#define AGAIN_SEED   0x616761696eull
#define PROFILE_SEED 0x65646765ull

/* ---- piece by piece */

struct profile {
    struct region_span span;
    uint32_t pieces, visits; /* visits of each piece by one list */
    uint64_t piece_bytes;
    double error_ns; /* of one piece */
};

static struct profile profile_of(const struct measure *m, struct region_span span)
{
    uint64_t most = span.bytes / PIECE_BYTES, lines;
    struct profile profile = {.span = span};

    profile.pieces = most < REGIONS_PIECES_MAX ? (uint32_t)most : REGIONS_PIECES_MAX;
    profile.piece_bytes = span.bytes / profile.pieces / PLACE_BYTES * PLACE_BYTES;
    lines = profile.piece_bytes / m->machine->description->line_bytes / LINES_PART;
    profile.visits = PROFILE_HOPS / (profile.pieces * m->regions.hops);
    if (profile.visits * m->regions.hops > lines)
        profile.visits = (uint32_t)(lines / m->regions.hops);
    if (profile.visits == 0)
        profile.visits = 1;
    return profile;
}

static void draw_visits(struct regions_run *run, uint32_t count, struct random *random)
{
    for (uint32_t i = count; i > 1; i--) {
        uint32_t k = (uint32_t)random_below(random, i);
        uint16_t kept = run->piece_of[i - 1];
        run->piece_of[i - 1] = run->piece_of[k];
        run->piece_of[k] = kept;
    }
}

/* The list: each sample's lines lie in one piece, pieces come in random order. Returns its lines.
 */
static uint32_t draw_list(struct measure *m, const struct profile *profile, struct random *random)
{
    struct regions_run *run = &m->regions;
    uint32_t line_bytes = m->machine->description->line_bytes, hops = run->hops;
    uint32_t of_piece = profile->visits * hops, count = profile->pieces * profile->visits;
    uint32_t taken[REGIONS_PIECES_MAX] = {0};

    for (uint32_t p = 0; p < profile->pieces; p++) {
        uint64_t first = (profile->span.offset + p * profile->piece_bytes) / line_bytes;
        uint64_t *drawn = &run->drawn[p * of_piece];
        listed_spread(drawn, of_piece, first, profile->piece_bytes / line_bytes, random);
        listed_shuffle(drawn, of_piece, random);
        for (uint32_t v = 0; v < profile->visits; v++)
            run->piece_of[p * profile->visits + v] = (uint16_t)p;
    }
    draw_visits(run, count, random);
    for (uint32_t s = 0; s < count; s++) {
        uint32_t p = run->piece_of[s];
        for (uint32_t h = 0; h < hops; h++)
            run->line[s * hops + h] = run->drawn[p * of_piece + taken[p]++];
    }
    return count * hops;
}

static enum status profile_list(struct measure *m, const struct window *w,
                                const struct profile *profile, struct random *random)
{
    struct regions_run *run = &m->regions;
    uint32_t lines = draw_list(m, profile, random), whole = run->samples;
    enum status status = regions_build_list(m, w, lines);

    run->samples = profile->pieces * profile->visits;
    if (status == STATUS_OK)
        status = regions_chase_list(m, w, lines, 0, run->line[0]);
    for (uint32_t s = 0; s < run->samples && status == STATUS_OK; s++) {
        uint32_t p = run->piece_of[s];
        if (run->visits[p] < REGIONS_VISITS_MAX)
            run->visit_ticks[p][run->visits[p]++] = m->samples.ticks[s];
    }
    run->samples = whole;
    return status == STATUS_OK ? regions_go_on(m) : status;
}

/* Mean of the visits without the extreme ones; *variance: of that mean. */
static double trimmed(uint64_t *ticks, uint32_t count, double *variance)
{
    uint32_t cut = count / TRIM_PART, kept = count - 2 * cut;
    double sum = 0, squares = 0, mean;

    stats_sort(ticks, count);
    for (uint32_t i = cut; i < count - cut; i++)
        sum += (double)ticks[i];
    mean = sum / kept;
    for (uint32_t i = cut; i < count - cut; i++)
        squares += ((double)ticks[i] - mean) * ((double)ticks[i] - mean);
    *variance = squares / kept * TRIM_FACTOR / count;
    return mean;
}

static enum status measure_profile(struct measure *m, const struct window *w,
                                   struct profile *profile, struct random *random)
{
    struct regions_run *run = &m->regions;
    double hop_ns = 1e9 / (double)m->machine->description->clock.hz / run->hops;
    double variances = 0;
    enum status status = STATUS_OK;

    for (uint32_t p = 0; p < profile->pieces; p++)
        run->visits[p] = 0;
    for (uint32_t v = 0; v < VISITS && status == STATUS_OK; v += profile->visits)
        status = profile_list(m, w, profile, random);
    for (uint32_t p = 0; p < profile->pieces && status == STATUS_OK; p++) {
        double variance;
        run->piece_ns[p] = trimmed(run->visit_ticks[p], run->visits[p], &variance) * hop_ns;
        variances += variance * hop_ns * hop_ns;
    }
    profile->error_ns = real_sqrt(variances / profile->pieces);
    return status;
}

/* Where in the span the part that differs lies, at first by large pieces. */
static enum status find_part(struct measure *m, const struct window *w, struct region_span span,
                             bool slower, struct region_span *part, bool *sure,
                             uint64_t *piece_bytes)
{
    struct random random = regions_random(m, PROFILE_SEED ^ span.offset);
    struct profile profile = profile_of(m, span);
    struct region_edges edges;
    enum status status;

    *sure = false;
    *part = span;
    if (profile.pieces < 2)
        return STATUS_OK;
    status = measure_profile(m, w, &profile, &random);
    if (status != STATUS_OK)
        return status;
    edges = regions_edges(m->regions.piece_ns, profile.pieces, profile.error_ns, slower);
    *sure = edges.sure;
    *piece_bytes = profile.piece_bytes;
    part->offset = span.offset + edges.first * profile.piece_bytes;
    part->bytes = (edges.end - edges.first) * profile.piece_bytes;
    /* Where pieces do not divide the span, its last one is longer. */
    if (edges.end == profile.pieces)
        part->bytes = span.offset + span.bytes - part->offset;
    return STATUS_OK;
}

/* ---- edges of a run */

struct edges {
    uint64_t first, end; /* in the window */
    bool sure;
    uint64_t piece_bytes;
};

/* The part's low or high edge, once more by smaller pieces, until they are PIECE_BYTES. */
static enum status refine(struct measure *m, const struct window *w, struct region_span around,
                          uint64_t piece_bytes, bool high, bool slower, struct edges *edges)
{
    enum status status = STATUS_OK;

    while (piece_bytes > PIECE_BYTES && status == STATUS_OK) {
        uint64_t edge = high ? edges->end : edges->first, low = around.offset;
        uint64_t top = around.offset + around.bytes;
        struct region_span part, span;
        bool sure;
        span.offset = edge - low > piece_bytes ? edge - piece_bytes : low;
        span.bytes = (top - edge > piece_bytes ? edge + piece_bytes : top) - span.offset;
        status = find_part(m, w, span, slower, &part, &sure, &piece_bytes);
        if (status != STATUS_OK || !sure)
            break;
        if (high)
            edges->end = part.offset + part.bytes;
        else
            edges->first = part.offset;
        edges->piece_bytes = piece_bytes;
    }
    return status;
}

static bool is_next(const struct regions_run *run, uint32_t a)
{
    const struct region_block *low = &run->block[a], *high = &run->block[a + 1];

    return a + 1 < run->count && low->first.value + low->bytes == high->first.value &&
           low->offset + low->bytes == high->offset && low->node == high->node &&
           region_is_measured(low) && region_is_measured(high);
}

static struct region_span span_of(const struct regions_run *run, uint32_t first, uint32_t end)
{
    const struct region_block *last = &run->block[end - 1];
    uint64_t offset = run->block[first].offset;

    return (struct region_span){offset, last->offset + last->bytes - offset};
}

/* One edge of a long run: by its outermost two blocks and the neighbour. */
static enum status find_edge(struct measure *m, const struct window *w, struct region_span span,
                             bool high, bool slower, struct edges *edges)
{
    struct region_span part;
    uint64_t piece_bytes;
    enum status status;
    bool sure;

    status = find_part(m, w, span, slower, &part, &sure, &piece_bytes);
    if (status != STATUS_OK || !sure)
        return status;
    edges->sure = true;
    edges->piece_bytes = piece_bytes;
    if (high)
        edges->end = part.offset + part.bytes;
    else
        edges->first = part.offset;
    return refine(m, w, span, piece_bytes, high, slower, edges);
}

static enum status find_edges(struct measure *m, const struct window *w,
                              const struct region_run *found, bool slower, struct edges *edges)
{
    const struct regions_run *run = &m->regions;
    uint32_t below = found->first > 0 && is_next(run, found->first - 1);
    uint32_t above = is_next(run, found->end - 1);
    struct region_span span = span_of(run, found->first, found->end), part;
    uint64_t piece_bytes;
    enum status status;

    *edges = (struct edges){.first = span.offset, .end = span.offset + span.bytes};
    if (found->end - found->first <= 2) {
        span = span_of(run, found->first - below, found->end + above);
        status = find_part(m, w, span, slower, &part, &edges->sure, &piece_bytes);
        if (status != STATUS_OK || !edges->sure)
            return status;
        *edges = (struct edges){part.offset, part.offset + part.bytes, true, piece_bytes};
        status = refine(m, w, span, piece_bytes, false, slower, edges);
        return status == STATUS_OK ? refine(m, w, span, piece_bytes, true, slower, edges) : status;
    }
    status =
        find_edge(m, w, span_of(run, found->first - below, found->first + 2), false, slower, edges);
    if (status == STATUS_OK)
        status =
            find_edge(m, w, span_of(run, found->end - 2, found->end + above), true, slower, edges);
    return status;
}

/* ---- in turns */

/* The nearest full block on that side that does not differ and shares nothing with the range. */
static const struct region_block *beside(const struct regions_run *run, uint32_t from, bool above,
                                         const struct edges *edges)
{
    uint32_t node = run->block[from].node;

    for (uint32_t i = from; above ? i < run->count : i-- > 0; i += above) {
        const struct region_block *block = &run->block[i];
        bool apart = block->offset + block->bytes <= edges->first || block->offset >= edges->end;
        if (block->state == REGION_COMPARED && !block->differs && block->node == node && apart)
            return block;
    }
    return NULL;
}

/* A part of that many bytes somewhere in a span. */
static struct region_span place(struct region_span in, uint64_t bytes, struct random *random)
{
    uint64_t places = (in.bytes - bytes) / PLACE_BYTES + 1;

    return (struct region_span){in.offset + random_below(random, places) * PLACE_BYTES, bytes};
}

/* Both are built before either is chased. */
static enum status measure_both(struct measure *m, const struct window *w,
                                const struct region_span span[2], struct random *random,
                                double ns[2])
{
    struct regions_run *run = &m->regions;
    uint32_t whole = run->samples, lines = regions_lines(m, span[0].bytes, &run->samples);
    struct random source[2];
    struct region_figures figures;
    enum status status = STATUS_OK;
    uint64_t start[2];

    for (unsigned i = 0; i < 2 && status == STATUS_OK; i++) {
        random_start(&source[i], random_next(random));
        status = regions_build(m, w, span[i], lines, source[i], &start[i]);
    }
    for (unsigned i = 0; i < 2 && status == STATUS_OK; i++) {
        status = regions_chase(m, w, span[i], lines, source[i], start[i]);
        if (status != STATUS_OK)
            break;
        regions_figures(m, &figures);
        ns[i] = figures.ns;
    }
    run->samples = whole;
    return status == STATUS_OK ? regions_go_on(m) : status;
}

static uint64_t part_bytes(const struct regions_run *run, const struct edges *edges)
{
    uint64_t bytes = edges->end - edges->first;

    return bytes < run->block_bytes ? bytes : run->block_bytes;
}

/* *compared false: there is nothing to hold it against. */
static enum status compare(struct measure *m, const struct window *w,
                           const struct region_run *found, const struct edges *edges,
                           bool *compared, struct region_told *told)
{
    struct regions_run *run = &m->regions;
    struct random random = regions_random(m, AGAIN_SEED ^ edges->first);
    struct region_span range = {edges->first, edges->end - edges->first};
    const struct region_block *side[2] = {beside(run, found->first, false, edges),
                                          beside(run, found->first, true, edges)};
    double difference[REGIONS_ROUNDS], base = 0;
    enum status status = STATUS_OK;
    uint32_t samples;

    *compared = (side[0] != NULL || side[1] != NULL) &&
                regions_lines(m, part_bytes(run, edges), &samples) != 0;
    for (uint32_t i = 0; i < REGIONS_ROUNDS && status == STATUS_OK && *compared; i++) {
        const struct region_block *other = side[i % 2] != NULL ? side[i % 2] : side[1 - i % 2];
        struct region_span span[2] = {place(range, part_bytes(run, edges), &random),
                                      place((struct region_span){other->offset, other->bytes},
                                            part_bytes(run, edges), &random)};
        double ns[2];
        status = measure_both(m, w, span, &random, ns);
        if (status != STATUS_OK)
            break;
        difference[i] = ns[0] - ns[1];
        base += ns[1] / REGIONS_ROUNDS;
    }
    if (status != STATUS_OK || !*compared)
        return status;
    told->base_ns = base;
    told->difference = regions_compare(difference, base);
    return STATUS_OK;
}

static enum status compare_shortly(struct measure *m, const struct window *w,
                                   const struct region_run *found, const struct edges *edges,
                                   bool *compared, struct region_told *told)
{
    struct regions_chain whole = regions_shorten(&m->regions);
    enum status status = compare(m, w, found, edges, compared, told);

    regions_lengthen(&m->regions, &whole);
    return status;
}

/* ---- what is told */

static void tell(struct regions_run *run, const struct region_run *found, const struct edges *edges,
                 struct region_told *told)
{
    const struct region_block *first = &run->block[found->first];
    uint64_t from = first->first.value + edges->first - first->offset;

    told->first = from;
    told->bytes = edges->end - edges->first;
    told->node = first->node;
    told->edges = edges->sure;
    told->piece_bytes = edges->piece_bytes;
    run->told[run->told_count++] = *told;
    for (uint32_t i = 0; i < run->count; i++) {
        struct region_block *block = &run->block[i];
        if (block->first.value < from + told->bytes && block->first.value + block->bytes > from)
            block->told = true;
    }
}

static enum status again(struct measure *m, const struct window *w, const struct region_run *found,
                         bool slower)
{
    struct region_told told = {.first = 0};
    bool compared = false;
    struct edges edges;
    enum status status = find_edges(m, w, found, slower, &edges);

    if (status == STATUS_OK)
        status = compare_shortly(m, w, found, &edges, &compared, &told);
    if (status == STATUS_OK && compared && told.difference.sure &&
        m->regions.told_count < REGIONS_RUNS_MAX)
        tell(&m->regions, found, &edges, &told);
    return status;
}

static bool is_slower(const struct regions_run *run, const struct region_run *found, double base)
{
    double sum = 0;

    for (uint32_t i = found->first; i < found->end; i++)
        sum += run->block[i].ns - base;
    return sum > 0;
}

/* Blocks smaller than the others are held against parts of those that are as small. */
static enum status again_small(struct measure *m, const struct window *w, uint32_t number)
{
    struct region_run found = {number, number + 1};
    const struct region_block *block = &m->regions.block[number];
    struct edges edges = {.first = block->offset, .end = block->offset + block->bytes};
    struct region_told told = {.first = 0};
    bool compared;
    enum status status = compare_shortly(m, w, &found, &edges, &compared, &told);

    if (status != STATUS_OK || !compared || !told.difference.sure)
        return status;
    return again(m, w, &found, told.difference.ns > 0);
}

/* What of a run is not known to read wrong takes its place, behind the others: it may be several
 * runs now. Returns how many runs there are. */
static uint32_t add_rest(struct regions_run *run, const struct region_run *found, uint32_t first,
                         uint32_t count)
{
    uint32_t end;

    run->runs_left--;
    for (uint32_t i = found->first; i < found->end; i = end + 1) {
        for (end = i; end < found->end && run->block[end].state != REGION_WRONG; end++)
            ;
        if (end == i)
            continue;
        run->runs_left++;
        if (count < REGIONS_RUNS_MAX)
            run->run[count++] = (struct region_run){i - first, end - first};
    }
    return count;
}

static enum status again_node(struct measure *m, const struct window *w, uint32_t first,
                              uint32_t count, struct regions_base *base)
{
    struct regions_run *run = &m->regions;
    uint32_t runs, kept, small = 0;
    enum status status = STATUS_OK;

    regions_find(&run->block[first], count, &run->room, base);
    runs = regions_runs(&run->block[first], count, base->ns, run->run, REGIONS_RUNS_MAX);
    kept = runs < REGIONS_RUNS_MAX ? runs : REGIONS_RUNS_MAX;
    run->runs_left += runs;
    for (uint32_t i = 0; i < kept && status == STATUS_OK; i++) {
        struct region_run found = {run->run[i].first + first, run->run[i].end + first};
        uint32_t wrong = run->wrong;
        status = again(m, w, &found, is_slower(run, &found, base->ns));
        if (!regions_blame(m, &status, REGIONS_ANY))
            run->runs_left -= status == STATUS_OK;
        else if (run->wrong != wrong)
            kept = add_rest(run, &found, first, kept);
    }
    for (uint32_t i = first; i < first + count && status == STATUS_OK && small < SMALL_MAX; i++) {
        if (run->block[i].state != REGION_SMALL || run->block[i].bytes < PIECE_BYTES)
            continue;
        small++;
        status = again_small(m, w, i);
        (void)regions_blame(m, &status, REGIONS_ANY);
    }
    return status;
}

/* Blocks of one node that follow each other in the list; a node may come up more than once. */
enum status regions_again(struct measure *m, const struct window *w)
{
    struct regions_run *run = &m->regions;
    enum status status = STATUS_OK;
    uint32_t end;

    for (uint32_t i = 0; i < run->count && status == STATUS_OK; i = end) {
        end = i + 1;
        while (end < run->count && run->block[end].node == run->block[i].node)
            end++;
        if (run->node_count == REGIONS_NODES_MAX)
            break;
        status = again_node(m, w, i, end - i, &run->base[run->node_count++]);
    }
    return status;
}
