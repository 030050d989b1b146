/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/chase/order.h"

#include "core/names.h"

const char *order_name(enum order_kind kind)
{
    static const char *const names[] = {
        [ORDER_RANDOM] = PATTERN_NAME_CYCLE,
        [ORDER_SEQUENTIAL_PAGES] = PATTERN_NAME_SHUFFLED_PAGES,
        [ORDER_PAIRED_PAGES] = "paired-pages",
        [ORDER_HALVED_PAGES] = "halved-pages",
        [ORDER_FORWARD] = PATTERN_NAME_FORWARD,
        [ORDER_REVERSE] = PATTERN_NAME_REVERSE,
        [ORDER_SEQUENTIAL] = PATTERN_NAME_SEQUENTIAL,
        [ORDER_PAGED] = PATTERN_NAME_PAGED,
        [ORDER_GROUPED] = PATTERN_NAME_GROUPED,
        [ORDER_HOP_PAGE] = PATTERN_NAME_HOP_PAGE,
        [ORDER_LISTED] = "listed",
    };

    return names[kind];
}

bool order_by_groups(enum order_kind kind)
{
    switch (kind) {
    case ORDER_SEQUENTIAL_PAGES:
    case ORDER_PAIRED_PAGES:
    case ORDER_HALVED_PAGES:
    case ORDER_PAGED:
    case ORDER_GROUPED:
    case ORDER_HOP_PAGE:
        return true;
    case ORDER_RANDOM:
    case ORDER_FORWARD:
    case ORDER_REVERSE:
    case ORDER_SEQUENTIAL:
    case ORDER_LISTED:
        break;
    }
    return false;
}

static bool by_pairs(enum order_kind kind)
{
    return kind == ORDER_PAIRED_PAGES || kind == ORDER_HALVED_PAGES;
}

void line_order_start(struct line_order *order, enum order_kind kind, uint64_t lines,
                      uint64_t per_group, uint64_t seed)
{
    uint64_t count = lines;

    order->kind = kind;
    order->lines = lines;
    order->per_group = per_group;
    order->groups = order->rest = 0;
    if (order_by_groups(kind)) {
        order->groups = lines / per_group;
        order->rest = lines % per_group;
        count = by_pairs(kind) ? lines / 2 : order->groups;
        shuffle_start(&order->shuffle, seed);
        order->whole = shuffle_size_of(per_group);
        order->smaller = shuffle_size_of(order->rest);
    }
    bijection_start(&order->bijection, count == 0 ? 1 : count, seed);
}

/* The line of a group visited at step `at` of that group. The partial last group has the number
 * order->groups. */
static uint64_t line_in_group(const struct line_order *order, uint64_t group, uint64_t pos)
{
    const struct shuffle_size *size = group < order->groups ? &order->whole : &order->smaller;
    struct shuffle_group permutation = shuffle_group_of(&order->shuffle, size, group);

    return group * order->per_group + shuffle_at(&order->shuffle, &permutation, pos);
}

/* Full groups in random order, the partial one last. */
static uint64_t group_visited(const struct line_order *order, uint64_t visit)
{
    return visit < order->groups ? bijection_at(&order->bijection, visit) : visit;
}

/* ORDER_HOP_PAGE visits all groups in each pass; the partial group comes last in a pass, as long as
 * it has lines left. */
struct hop_place {
    uint64_t pass, pos, groups; /* the pass, the step in it, and its number of groups */
};

static struct hop_place hop_place_of(const struct line_order *order, uint64_t position)
{
    uint64_t with_rest = order->rest * (order->groups + 1);
    bool rest = position < with_rest;
    uint64_t groups = order->groups + rest;
    uint64_t after = rest ? position : position - with_rest;

    return (struct hop_place){
        .pass = after / groups + (rest ? 0 : order->rest), .pos = after % groups, .groups = groups};
}

static uint64_t hop_page_at(const struct line_order *order, uint64_t position)
{
    struct hop_place place = hop_place_of(order, position);

    return line_in_group(order, group_visited(order, place.pos), place.pass);
}

static uint64_t paired_at(const struct line_order *order, uint64_t position)
{
    uint64_t half = order->per_group / 2;
    uint64_t pair = bijection_at(&order->bijection, position / 2);

    if (order->kind == ORDER_HALVED_PAGES)
        return pair / half * order->per_group + pair % half + position % 2 * half;
    return line_in_group(order, pair / half, pair % half * 2 + position % 2);
}

uint64_t line_order_at(const struct line_order *order, uint64_t position)
{
    uint64_t group;

    switch (order->kind) {
    case ORDER_SEQUENTIAL_PAGES:
        group = group_visited(order, position / order->per_group);
        return group * order->per_group + position % order->per_group;
    case ORDER_PAGED:
    case ORDER_GROUPED:
        group = group_visited(order, position / order->per_group);
        return line_in_group(order, group, position % order->per_group);
    case ORDER_HOP_PAGE:
        return hop_page_at(order, position);
    case ORDER_PAIRED_PAGES:
    case ORDER_HALVED_PAGES:
        return paired_at(order, position);
    case ORDER_FORWARD:
    case ORDER_SEQUENTIAL:
        return position;
    case ORDER_REVERSE:
        return order->lines - 1 - position;
    case ORDER_LISTED:
        return order->listed[position];
    case ORDER_RANDOM:
        break;
    }
    return bijection_at(&order->bijection, position);
}

/* Looks up each group's permutation and place once. */
static void run_groups(const struct line_order *order, uint64_t position, uint32_t count,
                       uint64_t lines[])
{
    bool shuffled = order->kind != ORDER_SEQUENTIAL_PAGES;

    for (uint32_t i = 0; i < count;) {
        uint64_t group = group_visited(order, (position + i) / order->per_group);
        uint64_t pos = (position + i) % order->per_group;
        const struct shuffle_size *size = group < order->groups ? &order->whole : &order->smaller;
        struct shuffle_group permutation = shuffle_group_of(&order->shuffle, size, group);
        uint64_t base = group * order->per_group;

        for (; pos < size->count && i < count; pos++, i++)
            lines[i] = base + (shuffled ? shuffle_at(&order->shuffle, &permutation, pos) : pos);
    }
}

/* Within a pass: first all groups, then the line of each. */
static void run_hop_page(const struct line_order *order, uint64_t position, uint32_t count,
                         uint64_t lines[])
{
    for (uint32_t i = 0; i < count;) {
        struct hop_place place = hop_place_of(order, position + i);
        uint64_t left = place.groups - place.pos;
        uint32_t end = left < count - i ? i + (uint32_t)left : count;
        uint64_t whole = place.pos < order->groups ? order->groups - place.pos : 0;

        whole = whole < end - i ? whole : end - i;
        if (whole != 0)
            bijection_run(&order->bijection, place.pos, (uint32_t)whole, lines + i);
        if (i + whole < end)
            lines[i + whole] = order->groups;
        for (; i < end; i++)
            lines[i] = line_in_group(order, lines[i], place.pass);
    }
}

void line_order_run(const struct line_order *order, uint64_t first, uint32_t count,
                    uint64_t lines[])
{
    switch (order->kind) {
    case ORDER_SEQUENTIAL_PAGES:
    case ORDER_PAGED:
    case ORDER_GROUPED:
        run_groups(order, first, count, lines);
        return;
    case ORDER_RANDOM:
        bijection_run(&order->bijection, first, count, lines);
        return;
    case ORDER_HOP_PAGE:
        run_hop_page(order, first, count, lines);
        return;
    case ORDER_PAIRED_PAGES:
    case ORDER_HALVED_PAGES:
    case ORDER_FORWARD:
    case ORDER_REVERSE:
    case ORDER_SEQUENTIAL:
    case ORDER_LISTED:
        break;
    }
    for (uint32_t i = 0; i < count; i++)
        lines[i] = line_order_at(order, first + i);
}
