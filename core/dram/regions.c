/* SPDX-License-Identifier: BSD-2-Clause */
/* The scatter of a block is taken from differences of neighbours, which half of memory being slower
 * does not widen as it does the scatter about the median. Latencies are sorted as femtoseconds. */
#include "core/dram/regions.h"

#include "core/lib/real.h"
#include "core/stats/apart.h"
#include "core/stats/stats.h"

#define REAL_HUGE    1e300
#define FS           1e6 /* of a nanosecond */
#define MAD_TO_SIGMA 1.4826
/* Of a mean over a stretch: some ten thousand stretches are looked at. */
#define STRETCH_SIGMAS 7.0
#define CLIP_SIGMAS    3.0
#define STRETCHES_MAX  16
/* With fewer blocks their own errors have to do, which know nothing of what differs from block to
 * block by nature. */
#define SCATTER_MIN 8
#define FEW_FACTOR  1.5
#define BASE_PARTS  4 /* the base holds at least one part of so many */

struct values {
    struct regions_room *room;
    uint32_t count;
    double sigma;
};

static double sorted_at(const struct values *v, uint32_t pos)
{
    return (double)v->room->sorted[pos] / FS;
}

static void sort_values(struct values *v)
{
    for (uint32_t i = 0; i < v->count; i++)
        v->room->sorted[i] = (uint64_t)(v->room->value[i] * FS);
    stats_sort(v->room->sorted, v->count);
}

/* The lower one of two in the middle: halfway between two groups is neither. */
static double middle(const uint64_t *sorted, uint32_t count)
{
    return (double)sorted[(count - 1) / 2] / FS;
}

static double scatter(struct values *v)
{
    uint64_t *sorted = v->room->sorted;

    for (uint32_t i = 0; i + 1 < v->count; i++)
        sorted[i] = (uint64_t)(real_abs(v->room->value[i + 1] - v->room->value[i]) * FS);
    stats_sort(sorted, v->count - 1);
    return MAD_TO_SIGMA * middle(sorted, v->count - 1) / real_sqrt(2);
}

static double own_error(const struct region_block *block, struct values *v)
{
    for (uint32_t i = 0; i < v->count; i++)
        v->room->sorted[i] = (uint64_t)(block[v->room->index[i]].error_ns * FS);
    stats_sort(v->room->sorted, v->count);
    return middle(v->room->sorted, v->count);
}

static void gather(struct region_block *block, uint32_t count, struct values *v)
{
    double own, seen;

    v->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (block[i].state != REGION_COMPARED)
            continue;
        block[i].differs = false;
        v->room->index[v->count] = i;
        v->room->value[v->count++] = block[i].ns;
    }
    if (v->count == 0)
        return;
    own = own_error(block, v);
    v->sigma = FEW_FACTOR * own;
    if (v->count < SCATTER_MIN)
        return;
    seen = scatter(v);
    v->sigma = seen > own ? seen : own;
}

static bool is_far(const struct values *v, double from, double to, double sigmas)
{
    double distance = real_abs(to - from);

    return distance > sigmas * v->sigma && distance >= APART_SHARE * from;
}

/* The median of values that do or do not differ, and lie below a limit; *count of them. */
static double median_where(struct values *v, const struct region_block *block, bool differs,
                           double below, uint32_t *count)
{
    uint64_t *sorted = v->room->sorted;

    *count = 0;
    for (uint32_t i = 0; i < v->count; i++)
        if (block[v->room->index[i]].differs == differs && v->room->value[i] < below)
            sorted[(*count)++] = (uint64_t)(v->room->value[i] * FS);
    stats_sort(sorted, *count);
    return *count > 0 ? middle(sorted, *count) : real_nan();
}

/* ---- two groups */

struct group {
    uint32_t first, count; /* of the sorted values */
    double median, sigma;
};

static struct group group_of(const struct values *v, uint32_t first, uint32_t count)
{
    struct group group = {.first = first, .count = count};
    const uint64_t *sorted = v->room->sorted + first;

    group.median = middle(sorted, count);
    /* Half of the distance between quartiles is the median deviation of what is symmetric. */
    group.sigma = MAD_TO_SIGMA * (double)(sorted[count * 3 / 4] - sorted[count / 4]) / 2 / FS;
    return group;
}

/* The split of the sorted values that leaves the least scatter within its two parts: the first of
 * the upper part. */
static uint32_t split_of(const struct values *v)
{
    double sum = 0, low = 0, best = -1;
    uint32_t at = 1;

    for (uint32_t i = 0; i < v->count; i++)
        sum += sorted_at(v, i);
    for (uint32_t i = 1; i < v->count; i++) {
        double apart, weight = (double)i * (double)(v->count - i);
        low += sorted_at(v, i - 1);
        apart = (sum - low) / (double)(v->count - i) - low / (double)i;
        if (weight * apart * apart <= best)
            continue;
        best = weight * apart * apart;
        at = i;
    }
    return at;
}

/* Two groups further apart than either scatters, wherever their blocks lie: every other block, too,
 * where neighbours differ by as much as anything does. Returns the border; 0: one group. */
static double border_of(struct values *v, const struct region_block *block)
{
    double own = own_error(block, v), widest;
    struct group low, high;
    uint32_t at;

    sort_values(v);
    at = split_of(v);
    low = group_of(v, 0, at);
    high = group_of(v, at, v->count - at);
    widest = low.sigma > high.sigma ? low.sigma : high.sigma;
    widest = widest > own ? widest : own;
    if (high.median - low.median <= APART_SIGMAS * widest ||
        high.median - low.median < APART_SHARE * low.median)
        return 0;
    v->sigma = widest < v->sigma ? widest : v->sigma;
    return (low.median + high.median) / 2;
}

/* ---- stretches */

struct stretch {
    uint32_t first, end;
    double far; /* its mean from that of the rest, in standard errors */
};

static double far_of(const struct values *v, uint32_t first, uint32_t end)
{
    const double *sum = v->room->sum;
    double inside = end - first, outside = v->count - inside;
    double in = sum[end] - sum[first], out = sum[v->count] - in;

    if (inside < 1 || outside < 1)
        return 0;
    return real_abs(in / inside - out / outside) / (v->sigma * real_sqrt(1 / inside + 1 / outside));
}

/* Sums of values, with none further than CLIP_SIGMAS from the base: one block makes no stretch. */
static void sum_up(struct values *v, const struct region_block *block, double base)
{
    double reach = CLIP_SIGMAS * v->sigma;

    v->room->sum[0] = 0;
    for (uint32_t i = 0; i < v->count; i++) {
        double off = block[v->room->index[i]].differs ? 0 : v->room->value[i] - base;
        off = off > reach ? reach : off < -reach ? -reach : off;
        v->room->sum[i + 1] = v->room->sum[i] + off;
    }
}

static void widen(const struct values *v, struct stretch *best)
{
    uint32_t length = best->end - best->first;
    uint32_t from = best->first > length ? best->first - length : 0;
    uint32_t to = v->count - best->end > length ? best->end + length : v->count;

    for (uint32_t first = from; first < best->end; first++) {
        double far = far_of(v, first, best->end);
        if (far > best->far)
            *best = (struct stretch){first, best->end, far};
    }
    for (uint32_t end = best->first + 1; end <= to; end++) {
        double far = far_of(v, best->first, end);
        if (far > best->far)
            *best = (struct stretch){best->first, end, far};
    }
}

/* Of lengths that are powers of two, overlapping by half; then its ends where they fit best. */
static struct stretch furthest(const struct values *v)
{
    struct stretch best = {.far = 0};

    for (uint32_t length = 2; length <= v->count / 2; length *= 2)
        for (uint32_t first = 0; first + length <= v->count; first += length / 2) {
            double far = far_of(v, first, first + length);
            if (far > best.far)
                best = (struct stretch){first, first + length, far};
        }
    if (best.end != 0)
        widen(v, &best);
    return best;
}

static void mark_stretches(struct values *v, struct region_block *block, double base)
{
    for (uint32_t turn = 0; turn < STRETCHES_MAX; turn++) {
        struct stretch s;
        double sum = 0;
        sum_up(v, block, base);
        s = furthest(v);
        for (uint32_t i = s.first; i < s.end; i++)
            sum += v->room->value[i] - base;
        if (s.far <= STRETCH_SIGMAS ||
            real_abs(sum) < APART_SHARE * base * (double)(s.end - s.first))
            return;
        for (uint32_t i = s.first; i < s.end; i++)
            block[v->room->index[i]].differs = true;
    }
}

/* ---- the base */

/* What differs by being faster is the base itself if there is enough of it: then the others are
 * slow. */
static void choose_base(struct values *v, struct region_block *block, struct regions_base *base)
{
    uint32_t rest, faster;
    double ns = median_where(v, block, false, REAL_HUGE, &rest), fast;

    if (rest == 0)
        ns = REAL_HUGE;
    fast = median_where(v, block, true, ns, &faster);
    base->ns = rest > 0 ? ns : real_nan();
    if (faster == 0 || faster * BASE_PARTS < v->count)
        return;
    base->ns = fast;
    for (uint32_t i = 0; i < v->count; i++) {
        struct region_block *b = &block[v->room->index[i]];
        b->differs = !(b->differs && v->room->value[i] < ns);
    }
}

void regions_find(struct region_block *block, uint32_t count, struct regions_room *room,
                  struct regions_base *base)
{
    struct values v = {.room = room};
    double border = 0, median;
    uint32_t rest;
    bool upper;

    *base = (struct regions_base){.ns = real_nan(), .sigma_ns = real_nan()};
    gather(block, count, &v);
    base->compared = v.count;
    if (v.count == 0)
        return;
    if (v.count >= SCATTER_MIN)
        border = border_of(&v, block);
    sort_values(&v);
    median = middle(room->sorted, v.count);
    upper = border != 0 && median > border;
    for (uint32_t i = 0; i < v.count; i++)
        block[room->index[i]].differs = border != 0 && (room->value[i] > border) != upper;
    median = median_where(&v, block, false, REAL_HUGE, &rest);
    for (uint32_t i = 0; i < v.count; i++)
        block[room->index[i]].differs =
            block[room->index[i]].differs || is_far(&v, median, room->value[i], APART_SIGMAS);
    if (v.count >= SCATTER_MIN)
        mark_stretches(&v, block, median);
    choose_base(&v, block, base);
    base->sigma_ns = v.sigma;
    for (uint32_t i = 0; i < v.count; i++)
        base->differing += block[room->index[i]].differs;
}

/* ---- runs */

static bool follows(const struct region_block *block, uint32_t i)
{
    const struct region_block *before = &block[i - 1];

    return before->first.value + before->bytes == block[i].first.value &&
           before->offset + before->bytes == block[i].offset && before->node == block[i].node;
}

static double distance_of(const struct region_block *block, const struct region_run *run,
                          double base_ns)
{
    double most = 0;

    for (uint32_t i = run->first; i < run->end; i++) {
        double distance = real_abs(block[i].ns - base_ns);
        most = distance > most ? distance : most;
    }
    return most;
}

/* Keeps the furthest ones, sorted. */
static void keep_run(const struct region_block *block, double base_ns, struct region_run run[],
                     uint32_t kept, struct region_run now)
{
    double far = distance_of(block, &now, base_ns);

    for (; kept > 0 && distance_of(block, &run[kept - 1], base_ns) < far; kept--)
        run[kept] = run[kept - 1];
    run[kept] = now;
}

uint32_t regions_runs(const struct region_block *block, uint32_t count, double base_ns,
                      struct region_run run[], uint32_t max)
{
    uint32_t runs = 0, end;

    for (uint32_t i = 0; i < count; i = end) {
        end = i + 1;
        if (!block[i].differs)
            continue;
        while (end < count && block[end].differs && follows(block, end))
            end++;
        if (runs < max)
            keep_run(block, base_ns, run, runs, (struct region_run){i, end});
        else if (distance_of(block, &run[max - 1], base_ns) <
                 distance_of(block, &(struct region_run){i, end}, base_ns))
            keep_run(block, base_ns, run, max - 1, (struct region_run){i, end});
        runs++;
    }
    return runs;
}

/* ---- drift */

#define DRIFT_SIGMAS 5.0

bool regions_drifted(const struct region_reading reading[], uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (real_abs(reading[i].ns - reading[0].ns) >
            DRIFT_SIGMAS * real_hypotenuse(reading[i].error_ns, reading[0].error_ns))
            return true;
    return false;
}

double regions_drift_at(const struct region_reading reading[], uint32_t count, double at_s)
{
    uint32_t next = 0;
    double share;

    while (next < count && reading[next].at_s <= at_s)
        next++;
    if (next == 0)
        return 1;
    if (next == count)
        return reading[count - 1].ns / reading[0].ns;
    share = (at_s - reading[next - 1].at_s) / (reading[next].at_s - reading[next - 1].at_s);
    return (reading[next - 1].ns + share * (reading[next].ns - reading[next - 1].ns)) /
           reading[0].ns;
}

/* ---- measured again */

/* Of Student's distribution with REGIONS_ROUNDS - 1 - 2 * TRIMMED degrees of freedom: 99 %
 * two-sided, rounded up. */
#define BOUND_ERRORS 3.2
#define SURE_ERRORS  6.0
/* Of x hops in a bank between two refreshes, the share (1 - exp(-x)) / x finds its row closed,
 * which a change of x by a part of itself changes by 0.3 of that part at most. Where samples are
 * long, as on small boards, some of the middle ones wait for a refresh too: up to 0.42 was seen in
 * all, on simulated boards. tRP of 21 ns: that of all banks of LPDDR4, as drivers of memory
 * controllers have it (JESD209-4 itself was not read: unverified); of one bank, and of DDR4 and
 * DDR5, it is shorter. */
#define CLOSED_NS (0.5 * 21)
#define TRIMMED   2 /* at each end: what disturbed a round is no difference */

/* Trimmed mean, and its error from the winsorized variance (Tukey, McLaughlin 1963). */
struct region_difference regions_compare(double difference[REGIONS_ROUNDS], double base_ns)
{
    const uint32_t kept = REGIONS_ROUNDS - 2 * TRIMMED;
    struct region_difference found = {.sure = false};
    double sum = 0, clipped = 0, squares = 0, error, bound;

    stats_sort_few(difference, REGIONS_ROUNDS);
    for (uint32_t i = 0; i < REGIONS_ROUNDS; i++) {
        uint32_t at = i < TRIMMED                     ? TRIMMED
                      : i >= REGIONS_ROUNDS - TRIMMED ? REGIONS_ROUNDS - TRIMMED - 1
                                                      : i;
        sum += at == i ? difference[i] : 0;
        clipped += difference[at] / REGIONS_ROUNDS;
    }
    for (uint32_t i = 0; i < REGIONS_ROUNDS; i++) {
        uint32_t at = i < TRIMMED                     ? TRIMMED
                      : i >= REGIONS_ROUNDS - TRIMMED ? REGIONS_ROUNDS - TRIMMED - 1
                                                      : i;
        squares += (difference[at] - clipped) * (difference[at] - clipped);
    }
    error = real_sqrt(squares / (double)(REGIONS_ROUNDS - 1)) /
            ((double)kept / REGIONS_ROUNDS * real_sqrt(REGIONS_ROUNDS));
    found.ns = sum / (double)kept;
    found.repeat = BOUND_ERRORS * error;
    bound = found.repeat + real_abs(found.ns) * CLOSED_NS / base_ns;
    found.low = found.ns - bound;
    found.high = found.ns + bound;
    found.sure =
        real_abs(found.ns) > SURE_ERRORS * error && real_abs(found.ns) >= APART_SHARE * base_ns;
    return found;
}

/* ---- edges */

#define EDGE_SIGMAS 5.0

struct region_edges regions_edges(const double piece_ns[], uint32_t count, double error_ns,
                                  bool slower)
{
    struct region_edges best = {.sure = false, .first = 0, .end = count};
    double total = 0, furthest_yet = EDGE_SIGMAS;

    for (uint32_t i = 0; i < count; i++)
        total += piece_ns[i];
    for (uint32_t first = 0; first < count; first++) {
        double in = 0;
        for (uint32_t end = first + 1; end <= count; end++) {
            double inside = end - first, outside = count - inside, apart, far;
            in += piece_ns[end - 1];
            if (outside < 1)
                continue;
            apart = in / inside - (total - in) / outside;
            far = real_abs(apart) / (error_ns * real_sqrt(1 / inside + 1 / outside));
            if (far <= furthest_yet || (apart > 0) != slower)
                continue;
            furthest_yet = far;
            best = (struct region_edges){true, first, end, apart};
        }
    }
    return best;
}
