/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/dram/bandwidth.h"

#include "core/lib/real.h"

/* Bounds in standard errors: of hundreds of classes none is out of them by chance. */
#define ERRORS 4.5
/* Queues of two channels are not always equally long, and each class is a little better or worse
 * spread over banks: half is not half to the per cent. */
#define HALF_MIN 1.5
#define HALF_MAX 2.6
#define SAME_MAX 1.25
/* Parts differ by more than what pages that happen to be drawn make of them. */
#define SLOWER_MIN 1.1
/* The scatter of lists without the two at the ends is as much too small, at the most. */
#define TRIMMED 1.5
/* So much more than what was under way can be: the core is not the limit. */
#define CORE_FACTOR 1.3

struct bounds {
    double low, high;
};

static struct bounds bounds_of(struct figure figure)
{
    return (struct bounds){figure.value - ERRORS * figure.error,
                           figure.value + ERRORS * figure.error};
}

/* ---- classes */

static void add(struct bandwidth *bandwidth, uint64_t mask)
{
    bandwidth->class[bandwidth->count++] =
        (struct bandwidth_class){.mask = mask, .line_ns = {figure_unknown(), figure_unknown()}};
}

void bandwidth_classes(const struct address_functions *functions, struct bandwidth *bandwidth)
{
    bandwidth->count = 0;
    bandwidth->whole = functions->count <= BANDWIDTH_WHOLE;
    for (unsigned which = 1; bandwidth->whole && which < 1u << functions->count; which++) {
        uint64_t mask = 0;
        for (unsigned i = 0; i < functions->count; i++)
            mask ^= which >> i & 1 ? functions->mask[i] : 0;
        add(bandwidth, mask);
    }
    for (unsigned i = 0; !bandwidth->whole && i < functions->count; i++) {
        add(bandwidth, functions->mask[i]);
        for (unsigned k = 0; k < i; k++)
            add(bandwidth, functions->mask[i] ^ functions->mask[k]);
    }
}

/* ---- deciding */

static enum bandwidth_effect effect_of(const struct bandwidth_class *class, struct figure all_ns)
{
    unsigned same = 0, half = 0;

    for (unsigned parity = 0; parity < 2; parity++) {
        struct bounds ratio = bounds_of(figure_ratio(class->line_ns[parity], all_ns));
        same += ratio.high < SAME_MAX;
        half += ratio.low > HALF_MIN && ratio.high < HALF_MAX;
    }
    if (half == 2)
        return BANDWIDTH_HALVED;
    return same == 2 ? BANDWIDTH_SAME : BANDWIDTH_BETWEEN;
}

/* What would be read of a class if the core were what limits it: as many as of all. */
static bool slower_for_sure(const struct bandwidth_class *class, struct figure all_ns)
{
    for (unsigned parity = 0; parity < 2; parity++)
        if (!(bounds_of(figure_ratio(class->line_ns[parity], all_ns)).low > SAME_MAX))
            return false;
    return true;
}

static enum bandwidth_limit limit_of(const struct bandwidth *bandwidth)
{
    struct bounds ratio;

    if (bandwidth->prefetching)
        return BANDWIDTH_BY_UNKNOWN;
    if (bandwidth->halved != 0)
        return BANDWIDTH_BY_MEMORY;
    ratio = bounds_of(figure_ratio(bandwidth->cached, bandwidth->under_way));
    if (ratio.low > CORE_FACTOR)
        return BANDWIDTH_BY_MEMORY;
    return ratio.low > 1 / CORE_FACTOR && ratio.high < CORE_FACTOR ? BANDWIDTH_BY_CORE
                                                                   : BANDWIDTH_BY_UNKNOWN;
}

/* Whether the classes that are halved are those of some functions, all of them. */
static bool is_span(const struct bandwidth *bandwidth)
{
    return (1u << bandwidth->channel.count) - 1 == bandwidth->halved;
}

static const char *not_told(const struct bandwidth *bandwidth, uint32_t between, uint32_t slower)
{
    if (bandwidth->prefetching)
        return "prefetchers are not off: they may read lines of other classes too";
    if (bandwidth->count == 0)
        return "no functions of address bits are known";
    if (!bandwidth->whole)
        return "there are more functions of address bits than could be tried together";
    if (bandwidth->limit == BANDWIDTH_BY_CORE)
        return "the core is the limit: it cannot have enough reads under way";
    if (slower != 0 && bandwidth->halved == 0)
        return "classes are slower than all, but by less than half: the core may be the limit of "
               "all";
    if (between != 0)
        return "of some classes it is not sure whether they are slower";
    if (!is_span(bandwidth))
        return "the classes that are halved are not those of one set of functions";
    if (bandwidth->limit != BANDWIDTH_BY_MEMORY)
        return "whether the core or memory is the limit is not known";
    return NULL;
}

uint32_t bandwidth_part_begin(uint32_t blocks, uint32_t part)
{
    return (uint32_t)((uint64_t)blocks * part / BANDWIDTH_PARTS);
}

/* The lists of a part without the fastest and the slowest. */
static double middle_of(const struct bandwidth_part_lists *lists)
{
    double sum = 0;

    for (uint32_t i = 1; i + 1 < lists->count; i++)
        sum += lists->line_ns[i];
    return sum / (lists->count - 2);
}

void bandwidth_parts(const struct bandwidth_part_lists lists[BANDWIDTH_PARTS],
                     struct bandwidth *bandwidth)
{
    double squares = 0, free = 0;

    for (uint32_t k = 0; k < BANDWIDTH_PARTS; k++) {
        bandwidth->part[k].line_ns = figure_unknown();
        if (lists[k].count < 4)
            continue;
        bandwidth->part[k].line_ns.value = middle_of(&lists[k]);
        free += lists[k].count - 3;
        for (uint32_t i = 1; i + 1 < lists[k].count; i++) {
            double off = lists[k].line_ns[i] - bandwidth->part[k].line_ns.value;
            squares += off * off;
        }
    }
    for (uint32_t k = 0; k < BANDWIDTH_PARTS; k++)
        if (lists[k].count >= 4)
            bandwidth->part[k].line_ns.error =
                TRIMMED * real_sqrt(squares / free / (lists[k].count - 2));
}

static void decide_parts(struct bandwidth *bandwidth)
{
    struct figure least = figure_unknown();

    bandwidth->slower = 0;
    for (uint32_t i = 0; i < BANDWIDTH_PARTS; i++)
        if (!(bandwidth->part[i].line_ns.value >= least.value))
            least =
                figure_is_known(bandwidth->part[i].line_ns) ? bandwidth->part[i].line_ns : least;
    for (uint32_t i = 0; i < BANDWIDTH_PARTS; i++) {
        struct figure ratio = figure_ratio(bandwidth->part[i].line_ns, least);
        bandwidth->part[i].slower = bounds_of(ratio).low > SLOWER_MIN;
        bandwidth->slower += bandwidth->part[i].slower;
    }
}

void bandwidth_decide(struct bandwidth *bandwidth)
{
    uint32_t between = 0, slower = 0;

    decide_parts(bandwidth);
    bandwidth->halved = 0;
    bandwidth->channel.count = 0;
    bandwidth->under_way = figure_ratio(bandwidth->in_turn_ns, bandwidth->line_ns);
    for (uint32_t i = 0; i < bandwidth->count; i++) {
        struct bandwidth_class *class = &bandwidth->class[i];
        class->effect = effect_of(class, bandwidth->line_ns);
        between += class->effect == BANDWIDTH_BETWEEN;
        slower += class->effect == BANDWIDTH_BETWEEN && slower_for_sure(class, bandwidth->line_ns);
        if (class->effect != BANDWIDTH_HALVED)
            continue;
        bandwidth->halved++;
        if (bandwidth->channel.count < ADDRESS_FUNCTIONS_MAX)
            bandwidth->channel.mask[bandwidth->channel.count++] = class->mask;
        address_reduce(&bandwidth->channel);
    }
    bandwidth->limit = limit_of(bandwidth);
    bandwidth->why = not_told(bandwidth, between, slower);
    bandwidth->told = bandwidth->why == NULL;
    if (!bandwidth->told)
        bandwidth->channel.count = 0;
}

const char *bandwidth_limit_name(enum bandwidth_limit limit)
{
    static const char *const names[] = {"unknown", "core", "memory"};

    return names[limit];
}

const char *bandwidth_effect_name(enum bandwidth_effect effect)
{
    static const char *const names[] = {"same", "half", "between"};

    return names[effect];
}

/* ---- what was expected */

enum bandwidth_met bandwidth_meets(const struct bandwidth *bandwidth, uint32_t line_bytes,
                                   double bytes_per_s)
{
    struct bounds ns = bounds_of(bandwidth->line_ns);

    if (ns.low * bytes_per_s <= line_bytes * 1e9)
        return BANDWIDTH_MET;
    return bandwidth->limit == BANDWIDTH_BY_MEMORY ? BANDWIDTH_UNMET : BANDWIDTH_NOT_SHOWN;
}

const char *bandwidth_met_name(enum bandwidth_met met)
{
    static const char *const names[] = {"met", "unmet", "unknown"};

    return names[met];
}
