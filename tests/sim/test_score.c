/* SPDX-License-Identifier: BSD-2-Clause */
/* What `make score` counts as right: tests/score/figures.h, on runs made up by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/score/figures.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/truth.h"

#define TOP "machine name=m pages=4k,2m draw=2c\nclock core=3G counter=1G\n"
#define END "memory bytes=64M base=60ns tcl=14ns trcd=14ns trp=14ns channels=2 banks=16\nend\n"
/* 1M and 1.5M, 8M beyond. */
#define CLOSE                                             \
    TOP "cache name=L1 bytes=32K ways=8 latency=4c\n"     \
        "cache name=L2 bytes=1M ways=16 latency=14c\n"    \
        "cache name=L3 bytes=1536K ways=12 latency=30c\n" \
        "cache name=L4 bytes=8M ways=16 latency=60c\n"    \
        "tlb 4k=32768/8 2m=64\nwalk kind=constant cost=30c\n" END
#define GUEST                                                    \
    TOP "cache name=L1 bytes=32K ways=8 latency=4c\n"            \
        "cache name=L2 bytes=1M ways=16 latency=14c\n"           \
        "tlb 4k=64/4 2m=8\ntlb 4k=1024/8 2m=1024/8 penalty=7c\n" \
        "walk kind=loads cost=10c nested=4k nested-entries-2m=32\n" END

static struct score_figure figure[SCORE_FIGURES_MAX];

static struct sim_config config_of(const char *text)
{
    struct sim_file_error error;
    struct sim_config config;

    if (!sim_machine_parse(&config, text, strlen(text), "m", &error))
        fail_msg("%s", error.text);
    return config;
}

static void say(struct score_run *run, const char *kind, const char *name, double bytes, double ns)
{
    size_t i = run->levels++;

    run->level[i] = (struct record_level){.bytes = bytes,
                                          .bytes_low = 0.99 * bytes,
                                          .bytes_high = 1.01 * bytes,
                                          .ns = ns,
                                          .ns_low = 0.99 * ns,
                                          .ns_high = 1.01 * ns};
    snprintf(run->level_kind[i], sizeof run->level_kind[i], "%s", kind);
    snprintf(run->level_name[i], sizeof run->level_name[i], "%s", name);
}

static size_t classes(size_t count, enum score_class class)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        found += figure[i].class == class && strcmp(figure[i].kind, "dram") != 0;
    return found;
}

/* All it holds is in the cache before it, too: 1M behind 8M. */
#define WITHIN                                         \
    TOP "cache name=L1 bytes=32K ways=8 latency=4c\n"  \
        "cache name=L2 bytes=8M ways=16 latency=60c\n" \
        "cache name=S bytes=1M ways=16 latency=40ns memory-side=yes\n" END

/* All that such a machine has except what is between 32K and 8M. */
static struct score_run run_beside(void)
{
    struct score_run run = {.largest_bytes = 64 << 20};

    say(&run, "cache", "L1", 32 << 10, 4 / 3.0);
    say(&run, "cache", "L4", 8 << 20, 20);
    say(&run, "memory", "memory", 0, 88);
    return run;
}

static void close_levels_are_right_as_one_of_both_names(void **state)
{
    struct sim_config config = config_of(CLOSE);
    struct score_run run = run_beside();
    size_t count;

    (void)state;
    say(&run, "merged", "L2 + L3", 1400 << 10, 9);
    count = score_figures(&config, &run, false, figure);
    assert_int_equal(classes(count, SCORE_MISSING) + classes(count, SCORE_INVENTED), 0);
    assert_int_equal(classes(count, SCORE_WRONG), 0);

    run = run_beside();
    say(&run, "cache", "L2", 1 << 20, 14 / 3.0);
    count = score_figures(&config, &run, false, figure);
    assert_int_equal(classes(count, SCORE_MISSING), 1);
}

static void a_cache_that_adds_nothing_may_be_left_out(void **state)
{
    struct sim_config config = config_of(WITHIN);
    struct score_run run = run_beside();
    size_t count = score_figures(&config, &run, false, figure);

    (void)state;
    assert_int_equal(classes(count, SCORE_MISSING), 0);
    assert_int_equal(classes(count, SCORE_INVENTED), 0);
}

static void a_merged_level_that_stands_for_one_is_none(void **state)
{
    struct sim_config config = config_of(CLOSE);
    struct score_run run = {.largest_bytes = 64 << 20};
    size_t count;

    (void)state;
    say(&run, "cache", "L1", 32 << 10, 4 / 3.0);
    say(&run, "cache", "L2", 1 << 20, 14 / 3.0);
    say(&run, "cache", "L3", 1536 << 10, 10);
    say(&run, "merged", "L3 + L4", 8 << 20, 20);
    say(&run, "memory", "memory", 0, 88);
    count = score_figures(&config, &run, false, figure);
    assert_int_equal(classes(count, SCORE_MISSING), 1);
    assert_int_equal(classes(count, SCORE_INVENTED), 1);
    /* Nor one of a single name. */
    run = run_beside();
    say(&run, "merged", "L2", 1400 << 10, 9);
    count = score_figures(&config, &run, false, figure);
    assert_int_equal(classes(count, SCORE_MISSING), 2);
    assert_int_equal(classes(count, SCORE_INVENTED), 1);
}

/* A TLB behind the fourth level, within a factor of two, and found. */
static void a_level_of_its_own_is_preferred_to_a_merged_one(void **state)
{
    struct sim_config config = config_of(TOP "cache name=L1 bytes=32K ways=8 latency=4c\n"
                                             "cache name=L2 bytes=256K ways=16 latency=14c\n"
                                             "cache name=L3 bytes=1M ways=16 latency=30c\n"
                                             "cache name=L4 bytes=2M ways=16 latency=60c\n"
                                             "tlb 4k=700\nwalk kind=constant cost=90c\n" END);
    struct score_run run = {.largest_bytes = 64 << 20};
    size_t count;

    (void)state;
    say(&run, "cache", "L1", 32 << 10, 4 / 3.0);
    say(&run, "cache", "L2", 256 << 10, 14 / 3.0);
    say(&run, "merged", "L3 + L4", 1800 << 10, 10);
    say(&run, "tlb", "TLB 4k L1", 700 * 4096, 30);
    say(&run, "memory", "memory", 0, 88);
    count = score_figures(&config, &run, false, figure);
    assert_int_equal(classes(count, SCORE_INVENTED), 0);
}

static size_t missing_tlbs(const char *text)
{
    struct sim_config config = config_of(text);
    struct score_run run = {.largest_bytes = 64 << 20};
    size_t count = score_figures(&config, &run, false, figure), missing = 0;

    for (size_t i = 0; i < count; i++)
        missing += figure[i].class == SCORE_MISSING && strncmp(figure[i].name, "TLB", 3) == 0;
    return missing;
}

/* An undeclared cache, and rows that stay open in sets as large: what is found is the cache. */
static void open_rows_explain_no_cache(void **state)
{
    struct sim_config config = config_of(
        TOP "cache name=L1 bytes=32K ways=8 latency=4c\n"
            "cache name=L2 bytes=256K ways=16 latency=14c policy=random declared=no\n"
            "tlb 4k=32768/8 2m=64\nwalk kind=constant cost=30c\n"
            "memory bytes=64M base=60ns tcl=14ns trcd=14ns trp=14ns channels=2 banks=16 row=8K "
            "rows=open\nend\n");
    struct score_run run = {.largest_bytes = 64 << 20};
    size_t count;

    (void)state;
    say(&run, "cache", "L1", 32 << 10, 4 / 3.0);
    say(&run, "unexplained", "unexplained", 262 << 10, 14 / 3.0);
    say(&run, "memory", "memory", 0, 88);
    count = score_figures(&config, &run, false, figure);
    assert_int_equal(classes(count, SCORE_MISSING), 0);
    assert_int_equal(classes(count, SCORE_INVENTED), 0);
    for (size_t i = 0; i < count; i++)
        if (strcmp(figure[i].name, "L2") == 0)
            assert_int_equal(figure[i].class, SCORE_RIGHT);
}

/* 64 and 1024 pieces of 4K, whatever the size of the guest's own pages. */
static void a_host_s_pieces_are_in_the_tlbs_once(void **state)
{
    (void)state;
    assert_int_equal(missing_tlbs(GUEST), 2);
}

static const struct score_figure *headline(size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(figure[i].kind, "dram") == 0)
            return &figure[i];
    return NULL;
}

/* Walks are in a headline that says so, and in no other; without a curve no level is expected. */
static void a_headline_is_judged_by_what_it_claims(void **state)
{
    struct sim_config config = config_of(GUEST);
    struct score_run run = {.has_dram = true};
    double translated_ns = sim_truth_translated_ns(&config, SIM_PAGE_2M, 64 << 20);
    double memory_ns = sim_truth_memory_ns(&config, 64 << 20);

    (void)state;
    assert_true(translated_ns > 1.05 * memory_ns);
    run.dram = (struct record_dram){.ns = translated_ns,
                                    .ns_low = 0.995 * translated_ns,
                                    .ns_high = 1.005 * translated_ns,
                                    .slope_ns = memory_ns,
                                    .bytes = 64 << 20,
                                    .pages_bytes = 2 << 20};
    assert_int_equal(score_figures(&config, &run, false, figure), 2);
    assert_int_equal(headline(2)->class, SCORE_WRONG);
    assert_false(headline(2)->marked);
    run.dram.doubt = doubt_of(DOUBT_TRANSLATION);
    (void)score_figures(&config, &run, false, figure);
    assert_int_equal(headline(2)->class, SCORE_RIGHT);
    assert_true(headline(2)->marked);
}

/* What no curve reached is not missed, however far pages with one line each go. */
static void curves_of_pages_are_no_curve(void **state)
{
    struct record_point point = {.experiment = "curve", .purpose = "levels", .bytes = 1 << 20};

    (void)state;
    assert_true(sim_truth_curve_bytes(&point) == 1 << 20);
    point.purpose = NULL;
    assert_true(sim_truth_curve_bytes(&point) == 1 << 20);
    point.purpose = "translation";
    assert_true(sim_truth_curve_bytes(&point) == 0);
    point.purpose = NULL;
    point.experiment = "dram";
    assert_true(sim_truth_curve_bytes(&point) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_of_pages_are_no_curve),
        cmocka_unit_test(close_levels_are_right_as_one_of_both_names),
        cmocka_unit_test(a_cache_that_adds_nothing_may_be_left_out),
        cmocka_unit_test(a_merged_level_that_stands_for_one_is_none),
        cmocka_unit_test(a_level_of_its_own_is_preferred_to_a_merged_one),
        cmocka_unit_test(open_rows_explain_no_cache),
        cmocka_unit_test(a_host_s_pieces_are_in_the_tlbs_once),
        cmocka_unit_test(a_headline_is_judged_by_what_it_claims),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
