/* SPDX-License-Identifier: BSD-2-Clause */
/* Second clocks against a scripted world in which only true time is certain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdbool.h>

#include <cmocka.h>

#include "core/clock/refclock.h"
#include "core/lib/random.h"

#define HPET_PERIOD_FS 69841279u /* 14.318 MHz */

/* Every reading takes time; some are interrupted, anywhere inside. */
static struct {
    double now_s, tick_hz, counter_hz, read_s;
    uint64_t tick_base, counter_base;
    unsigned spike_in; /* one reading in this many is disturbed; 0: none */
    double spike_s;    /* and takes up to so much longer */
    bool counter_stopped, ticks_stopped;
    uint64_t garbage; /* above the counter's valid bits */
    unsigned reads;
    struct random random;
    const struct refclock *clock;
} world;

static void world_pass(double seconds)
{
    if (world.spike_in != 0 && random_below(&world.random, world.spike_in) == 0)
        world.now_s += world.spike_s * (double)random_below(&world.random, 1000) / 1000;
    world.now_s += seconds * (0.9 + (double)random_below(&world.random, 200) / 1000);
}

static uint64_t world_ticks(void *context)
{
    assert_ptr_equal(context, &world);
    world_pass(5e-9);
    uint64_t value = world.tick_base;
    if (!world.ticks_stopped)
        value += (uint64_t)(world.now_s * world.tick_hz);
    world_pass(5e-9);
    return value;
}

static uint64_t world_read(void *context)
{
    assert_ptr_equal(context, &world);
    world_pass(world.read_s / 2);
    uint64_t count = world.counter_stopped ? 0 : (uint64_t)(world.now_s * world.counter_hz);
    uint64_t mask = world.clock->bits == 64 ? UINT64_MAX : (1ull << world.clock->bits) - 1;
    uint64_t value = world.clock->down ? world.counter_base - count : world.counter_base + count;
    world_pass(world.read_s / 2);
    world.reads++;
    return (value & mask) | (world.garbage & ~mask);
}

static const struct refclock pm_timer = {.name = "ACPI PM timer",
                                         .hz_numerator = PM_TIMER_HZ,
                                         .hz_denominator = 1,
                                         .bits = 24,
                                         .read = world_read,
                                         .context = &world,
                                         .argument = 0x608};
static const struct refclock hpet = {.name = "HPET",
                                     .hz_numerator = 1000000000000000u,
                                     .hz_denominator = HPET_PERIOD_FS,
                                     .bits = 64,
                                     .read = world_read,
                                     .context = &world,
                                     .argument = 0xfed000f0};
static const struct refclock pit = {.name = "PIT",
                                    .hz_numerator = PIT_HZ,
                                    .hz_denominator = 1,
                                    .bits = 16,
                                    .down = true,
                                    .read = world_read,
                                    .context = &world,
                                    .argument = 0x42};

static void world_start(const struct refclock *clock, double tick_hz)
{
    world.now_s = 0.123;
    world.tick_hz = tick_hz;
    world.counter_hz = (double)clock->hz_numerator / (double)clock->hz_denominator;
    world.read_s = clock->bits == 64 ? 0.5e-6 : 1e-6;
    world.tick_base = 1ull << 50;
    world.counter_base = 0;
    world.spike_in = 0;
    world.spike_s = 1e-3;
    world.counter_stopped = world.ticks_stopped = false;
    world.garbage = 0;
    world.reads = 0;
    random_start(&world.random, clock->bits);
    world.clock = clock;
}

static struct refclock_result calibrate(unsigned windows, unsigned window_ms)
{
    struct refclock_result result;
    assert_int_equal(
        refclock_calibrate(world.clock, world_ticks, &world, windows, window_ms, &result),
        STATUS_OK);
    assert_int_equal(result.windows, windows);
    return result;
}

static void assert_ppm(double value, double truth, double ppm)
{
    if (fabs(value / truth - 1) * 1e6 > ppm)
        fail_msg("%.3f is %.3f ppm off %.3f", value, (value / truth - 1) * 1e6, truth);
}

static void elapsed_wraps_and_counts_down(void **state)
{
    (void)state;
    assert_int_equal(refclock_elapsed(&pm_timer, 0xfffffe, 3), 5);
    assert_int_equal(refclock_elapsed(&pm_timer, 0x12fffffe, 0xab000003), 5);
    assert_int_equal(refclock_elapsed(&pit, 3, 0xfffe), 5);
    assert_int_equal(refclock_elapsed(&pit, 0xfffe, 0xfff0), 14);
    assert_int_equal(refclock_elapsed(&hpet, UINT64_MAX - 1, 3), 5);
    assert_int_equal(refclock_elapsed(&hpet, 7, 7), 0);
}

static void perfect_counters_calibrate_to_20_ppm(void **state)
{
    (void)state;
    static const struct refclock *const clocks[] = {&pm_timer, &hpet, &pit};
    static const double rates[] = {2.6e9, 1.0e9, 5.7e9, 24e6};
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned j = 0; j < 4; j++) {
            world_start(clocks[i], rates[j]);
            struct refclock_result result = calibrate(3, 100);
            assert_ppm(result.hz, rates[j], 20);
            assert_true(result.spread_ppm < 40);
            assert_true(world.now_s < 0.123 + 0.31);
        }
    }
}

static void wraps_inside_a_window_are_seen(void **state)
{
    (void)state;
    world_start(&pm_timer, 3e9);
    world.garbage = 0xabcdef5512345678;
    world.counter_base = (1u << 24) - (uint64_t)((0.123 + 0.05) * PM_TIMER_HZ);
    assert_ppm(calibrate(1, 100).hz, 3e9, 20);
    world_start(&pit, 3e9); /* wraps every 55 ms */
    assert_ppm(calibrate(1, 500).hz, 3e9, 20);
}

static void spikes_do_not_reach_the_median(void **state)
{
    (void)state;
    for (unsigned spike_in = 100; spike_in <= 100000; spike_in *= 10) {
        world_start(&pm_timer, 2.4e9);
        world.spike_in = spike_in;
        struct refclock_result result = calibrate(5, 100);
        assert_ppm(result.hz, 2.4e9, 20);
    }
}

/* Other work on this CPU, for many times as long as a window lasts. */
static void preemption_does_not_look_like_a_stopped_clock(void **state)
{
    static const struct refclock raw = {.name = "CLOCK_MONOTONIC_RAW",
                                        .hz_numerator = 1000000000u,
                                        .hz_denominator = 1,
                                        .bits = 64,
                                        .read = world_read,
                                        .context = &world};

    (void)state;
    for (unsigned spike_in = 100; spike_in <= 1000000; spike_in *= 10) {
        for (unsigned i = 0; i < 20; i++) {
            world_start(&raw, 2.6e9);
            random_start(&world.random, i);
            world.read_s = 50e-9;
            world.spike_in = spike_in;
            world.spike_s = 0.5;
            assert_ppm(calibrate(3, 5).hz, 2.6e9, 20);
        }
    }
}

static void an_edge_is_not_a_disturbed_one(void **state)
{
    (void)state;
    uint64_t best = 0;
    struct clock_pair pair;
    world_start(&pm_timer, 1e9);
    for (unsigned i = 0; i < 8; i++)
        refclock_edge(&pm_timer, world_ticks, &world, 1000000, &best, &pair);
    assert_in_range(best, 800, 1200); /* 1 us, the time a reading takes */
    world.spike_in = 8;
    for (unsigned i = 0; i < 2000; i++) {
        assert_int_equal(refclock_edge(&pm_timer, world_ticks, &world, 1000000, &best, &pair),
                         STATUS_OK);
        double seconds = (double)(pair.ticks - world.tick_base) / 1e9;
        double counts = seconds * PM_TIMER_HZ;
        uint64_t truth = (uint64_t)counts & 0xffffff;
        assert_true(refclock_elapsed(&pm_timer, pair.reference, truth + 5) <= 10);
    }
}

static void hopeless_edges_still_end(void **state)
{
    (void)state;
    uint64_t best = 1; /* no bracket can be that narrow */
    struct clock_pair pair = {0, 0};
    world_start(&pm_timer, 1e9);
    assert_int_equal(refclock_edge(&pm_timer, world_ticks, &world, 1000000, &best, &pair),
                     STATUS_OK);
    assert_in_range(world.reads, 64, 256);
    assert_true(pair.ticks > world.tick_base);
    world_start(&hpet, 1e9);
    world.spike_in = 8; /* each as long as ten times what is waited for */
    world.spike_s = 1e-2;
    for (unsigned i = 0; i < 100; i++) {
        best = 0;
        assert_int_equal(refclock_edge(&hpet, world_ticks, &world, 1000000, &best, &pair),
                         STATUS_OK);
    }
}

static void stopped_clocks_are_unsupported(void **state)
{
    (void)state;
    struct refclock_result result = {1, 1, 1};
    uint64_t best = 0;
    struct clock_pair pair;
    world_start(&pm_timer, 3e9);
    world.counter_stopped = true;
    assert_int_equal(refclock_edge(&pm_timer, world_ticks, &world, 3000000, &best, &pair),
                     STATUS_UNSUPPORTED);
    assert_true(world.now_s < 0.123 + 0.01);
    assert_int_equal(refclock_calibrate(&pm_timer, world_ticks, &world, 3, 100, &result),
                     STATUS_UNSUPPORTED);
    assert_true(result.hz == 0 && result.windows == 0);
    world_start(&pm_timer, 3e9);
    world.ticks_stopped = true;
    assert_int_equal(refclock_calibrate(&pm_timer, world_ticks, &world, 3, 100, &result),
                     STATUS_UNSUPPORTED);
    world.counter_stopped = true; /* both: time is counted in readings */
    assert_int_equal(refclock_edge(&pm_timer, world_ticks, &world, 3000000, &best, &pair),
                     STATUS_UNSUPPORTED);
    world_start(&pm_timer, 3e9);
    world.counter_hz = 500; /* moves, but a window would take hours */
    assert_int_equal(refclock_calibrate(&pm_timer, world_ticks, &world, 3, 100, &result),
                     STATUS_UNSUPPORTED);
    assert_true(world.now_s < 3);
    assert_int_equal(refclock_calibrate(&pm_timer, world_ticks, &world, 0, 100, &result),
                     STATUS_BAD_INPUT);
}

/* Feeds a watch for some seconds of true time; returns its ppm. */
static double watch_ppm(double believed_hz, double seconds, double every_s)
{
    struct refclock_watch watch;
    double ppm, measured_s;
    struct clock_pair now = {world_ticks(&world), world_read(&world)};
    refclock_watch_start(&watch, world.clock, believed_hz, now);
    assert_false(refclock_watch_result(&watch, &ppm, &measured_s));
    for (double end = world.now_s + seconds; world.now_s < end;) {
        world_pass(every_s);
        now = (struct clock_pair){world_ticks(&world), world_read(&world)};
        refclock_watch_feed(&watch, now);
    }
    assert_true(refclock_watch_result(&watch, &ppm, &measured_s));
    double speed =
        world.counter_hz * (double)world.clock->hz_denominator / (double)world.clock->hz_numerator;
    assert_true(fabs(measured_s / speed - seconds) < 2 * every_s);
    return ppm;
}

static void the_watch_knows_which_way_we_err(void **state)
{
    (void)state;
    world_start(&pm_timer, 2.6e9);
    assert_true(fabs(watch_ppm(2.6e9, 60, 2)) < 1);
    assert_true(fabs(watch_ppm(2.6e9 * 1.001, 60, 2) - 1000) < 1);
    assert_true(fabs(watch_ppm(2.6e9 * 0.999, 60, 2) + 1000) < 1);
    world_start(&hpet, 2.6e9);
    assert_true(fabs(watch_ppm(2.6e9 * 0.9999, 1000, 90) + 100) < 1);
    world_start(&pit, 2.6e9);
    assert_true(fabs(watch_ppm(2.6e9 * 1.01, 3, 0.03) - 1e4) < 3);
}

static void double_speed_shows(void **state)
{
    (void)state;
    world_start(&pm_timer, 2.6e9);
    world.counter_hz *= 2;
    assert_true(fabs(watch_ppm(2.6e9, 30, 1) - 1e6) < 5);
    assert_ppm(calibrate(3, 100).hz, 1.3e9, 20);
}

static void late_feeds_break_the_watch(void **state)
{
    (void)state;
    struct refclock_watch watch;
    double ppm, seconds;
    uint64_t limit = refclock_watch_interval_ns(&pm_timer);
    assert_in_range(limit, 2343000000u, 4687000000u);
    for (unsigned late = 0; late < 2; late++) {
        refclock_watch_start(&watch, &pm_timer, 1e9, (struct clock_pair){1000, 5});
        refclock_watch_feed(&watch, (struct clock_pair){1000 + limit + 10 * late, 12000000});
        assert_int_equal(watch.broken, late);
        refclock_watch_feed(&watch, (struct clock_pair){1001 + limit + 10 * late, 12000004});
        assert_int_equal(refclock_watch_result(&watch, &ppm, &seconds), !late);
    }
    refclock_watch_start(&watch, &pm_timer, 1e9, (struct clock_pair){1000, 5});
    refclock_watch_feed(&watch, (struct clock_pair){999, 6});
    assert_true(watch.broken);
    refclock_watch_start(&watch, &pm_timer, 0, (struct clock_pair){1000, 5});
    assert_true(watch.broken);
    refclock_watch_start(&watch, &pm_timer, 1e9, (struct clock_pair){1000, 5});
    refclock_watch_feed(&watch, (struct clock_pair){900001000, 5});
    assert_false(watch.broken); /* the counter is stopped: nothing is known */
    assert_false(refclock_watch_result(&watch, &ppm, &seconds));
    assert_int_equal(refclock_watch_interval_ns(&hpet), UINT64_MAX);
    assert_in_range(refclock_watch_interval_ns(&pit), 27400000, 54900000);
}

/* Right after a gap in which nobody looked, what was compared before is all there is. */
static void a_gap_costs_the_gap_alone(void **state)
{
    struct refclock_watch watch;
    double ppm, seconds;

    (void)state;
    refclock_watch_start(&watch, &pm_timer, 1e9, (struct clock_pair){.ticks = 0});
    refclock_watch_again(&watch, (struct clock_pair){1000, 5});
    assert_false(refclock_watch_result(&watch, &ppm, &seconds));
    refclock_watch_feed(&watch, (struct clock_pair){3000001000, 5 + 3 * 3579545});
    refclock_watch_again(&watch, (struct clock_pair){50000000000, 77});
    assert_true(refclock_watch_result(&watch, &ppm, &seconds));
    assert_true(fabs(seconds - 3) < 1e-6 && fabs(ppm) < 0.5);
    refclock_watch_feed(&watch, (struct clock_pair){50999000000, 77 + 3579545});
    assert_true(refclock_watch_result(&watch, &ppm, &seconds));
    assert_true(fabs(seconds - 4) < 1e-6 && fabs(ppm - 1001.0 / 4) < 1);
    refclock_watch_feed(&watch, (struct clock_pair){1, 77}); /* broken: the stretch is lost alone */
    assert_true(refclock_watch_result(&watch, &ppm, &seconds));
    assert_true(fabs(seconds - 3) < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elapsed_wraps_and_counts_down),
        cmocka_unit_test(perfect_counters_calibrate_to_20_ppm),
        cmocka_unit_test(wraps_inside_a_window_are_seen),
        cmocka_unit_test(spikes_do_not_reach_the_median),
        cmocka_unit_test(preemption_does_not_look_like_a_stopped_clock),
        cmocka_unit_test(an_edge_is_not_a_disturbed_one),
        cmocka_unit_test(hopeless_edges_still_end),
        cmocka_unit_test(stopped_clocks_are_unsupported),
        cmocka_unit_test(the_watch_knows_which_way_we_err),
        cmocka_unit_test(double_speed_shows),
        cmocka_unit_test(late_feeds_break_the_watch),
        cmocka_unit_test(a_gap_costs_the_gap_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
