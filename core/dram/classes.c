/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/dram/classes.h"

#include "core/lib/bits.h"
#include "core/lib/memory.h"
#include "core/lib/real.h"
#include "core/stats/apart.h"
#include "core/stats/stats.h"

#define TAG_BIT    48 /* which functions a row of an elimination is a sum of */
#define PARITY_BIT 63
/* Of half a million functions, one in four passes by chance; those are measured again. */
#define SIGMAS 5.0
/* What is so much larger is seldom hidden by chance. */
#define HIDDEN_SIGMAS 2.0
#define UNKNOWN_NS    1e300
/* A difference of so many 99 % bounds is sure when it is measured by itself. */
#define CONTROL_BOUNDS 2.5
#define PARITY         (1u << 31)
/* Of lines of which a part is slow the middle half of the samples has not quite the mean. */
#define MIXED 0.1
/* A group's functions all show the same. */
#define PART_EVEN 0.5

/* ---- lines of a class */

void class_steps_of(const struct address_functions *functions, struct class_steps *steps)
{
    struct address_functions tagged = *functions;

    *steps = (struct class_steps){.functions = *functions};
    for (unsigned i = 0; i < functions->count; i++)
        tagged.mask[i] |= 1ull << (TAG_BIT + i);
    address_reduce(&tagged);
    for (unsigned i = 0; i < tagged.count; i++) {
        steps->bit[i] = bits_lowest(tagged.mask[i]);
        steps->of[i] = (unsigned)(tagged.mask[i] >> TAG_BIT);
    }
    steps->count = tagged.count;
}

uint64_t class_steps_to(const struct class_steps *steps, uint64_t address, unsigned parities)
{
    unsigned off = address_class(&steps->functions, address) ^ parities;

    for (unsigned i = 0; i < steps->count; i++)
        if (bits_parity(steps->of[i] & off))
            address ^= steps->bit[i];
    return address;
}

/* Equations that hold in both groups: none does where two of them contradict each other. */
double class_share(const struct class_group *of, const struct class_group *in)
{
    const struct class_group *group[2] = {of, in};
    struct address_functions both = {.count = 0};

    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < group[i]->functions.count; k++)
            both.mask[both.count++] =
                group[i]->functions.mask[k] | (uint64_t)(group[i]->parities >> k & 1) << PARITY_BIT;
    address_reduce(&both);
    for (unsigned i = 0; i < both.count; i++)
        if (both.mask[i] == 1ull << PARITY_BIT)
            return 0;
    return 1 / (double)(1u << (both.count - of->functions.count));
}

/* ---- all functions at once */

static void add_mask(struct class_screen *screen, uint64_t mask)
{
    if (screen->masks < CLASSES_MASKS_MAX && (mask & screen->inner))
        screen->mask[screen->masks++] = mask;
}

/* The XOR of those functions. */
static uint64_t sum_of(const struct address_functions *functions, uint32_t some)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < functions->count; i++)
        sum ^= some >> i & 1 ? functions->mask[i] : 0;
    return sum;
}

struct class_group class_half(const struct class_group *group, unsigned some)
{
    return (struct class_group){.functions = {1, {sum_of(&group->functions, some)}},
                                .parities = bits_parity(some & group->parities)};
}

void class_screen_start(struct class_screen *screen, const struct address_functions *functions,
                        uint64_t bits, uint64_t even_bytes)
{
    memory_fill(screen, 0, sizeof *screen);
    screen->functions = *functions;
    screen->bits = bits;
    screen->inner = even_bytes - 1;
    for (uint32_t some = 1; some < 1u << functions->count; some++)
        screen->masks += (sum_of(functions, some) & screen->inner) != 0;
    if (functions->count != 0)
        return;
    for (uint64_t a = bits; a != 0; a &= a - 1)
        for (uint64_t b = a; b != 0; b &= b - 1)
            add_mask(screen, bits_lowest(a) | bits_lowest(b));
}

void class_screen_add(struct class_screen *screen, unsigned class, double ns)
{
    screen->sum[class] += ns;
    screen->samples++;
    screen->squares += ns * ns;
}

void class_screen_add_bits(struct class_screen *screen, uint64_t address, uint64_t free, double ns)
{
    for (uint32_t i = 0; i < screen->masks; i++) {
        unsigned at = 2 * i + bits_parity(screen->mask[i] & address);
        if (screen->mask[i] & free)
            continue;
        screen->sum[at] += ns;
        screen->count[at]++;
    }
    screen->samples++;
    screen->squares += ns * ns;
}

static double scatter_ns(const struct class_screen *screen)
{
    return real_sqrt(screen->squares / screen->samples);
}

/* Of the difference of two means of so many samples each. */
static double error_ns(const struct class_screen *screen, double even, double odd)
{
    return even < 1 || odd < 1 ? UNKNOWN_NS : scatter_ns(screen) * real_sqrt(1 / even + 1 / odd);
}

double class_screen_limit_ns(const struct class_screen *screen)
{
    double least = screen->samples;

    for (uint32_t i = 0; i < 2 * screen->masks && screen->functions.count == 0; i++)
        least = screen->count[i] < least ? screen->count[i] : least;
    if (screen->functions.count != 0)
        least /= 2;
    return (SIGMAS + HIDDEN_SIGMAS) * error_ns(screen, least, least);
}

/* How many groups that many of all functions choose, which are subspaces of a space over the field
 * of two elements, each at any parities; the logarithm, above that for one function. The more there
 * are the further chance gets. */
static double groups_log(unsigned all, unsigned functions)
{
    double log = 0;

    for (unsigned i = 0; i < functions; i++)
        log += real_log(2 * ((double)(1u << all) - (double)(1u << i)) /
                        ((double)(1u << functions) - (double)(1u << i)));
    return log - real_log(2 * ((double)(1u << all) - 1));
}

/* The square of the standard errors that such a group is to stand out by. */
static double needed(const struct class_screen *screen, unsigned functions)
{
    return SIGMAS * SIGMAS + 2 * groups_log(screen->functions.count, functions);
}

double class_screen_part_limit_ns(const struct class_screen *screen, unsigned functions)
{
    double one = class_screen_limit_ns(screen) * (double)(1u << (functions - 1));
    double together = (real_sqrt(needed(screen, functions)) + HIDDEN_SIGMAS) /
                      (SIGMAS + HIDDEN_SIGMAS) / real_sqrt((double)((1u << functions) - 1));

    /* Without functions each is to be found by itself. */
    if (screen->functions.count == 0)
        return one;
    return one * together;
}

/* Walsh and Hadamard's transform: sum[m] becomes the sum over classes c of sum[c], those of which m
 * and c share an odd number of bits taken off. */
static void transform(double *sum, unsigned rank)
{
    for (uint32_t half = 1; half < 1u << rank; half *= 2)
        for (uint32_t i = 0; i < 1u << rank; i++) {
            double a = sum[i], b;
            if (i & half)
                continue;
            b = sum[i | half];
            sum[i] = a + b;
            sum[i | half] = a - b;
        }
}

static void keep(struct class_effect effect[CLASSES_KEPT], uint32_t *count,
                 const struct class_effect *found)
{
    uint32_t at = *count;

    while (at > 0 && effect[at - 1].ns < found->ns) {
        if (at < CLASSES_KEPT)
            effect[at] = effect[at - 1];
        at--;
    }
    if (at < CLASSES_KEPT)
        effect[at] = *found;
    if (*count < CLASSES_KEPT)
        ++*count;
}

static uint32_t find_bits(const struct class_screen *screen,
                          struct class_effect effect[CLASSES_KEPT])
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < screen->masks; i++) {
        const double *sum = &screen->sum[2 * i], *of = &screen->count[2 * i];
        double error = error_ns(screen, of[0], of[1]), ns;
        struct class_effect found = {.group.functions = {1, {screen->mask[i]}}};
        if (error == UNKNOWN_NS)
            continue;
        ns = sum[1] / of[1] - sum[0] / of[0];
        found.ns = real_abs(ns);
        found.group.parities = ns > 0;
        if (found.ns > SIGMAS * error)
            keep(effect, &count, &found);
    }
    return count;
}

/* ---- groups */

static uint32_t lowest(uint32_t row)
{
    return row & -row & ~PARITY;
}

/* What a function shows for the parity that it has in a group. */
static double shown(const double *effect, uint32_t row)
{
    return row & PARITY ? effect[row & ~PARITY] : -effect[row];
}

static uint32_t row_of(const struct class_part *part, uint32_t row, unsigned some)
{
    for (unsigned i = 0; i < part->count; i++)
        row ^= some >> i & 1 ? part->row[i] : 0;
    return row;
}

/* What one more function shows, with all XORs of it and those of the part. */
static double added_by(const double *effect, const struct class_part *part, uint32_t row)
{
    double sum = 0;

    for (unsigned some = 0; some < 1u << part->count; some++)
        sum += shown(effect, row_of(part, row, some));
    return sum;
}

/* The part with one more function, in its one form; false: it has this function. */
static bool with_row(const struct class_part *part, uint32_t row, struct class_part *with)
{
    unsigned at = 0;

    *with = *part;
    for (unsigned i = 0; i < part->count; i++)
        row ^= row & lowest(part->row[i]) ? part->row[i] : 0;
    if ((row & ~PARITY) == 0)
        return false;
    for (unsigned i = 0; i < part->count; i++) {
        with->row[i] ^= with->row[i] & lowest(row) ? row : 0;
        at += lowest(with->row[i]) < lowest(row);
    }
    for (unsigned i = with->count++; i > at; i--)
        with->row[i] = with->row[i - 1];
    with->row[at] = row;
    return true;
}

static bool is_same(const struct class_part *a, const struct class_part *b)
{
    for (unsigned i = 0; i < a->count; i++)
        if (a->row[i] != b->row[i])
            return false;
    return true;
}

/* Among the best ones of as many functions, each once. */
static void keep_part(struct class_part beam[CLASSES_BEAM], uint32_t *count,
                      const struct class_part *part)
{
    uint32_t at = *count;

    for (uint32_t i = 0; i < *count; i++)
        if (is_same(&beam[i], part))
            return;
    while (at > 0 && beam[at - 1].sum < part->sum) {
        if (at < CLASSES_BEAM)
            beam[at] = beam[at - 1];
        at--;
    }
    if (at < CLASSES_BEAM)
        beam[at] = *part;
    if (*count < CLASSES_BEAM)
        ++*count;
}

static uint32_t extend(struct class_screen *screen, uint32_t starts, const struct class_part *part,
                       struct class_part next[CLASSES_BEAM], uint32_t count)
{
    for (uint32_t i = 0; i < starts; i++) {
        double added = added_by(screen->sum, part, screen->start[i] | PARITY);
        struct class_part with;
        if (count == CLASSES_BEAM && !(part->sum + real_abs(added) > next[count - 1].sum))
            continue;
        if (added != added || !with_row(part, screen->start[i] | (added > 0 ? PARITY : 0), &with))
            continue;
        with.sum = part->sum + real_abs(added);
        keep_part(next, &count, &with);
    }
    return count;
}

/* The functions that show most by themselves. */
static uint32_t find_starts(struct class_screen *screen)
{
    uint32_t count = 0;

    for (uint32_t m = 1; m < 1u << screen->functions.count; m++) {
        double ns = real_abs(screen->sum[m]);
        uint32_t at = count;
        if (screen->sum[m] != screen->sum[m])
            continue;
        while (at > 0 && real_abs(screen->sum[screen->start[at - 1]]) < ns) {
            if (at < CLASSES_STARTS)
                screen->start[at] = screen->start[at - 1];
            at--;
        }
        if (at < CLASSES_STARTS)
            screen->start[at] = m;
        count += count < CLASSES_STARTS;
    }
    return count;
}

static double functions_in(const struct class_part *part)
{
    return (double)((1u << part->count) - 1);
}

/* Two groups that overlap show in functions of both, but not in all alike. */
static bool is_even(const struct class_screen *screen, const struct class_part *part, double error)
{
    double least = PART_EVEN * part->sum / functions_in(part) - SIGMAS * error;

    for (unsigned some = 1; some < 1u << part->count; some++)
        if (!(shown(screen->sum, row_of(part, 0, some)) > least))
            return false;
    return true;
}

/* By how much its square of standard errors is more than chance's; of what is uneven nothing. */
static double above_chance(const struct class_screen *screen, const struct class_part *part,
                           double error)
{
    double squares = part->sum * part->sum / (error * error * functions_in(part));
    double above = squares - needed(screen, part->count);

    return above > 0 && is_even(screen, part, error) ? above : 0;
}

/* The group that stands out most of all. */
static bool find_part(struct class_screen *screen, double error, struct class_part *best)
{
    unsigned most =
        screen->functions.count < CLASSES_PART_MAX ? screen->functions.count : CLASSES_PART_MAX;
    uint32_t starts = find_starts(screen), count = 1;
    double most_above = 0;

    screen->beam[0][0] = (struct class_part){.count = 0};
    for (unsigned functions = 1; functions <= most; functions++) {
        struct class_part *from = screen->beam[(functions - 1) % 2];
        struct class_part *to = screen->beam[functions % 2];
        uint32_t next = 0;
        for (uint32_t i = 0; i < count; i++)
            next = extend(screen, starts, &from[i], to, next);
        count = next;
        for (uint32_t i = 0; i < count; i++) {
            double above = above_chance(screen, &to[i], error);
            if (above > most_above)
                *best = to[i];
            most_above = above > most_above ? above : most_above;
        }
    }
    return most_above > 0;
}

/* Puts it behind the functions, without counting it. False: it is a sum of them. */
static bool is_independent(struct address_functions *functions, uint64_t mask)
{
    struct address_functions with = *functions;

    functions->mask[functions->count] = mask;
    with.mask[with.count++] = mask;
    address_reduce(&with);
    return with.count > functions->count;
}

/* Its functions, those of the fewest bits. */
static struct class_group group_of(const struct class_screen *screen, const struct class_part *part)
{
    struct class_group group = {.parities = 0};

    while (group.functions.count < part->count) {
        unsigned parity = 0, bits = 65;
        uint64_t best = 0;
        for (unsigned some = 1; some < 1u << part->count; some++) {
            uint32_t row = row_of(part, 0, some);
            uint64_t mask = sum_of(&screen->functions, row & ~PARITY);
            if (bits_count(mask) >= bits || !is_independent(&group.functions, mask))
                continue;
            best = mask;
            bits = bits_count(mask);
            parity = row >> 31;
        }
        group.functions.mask[group.functions.count] = best;
        group.parities |= parity << group.functions.count++;
    }
    return group;
}

static void take_off(struct class_screen *screen, const struct class_part *part)
{
    double each = part->sum / functions_in(part);

    for (unsigned some = 1; some < 1u << part->count; some++) {
        uint32_t row = row_of(part, 0, some);
        screen->sum[row & ~PARITY] -= row & PARITY ? each : -each;
    }
}

static uint32_t find_groups(struct class_screen *screen, struct class_effect effect[CLASSES_KEPT])
{
    double half = screen->samples / 2, error = error_ns(screen, half, half);
    struct class_part part = {.count = 0};
    uint32_t count = 0;

    transform(screen->sum, screen->functions.count);
    for (uint32_t m = 1; m < 1u << screen->functions.count; m++)
        screen->sum[m] =
            sum_of(&screen->functions, m) & screen->inner ? -screen->sum[m] / half : real_nan();
    while (count < CLASSES_KEPT && find_part(screen, error, &part)) {
        effect[count].group = group_of(screen, &part);
        effect[count++].ns = part.sum / 2 * (1 + 1 / functions_in(&part));
        take_off(screen, &part);
    }
    return count;
}

uint32_t class_screen_find(struct class_screen *screen, struct class_effect effect[CLASSES_KEPT])
{
    if (screen->samples < 2)
        return 0;
    return screen->functions.count != 0 ? find_groups(screen, effect) : find_bits(screen, effect);
}

void class_functions_of(const struct class_effect effect[], uint32_t count,
                        struct address_functions *functions)
{
    *functions = (struct address_functions){.count = 0};
    for (uint32_t i = 0; i < count && functions->count < CLASSES_PART_MAX; i++)
        functions->count += is_independent(functions, effect[i].group.functions.mask[0]);
}

/* ---- what is slow */

/* Of the rounds first, first + step, ...; the mean of the two in the middle. */
static double middle_of(const double difference[REGIONS_ROUNDS], unsigned first, unsigned step)
{
    double sorted[REGIONS_ROUNDS];
    unsigned count = 0;

    for (unsigned i = first; i < REGIONS_ROUNDS; i += step)
        sorted[count++] = difference[i];
    stats_sort_few(sorted, count);
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

void classes_even(double difference[REGIONS_ROUNDS], unsigned others)
{
    double middle[REGIONS_ROUNDS], mean = 0, wider;

    if (2 * others > REGIONS_ROUNDS)
        return;
    wider = real_sqrt(REGIONS_ROUNDS / (REGIONS_ROUNDS + 1.0 - others));
    for (unsigned i = 0; i < others; i++) {
        middle[i] = middle_of(difference, i, others);
        mean += middle[i] / others;
    }
    for (unsigned i = 0; i < REGIONS_ROUNDS; i++)
        difference[i] = mean + (difference[i] - middle[i % others]) * wider;
}

double classes_explained_ns(const struct class_told told[], uint32_t count,
                            const struct class_group *group, const struct class_group *other,
                            double *doubt_ns)
{
    double ns = 0;

    *doubt_ns = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct region_difference *difference = &told[i].difference;
        double share = class_share(group, &told[i].group) - class_share(other, &told[i].group);
        ns += share * difference->ns;
        *doubt_ns += real_abs(share) * (2 * difference->repeat + MIXED * real_abs(difference->ns));
    }
    return ns;
}

double classes_limit_ns(double screened_ns, double base_ns, const struct region_difference *control)
{
    double bound = control->repeat;
    double least = APART_SHARE * base_ns + bound;

    least = least > CONTROL_BOUNDS * bound ? least : CONTROL_BOUNDS * bound;
    return least > screened_ns ? least : screened_ns;
}
