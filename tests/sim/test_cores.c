/* SPDX-License-Identifier: BSD-2-Clause */
/* cores on machines of several CPUs: what each has told must be what its machine file says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/stats/doubt.h"
#include "tests/shared/words.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/simulator.h"

#define PAIRS_MAX 64

static struct {
    struct record_pair pair[PAIRS_MAX];
    char to[PAIRS_MAX][24], why[PAIRS_MAX][80];
    unsigned pairs, points, slow;
    uint64_t point_cpu;
    char note[400], end[16];
} heard;

static void listen(void *context, const struct record *record)
{
    unsigned i = heard.pairs;

    (void)context;
    if (record->kind == RECORD_PAIR && i < PAIRS_MAX) {
        heard.pair[i] = record->u.pair;
        snprintf(heard.to[i], sizeof heard.to[i], "%s", record->u.pair.to);
        snprintf(heard.why[i], sizeof heard.why[i], "%s",
                 record->u.pair.why != NULL ? record->u.pair.why : "");
        heard.pairs++;
    }
    if (record->kind == RECORD_POINT) {
        heard.points++;
        heard.point_cpu |= 1ull << record->u.point.cpu;
    }
    if (record->kind == RECORD_NOTE && record->u.note.severity == SEVERITY_WARNING) {
        heard.slow += strcmp(record->u.note.what, "a CPU is slower than the others") == 0;
        snprintf(heard.note + strlen(heard.note), sizeof heard.note - strlen(heard.note),
                 "%s: %s\n", record->u.note.what, record->u.note.why);
    }
    if (record->kind == RECORD_END)
        snprintf(heard.end, sizeof heard.end, "%s", record->u.end.status);
}

static void run(const char *cpus, const char *words)
{
    static struct sim_config config;
    struct simulator *sim = malloc(sizeof *sim);
    struct sim_file_error error;
    struct option_error option_error;
    char text[1600];

    memset(&heard, 0, sizeof heard);
    snprintf(text, sizeof text,
             "machine name=m pages=4k,2m\nclock core=2G counter=2G\n"
             "cache name=L1 bytes=32K ways=8 latency=4c\n"
             "cache name=L2 bytes=2M ways=16 latency=20ns\nmemory base=80ns bytes=1G\n%s\nend\n",
             cpus);
    if (!sim_machine_parse(&config, text, strlen(text), "m", &error))
        fail_msg("%s", error.text);
    simulator_start(sim, &config, false);
    if (words_run(&sim->machine, words, listen, NULL, &option_error) != STATUS_OK)
        fail_msg("%s", option_error.text);
    simulator_stop(sim);
    free(sim);
}

static const struct record_pair *find(uint64_t from, const char *to)
{
    for (unsigned i = 0; i < heard.pairs; i++)
        if (heard.pair[i].from == from && strcmp(heard.to[i], to) == 0)
            return &heard.pair[i];
    fail_msg("no pair from CPU %lu to %s", (unsigned long)from, to);
    return NULL;
}

static void expect_slower(uint64_t from, const char *to, double ns)
{
    const struct record_pair *pair = find(from, to), *first = find(0, to);

    assert_true(fabs(pair->ns - first->ns - ns) < 0.01 * first->ns);
    assert_true(pair->ns_low <= pair->ns && pair->ns <= pair->ns_high);
    assert_true(fabs(pair->slower_ns - ns) < 0.01 * first->ns);
}

#define WORDS "tests=cores max=64M pages=2m"

static void a_far_cpu_is_told(void **state)
{
    (void)state;
    run("cpu\ncpu far=12ns\ncpu", WORDS);
    assert_string_equal(heard.end, "ok");
    assert_int_equal(heard.pairs, 8);
    assert_int_equal(heard.points, 8);
    assert_int_equal(heard.point_cpu, 0xf);
    for (uint64_t cpu = 0; cpu < 4; cpu++) {
        expect_slower(cpu, "memory", cpu == 2 ? 12 : 0);
        expect_slower(cpu, "declared L2", cpu == 2 ? 12 : 0);
    }
    assert_int_equal(heard.slow, 2);
    assert_non_null(strstr(heard.note, "a CPU is slower than the others: CPU 2 to memory: "));
}

static void cpus_of_one_speed_are_not(void **state)
{
    (void)state;
    run("cpu\ncpu\ncpu thread-of=1", WORDS);
    assert_int_equal(heard.pairs, 8);
    assert_int_equal(heard.slow, 0);
    for (uint64_t cpu = 0; cpu < 4; cpu++)
        expect_slower(cpu, "memory", 0);
}

static void frequencies_are_each_cores_own(void **state)
{
    (void)state;
    run("cpu core=1G", WORDS);
    assert_true(fabs(find(0, "memory")->cpu_hz / 2e9 - 1) < 0.01);
    assert_true(fabs(find(1, "memory")->cpu_hz / 1e9 - 1) < 0.01);
    assert_null(strstr(heard.note, "stepped"));
    for (unsigned i = 0; i < heard.pairs; i++)
        assert_int_equal(heard.pair[i].doubt,
                         strcmp(heard.to[i], "memory") == 0 ? doubt_of(DOUBT_UNDECLARED_CACHE) : 0);
}

/* 64M are 32 pages of 2M. */
static void what_tlb_misses_are_part_of_is_doubted(void **state)
{
    static const char *const tlbs[] = {"tlb 4k=64 2m=16\nwalk kind=constant cost=20c\ncpu",
                                       "tlb 4k=64 2m=32\nwalk kind=constant cost=20c\ncpu"};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        run(tlbs[i], WORDS);
        assert_int_equal(find(1, "memory")->doubt, doubt_of(DOUBT_UNDECLARED_CACHE) |
                                                       (i == 0 ? doubt_of(DOUBT_TRANSLATION) : 0));
        assert_int_equal(find(1, "declared L2")->doubt, 0);
    }
}

/* Every cell is there, or null with its reason. */
static void what_could_not_be_had_says_why(void **state)
{
    (void)state;
    run("cpu fails=yes\ncpu\ncpu present=no", WORDS);
    assert_string_equal(heard.end, "ok");
    assert_int_equal(heard.pairs, 6); /* nothing is asked of the one that is not enabled */
    assert_string_equal(heard.why[find(1, "memory") - heard.pair], "it did not start");
    assert_string_equal(heard.why[find(1, "declared L2") - heard.pair], "it did not start");
    assert_true(isnan(find(1, "memory")->ns));
    assert_string_equal(heard.why[find(2, "memory") - heard.pair], "");
    assert_int_equal(heard.points, 4);
}

static void cpus_chooses(void **state)
{
    (void)state;
    run("cpu\ncpu thread-of=1\ncpu", WORDS " cpus=core");
    assert_int_equal(heard.point_cpu, 0xb);
    run("cpu\ncpu", WORDS " cpus=2,5");
    assert_int_equal(heard.point_cpu, 0x5);
    assert_non_null(strstr(heard.note,
                           "cpus= names a CPU that is not there: CPU 5; of 3 listed CPUs "
                           "the last is CPU 2"));
    run("cpu\ncpu", WORDS " cpus=0");
    assert_int_equal(heard.pairs, 2);
    assert_non_null(strstr(heard.note, "cores: one CPU to measure from: cpus=0 takes none"));
    run("", WORDS);
    assert_int_equal(heard.pairs, 2);
    assert_non_null(strstr(heard.note, "the machine lists no other"));
}

/* A budget that ends leaves cells without figures, not without records. */
static void a_budget_leaves_reasons(void **state)
{
    unsigned none = 0;

    (void)state;
    run("cpu\ncpu\ncpu\ncpu\ncpu\ncpu\ncpu", "tests=cores max=256M pages=2m budget=1");
    assert_int_equal(heard.pairs, 16);
    for (unsigned i = 0; i < heard.pairs; i++) {
        assert_int_equal(isnan(heard.pair[i].ns), heard.why[i][0] != '\0');
        none += heard.why[i][0] != '\0';
    }
    assert_true(none > 0 && none < 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_far_cpu_is_told),
        cmocka_unit_test(cpus_of_one_speed_are_not),
        cmocka_unit_test(frequencies_are_each_cores_own),
        cmocka_unit_test(what_tlb_misses_are_part_of_is_doubted),
        cmocka_unit_test(what_could_not_be_had_says_why),
        cmocka_unit_test(cpus_chooses),
        cmocka_unit_test(a_budget_leaves_reasons),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
