/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines under way against what their places say one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/random.h"
#include "tests/sim/pending.h"

#define STEPS 200000
#define LINES 100

static uint32_t first_free(const struct sim_pending *pending, double at_ns)
{
    uint32_t place = 0;

    while (place < pending->count && pending->done_ns[place] > at_ns)
        place++;
    return place;
}

static double arrival(const struct sim_pending *pending, uint32_t line, double at_ns)
{
    for (uint32_t i = 0; i < pending->count; i++)
        if (pending->line[i] == line && pending->done_ns[i] > at_ns)
            return pending->done_ns[i];
    return 0;
}

static void asks(struct sim_pending *pending, struct random *random, double at_ns)
{
    uint32_t line = (uint32_t)random_below(random, LINES);
    uint32_t place = first_free(pending, at_ns);

    assert_true(sim_pending_arrival(pending, line, at_ns) == arrival(pending, line, at_ns));
    if (sim_pending_full(pending, at_ns))
        assert_int_equal(place, pending->count);
    assert_int_equal(sim_pending_place(pending, at_ns), place);
    assert_true(sim_pending_full(pending, at_ns) == (place == pending->count));
    if (place != pending->count)
        sim_pending_put(pending, place, line, at_ns + (double)random_below(random, 50));
}

/* Waits for a place where none is free. */
static void demands(struct sim_pending *pending, struct random *random, double at_ns)
{
    uint32_t place = sim_pending_place(pending, at_ns);

    if (place == pending->count) {
        place = sim_pending_first(pending);
        for (uint32_t i = 0; i < pending->count; i++)
            assert_true(pending->done_ns[place] <= pending->done_ns[i]);
        at_ns = pending->done_ns[place];
    }
    sim_pending_put(pending, place, (uint32_t)random_below(random, LINES),
                    at_ns + (double)random_below(random, 50));
}

/* Times go on, and back where a prefetcher has run ahead; lines come again while their old place
 * has not been taken. */
static void places_are_those_that_a_look_at_each_finds(void **state)
{
    static const uint32_t places[] = {1, 10, 16, 17, SIM_MISSES_MAX};
    struct sim_pending pending;
    struct random random;

    (void)state;
    random_start(&random, 1);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        double now = 0;
        sim_pending_start(&pending, places[i]);
        for (int step = 0; step < STEPS; step++) {
            double at_ns = now + (double)random_below(&random, 20);
            if (random_below(&random, 4) == 0)
                demands(&pending, &random, at_ns);
            else
                asks(&pending, &random, at_ns);
            now += (double)random_below(&random, 100) / places[i];
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_those_that_a_look_at_each_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
