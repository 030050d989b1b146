/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/options/followed.h"

struct list {
    struct text *words;
    uint32_t follows;
    bool any;
};

static void add(struct list *list, bool requested, uint32_t part, const char *key)
{
    if (!requested || (list->follows & part))
        return;
    if (list->words != NULL)
        text_format(list->words, list->any ? ", %s" : "%s", key);
    list->any = true;
}

static void add_sets(struct list *list, const struct options *o)
{
    add(list, o->min_bytes != 0, FOLLOWS_MIN, "min=");
    add(list, o->max_bytes != 0, FOLLOWS_MAX, "max=");
    add(list, o->points != 0, FOLLOWS_POINTS, "points=");
    add(list, o->block_bytes != 0, FOLLOWS_BLOCK, "block=");
    add(list, o->hold_s > 0, FOLLOWS_HOLD, "hold=");
    add(list, o->cpus[0] != '\0', FOLLOWS_CPUS, "cpus=");
    add(list, o->node[0] != '\0', FOLLOWS_NODES, "node=");
    add(list, o->place[0] != '\0', FOLLOWS_PLACE, "place=");
    add(list, o->expect_banks != 0, FOLLOWS_EXPECT_BANKS, "expect-banks=");
    add(list, o->expect_bandwidth_gb_s > 0, FOLLOWS_EXPECT_BANDWIDTH, "expect-bandwidth=");
}

static void add_orders(struct list *list, const struct options *o, uint32_t line_bytes)
{
    bool kind = o->pattern == PATTERN_CYCLE || o->pattern == PATTERN_IID;

    add(list, kind, FOLLOWS_KIND, "pattern=");
    add(list, !kind && o->pattern != PATTERN_AUTO, FOLLOWS_ORDER, "pattern=");
    add(list, o->fit != FIT_TIMING, FOLLOWS_FIT, "fit=");
    add(list, o->stride_bytes != 0, o->stride_bytes % line_bytes ? FOLLOWS_PART : FOLLOWS_STRIDE,
        "stride=");
    add(list, o->group_bytes != 0, FOLLOWS_ORDER, "group=");
}

static void add_hops(struct list *list, const struct options *o)
{
    add(list, o->chains != 1, FOLLOWS_HOP | FOLLOWS_CHAINS, "chains=");
    add(list, o->load == LOAD_FLUSH, FOLLOWS_HOP | FOLLOWS_FLUSH, "load=");
    add(list, o->load != LOAD_PLAIN && o->load != LOAD_FLUSH, FOLLOWS_HOP, "load=");
    add(list, o->word != 0, FOLLOWS_HOP, "word=");
    add(list, o->hint != HINT_NONE, FOLLOWS_HOP, "hint=");
    add(list, o->work != 0, FOLLOWS_HOP, "work=");
    add(list, !o->warmup, FOLLOWS_HOP, "warmup=");
}

static void add_sampling(struct list *list, const struct options *o)
{
    struct options plain;

    options_default(&plain);
    add(list, o->prefetch == PREFETCH_REQUEST_ON, FOLLOWS_ON, "prefetch=");
    add(list, o->prefetch == PREFETCH_REQUEST_BOTH, FOLLOWS_BOTH, "prefetch=");
    add(list, o->error_percent != plain.error_percent, FOLLOWS_ERROR, "error=");
    add(list, o->hops != 0, FOLLOWS_HOPS, "hops=");
    add(list, o->iterations != 0, FOLLOWS_ITERATIONS, "iterations=");
    add(list, o->repeats != 1, FOLLOWS_REPEATS, "repeats=");
    add(list, o->seconds > 0, FOLLOWS_SECONDS, "seconds=");
    add(list, o->witness != plain.witness, FOLLOWS_WITNESS, "witness=");
}

bool options_hop_requested(const struct options *options, struct text *words)
{
    struct list list = {.words = words};

    add_hops(&list, options);
    return list.any;
}

bool options_not_followed(const struct options *options, uint32_t line_bytes, uint32_t follows,
                          struct text *words)
{
    struct list list = {.words = words, .follows = follows};

    add_sets(&list, options);
    add_orders(&list, options, line_bytes);
    add_hops(&list, options);
    add_sampling(&list, options);
    return list.any;
}
