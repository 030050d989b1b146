/* SPDX-License-Identifier: BSD-2-Clause */
/* core/clock/ticks.c against made-up clocks and cores. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/clock/ticks.h"

static void smallest_step(void **state)
{
    static const uint64_t zen[] = {100, 126, 126, 178, 204, 256}, still[] = {7, 7, 7};

    (void)state;
    assert_int_equal(ticks_smallest_step(zen, 6), 26);
    assert_int_equal(ticks_smallest_step(still, 3), 0);
    assert_int_equal(ticks_smallest_step(zen, 1), 0);
    assert_int_equal(ticks_smallest_step(zen, 0), 0);
}

static void core_frequency(void **state)
{
    (void)state;
    assert_float_equal(ticks_core_hz_from_counts(150, 100, 2000000000), 3e9, 1);
    assert_float_equal(ticks_core_hz_from_counts(150, 0, 2000000000), 0, 0);
    /* 32768 cycles in 21845 ticks, each with 40 ticks of overhead. */
    assert_float_equal(ticks_core_hz_from_chains(8192, 5501, 40960, 27346, 2000000000), 3e9, 1e5);
    assert_float_equal(ticks_core_hz_from_chains(8192, 500, 40960, 500, 2000000000), 0, 0);
    assert_float_equal(ticks_core_hz_from_chains(8192, 501, 40960, 500, 2000000000), 0, 0);
}

/* A core of core_hz seen through a clock of clock_hz that is read in whole ticks: 64 cycles a loop,
 * 40 ticks of overhead, and now and then an interruption. */
static uint64_t core_hz, clock_hz, interruption, calls;

static uint64_t chain(uint64_t loops)
{
    return loops * 64 * clock_hz / core_hz + 40 + (calls++ % 3 == 0 ? interruption : 0);
}

static void core_frequency_by_chains(void **state)
{
    (void)state;
    core_hz = 3000000000;
    clock_hz = 2000000000;
    interruption = 0;
    assert_float_equal(ticks_core_hz_by_chain(chain, 64, 128, 640, clock_hz), 3e9, 1e6);
    /* Disturbed ones are not used. */
    interruption = 100000;
    assert_float_equal(ticks_core_hz_by_chain(chain, 64, 128, 640, clock_hz), 3e9, 1e6);
    clock_hz = 0;
    interruption = 0;
    assert_float_equal(ticks_core_hz_by_chain(chain, 64, 128, 640, clock_hz), 0, 0);
}

/* A clock of 19.2 MHz needs longer chains; then a thousandth is seen. */
static void coarse_clocks(void **state)
{
    static const uint64_t clocks[] = {19200000, 24000000, 62500000, 1000000000};
    static const uint64_t cores[] = {600000000, 2100000000, 4000000000};

    (void)state;
    interruption = 0;
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned k = 0; k < 3; k++) {
            uint64_t loops = ticks_chain_loops(clocks[i], 64, 640);
            double found;

            core_hz = cores[k];
            clock_hz = clocks[i];
            found = ticks_core_hz_by_chain(chain, 64, 128, loops, clock_hz);
            assert_float_equal(found / (double)core_hz, 1, 0.001);
        }
    }
    assert_int_equal(ticks_chain_loops(3000000000, 64, 640), 640);
    assert_int_equal(ticks_chain_loops(0, 64, 640), 640);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smallest_step),
        cmocka_unit_test(core_frequency),
        cmocka_unit_test(core_frequency_by_chains),
        cmocka_unit_test(coarse_clocks),
    };
    return cmocka_run_group_tests_name("ticks", tests, NULL, NULL);
}
