/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of what memory holds on machines whose faults are known: with BARECHASE_LONG a thousand of
 * them at random places, else some fifty. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/lib/random.h"
#include "tests/long.h"
#include "tests/shared/words.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/simulator.h"

#define MIB          (1ull << 20)
#define ERRORS_MAX   300
#define HARDWARE_MAX 64
#define HOLD         "0.02"

struct part {
    char by[8], name[24];
    uint64_t words, events;
};

struct heard {
    struct part part[16];
    unsigned parts;
    char gap[64];
    char slot[ERRORS_MAX][24], alias_slot[ERRORS_MAX][24];
    struct record_error error[ERRORS_MAX];
    struct record_bad_memory bad[ERRORS_MAX];
    struct record_verify verify;
    unsigned errors, ranges, warnings, points;
    char cause[ERRORS_MAX][16], cut_by[16], end[16];
    uint64_t gap_bytes;
    double seconds;
    struct record_hardware_error hardware[HARDWARE_MAX];
    struct record_hardware_errors hardware_sum;
    char during[HARDWARE_MAX][16], severity[HARDWARE_MAX][16];
    unsigned hardware_errors;
};

static struct heard heard;

static void take_hardware(const struct record *record)
{
    unsigned i = heard.hardware_errors;

    if (record->kind == RECORD_HARDWARE_ERROR && i < HARDWARE_MAX) {
        heard.hardware[i] = record->u.hardware_error;
        snprintf(heard.during[i], sizeof heard.during[0], "%s",
                 record->u.hardware_error.experiment);
        snprintf(heard.severity[i], sizeof heard.severity[0], "%s",
                 record->u.hardware_error.severity);
        heard.hardware_errors++;
    } else if (record->kind == RECORD_HARDWARE_ERRORS) {
        heard.hardware_sum = record->u.hardware_errors;
    }
}

static void listen(void *context, const struct record *record)
{
    (void)context;
    take_hardware(record);
    if (record->kind == RECORD_ERROR && heard.errors < ERRORS_MAX) {
        snprintf(heard.cause[heard.errors], sizeof heard.cause[0], "%s", record->u.error.cause);
        snprintf(heard.slot[heard.errors], sizeof heard.slot[0], "%s", record->u.error.slot);
        snprintf(heard.alias_slot[heard.errors], sizeof heard.slot[0], "%s",
                 record->u.error.alias_slot);
        heard.error[heard.errors++] = record->u.error;
    }
    if (record->kind == RECORD_BAD_MEMORY && heard.ranges < ERRORS_MAX)
        heard.bad[heard.ranges++] = record->u.bad_memory;
    heard.points += record->kind == RECORD_POINT;
    if (record->kind == RECORD_BAD_PART && heard.parts < 16) {
        struct part *part = &heard.part[heard.parts++];
        snprintf(part->by, sizeof part->by, "%s", record->u.bad_part.by);
        snprintf(part->name, sizeof part->name, "%s", record->u.bad_part.name);
        part->words = record->u.bad_part.words;
        part->events = record->u.bad_part.events;
    }
    if (record->kind == RECORD_GAP) {
        heard.gap_bytes += record->u.gap.bytes;
        snprintf(heard.gap, sizeof heard.gap, "%s", record->u.gap.why);
    }
    if (record->kind == RECORD_VERIFY) {
        heard.verify = record->u.verify;
        snprintf(heard.cut_by, sizeof heard.cut_by, "%s",
                 record->u.verify.cut_by != NULL ? record->u.verify.cut_by : "");
    }
    if (record->kind == RECORD_NOTE)
        heard.warnings += record->u.note.severity == SEVERITY_WARNING;
    if (record->kind == RECORD_END) {
        heard.seconds = record->u.end.seconds;
        snprintf(heard.end, sizeof heard.end, "%s", record->u.end.status);
    }
}

static const char *other_cpus = ""; /* lines of machine files */

static void parse(struct sim_config *config, const char *memory, const char *faults)
{
    struct sim_file_error error;
    char text[1600];

    snprintf(text, sizeof text,
             "machine name=m pages=4k,2m\nclock core=2G counter=2G\n"
             "cache name=L1 bytes=32K ways=8 latency=4c\nmemory base=80ns %s\n%s\n%send\n",
             memory, faults, other_cpus);
    if (!sim_machine_parse(config, text, strlen(text), "m", &error))
        fail_msg("%s", error.text);
}

static enum status run_config(const struct sim_config *config, const char *words)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct option_error error;
    enum status status;

    memset(&heard, 0, sizeof heard);
    simulator_start(sim, config, false);
    status = words_run(&sim->machine, words, listen, NULL, &error);
    simulator_stop(sim);
    free(sim);
    return status;
}

static enum status run(const char *memory, const char *faults, const char *words)
{
    static struct sim_config config;

    parse(&config, memory, faults);
    return run_config(&config, words);
}

static unsigned seeds(void)
{
    return tests_are_long() ? 112 : 6;
}

/* ---- faults at random places */

#define MEMORY_BYTES (4 * MIB)
static char memory_words[64];

static int size_memory(void **state)
{
    (void)state;
    snprintf(memory_words, sizeof memory_words, "bytes=%uM", (unsigned)(MEMORY_BYTES / MIB));
    return 0;
}

static uint64_t any_word(struct random *random)
{
    return SIM_MEMORY_BASE + random_below(random, MEMORY_BYTES / 8) * 8;
}

/* One fault: each error is of that cause, in [first, first + bytes), and of the bits, or else of
 * any. */
static void expect(const char *fault, const char *cause, uint64_t first, uint64_t bytes,
                   uint64_t bits)
{
    for (unsigned i = 0; i < heard.errors; i++) {
        uint64_t at = heard.error[i].physical_address.value;
        if (strcmp(heard.cause[i], cause) != 0 || at < first || at - first >= bytes ||
            (bits != 0 && heard.error[i].bits != bits))
            fail_msg("%s\n0x%llx bits 0x%llx %s: expected %s, 0x%llx and %llu bytes", fault,
                     (unsigned long long)at, (unsigned long long)heard.error[i].bits,
                     heard.cause[i], cause, (unsigned long long)first, (unsigned long long)bytes);
    }
    assert_int_equal(heard.verify.words, heard.errors);
}

static void expect_found(const char *fault, const char *cause, uint64_t first, uint64_t bytes,
                         uint64_t bits)
{
    if (heard.errors == 0)
        fail_msg("%s\nnot found", fault);
    expect(fault, cause, first, bytes, bits);
    assert_string_equal(heard.end, "failed");
    for (unsigned i = 0; i < heard.errors; i++) {
        uint64_t at = heard.error[i].physical_address.value;
        unsigned ranges = 0;
        for (unsigned k = 0; k < heard.ranges; k++)
            ranges +=
                heard.bad[k].physical_first.value <= at && at <= heard.bad[k].physical_last.value;
        assert_int_equal(ranges, 1);
    }
}

static void single_bits(void **state)
{
    static const char *const kinds[] = {"stuck-0", "stuck-1", "flipping rate=20000",
                                        "leaking after=10000us"};
    struct random random;
    char fault[200];

    (void)state;
    random_start(&random, 1);
    for (unsigned i = 0; i < 4 * seeds(); i++) {
        uint64_t at = any_word(&random) + random_below(&random, 8);
        unsigned bit = (unsigned)random_below(&random, 8);
        snprintf(fault, sizeof fault, "fault address=0x%llx bit=%u kind=%s", (unsigned long long)at,
                 bit, kinds[i % 4]);
        run(memory_words, fault, i % 4 == 3 ? "tests=verify hold=" HOLD : "tests=verify");
        expect_found(fault, "stored", at & ~7ull, 8, 1ull << (at % 8 * 8 + bit));
    }
}

/* Memory that keeps what it holds for longer than hold= is not told from good memory. */
static void what_leaks_later_is_not_seen(void **state)
{
    (void)state;
    run(memory_words, "fault address=0x100123450 bit=3 kind=leaking after=900000us",
        "tests=verify hold=" HOLD);
    assert_int_equal(heard.errors, 0);
}

static void couplings(void **state)
{
    struct random random;
    char fault[200];

    (void)state;
    random_start(&random, 2);
    for (unsigned i = 0; i < seeds(); i++) {
        uint64_t at = any_word(&random) + random_below(&random, 8), other = at;
        unsigned bit = (unsigned)random_below(&random, 8);
        while (other / 64 == at / 64)
            other = any_word(&random) + random_below(&random, 8);
        snprintf(fault, sizeof fault, "fault address=0x%llx bit=%u kind=coupled with=0x%llx",
                 (unsigned long long)at, bit, (unsigned long long)other);
        run(memory_words, fault, "tests=verify");
        expect_found(fault, "stored", at & ~7ull, 8, 1ull << (at % 8 * 8 + bit));
    }
}

static void aliases(void **state)
{
    struct random random;
    unsigned others;
    char fault[200];

    (void)state;
    random_start(&random, 3);
    for (unsigned i = 0; i < seeds(); i++) {
        uint64_t bytes = 64ull << random_below(&random, 10), half = MEMORY_BYTES / 2;
        uint64_t first = random_below(&random, half / bytes) * bytes;
        uint64_t other = half + random_below(&random, half / bytes) * bytes;
        uint64_t at = SIM_MEMORY_BASE + (i % 2 ? first : other);
        uint64_t with = SIM_MEMORY_BASE + (i % 2 ? other : first);
        snprintf(fault, sizeof fault, "fault address=0x%llx kind=aliased with=0x%llx bytes=%llu",
                 (unsigned long long)at, (unsigned long long)with, (unsigned long long)bytes);
        run(memory_words, fault, "tests=verify");
        if (heard.errors == 0)
            fail_msg("%s\nnot found", fault);
        others = 0;
        for (unsigned k = 0; k < heard.errors; k++) {
            uint64_t place = heard.error[k].physical_address.value;
            uint64_t alias = heard.error[k].alias_address.value;
            /* With several CPUs one may be wrong once, and has nothing but its neighbours to tell.
             */
            if (strcmp(heard.cause[k], "alias") != 0) {
                assert_string_equal(heard.cause[k], "stored");
                others++;
                continue;
            }
            if (place - at < bytes)
                assert_int_equal(alias - with, place - at);
            else
                assert_int_equal(alias - at, place - with);
        }
        assert_true(other_cpus[0] != '\0' ? others < heard.errors : others == 0);
    }
}

static void lanes(void **state)
{
    struct random random;
    char fault[200];

    (void)state;
    random_start(&random, 4);
    for (unsigned i = 0; i < 2 * seeds(); i++) {
        uint64_t bytes = MIB << random_below(&random, 3);
        uint64_t first = random_below(&random, MEMORY_BYTES / bytes) * bytes + SIM_MEMORY_BASE;
        uint64_t lane = random_below(&random, 64);
        snprintf(fault, sizeof fault,
                 "fault address=0x%llx bit=%u kind=%s bytes=%llu share=0.005%%",
                 (unsigned long long)(first + lane / 8), (unsigned)(lane % 8),
                 i % 2 ? "lane-reads" : "lane-writes", (unsigned long long)bytes);
        run(memory_words, fault, "tests=verify");
        expect_found(fault, i % 2 ? "transfer" : "stored", first, bytes, 1ull << lane);
        for (unsigned k = 0; k < 64; k++)
            assert_true((heard.verify.lane_events[k] != 0) == (k == lane));
    }
}

/* A device that writes once is never called bad memory; what it wrote before memory was written is
 * not seen. */
static void changes_from_outside(void **state)
{
    struct random random;
    unsigned found = 0;
    char fault[200];
    double seconds;

    (void)state;
    run(memory_words, "", "tests=verify hold=" HOLD);
    seconds = heard.seconds;
    random_start(&random, 5);
    for (unsigned i = 0; i < seeds(); i++) {
        uint64_t bytes = 8 + random_below(&random, 128) * 8, at = any_word(&random);
        double share = (double)random_below(&random, 1000) / 1000;
        snprintf(fault, sizeof fault, "fault address=0x%llx kind=changed bytes=%llu at=%.6f",
                 (unsigned long long)at, (unsigned long long)bytes, share * seconds);
        run(memory_words, fault, "tests=verify hold=" HOLD);
        expect(fault, "outside", at, bytes, 0);
        assert_int_equal(heard.ranges, 0);
        found += heard.errors != 0;
    }
    assert_true(found * 2 > seeds());
}

/* ---- several CPUs at once */

#define CPU "cpu kind=performance\n"

static int no_other_cpus(void **state)
{
    (void)state;
    other_cpus = "";
    return 0;
}

/* What each finds lies anywhere in the parts of the others. Of most of these faults there are more
 * errors than records, and more than there is room for before they are entered. */
static void errors_are_the_same_on_any_number_of_cpus(void **state)
{
    static const char *const cpus[] = {"", CPU, CPU CPU CPU};
    static const char *const faults[] = {
        "fault address=0x100123450 bit=3 kind=stuck-1",
        "fault address=0x100001238 bit=1 kind=stuck-1\n"
        "fault address=0x1003ff038 bit=2 kind=stuck-0\n"
        "fault address=0x100200000 bit=5 kind=stuck-0\n"
        "fault address=0x1001fffff bit=7 kind=stuck-1",
        "fault address=0x100080000 bit=5 kind=lane-writes bytes=64K share=100%",
        "fault address=0x100000000 bit=6 kind=lane-reads bytes=4M share=100%",
        "fault address=0x100000003 bit=2 kind=lane-writes bytes=24K share=100%\n"
        "fault address=0x100300001 bit=5 kind=lane-reads bytes=64 share=100%\n"
        "fault address=0x1003a0000 bit=1 kind=lane-writes bytes=8 share=100%"};
    static struct heard alone;

    (void)state;
    for (unsigned i = 0; i < 5; i++)
        for (unsigned k = 0; k < 3; k++) {
            other_cpus = cpus[k];
            run(memory_words, faults[i], "tests=verify");
            assert_true(heard.errors > 0 && heard.verify.steps_done == heard.verify.steps);
            if (k == 0)
                alone = heard;
            assert_int_equal(heard.verify.processors, k == 0 ? 1 : 2 * k);
            assert_int_equal(heard.errors, alone.errors);
            assert_int_equal(heard.ranges, alone.ranges);
            assert_int_equal(heard.verify.events, alone.verify.events);
            assert_int_equal(heard.verify.unlisted, alone.verify.unlisted);
            for (unsigned e = 0; e < heard.errors; e++) {
                const struct record_error *one = &heard.error[e], *other = &alone.error[e];
                assert_int_equal(one->physical_address.value, other->physical_address.value);
                assert_int_equal(one->expected, other->expected);
                assert_int_equal(one->read, other->read);
                assert_int_equal(one->reread, other->reread);
                assert_int_equal(one->bits, other->bits);
                assert_int_equal(one->events, other->events);
                assert_string_equal(heard.cause[e], alone.cause[e]);
            }
            for (unsigned r = 0; r < heard.ranges; r++) {
                assert_int_equal(heard.bad[r].physical_first.value,
                                 alone.bad[r].physical_first.value);
                assert_int_equal(heard.bad[r].bytes, alone.bad[r].bytes);
                assert_int_equal(heard.bad[r].events, alone.bad[r].events);
            }
        }
}

/* One fault at a random place, its cause as with one CPU. */
static void four_cpus_find_what_one_does(void **state)
{
    other_cpus = CPU CPU CPU;
    single_bits(state);
    couplings(state);
    aliases(state);
    lanes(state);
    changes_from_outside(state);
}

/* The CPUs' order has a line wrong once, by data of no address, and its other is not listed. */
static void a_line_that_an_alias_changes_once_is_no_device_s(void **state)
{
    (void)state;
    other_cpus = CPU CPU CPU;
    run(memory_words, "fault address=0x100188000 kind=aliased with=0x1003d0000 bytes=32768",
        "tests=verify");
    assert_true(heard.errors > 0);
    for (unsigned k = 0; k < heard.errors; k++)
        assert_string_not_equal(heard.cause[k], "outside");
}

/* Steps are as fast as so many CPUs, until channels can take no more. */
static void four_cpus_are_faster(void **state)
{
    double rate[3];

    (void)state;
    run("bytes=64M channels=8 bandwidth=20G", "", "tests=verify");
    rate[0] = heard.verify.bytes_per_s;
    other_cpus = CPU CPU CPU;
    run("bytes=64M channels=8 bandwidth=20G", "", "tests=verify");
    rate[1] = heard.verify.bytes_per_s;
    assert_int_equal(heard.errors, 0);
    run("bytes=64M channels=2 bandwidth=8G", "", "tests=verify");
    rate[2] = heard.verify.bytes_per_s;
    if (!(rate[1] > 3 * rate[0] && rate[1] < 4.01 * rate[0] && rate[2] < rate[1]))
        fail_msg("%g, %g and %g bytes/s", rate[0], rate[1], rate[2]);
}

/* ---- the run as a whole */

static void good_memory_has_no_errors(void **state)
{
    (void)state;
    assert_int_equal(run("bytes=24M", "hole from=0x100800000 bytes=64M", "tests=verify"),
                     STATUS_OK);
    assert_int_equal(heard.errors + heard.ranges, 0);
    assert_int_equal(heard.verify.events, 0);
    assert_null(heard.verify.lane_events);
    assert_int_equal(heard.verify.steps_done, heard.verify.steps);
    assert_string_equal(heard.cut_by, "");
    assert_int_equal(heard.verify.bytes + heard.gap_bytes, heard.verify.memory_bytes);
    assert_int_equal(heard.verify.gap_bytes, heard.gap_bytes);
    assert_string_equal(heard.end, "ok");
}

/* hold= is waited four times, and is no part of the rate. */
static void held_memory_is_waited_for(void **state)
{
    double seconds, rate;

    (void)state;
    run(memory_words, "", "tests=verify");
    seconds = heard.seconds;
    rate = heard.verify.bytes_per_s;
    run(memory_words, "", "tests=verify hold=1.5");
    assert_true(fabs(heard.seconds - seconds - 6) < 0.01);
    assert_true(fabs(heard.verify.bytes_per_s / rate - 1) < 0.01);
}

static void the_budget_cuts_it_and_is_said(void **state)
{
    (void)state;
    run(memory_words, "fault address=0x100123450 bit=3 kind=stuck-1",
        "tests=verify hold=2 budget=3");
    assert_string_equal(heard.cut_by, "budget");
    assert_true(heard.verify.steps_done > 0 && heard.verify.steps_done < heard.verify.steps);
    assert_int_equal(heard.verify.written_bytes, heard.verify.bytes);
    assert_int_equal(heard.verify.read_bytes, heard.verify.bytes);
    assert_int_equal(heard.errors, 1);
    assert_true(heard.warnings >= 1);
    assert_true(heard.seconds < 3 * 1.25 + 5);
    /* Before anything is read. */
    run(memory_words, "", "tests=verify hold=9 budget=3");
    assert_int_equal(heard.verify.steps_done, 1);
    assert_int_equal(heard.verify.written_bytes, heard.verify.bytes);
    assert_int_equal(heard.verify.read_bytes, 0);
}

/* Without budget= it takes what it needs, and what follows has its own time. */
static void it_takes_no_time_from_others(void **state)
{
    (void)state;
    run(memory_words, "", "tests=verify,pattern hold=30 max=2M");
    assert_string_equal(heard.cut_by, "");
    assert_string_equal(heard.end, "ok");
    assert_true(heard.seconds > 120);
    assert_true(heard.points != 0);
}

/* What no window of large pages can have, down to single pages of 4K. */
static void what_the_first_window_left_is_tested_too(void **state)
{
    (void)state;
    run("bytes=64M kept=3076K", "fault address=0x103d01238 bit=7 kind=stuck-1", "tests=verify");
    assert_int_equal(heard.verify.bytes, 64 * MIB);
    assert_int_equal(heard.verify.gap_bytes, 0);
    assert_int_equal(heard.gap_bytes, 0);
    assert_true(heard.verify.least_share == 1);
    assert_int_equal(heard.verify.steps_done, 26);
    assert_int_equal(heard.verify.steps, 26);
    assert_int_equal(heard.errors, 1);
    assert_int_equal(heard.error[0].physical_address.value, 0x103d01238);
    assert_int_equal(heard.verify.words, 1);
    assert_int_equal(heard.verify.stored, 1);
    assert_int_equal(heard.verify.lane_events[7], heard.verify.events);
    run("bytes=64M kept=3076K", "", "tests=verify max=32M");
    assert_int_equal(heard.verify.bytes, 32 * MIB);
    assert_int_equal(heard.verify.steps, 10);
}

/* ---- two addresses that no one window has at first */

#define APART_MEMORY "bytes=64M kept=3076K"
#define REST_BYTES   (4 * MIB) /* what the first window leaves, at the end */

/* Of two words the first is in what the first window has, the other in what it leaves. */
static void draw_apart(struct random *random, uint64_t *first, uint64_t *other)
{
    uint64_t end = SIM_MEMORY_BASE + 64 * MIB;

    *first = SIM_MEMORY_BASE + random_below(random, (64 * MIB - REST_BYTES) / 8) * 8;
    *other = end - REST_BYTES + random_below(random, REST_BYTES / 8) * 8;
}

/* A run with several windows takes two seconds. */
static unsigned seeds_apart(void)
{
    return tests_are_long() ? 40 : 2;
}

static void couplings_across_windows(void **state)
{
    struct random random;
    char fault[200];

    (void)state;
    random_start(&random, 6);
    for (unsigned i = 0; i < seeds_apart(); i++) {
        uint64_t first, other, at;
        unsigned bit = (unsigned)random_below(&random, 8);
        draw_apart(&random, &first, &other);
        at = i % 2 ? first : other;
        snprintf(fault, sizeof fault, "fault address=0x%llx bit=%u kind=coupled with=0x%llx",
                 (unsigned long long)at, bit, (unsigned long long)(i % 2 ? other : first));
        run(APART_MEMORY, fault, "tests=verify");
        expect_found(fault, "stored", at, 8, 1ull << bit);
        assert_true(heard.verify.apart_share == 0);
    }
}

static void aliases_across_windows(void **state)
{
    struct random random;
    char fault[200];

    (void)state;
    random_start(&random, 7);
    for (unsigned i = 0; i < seeds_apart(); i++) {
        uint64_t first, other;
        draw_apart(&random, &first, &other);
        first &= ~63ull;
        other &= ~63ull;
        snprintf(fault, sizeof fault, "fault address=0x%llx kind=aliased with=0x%llx bytes=64",
                 (unsigned long long)(i % 2 ? first : other),
                 (unsigned long long)(i % 2 ? other : first));
        run(APART_MEMORY, fault, "tests=verify");
        if (heard.errors == 0)
            fail_msg("%s\nnot found", fault);
        for (unsigned k = 0; k < heard.errors; k++) {
            uint64_t place = heard.error[k].physical_address.value;
            uint64_t alias = heard.error[k].alias_address.value;
            assert_string_equal(heard.cause[k], "alias");
            assert_int_equal(place - place % 64 == first ? alias - other : alias - first,
                             place % 64);
        }
    }
}

/* In what the first window has, at its end, which is tested with the rest too, and in the rest:
 * each found by two passes and told once. */
static void what_two_passes_find_is_told_once(void **state)
{
    static const char *const faults[] = {
        "fault address=0x100123450 bit=3 kind=stuck-1",
        "fault address=0x103bff450 bit=3 kind=stuck-1",
        "fault address=0x103d01238 bit=3 kind=stuck-1",
        "fault address=0x100080000 bit=5 kind=lane-writes bytes=64K share=100%"};

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        run(APART_MEMORY, faults[i], "tests=verify");
        assert_int_equal(heard.ranges, 1);
        assert_int_equal(heard.errors, i < 3 ? 1 : heard.verify.words);
        assert_int_equal(heard.verify.words, heard.verify.stored);
        assert_int_equal(heard.bad[0].bytes, i < 3 ? 4096 : 65536);
        for (unsigned k = 0; k < heard.errors; k++)
            for (unsigned n = 0; n < k; n++)
                assert_int_not_equal(heard.error[k].physical_address.value,
                                     heard.error[n].physical_address.value);
        assert_int_equal(heard.verify.bytes, 64 * MIB);
        assert_int_equal(heard.verify.written_bytes, 64 * MIB);
        assert_int_equal(heard.verify.read_bytes, 64 * MIB);
    }
}

/* 2M in the first window, and 6M that it leaves: nothing of it can stand for what the firmware
 * needs. */
static void what_is_never_held_at_once_is_said(void **state)
{
    unsigned warnings;

    (void)state;
    run("bytes=8M kept=5M", "fault address=0x100001000 kind=aliased with=0x100701000 bytes=64",
        "tests=verify");
    assert_int_equal(heard.errors, 0);
    assert_int_equal(heard.verify.bytes, 8 * MIB);
    assert_true(heard.verify.least_share == 1);
    assert_true(fabs(heard.verify.apart_share - 2 * 2 * 6 / 64.0) < 1e-12);
    warnings = heard.warnings;
    run("bytes=12M kept=3M", "fault address=0x100001000 kind=aliased with=0x100b01000 bytes=64",
        "tests=verify");
    assert_int_not_equal(heard.errors, 0);
    assert_true(heard.verify.apart_share == 0);
    assert_int_equal(heard.warnings, warnings - 1);
    /* Nothing is said of a test that was cut. */
    run(APART_MEMORY, "", "tests=verify hold=2 budget=3");
    assert_true(isnan(heard.verify.apart_share));
}

/* range= leaves out 2 of the near 16 MiB, and none of the far ones. */
static void coverage_is_of_each_node(void **state)
{
    (void)state;
    run("bytes=64M far=48M", "", "tests=verify range=0x100000000-0x103e00000");
    assert_int_equal(heard.verify.least_node, 0);
    assert_true(fabs(heard.verify.least_share - 14 / 16.0) < 1e-9);
    assert_int_equal(heard.verify.gap_bytes, 2 * MIB);
}

/* The slot of an address is the parity of two functions; where nothing is said there is none. */
static void decode_names_slots(void **state)
{
    static const char faults[] = "fault address=0x100012340 bit=3 kind=stuck-1\n"
                                 "fault address=0x100012380 bit=3 kind=stuck-1\n"
                                 "fault address=0x100002381 bit=1 kind=stuck-0\n";
    (void)state;
    run("bytes=4M", faults, "tests=verify decode=0x40040/0x30000:A1,A2,B1,B2");
    assert_int_equal(heard.errors, 3);
    for (unsigned i = 0; i < 3; i++) {
        uint64_t address = heard.error[i].physical_address.value;
        assert_string_equal(heard.slot[i], address == 0x100012340   ? "B2"
                                           : address == 0x100012380 ? "B1"
                                                                    : "A1");
    }
    assert_int_equal(heard.parts, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_string_equal(heard.part[i].by, "slot");
        assert_string_equal(heard.part[i].name, i == 0 ? "A1" : i == 1 ? "B1" : "B2");
        assert_int_equal(heard.part[i].words, 1);
        assert_true(heard.part[i].events > 3);
    }
    run("bytes=4M", faults, "tests=verify decode=found");
    assert_int_equal(heard.errors, 3);
    assert_string_equal(heard.slot[0], "(null)");
    assert_int_equal(heard.parts, 0);
    assert_int_equal(heard.warnings, 1);
}

static void a_bad_cell_in_a_page_that_a_device_wrote_is_named(void **state)
{
    bool named = false;

    (void)state;
    run("bytes=64M",
        "fault address=0x100200000 bytes=4K kind=changed at=0.002\n"
        "fault address=0x100200800 bit=3 kind=stuck-0",
        "tests=verify");
    for (unsigned i = 0; i < heard.errors; i++)
        named = named || (heard.error[i].physical_address.value == 0x100200800 &&
                          strcmp(heard.cause[i], "stored") == 0 && heard.error[i].bits == 8);
    assert_true(named);
}

/* A set that was chased before lies in memory as its chain, wherever single accesses go then. */
static void single_accesses_may_follow_chases(void **state)
{
    (void)state;
    run("bytes=64M tcl=14ns trcd=14ns trp=14ns channels=1 banks=16", "",
        "tests=verify,dram,single rule-coverage=0 budget=20 max=48M");
    assert_string_equal(heard.end, "ok");
}

/* What banks count belongs to the experiment that ran, and is found whatever is read right. */
static void banks_that_count(void **state)
{
    uint64_t corrected = 0, others = 0;

    (void)state;
    run("bytes=64M",
        "fault address=0x100123440 kind=corrected rate=300\n"
        "fault address=0x100345680 kind=uncorrected rate=40\ncounters banks=5",
        "tests=single,verify max=48M rule-coverage=0");
    assert_string_equal(heard.end, "ok");
    assert_int_equal(heard.errors, 0);
    assert_true(heard.hardware_errors > 0);
    for (unsigned i = 0; i < heard.hardware_errors; i++) {
        const struct record_hardware_error *error = &heard.hardware[i];
        bool first = error->bank == 0;
        assert_true(strcmp(heard.during[i], "single") == 0 ||
                    strcmp(heard.during[i], "verify") == 0);
        assert_true(first || error->bank == 1);
        assert_string_equal(heard.severity[i], first ? "corrected" : "uncorrected");
        assert_int_equal(error->physical_address.value, first ? 0x100123440 : 0x100345680);
        corrected += error->corrected;
        others += strcmp(heard.severity[i], "uncorrected") == 0;
    }
    assert_string_equal(heard.during[heard.hardware_errors - 1], "verify");
    assert_true(corrected > 0 && others > 0);
    assert_int_equal(heard.hardware_sum.corrected, corrected);
    assert_int_equal(heard.hardware_sum.others, others);
    assert_int_equal(heard.hardware_sum.before_corrected, 0);
    run("bytes=64M", "counters banks=5", "tests=verify max=48M rule-coverage=0");
    assert_int_equal(heard.hardware_errors, 0);
    assert_int_equal(heard.hardware_sum.banks, 5);
}

/* Many errors between two readings, and more than a bank can count. */
static void a_bank_counts_every_error(void **state)
{
    double expected;

    (void)state;
    run("bytes=64M", "fault address=0x100123440 kind=corrected rate=30000\ncounters banks=1",
        "tests=verify max=48M rule-coverage=0");
    expected = 30000 * heard.verify.seconds;
    assert_true(expected > 300);
    assert_true(fabs((double)heard.hardware_sum.corrected - expected) < 6 * sqrt(expected));
    assert_false(heard.hardware_sum.at_least);
    run("bytes=64M", "fault address=0x100123440 kind=corrected rate=100000000\ncounters banks=1",
        "tests=verify max=48M rule-coverage=0");
    assert_int_equal(heard.hardware_sum.corrected, 0x7fff);
    assert_true(heard.hardware_sum.at_least);
}

static void range_and_max_limit_it(void **state)
{
    (void)state;
    run("bytes=64M", "fault address=0x100123450 bit=3 kind=stuck-1",
        "tests=verify range=0x101000000-0x102000000");
    assert_int_equal(heard.verify.bytes, 16 * MIB);
    assert_int_equal(heard.errors, 0);
    run("bytes=64M", "", "tests=verify max=6M");
    assert_string_equal(heard.gap, "more than max=");
    assert_int_equal(heard.verify.bytes, 6 * MIB);
}

static void a_cpu_that_is_not_there_is_named(void **state)
{
    unsigned others;

    (void)state;
    run("bytes=64M", "", "tests=verify max=4M cpus=0");
    others = heard.warnings;
    run("bytes=64M", "", "tests=verify max=4M cpus=0,99");
    assert_int_equal(heard.warnings, others + 1);
    assert_string_equal(heard.end, "ok");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_bits),
        cmocka_unit_test(what_leaks_later_is_not_seen),
        cmocka_unit_test(couplings),
        cmocka_unit_test(aliases),
        cmocka_unit_test(lanes),
        cmocka_unit_test(changes_from_outside),
        cmocka_unit_test_teardown(errors_are_the_same_on_any_number_of_cpus, no_other_cpus),
        cmocka_unit_test_teardown(four_cpus_find_what_one_does, no_other_cpus),
        cmocka_unit_test_teardown(a_line_that_an_alias_changes_once_is_no_device_s, no_other_cpus),
        cmocka_unit_test_teardown(four_cpus_are_faster, no_other_cpus),
        cmocka_unit_test(good_memory_has_no_errors),
        cmocka_unit_test(held_memory_is_waited_for),
        cmocka_unit_test(the_budget_cuts_it_and_is_said),
        cmocka_unit_test(it_takes_no_time_from_others),
        cmocka_unit_test(what_the_first_window_left_is_tested_too),
        cmocka_unit_test(couplings_across_windows),
        cmocka_unit_test(aliases_across_windows),
        LONG_TEST(what_two_passes_find_is_told_once),
        cmocka_unit_test(what_is_never_held_at_once_is_said),
        cmocka_unit_test(coverage_is_of_each_node),
        cmocka_unit_test(decode_names_slots),
        cmocka_unit_test(a_bad_cell_in_a_page_that_a_device_wrote_is_named),
        cmocka_unit_test(single_accesses_may_follow_chases),
        cmocka_unit_test(banks_that_count),
        cmocka_unit_test(a_bank_counts_every_error),
        cmocka_unit_test(range_and_max_limit_it),
        cmocka_unit_test(a_cpu_that_is_not_there_is_named),
    };

    tests_leave_out_long();
    return cmocka_run_group_tests(tests, size_memory, NULL);
}
