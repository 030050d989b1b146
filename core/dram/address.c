/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/dram/address.h"

#include "core/lib/bits.h"

/* Differences in a subset beyond as many as there are bits: what is not a function of the mapping
 * passes with a probability of one in 2^8. */
#define SUBSET_SPARE 8
#define SUBSET_MAX   (64 + SUBSET_SPARE)
/* Where one pair in ten is mistaken, one subset in fifty or so is free of them. */
#define SUBSETS 256

unsigned address_class(const struct address_functions *functions, uint64_t address)
{
    unsigned class = 0;

    for (unsigned i = 0; i < functions->count; i++)
        class |= bits_parity(functions->mask[i] & address) << i;
    return class;
}

/* Gauss and Jordan over GF(2); returns the rank. Rows end up ascending by their lowest bits, each
 * of which no other row has. */
static size_t eliminate(uint64_t *row, size_t count)
{
    size_t rank = 0;

    while (rank < count) {
        uint64_t pivot = 0, chosen;
        size_t at = rank;
        for (size_t i = rank; i < count; i++)
            if (row[i] != 0 && (pivot == 0 || bits_lowest(row[i]) < pivot)) {
                pivot = bits_lowest(row[i]);
                at = i;
            }
        if (pivot == 0)
            break;
        chosen = row[at];
        row[at] = row[rank];
        row[rank] = chosen;
        for (size_t i = 0; i < count; i++)
            if (i != rank && (row[i] & pivot))
                row[i] ^= chosen;
        rank++;
    }
    return rank;
}

void address_reduce(struct address_functions *functions)
{
    functions->count = (unsigned)eliminate(functions->mask, functions->count);
}

/* What differences span: 64 rows hold it, however many there are. */
struct span {
    uint64_t row[64];
    size_t rank;
};

static void span_add(struct span *span, uint64_t difference)
{
    if (span->rank == 64)
        return;
    span->row[span->rank] = difference;
    span->rank = eliminate(span->row, span->rank + 1);
}

/* The bits that rows begin with. */
static uint64_t span_pivots(const struct span *span)
{
    uint64_t pivots = 0;

    for (size_t i = 0; i < span->rank; i++)
        pivots |= bits_lowest(span->row[i]);
    return pivots;
}

static bool is_shorter(uint64_t a, uint64_t b)
{
    return bits_count(a) < bits_count(b) || (bits_count(a) == bits_count(b) && a < b);
}

/* The function with the fewest bits of the span that is no sum of those chosen. */
static uint64_t shortest_beyond(const struct address_functions *span,
                                const struct address_functions *chosen)
{
    uint64_t best = 0, sum = 0;

    /* In the order of a Gray code, so that each sum differs from the last by one function. */
    for (uint32_t i = 1; i < 1u << span->count; i++) {
        struct address_functions with = *chosen;
        sum ^= span->mask[__builtin_ctz(i)];
        if (best != 0 && !is_shorter(sum, best))
            continue;
        with.mask[with.count++] = sum;
        if (eliminate(with.mask, with.count) == with.count)
            best = sum;
    }
    return best;
}

/* Greedy choice is optimal: independent sets of functions are a matroid. */
void address_simplify(struct address_functions *functions)
{
    struct address_functions chosen = {0};

    while (chosen.count < functions->count) {
        chosen.mask[chosen.count] = shortest_beyond(functions, &chosen);
        chosen.count++;
    }
    for (unsigned i = 1; i < chosen.count; i++) {
        uint64_t mask = chosen.mask[i];
        unsigned k = i;
        for (; k > 0 && bits_lowest(chosen.mask[k - 1]) > bits_lowest(mask); k--)
            chosen.mask[k] = chosen.mask[k - 1];
        chosen.mask[k] = mask;
    }
    *functions = chosen;
}

bool address_constant(const uint64_t *difference, size_t count, uint64_t bits,
                      struct address_functions *functions)
{
    struct span span = {.rank = 0};
    uint64_t left;

    functions->count = 0;
    for (size_t i = 0; i < count; i++)
        span_add(&span, difference[i] & bits);
    left = bits & ~span_pivots(&span);
    if (bits_count(left) > ADDRESS_FUNCTIONS_MAX)
        return false;
    /* Each bit that is no pivot gives a function: that bit, and the pivots of the rows with it. */
    for (; left != 0; left &= left - 1) {
        uint64_t mask = bits_lowest(left);
        for (size_t i = 0; i < span.rank; i++)
            if (span.row[i] & bits_lowest(left))
                mask |= bits_lowest(span.row[i]);
        functions->mask[functions->count++] = mask;
    }
    address_reduce(functions);
    return true;
}

static uint64_t moved(uint64_t address, struct address_offset offset)
{
    return address >= offset.from ? address - offset.bytes : address;
}

static struct address_offset offset_of(const struct address_mapping *mapping)
{
    return (struct address_offset){.bytes = mapping->offset_bytes, .from = mapping->offset_from};
}

uint64_t address_moved(const struct address_mapping *mapping, uint64_t address)
{
    return moved(address, offset_of(mapping));
}

static uint64_t difference_of(const struct address_pair *pair, struct address_offset offset)
{
    return moved(pair->a, offset) ^ moved(pair->b, offset);
}

/* A difference's lowest bit tells; what no difference begins with follows from lower bits. */
uint64_t address_free_bits(const struct address_pair *pair, size_t count, uint64_t bits,
                           struct address_offset offset)
{
    struct span span = {.rank = 0};

    for (size_t i = 0; i < count; i++)
        span_add(&span, difference_of(&pair[i], offset) & bits);
    return span_pivots(&span);
}

double address_agreement(const struct address_mapping *mapping, const struct address_pair *pair,
                         size_t count)
{
    size_t fit = 0;

    for (size_t i = 0; i < count; i++)
        fit += address_class(&mapping->functions, difference_of(&pair[i], offset_of(mapping))) == 0;
    return count > 0 ? (double)fit / (double)count : 1;
}

void address_solve(const struct address_pair *pair, size_t count, uint64_t bits,
                   struct address_offset offset, double enough, struct random *random,
                   struct address_mapping *mapping)
{
    size_t size = bits_count(bits) + SUBSET_SPARE;

    *mapping = (struct address_mapping){.offset_bytes = offset.bytes, .offset_from = offset.from};
    for (unsigned subset = 0; subset < SUBSETS && count > 0; subset++) {
        uint64_t difference[SUBSET_MAX];
        struct address_mapping found = {.offset_bytes = offset.bytes, .offset_from = offset.from};
        for (size_t i = 0; i < size; i++)
            difference[i] = difference_of(&pair[random_below(random, count)], offset);
        if (!address_constant(difference, size, bits, &found.functions) ||
            found.functions.count < mapping->functions.count)
            continue;
        found.agreement = address_agreement(&found, pair, count);
        if (found.agreement >= enough && (found.functions.count > mapping->functions.count ||
                                          found.agreement > mapping->agreement))
            *mapping = found;
    }
    address_simplify(&mapping->functions);
}
