/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/dram/banks.h"

#include "core/lib/real.h"
#include "core/stats/binomial.h"

#define FLUSHED         3
#define MISS            0.001
#define CONFLICTS_SPARE 24
/* Pairs of one row do not conflict, and mistaken pairs count: the share is that far off at most. */
#define SHARE_ERROR 0.1
/* Of conflicts, and of other pairs, that conflict when timed again: disturbances spare most. */
#define REPEAT_MIN  0.8
#define REPEAT_MISS 0.05
/* Two banks are the fewest that pairs can tell. */
#define BANKS_MIN 2

const char *banks_verdict_name(enum banks_verdict verdict)
{
    static const char *const names[] = {"unsure", "linear", "not-linear"};

    return names[verdict];
}

size_t banks_conflicts_needed(uint64_t bits)
{
    size_t count = CONFLICTS_SPARE;

    for (; bits != 0; bits &= bits - 1)
        count++;
    return count;
}

void banks_count(struct banks_summary *summary)
{
    const struct banks_repeat *seen = &summary->seen;
    double low = binomial_low(summary->conflicts, summary->pairs, MISS) * (1 - SHARE_ERROR);
    double high = binomial_high(summary->conflicts, summary->pairs, MISS) * (1 + SHARE_ERROR);

    if (seen->tried > 0) {
        low /= binomial_high(seen->conflicts, seen->tried, MISS);
        high /= binomial_low(seen->conflicts, seen->tried, MISS);
    }
    summary->banks_low = high < 1 ? 1 / high : 1;
    summary->banks_high = low > 0 ? 1 / low : real_nan();
}

bool banks_flushed(uint64_t flushed, uint64_t kept)
{
    return flushed > FLUSHED * kept;
}

const char *banks_doubt(struct banks_summary *summary, const struct banks_repeat *slow,
                        const struct banks_repeat *fast)
{
    if (slow->conflicts < REPEAT_MIN * slow->tried || fast->conflicts > REPEAT_MISS * fast->tried) {
        summary->banks_low = summary->banks_high = real_nan();
        return "pairs do not take the same time each time";
    }
    if (summary->banks_high < BANKS_MIN)
        return "more than half of all pairs conflict, which no banks explain";
    if (slow->conflicts < banks_conflicts_needed(summary->bits))
        return "too few conflicts for so many address bits";
    return NULL;
}

bool banks_too_few(const struct banks_summary *summary, unsigned rank)
{
    return (double)(1ull << rank) < summary->banks_low;
}

bool banks_agree(const struct banks_summary *summary, unsigned rank)
{
    return !banks_too_few(summary, rank) && !((double)(1ull << rank) > summary->banks_high);
}

enum banks_expectation banks_expect(const struct banks_summary *summary, uint32_t expected,
                                    bool guest)
{
    const enum banks_expectation unmet = guest ? BANKS_NOT_TOLD : BANKS_UNMET;

    if (expected == 0)
        return BANKS_NOTHING_EXPECTED;
    if (summary->verdict == BANKS_UNSURE)
        return BANKS_NOT_TOLD;
    if (summary->verdict == BANKS_LINEAR)
        return 1ull << summary->mapping.functions.count == expected ? BANKS_MET : unmet;
    return expected < summary->banks_low || expected > summary->banks_high ? unmet : BANKS_POSSIBLE;
}

const char *banks_expectation_name(enum banks_expectation expectation)
{
    static const char *const names[] = {NULL, "met", "possible", "unmet", "unknown"};

    return names[expectation];
}
