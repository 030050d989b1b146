/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/verdict/figures.h"

#include "core/lib/real.h"
#include "core/stats/apart.h"

#define SURE 1.68 /* from 95 % of a normal distribution to 99.9 % */

const char *figures_kind_name(enum figures_kind kind)
{
    static const char *const names[] = {
        [FIGURES_LATENCY] = "latency", [FIGURES_DIFFERENCE] = "difference",
        [FIGURES_RATE] = "rate",       [FIGURES_SIZE] = "size",
        [FIGURES_TIME] = "time",       [FIGURES_SPEED] = "speed",
        [FIGURES_WORDS] = "words"};

    return names[kind];
}

double figures_error(const struct figures_one *one)
{
    double half = (one->high - one->low) / 2;

    return half >= 0 ? half * SURE : 0;
}

void figures_set_error(struct figures_one *one, double error)
{
    one->low = one->value - error / SURE;
    one->high = one->value + error / SURE;
}

void figures_start(struct figures *figures, struct figures_one *one, size_t room)
{
    *figures = (struct figures){.one = one, .room = room};
}

/* A new figure; NULL: there is no room. */
static struct figures_one *add(struct figures *figures, enum figures_kind kind, struct text *name)
{
    struct figures_one *one;

    if (figures->count == figures->room) {
        figures->left_out++;
        return NULL;
    }
    one = &figures->one[figures->count++];
    *one = (struct figures_one){.kind = kind};
    text_start(name, one->name, sizeof one->name);
    return one;
}

static void bounds(struct figures_one *one, double value, double low, double high)
{
    one->value = value;
    one->low = real_is_finite(low) ? low : value;
    one->high = real_is_finite(high) ? high : value;
}

static void around(struct figures_one *one, double value, double error)
{
    bounds(one, value, value - error, value + error);
}

static void mark(struct figures_one *one, doubt_set doubt)
{
    one->doubt = doubt;
    one->marked = doubt != 0;
}

/* The figure of that name, new or not; NULL: there is no room. */
static struct figures_one *add_once(struct figures *figures, enum figures_kind kind,
                                    const char *words, bool *is_new)
{
    size_t from = 0;
    const struct figures_one *found = figures_find(figures, words, &from);
    struct text name;
    struct figures_one *one;

    *is_new = found == NULL;
    if (found != NULL)
        return &figures->one[found - figures->one];
    one = add(figures, kind, &name);
    if (one != NULL)
        text_add(&name, words);
    return one;
}

/* A label, and no part of the name: with or without decode= the figure is the same. */
static void label(struct figures_one *one, const char *slot)
{
    if (slot != NULL)
        text_print(one->slot, sizeof one->slot, "%s", slot);
}

/* ---- by record */

static void take_dram(struct figures *figures, const struct record_dram *dram)
{
    struct text name;
    struct figures_one *one;

    if (!(dram->ns > 0))
        return;
    one = add(figures, FIGURES_LATENCY, &name);
    if (one == NULL)
        return;
    text_format(&name, "dram %s %s %s %s", page_bytes_name(dram->pages_bytes), dram->pattern,
                dram->frames, prefetch_state_name(dram->prefetch));
    bounds(one, dram->ns, dram->ns_low, dram->ns_high);
    mark(one, dram->doubt);
}

static void take_level(struct figures *figures, const struct record_level *level)
{
    struct text name;
    struct figures_one *one;

    if (!text_equal(level->kind, "cache") || !(level->ns > 0))
        return;
    one = add(figures, FIGURES_LATENCY, &name);
    if (one == NULL)
        return;
    text_format(&name, "level %s %s", level->experiment, level->name);
    bounds(one, level->ns, level->ns_low, level->ns_high);
    mark(one, level->doubt);
}

/* Before those of its blocks, ranges and parts. */
static void take_regions(struct figures *figures, const struct record_regions *regions)
{
    struct text name;
    struct figures_one *one;

    figures->anywhere = regions->map != NULL && text_equal(regions->map, "process");
    if (!figures->anywhere || !(regions->ns > 0))
        return;
    one = add(figures, FIGURES_LATENCY, &name);
    if (one == NULL)
        return;
    text_format(&name, "blocks %s", TEXT_SIZE(regions->block_bytes));
    if (regions->node != RECORD_UNKNOWN)
        text_format(&name, " of node %lu", regions->node);
    around(one, regions->ns, 2 * regions->scatter_ns);
}

static void take_block(struct figures *figures, const struct record_block *block)
{
    struct text name;
    struct figures_one *one;

    if (figures->anywhere || !block->compared || !(block->ns > 0))
        return;
    one = add(figures, FIGURES_LATENCY, &name);
    if (one == NULL)
        return;
    text_format(&name, "block 0x%lx %s", block->physical_first.value, TEXT_SIZE(block->bytes));
    around(one, block->ns, 2 * block->rel_error * block->ns);
    label(one, block->slot);
}

static void raise(double *most, double ns)
{
    if (ns > *most)
        *most = ns;
}

/* Of the node where that is most. Bits and pairs of them show some ranks and channels, and not
 * those that other functions or a division choose. */
static void take_unseen(struct figures_unseen *unseen, const struct record_regions *regions)
{
    raise(&unseen->range_ns, APART_SIGMAS * regions->scatter_ns);
    raise(&unseen->range_ns, APART_SHARE * regions->ns);
    raise(&unseen->half_ns, regions->class_limit_ns);
    if (regions->by != NULL && text_equal(regions->by, "functions"))
        raise(&unseen->part_ns, regions->class_part_limit_ns);
    raise(&unseen->parts, regions->class_part != RECORD_UNKNOWN ? (double)regions->class_part : 0);
    raise(&unseen->against_ns, regions->ns);
}

static void add_bits(struct text *name, uint64_t mask)
{
    const char *before = "";

    for (unsigned bit = 0; bit < 64; bit++)
        if (mask >> bit & 1) {
            text_format(name, "%s%u", before, bit);
            before = "^";
        }
}

void figures_name_lines(struct text *name, const uint64_t mask[], size_t masks, uint64_t parities)
{
    text_add(name, "lines");
    for (size_t i = 0; i < masks; i++) {
        text_char(name, ' ');
        add_bits(name, mask[i]);
        text_format(name, "=%lu", parities >> i & 1);
    }
}

static void take_class(struct figures *figures, const struct record_class *class)
{
    struct text name;
    struct figures_one *one = add(figures, FIGURES_DIFFERENCE, &name);

    if (one == NULL)
        return;
    figures_name_lines(&name, class->mask, class->masks, class->parities);
    around(one, class->slower_ns, class->slower_repeat_ns);
    one->against_ns = class->against_ns;
    label(one, class->slot);
}

static void take_range(struct figures *figures, const struct record_range *range)
{
    bool is_new = true;
    struct text name;
    struct figures_one *one = figures->anywhere
                                  ? add_once(figures, FIGURES_DIFFERENCE, "slowest range", &is_new)
                                  : add(figures, FIGURES_DIFFERENCE, &name);

    if (one == NULL || (!is_new && one->value >= range->slower_ns))
        return;
    if (!figures->anywhere)
        text_format(&name, "range 0x%lx", range->physical_first.value);
    around(one, range->slower_ns, range->slower_repeat_ns);
    one->against_ns = range->against_ns;
    label(one, range->slot);
}

/* Not by function: another run may find other functions of the same span. Read in another order,
 * lines wait for each other more or less: that is another figure. */
static void take_bandwidth(struct figures *figures, const struct record_bandwidth *bandwidth)
{
    bool is_part = bandwidth->physical_first.value != RECORD_UNKNOWN, is_new = true;
    const struct record_bounded *rate = &bandwidth->bytes_per_s;
    bool of_slowest = is_part && figures->anywhere;
    char slowest[FIGURES_NAME_BYTES];
    struct text name;
    struct figures_one *one;

    if (bandwidth->function != 0)
        return;
    text_print(slowest, sizeof slowest, "bandwidth of the slowest part (%s)", bandwidth->order);
    one = of_slowest ? add_once(figures, FIGURES_RATE, slowest, &is_new)
                     : add(figures, FIGURES_RATE, &name);
    if (one == NULL || (!is_new && one->value <= rate->value))
        return;
    if (is_part && !of_slowest)
        text_format(&name, "bandwidth from 0x%lx (%s)", bandwidth->physical_first.value,
                    bandwidth->order);
    else if (!of_slowest)
        text_format(&name, "bandwidth (%s)", bandwidth->order);
    bounds(one, rate->value, rate->low, rate->high);
}

static void take_bounded(struct figures *figures, const char *words, enum figures_kind kind,
                         const struct record_bounded *bounded, doubt_set doubt)
{
    struct text name;
    struct figures_one *one;

    if (!(bounded->value > 0))
        return;
    one = add(figures, kind, &name);
    if (one == NULL)
        return;
    text_add(&name, words);
    bounds(one, bounded->value, bounded->low, bounded->high);
    mark(one, doubt);
}

static void take_distribution(struct figures *figures, const struct record_distribution *d)
{
    take_bounded(figures, "refresh period", FIGURES_TIME, &d->period_ns, d->doubt);
    take_bounded(figures, "refresh stall", FIGURES_TIME, &d->stall_ns, d->doubt);
    take_bounded(figures, "row hit", FIGURES_LATENCY, &d->hit_ns, d->doubt);
    take_bounded(figures, "row empty", FIGURES_LATENCY, &d->empty_ns, d->doubt);
    take_bounded(figures, "row conflict", FIGURES_LATENCY, &d->conflict_ns, d->doubt);
}

static void take_words(struct figures *figures, const char *what, const char *words)
{
    struct text name;
    struct figures_one *one = add(figures, FIGURES_WORDS, &name);

    if (one == NULL)
        return;
    text_add(&name, what);
    text_print(one->words, sizeof one->words, "%s", words);
}

static void take_mapping(struct figures *figures, const struct record_mapping *mapping)
{
    char words[FIGURES_WORDS_BYTES];

    if (text_equal(mapping->verdict, "unsure"))
        return;
    if (text_equal(mapping->verdict, "linear"))
        text_print(words, sizeof words, "%lu by functions", (uint64_t)1 << mapping->rank);
    else
        text_print(words, sizeof words, "%s", mapping->verdict);
    take_words(figures, "banks", words);
}

static void take_dimm(struct figures *figures, const struct dimm_info *dimm)
{
    char words[FIGURES_WORDS_BYTES], what[FIGURES_NAME_BYTES];

    text_print(what, sizeof what, "slot %s %s", dimm->locator, dimm->bank);
    if (dimm->bytes == 0)
        text_print(words, sizeof words, "empty");
    else
        text_print(words, sizeof words, "%s %s %u ranks, ECC %s",
                   dimm->bytes == DIMM_UNKNOWN ? "?" : TEXT_SIZE(dimm->bytes), dimm->type,
                   dimm->ranks, dimm->ecc != NULL ? dimm->ecc : "unknown");
    take_words(figures, what, words);
}

static void take_speed(struct figures *figures, const struct dimm_info *dimm)
{
    struct text name;
    struct figures_one *one;

    if (dimm->bytes == 0 || dimm->configured_mts == 0)
        return;
    one = add(figures, FIGURES_SPEED, &name);
    if (one == NULL)
        return;
    text_format(&name, "speed %s %s", dimm->locator, dimm->bank);
    one->value = one->low = one->high = dimm->configured_mts;
}

/* All ordinary memory of the map: ranges differ from boot to boot. */
static void take_memory(struct figures *figures, const struct record_memory *memory)
{
    struct figures_one *one;
    bool is_new;

    if (!text_equal(memory->kind, "ordinary"))
        return;
    one = add_once(figures, FIGURES_SIZE, "memory map", &is_new);
    if (one == NULL)
        return;
    one->value += (double)memory->bytes;
    one->low = one->high = one->value;
}

void figures_take(struct figures *figures, const struct record *record)
{
    if (figures->room == 0)
        return;
    switch (record->kind) {
    case RECORD_MEMORY:
        take_memory(figures, &record->u.memory);
        break;
    case RECORD_DIMM:
        take_dimm(figures, record->u.dimm.dimm);
        take_speed(figures, record->u.dimm.dimm);
        break;
    case RECORD_DRAM:
        take_dram(figures, &record->u.dram);
        break;
    case RECORD_LEVEL:
        take_level(figures, &record->u.level);
        break;
    case RECORD_REGIONS:
        take_unseen(&figures->unseen, &record->u.regions);
        take_regions(figures, &record->u.regions);
        break;
    case RECORD_BLOCK:
        take_block(figures, &record->u.block);
        break;
    case RECORD_RANGE:
        take_range(figures, &record->u.range);
        break;
    case RECORD_CLASS:
        take_class(figures, &record->u.class);
        break;
    case RECORD_BANDWIDTH:
        take_bandwidth(figures, &record->u.bandwidth);
        break;
    case RECORD_DISTRIBUTION:
        take_distribution(figures, &record->u.distribution);
        break;
    case RECORD_MAPPING:
        take_mapping(figures, &record->u.mapping);
        break;
    default:
        break;
    }
}

const struct figures_one *figures_find(const struct figures *figures, const char *name,
                                       size_t *from)
{
    for (size_t i = 0; i < figures->count; i++) {
        size_t pos = (*from + i) % figures->count;
        if (text_equal(figures->one[pos].name, name)) {
            *from = pos + 1;
            return &figures->one[pos];
        }
    }
    return NULL;
}
