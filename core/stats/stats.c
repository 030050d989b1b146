/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/stats/stats.h"

#include "core/lib/real.h"

static void sift_down(uint64_t *values, size_t root, size_t count)
{
    for (;;) {
        size_t child = 2 * root + 1;
        uint64_t moved = values[root];
        if (child >= count)
            return;
        if (child + 1 < count && values[child + 1] > values[child])
            child++;
        if (values[child] <= moved)
            return;
        values[root] = values[child];
        values[child] = moved;
        root = child;
    }
}

void stats_sort(uint64_t *values, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        sift_down(values, i, count);
    for (size_t end = count; end > 1; end--) {
        uint64_t largest = values[0];
        values[0] = values[end - 1];
        values[end - 1] = largest;
        sift_down(values, 0, end - 1);
    }
}

void stats_sort_few(double *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        double moved = values[i];
        size_t at = i;
        for (; at > 0 && values[at - 1] > moved; at--)
            values[at] = values[at - 1];
        values[at] = moved;
    }
}

static double median_sorted(const uint64_t *values, size_t count)
{
    size_t middle = count / 2;

    if (count % 2 != 0)
        return (double)values[middle];
    return 0.5 * ((double)values[middle - 1] + (double)values[middle]);
}

static double rank_sorted(const uint64_t *values, size_t count, size_t per_cent)
{
    size_t rank = (count * per_cent + 99) / 100;

    return (double)values[rank == 0 ? 0 : rank - 1];
}

void stats_of(uint64_t *values, uint64_t *scratch, size_t count, double quantum,
              struct stats *stats)
{
    double root, spread_error, quantum_error;

    *stats = (struct stats){.count = count, .rel_error = 1};
    if (count == 0)
        return;
    stats_sort(values, count);
    stats->min = (double)values[0];
    stats->median = median_sorted(values, count);
    stats->p95 = rank_sorted(values, count, 95);
    stats->p99 = rank_sorted(values, count, 99);
    for (size_t i = 0; i < count; i++) {
        /* Doubled, because the median may lie halfway between two integers. */
        double distance = 2 * ((double)values[i] - stats->median);
        scratch[i] = (uint64_t)(distance < 0 ? -distance : distance);
    }
    stats_sort(scratch, count);
    stats->mad = median_sorted(scratch, count) / 2;
    if (count < 3 || stats->median <= 0)
        return;
    root = real_sqrt((double)count);
    spread_error = 1.2533 * 1.4826 * stats->mad / (stats->median * root);
    quantum_error = quantum / (3.4641 * root * stats->median);
    stats->rel_error = spread_error > quantum_error ? spread_error : quantum_error;
}

#define OUTLIER_SIGMAS  6
#define OUTLIER_MIN     0.005 /* of the median: for samples that are nearly all equal */
#define CORRELATION_MAX 0.9

/* Sums over the samples without outliers, relative to the median for precision. */
struct clean {
    size_t count, pairs;
    double sum, squares, products; /* products: of neighbours in time */
};

static void add_clean(struct clean *clean, double distance, double before, bool neighbours)
{
    clean->count++;
    clean->sum += distance;
    clean->squares += distance * distance;
    if (!neighbours)
        return;
    clean->pairs++;
    clean->products += distance * before;
}

/* Factor by which autocorrelation increases the standard error of the mean. */
static double resemblance(const struct clean *clean, double mean, double variance)
{
    double correlation;

    if (clean->pairs < 8 || variance <= 0)
        return 1;
    correlation = (clean->products / (double)clean->pairs - mean * mean) / variance;
    if (correlation <= 0)
        return 1;
    if (correlation > CORRELATION_MAX)
        correlation = CORRELATION_MAX;
    return real_sqrt((1 + correlation) / (1 - correlation));
}

static double outlier_distance(const struct stats *stats, double quantum)
{
    double limit = OUTLIER_SIGMAS * 1.4826 * stats->mad, min = OUTLIER_MIN * stats->median;

    limit = limit > min ? limit : min;
    return limit > 2 * quantum ? limit : 2 * quantum;
}

static bool is_clean(double distance, bool disturbed, double limit)
{
    return !disturbed && distance <= limit && distance >= -limit;
}

void stats_mean(const uint64_t *values, const bool *disturbed, size_t count, double quantum,
                struct stats *stats)
{
    double limit = outlier_distance(stats, quantum), before = 0, mean, variance, error, min;
    struct clean clean = {.count = 0};
    bool neighbours = false;

    for (size_t i = 0; i < count; i++) {
        double distance = (double)values[i] - stats->median;
        if (!is_clean(distance, disturbed && disturbed[i], limit)) {
            neighbours = false;
            continue;
        }
        add_clean(&clean, distance, before, neighbours);
        before = distance;
        neighbours = true;
    }
    stats->outliers = count - clean.count;
    stats->mean = stats->median;
    stats->mean_rel_error = 1;
    if (clean.count < 3)
        return;
    mean = clean.sum / (double)clean.count;
    variance = clean.squares / (double)clean.count - mean * mean;
    variance = variance > 0 ? variance : 0;
    error = real_sqrt(variance / (double)(clean.count - 1)) * resemblance(&clean, mean, variance);
    min = quantum / (3.4641 * real_sqrt((double)clean.count));
    stats->mean += mean;
    if (stats->mean > 0)
        stats->mean_rel_error = (error > min ? error : min) / stats->mean;
}

struct middle {
    double sum, squares, low, high;
    size_t count;
};

/* Of so many equal values those numbered [first, end). They are spread evenly over a step of the
 * clock, all times within which read alike: as they are, the middle of a few steps moves by more or
 * by less than what is measured. */
static void add_equals(struct middle *middle, double value, double quantum, size_t equals,
                       size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        double spread = value + quantum * (((double)i + 0.5) / (double)equals - 0.5);
        middle->low = middle->count == 0 ? spread : middle->low;
        middle->high = spread;
        middle->sum += spread;
        middle->squares += spread * spread;
        middle->count++;
    }
}

double stats_middle(const uint64_t *sorted, size_t count, double quantum, double *error)
{
    size_t cut = count / 4, from = cut;
    struct middle middle = {.count = 0};
    double kept = (double)(count - 2 * cut), ends = (double)cut, sum, squares, mean, variance, min;

    while (from > 0 && sorted[from - 1] == sorted[cut])
        from--;
    for (size_t end = from; from < count - cut; from = end) {
        while (end < count && sorted[end] == sorted[from])
            end++;
        add_equals(&middle, (double)sorted[from] - (double)sorted[cut], quantum, end - from,
                   from < cut ? cut - from : 0, (end < count - cut ? end : count - cut) - from);
    }
    /* Of the values with those cut moved to the ends of the middle: the trimmed mean's error. */
    sum = middle.sum + ends * (middle.low + middle.high);
    squares = middle.squares + ends * (middle.low * middle.low + middle.high * middle.high);
    mean = sum / (double)count;
    variance = squares / (double)count - mean * mean;
    *error = real_sqrt(variance > 0 ? variance * (double)count : 0) / kept;
    min = quantum / (3.4641 * real_sqrt(kept));
    *error = *error > min ? *error : min;
    return (double)sorted[cut] + middle.sum / kept;
}

#define TREND_MIN    5   /* values in a third: fewer do not give an estimate of their scatter */
#define TREND_ERRORS 3.5 /* for many values; the scatter of few is itself uncertain */
#define TREND_FEW    22

/* The standard error of the mean from the residuals about a regression line: a trend must not hide
 * in the scatter that it causes itself. */
static double error_about_line(const uint64_t *values, const bool *disturbed, size_t count,
                               double quantum, const struct stats *stats)
{
    double limit = outlier_distance(stats, quantum), n = 0, x = 0, y = 0, xx = 0, xy = 0, slope;
    double before = 0, error, min;
    struct clean clean = {.count = 0};

    for (size_t i = 0; i < count; i++) {
        double distance = (double)values[i] - stats->median;
        if (!is_clean(distance, disturbed && disturbed[i], limit))
            continue;
        n++;
        x += (double)i;
        y += distance;
        xx += (double)i * (double)i;
        xy += (double)i * distance;
    }
    if (n < 3)
        return stats->mean;
    slope = (xy - x * y / n) / (xx - x * x / n);
    for (size_t i = 0; i < count; i++) {
        double distance = (double)values[i] - stats->median;
        double rest = distance - y / n - slope * ((double)i - x / n);
        if (!is_clean(distance, disturbed && disturbed[i], limit))
            continue;
        add_clean(&clean, rest, before, clean.count > 0);
        before = rest;
    }
    error = real_sqrt(clean.squares / (n - 2) / n) * resemblance(&clean, 0, clean.squares / n);
    min = quantum / (3.4641 * real_sqrt(n));
    return error > min ? error : min;
}

bool stats_trend(const uint64_t *values, const bool *disturbed, size_t count, double quantum,
                 uint64_t *sorted, uint64_t *scratch, struct stats_trend *trend)
{
    double *const means[] = {&trend->early, &trend->middle, &trend->late};
    size_t third = count / 3;
    double variance = 0;

    *trend = (struct stats_trend){0, 0, 0, 0};
    if (third < TREND_MIN)
        return false;
    for (size_t part = 0; part < 3; part++) {
        size_t from = part * (count - third) / 2;
        struct stats stats;
        double error;

        for (size_t i = 0; i < third; i++)
            sorted[i] = values[from + i];
        stats_of(sorted, scratch, third, quantum, &stats);
        stats_mean(values + from, disturbed ? disturbed + from : NULL, third, quantum, &stats);
        *means[part] = stats.mean;
        error = error_about_line(values + from, disturbed ? disturbed + from : NULL, third, quantum,
                                 &stats);
        variance += error * error / 3;
    }
    trend->limit =
        TREND_ERRORS * (1 + TREND_FEW / (double)count) * real_sqrt(2 * variance) + quantum / 3;
    return true;
}

double stats_moved(const struct stats_trend *trend)
{
    double moved = real_abs(trend->late - trend->early);

    return moved > trend->limit ? moved : 0;
}

double stats_left(const struct stats_trend *trend)
{
    double before = trend->middle - trend->early, now = trend->late - trend->middle;
    double ratio = before != 0 ? now / before : 1, moved = stats_moved(trend), mean;

    if (moved == 0 || !(ratio > 0 && ratio < 1))
        return moved;
    /* the last third's mean above the limit; an exponential's end is below its mean */
    mean = real_abs(now) * ratio / (1 - ratio);
    return mean * ratio / (1 - ratio) * -real_log(ratio);
}

#define SHARED_ERRORS 3.5

double stats_shared(const uint64_t *values, const bool *disturbed, const struct stats *stats)
{
    struct clean all = {.count = 0};
    double before = 0, mean, variance, shared;
    bool neighbours = false;

    for (size_t i = 0; i < stats->count; i++) {
        double value = (double)values[i] < stats->p99 ? (double)values[i] : stats->p99;
        bool counts = !(disturbed && disturbed[i]);
        if (counts)
            add_clean(&all, value - stats->median, before, neighbours);
        before = value - stats->median;
        neighbours = counts;
    }
    if (all.pairs == 0)
        return 0;
    mean = all.sum / (double)all.count;
    variance = all.squares / (double)all.count - mean * mean;
    shared = all.products / (double)all.pairs - mean * mean;
    return shared > SHARED_ERRORS * variance / real_sqrt((double)all.pairs) ? real_sqrt(shared) : 0;
}
