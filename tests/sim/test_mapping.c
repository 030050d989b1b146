/* SPDX-License-Identifier: BSD-2-Clause */
/* Physical addresses and the banks that they are in, on the machines of machines/mapping. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glob.h>
#include <stdlib.h>

#include "core/lib/random.h"
#include "tests/sim/dram.h"
#include "tests/sim/machine_file.h"

#define LINE  64u
#define ROWS  4
#define PAIRS 4000

static void load(struct sim_config *config, const char *path)
{
    struct sim_file_error error;

    if (!sim_machine_load(config, path, &error))
        fail_msg("%s", error.text);
}

static void start(struct sim_dram *dram, const struct sim_config *config)
{
    sim_dram_start(dram, &config->memory, &config->mapping, LINE);
}

/* The first line that begins rows: where addresses are divided, memory itself need not. */
static uint32_t first_line(const struct sim_mapping_config *mapping)
{
    uint64_t step = (uint64_t)(mapping->modulus > 1 ? mapping->modulus : 1) << mapping->row_bit;
    uint64_t base = SIM_MEMORY_BASE - mapping->offset_bytes;

    return (uint32_t)((step - base % step) % step / LINE);
}

/* Each row of each bank has as many lines as fit into it. */
static void all_rows_are_full(const struct sim_config *config)
{
    struct sim_dram dram;
    struct sim_dram_cost cost;
    uint32_t banks = config->memory.channels * config->memory.ranks * config->memory.banks;
    uint32_t lines = (uint32_t)(config->memory.row_bytes / LINE), *count;
    uint32_t begin = first_line(&config->mapping);
    int64_t first = -1;

    start(&dram, config);
    count = calloc((size_t)banks * ROWS, sizeof *count);
    for (uint32_t line = 0; line < banks * ROWS * lines; line++) {
        uint32_t bank = 0;
        sim_dram_access(&dram, begin + line, line * 1000.0, &cost);
        while (dram.bank[bank].row < 0)
            bank++;
        if (first < 0)
            first = dram.bank[bank].row;
        assert_in_range(dram.bank[bank].row - first, 0, ROWS - 1);
        count[bank * ROWS + dram.bank[bank].row - first]++;
        dram.bank[bank].row = -1;
    }
    for (uint32_t i = 0; i < banks * ROWS; i++)
        assert_int_equal(count[i], lines);
    free(count);
    sim_dram_stop(&dram);
}

static void every_line_has_a_place_of_its_own(void **state)
{
    glob_t files;

    (void)state;
    assert_int_equal(glob("tests/sim/machines/mapping/*.machine", 0, NULL, &files), 0);
    assert_int_equal(files.gl_pathc, 9);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        struct sim_config config;
        load(&config, files.gl_pathv[i]);
        all_rows_are_full(&config);
    }
    globfree(&files);
}

/* What b's row costs right after a. */
static double row_after(const struct sim_config *config, uint64_t a, uint64_t b)
{
    struct sim_dram dram;
    struct sim_dram_cost cost;

    start(&dram, config);
    sim_dram_access(&dram, (uint32_t)(a / LINE), 1000, &cost);
    sim_dram_access(&dram, (uint32_t)(b / LINE), 1500, &cost);
    sim_dram_stop(&dram);
    return cost.row_ns;
}

static void functions_say_who_shares_a_bank(void **state)
{
    const uint64_t a = 0x12345600;
    struct sim_config c;

    (void)state;
    load(&c, "tests/sim/machines/mapping/coffee-lake.machine");
    assert_true(row_after(&c, a, a ^ 1 << 7) == 0);
    assert_true(row_after(&c, a, a ^ 1 << 6 ^ 1 << 13) == 0);
    assert_true(row_after(&c, a, a ^ 1 << 6) == c.memory.trcd_ns);
    assert_true(row_after(&c, a, a ^ 1 << 14) == c.memory.trcd_ns);
    assert_true(row_after(&c, a, a ^ 1 << 17) == c.memory.trcd_ns);
    assert_true(row_after(&c, a, a ^ 1 << 14 ^ 1 << 17) == c.memory.trcd_ns + c.memory.trp_ns);
    assert_true(row_after(&c, a, a ^ 1 << 20) == c.memory.trcd_ns + c.memory.trp_ns);
}

/* The functions are of addresses after the offset was subtracted, and of no others. */
static void the_offset_comes_first(void **state)
{
    struct sim_config c;
    struct random random;
    unsigned conflicts = 0;

    (void)state;
    load(&c, "tests/sim/machines/mapping/zen3-two-ranks.machine");
    random_start(&random, 3);
    for (int i = 0; i < PAIRS; i++) {
        uint64_t a = random_below(&random, c.memory.bytes),
                 b = random_below(&random, c.memory.bytes);
        uint64_t moved =
            (a + SIM_MEMORY_BASE - (768u << 20)) ^ (b + SIM_MEMORY_BASE - (768u << 20));
        bool same = __builtin_parityll(c.mapping.rank.mask[0] & moved) == 0;
        for (uint32_t k = 0; k < c.mapping.bank.count; k++)
            same = same && __builtin_parityll(c.mapping.bank.mask[k] & moved) == 0;
        same = same && moved >> c.mapping.row_bit != 0;
        assert_int_equal(row_after(&c, a, b) > c.memory.trcd_ns, same);
        conflicts += same;
    }
    assert_in_range(conflicts, PAIRS / 32 / 2, PAIRS / 32 * 2);
}

/* Of lines on both sides of modulus-from's bit, all three remainders are met in turn. */
static void a_modulus_takes_channels_in_turn(void **state)
{
    struct sim_config c;
    struct sim_dram dram;
    struct sim_dram_cost cost;

    (void)state;
    load(&c, "tests/sim/machines/mapping/six-channels.machine");
    for (uint32_t block = 0; block < 12; block++) {
        uint32_t channel = 0;
        start(&dram, &c);
        sim_dram_access(&dram, block * 4, 1000, &cost);
        while (dram.channel[channel].count == 0)
            channel++;
        /* 4 GiB is one more than a multiple of three such blocks. */
        assert_int_equal(channel / 2, (block + 1) % 3);
        sim_dram_stop(&dram);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_line_has_a_place_of_its_own),
        cmocka_unit_test(functions_say_who_shares_a_bank),
        cmocka_unit_test(the_offset_comes_first),
        cmocka_unit_test(a_modulus_takes_channels_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
