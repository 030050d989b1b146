/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole runs on machines on which a run was once wrong: every level and figure is there and right,
 * or is marked. With BARECHASE_LONG also on those that take longer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/long.h"
#include "tests/score/listen.h"
#include "tests/sim/machine_file.h"
#include "tests/shared/words.h"

#define WORDS "budget=10"
/* Only the default budget shows what was wrong. */
#define WHOLE       "walks-beyond-the-curve"
#define WHOLE_GUEST "guest-of-a-package"

static struct score_figure figure[SCORE_FIGURES_MAX];
static struct score_run run;

static void measure_file(const char *path, const char *words, struct sim_config *config)
{
    static struct simulator sim;
    struct sim_file_error file_error;
    struct option_error error;

    if (!sim_machine_load(config, path, &file_error))
        fail_msg("%s", file_error.text);
    memset(&run, 0, sizeof run);
    simulator_start(&sim, config, false);
    (void)words_run(&sim.machine, words, score_listen, &run, &error);
    simulator_stop(&sim);
    assert_string_equal(error.text, "");
    assert_string_equal(run.end, "ok");
}

static void measure(const char *name, struct sim_config *config)
{
    bool whole = strcmp(name, WHOLE) == 0 || strcmp(name, WHOLE_GUEST) == 0;
    char path[128];

    snprintf(path, sizeof path, "tests/sim/machines/regress/%s.machine", name);
    measure_file(path, whole ? "" : WORDS, config);
}

static void expect_marked_if_wrong(const char *name, const struct score_figure *f)
{
    if (!f->marked && f->class != SCORE_RIGHT && f->class != SCORE_BETWEEN)
        fail_msg("%s: %s of %s is %s and not marked: %g, truth %g", name, f->kind, f->name,
                 score_class_name(f->class), f->found, f->truth);
}

static void holds(const char *name)
{
    struct sim_config config;
    size_t count, right = 0;

    measure(name, &config);
    count = score_figures(&config, &run, false, figure);
    for (size_t i = 0; i < count; i++) {
        right += figure[i].class == SCORE_RIGHT;
        expect_marked_if_wrong(name, &figure[i]);
    }
    printf("%s: %zu of %zu figures right, %s\n", name, right, count, score_verdict(&run, &config));
    assert_true(count >= 5 && 4 * right >= 3 * count);
    assert_string_equal(score_verdict(&run, &config), "right");
}

static void no_figure_misleads(void **state)
{
    static const char *const names[] = {"one-small-tlb",
                                        "large-page-tlb",
                                        "large-pages-second-tlb",
                                        "frequency-step",
                                        "shared-tlb",
                                        "random-exclusive",
                                        "hashed-slices",
                                        "adaptive-llc",
                                        "pieces-at-the-first-cache",
                                        "next-line-small-l2",
                                        "region-inclusive-l2",
                                        "region-on-two-misses",
                                        "region-close-caches",
                                        "slc-behind-large-l2",
                                        "walks-of-pieces",
                                        "lru-behind-random-victims",
                                        "adaptive-beside-victims",
                                        WHOLE,
                                        WHOLE_GUEST};
    size_t count = tests_are_long() ? sizeof names / sizeof names[0] : 1;

    (void)state;
    for (size_t i = 0; i < count; i++)
        holds(names[i]);
}

/* The headline and the curve's memory are one figure: what contradicts the one, does the other. */
static void expect_both_marked(const char *name)
{
    struct sim_config config;
    size_t count, seen = 0;

    measure(name, &config);
    count = score_figures(&config, &run, false, figure);
    for (size_t i = 0; i < count; i++) {
        const struct score_figure *f = &figure[i];
        if (strcmp(f->kind, "memory") != 0 && strcmp(f->kind, "dram") != 0)
            continue;
        seen++;
        expect_marked_if_wrong(name, f);
    }
    assert_int_equal(seen, 2);
}

static void a_contradicted_headline_doubts_the_curve(void **state)
{
    (void)state;
    expect_both_marked("next-line-three-levels");
    expect_both_marked("region-busy-banks");
    expect_both_marked("next-line-one-channel");
}

/* The draws end too soon to tell memory from the last declared cache: that cache's latency is not
 * memory's, and says nothing about the headline. */
static void a_curve_cut_short_has_no_memory(void **state)
{
    static const struct {
        const char *path, *words;
    } runs[] = {{"tests/sim/machines/desktop.machine", "budget=1"},
                {"tests/sim/machines/arm-server.machine", "budget=2"}};
    size_t seen = 0;

    (void)state;
    for (size_t r = 0; r < sizeof runs / sizeof runs[0]; r++) {
        struct sim_config config;
        size_t count;
        measure_file(runs[r].path, runs[r].words, &config);
        count = score_figures(&config, &run, false, figure);
        for (size_t i = 0; i < count; i++) {
            assert_string_not_equal(figure[i].kind, "memory");
            if (strcmp(figure[i].kind, "dram") != 0)
                continue;
            seen++;
            assert_true(figure[i].low > 0.9 * figure[i].truth);
        }
    }
    assert_int_equal(seen, sizeof runs / sizeof runs[0]);
}

/* Where the number of lines that prefetchers bring is not known. */
static void lines_brought_make_no_cache_faster(void **state)
{
    static const char name[] = "region-by-chases";
    struct sim_config config;
    size_t count, seen = 0;

    (void)state;
    measure(name, &config);
    count = score_figures(&config, &run, false, figure);
    for (size_t i = 0; i < count; i++) {
        const struct score_figure *f = &figure[i];
        expect_marked_if_wrong(name, f);
        if (strcmp(f->kind, "latency") != 0 || strcmp(f->name, "L3") != 0)
            continue;
        seen++;
        assert_int_equal(f->class, SCORE_RIGHT);
    }
    assert_int_equal(seen, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_figure_misleads),
        cmocka_unit_test(a_curve_cut_short_has_no_memory),
        LONG_TEST(a_contradicted_headline_doubts_the_curve),
        LONG_TEST(lines_brought_make_no_cache_faster),
    };

    return RUN_TESTS(tests);
}
