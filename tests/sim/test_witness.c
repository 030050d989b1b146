/* SPDX-License-Identifier: BSD-2-Clause */
/* A simulated CPU's counters beside timing: right ones, and ones that do not count what they are
 * named for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/long.h"
#include "tests/shared/words.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/simulator.h"

#define MACHINE                                                                                \
    "machine name=m pages=4k,2m\nclock core=3G counter=3G\n"                                   \
    "cache name=L1 bytes=32K ways=8 latency=4c\ncache name=L2 bytes=256K ways=8 latency=14c\n" \
    "tlb 4k=64 2m=32\nwalk kind=constant cost=30c\nmemory base=85ns bytes=256M\n"

#define DRAM "tests=dram error=2 seed=1"
#define BOTH "tests=dram,curve points=2 error=2 seed=1"

struct heard {
    double missed, walked, point_walked, dram_missed, dram_ns;
    doubt_set dram_doubt, cache_doubt;
    unsigned witnesses, points_counted, points;
    bool agrees, unused, contradicted;
};

static void hear_point(struct heard *heard, const struct record_point *point)
{
    heard->points++;
    heard->points_counted += point->llc_misses != RECORD_UNKNOWN;
    if (point->bytes >= 64 << 20 && point->pages_bytes == 4096 &&
        point->page_walks != RECORD_UNKNOWN)
        heard->point_walked = (double)point->page_walks / (double)point->counted_accesses;
}

static void listen(void *context, const struct record *record)
{
    struct heard *heard = context;

    if (record->kind == RECORD_POINT)
        hear_point(heard, &record->u.point);
    if (record->kind == RECORD_LEVEL && strcmp(record->u.level.name, "L2") == 0)
        heard->cache_doubt = record->u.level.doubt;
    if (record->kind == RECORD_WITNESS) {
        heard->witnesses++;
        heard->missed = record->u.witness.missed_share;
        heard->walked = record->u.witness.walked_share;
        heard->agrees = record->u.witness.agrees;
    }
    if (record->kind == RECORD_DRAM) {
        heard->dram_missed = record->u.dram.missed_share;
        heard->dram_ns = record->u.dram.ns;
        heard->dram_doubt = record->u.dram.doubt;
    }
    if (record->kind == RECORD_NOTE) {
        heard->unused |= strcmp(record->u.note.what, "counters are not used") == 0;
        heard->contradicted |= strcmp(record->u.note.what, "dram: counters contradict") == 0;
    }
}

static struct heard hear(const char *counters, const char *words)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct heard heard = {.witnesses = 0};
    struct sim_config config;
    struct sim_file_error problem;
    struct option_error error;
    char text[1000];

    snprintf(text, sizeof text, "%s%send\n", MACHINE, counters);
    if (!sim_machine_parse(&config, text, strlen(text), "m", &problem))
        fail_msg("%s", problem.text);
    simulator_start(sim, &config, false);
    assert_int_equal(words_run(&sim->machine, words, listen, &heard, &error), STATUS_OK);
    simulator_stop(sim);
    free(sim);
    assert_true(heard.points != 0);
    return heard;
}

/* What counters that are absent or not used must not change. */
static void expect_unwitnessed(const struct heard *heard, const struct heard *without)
{
    assert_int_equal(heard->witnesses, 0);
    assert_int_equal(heard->points_counted, 0);
    assert_true(isnan(heard->dram_missed));
    assert_false(heard->contradicted);
    assert_true(fabs(heard->dram_ns / without->dram_ns - 1) < 0.02);
    assert_int_equal(heard->dram_doubt, 0);
}

static void right_counters_agree(void **state)
{
    struct heard heard = hear("counters misses=loads walks=loads\n", BOTH);
    (void)state;

    assert_int_equal(heard.witnesses, 1);
    assert_int_equal(heard.points_counted, heard.points);
    assert_true(heard.agrees && heard.missed > 0.98 && heard.missed <= 1);
    assert_true(heard.dram_missed == heard.missed);
    assert_true(heard.walked < 1 && heard.point_walked > 0.95);
    assert_int_equal(heard.dram_doubt | heard.cache_doubt, 0);
    assert_false(heard.unused || heard.contradicted);
}

static void counters_that_fail_their_test_change_nothing(void **state)
{
    static const char *const kinds[] = {"half", "all", "frozen"};
    struct heard without = hear("", DRAM);
    char line[60];
    (void)state;

    expect_unwitnessed(&without, &without);
    assert_false(without.unused);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct heard heard;

        snprintf(line, sizeof line, "counters misses=%s walks=loads\n", kinds[i]);
        heard = hear(line, DRAM);
        assert_true(heard.unused);
        expect_unwitnessed(&heard, &without);
    }
}

/* Lossy ones pass the test of known loads, and then contradict the headline and the levels. */
static void a_contradiction_is_marked(void **state)
{
    struct heard heard = hear("counters misses=lossy\n", BOTH);
    (void)state;

    assert_int_equal(heard.witnesses, 1);
    assert_false(heard.agrees);
    assert_true(heard.contradicted);
    assert_true(isnan(heard.walked));
    assert_true(heard.dram_doubt & doubt_of(DOUBT_CONTRADICTED));
    assert_true(heard.cache_doubt & doubt_of(DOUBT_CONTRADICTED));
}

/* Sets between a declared cache and one that is not miss no cache at all. */
static void an_undeclared_cache_is_no_contradiction(void **state)
{
    struct heard heard = hear("cache name=L3 bytes=2M ways=16 latency=40c declared=no\n"
                              "counters misses=loads\n",
                              BOTH);
    (void)state;

    assert_true(heard.agrees);
    assert_int_equal(heard.cache_doubt & doubt_of(DOUBT_CONTRADICTED), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_counters_agree),
        LONG_TEST(counters_that_fail_their_test_change_nothing),
        cmocka_unit_test(a_contradiction_is_marked),
        cmocka_unit_test(an_undeclared_cache_is_no_contradiction),
    };
    return RUN_TESTS(tests);
}
