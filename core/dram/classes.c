/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/dram/classes.h"

#include "core/lib/bits.h"
#include "core/lib/memory.h"
#include "core/lib/real.h"

#define TAG_BIT 48 /* which functions a row of an elimination is a sum of */
/* Of half a million functions, one in four passes by chance; those are measured again. */
#define SIGMAS 5.0
/* A slow group of this many functions at most is told as one. */
#define JOINT_MAX  4
#define UNKNOWN_NS 1e300

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
    return SIGMAS * error_ns(screen, least, least);
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
                 struct class_effect found)
{
    uint32_t at = *count;

    while (at > 0 && real_abs(effect[at - 1].ns) < real_abs(found.ns)) {
        if (at < CLASSES_KEPT)
            effect[at] = effect[at - 1];
        at--;
    }
    if (at < CLASSES_KEPT)
        effect[at] = found;
    if (*count < CLASSES_KEPT)
        ++*count;
}

static uint32_t find_sums(struct class_screen *screen, struct class_effect effect[CLASSES_KEPT])
{
    double half = screen->samples / 2, error = error_ns(screen, half, half);
    uint32_t count = 0;

    transform(screen->sum, screen->functions.count);
    for (uint32_t m = 1; m < 1u << screen->functions.count; m++) {
        struct class_effect found = {.mask = sum_of(&screen->functions, m),
                                     .ns = -screen->sum[m] / half};
        if (real_abs(found.ns) > SIGMAS * error && (found.mask & screen->inner))
            keep(effect, &count, found);
    }
    return count;
}

static uint32_t find_bits(const struct class_screen *screen,
                          struct class_effect effect[CLASSES_KEPT])
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < screen->masks; i++) {
        const double *sum = &screen->sum[2 * i], *of = &screen->count[2 * i];
        double error = error_ns(screen, of[0], of[1]);
        struct class_effect found = {.mask = screen->mask[i]};
        if (error == UNKNOWN_NS)
            continue;
        found.ns = sum[1] / of[1] - sum[0] / of[0];
        if (real_abs(found.ns) > SIGMAS * error)
            keep(effect, &count, found);
    }
    return count;
}

uint32_t class_screen_find(struct class_screen *screen, struct class_effect effect[CLASSES_KEPT])
{
    if (screen->samples < 2)
        return 0;
    return screen->functions.count != 0 ? find_sums(screen, effect) : find_bits(screen, effect);
}

/* ---- what is slow */

/* The function that a group of one has. */
static uint64_t mask_of(const struct class_told *told)
{
    return told->group.functions.mask[0];
}

/* Independent functions of what was told, the first ones; *others: how many are sums of them. */
static void basis_of(const struct class_told told[], uint32_t count,
                     struct address_functions *basis, uint32_t *others)
{
    *basis = (struct address_functions){.count = 0};
    *others = 0;
    for (uint32_t i = 0; i < count && basis->count < JOINT_MAX; i++) {
        struct address_functions with = *basis;
        with.mask[with.count++] = mask_of(&told[i]);
        address_reduce(&with);
        if (with.count > basis->count)
            basis->mask[basis->count++] = mask_of(&told[i]);
        else
            ++*others;
    }
}

/* Which functions of the basis a mask is the sum of; 0: it is no such sum. */
static unsigned terms_of(const struct address_functions *basis, uint64_t mask)
{
    for (unsigned some = 1; some < 1u << basis->count; some++)
        if (sum_of(basis, some) == mask)
            return some;
    return 0;
}

bool classes_joint(const struct class_told told[], uint32_t count, struct class_group *group)
{
    double slowest = -UNKNOWN_NS;
    uint32_t others;

    basis_of(told, count, &group->functions, &others);
    if (others == 0)
        return false;
    for (unsigned class = 0; class < 1u << group->functions.count; class ++) {
        double ns = 0;
        for (uint32_t i = 0; i < count; i++) {
            unsigned some = terms_of(&group->functions, mask_of(&told[i]));
            double half = told[i].difference.ns / 2;
            if (some != 0)
                ns += bits_parity(some & class) == told[i].group.parities ? half : -half;
        }
        if (ns > slowest) {
            slowest = ns;
            group->parities = class;
        }
    }
    return true;
}
