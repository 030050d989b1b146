/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/dram/verify.h"

#include "core/lib/bits.h"

/* A word of which so many bits differed holds other data, not data with bad bits. */
#define OTHER_DATA_BITS 8
/* A lane that failed in so many lines is what failed there, not a device that wrote. */
#define LANE_LINES 4

const struct verify_step verify_steps[VERIFY_STEPS] = {
    {MARCH_UP, VERIFY_NONE, VERIFY_A, false},    {MARCH_UP, VERIFY_A, VERIFY_NOT_A, true},
    {MARCH_UP, VERIFY_NOT_A, VERIFY_A, true},    {MARCH_DOWN, VERIFY_A, VERIFY_NOT_A, false},
    {MARCH_DOWN, VERIFY_NOT_A, VERIFY_A, false}, {MARCH_UP, VERIFY_A, VERIFY_R, false},
    {MARCH_UP, VERIFY_R, VERIFY_NOT_R, true},    {MARCH_SHUFFLED, VERIFY_NOT_R, VERIFY_NONE, true},
    {MARCH_UP, VERIFY_NONE, VERIFY_L, false},    {MARCH_UP, VERIFY_L, VERIFY_NONE, false},
};

const struct verify_step verify_join_steps[VERIFY_JOIN_STEPS] = {
    {MARCH_UP, VERIFY_NONE, VERIFY_A, false},    {MARCH_UP, VERIFY_A, VERIFY_NOT_A, false},
    {MARCH_UP, VERIFY_NOT_A, VERIFY_A, false},   {MARCH_DOWN, VERIFY_A, VERIFY_NOT_A, false},
    {MARCH_DOWN, VERIFY_NOT_A, VERIFY_A, false}, {MARCH_UP, VERIFY_A, VERIFY_NONE, false},
};

/* ---- parts */

void verify_parts_add(struct verify_parts *parts, uint64_t bytes, uint64_t aside)
{
    uint64_t own = bytes - aside;

    if (parts->first == 0) {
        parts->first = own;
        return;
    }
    parts->rest += own;
    parts->rest_pairs += (double)own * (double)own;
    parts->aside_pairs += (double)own * (double)aside;
    if (aside != 0)
        parts->aside = aside;
}

double verify_parts_apart(const struct verify_parts *parts)
{
    double first = (double)parts->first, rest = (double)parts->rest;
    double others = first - (double)parts->aside, apart;
    /* What the joined pass did not get counts as missing of the rest, where it costs most pairs. */
    double held = (double)parts->joined > others ? (double)parts->joined - others : 0;

    if (rest == 0)
        return 0;
    if (held > rest)
        held = rest;
    apart = 2 * (first * rest - others * held - parts->aside_pairs);
    apart += rest * rest - parts->rest_pairs;
    if (held * held > parts->rest_pairs)
        apart -= held * held - parts->rest_pairs;
    return apart / ((first + rest) * (first + rest));
}

uint32_t verify_step_moves(const struct verify_step *step)
{
    return (step->expected != VERIFY_NONE) + (step->written != VERIFY_NONE);
}

bool verify_data_of(enum verify_data name, struct march_data *data)
{
    static const enum march_pattern pattern[] = {[VERIFY_A] = MARCH_ADDRESS,
                                                 [VERIFY_NOT_A] = MARCH_ADDRESS,
                                                 [VERIFY_R] = MARCH_RANDOM,
                                                 [VERIFY_NOT_R] = MARCH_RANDOM,
                                                 [VERIFY_L] = MARCH_LANES};

    *data = (struct march_data){.pattern = pattern[name],
                                .inverted = name == VERIFY_NOT_A || name == VERIFY_NOT_R};
    return name != VERIFY_NONE;
}

const char *verify_kind_name(enum verify_kind kind)
{
    static const char *const names[] = {[VERIFY_STORED] = "stored",
                                        [VERIFY_TRANSFER] = "transfer",
                                        [VERIFY_ALIAS] = "alias",
                                        [VERIFY_OUTSIDE] = "outside"};

    return names[kind];
}

/* The word's first wrong value, if it is what another line's same word was to hold. */
static bool is_alias(const struct march_word *word, uint64_t bytes, uint64_t *offset)
{
    uint64_t plain = word->expected == word->offset ? word->read : ~word->read;
    bool address = word->expected == word->offset || word->expected == ~word->offset;

    *offset = plain;
    /* The other of the two may be inverted by then, as one step both reads and writes. */
    if (plain >= bytes)
        *offset = ~plain;
    return address && *offset < bytes && *offset != word->offset &&
           *offset % MARCH_LINE_BYTES == word->offset % MARCH_LINE_BYTES &&
           bits_count(word->bits) >= OTHER_DATA_BITS;
}

/* Two words in one place are not wrong in the same steps: which of them CPUs write last decides. So
 * one of them may be wrong once, by data that tell nothing, and its other need not be listed. */
static bool has_alias(const struct march_errors *errors, uint64_t bytes)
{
    uint64_t offset;

    for (uint32_t i = 0; i < errors->count; i++)
        if (is_alias(&errors->word[i], bytes, &offset))
            return true;
    return false;
}

/* Whether other lines have words that failed in the same lane alone. */
static bool is_of_a_lane(const struct march_errors *errors, const struct march_word *word)
{
    uint64_t seen = UINT64_MAX;
    uint32_t lines = 0;

    if (bits_count(word->bits) != 1)
        return false;
    for (uint32_t i = 0; i < errors->count; i++) {
        const struct march_word *other = &errors->word[i];
        uint64_t line = other->offset / MARCH_LINE_BYTES;
        lines += other->bits == word->bits && line != seen;
        seen = other->bits == word->bits ? line : seen;
    }
    return lines >= LANE_LINES;
}

struct verify_verdict verify_judge(const struct march_errors *errors, uint32_t index,
                                   uint64_t bytes, bool retested)
{
    const struct march_word *word = &errors->word[index];
    bool returned = word->events > 1;
    struct verify_verdict verdict = {.kind = VERIFY_STORED};

    if (word->stored == 0 && word->reread_events != 0)
        verdict.kind = VERIFY_TRANSFER;
    else if (is_alias(word, bytes, &verdict.alias_offset))
        verdict.kind = VERIFY_ALIAS;
    else if (retested && !returned && !is_of_a_lane(errors, word) && !has_alias(errors, bytes))
        verdict.kind = VERIFY_OUTSIDE;
    return verdict;
}

uint32_t verify_bad_lines(const struct march_errors *errors, uint64_t list[])
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < errors->count; i++) {
        uint64_t line = errors->word[i].offset / MARCH_LINE_BYTES;
        uint32_t n = 0;
        while (n < count && list[n] != line)
            n++;
        if (n == count)
            list[count++] = line;
    }
    return count;
}
