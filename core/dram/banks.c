/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/dram/banks.h"

#include "core/lib/real.h"
#include "core/stats/binomial.h"

#define MISS            0.001
#define CONFLICTS_SPARE 24
/* Pairs of one row do not conflict, and mistaken pairs count: the share is that far off at most. */
#define SHARE_ERROR 0.1

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
    double low = binomial_low(summary->conflicts, summary->pairs, MISS) * (1 - SHARE_ERROR);
    double high = binomial_high(summary->conflicts, summary->pairs, MISS) * (1 + SHARE_ERROR);

    summary->banks_low = high < 1 ? 1 / high : 1;
    summary->banks_high = low > 0 ? 1 / low : real_nan();
}

bool banks_too_few(const struct banks_summary *summary, unsigned rank)
{
    return (double)(1ull << rank) < summary->banks_low;
}

bool banks_agree(const struct banks_summary *summary, unsigned rank)
{
    return !banks_too_few(summary, rank) && !((double)(1ull << rank) > summary->banks_high);
}
