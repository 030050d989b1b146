/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that fit the conflicts, held against pairs that they predict. */
#include "core/dram/offsets.h"
#include "core/measure/banks_run.h"

#define ENOUGH    0.85 /* of the conflicts fit the functions: the others were mistaken */
#define PREDICTED 32   /* pairs that must conflict; and as many that must not, of each function */
#define TRIES_MAX 200000
/* Of predicted pairs; single rounds of conflicts fall into one row, or meet a disturbance. */
#define CONFIRMED_MIN 0.9

/* Where a pair lies of the 4 GiB from which on offsets may apply. */
enum side { SIDE_BELOW, SIDE_ABOVE, SIDE_ACROSS, SIDES, SIDE_ANY = SIDES };

static enum side side_of(const struct address_pair *pair)
{
    bool a = pair->a >= OFFSETS_4G, b = pair->b >= OFFSETS_4G;

    return a != b ? SIDE_ACROSS : a ? SIDE_ABOVE : SIDE_BELOW;
}

/* Pairs to draw: whose functions differ in `class`. */
struct wanted {
    const struct address_mapping *mapping;
    unsigned class;
    enum side side;
};

/* False: none was met. */
static bool draw_wanted(struct measure *m, const struct window *w, const struct wanted *wanted,
                        struct banks_lines *lines)
{
    const struct address_mapping *mapping = wanted->mapping;

    for (uint32_t i = 0; i < TRIES_MAX; i++) {
        struct address_pair pair;
        *lines = banks_draw(&m->banks);
        pair = banks_pair(m, w, *lines);
        if ((wanted->side == SIDE_ANY || side_of(&pair) == wanted->side) &&
            address_class(&mapping->functions, address_moved(mapping, pair.a) ^
                                                   address_moved(mapping, pair.b)) == wanted->class)
            return true;
    }
    return false;
}

/* Times such pairs; *conflicts is how many of the *count conflict. */
static enum status time_wanted(struct measure *m, const struct window *w,
                               const struct wanted *wanted, uint32_t *count, uint32_t *conflicts)
{
    struct banks_run *run = &m->banks;
    enum status status;

    *count = *conflicts = 0;
    while (*count < PREDICTED && draw_wanted(m, w, wanted, &run->kept[*count]))
        ++*count;
    status = banks_time(m, w, run->kept, *count, run->section_time);
    for (uint32_t i = 0; i < *count && status == STATUS_OK; i++)
        *conflicts += (double)run->section_time[i] > run->split.time;
    return status;
}

static bool is_confirmed(uint32_t confirmed, uint32_t predicted)
{
    return confirmed >= CONFIRMED_MIN * predicted;
}

/* Pairs that a single function tells apart must not conflict. A function of which they do selects
 * nothing, and is removed. */
static enum status predict_apart(struct measure *m, const struct window *w,
                                 struct banks_summary *summary, struct address_mapping *mapping)
{
    struct address_functions proven = {0};
    enum status status = STATUS_OK;

    for (unsigned f = 0; f < mapping->functions.count && status == STATUS_OK; f++) {
        uint32_t count, conflicts;
        const struct wanted wanted = {mapping, 1u << f, SIDE_ANY};
        status = time_wanted(m, w, &wanted, &count, &conflicts);
        if (2 * conflicts >= count)
            continue;
        proven.mask[proven.count++] = mapping->functions.mask[f];
        summary->predicted += count;
        summary->confirmed += count - conflicts;
    }
    mapping->functions = proven;
    return status;
}

/* Pairs in one bank by all functions must conflict, wherever they lie: where most memory is on one
 * side, an offset that is wrong for the other would hide in the sum. */
static enum status predict(struct measure *m, const struct window *w, struct banks_summary *summary,
                           struct address_mapping *mapping, bool *holds)
{
    enum status status;

    summary->predicted = summary->confirmed = 0;
    *holds = true;
    status = predict_apart(m, w, summary, mapping);
    for (unsigned side = 0; side < SIDES && status == STATUS_OK; side++) {
        uint32_t count, conflicts;
        const struct wanted wanted = {mapping, 0, (enum side)side};
        if (!m->banks.side_met[side])
            continue;
        status = time_wanted(m, w, &wanted, &count, &conflicts);
        *holds = *holds && is_confirmed(conflicts, count);
        summary->predicted += count;
        summary->confirmed += conflicts;
    }
    *holds = *holds && is_confirmed(summary->confirmed, summary->predicted);
    return status;
}

static void draw_any(struct measure *m, const struct window *w)
{
    struct banks_run *run = &m->banks;

    for (unsigned side = 0; side < SIDES; side++)
        run->side_met[side] = false;
    for (uint32_t i = 0; i < BANKS_KEPT; i++) {
        run->any[i] = banks_pair(m, w, banks_draw(run));
        run->side_met[side_of(&run->any[i])] = true;
    }
}

/* Address bits differ by more than the addresses do, where an offset carries into higher bits. */
static void fit(struct measure *m, struct address_offset offset, struct address_mapping *mapping)
{
    struct banks_run *run = &m->banks;
    uint64_t bits = ~(uint64_t)(m->machine->description->line_bytes - 1);

    address_solve(run->pair, run->kept_count, address_free_bits(run->any, BANKS_KEPT, bits, offset),
                  offset, ENOUGH, &run->random, mapping);
}

/* Holds a mapping against pairs that it predicts, and keeps it if no better one is known. */
static enum status try_mapping(struct measure *m, const struct window *w,
                               struct banks_summary *summary, struct address_mapping *mapping)
{
    const struct banks_run *run = &m->banks;
    struct banks_summary with = *summary;
    enum status status;
    bool holds;

    status = predict(m, w, &with, mapping, &holds);
    if (summary->verdict != BANKS_LINEAR) {
        summary->predicted = with.predicted;
        summary->confirmed = with.confirmed;
    }
    if (status != STATUS_OK || !holds || !banks_agree(&with, mapping->functions.count))
        return status;
    mapping->agreement = address_agreement(mapping, run->pair, run->kept_count);
    if (with.verdict == BANKS_LINEAR && mapping->agreement <= with.mapping.agreement)
        return STATUS_OK;
    *summary = with;
    summary->verdict = BANKS_LINEAR;
    summary->mapping = *mapping;
    return STATUS_OK;
}

enum status banks_hold(struct measure *m, const struct window *w,
                       const struct address_mapping *mapping, bool *hold)
{
    const struct wanted wanted = {mapping, 0, SIDE_ANY};
    uint32_t count, conflicts;
    enum status status = time_wanted(m, w, &wanted, &count, &conflicts);

    *hold = 2 * conflicts > count;
    return status;
}

enum status banks_solve(struct measure *m, const struct window *w, struct banks_summary *summary)
{
    const struct machine_description *d = m->machine->description;
    struct address_offset offset[OFFSETS_MAX];
    enum status status = STATUS_OK;
    const bool *met = m->banks.side_met;
    size_t count;

    draw_any(m, w);
    count =
        offsets_list(offsets_hole(d->memory, d->memory_count), !met[SIDE_ABOVE] || met[SIDE_ACROSS],
                     met[SIDE_ABOVE] || met[SIDE_ACROSS], offset);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        struct address_mapping mapping;
        fit(m, offset[i], &mapping);
        if (summary->verdict != BANKS_LINEAR &&
            (i == 0 || mapping.functions.count > summary->mapping.functions.count))
            summary->mapping = mapping;
        if (!banks_too_few(summary, mapping.functions.count))
            status = try_mapping(m, w, summary, &mapping);
        if (summary->verdict == BANKS_LINEAR && summary->mapping.agreement == 1)
            break;
        status = status == STATUS_OK ? measure_go_on(m) : status;
    }
    return status;
}
