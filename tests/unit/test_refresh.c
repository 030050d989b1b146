/* SPDX-License-Identifier: BSD-2-Clause */
/* The period, stall and phase of refreshes, from made-up accesses to a memory that has them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "core/dram/refresh.h"
#include "core/lib/random.h"

#define COUNT 65536
#define SEEDS 3

static uint64_t start[COUNT], ticks[COUNT], room[COUNT];

static double uniform(struct random *random)
{
    return (double)(random_next(random) >> 11) * 0x1p-53;
}

struct made {
    double trefi_ns, trfc_ns; /* 0: none */
    double late;              /* of a period: how late a refresh may be */
    double noise_ns;          /* of an access, evenly */
    double spikes;            /* share of accesses that take 200 ns to 3 us longer */
    double uneven;            /* every second refresh takes so many times as long; 0: the same */
    double tick_ns;
    double phase[4]; /* of lines that are asked in turn, in periods */
    size_t lines;
};

static double refresh_late(const struct made *made, uint64_t seed, int64_t number)
{
    struct random random;

    random_start(&random, seed * 1000003 + (uint64_t)number);
    return made->late * uniform(&random);
}

/* When a refresh that is under way is over; else `now`. */
static double over(const struct made *made, uint64_t seed, size_t line, double now)
{
    int64_t number;

    if (made->trefi_ns == 0)
        return now;
    number = (int64_t)floor(now / made->trefi_ns - made->phase[line]);
    for (int64_t k = number - 1; k <= number; k++) {
        double long_by = made->uneven != 0 && k % 2 != 0 ? made->uneven : 1;
        double begin =
            ((double)k + made->phase[line] + refresh_late(made, seed, k)) * made->trefi_ns;
        if (now >= begin && now < begin + made->trfc_ns * long_by)
            return begin + made->trfc_ns * long_by;
    }
    return now;
}

static void make(const struct made *made, uint64_t seed, struct refresh_series *series)
{
    double now = 1e6;
    struct random random;

    random_start(&random, seed);
    *series = (struct refresh_series){start, ticks, COUNT, made->tick_ns, made->tick_ns};
    for (size_t i = 0; i < COUNT; i++) {
        double begin, end;
        now += 100 + 140 * uniform(&random);
        begin = now;
        end = over(made, seed, i % (made->lines != 0 ? made->lines : 1), begin) + 84 +
              made->noise_ns * uniform(&random);
        if (uniform(&random) < made->spikes)
            end += 200 + 2800 * uniform(&random);
        start[i] = (uint64_t)(begin / made->tick_ns);
        ticks[i] = (uint64_t)(end / made->tick_ns) - start[i];
        now = end;
    }
}

static const double memories[][2] = {{7800, 350}, {7800, 550}, {3900, 295}, {3900, 160},
                                     {1950, 160}, {1950, 130}, {975, 130},  {15600, 280}};
#define MEMORIES (sizeof memories / sizeof memories[0])

/* Every memory with each seed: the period is right, and bounds hold but for one in ten. */
static void all_are_found(struct made made)
{
    unsigned outside = 0, stalls_outside = 0, runs = 0;

    for (size_t k = 0; k < MEMORIES; k++)
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            struct refresh_series series;
            struct refresh found;
            made.trefi_ns = memories[k][0];
            made.trfc_ns = memories[k][1];
            made.phase[0] = (double)seed / SEEDS;
            make(&made, seed, &series);
            refresh_find(&series, room, &found);
            if (found.verdict != REFRESH_FOUND || fabs(found.period_ns / made.trefi_ns - 1) > 1e-3)
                fail_msg("%g ns, %g ns, seed %d: %g ns, %s", made.trefi_ns, made.trfc_ns, (int)seed,
                         found.period_ns, found.why != NULL ? found.why : "found");
            /* The ends of waits are in step, their beginnings are not. */
            if (made.late == 0 && made.noise_ns == 0 && made.tick_ns < 1)
                assert_true(found.coherence > 0.999);
            outside += made.trefi_ns < found.period_low || made.trefi_ns > found.period_high;
            stalls_outside += made.trfc_ns < found.stall_low || made.trfc_ns > found.stall_high;
            assert_true(found.stall_high - found.stall_low <
                        0.2 * made.trfc_ns + 4 * made.tick_ns + 2 * made.noise_ns);
            runs++;
        }
    printf("%u runs, %u periods and %u stalls outside their bounds\n", runs, outside,
           stalls_outside);
    assert_true(outside <= runs / 10 && stalls_outside <= runs / 10);
}

static void periods_are_found(void **state)
{
    (void)state;
    all_are_found((struct made){.tick_ns = 0.4});
}

static void periods_are_found_where_refreshes_are_late(void **state)
{
    (void)state;
    all_are_found((struct made){.tick_ns = 0.4, .late = 1.0 / 16});
}

static void periods_are_found_in_noise(void **state)
{
    (void)state;
    all_are_found((struct made){.tick_ns = 0.4, .noise_ns = 40, .spikes = 0.005});
}

static void periods_are_found_by_a_slow_clock(void **state)
{
    (void)state;
    all_are_found((struct made){.tick_ns = 1e9 / 24e6, .late = 1.0 / 32});
}

static void nothing_is_made_up(void **state)
{
    static const struct made none[] = {{.tick_ns = 0.4},
                                       {.tick_ns = 0.4, .noise_ns = 30},
                                       {.tick_ns = 0.4, .noise_ns = 30, .spikes = 0.01},
                                       {.tick_ns = 0.4, .spikes = 0.2},
                                       {.tick_ns = 1e9 / 24e6},
                                       {.tick_ns = 1e9 / 24e6, .noise_ns = 60, .spikes = 0.03}};

    (void)state;
    for (size_t k = 0; k < sizeof none / sizeof none[0]; k++)
        for (uint64_t seed = 1; seed <= 3 * SEEDS; seed++) {
            struct refresh_series series;
            struct refresh found;
            make(&none[k], seed, &series);
            refresh_find(&series, room, &found);
            assert_int_equal(found.verdict, REFRESH_UNSURE);
            assert_non_null(found.why);
            assert_true(isnan(found.period_ns) && isnan(found.stall_ns));
        }
}

static void too_coarse_a_clock_is_said(void **state)
{
    struct made made = {.trefi_ns = 7800, .trfc_ns = 350, .tick_ns = 125};
    struct refresh_series series;
    struct refresh found;

    (void)state;
    make(&made, 1, &series);
    refresh_find(&series, room, &found);
    assert_int_equal(found.verdict, REFRESH_UNSURE);
    assert_non_null(strstr(found.why, "clock"));
    series.count = 100;
    refresh_find(&series, room, &found);
    assert_non_null(strstr(found.why, "too few"));
}

/* Every second refresh is longer: neither period is said to be the one. */
static void two_periods_are_not_sure(void **state)
{
    static const double uneven[] = {1.1, 1.4};

    (void)state;
    for (size_t k = 0; k < 2; k++)
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            struct made made = {.trefi_ns = 3900,
                                .trfc_ns = 160,
                                .uneven = uneven[k],
                                .tick_ns = 0.4,
                                .late = 0.02};
            struct refresh_series series;
            struct refresh found;
            make(&made, seed, &series);
            refresh_find(&series, room, &found);
            if (found.verdict == REFRESH_FOUND)
                fail_msg("%g, seed %d: %g", uneven[k], (int)seed, found.period_ns);
        }
}

/* Lines that are asked in turn have the phases of their own refreshes. */
static void phases_of_lines_are_told(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct made made = {.trefi_ns = 3900,
                            .trfc_ns = 295,
                            .tick_ns = 0.4,
                            .late = 1.0 / 16,
                            .phase = {0.1, 0.1, 0.35, 0.97},
                            .lines = 4};
        struct refresh_series series;
        struct refresh_phase phase[4];
        double apart, chance;
        struct refresh found;
        made.lines = 1;
        make(&made, seed, &series);
        refresh_find(&series, room, &found);
        assert_int_equal(found.verdict, REFRESH_FOUND);
        made.lines = 4;
        make(&made, seed, &series);
        series.count = 4096;
        for (size_t i = 0; i < 4; i++)
            refresh_phase_of(&found, &series, i, 4, room, &phase[i]);
        assert_true(refresh_apart(&found, &phase[0], &phase[1], &apart, &chance));
        assert_true(apart < chance && chance < 0.05);
        assert_true(refresh_apart(&found, &phase[0], &phase[2], &apart, &chance));
        assert_true(fabs(apart - 0.25) < chance);
        assert_true(refresh_apart(&found, &phase[3], &phase[1], &apart, &chance));
        assert_true(fabs(apart - 0.13) < chance);
        series.count = 8;
        refresh_phase_of(&found, &series, 0, 4, room, &phase[0]);
        assert_false(refresh_apart(&found, &phase[0], &phase[1], &apart, &chance));
    }
}

static void scopes_are_told(void **state)
{
    const struct {
        struct refresh_partners partners;
        enum refresh_scope scope;
    } cases[] = {
        /* one rank of 16 banks, all at once */
        {{64, 64, 1, 14, 18}, SCOPE_TOGETHER},
        /* four ranks */
        {{192, 52, 5, 55, 75}, SCOPE_TOGETHER},
        /* 16 banks, each by itself; 64 */
        {{64, 2, 2, 14, 18}, SCOPE_PER_BANK},
        {{512, 12, 12, 55, 75}, SCOPE_PER_BANK},
        /* groups of four banks of 16: never per bank */
        {{192, 38, 5, 14, 18}, SCOPE_TOGETHER},
        /* all in phase, and two banks: pairs that conflict were mistaken */
        {{64, 64, 1, 1.6, 2.1}, SCOPE_UNSURE},
        /* too few lines for so many banks */
        {{64, 2, 2, 200, 300}, SCOPE_UNSURE},
        /* as many as might hide four banks at once */
        {{128, 5, 5, 55, 75}, SCOPE_UNSURE},
        {{0, 0, 0, 14, 18}, SCOPE_UNSURE},
        {{512, 12, 12, 55, NAN}, SCOPE_UNSURE},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (refresh_scope_of(&cases[i].partners) != cases[i].scope)
            fail_msg("case %zu: %s", i, refresh_scope_name(refresh_scope_of(&cases[i].partners)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(periods_are_found),
        cmocka_unit_test(periods_are_found_where_refreshes_are_late),
        cmocka_unit_test(periods_are_found_in_noise),
        cmocka_unit_test(periods_are_found_by_a_slow_clock),
        cmocka_unit_test(nothing_is_made_up),
        cmocka_unit_test(too_coarse_a_clock_is_said),
        cmocka_unit_test(two_periods_are_not_sure),
        cmocka_unit_test(phases_of_lines_are_told),
        cmocka_unit_test(scopes_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
