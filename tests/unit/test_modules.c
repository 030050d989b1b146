/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory modules together, and against the memory map. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/dram/modules.h"

#define GIB (1ull << 30)
#define MIB (1ull << 20)

static struct dimm_info dimms[8];
static size_t count;
static struct module_arrays arrays;
static struct memory_range memory[3];
static struct modules_summary summary;

static struct dimm_info *fit(uint64_t bytes, uint8_t ranks, const char *channel)
{
    struct dimm_info *dimm = &dimms[count++];

    *dimm = (struct dimm_info){
        .bytes = bytes, .ranks = ranks, .configured_mts = 4800, .data_bits = 64, .total_bits = 64};
    snprintf(dimm->channel, sizeof dimm->channel, "%s", channel);
    return dimm;
}

static int start(void **state)
{
    (void)state;
    memset(dimms, 0, sizeof dimms);
    memset(memory, 0, sizeof memory);
    arrays = (struct module_arrays){.slots = 0};
    count = 0;
    return 0;
}

static void sum(void)
{
    modules_sum(dimms, count, &arrays, memory, 3, &summary);
}

static void dimms_ecc(const char *ecc)
{
    for (size_t i = 0; i < count; i++)
        dimms[i].ecc = ecc;
}

static void what_is_no_system_memory_does_not_count(void **state)
{
    (void)state;
    fit(16 * GIB, 2, "A");
    fit(8 * GIB, 1, "B")->use = "system memory";
    fit(16 * MIB, 0, "C")->use = "flash";
    fit(512 * GIB, 1, "A")->use = "persistent memory";
    fit(0, 0, "");
    sum();
    assert_int_equal(summary.slots, 3);
    assert_int_equal(summary.fitted, 2);
    assert_int_equal(summary.bytes, 24 * GIB);
    assert_int_equal(summary.rank_bytes, 8 * GIB);
    assert_int_equal(summary.channels, 2);
    assert_int_equal(summary.mts_low, 4800);
    assert_int_equal(summary.mts_untold, 0);
    arrays.slots = 8; /* empty ones are often not listed */
    sum();
    assert_int_equal(summary.slots, 8);
    arrays.slots = 1;
    sum();
    assert_int_equal(summary.slots, 3);
    count = 0;
    arrays.slots = 8;
    sum();
    assert_int_equal(summary.slots, 0);
}

static void channels_are_told_of_all_or_not_at_all(void **state)
{
    (void)state;
    fit(0, 0, "B");
    fit(GIB, 1, "A");
    fit(GIB, 1, "A");
    fit(GIB, 1, "B");
    fit(0, 0, "C");
    fit(0, 0, "");
    sum();
    assert_int_equal(summary.channels, 2);
    fit(GIB, 1, "");
    sum();
    assert_int_equal(summary.channels, 0);
}

static void speeds_from_the_slowest_to_the_fastest(void **state)
{
    (void)state;
    fit(GIB, 1, "")->configured_mts = 5600;
    fit(GIB, 1, "");
    fit(GIB, 1, "")->configured_mts = 0;
    fit(0, 0, "")->configured_mts = 1;
    sum();
    assert_int_equal(summary.mts_low, 4800);
    assert_int_equal(summary.mts_high, 5600);
    assert_int_equal(summary.mts_untold, 1);
}

static void errors_are_corrected_or_not(void **state)
{
    (void)state;
    static const struct {
        const char *array[2];
        uint16_t total[2];
        enum modules_ecc ecc;
    } cases[] = {
        {{"multi-bit", "single-bit"}, {64, 64}, MODULES_ECC_ON},
        {{"crc", "crc"}, {0, 0}, MODULES_ECC_ON},
        {{"none", "parity"}, {72, 72}, MODULES_ECC_OFF}, /* fitted, not in use */
        {{NULL, NULL}, {72, 80}, MODULES_ECC_ON},
        {{NULL, NULL}, {64, 64}, MODULES_ECC_OFF},
        {{NULL, NULL}, {64, 72}, MODULES_ECC_MIXED},
        {{NULL, "none"}, {0, 64}, MODULES_ECC_UNKNOWN},
        {{NULL, NULL}, {0, 0}, MODULES_ECC_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        count = 0;
        for (size_t k = 0; k < 2; k++) {
            struct dimm_info *dimm = fit(GIB, 1, "");
            dimm->ecc = cases[i].array[k];
            dimm->total_bits = cases[i].total[k];
        }
        fit(0, 0, "")->ecc = "multi-bit";
        sum();
        if (summary.ecc != cases[i].ecc)
            fail_msg("case %zu: %d", i, summary.ecc);
    }
    count = 0;
    sum();
    assert_int_equal(summary.ecc, MODULES_ECC_UNKNOWN);
}

/* Two modules of 16G, two ranks each: 8G of a rank. */
static void the_memory_map_lacks_no_rank(void **state)
{
    (void)state;
    static const struct {
        uint64_t ordinary, specific, nonvolatile;
        enum modules_map map;
    } cases[] = {
        {32 * GIB, 0, 0, MODULES_MAP_AGREES},        {31 * GIB, 0, 0, MODULES_MAP_AGREES},
        {24 * GIB + 4096, 0, 0, MODULES_MAP_AGREES}, {24 * GIB, 0, 0, MODULES_MAP_LACKS},
        {16 * GIB, 0, 0, MODULES_MAP_LACKS},         {32 * GIB + 4096, 0, 0, MODULES_MAP_EXCEEDS},
        {20 * GIB, 8 * GIB, 0, MODULES_MAP_AGREES},  /* of the modules, kept for special uses */
        {30 * GIB, 64 * GIB, 0, MODULES_MAP_AGREES}, /* CXL memory beside them */
        {16 * GIB, 0, 64 * GIB, MODULES_MAP_LACKS},  {0, 0, 0, MODULES_MAP_UNKNOWN},
    };
    fit(16 * GIB, 2, "");
    fit(16 * GIB, 2, "");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memory[0] = (struct memory_range){.bytes = cases[i].ordinary};
        memory[1] = (struct memory_range){.bytes = cases[i].specific, .kind = MEMORY_SPECIFIC};
        memory[2] =
            (struct memory_range){.bytes = cases[i].nonvolatile, .kind = MEMORY_NONVOLATILE};
        sum();
        if (summary.map != cases[i].map)
            fail_msg("case %zu: %d", i, summary.map);
        assert_int_equal(summary.map_bytes, cases[i].ordinary + cases[i].specific);
    }
    memory[0].bytes = 16 * GIB;
    fit(DIMM_UNKNOWN, 2, "");
    sum();
    assert_int_equal(summary.map, MODULES_MAP_UNKNOWN);
    assert_int_equal(summary.of_unknown_size, 1);
    assert_int_equal(summary.bytes, 32 * GIB);
    count = 0;
    sum();
    assert_int_equal(summary.map, MODULES_MAP_UNKNOWN);
}

static struct modules_held held[MODULES_HELD_MAX];

static void hold(const struct modules_expected *expected, enum modules_met met, const char *found,
                 const char *why)
{
    sum();
    assert_int_equal(modules_hold(expected, &summary, held), 1);
    if (held[0].met != met)
        fail_msg("%s=%s: %d, found %s", held[0].name, held[0].expected, held[0].met, held[0].found);
    assert_string_equal(held[0].found, found);
    if (why == NULL)
        assert_null(held[0].why);
    else
        assert_non_null(strstr(held[0].why, why));
}

static void modules_are_as_expected_or_not(void **state)
{
    const struct modules_expected number = {.dimms = 2}, channels = {.channels = 2};
    const struct modules_expected ecc = {.ecc = MODULES_ECC_ON}, plain = {.ecc = MODULES_ECC_OFF};

    (void)state;
    hold(&number, MODULES_UNTOLD, "", "no memory slots");
    hold(&channels, MODULES_UNTOLD, "", "no memory slots");
    hold(&ecc, MODULES_UNTOLD, "", "no memory slots");
    fit(16 * GIB, 2, "A");
    hold(&number, MODULES_UNMET, "1", NULL);
    hold(&channels, MODULES_UNMET, "1", NULL);
    hold(&ecc, MODULES_UNMET, "off", NULL);
    hold(&plain, MODULES_MET, "off", NULL);
    fit(16 * GIB, 2, "B")->ecc = "multi-bit";
    hold(&number, MODULES_MET, "2", NULL);
    hold(&channels, MODULES_MET, "2", NULL);
    hold(&ecc, MODULES_UNMET, "mixed", NULL);
    dimms_ecc("single-bit");
    hold(&ecc, MODULES_MET, "on", NULL);
    fit(16 * GIB, 2, "")->data_bits = 0;
    hold(&number, MODULES_UNMET, "3", NULL);
    hold(&channels, MODULES_UNTOLD, "", "channel of a module");
    hold(&ecc, MODULES_UNTOLD, "", "not told");
    count = 0;
    fit(0, 0, "A");
    hold(&number, MODULES_UNMET, "0", NULL);
}

static void sizes_are_as_expected_or_not(void **state)
{
    const struct modules_expected size = {.bytes = 32 * GIB}, more = {.bytes = 64 * GIB};

    (void)state;
    hold(&size, MODULES_UNTOLD, "", "no memory slots");
    fit(16 * GIB, 2, "");
    hold(&size, MODULES_UNMET, "16G", NULL);
    fit(16 * GIB, 2, "");
    hold(&size, MODULES_MET, "32G", NULL);
    memory[0].bytes = 31 * GIB;
    hold(&size, MODULES_MET, "32G", NULL);
    memory[0].bytes = 24 * GIB;
    hold(&size, MODULES_UNMET, "32G", "the memory map lacks");
    hold(&more, MODULES_UNMET, "32G", NULL);
    memory[0].bytes = 31 * GIB;
    fit(DIMM_UNKNOWN, 2, "");
    hold(&size, MODULES_UNTOLD, "", "size of a module");
    fit(16 * GIB, 2, "");
    hold(&size, MODULES_UNMET, "48G", NULL);
}

static void speeds_are_as_expected_or_not(void **state)
{
    const struct modules_expected speed = {.mts = 2667};

    (void)state;
    hold(&speed, MODULES_UNTOLD, "", "no memory slots");
    fit(GIB, 1, "")->configured_mts = 2666;
    hold(&speed, MODULES_MET, "2666", NULL);
    dimms[0].configured_mts = 2669;
    hold(&speed, MODULES_MET, "2669", NULL);
    dimms[0].configured_mts = 2664;
    hold(&speed, MODULES_UNMET, "2664", NULL);
    dimms[0].configured_mts = 2670;
    hold(&speed, MODULES_UNMET, "2670", NULL);
    dimms[0].configured_mts = 2667;
    fit(GIB, 1, "")->configured_mts = 0;
    hold(&speed, MODULES_UNTOLD, "2667", "speed of a module");
    fit(GIB, 1, "")->configured_mts = 2133;
    hold(&speed, MODULES_UNMET, "2133 to 2667", NULL);
}

static void only_what_is_expected_is_held(void **state)
{
    const struct modules_expected none = {.dimms = 0};
    const struct modules_expected all = {2, 2, 32 * GIB, 4800, MODULES_ECC_OFF};

    (void)state;
    sum();
    assert_int_equal(modules_hold(&none, &summary, held), 0);
    assert_int_equal(modules_hold(&all, &summary, held), MODULES_HELD_MAX);
    assert_string_equal(held[0].name, "expect-dimms");
    assert_string_equal(held[1].name, "expect-size");
    assert_string_equal(held[1].expected, "32G");
    assert_string_equal(held[2].name, "expect-speed");
    assert_string_equal(held[3].name, "expect-channels");
    assert_string_equal(held[4].name, "expect-ecc");
}

static void nodes_of_ordinary_memory(void **state)
{
    struct memory_range ranges[] = {{.node = 7, .kind = MEMORY_SPECIFIC},
                                    {.node = 1},
                                    {.node = 3, .kind = MEMORY_NONVOLATILE},
                                    {.node = 1}};

    (void)state;
    assert_false(modules_several_nodes(ranges, 0));
    assert_false(modules_several_nodes(ranges, 4));
    ranges[3].node = 2;
    assert_true(modules_several_nodes(ranges, 4));
    ranges[3].node = NODE_UNKNOWN;
    assert_true(modules_several_nodes(ranges, 4));
}

static void banks_of_types(void **state)
{
    static const struct {
        const char *type;
        uint16_t data, total;
        uint8_t ranks;
        uint32_t low, high;
    } cases[] = {
        {"DDR3", 64, 72, 2, 16, 16},    {"DDR4", 64, 64, 2, 16, 32}, {"DDR4", 64, 72, 2, 32, 32},
        {"DDR4", 0, 0, 1, 8, 16},       {"DDR5", 64, 64, 1, 32, 64}, {"DDR5", 64, 80, 2, 128, 128},
        {"DDR5", 32, 32, 1, 16, 32},    {"DDR5", 64, 72, 1, 64, 64}, {"LPDDR4", 64, 64, 1, 32, 32},
        {"LPDDR5", 64, 64, 2, 64, 128}, {"DDR5", 0, 0, 1, 0, 0},     {"DDR5", 48, 48, 1, 0, 0},
        {"DDR4", 64, 64, 0, 0, 0},      {"HBM2", 64, 64, 1, 0, 0},   {"", 64, 64, 1, 0, 0},
    };
    struct modules_banks banks;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        count = 0;
        struct dimm_info *dimm = fit(8 * GIB, cases[i].ranks, "");
        snprintf(dimm->type, sizeof dimm->type, "%s", cases[i].type);
        dimm->data_bits = cases[i].data;
        dimm->total_bits = cases[i].total;
        modules_count_banks(dimms, count, &banks);
        if (banks.low != cases[i].low || banks.high != cases[i].high)
            fail_msg("case %zu: %u to %u", i, banks.low, banks.high);
        assert_int_equal(banks.why != NULL, cases[i].high == 0);
    }
}

static void banks_of_several_modules(void **state)
{
    struct modules_banks banks;

    (void)state;
    modules_count_banks(dimms, count, &banks);
    assert_non_null(banks.why);
    for (size_t i = 0; i < 3; i++)
        strcpy(fit(i == 1 ? 0 : 8 * GIB, 2, "")->type, "DDR4");
    fit(GIB, 0, "")->use = "flash";
    modules_count_banks(dimms, count, &banks);
    assert_true(banks.low == 32 && banks.high == 64 && !banks.between && banks.why == NULL);
    strcpy(dimms[2].part, "other");
    modules_count_banks(dimms, count, &banks);
    assert_true(banks.low == 32 && banks.high == 64 && banks.between);
    strcpy(dimms[2].type, "DDR9");
    modules_count_banks(dimms, count, &banks);
    assert_true(banks.low == 0 && banks.high == 0 && !banks.between && banks.why != NULL);
}

static void banks_agree_with_the_modules_or_not(void **state)
{
    const struct modules_banks alike = {.low = 32, .high = 64};
    const struct modules_banks mixed = {.low = 32, .high = 64, .between = true};
    const struct modules_banks untold = {.why = "why"};
    static const struct {
        bool mixed;
        double low, high;
        uint64_t searched;
        enum modules_agreement agreement;
    } cases[] = {
        {false, 64, 64, 32 * GIB, MODULES_AGREE},
        {false, 32, 32, 32 * GIB, MODULES_AGREE},
        {false, 48, 48, 32 * GIB, MODULES_DIFFER},
        {true, 48, 48, 32 * GIB, MODULES_AGREE},
        {false, 40, 70, 32 * GIB, MODULES_AGREE},
        {false, 40, 60, 32 * GIB, MODULES_DIFFER},
        {true, 40, 60, 32 * GIB, MODULES_AGREE},
        {false, 16, 16, 32 * GIB, MODULES_DIFFER},
        {false, 16, 16, 24 * GIB + 4096, MODULES_DIFFER},
        {false, 16, 16, 24 * GIB, MODULES_NOT_HELD}, /* a rank may be left out */
        {false, 128, 128, GIB, MODULES_DIFFER},
        {false, 32, 32, GIB, MODULES_AGREE},
        {false, 40, NAN, 32 * GIB, MODULES_NOT_HELD},
        {false, 70, NAN, 32 * GIB, MODULES_DIFFER},
        {false, NAN, NAN, 32 * GIB, MODULES_NOT_HELD},
    };
    const char *why;

    (void)state;
    summary =
        (struct modules_summary){.bytes = 64 * GIB, .map_bytes = 32 * GIB, .rank_bytes = 8 * GIB};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        enum modules_agreement agreement =
            modules_hold_banks(cases[i].mixed ? &mixed : &alike, &summary, cases[i].low,
                               cases[i].high, cases[i].searched, &why);
        if (agreement != cases[i].agreement)
            fail_msg("case %zu: %s", i, modules_agreement_name(agreement));
        assert_int_equal(why != NULL, agreement == MODULES_NOT_HELD);
    }
    assert_int_equal(modules_hold_banks(&untold, &summary, 32, 32, 32 * GIB, &why),
                     MODULES_NOT_HELD);
    assert_string_equal(why, "why");
    summary.map_bytes = 0; /* no map: all that the modules hold */
    assert_int_equal(modules_hold_banks(&alike, &summary, 16, 16, 32 * GIB, &why),
                     MODULES_NOT_HELD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_is_no_system_memory_does_not_count, start),
        cmocka_unit_test_setup(channels_are_told_of_all_or_not_at_all, start),
        cmocka_unit_test_setup(speeds_from_the_slowest_to_the_fastest, start),
        cmocka_unit_test_setup(errors_are_corrected_or_not, start),
        cmocka_unit_test_setup(the_memory_map_lacks_no_rank, start),
        cmocka_unit_test_setup(modules_are_as_expected_or_not, start),
        cmocka_unit_test_setup(sizes_are_as_expected_or_not, start),
        cmocka_unit_test_setup(speeds_are_as_expected_or_not, start),
        cmocka_unit_test_setup(only_what_is_expected_is_held, start),
        cmocka_unit_test_setup(nodes_of_ordinary_memory, start),
        cmocka_unit_test_setup(banks_of_types, start),
        cmocka_unit_test_setup(banks_of_several_modules, start),
        cmocka_unit_test_setup(banks_agree_with_the_modules_or_not, start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
