/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of memory that differ from the rest, as machine files make them: the memory alone is asked,
 * line by line, and held against what the file says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
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

/* Each shipped file is a machine, and is what it is called. */
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
        struct sim_file_error error;
        struct sim_config config;
        struct sim_dram dram;
        struct random random;
        double slow = 0;
        char path[100];
        snprintf(path, sizeof path, "tests/sim/machines/dram/%s.machine", shipped[i].name);
        if (!sim_machine_load(&config, path, &error))
            fail_msg("%s", error.text);
        assert_string_equal(config.name, shipped[i].name);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_slow),
        cmocka_unit_test(a_rank_is_a_class_of_addresses),
        cmocka_unit_test(all_that_is_said_of_a_part_holds),
        cmocka_unit_test(a_channel_is_slow_however_it_is_chosen),
        cmocka_unit_test(shipped_parts_are_slow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
