/* SPDX-License-Identifier: BSD-2-Clause */
/* A simulated CPU's sampler of ops beside timing (witness=ibs): a right one, against what the
 * machine was given, and ones that do not say what they seem to. */
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

#define MACHINE                                                                                 \
    "machine name=m pages=4k,2m\nclock core=3G counter=3G\n"                                    \
    "cache name=L1 bytes=64K ways=8 latency=4c policy=random\ncache name=L2 bytes=256K ways=8 " \
    "latency=14c\n"                                                                             \
    "tlb 4k=64 2m=32\nwalk kind=constant cost=30c\nmemory base=85ns bytes=256M\n"
/* 85 ns at 3 GHz */
#define MEMORY_CYCLES 255
#define L1_CYCLES     4
#define L2_CYCLES     14
#define WALK_CYCLES   30

#define DRAM "tests=dram error=2 seed=1 witness=ibs"

struct heard {
    struct record_ibs ibs;
    unsigned records, witness_points;
    uint64_t armed; /* how often the sampler was */
    double dram_ns;
    doubt_set dram_doubt;
    char impossible[200], unused[200], incomparable[200], contradicted[300];
};

static void hear_note(struct heard *heard, const struct record_note *note)
{
    const struct {
        const char *what;
        char *why;
        size_t bytes;
    } known[] = {
        {"witness=ibs is not possible", heard->impossible, sizeof heard->impossible},
        {"ibs is not used", heard->unused, sizeof heard->unused},
        {"ibs has nothing to compare", heard->incomparable, sizeof heard->incomparable},
        {"dram: ibs contradicts the chase", heard->contradicted, sizeof heard->contradicted},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(note->what, known[i].what) == 0)
            snprintf(known[i].why, known[i].bytes, "%s", note->why);
}

static void listen(void *context, const struct record *record)
{
    struct heard *heard = context;

    if (record->kind == RECORD_IBS) {
        heard->ibs = record->u.ibs;
        heard->records++;
    }
    if (record->kind == RECORD_POINT && record->u.point.purpose != NULL)
        heard->witness_points += strcmp(record->u.point.purpose, "witness") == 0;
    if (record->kind == RECORD_DRAM) {
        heard->dram_ns = record->u.dram.ns;
        heard->dram_doubt = record->u.dram.doubt;
    }
    if (record->kind == RECORD_NOTE)
        hear_note(heard, &record->u.note);
}

static struct heard hear(const char *more, const char *words)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct heard heard = {.records = 0};
    struct sim_config config;
    struct sim_file_error problem;
    struct option_error error;
    char text[1000];

    snprintf(text, sizeof text, "%s%send\n", MACHINE, more);
    if (!sim_machine_parse(&config, text, strlen(text), "m", &problem))
        fail_msg("%s", problem.text);
    simulator_start(sim, &config, false);
    assert_int_equal(words_run(&sim->machine, words, listen, &heard, &error), STATUS_OK);
    heard.armed = sim->run->sampler.armed;
    simulator_stop(sim);
    free(sim);
    return heard;
}

static void a_right_sampler_finds_what_the_machine_was_given(void **state)
{
    struct heard heard = hear("counters sampler=loads\n", DRAM);
    const struct record_ibs *ibs = &heard.ibs;
    (void)state;

    assert_int_equal(heard.records, 1);
    assert_int_equal(heard.witness_points, 3);
    assert_true(ibs->known_hits == 0 && ibs->known_misses == 1);
    assert_true(ibs->near_bytes == 128 << 10 && ibs->bytes == 256 << 20);
    assert_true(ibs->loads >= 512 && ibs->ops == ibs->loads && ibs->missed == ibs->loads);
    /* of which random replacement keeps a fifth in the first cache */
    assert_true(ibs->near_loads >= 512 && ibs->near_missed < 0.9 * (double)ibs->near_loads);
    assert_true(ibs->miss_cycles == MEMORY_CYCLES - L1_CYCLES);
    assert_true(ibs->near_miss_cycles == L2_CYCLES - L1_CYCLES);
    assert_true(ibs->difference_cycles == MEMORY_CYCLES - L2_CYCLES);
    assert_true(ibs->refill_cycles == WALK_CYCLES);
    /* 32 of 128 pages are in the TLB, which a random load finds now and then */
    assert_true(ibs->tlb_missed > ibs->loads / 2 && ibs->tlb_missed < ibs->loads);
    assert_true(ibs->chase_difference_cycles > ibs->difference_cycles);
    assert_true(ibs->chase_difference_cycles < ibs->difference_cycles + WALK_CYCLES);
    assert_int_equal(ibs->agrees, ANSWER_YES);
    assert_true(heard.unused[0] == '\0' && heard.contradicted[0] == '\0');
    assert_true(heard.impossible[0] == '\0' && heard.incomparable[0] == '\0');
    assert_int_equal(heard.dram_doubt, 0);
}

/* Flags that are right, and latencies that are not. */
static void constant_latencies_contradict_the_chase(void **state)
{
    struct heard heard = hear("counters sampler=constant\n", DRAM);
    (void)state;

    assert_int_equal(heard.records, 1);
    assert_int_equal(heard.ibs.agrees, ANSWER_NO);
    assert_true(heard.ibs.difference_cycles == 0);
    assert_non_null(strstr(heard.contradicted, "256M take 0.0 cycles longer than in 128K"));
    assert_non_null(strstr(heard.contradicted, "by the chase"));
}

static void a_sampler_that_fails_its_trial_is_not_used(void **state)
{
    static const struct {
        const char *line, *why;
    } cases[] = {
        {"counters sampler=silent\n", "followed an op in 0,"},
        {"counters sampler=frozen\n", "at several addresses"},
        {"counters sampler=all\n", "100.0 % of loads that must hit it"},
    };
    uint64_t trial_max = 4 * 512; /* one set, and then no other */
    struct heard without = hear("", "tests=dram error=2 seed=1");
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct heard heard = hear(cases[i].line, DRAM);

        assert_int_equal(heard.records, 0);
        assert_true(heard.armed != 0 && heard.armed <= trial_max);
        assert_non_null(strstr(heard.unused, cases[i].why));
        assert_true(heard.contradicted[0] == '\0' && heard.incomparable[0] == '\0');
        assert_true(fabs(heard.dram_ns / without.dram_ns - 1) < 0.02);
        assert_int_equal(heard.dram_doubt, 0);
    }
}

static void what_is_not_asked_for_is_not_tried(void **state)
{
    struct heard heard = hear("counters sampler=loads\n", "tests=dram error=2 seed=1");
    (void)state;

    assert_int_equal(heard.records + heard.witness_points, 0);
    assert_int_equal(heard.armed, 0);
}

static void what_cannot_be_had_is_said(void **state)
{
    struct heard heard = hear("", DRAM);
    (void)state;

    assert_int_equal(heard.records + heard.witness_points, 0);
    assert_non_null(strstr(heard.impossible, "no sampler"));
    /* no second cache below the set */
    heard = hear("counters sampler=loads\n", DRAM " max=100K");
    assert_int_equal(heard.records + heard.witness_points, 0);
    assert_non_null(strstr(heard.unused, "max="));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_sampler_finds_what_the_machine_was_given),
        cmocka_unit_test(constant_latencies_contradict_the_chase),
        LONG_TEST(a_sampler_that_fails_its_trial_is_not_used),
        cmocka_unit_test(what_is_not_asked_for_is_not_tried),
        cmocka_unit_test(what_cannot_be_had_is_said),
    };
    return RUN_TESTS(tests);
}
