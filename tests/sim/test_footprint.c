/* SPDX-License-Identifier: BSD-2-Clause */
/* Footprints of simulated prefetchers, whose lines are known one by one, and of machines drawn from
 * seeds: BARECHASE_MACHINES=1000 draws that many (default 20), BARECHASE_SEED=7 sets the first
 * seed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/measure/footprint.h"
#include "tests/sim/generator.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/simulator.h"
#include "tests/sim/truth.h"
#include "tests/shared/words.h"

#define LINES 192
#define FIRST (64 + 21) /* the first line that is touched */

/* What a run says. Rows are numbered by their touches, from 1 on. */
struct heard {
    struct record_footprint row[FOOTPRINT_TOUCHES_MAX + 1];
    double share[FOOTPRINT_TOUCHES_MAX + 1][LINES];
    char verdict[FOOTPRINT_TOUCHES_MAX + 1][16]; /* [0]: of the prefetch record */
    char witness[16];
    doubt_set doubt;
    unsigned rows;
    bool warned; /* that controls say what behaviour does not */
    double seconds;
};

static void listen(void *context, const struct record *record)
{
    struct heard *heard = context;

    if (record->kind == RECORD_FOOTPRINT) {
        const struct record_footprint *row = &record->u.footprint;
        assert_true(row->touches >= 1 && row->touches <= FOOTPRINT_TOUCHES_MAX);
        assert_true(row->share_count <= LINES);
        assert_true(row->share_count != LINES || row->touched == FIRST);
        heard->row[row->touches] = *row;
        memcpy(heard->share[row->touches], row->share, row->share_count * sizeof row->share[0]);
        snprintf(heard->verdict[row->touches], sizeof heard->verdict[0], "%s", row->verdict);
        heard->rows++;
    }
    if (record->kind == RECORD_PREFETCH && record->u.prefetch.verdict) {
        snprintf(heard->verdict[0], sizeof heard->verdict[0], "%s", record->u.prefetch.verdict);
        snprintf(heard->witness, sizeof heard->witness, "%s",
                 record->u.prefetch.witness ? record->u.prefetch.witness : "");
        heard->doubt = record->u.prefetch.doubt;
    }
    if (record->kind == RECORD_NOTE && record->u.note.severity == SEVERITY_WARNING)
        heard->warned |= strstr(record->u.note.why, "read back as off, but behaviour") != NULL;
    if (record->kind == RECORD_END)
        heard->seconds = record->u.end.seconds;
}

#define MACHINE                                                                   \
    "machine name=m pages=4k,2m\ncache name=L1 bytes=32K ways=8 latency=4c\n"     \
    "cache name=L2 bytes=256K ways=8 latency=14c\ntlb 4k=64 2m=32\ntlb 4k=512/8 " \
    "penalty=7c\nwalk kind=constant cost=30c\n"
#define CLOCK  "clock core=3G counter=3G\n"
#define MEMORY "memory base=85ns tcl=15ns trcd=15ns trp=15ns banks=16 rows=open misses=64\n"

static struct heard hear_machine(const struct sim_config *config, const char *words)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct heard heard = {.rows = 0};
    struct option_error error;

    simulator_start(sim, config, false);
    assert_int_equal(words_run(&sim->machine, words, listen, &heard, &error), STATUS_OK);
    simulator_stop(sim);
    free(sim);
    return heard;
}

static struct heard hear(const char *lines, const char *words)
{
    struct sim_config config;
    struct sim_file_error problem;
    struct heard heard;
    char text[2000];

    snprintf(text, sizeof text, "%s%send\n", MACHINE, lines);
    if (!sim_machine_parse(&config, text, strlen(text), "m", &problem))
        fail_msg("%s", problem.text);
    heard = hear_machine(&config, words);
    assert_int_equal(heard.rows, FOOTPRINT_ROWS);
    return heard;
}

/* Each line from `from` to `to` is found every time, counted from the first one touched; the
 * touched ones are not reported, and no other is found. */
static void expect_lines(const struct heard *heard, unsigned touches, int from, int to)
{
    for (int line = 0; line < LINES; line++) {
        int pos = line - FIRST;
        double share = heard->share[touches][line];
        bool touched = pos >= 0 && pos < (int)touches;
        bool right = touched ? isnan(share) : share == (pos >= from && pos <= to ? 1 : 0);
        if (!right)
            fail_msg("%u touches, line %d: %.3f", touches, pos, share);
    }
}

static const char on[] = "tests=footprint prefetch=on", off[] = "tests=footprint prefetch=off";

static void a_machine_without_prefetchers_shows_nothing(void **state)
{
    struct heard heard = hear(CLOCK MEMORY, on);

    (void)state;
    for (uint32_t row = 0; row < FOOTPRINT_ROWS; row++) {
        expect_lines(&heard, footprint_touches(row), 1, 0);
        assert_string_equal(heard.verdict[footprint_touches(row)], "off");
    }
    assert_string_equal(heard.verdict[0], "off");
    assert_string_equal(heard.witness, "footprint");
    assert_true(heard.doubt == 0);
    printf("nothing found: %.3f s\n", heard.seconds);
    assert_true(heard.seconds < 0.12);
}

static void every_prefetcher_has_its_own(void **state)
{
    static const struct {
        const char *prefetch;
        int from[FOOTPRINT_ROWS], to[FOOTPRINT_ROWS];
    } cases[] = {
        /* A line that came that way misses no more. */
        {"kind=next-line control=on degree=2 into=1", {1, 1, 1, 8}, {2, 2, 2, 8}},
        /* 20 and 21, 22 and 23, ... */
        {"kind=adjacent-line control=on into=2", {-1, -1, -1, -1}, {0, 2, 2, 8}},
        {"kind=stream control=on degree=4 into=2", {1, 1, 3, 8}, {0, 0, 6, 11}},
        {"kind=region control=on into=2 region=1K", {1, -5, -5, -5}, {0, 10, 10, 10}},
        {"kind=region control=on into=2 region=4K after=1", {-21, -21, -21, -21}, {42, 42, 42, 42}},
        /* More than three touches */
        {"kind=region control=on into=2 region=4K after=6", {1, 1, 1, -21}, {0, 0, 0, 42}},
        /* Not by lines at all. */
        {"kind=next-page control=on", {1, 1, 1, 1}, {0, 0, 0, 0}},
        {"kind=pointer control=on into=1 degree=4", {1, 1, 1, 1}, {0, 0, 0, 0}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char lines[400];
        bool any = false;
        struct heard heard;
        snprintf(lines, sizeof lines, CLOCK MEMORY "prefetch %s\n", cases[i].prefetch);
        heard = hear(lines, on);
        for (uint32_t row = 0; row < FOOTPRINT_ROWS; row++) {
            expect_lines(&heard, footprint_touches(row), cases[i].from[row], cases[i].to[row]);
            any |= cases[i].to[row] >= cases[i].from[row];
        }
        assert_string_equal(heard.verdict[0], any ? "on" : "off");
        printf("%s: %.3f s\n", cases[i].prefetch, heard.seconds);
        assert_true(heard.seconds < 0.2);
    }
}

/* A prefetcher that only begins after more touches than are made is triggered by the probes: no
 * line of its own, and not nothing. */
static void what_other_lines_bring_is_not_called_off(void **state)
{
    struct heard heard =
        hear(CLOCK MEMORY "prefetch kind=region control=on into=2 region=4K after=11\n", on);

    (void)state;
    /* Except where a page's turn comes twice in a row. */
    for (uint32_t row = 0; row < FOOTPRINT_ROWS; row++)
        for (int line = 0; line < LINES; line++)
            assert_false(heard.share[footprint_touches(row)][line] > 0.01);
    assert_string_equal(heard.verdict[0], "undecided");
    assert_true(heard.doubt == doubt_of(DOUBT_CONTRADICTED));
}

static void a_control_that_only_pretends_shows(void **state)
{
    static const struct {
        const char *control, *verdict;
    } cases[] = {
        {"controllable", "off"}, {"pretending", "on"}, {"locked", "on"}, {"ignoring", "on"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char lines[400];
        struct heard heard;
        snprintf(lines, sizeof lines, CLOCK MEMORY "prefetch kind=stream control=%s into=2\n",
                 cases[i].control);
        heard = hear(lines, off);
        assert_string_equal(heard.verdict[0], cases[i].verdict);
        assert_int_equal(heard.warned, strcmp(cases[i].control, "pretending") == 0);
        assert_int_equal(heard.row[1].prefetch == PREFETCH_OFF,
                         strcmp(cases[i].control, "controllable") == 0 ||
                             strcmp(cases[i].control, "pretending") == 0);
    }
}

/* A cache that is hardly nearer than memory, a noisy machine, single loads that refreshes hit. */
static void what_is_hard_to_see_is_seen(void **state)
{
    static const char far_cache[] = "cache name=L3 bytes=2M ways=16 latency=70ns\n";
    static const char noisy[] = "noise jitter=2% spike-every=200 spike-factor=3 smi-rate=20 "
                                "smi-us=100\n";
    static const char refreshed[] =
        "memory base=85ns tcl=15ns trcd=15ns trp=15ns banks=16 rows=open misses=64 trefi=3.9us "
        "trfc=350ns\n";
    char lines[800];
    struct heard heard;

    (void)state;
    for (int prefetches = 0; prefetches < 2; prefetches++) {
        const char *more = prefetches ? "prefetch kind=next-line control=on into=3\n" : "";
        snprintf(lines, sizeof lines, CLOCK "%s%s%s%s", far_cache, refreshed, noisy, more);
        heard = hear(lines, on);
        assert_string_equal(heard.verdict[0], prefetches ? "on" : "off");
    }
}

/* Steps of the clock up to what a load of memory takes: found all the same. Beyond that no verdict
 * is given. */
static void slow_clocks_say_less_and_nothing_wrong(void **state)
{
    static const struct {
        const char *counter, *none, *some;
    } cases[] = {{"counter=25M", "off", "on"},
                 {"counter=10M", "off", "on"},
                 {"counter=3G step=300", "off", "on"},
                 {"counter=3M", "undecided", "undecided"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int prefetches = 0; prefetches < 2; prefetches++) {
            char lines[400];
            struct heard heard;
            snprintf(lines, sizeof lines, "clock core=3G %s\n" MEMORY "%s", cases[i].counter,
                     prefetches ? "prefetch kind=next-line control=on\n" : "");
            heard = hear(lines, on);
            if (strcmp(heard.verdict[0], prefetches ? cases[i].some : cases[i].none) != 0)
                fail_msg("%s: %s", cases[i].counter, heard.verdict[0]);
            assert_true((heard.doubt == doubt_of(DOUBT_COARSE_CLOCK)) ==
                        (strcmp(heard.verdict[0], "undecided") == 0));
        }
}

/* Rows that a touch has opened make the next load of them faster, by half of what it takes. */
static void an_open_row_is_no_cache(void **state)
{
    struct heard heard = hear(
        CLOCK "memory base=40ns tcl=10ns trcd=20ns trp=30ns banks=64 rows=open misses=16\n", on);

    (void)state;
    assert_string_equal(heard.verdict[0], "off");
}

#define DRAWN       20
#define DECIDED_MIN 0.9

/* No verdict is wrong, and few are missing. Every other machine is noisy. */
static void verdicts_of_drawn_machines_are_right(void **state)
{
    const char *machines = getenv("BARECHASE_MACHINES"), *seed = getenv("BARECHASE_SEED");
    unsigned drawn = machines ? (unsigned)atoi(machines) : DRAWN, wrong = 0, decided = 0;
    uint64_t first = seed ? (uint64_t)atoll(seed) : 9000;
    double longest = 0;

    (void)state;
    for (unsigned i = 0; i < drawn; i++) {
        struct sim_config config;
        const char *truth;
        struct heard heard;
        (void)sim_generate(&config, first + i);
        if (i % 2 != 0)
            config.noise =
                (struct sim_noise_config){.jitter = 0.02, .spike_every = 200, .spike_factor = 3};
        truth = sim_truth_prefetches(&config, true) ? "on" : "off";
        heard = hear_machine(&config, off);
        longest = heard.seconds > longest ? heard.seconds : longest;
        decided += strcmp(heard.verdict[0], "undecided") != 0;
        if (strcmp(heard.verdict[0], "undecided") == 0 || strcmp(heard.verdict[0], truth) == 0)
            continue;
        printf("seed %llu: %s, truly %s\n", (unsigned long long)(first + i), heard.verdict[0],
               truth);
        wrong++;
    }
    printf("%u machines: %u wrong, %u decided, at most %.2f s\n", drawn, wrong, decided, longest);
    assert_int_equal(wrong, 0);
    assert_true(decided >= DECIDED_MIN * drawn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_machine_without_prefetchers_shows_nothing),
        cmocka_unit_test(every_prefetcher_has_its_own),
        cmocka_unit_test(what_other_lines_bring_is_not_called_off),
        cmocka_unit_test(a_control_that_only_pretends_shows),
        cmocka_unit_test(what_is_hard_to_see_is_seen),
        cmocka_unit_test(slow_clocks_say_less_and_nothing_wrong),
        cmocka_unit_test(an_open_row_is_no_cache),
        cmocka_unit_test(verdicts_of_drawn_machines_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
