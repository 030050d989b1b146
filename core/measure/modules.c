/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/measure/modules.h"

#include "core/dram/modules.h"
#include "core/lib/text.h"

static uint64_t known_or_null(uint64_t number)
{
    return number != 0 ? number : RECORD_UNKNOWN;
}

static void emit_slots(const struct machine_description *d, struct journal *journal)
{
    for (size_t i = 0; i < d->dimm_count; i++) {
        struct record record = {.kind = RECORD_DIMM};
        record.u.dimm.dimm = &d->dimms[i];
        journal_emit(journal, &record);
    }
}

static enum answer agrees(enum modules_map map)
{
    return map == MODULES_MAP_UNKNOWN  ? ANSWER_UNKNOWN
           : map == MODULES_MAP_AGREES ? ANSWER_YES
                                       : ANSWER_NO;
}

static void emit_summary(const struct modules_summary *summary, const struct module_arrays *arrays,
                         struct journal *journal)
{
    struct record record = {.kind = RECORD_MODULES};

    record.u.modules =
        (struct record_modules){.slots = summary->slots,
                                .fitted = summary->fitted,
                                .of_unknown_size = summary->of_unknown_size,
                                .bytes = summary->bytes,
                                .rank_bytes = known_or_null(summary->rank_bytes),
                                .configured_mts_low = known_or_null(summary->mts_low),
                                .configured_mts_high = known_or_null(summary->mts_high),
                                .channels = known_or_null(summary->channels),
                                .ecc = modules_ecc_name(summary->ecc),
                                .max_bytes = known_or_null(arrays->max_bytes),
                                .mapped_bytes = known_or_null(arrays->mapped_bytes),
                                .map_bytes = known_or_null(summary->map_bytes),
                                .map_agrees = agrees(summary->map)};
    journal_emit(journal, &record);
}

static void note_map(const struct modules_summary *summary, struct journal *journal)
{
    static const char *const whys[] = {
        [MODULES_MAP_LACKS] = "a module or a rank takes no part, or is kept back by the firmware",
        [MODULES_MAP_EXCEEDS] = "the firmware does not describe every module, or wrongly"};

    if (summary->map == MODULES_MAP_LACKS || summary->map == MODULES_MAP_EXCEEDS)
        journal_note_format(journal, SEVERITY_WARNING, "modules and memory map differ",
                            "the modules hold %s, the memory map %s: %s", TEXT_SIZE(summary->bytes),
                            TEXT_SIZE(summary->map_bytes), whys[summary->map]);
}

static void sum(const struct machine_description *d, struct modules_summary *summary)
{
    modules_sum(d->dimms, d->dimm_count, &d->module_arrays, d->memory, d->memory_count, summary);
}

void modules_describe(const struct machine_description *d, struct journal *journal)
{
    struct modules_summary summary;

    emit_slots(d, journal);
    if (d->dimm_count == 0)
        return;
    sum(d, &summary);
    emit_summary(&summary, &d->module_arrays, journal);
    note_map(&summary, journal);
}

static void emit_held(const struct modules_held *held, struct journal *journal)
{
    static const enum answer met[] = {
        [MODULES_UNTOLD] = ANSWER_UNKNOWN, [MODULES_UNMET] = ANSWER_NO, [MODULES_MET] = ANSWER_YES};
    struct record record = {.kind = RECORD_EXPECTATION};

    record.u.expectation = (struct record_expectation){.name = held->name,
                                                       .expected = held->expected,
                                                       .found = held->found,
                                                       .met = met[held->met],
                                                       .why = held->why};
    journal_emit(journal, &record);
    if (held->met == MODULES_UNTOLD)
        journal_note_about(journal, SEVERITY_WARNING, held->name, "cannot be checked",
                           "%s is expected; %s", held->expected, held->why);
    if (held->met == MODULES_UNMET)
        journal_note_about(journal, SEVERITY_WARNING, held->name, "is not met",
                           "%s is expected, %s is found%s%s", held->expected, held->found,
                           held->why != NULL ? ": " : "", held->why != NULL ? held->why : "");
}

void modules_expect(const struct machine_description *d, const struct options *options,
                    struct journal *journal)
{
    static const enum modules_ecc ecc[] = {[EXPECT_AUTO] = MODULES_ECC_UNKNOWN,
                                           [EXPECT_OFF] = MODULES_ECC_OFF,
                                           [EXPECT_ON] = MODULES_ECC_ON};
    const struct modules_expected expected = {.dimms = options->expect_dimms,
                                              .channels = options->expect_channels,
                                              .bytes = options->expect_size,
                                              .mts = options->expect_speed,
                                              .ecc = ecc[options->expect_ecc]};
    struct modules_held held[MODULES_HELD_MAX];
    struct modules_summary summary;
    size_t count;

    sum(d, &summary);
    count = modules_hold(&expected, &summary, held);
    for (size_t i = 0; i < count; i++)
        emit_held(&held[i], journal);
}

/* Why banks that were found are nothing to hold against modules; NULL: they are. */
static const char *not_comparable(const struct machine_description *d)
{
    if (d->guest == GUEST_YES)
        return "addresses are a guest's";
    if (modules_several_nodes(d->memory, d->memory_count))
        return "modules are of several nodes, and one was searched";
    return NULL;
}

static void note_banks(const struct record_mapping *mapping, bool between, struct journal *journal)
{
    uint64_t low = mapping->modules_banks_low, high = mapping->modules_banks_high;
    char found[48], have[48];

    if (text_equal(mapping->verdict, "linear"))
        text_print(found, sizeof found, "%lu", (uint64_t)1 << mapping->rank);
    else
        text_print(found, sizeof found, "%lu to %lu", (uint64_t)mapping->banks_low,
                   (uint64_t)mapping->banks_high);
    if (low == high)
        text_print(have, sizeof have, "%lu", high);
    else
        text_print(have, sizeof have, "%lu %s %lu", low, between ? "to" : "or", high);
    journal_note_about(journal, SEVERITY_WARNING, mapping->experiment,
                       "banks are not those of the modules",
                       "%s were found, modules like these have %s: a rank or a channel takes no "
                       "part, or the firmware describes them wrongly",
                       found, have);
}

void modules_compare(const struct machine_description *d, struct record_mapping *mapping,
                     struct journal *journal)
{
    bool linear = text_equal(mapping->verdict, "linear");
    double banks = (double)((uint64_t)1 << mapping->rank);
    bool unsure = text_equal(mapping->verdict, "unsure");
    enum modules_agreement agreement = MODULES_NOT_HELD;
    const char *why = unsure ? "the search is unsure" : not_comparable(d);
    struct modules_summary summary;
    struct modules_banks have;

    sum(d, &summary);
    modules_count_banks(d->dimms, d->dimm_count, &have);
    if (why == NULL)
        agreement = modules_hold_banks(&have, &summary, linear ? banks : mapping->banks_low,
                                       linear ? banks : mapping->banks_high, mapping->bytes, &why);
    mapping->modules_banks_low = known_or_null(have.low);
    mapping->modules_banks_high = known_or_null(have.high);
    mapping->modules_agree = modules_agreement_name(agreement);
    mapping->modules_why = why;
    if (agreement == MODULES_DIFFER)
        note_banks(mapping, have.between, journal);
}
