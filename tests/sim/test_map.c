/* SPDX-License-Identifier: BSD-2-Clause */
/* Where memory is: low memory and holes, as the machine declares them, as windows are made of them,
 * and as the memory itself takes addresses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/lib/random.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/simulator.h"

#define MIB   (1ull << 20)
#define GIB   (1ull << 30)
#define DRAWS 20000

static const char holes[] = "machine name=m pages=4k,2m\nclock core=2G counter=2G\n"
                            "cache name=L1 bytes=32K ways=8 latency=4c\n"
                            "memory bytes=2G low=512M far=768M far-adds=9ns base=80ns tcl=10ns\n"
                            "hole from=0x110000000 bytes=256M\nhole from=0x140000000 bytes=4M\n"
                            "fault address=0x140400008 bit=3 kind=stuck-1\nend\n";

static void start(struct simulator *sim, struct sim_config *config, const char *text)
{
    struct sim_file_error error;

    if (!sim_machine_parse(config, text, strlen(text), "m", &error))
        fail_msg("%s", error.text);
    simulator_start(sim, config, false);
}

static const struct expected {
    uint64_t base, bytes;
    uint32_t node;
} expected[] = {{0, 512 * MIB, SIM_NODE_FAR},
                {4 * GIB, 256 * MIB, SIM_NODE_FAR},
                {4 * GIB + 512 * MIB, 512 * MIB, SIM_NODE_NEAR},
                {5 * GIB + 4 * MIB, 768 * MIB, SIM_NODE_NEAR}};
#define RANGES (sizeof expected / sizeof *expected)

static void the_machine_says_where_its_memory_is(void **state)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct sim_config config;

    (void)state;
    assert_non_null(sim);
    start(sim, &config, holes);
    assert_int_equal(sim->description.memory_count, RANGES);
    for (size_t i = 0; i < RANGES; i++) {
        assert_int_equal(sim->description.memory[i].base.value, expected[i].base);
        assert_int_equal(sim->description.memory[i].bytes, expected[i].bytes);
        assert_int_equal(sim->description.memory[i].node, expected[i].node);
    }
    simulator_stop(sim);
    free(sim);
}

static const struct expected *range_of(uint64_t physical)
{
    for (size_t i = 0; i < RANGES; i++)
        if (physical - expected[i].base < expected[i].bytes)
            return &expected[i];
    fail_msg("0x%llx is no memory", (unsigned long long)physical);
    return NULL;
}

/* A window of everything has each page once, whatever their size and order; its offsets are where
 * it says that they are; and its nodes' shares are right. */
static void a_window_has_all_memory_once(void **state)
{
    static const struct {
        enum page_size page;
        enum frame_order order;
    } kinds[] = {
        {PAGE_2M, FRAMES_CONTIGUOUS}, {PAGE_4K, FRAMES_CONTIGUOUS}, {PAGE_4K, FRAMES_SCATTERED}};
    struct simulator *sim = malloc(sizeof *sim);
    struct sim_config config;

    (void)state;
    assert_non_null(sim);
    start(sim, &config, holes);
    for (size_t k = 0; k < 3; k++) {
        struct window_request request = {
            .page = kinds[k].page, .order = kinds[k].order, .node = NODE_ANY};
        uint64_t page_bytes = 1ull << kinds[k].page;
        bool *met = calloc(2 * GIB / page_bytes, sizeof *met);
        struct window window;
        assert_non_null(met);
        assert_int_equal(sim->machine.window_limit(sim, &request), 2 * GIB);
        request.bytes = 2 * GIB;
        assert_int_equal(sim->machine.window_open(sim, &request, &window), STATUS_OK);
        for (uint64_t at = 0; at < 2 * GIB; at += page_bytes) {
            uint64_t inside = at / page_bytes % 2 * 72;
            uint64_t physical = sim->machine.window_phys(sim, &window, at + inside).value;
            uint64_t offset = sim_map_offset(&sim->system->dram->map, physical);
            assert_int_equal(physical % page_bytes, inside);
            (void)range_of(physical);
            assert_false(met[offset / page_bytes]);
            met[offset / page_bytes] = true;
            assert_int_equal(simulator_reference(sim, window.base + at + inside).line, offset / 64);
        }
        sim->machine.window_close(sim, &window);
        free(met);
    }
    simulator_stop(sim);
    free(sim);
}

/* Of that node alone, also within a range, and a range that covers a hole is without it. */
static void windows_are_of_what_is_requested(void **state)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct window_request request = {.page = PAGE_2M, .node = SIM_NODE_NEAR};
    struct window_span span;
    struct sim_config config;
    struct window window;

    (void)state;
    assert_non_null(sim);
    start(sim, &config, holes);
    assert_int_equal(sim->machine.window_limit(sim, &request), 1280 * MIB);
    request.bytes = 1280 * MIB;
    assert_int_equal(sim->machine.window_open(sim, &request, &window), STATUS_OK);
    sim->machine.window_span(sim, &window, window.bytes, &span);
    assert_int_equal(span.node, SIM_NODE_NEAR);
    assert_int_equal(span.low.value, 4 * GIB + 512 * MIB);
    sim->machine.window_close(sim, &window);
    request.node = NODE_ANY;
    request.bytes = 2 * GIB;
    assert_int_equal(sim->machine.window_open(sim, &request, &window), STATUS_OK);
    sim->machine.window_span(sim, &window, 768 * MIB, &span);
    assert_int_equal(span.node, SIM_NODE_FAR);
    assert_int_equal(span.low.value, 0);
    sim->machine.window_span(sim, &window, 770 * MIB, &span);
    assert_int_equal(span.node, NODE_UNKNOWN);
    sim->machine.window_close(sim, &window);
    request.from = phys_make(256 * MIB);
    request.below = phys_make(4 * GIB + 600 * MIB);
    assert_int_equal(sim->machine.window_limit(sim, &request), (256 + 256 + 88) * MIB);
    request.node = SIM_NODE_NEAR;
    assert_int_equal(sim->machine.window_limit(sim, &request), 88 * MIB);
    request.from = phys_make(4 * GIB + 256 * MIB);
    request.below = phys_make(4 * GIB + 512 * MIB);
    assert_int_equal(sim->machine.window_limit(sim, &request), 0);
    simulator_stop(sim);
    free(sim);
}

/* Memory is decoded as if there was nothing between, once the offset is subtracted; slow ranges and
 * faults are where they are said to be. */
static void memory_takes_physical_addresses(void **state)
{
    const struct sim_map *map;
    struct simulator *sim = malloc(sizeof *sim);
    struct sim_config config, shifted;
    struct sim_dram dram;
    struct random random;
    struct sim_file_error error;
    struct window_request request = {.bytes = 2 * GIB, .page = PAGE_2M, .node = NODE_ANY};
    struct window window;

    (void)state;
    assert_non_null(sim);
    start(sim, &config, holes);
    map = &sim->system->dram->map;
    assert_int_equal(sim_map_offset(map, 512 * MIB), UINT64_MAX);
    assert_int_equal(sim_map_offset(map, 5 * GIB), UINT64_MAX);
    assert_int_equal(sim_map_offset(map, 5 * GIB + 4 * MIB), 1280 * MIB);
    assert_int_equal(sim->machine.window_open(sim, &request, &window), STATUS_OK);
    assert_int_equal(sim->machine.window_phys(sim, &window, sim->faults.offset[0]).value,
                     0x140400008);
    sim->machine.window_close(sim, &window);
    simulator_stop(sim);
    free(sim);
    if (!sim_machine_load(&shifted, "tests/sim/machines/dram/low-memory.machine", &error))
        fail_msg("%s", error.text);
    sim_dram_start(&dram, &shifted.memory, &shifted.mapping, 64);
    random_start(&random, 5);
    for (int i = 0; i < DRAWS; i++) {
        uint64_t offset = random_below(&random, shifted.memory.bytes / 64) * 64;
        uint64_t physical = sim_map_physical(&dram.map, offset);
        assert_int_equal(physical, offset < 3328 * MIB ? offset : offset + 768 * MIB);
        assert_int_equal(sim_map_offset(&dram.map, physical), offset);
        /* Low memory ends where the offset moves the rest to. */
        assert_int_equal(sim_dram_place(&dram, physical).row, offset >> shifted.mapping.row_bit);
        assert_int_equal(sim_dram_place(&dram, physical).rank,
                         __builtin_parityll(shifted.mapping.rank.mask[0] & offset));
        assert_true(sim_dram_slow_ns(&dram, physical) ==
                    (physical >= 3 * GIB && physical < 4 * GIB + 256 * MIB ? 10 : 0));
    }
    sim_dram_stop(&dram);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_machine_says_where_its_memory_is),
        cmocka_unit_test(a_window_has_all_memory_once),
        cmocka_unit_test(windows_are_of_what_is_requested),
        cmocka_unit_test(memory_takes_physical_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
