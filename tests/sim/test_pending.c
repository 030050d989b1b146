/* SPDX-License-Identifier: BSD-2-Clause */
/* Outstanding lines against a look at each slot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/lib/random.h"
#include "tests/sim/pending.h"

#define STEPS 200000
#define LINES 100

/* count: none. */
static uint32_t first_free(const struct sim_pending *pending, double when_ns)
{
    uint32_t place = 0;

    while (place < pending->count && pending->done_ns[place] > when_ns)
        place++;
    return place;
}

static uint32_t free_first(const struct sim_pending *pending)
{
    uint32_t first = 0;

    for (uint32_t i = 1; i < pending->count; i++)
        if (pending->done_ns[i] < pending->done_ns[first])
            first = i;
    return first;
}

static double arrival(const struct sim_pending *pending, uint32_t line, double when_ns)
{
    for (uint32_t i = 0; i < pending->count; i++)
        if (pending->line[i] == line && pending->done_ns[i] > when_ns)
            return pending->done_ns[i];
    return 0;
}

/* Waits for a slot where none is free, or does without. */
static void request(struct sim_pending *pending, struct random *random, double when_ns, bool waits)
{
    uint32_t line = (uint32_t)random_below(random, LINES);
    uint32_t place = first_free(pending, when_ns);
    bool full = place == pending->count;

    assert_true(sim_pending_arrival(pending, line, when_ns) == arrival(pending, line, when_ns));
    assert_int_equal(sim_pending_full(pending, when_ns), full);
    assert_int_equal(sim_pending_first(pending), free_first(pending));
    if (!full)
        assert_int_equal(sim_pending_place(pending, when_ns), place);
    if (full && !waits)
        return;
    if (full) {
        place = sim_pending_first(pending);
        when_ns = pending->done_ns[place];
    }
    sim_pending_put(pending, place, line, when_ns + (double)random_below(random, 50));
}

/* Times advance, and go back where a prefetcher has run ahead; lines come again while their old
 * slot has not been reused. */
static void slots_are_those_that_a_look_at_each_finds(void **state)
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
            double when_ns = now + (double)random_below(&random, 20);
            request(&pending, &random, when_ns, random_below(&random, 4) == 0);
            now += (double)random_below(&random, 100) / places[i];
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_are_those_that_a_look_at_each_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
