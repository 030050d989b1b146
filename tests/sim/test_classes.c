/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that is slow by the parity of address bits, on machines whose mapping is known: ranks and
 * channels that interleaving spreads over all blocks. BARECHASE_SEEDS=20 runs as many of each, on
 * every mapping (default 1, on half of them). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/long.h"
#include "tests/shared/words.h"
#include "tests/sim/board.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/simulator.h"

#define MACHINES    "tests/sim/machines/mapping/"
#define WORDS       "tests=regions max=256M block=16M"
#define CLASSES_MAX 16
#define MASKS_MAX   4

struct class
{
    struct record_class record;
    uint64_t mask[MASKS_MAX];
};

struct heard {
    struct class class[CLASSES_MAX];
    unsigned classes, ranges;
    uint64_t first, last;
    struct record_regions regions;
    char verdict[20], end[16];
};

static struct random source;

static void listen_class(struct heard *heard, const struct record_class *record)
{
    struct class *class = &heard->class[heard->classes++];

    assert_in_range(heard->classes, 1, CLASSES_MAX);
    assert_in_range(record->masks, 1, MASKS_MAX);
    class->record = *record;
    for (size_t i = 0; i < record->masks; i++)
        class->mask[i] = record->mask[i];
}

static void listen(void *context, const struct record *record)
{
    struct heard *heard = context;

    if (record->kind == RECORD_CLASS)
        listen_class(heard, &record->u.class);
    heard->ranges += record->kind == RECORD_RANGE;
    if (record->kind == RECORD_BLOCK && heard->first == 0)
        heard->first = record->u.block.physical_first.value;
    if (record->kind == RECORD_BLOCK)
        heard->last = record->u.block.physical_last.value;
    if (record->kind == RECORD_REGIONS)
        heard->regions = record->u.regions;
    if (record->kind == RECORD_MAPPING)
        snprintf(heard->verdict, sizeof heard->verdict, "%s", record->u.mapping.verdict);
    if (record->kind == RECORD_END)
        snprintf(heard->end, sizeof heard->end, "%s", record->u.end.status);
}

static void run(struct sim_config *config, const char *words, struct heard *heard)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct option_error error;

    *heard = (struct heard){.classes = 0};
    simulator_start(sim, config, false);
    assert_int_equal(words_run(&sim->machine, words, listen, heard, &error), STATUS_OK);
    assert_string_equal(heard->end, "ok");
    simulator_stop(sim);
    free(sim);
}

static void load(struct sim_config *config, const char *name, uint64_t seed)
{
    struct sim_file_error error;
    char path[200];

    snprintf(path, sizeof path, MACHINES "%s.machine", name);
    if (!sim_machine_load(config, path, &error))
        fail_msg("%s", error.text);
    config->seed = seed;
    random_start(&source, seed);
}

static void make_noisy(struct sim_config *config)
{
    config->noise.jitter = 0.02;
    config->noise.spike_every = 200;
    config->noise.spike_factor = 3;
}

static uint64_t seeds(void)
{
    const char *text = getenv("BARECHASE_SEEDS");

    return text != NULL ? strtoull(text, NULL, 10) : 1;
}

static unsigned parity(uint64_t x)
{
    return (unsigned)__builtin_parityll(x);
}

/* All of a mapping's functions. */
static unsigned functions_of(const struct sim_mapping_config *mapping, uint64_t *mask)
{
    const struct sim_xors *all[] = {&mapping->channel, &mapping->rank, &mapping->bank};
    unsigned count = 0;

    for (unsigned i = 0; i < 3; i++)
        for (uint32_t k = 0; k < all[i]->count; k++)
            mask[count++] = all[i]->mask[k];
    return count;
}

static void slow_down(struct sim_config *config, const uint64_t *mask, uint32_t count,
                      uint32_t parities, double ns)
{
    struct sim_slow_config *slow = &config->memory.slow[config->memory.slow_count++];

    *slow = (struct sim_slow_config){.part = {.channel = SIM_ANY, .rank = SIM_ANY}, .adds_ns = ns};
    slow->part.mask.count = count;
    for (uint32_t i = 0; i < count; i++)
        slow->part.mask.mask[i] = mask[i];
    slow->part.parity = parities;
}

static bool is_slow(const struct sim_config *config, uint64_t address)
{
    const struct sim_part *part = &config->memory.slow[0].part;

    for (uint32_t i = 0; i < part->mask.count; i++)
        if (parity(part->mask.mask[i] & (address - config->mapping.offset_bytes)) !=
            (part->parity >> i & 1))
            return false;
    return true;
}

static bool is_told(const struct class *class, uint64_t address)
{
    for (size_t i = 0; i < class->record.masks; i++)
        if (parity(class->mask[i] & (address - class->record.offset_bytes)) !=
            (class->record.parities >> i & 1))
            return false;
    return true;
}

/* Bounds that were held against the truth, and those of them that it is outside of. They are to
 * hold in 99 of 100. */
static unsigned bounds, missed;

/* That class tells which lines are slow, and by how much. */
static void expect_class(const struct heard *heard, const struct class *class,
                         const struct sim_config *config)
{
    double ns = config->memory.slow[0].adds_ns;

    for (unsigned i = 0; i < 2000; i++) {
        uint64_t at = heard->first + random_below(&source, heard->last - heard->first);
        assert_int_equal(is_told(class, at), is_slow(config, at));
    }
    bounds++;
    if (ns < class->record.slower_low_ns || ns > class->record.slower_high_ns) {
        print_message("%.2f ns told as %.2f (%.2f to %.2f)\n", ns, class->record.slower_ns,
                      class->record.slower_low_ns, class->record.slower_high_ns);
        missed++;
    }
    assert_true(class->record.slower_low_ns < class->record.slower_ns &&
                class->record.slower_ns < class->record.slower_high_ns);
    assert_true(2 * class->record.slower_repeat_ns < 0.02 * 90 + 0.5);
    assert_true(fabs(class->record.ns - class->record.against_ns - class->record.slower_ns) < 1e-6);
}

/* ---- functions */

static const char *const linear[] = {
    "client-wide-xors", "coffee-lake",       "jetson-orin",    "plain-small-board",
    "raspberry-pi-4",   "skylake-two-ranks", "zen3-two-ranks", "zen4-ddr5",
};

/* A rank that is slower by that share of an access. */
static void expect_slow_rank(const char *name, uint64_t seed, double share, bool noisy)
{
    uint64_t function[3 * SIM_XORS_MAX], mask;
    struct sim_config config;
    struct heard heard;
    unsigned count;

    load(&config, name, seed);
    if (noisy)
        make_noisy(&config);
    count = functions_of(&config.mapping, function);
    mask = function[random_below(&source, count)];
    if (seed % 2 == 1)
        mask ^= function[random_below(&source, count)];
    mask = mask != 0 ? mask : function[0];
    slow_down(&config, &mask, 1, seed / 2 % 2,
              share * (config.memory.base_ns + config.memory.tcl_ns + config.memory.trcd_ns));
    run(&config, WORDS, &heard);
    if (strcmp(heard.verdict, "linear") != 0 || heard.classes != 1)
        fail_msg("%s, seed %lu, %.2f, %s: %s, %u classes", name, (unsigned long)seed, share,
                 noisy ? "noise" : "quiet", heard.verdict, heard.classes);
    assert_int_equal(heard.ranges, 0);
    expect_class(&heard, &heard.class[0], &config);
    assert_string_equal(heard.regions.by, "functions");
    assert_true(heard.regions.class_limit_ns > 0.01 * heard.regions.ns &&
                heard.regions.class_limit_ns < 0.02 * heard.regions.ns);
}

static void a_slow_rank_is_a_mask_on_every_mapping(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof linear / sizeof linear[0]; i += seeds() == 1 ? 3 : 1)
        for (uint64_t seed = 1; seed <= seeds(); seed++) {
            expect_slow_rank(linear[i], seed + i, i % 4 == 0 ? 0.08 : 0.03, i % 3 == 0);
            if (seeds() == 1)
                continue;
            expect_slow_rank(linear[i], seed + i, i % 4 == 0 ? 0.08 : 0.03, i % 3 != 0);
            expect_slow_rank(linear[i], seed + i, i % 4 == 0 ? 0.03 : 0.08, true);
            expect_slow_rank(linear[i], seed + i, i % 4 == 0 ? 0.03 : 0.08, false);
        }
}

static void honest_memory_has_no_slow_class(void **state)
{
    struct sim_config config;
    struct heard heard;

    (void)state;
    for (unsigned i = 0; i < sizeof linear / sizeof linear[0]; i += seeds() == 1 ? 3 : 1)
        for (uint64_t seed = 1; seed <= seeds(); seed++) {
            load(&config, linear[i], 100 + seed);
            if ((i + seed) % 2 != 0)
                make_noisy(&config);
            run(&config, WORDS, &heard);
            if (heard.classes != 0)
                fail_msg("%s, seed %lu: %.2f ns", linear[i], (unsigned long)seed,
                         heard.class[0].record.slower_ns);
            assert_true(heard.regions.classes != RECORD_UNKNOWN);
        }
}

/* One rank of one channel, and a quarter of it: of all functions that show a part of it none is
 * told by itself. */
static void a_slow_module_is_told_by_its_functions(void **state)
{
    struct sim_config config;
    struct heard heard;
    uint64_t mask[3];

    (void)state;
    for (uint32_t functions = seeds() == 1 ? 3 : 2; functions <= 3; functions++) {
        load(&config, "skylake-two-ranks", 5 + functions);
        mask[0] = config.mapping.channel.mask[0];
        mask[1] = config.mapping.rank.mask[0];
        mask[2] = config.mapping.bank.mask[0];
        slow_down(&config, mask, functions, functions == 2 ? 0 : 3, 6);
        run(&config, WORDS, &heard);
        assert_int_equal(heard.regions.class_part, 32);
        assert_true(heard.regions.class_part_limit_ns < 6);
        assert_int_equal(heard.classes, 1);
        assert_int_equal(heard.class[0].record.masks, functions);
        expect_class(&heard, &heard.class[0], &config);
    }
}

/* Fifteen functions show an eighth each. */
static void one_channel_of_sixteen_is_told(void **state)
{
    struct sim_config config;
    struct heard heard;

    (void)state;
    load(&config, "jetson-orin", 9);
    slow_down(&config, config.mapping.channel.mask, 4, 6, 8);
    run(&config, WORDS, &heard);
    assert_int_equal(heard.classes, 1);
    assert_int_equal(heard.class[0].record.masks, 4);
    expect_class(&heard, &heard.class[0], &config);
}

/* A channel is further away and a rank is slow: two classes, not the lines that are both. */
static void what_adds_up_is_told_apart(void **state)
{
    struct sim_config config;
    struct heard heard;

    (void)state;
    load(&config, "skylake-two-ranks", 2);
    config.memory.distance = (struct sim_times){2, {0, 6}};
    slow_down(&config, &config.mapping.rank.mask[0], 1, 0, 4);
    run(&config, WORDS, &heard);
    assert_int_equal(heard.classes, 2);
    expect_class(&heard, &heard.class[1], &config);
    config.memory.slow_count = 0;
    slow_down(&config, &config.mapping.channel.mask[0], 1, 1, 6);
    expect_class(&heard, &heard.class[0], &config);
}

/* Channels at two distances differ, and that is told with its bounds. */
static void the_distance_of_a_channel_is_told(void **state)
{
    struct sim_config config;
    struct heard heard;

    (void)state;
    load(&config, "zen4-ddr5", 3);
    config.memory.distance = (struct sim_times){2, {0, 4}};
    run(&config, WORDS, &heard);
    assert_int_equal(heard.classes, 1);
    slow_down(&config, &config.mapping.channel.mask[0], 1, 1, 4);
    expect_class(&heard, &heard.class[0], &config);
}

/* ---- without functions */

static void a_pair_of_bits_is_found_where_banks_are_not_linear(void **state)
{
    const uint64_t pair = 1ull << 16 | 1ull << 20;
    struct sim_config config;
    struct heard heard;

    (void)state;
    load(&config, "six-channels", 4);
    slow_down(&config, &pair, 1, 1, 7);
    run(&config, WORDS, &heard);
    assert_string_equal(heard.verdict, "not-linear");
    assert_string_equal(heard.regions.by, "bits and pairs");
    assert_int_equal(heard.classes, 1);
    expect_class(&heard, &heard.class[0], &config);
}

/* High bits that more lines have in one parity than in the other say nothing, and what is slow by
 * ranges is told by ranges. */
static void ranges_are_no_classes(void **state)
{
    const uint64_t top = 1ull << 27;
    struct sim_config config;
    struct heard heard;

    (void)state;
    load(&config, "coffee-lake", 6);
    slow_down(&config, &top, 1, 1, 9);
    run(&config, WORDS, &heard);
    assert_int_equal(heard.classes, 0);
    assert_int_equal(heard.ranges, 1);
    load(&config, "../dram/mesh", 7); /* 6 GiB of 2M pages, which the TLB has not entries for */
    run(&config, "tests=regions", &heard);
    assert_int_equal(heard.classes, 0);
}

/* Half of memory is slower by ranges: the class is found in the other half. */
static void a_slow_range_hides_no_class(void **state)
{
    struct sim_config config;
    struct heard heard;

    (void)state;
    load(&config, "coffee-lake", 8);
    slow_down(&config, &config.mapping.bank.mask[1], 1, 1, 2.2);
    config.memory.slow[config.memory.slow_count++] = (struct sim_slow_config){
        .part = {.from = 4ull << 30, .bytes = 128 << 20, .channel = SIM_ANY, .rank = SIM_ANY},
        .adds_ns = 60};
    run(&config, WORDS, &heard);
    assert_int_equal(heard.ranges, 1);
    assert_int_equal(heard.classes, 1);
    expect_class(&heard, &heard.class[0], &config);
    assert_true(heard.regions.class_limit_ns < 0.015 * heard.regions.ns);
}

/* What the lines of that function's parity 1 are slower by. */
static double slower_ns(const struct heard *heard, uint64_t mask)
{
    for (unsigned i = 0; i < heard->classes; i++)
        if (heard->class[i].record.masks == 1 && heard->class[i].mask[0] == mask &&
            heard->class[i].record.parities == 1)
            return heard->class[i].record.slower_ns;
    return 0;
}

/* Refreshes of two of four channels follow each other at once, in one boot in one half of the
 * channels and in another boot in the other half: a chain that stays in these meets them together,
 * and its lines are none the faster. The board's channels are at 0, 0.37, 3.41 and 3.75 ns. */
static void refreshes_that_coincide_are_no_difference(void **state)
{
    const double phase[2][4] = {{0.84, 0.91, 0.12, 0.65}, {0.12, 0.65, 0.84, 0.91}};
    struct sim_config config;
    struct heard heard;
    struct board board;
    double ns[2];

    (void)state;
    board_draw(&board, 507);
    assert_int_equal(board.config.memory.channels, 4);
    for (unsigned i = 0; i < 2; i++) {
        board_boot(&board, i, &config);
        for (unsigned k = 0; k < 4; k++)
            config.memory.phases.ns[k] = phase[i][k] * config.memory.trefi_ns;
        run(&config, board.words, &heard);
        ns[i] = slower_ns(&heard, config.mapping.channel.mask[1]);
    }
    assert_true(ns[0] > 2.9 && ns[0] < 3.9);
    assert_true(fabs(ns[1] - ns[0]) < 1);
}

/* So many of n bounds may miss: more do so in one of a thousand runs where 99 of 100 hold. */
static unsigned misses_allowed(unsigned n)
{
    double exactly = pow(0.99, n), most = exactly;
    unsigned k = 0;

    for (; 1 - most > 0.001; k++, most += exactly)
        exactly *= (double)(n - k) / (k + 1) * 0.01 / 0.99;
    return k;
}

/* Of all that the tests above have seen. */
static void bounds_hold_as_often_as_they_say(void **state)
{
    (void)state;
    print_message("%u of %u bounds do not hold the truth\n", missed, bounds);
    assert_true(bounds != 0 && missed <= misses_allowed(bounds));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LONG_TEST(a_slow_rank_is_a_mask_on_every_mapping),
        cmocka_unit_test(honest_memory_has_no_slow_class),
        cmocka_unit_test(a_slow_module_is_told_by_its_functions),
        LONG_TEST(one_channel_of_sixteen_is_told),
        LONG_TEST(what_adds_up_is_told_apart),
        cmocka_unit_test(the_distance_of_a_channel_is_told),
        LONG_TEST(refreshes_that_coincide_are_no_difference),
        cmocka_unit_test(a_pair_of_bits_is_found_where_banks_are_not_linear),
        LONG_TEST(ranges_are_no_classes),
        cmocka_unit_test(a_slow_range_hides_no_class),
        cmocka_unit_test(bounds_hold_as_often_as_they_say),
    };
    return RUN_TESTS(tests);
}
