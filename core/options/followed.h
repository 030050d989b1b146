/* SPDX-License-Identifier: BSD-2-Clause */
/* Which options an experiment does not follow, so that a note can say so: no requested option is
 * ignored in silence. */
#ifndef CORE_OPTIONS_FOLLOWED_H
#define CORE_OPTIONS_FOLLOWED_H

#include "core/lib/text.h"
#include "core/options/options.h"

/* Options that some experiments follow and others do not: bits of struct experiment_listing's
 * `follows`. Every other option applies to the whole run. */
enum followed {
    FOLLOWS_MIN = 1 << 0,
    FOLLOWS_MAX = 1 << 1,
    FOLLOWS_POINTS = 1 << 2,
    FOLLOWS_KIND = 1 << 3,  /* pattern=cycle or iid */
    FOLLOWS_ORDER = 1 << 4, /* any other pattern, and group= */
    FOLLOWS_FIT = 1 << 5,
    FOLLOWS_STRIDE = 1 << 6, /* stride= of whole lines */
    FOLLOWS_PART = 1 << 7,   /* any other stride= */
    FOLLOWS_HOP = 1 << 8,    /* chains, load, word, hint, work, warmup */
    FOLLOWS_ON = 1 << 9,     /* prefetch=on */
    FOLLOWS_BOTH = 1 << 10,  /* prefetch=both */
    FOLLOWS_ERROR = 1 << 11,
    FOLLOWS_HOPS = 1 << 12,
    FOLLOWS_ITERATIONS = 1 << 13,
    FOLLOWS_SECONDS = 1 << 14,
    FOLLOWS_REPEATS = 1 << 15,
    FOLLOWS_FLUSH = 1 << 16, /* load=flush */
    FOLLOWS_WITNESS = 1 << 17,
    FOLLOWS_BLOCK = 1 << 18,
    FOLLOWS_EXPECT_BANKS = 1 << 19,
    FOLLOWS_EXPECT_BANDWIDTH = 1 << 20,
    FOLLOWS_HOLD = 1 << 21,
    FOLLOWS_CPUS = 1 << 22,
    FOLLOWS_CHAINS = 1 << 23,
    FOLLOWS_NODES = 1 << 24, /* node= */
    FOLLOWS_PLACE = 1 << 25
};

/* Pure. Adds the keys of options that are not at their default and not in `follows`, such as "max=,
 * error=". words may be NULL. False: there are none. */
bool options_not_followed(const struct options *options, uint32_t line_bytes, uint32_t follows,
                          struct text *words);

/* Pure. The same for the options of the hop (chains, load, word, hint, work, warmup). words may be
 * NULL. False: they are all at their defaults. */
bool options_hop_requested(const struct options *options, struct text *words);

#endif
