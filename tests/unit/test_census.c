/* SPDX-License-Identifier: BSD-2-Clause */
/* core/firmware/census.c: siblings, kinds and nodes, by ids of many shapes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "core/firmware/census.h"

static struct cpu_info cpus[16];
static size_t count;

static struct cpu_info *add(uint64_t id, uint32_t node)
{
    cpus[count] = (struct cpu_info){.hardware_id = id, .node = node, .enabled = true};
    return &cpus[count++];
}

static struct machine_state take(unsigned thread, unsigned package)
{
    struct census_bits bits = {thread, package};
    struct machine_state state = {.microcode = 7};

    census_take(cpus, count, true, &bits, &state);
    assert_int_equal(state.microcode, 7);
    return state;
}

/* Two packages of four cores with two threads each; the second package's second half is off. */
static void start(void)
{
    count = 0;
    for (uint64_t id = 0; id < 16; id++)
        add(id, id < 4 ? 0 : id < 8 ? 1 : 2)->enabled = id < 12;
}

static void siblings_are_counted(void **state)
{
    (void)state;
    start();
    assert_int_equal(take(1, 3).threads_per_core, 2);
    assert_int_equal(take(0, 3).threads_per_core, 1);
    assert_int_equal(take(2, 3).threads_per_core, 4);
    cpus[1].enabled = false; /* switched off by the firmware */
    assert_int_equal(take(1, 3).threads_per_core, 1);
    assert_int_equal(take(CENSUS_BITS_MAX + 1, 3).threads_per_core, 0);
}

static void nodes_of_the_package(void **state)
{
    (void)state;
    start();
    assert_int_equal(take(1, 3).nodes_per_package, 2);
    assert_int_equal(take(1, 2).nodes_per_package, 1);
    assert_int_equal(take(1, 4).nodes_per_package, 3);
    assert_int_equal(take(1, CENSUS_BITS_MAX + 1).nodes_per_package, 0);
    cpus[4].enabled = false; /* the first of its node: the others still count */
    assert_int_equal(take(1, 3).nodes_per_package, 2);
    cpus[9].node = NODE_UNKNOWN; /* of another package */
    assert_int_equal(take(1, 3).nodes_per_package, 2);
    cpus[13].node = NODE_UNKNOWN; /* not enabled */
    cpus[5].node = NODE_UNKNOWN;
    assert_int_equal(take(1, 3).nodes_per_package, 0);
}

static void kinds_by_efficiency(void **state)
{
    static const uint8_t classes[] = {0, 255, 0, 64, 1};

    (void)state;
    count = 0;
    for (size_t i = 0; i < 5; i++) {
        struct cpu_info *cpu = add(i << 8, 0);
        cpu->efficiency_known = true;
        cpu->efficiency = classes[i];
    }
    assert_int_equal(take(0, 64).cpu_kinds, 4);
    cpus[4].enabled = false;
    assert_int_equal(take(0, 64).cpu_kinds, 3);
    cpus[2].efficiency_known = false;
    assert_int_equal(take(0, 64).cpu_kinds, 0);
    /* Told by registers. */
    struct census_bits bits = {0, 64};
    struct machine_state known = {.cpu_kinds = 1};
    census_take(cpus, count, true, &bits, &known);
    assert_int_equal(known.cpu_kinds, 1);
}

static void one_cpu_and_no_list_is_unknown(void **state)
{
    struct census_bits bits = {1, 3};
    struct machine_state unknown = {.microcode = 0};

    (void)state;
    start();
    census_take(cpus, 1, false, &bits, &unknown);
    assert_int_equal(unknown.threads_per_core + unknown.cpu_kinds + unknown.nodes_per_package, 0);
    census_take(cpus, 0, true, &bits, &unknown);
    assert_int_equal(unknown.threads_per_core, 0);
}

static void cores_by_id(void **state)
{
    const struct census_bits no_threads = {0, 3}, threads = {1, 3}, arm_threads = {8, 64},
                             unknown = {CENSUS_BITS_MAX + 1, CENSUS_BITS_MAX + 1};

    (void)state;
    assert_int_equal(census_core(5, &threads), census_core(4, &threads));
    assert_int_not_equal(census_core(5, &threads), census_core(6, &threads));
    assert_int_not_equal(census_core(5, &no_threads), census_core(4, &no_threads));
    assert_int_not_equal(census_core(5, &unknown), census_core(4, &unknown));
    assert_int_equal(census_core(0x10301, &arm_threads), census_core(0x10300, &arm_threads));
    assert_int_not_equal(census_core(0x10301, &arm_threads), census_core(0x10401, &arm_threads));
    /* Aff3 */
    assert_int_not_equal(census_core(0x100000100, &no_threads), census_core(0x100, &no_threads));
    assert_int_not_equal(census_core(0x100000100, &arm_threads), census_core(0x100, &arm_threads));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(siblings_are_counted), cmocka_unit_test(nodes_of_the_package),
        cmocka_unit_test(kinds_by_efficiency),  cmocka_unit_test(one_cpu_and_no_list_is_unknown),
        cmocka_unit_test(cores_by_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
