/* SPDX-License-Identifier: BSD-2-Clause */
/* Chains through memory whose faults are known: what leads them astray is named, and what is right
 * is measured all the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <math.h>

#include "core/lib/random.h"
#include "tests/long.h"
#include "tests/shared/words.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/simulator.h"

#define MIB        (1ull << 20)
#define MEMORY     (256 * MIB)
#define BLOCK      (16 * MIB)
#define BLOCKS     (unsigned)(MEMORY / BLOCK)
#define ERRORS_MAX 300

struct heard {
    struct record_error error[ERRORS_MAX];
    char kind[ERRORS_MAX][12];
    unsigned errors, blocks, gaps, rates, unlisted, unsure;
    uint64_t wrong_first[BLOCKS], block_bytes, gap_bytes;
    unsigned wrong; /* gaps of memory that reads wrong */
    struct record_regions regions;
    unsigned ranges;
    bool compared; /* lines, by class */
    double apart;  /* the most that a block differs by */
    char end[16], judged[16], notes[8000];
};

static struct heard heard;

static void take_gap(const struct record_gap *gap)
{
    heard.gap_bytes += gap->bytes;
    heard.gaps++;
    if (strstr(gap->why, "reads wrong") == NULL)
        return;
    assert_int_equal(gap->bytes, BLOCK);
    assert_true(heard.wrong < BLOCKS);
    heard.wrong_first[heard.wrong++] = gap->physical_first.value;
}

static void listen(void *context, const struct record *record)
{
    (void)context;
    if (record->kind == RECORD_ERROR && heard.errors < ERRORS_MAX) {
        snprintf(heard.kind[heard.errors], sizeof heard.kind[0], "%s", record->u.error.kind);
        heard.error[heard.errors++] = record->u.error;
    }
    if (record->kind == RECORD_BLOCK) {
        heard.blocks++;
        heard.block_bytes += record->u.block.bytes;
        heard.apart = fmax(heard.apart, fabs(record->u.block.slower_ns) / record->u.block.ns);
    }
    heard.rates += record->kind == RECORD_BANDWIDTH;
    heard.ranges += record->kind == RECORD_RANGE;
    if (record->kind == RECORD_GAP)
        take_gap(&record->u.gap);
    if (record->kind == RECORD_REGIONS) {
        heard.regions = record->u.regions;
        heard.compared = record->u.regions.by != NULL;
    }
    if (record->kind == RECORD_NOTE && record->u.note.severity != SEVERITY_INFO) {
        size_t used = strlen(heard.notes);
        snprintf(heard.notes + used, sizeof heard.notes - used, "%s: %s\n", record->u.note.what,
                 record->u.note.why);
    }
    if (record->kind == RECORD_END)
        snprintf(heard.end, sizeof heard.end, "%s", record->u.end.status);
}

/* One channel, so that nothing but banks interleaves, and a second cache of that size. */
static enum status run(const char *cache, const char *fault, const char *words)
{
    static struct sim_config config;
    struct simulator *sim = malloc(sizeof *sim);
    struct sim_file_error file_error;
    struct option_error error;
    enum status status;
    char text[1600];

    snprintf(text, sizeof text,
             "machine name=m pages=4k,2m seed=5\nclock core=1.2G counter=24M\n"
             "cache name=L1 bytes=32K ways=2 latency=4c\n"
             "cache name=L2 bytes=%s ways=16 latency=20c\n"
             "tlb 2m=128 4k=128\nwalk kind=constant cost=40c\n"
             "memory bytes=%lluM base=110ns tcl=18ns trcd=18ns trp=18ns rows=open banks=8 row=8K\n"
             "mapping bank=13,14,15 row-from=16\n%s\nend\n",
             cache, MEMORY / MIB, fault);
    if (!sim_machine_parse(&config, text, strlen(text), "m", &file_error))
        fail_msg("%s", file_error.text);
    memset(&heard, 0, sizeof heard);
    simulator_start(sim, &config, false);
    status = words_run(&sim->machine, words, listen, NULL, &error);
    simulator_stop(sim);
    free(sim);
    return status;
}

#define REGIONS "tests=regions block=16M"

static bool is_noted(uint64_t first)
{
    char words[64];

    snprintf(words, sizeof words, "0x%llx to 0x%llx, 16M: ", (unsigned long long)first,
             (unsigned long long)(first + BLOCK - 1));
    return strstr(heard.notes, words) != NULL;
}

/* All blocks that are not in [first, first + bytes) are measured, and whatever is left out is told
 * with the reason, its bits and its addresses. */
static void expect_wrong(const char *fault, uint64_t first, uint64_t bytes, uint64_t bits)
{
    if (strcmp(heard.end, "failed") != 0 || heard.errors == 0)
        fail_msg("%s\n%s, %u errors", fault, heard.end, heard.errors);
    for (unsigned i = 0; i < heard.errors; i++) {
        const struct record_error *error = &heard.error[i];
        uint64_t at = error->physical_address.value;
        if (strcmp(heard.kind[i], "memory") != 0 || at < first || at - first >= bytes ||
            error->bits != (error->expected ^ error->read) || (bits != 0 && error->bits != bits))
            fail_msg("%s\n%s at 0x%llx, bits 0x%llx", fault, heard.kind[i], (unsigned long long)at,
                     (unsigned long long)error->bits);
    }
    assert_int_equal(heard.regions.wrong, heard.wrong);
    assert_int_equal(heard.blocks + heard.wrong, BLOCKS);
    assert_int_equal(heard.block_bytes + heard.gap_bytes, MEMORY);
    assert_int_equal(heard.regions.blocks, heard.blocks);
    for (unsigned i = 0; i < heard.wrong; i++) {
        assert_true(heard.wrong_first[i] + BLOCK > first && heard.wrong_first[i] < first + bytes);
        if (!is_noted(heard.wrong_first[i]))
            fail_msg("%s\n%s", fault, heard.notes);
    }
}

static void expect_measured(void)
{
    assert_true(heard.compared);
    assert_true(heard.rates > 0);
    assert_true(heard.apart < 0.01);
}

static uint64_t any_block(struct random *random)
{
    return SIM_MEMORY_BASE + random_below(random, BLOCKS) * BLOCK;
}

static unsigned seeds(void)
{
    return tests_are_long() ? 20 : 1;
}

/* A lane of one block, which may be the one that others are held against. */
static void lanes_are_named_and_the_rest_is_measured(void **state)
{
    struct random random;
    char fault[200];

    (void)state;
    random_start(&random, 1);
    for (unsigned i = 0; i < 2 * seeds(); i++) {
        uint64_t first = i < 2 ? SIM_MEMORY_BASE + MEMORY / 2 : any_block(&random);
        unsigned lane = (unsigned)random_below(&random, 48);
        snprintf(fault, sizeof fault, "fault address=0x%llx bit=%u kind=%s bytes=16M share=1%%",
                 (unsigned long long)(first + lane / 8), lane % 8,
                 i % 2 ? "lane-reads" : "lane-writes");
        assert_int_equal(run("1M", fault, REGIONS), STATUS_FAULT);
        expect_wrong(fault, first, BLOCK, 1ull << lane);
        assert_int_equal(heard.wrong, 1);
        expect_measured();
    }
}

/* A line of the chain of the block, by a lane that is always wrong. */
static uint64_t line_of_chain(uint64_t block)
{
    char fault[200];

    snprintf(fault, sizeof fault, "fault address=0x%llx kind=lane-reads bytes=16M share=100%%",
             (unsigned long long)block);
    run("1M", fault, REGIONS);
    assert_true(heard.errors != 0);
    return heard.error[heard.errors - 1].physical_address.value;
}

/* One of both is what the bit is not. */
static void a_stuck_bit_of_a_pointer_is_named(void **state)
{
    uint64_t block = SIM_MEMORY_BASE + 3 * BLOCK, line = line_of_chain(block);
    unsigned found = 0;
    char fault[200];

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        snprintf(fault, sizeof fault, "fault address=0x%llx bit=4 kind=stuck-%u",
                 (unsigned long long)(line + 1), i);
        if (run("1M", fault, REGIONS) == STATUS_OK)
            continue;
        found++;
        expect_wrong(fault, line, 8, 1ull << 12);
        assert_int_equal(heard.wrong, 1);
        expect_measured();
    }
    assert_int_equal(found, 1);
}

/* Of a pointer bits below a page are the same in each run. */
static void a_bit_that_leaks_is_named(void **state)
{
    uint64_t block = SIM_MEMORY_BASE + 5 * BLOCK, line = line_of_chain(block);
    uint64_t set = heard.error[heard.errors - 1].expected & 0x1fffc0;
    unsigned lane = (unsigned)__builtin_ctzll(set);
    char fault[200];

    (void)state;
    snprintf(fault, sizeof fault, "fault address=0x%llx bit=%u kind=leaking after=100us",
             (unsigned long long)(line + lane / 8), lane % 8);
    assert_int_equal(run("1M", fault, REGIONS), STATUS_FAULT);
    expect_wrong(fault, line, 8, 1ull << lane);
    assert_int_equal(heard.wrong, 1);
}

/* Two blocks with the same memory: one of both holds what was written last. A chase that was led
 * into the other's chain has read it, and the caches have room for that until it is chased. */
static void an_alias_is_named_and_nothing_is_measured_in_a_cache(void **state)
{
    static const unsigned with[] = {0, 4, 6, 9};
    const uint64_t first = SIM_MEMORY_BASE + 3 * BLOCK;
    char fault[200];

    (void)state;
    for (unsigned i = 0; i < sizeof with / sizeof with[0]; i++) {
        uint64_t other = SIM_MEMORY_BASE + with[i] * BLOCK;
        snprintf(fault, sizeof fault, "fault address=0x%llx kind=aliased with=0x%llx bytes=16M",
                 (unsigned long long)first, (unsigned long long)other);
        assert_int_equal(run("4M", fault, REGIONS), STATUS_FAULT);
        for (unsigned k = 0; k < heard.errors; k++) {
            uint64_t at = heard.error[k].physical_address.value;
            assert_true(at - first < BLOCK || at - other < BLOCK);
        }
        assert_int_equal(heard.wrong, 1);
        assert_int_equal(heard.blocks, BLOCKS - 1);
        expect_measured();
    }
}

/* Errors whose address nothing tells, as of a chain through several blocks. */
static void forget_unknown(void)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < heard.errors; i++) {
        if (heard.error[i].physical_address.value == RECORD_UNKNOWN)
            continue;
        memcpy(heard.kind[kept], heard.kind[i], sizeof heard.kind[0]);
        heard.error[kept++] = heard.error[i];
    }
    heard.errors = kept;
}

/* So seldom that blocks pass at first: what reads wrong later is left out then. */
static void what_reads_wrong_later_is_left_out_later(void **state)
{
    unsigned errors = 0, late = 0;
    char words[64];

    (void)state;
    for (unsigned i = 1; i <= 4 * seeds(); i++) {
        static const char fault[] =
            "fault address=0x102000002 bit=3 kind=lane-reads bytes=32M share=0.002%";
        snprintf(words, sizeof words, REGIONS " seed=%u", i);
        if (run("1M", fault, words) == STATUS_OK)
            continue;
        forget_unknown();
        expect_wrong(fault, 0x102000000, 32 * MIB, 1ull << 19);
        assert_true(heard.rates > 0 && heard.apart < 0.01);
        errors += heard.errors != 0;
        late += heard.compared;
    }
    assert_true(errors > 0 && late > 0);
}

/* A range that is slower, of which a block turns out to read wrong when it is measured again: the
 * rest of it is told. */
static void the_rest_of_a_slow_range_is_told(void **state)
{
    static const char fault[] =
        "slow from=0x105000000 bytes=80M adds=11ns\n"
        "fault address=0x107000002 bit=1 kind=lane-reads bytes=16M share=0.004%";
    unsigned late = 0;

    (void)state;
    for (unsigned i = 1; i <= 4; i++) {
        char words[64];
        snprintf(words, sizeof words, REGIONS " seed=%u", i);
        if (run("1M", fault, words) == STATUS_OK)
            continue;
        forget_unknown();
        expect_wrong(fault, 0x107000000, 16 * MIB, 1ull << 17);
        assert_int_equal(heard.wrong, 1);
        assert_int_equal(heard.regions.not_again, 0);
        assert_int_equal(heard.ranges, 2);
        late++;
    }
    assert_true(late > 0);
}

/* Nothing can be measured, and all of it is named; of the pointers as many as there is room for. */
static void where_all_is_wrong_all_is_named(void **state)
{
    static const char fault[] =
        "fault address=0x100000001 bit=6 kind=lane-writes bytes=256M share=50%";

    (void)state;
    assert_int_equal(run("1M", fault, REGIONS), STATUS_FAULT);
    expect_wrong(fault, SIM_MEMORY_BASE, MEMORY, 1 << 14);
    assert_int_equal(heard.wrong, BLOCKS);
    assert_int_equal(heard.errors, 8 * BLOCKS);
    assert_non_null(strstr(heard.notes, "more bad nodes than error records: "));
}

/* What is asked for beside it is measured, as far as it is right. */
static void other_experiments_go_on(void **state)
{
    static const char fault[] =
        "fault address=0x10f000001 bit=6 kind=lane-writes bytes=16M share=1%";

    (void)state;
    assert_int_equal(run("1M", fault, REGIONS " range=4G-4352M"), STATUS_FAULT);
    assert_int_equal(heard.wrong, 1);
    assert_int_equal(run("1M", fault, "tests=regions,verify block=16M"), STATUS_FAULT);
    assert_true(heard.errors > 8);
}

/* A chase that went astray once, whose chain reads back right the first time. */
static void other_chains_are_read_until_they_are_wrong(void **state)
{
    static const char fault[] =
        "fault address=0x100000002 bit=1 kind=lane-reads bytes=256M share=0.01%";

    (void)state;
    for (unsigned i = 1; i <= seeds(); i++) {
        char words[64];
        snprintf(words, sizeof words, "tests=dram max=4M seed=%u", i);
        assert_int_equal(run("1M", fault, words), STATUS_FAULT);
        assert_true(heard.errors > 0);
        for (unsigned k = 0; k < heard.errors; k++) {
            assert_string_equal(heard.kind[k], "memory");
            assert_int_equal(heard.error[k].bits, 1 << 17);
            assert_true(heard.error[k].physical_address.value - SIM_MEMORY_BASE < MEMORY);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LONG_TEST(lanes_are_named_and_the_rest_is_measured),
        cmocka_unit_test(a_stuck_bit_of_a_pointer_is_named),
        cmocka_unit_test(a_bit_that_leaks_is_named),
        LONG_TEST(an_alias_is_named_and_nothing_is_measured_in_a_cache),
        LONG_TEST(what_reads_wrong_later_is_left_out_later),
        LONG_TEST(the_rest_of_a_slow_range_is_told),
        cmocka_unit_test(where_all_is_wrong_all_is_named),
        LONG_TEST(other_experiments_go_on),
        cmocka_unit_test(other_chains_are_read_until_they_are_wrong),
    };
    return RUN_TESTS(tests);
}
