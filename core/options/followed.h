/* SPDX-License-Identifier: BSD-2-Clause */
/* Which options an experiment may leave aside, and the words that say so: nothing that is asked for
 * stays undone in silence. */
#ifndef CORE_OPTIONS_FOLLOWED_H
#define CORE_OPTIONS_FOLLOWED_H

#include "core/lib/text.h"
#include "core/options/options.h"

/* What some experiments follow and others do not, bits of struct experiment's `follows`. Every
 * other option is one of the whole run. */
enum followed {
    FOLLOWS_MIN = 1 << 0,
    FOLLOWS_MAX = 1 << 1,
    FOLLOWS_POINTS = 1 << 2,
    FOLLOWS_KIND = 1 << 3,  /* pattern=cycle, iid */
    FOLLOWS_ORDER = 1 << 4, /* any other pattern, and its group */
    FOLLOWS_FIT = 1 << 5,
    FOLLOWS_STRIDE = 1 << 6, /* of whole lines */
    FOLLOWS_PART = 1 << 7,   /* of a part of one */
    FOLLOWS_HOP = 1 << 8,    /* chains, load, word, hint, work, warmup */
    FOLLOWS_ON = 1 << 9,     /* prefetch=on */
    FOLLOWS_BOTH = 1 << 10,  /* prefetch=both */
    FOLLOWS_ERROR = 1 << 11,
    FOLLOWS_HOPS = 1 << 12,
    FOLLOWS_ITERATIONS = 1 << 13,
    FOLLOWS_SECONDS = 1 << 14,
    FOLLOWS_REPEATS = 1 << 15
};

/* Pure. Adds "max=, error=": the keys of those parts that are not at their defaults, but for the
 * parts in `follows`. False: there are none. */
bool options_not_followed(const struct options *options, uint32_t line_bytes, uint32_t follows,
                          struct text *words);

/* Pure. The keys of the hop (chains, load, word, hint, work, warmup) that are not at their
 * defaults, in the same words; words may be NULL. False: there are none. */
bool options_hop_asked(const struct options *options, struct text *words);

#endif
