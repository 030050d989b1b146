/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of memory that differ from the rest, as machine files make them: the memory alone is asked,
 * line by line, and held against what the file says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/lib/random.h"
#include "tests/sim/dram.h"
#include "tests/sim/machine_file.h"

#define LINE  64u
#define DRAWS 20000

static void parse(struct sim_config *config, const char *memory)
{
    struct sim_file_error error;
    char text[1200];

    snprintf(text, sizeof text,
             "machine name=m\nclock core=2G counter=2G\ncache name=L1 bytes=32K ways=8 latency=4c\n"
             "%s\nend\n",
             memory);
    if (!sim_machine_parse(config, text, strlen(text), "m", &error))
        fail_msg("%s", error.text);
}

static void start(struct sim_dram *dram, const struct sim_config *config)
{
    sim_dram_start(dram, &config->memory, &config->mapping, LINE);
}

/* What a load of that address costs by itself, long after everything before it. */
static double load_ns(struct sim_dram *dram, uint64_t physical, double *now_ns)
{
    struct sim_dram_cost cost;
    double begin = *now_ns += 1e5;

    return sim_dram_access(dram, (uint32_t)((physical - SIM_MEMORY_BASE) / LINE), begin, &cost) -
           begin;
}

/* Anywhere, and as often within a few lines of where a range begins or ends. */
static uint64_t draw(struct random *random, const struct sim_config *config)
{
    const struct sim_memory_config *memory = &config->memory;
    uint64_t line = random_below(random, memory->bytes / LINE);

    if (memory->slow_count != 0 && random_below(random, 2) == 0) {
        const struct sim_part *part = &memory->slow[random_below(random, memory->slow_count)].part;
        uint64_t edge = part->from + part->bytes * random_below(random, 2);
        if (part->bytes != 0 && edge < SIM_MEMORY_BASE + memory->bytes)
            return edge + (random_below(random, 8) - 4) * LINE;
    }
    return SIM_MEMORY_BASE + line * LINE;
}

/* Where it says so, and only there; expected: what an address takes longer. */
static void assert_slow(const char *memory, double (*expected)(uint64_t physical), double plain_ns)
{
    struct sim_config config;
    struct sim_dram dram;
    struct random random;
    double now = 0;

    parse(&config, memory);
    start(&dram, &config);
    random_start(&random, 5);
    for (int i = 0; i < DRAWS; i++) {
        uint64_t physical = draw(&random, &config);
        double adds = expected(physical);
        assert_float_equal(sim_dram_slow_ns(&dram, physical), adds, 0);
        assert_float_equal(load_ns(&dram, physical, &now), plain_ns + adds, 1e-4);
    }
    sim_dram_stop(&dram);
}

static double by_range(uint64_t physical)
{
    return (physical >= 0x110000000 && physical < 0x114000000 ? 4 : 0) +
           (physical >= 0x113ff0000 && physical < 0x113ff1000 ? 20 : 0);
}

/* 64M, and a page in it for which both hold. */
static void ranges_are_slow(void **state)
{
    (void)state;
    assert_slow("memory bytes=1G base=80ns tcl=10ns\nslow from=0x110000000 bytes=64M adds=4ns\n"
                "slow from=0x113ff0000 bytes=4K adds=20ns",
                by_range, 90);
}

#define TWO_RANKS                                                  \
    "memory bytes=1G base=80ns tcl=10ns ranks=2 banks=4 row=16K\n" \
    "mapping rank=16^29 bank=14,15 row-from=17 offset=512M\n"

static double by_rank(uint64_t physical)
{
    uint64_t moved = physical - (512 << 20);

    return ((moved >> 16 ^ moved >> 29) & 1) == 1 ? 7.2 : 0;
}

/* A class is one of addresses after the offset was subtracted, as ranks are. */
static void a_rank_is_a_class_of_addresses(void **state)
{
    (void)state;
    assert_slow(TWO_RANKS "slow mask=16^29 parity=1 adds=7.2ns", by_rank, 90);
    assert_slow(TWO_RANKS "slow mask=16^29 adds=7.2ns", by_rank, 90);
    assert_slow(TWO_RANKS "slow rank=1 adds=7.2ns", by_rank, 90);
}

static double by_two(uint64_t physical)
{
    bool in = (physical >> 7 & 1) == 0 && ((physical >> 8 ^ physical >> 20) & 1) == 1;

    return in && physical >= 0x120000000 ? 3 : 0;
}

static void all_that_is_said_of_a_part_holds(void **state)
{
    (void)state;
    assert_slow("memory bytes=1G base=80ns\n"
                "slow mask=7,8^20 parity=2 from=0x120000000 bytes=512M adds=3ns",
                by_two, 80);
}

/* Channels by a division, and hashed ones: by their number, wherever they are. */
static void a_channel_is_slow_however_it_is_chosen(void **state)
{
    static const char *const memory[] = {
        "memory bytes=1G base=80ns channels=6 row=8K\n"
        "mapping channel=7^13 modulus=3 modulus-from=8 row-from=14\nslow channel=5 adds=2ns",
        "memory bytes=1G base=80ns channels=6 row=8K\nslow channel=5 adds=2ns"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct sim_config config;
        struct sim_dram dram;
        struct random random;
        double now = 0;
        int slow = 0;
        parse(&config, memory[i]);
        start(&dram, &config);
        random_start(&random, 6);
        for (int k = 0; k < DRAWS; k++) {
            uint64_t physical = draw(&random, &config);
            bool is = sim_dram_place(&dram, physical).channel == 5;
            assert_float_equal(load_ns(&dram, physical, &now), is ? 82 : 80, 1e-4);
            slow += is;
        }
        assert_in_range(slow, DRAWS / 6 * 9 / 10, DRAWS / 6 * 11 / 10);
        sim_dram_stop(&dram);
    }
}

static void load_shipped(struct sim_config *config, const char *name)
{
    struct sim_file_error error;
    char path[100];

    snprintf(path, sizeof path, "tests/sim/machines/dram/%s.machine", name);
    if (!sim_machine_load(config, path, &error))
        fail_msg("%s", error.text);
    assert_string_equal(config->name, name);
}

static void shipped_parts_are_slow(void **state)
{
    static const struct {
        const char *name;
        double adds_ns, share;
    } shipped[] = {{"slow-rank", 5.84, 0.5},
                   {"slightly-slow-rank", 2.19, 0.5},
                   {"slow-channel", 5, 0.5},
                   {"slow-range", 11, 48.0 / 1024},
                   {"slow-half", 11, 0.5}};

    (void)state;
    for (size_t i = 0; i < sizeof shipped / sizeof *shipped; i++) {
        struct sim_config config;
        struct sim_dram dram;
        struct random random;
        double slow = 0;
        load_shipped(&config, shipped[i].name);
        start(&dram, &config);
        random_start(&random, 7);
        for (int k = 0; k < DRAWS; k++) {
            uint64_t line = random_below(&random, config.memory.bytes / LINE);
            double ns = sim_dram_slow_ns(&dram, SIM_MEMORY_BASE + line * LINE);
            assert_true(ns == 0 || ns == shipped[i].adds_ns);
            slow += ns > 0;
        }
        assert_float_equal(slow / DRAWS, shipped[i].share, 0.02);
        sim_dram_stop(&dram);
    }
}

/* ---- channels, modules, modes */

static void channels_have_distances(void **state)
{
    struct sim_config config;
    struct sim_dram dram;
    struct random random;
    double now = 0;

    (void)state;
    parse(&config, "memory bytes=1G base=80ns tcl=10ns channels=4 distance=0ns,3ns,6ns,9ns");
    start(&dram, &config);
    random_start(&random, 8);
    for (int i = 0; i < DRAWS; i++) {
        uint64_t physical = draw(&random, &config);
        assert_float_equal(load_ns(&dram, physical, &now),
                           90 + 3 * sim_dram_place(&dram, physical).channel, 1e-4);
        assert_float_equal(sim_dram_slow_ns(&dram, physical), 0, 0);
    }
    sim_dram_stop(&dram);
}

/* A hit, an empty bank and a conflict, by the timings of their own module. */
static void modules_have_timings(void **state)
{
    struct sim_config config;
    struct sim_dram dram;
    struct random random;
    double now = 0;

    (void)state;
    parse(&config, "memory bytes=1G base=80ns tcl=10ns trcd=11ns trp=12ns rows=open channels=2 "
                   "ranks=2 row=8K\nmapping channel=14^20 rank=13^21 row-from=15\n"
                   "module channel=1 tcl=20ns trcd=22ns\nmodule channel=1 rank=1 trp=24ns");
    start(&dram, &config);
    random_start(&random, 9);
    for (int i = 0; i < DRAWS; i++) {
        uint64_t physical = draw(&random, &config);
        struct sim_place place = sim_dram_place(&dram, physical);
        uint32_t rank = place.channel * 2 + place.rank;
        double tcl = place.channel == 1 ? 20 : 10, trcd = place.channel == 1 ? 22 : 11;
        dram.bank[rank].row = -1;
        assert_float_equal(load_ns(&dram, physical, &now), 80 + tcl + trcd, 1e-4);
        assert_float_equal(load_ns(&dram, physical, &now), 80 + tcl, 1e-4);
        assert_float_equal(load_ns(&dram, physical ^ 1 << 15, &now),
                           80 + tcl + trcd + (rank == 3 ? 24 : 12), 1e-4);
    }
    sim_dram_stop(&dram);
}

/* Each row of each bank has all of its lines or none: nothing of the part that one channel has is
 * anywhere twice. */
static void assert_rows_are_full(const char *memory)
{
    struct sim_config config;
    struct sim_dram dram;
    uint32_t banks, lines, *count;
    const int64_t rows = 1 << 13;
    int64_t first;

    parse(&config, memory);
    start(&dram, &config);
    banks = config.memory.channels * config.memory.ranks * config.memory.banks;
    lines = (uint32_t)(config.memory.row_bytes / LINE);
    count = calloc(banks * (size_t)rows, sizeof *count);
    assert_non_null(count);
    first = sim_dram_place(&dram, SIM_MEMORY_BASE).row;
    for (uint64_t at = 0; at < config.memory.bytes; at += LINE) {
        struct sim_place place = sim_dram_place(&dram, SIM_MEMORY_BASE + at);
        uint32_t rank = place.channel * config.memory.ranks + place.rank;
        assert_true(at < config.memory.flex_bytes || place.channel == 0);
        assert_in_range(place.row - first, 0, rows - 1);
        count[(rank * config.memory.banks + place.bank) * rows + place.row - first]++;
    }
    for (size_t i = 0; i < banks * (size_t)rows; i++)
        assert_true(count[i] == 0 || count[i] == lines);
    free(count);
    sim_dram_stop(&dram);
}

static void flex_mode_fills_rows(void **state)
{
    (void)state;
    assert_rows_are_full("memory bytes=96M base=80ns channels=2 ranks=2 banks=4 row=4K flex=64M\n"
                         "mapping channel=7^13^17 rank=14^18 bank=7^9^19,15^20 row-from=16");
    assert_rows_are_full("memory bytes=96M base=80ns channels=4 banks=4 row=4K flex=32M\n"
                         "mapping channel=8^16^22,8^9^12 bank=9^13^17,14^18 row-from=16");
    assert_rows_are_full("memory bytes=96M base=80ns channels=2 ranks=2 banks=4 row=4K flex=64M");
}

/* Lines read one after the other from there on, 64 of them under way: bytes per second. */
static double bandwidth(const struct sim_config *config, uint64_t first)
{
    double done[64] = {0}, now = 1e5, last = now;
    struct sim_dram dram;
    uint32_t lines = 100000;

    start(&dram, config);
    for (uint32_t i = 0; i < lines; i++) {
        struct sim_dram_cost cost;
        now = done[i % 64] > now ? done[i % 64] : now;
        done[i % 64] =
            sim_dram_access(&dram, (uint32_t)((first - SIM_MEMORY_BASE) / LINE) + i, now, &cost);
        last = done[i % 64] > last ? done[i % 64] : last;
    }
    sim_dram_stop(&dram);
    return lines * LINE / (last - 1e5) * 1e9;
}

/* All channels below, one of them above. */
static void flex_mode_has_the_bandwidth_of_one_channel(void **state)
{
    struct sim_config config;
    double both, one;

    (void)state;
    load_shipped(&config, "flex-mode");
    both = bandwidth(&config, SIM_MEMORY_BASE);
    one = bandwidth(&config, SIM_MEMORY_BASE + config.memory.flex_bytes);
    assert_true(both > 1.6 * config.memory.bytes_per_s && both < 2 * config.memory.bytes_per_s);
    assert_true(one > 0.9 * config.memory.bytes_per_s && one < config.memory.bytes_per_s);
}

/* How many banks of all memory are met. */
static uint32_t banks_met(const struct sim_config *config)
{
    struct sim_dram dram;
    struct random random;
    bool met[1024] = {false};
    uint32_t count = 0;

    start(&dram, config);
    random_start(&random, 10);
    for (int i = 0; i < DRAWS; i++) {
        struct sim_place place = sim_dram_place(&dram, draw(&random, config));
        uint32_t bank =
            (place.channel * config->memory.ranks + place.rank) * config->memory.banks + place.bank;
        assert_in_range(bank, 0, 1023);
        count += !met[bank];
        met[bank] = true;
    }
    sim_dram_stop(&dram);
    return count;
}

/* The same board with all of its modules, and without one channel's or one rank's. */
static void what_is_missing_is_missing(void **state)
{
    struct sim_config all, channel, rank;

    (void)state;
    load_shipped(&all, "all-modules");
    load_shipped(&channel, "missing-channel");
    load_shipped(&rank, "missing-rank");
    assert_true(bandwidth(&all, SIM_MEMORY_BASE) > 1.6 * all.memory.bytes_per_s);
    assert_true(bandwidth(&channel, SIM_MEMORY_BASE) < all.memory.bytes_per_s);
    assert_true(bandwidth(&rank, SIM_MEMORY_BASE) > 1.6 * all.memory.bytes_per_s);
    assert_int_equal(banks_met(&all), 64);
    assert_int_equal(banks_met(&channel), 32);
    assert_int_equal(banks_met(&rank), 32);
    assert_int_equal(channel.memory.bytes, all.memory.bytes / 2);
    assert_int_equal(rank.memory.bytes, all.memory.bytes / 2);
}

/* ---- refresh */

#define REFRESHED(more)                                    \
    "memory bytes=1G base=80ns banks=16 row=8K " more "\n" \
    "mapping bank=13,14,15,16 row-from=17"

struct waits {
    double share, mean_ns, max_ns; /* of single accesses at random times */
};

static struct waits waits_of(const struct sim_config *config, uint64_t physical)
{
    struct waits waits = {0};
    struct sim_dram dram;
    struct random random;
    double now = 0, sum = 0, count = 0;

    start(&dram, config);
    random_start(&random, 11);
    for (int i = 0; i < 10 * DRAWS; i++) {
        struct sim_dram_cost cost;
        now += 1e3 + (double)random_below(&random, 1000000) * 0.02;
        sim_dram_access(&dram, (uint32_t)((physical - SIM_MEMORY_BASE) / LINE), now, &cost);
        waits.max_ns = cost.refresh_ns > waits.max_ns ? cost.refresh_ns : waits.max_ns;
        sum += cost.refresh_ns;
        count += cost.refresh_ns > 0;
    }
    waits.share = count / (10 * DRAWS);
    waits.mean_ns = sum / count;
    sim_dram_stop(&dram);
    return waits;
}

/* When that address's bank is refreshed, as a share of trefi_ns: the first harmonic of waiting over
 * some thousands of refreshes. Its length is how strictly they keep that time. */
static double phase_of(const struct sim_config *config, uint64_t physical, double trefi_ns,
                       double *coherence)
{
    struct sim_dram dram;
    double re = 0, im = 0, count = 0;

    start(&dram, config);
    for (double now = 0; now < 3000 * trefi_ns; now += 13) {
        struct sim_dram_cost cost;
        sim_dram_access(&dram, (uint32_t)((physical - SIM_MEMORY_BASE) / LINE), now, &cost);
        if (cost.refresh_ns <= 0)
            continue;
        re += cos(2 * M_PI * now / trefi_ns);
        im += sin(2 * M_PI * now / trefi_ns);
        count++;
        now += cost.refresh_ns;
    }
    sim_dram_stop(&dram);
    *coherence = hypot(re, im) / count;
    return fmod(atan2(im, re) / (2 * M_PI) + 1, 1);
}

/* How far from a phase another one is, from -0.5 to 0.5. */
static double away(double phase, double from)
{
    return fmod(phase - from + 2.5, 1) - 0.5;
}

/* Any bank waits as long and as often, whatever the kind: it is refreshed once in trefi. */
static void refreshes_keep_their_time(void **state)
{
    static const char *const memory[] = {REFRESHED("trefi=3.9us trfc=160ns"),
                                         REFRESHED("trefi=3.9us trfc=160ns refresh-banks=1"),
                                         REFRESHED("trefi=3.9us trfc=160ns refresh-banks=4")};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct sim_config config;
        struct waits waits;
        parse(&config, memory[i]);
        waits = waits_of(&config, SIM_MEMORY_BASE + (11 << 13));
        assert_float_equal(waits.share, 160.0 / 3900, 0.002);
        assert_float_equal(waits.mean_ns, 80, 2);
        assert_true(waits.max_ns > 155 && waits.max_ns <= 160);
    }
}

/* Banks of one refresh have one phase; the others follow in turn. */
static void banks_take_turns(void **state)
{
    static const struct {
        const char *memory;
        uint32_t turns;
    } kinds[] = {{REFRESHED("trefi=3.9us trfc=160ns"), 1},
                 {REFRESHED("trefi=3.9us trfc=160ns refresh-banks=8"), 2},
                 {REFRESHED("trefi=3.9us trfc=160ns refresh-banks=4"), 4},
                 {REFRESHED("trefi=3.9us trfc=160ns refresh-banks=1"), 16}};

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct sim_config config;
        double coherence, base;
        parse(&config, kinds[i].memory);
        base = phase_of(&config, SIM_MEMORY_BASE, 3900, &coherence);
        for (uint64_t bank = 1; bank < 16; bank += 5) {
            double phase = phase_of(&config, SIM_MEMORY_BASE + (bank << 13), 3900, &coherence);
            double turn = (double)(bank * kinds[i].turns / 16) / kinds[i].turns;
            assert_float_equal(away(phase, base + turn), 0, 0.01);
            assert_true(coherence > 0.95);
        }
    }
}

/* Ranks have the phases that are given, else they are spread evenly. */
static void ranks_have_phases(void **state)
{
    static const struct {
        const char *memory;
        double second; /* rank's, after the first one */
    } kinds[] = {{"memory bytes=1G base=80ns ranks=2 row=8K trefi=7.8us trfc=350ns\n"
                  "mapping rank=13 row-from=14",
                  0.5},
                 {"memory bytes=1G base=80ns ranks=2 row=8K trefi=7.8us trfc=350ns "
                  "phases=780ns,3120ns\nmapping rank=13 row-from=14",
                  0.3}};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct sim_config config;
        double coherence, first, second;
        parse(&config, kinds[i].memory);
        first = phase_of(&config, SIM_MEMORY_BASE, 7800, &coherence);
        second = phase_of(&config, SIM_MEMORY_BASE + (1 << 13), 7800, &coherence);
        assert_float_equal(away(second, first + kinds[i].second), 0, 0.01);
    }
}

/* A thousandth of trefi adds up to the whole of it over a thousand refreshes. */
static void memory_has_a_clock_of_its_own(void **state)
{
    struct sim_config config;
    struct sim_dram dram;
    double nominal, real;

    (void)state;
    parse(&config, REFRESHED("trefi=1.95us trfc=160ns trefi-off=1000ppm"));
    phase_of(&config, SIM_MEMORY_BASE, 1950, &nominal);
    phase_of(&config, SIM_MEMORY_BASE, 1950 * 1.001, &real);
    assert_true(nominal < 0.1);
    assert_true(real > 0.95);
    start(&dram, &config);
    assert_float_equal(dram.trefi_ns, 1951.95, 1e-6);
    sim_dram_stop(&dram);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_slow),
        cmocka_unit_test(a_rank_is_a_class_of_addresses),
        cmocka_unit_test(all_that_is_said_of_a_part_holds),
        cmocka_unit_test(a_channel_is_slow_however_it_is_chosen),
        cmocka_unit_test(shipped_parts_are_slow),
        cmocka_unit_test(channels_have_distances),
        cmocka_unit_test(modules_have_timings),
        cmocka_unit_test(flex_mode_fills_rows),
        cmocka_unit_test(flex_mode_has_the_bandwidth_of_one_channel),
        cmocka_unit_test(what_is_missing_is_missing),
        cmocka_unit_test(refreshes_keep_their_time),
        cmocka_unit_test(banks_take_turns),
        cmocka_unit_test(ranks_have_phases),
        cmocka_unit_test(memory_has_a_clock_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
