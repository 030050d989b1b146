/* SPDX-License-Identifier: BSD-2-Clause */
/* What points are reckoned to take before they are measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/engine_state.h"

#define GIB ((uint64_t)1 << 30)

static uint64_t now_ns;

static uint64_t wall_ns(void *self)
{
    (void)self;
    return now_ns;
}

static enum status make(void *self, const struct window *window, uint64_t bytes)
{
    (void)self;
    (void)window;
    (void)bytes;
    return STATUS_OK;
}

static const struct cache_level last_level = {.level = 3, .unified = true, .bytes = 256 << 20};
static struct machine_description description = {
    .caches = &last_level, .cache_count = 1, .line_bytes = 64, .build_bypasses = true};
static struct machine machine = {
    .description = &description, .wall_ns = wall_ns, .window_make = make};
static struct options options;
static struct engine *engine;

static int start(void **state)
{
    (void)state;
    options_default(&options);
    engine = calloc(1, sizeof *engine);
    if (engine == NULL)
        return -1;
    engine->machine = &machine;
    engine->options = &options;
    engine->cap_s = 0.15;
    engine->deadline_ns = 10000000000u;
    estimate_start(engine);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    free(engine);
    return 0;
}

static struct point point_of(uint64_t bytes)
{
    return (struct point){.kernel = KERNEL_CYCLE,
                          .order = ORDER_RANDOM,
                          .page = PAGE_2M,
                          .bytes = bytes,
                          .stride_bytes = 64,
                          .chains = 1,
                          .spare = true};
}

/* No more than a point's cap of time, however long a hop turns out to take. */
static void warming_beyond_the_caches_goes_by_what_a_hop_takes(void **state)
{
    struct point point = point_of(GIB);
    uint64_t translations = (GIB >> 21) / 8 * 4;

    (void)state;
    assert_int_equal(estimate_warm_hops(engine, &point, 100), 1500000 + translations);
    assert_int_equal(estimate_warm_hops(engine, &point, 250), 600000 + translations);
    description.build_bypasses = false;
    assert_int_equal(estimate_warm_hops(engine, &point, 250), 5 * (1 << 20) + translations);
    description.build_bypasses = true;
}

/* Memory that is there already costs nothing more. */
static void memory_not_made_yet_is_reckoned_with(void **state)
{
    struct point point = point_of(64 << 20);

    (void)state;
    engine->point[0] = point_of(32 << 20);
    engine->point[0].over = true;
    engine->point[0].result = (struct point_result){.known = true, .ns = 5};
    engine->point[1] = point;
    engine->point_count = 2;
    assert_true(estimate_affords(engine, &engine->point[1]));
    estimate_learn_make(engine, 32 << 20, 10000000000u);
    assert_false(estimate_affords(engine, &engine->point[1]));
    engine->made_bytes = point.bytes;
    assert_true(estimate_affords(engine, &engine->point[1]));
    engine->made_bytes = 0;
    /* a few pages say nothing about a large set */
    estimate_learn_make(engine, 32 << 20, 1000000);
    estimate_learn_make(engine, 4096, 1000000);
    assert_true(estimate_affords(engine, &engine->point[1]));
}

/* What has to be measured later in pages of its own needs memory, too. */
static void memory_of_other_windows_is_reckoned_with(void **state)
{
    (void)state;
    engine->point[0] = point_of(1 << 20);
    engine->point[0].over = true;
    engine->point[0].result = (struct point_result){.known = true, .ns = 5};
    engine->point[1] = point_of(128 << 20);
    engine->point_count = 2;
    estimate_learn_make(engine, 1 << 20, 20 << 20);
    assert_true(estimate_affords(engine, &engine->point[1]));
    engine->point[2] = point_of(GIB);
    engine->point[2].page = PAGE_4K;
    engine->point[2].spare = false;
    engine->point_count = 3;
    assert_false(estimate_affords(engine, &engine->point[1]));
    engine->point[2].over = true;
    assert_true(estimate_affords(engine, &engine->point[1]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(warming_beyond_the_caches_goes_by_what_a_hop_takes, start,
                                        stop),
        cmocka_unit_test_setup_teardown(memory_not_made_yet_is_reckoned_with, start, stop),
        cmocka_unit_test_setup_teardown(memory_of_other_windows_is_reckoned_with, start, stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
