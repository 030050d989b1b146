/* SPDX-License-Identifier: BSD-2-Clause */
/* The report as a person sees it: width, tables, what the headline always comes with, one screen of
 * summary. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/report/report.h"
#include "tests/unit/support_records.h"
#include "tests/unit/support_text.h"

static struct report report;
static struct kept_text shown;

static int start(void **state)
{
    struct text_sink sink = kept_text_start(&shown);

    (void)state;
    report_start(&report, &sink);
    return 0;
}

static void emit(void *context, const struct record *record)
{
    (void)context;
    report_record(&report, record);
}

static void emit_one(struct record record)
{
    emit(NULL, &record);
}

static void expect(const char *words)
{
    kept_text_expect(&shown, words);
}

static void expect_not(const char *words)
{
    kept_text_expect_not(&shown, words);
}

static void every_line_is_ascii_and_fits(void **state)
{
    size_t column = 0;

    (void)state;
    support_every_record(emit, NULL);
    report_flush(&report);
    for (size_t i = 0; i < shown.bytes; i++) {
        column = shown.text[i] == '\n' ? 0 : column + 1;
        assert_true(column <= 79);
        assert_true(shown.text[i] == '\n' || (shown.text[i] >= 0x20 && shown.text[i] < 0x7f));
    }
    assert_int_equal(column, 0);
    assert_true(shown.bytes > 2000);
    expect_not("nan");
    expect_not("inf ");
    expect_not("18446744073709551615");
}

static void a_finding_says_what_it_is_about_and_what_limits_it(void **state)
{
    struct record record = support_finding();

    (void)state;
    emit_one(record);
    expect("\nparallel: findings\n"
           "  2m contiguous, set 1G, prefetchers off:\n"
           "    outstanding misses, memory, cycle, chains 10: at least 10.0 misses (9.9 to\n"
           "      10.1); limited by chains\n");
    emit_one(record);
    expect("limited by chains\n    outstanding misses");
    record.u.finding = (struct record_finding){.experiment = "parallel",
                                               .name = "bandwidth",
                                               .value = 12.5e9,
                                               .low = NAN,
                                               .high = NAN,
                                               .unit = "bytes_per_s",
                                               .bound = "exact",
                                               .prefetch = PREFETCH_ON,
                                               .bytes = RECORD_UNKNOWN,
                                               .chains = RECORD_UNKNOWN};
    emit_one(record);
    expect("\n  prefetchers on:\n    bandwidth: 12.50 GB/s\n");
    record.u.finding.experiment = "tlb";
    record.u.finding.doubt = doubt_of(DOUBT_BUDGET) | doubt_of(DOUBT_DRIFT);
    emit_one(record);
    expect("\n\ntlb: findings\n");
    expect("    bandwidth: 12.50 GB/s?; doubt: drift, budget\n");
}

static void the_header_sums_up_memory_and_equal_modules(void **state)
{
    struct dimm_info dimm = {.locator = "A1",
                             .bank = "B0",
                             .maker = "Acme",
                             .part = "X-1",
                             .type = "DDR4",
                             .bytes = 16ull << 30,
                             .rated_mts = 3200,
                             .configured_mts = 2666,
                             .ranks = 2,
                             .data_bits = 64,
                             .total_bits = 72};
    struct record memory = {
        .kind = RECORD_MEMORY,
        .u.memory = {phys_make(0), 1ull << 30, 0, "ordinary", RECORD_UNKNOWN, true}};
    struct record module = {.kind = RECORD_DIMM, .u.dimm = {&dimm}};

    (void)state;
    emit_one(support_run());
    emit_one(memory);
    emit_one(memory);
    memory.u.memory.usable = false;
    emit_one(memory);
    expect_not("Memory");
    emit_one(module);
    expect("Memory       2G usable of 3G in the memory map\n");
    strcpy(dimm.locator, "A2");
    emit_one(module);
    dimm = (struct dimm_info){.locator = "B1"};
    emit_one(module);
    emit_one(support_end());
    expect("DIMM         slot             size  type    ranks MT/s rated   set    V  part\n"
           "  A1                           16G  DDR4 ECC    2       3200  2666    -  Acme\n"
           "                                    X-1; WARNING: below rated speed\n"
           "  A2                           16G  DDR4 ECC    2       3200  2666    -  Acme\n"
           "                                    X-1; WARNING: below rated speed\n"
           "  B1                         empty\n");
    expect("\nwarning: 2 DIMMs run below their rated speed: 2666 of 3200 MT/s from A1 to A2\n");
    expect("errors 0, warnings 1\n");
}

/* Where lines scroll by, equal modules share one. */
static void the_console_sums_up_equal_modules(void **state)
{
    struct dimm_info dimm = {.locator = "A1",
                             .maker = "Acme",
                             .part = "X-1",
                             .type = "DDR4",
                             .bytes = 16ull << 30,
                             .rated_mts = 3200,
                             .configured_mts = 2666,
                             .ranks = 2,
                             .data_bits = 64,
                             .total_bits = 72};
    struct dimm_info empty = {.bytes = 0};
    struct record module = {.kind = RECORD_DIMM, .u.dimm = {&dimm}};

    (void)state;
    report_on_console(&report);
    emit_one(module);
    empty.locator[0] = 'E';
    emit_one((struct record){.kind = RECORD_DIMM, .u.dimm = {&empty}});
    strcpy(dimm.locator, "A2");
    emit_one(module);
    dimm.ecc = "none"; /* by its array, whatever the width */
    emit_one(module);
    emit_one(support_end());
    expect("DIMM         2 x 16G DDR4 ECC 2-rank, MT/s rated 3200 configured 2666, Acme\n"
           "               X-1, A1 to A2; WARNING: below rated speed\n");
    expect("DIMM         1 x 16G DDR4 2-rank, MT/s");
    expect_not("empty");
    expect_not("slot");
}

static void modules_together_take_a_line(void **state)
{
    struct record modules = {.kind = RECORD_MODULES,
                             .u.modules = {.slots = 8,
                                           .fitted = 4,
                                           .bytes = 64ull << 30,
                                           .channels = 2,
                                           .ecc = "on",
                                           .map_bytes = 48ull << 30,
                                           .map_agrees = ANSWER_NO}};

    (void)state;
    emit_one(modules);
    expect("Modules      4 of 8 slots, 64G in 2 channels, ECC on; memory map 48G: they\n"
           "             differ\n");
    modules.u.modules = (struct record_modules){.slots = 2,
                                                .fitted = 2,
                                                .of_unknown_size = 1,
                                                .bytes = 1ull << 30,
                                                .channels = RECORD_UNKNOWN,
                                                .map_bytes = RECORD_UNKNOWN};
    emit_one(modules);
    expect("Modules      2 of 2 slots, 1G and 1 of unknown size\n");
}

static void modules_at_rated_speed_are_no_warning(void **state)
{
    struct dimm_info dimm = {
        .locator = "A1", .bytes = 1, .rated_mts = 3200, .configured_mts = 3200};
    struct record module = {.kind = RECORD_DIMM, .u.dimm = {&dimm}};

    (void)state;
    emit_one(module);
    dimm.rated_mts = 0;
    emit_one(module);
    emit_one(support_end());
    expect_not("WARNING");
    expect("          -  3200    -");
    expect("warnings 0");
}

static void controls_show_what_was_written_and_read(void **state)
{
    struct record r = {.kind = RECORD_PREFETCH,
                       .u.prefetch = {.control = "MSR 0x1a4",
                                      .source = "SDM",
                                      .requested = 0xf,
                                      .unofficial = true,
                                      .state = PREFETCH_NOT_HONOURED,
                                      .sequential_over_random = NAN}};

    (void)state;
    emit_one(r);
    expect("Prefetch     MSR 0x1a4: wrote 0xf, read 0x0 (unofficial): not-honoured\n");
    r.u.prefetch.unofficial = false;
    r.u.prefetch.state = PREFETCH_REFUSED;
    emit_one(r);
    expect("Prefetch     MSR 0x1a4: asked for 0xf, read 0x0: refused\n");
    /* Nothing was written: it is on as found, or was not tried. */
    r.u.prefetch.state = PREFETCH_ON;
    emit_one(r);
    expect("Prefetch     MSR 0x1a4: read 0x0: on\n");
    r.u.prefetch.state = PREFETCH_UNSUPPORTED;
    r.u.prefetch.readback = RECORD_UNKNOWN;
    emit_one(r);
    expect("Prefetch     MSR 0x1a4: read -: unsupported\n");
    r.u.prefetch = (struct record_prefetch){.requested = RECORD_UNKNOWN,
                                            .readback = RECORD_UNKNOWN,
                                            .state = PREFETCH_UNSUPPORTED,
                                            .sequential_over_random = NAN};
    emit_one(r);
    expect("Prefetch     no control known: unsupported\n");
}

/* A point during which nothing changed. */
static struct record still_point(void)
{
    struct record r = support_point();

    r.u.point.hz_step = 0;
    return r;
}

static void a_curve_is_a_table_of_sets_and_page_sizes(void **state)
{
    (void)state;
    for (int page = 0; page < 2; page++)
        for (uint64_t set = 4; set > 0; set--) {
            struct record r = still_point();

            r.u.point.bytes = set << 20;
            r.u.point.ns_median = 10 * (double)set + page;
            r.u.point.cycles_median = set == 3 ? NAN : 29 * (double)set;
            r.u.point.pages_bytes = page == 0 ? 4096 : 1 << 21;
            r.u.point.limited_by = set == 2 ? "cap" : "error";
            r.u.point.disturbed = set == 4;
            r.u.point.settled = set == 1 ? ANSWER_NO : ANSWER_YES;
            r.u.point.hz_step = set == 4 ? -0.02 : 0;
            if (page == 0 || set != 1)
                emit_one(r);
        }
    expect_not("set");
    report_flush(&report);
    expect("curve: ns/access, cycles/access, pattern cycle, prefetchers off\n"
           "                 4k scattered          2m scattered\n"
           "       set        ns   cycles           ns   cycles\n"
           "        1M     10.00     29.0  ~         -        -\n"
           "        2M     20.00     58.0c       21.00     58.0c\n"
           "        3M     30.00        -        31.00        -\n"
           "        4M     40.00    116.0 !~     41.00    116.0 !~\n"
           "  c, b, a: ended by");
    expect("!: something interrupted some samples (SMI, NMI; on Linux the kernel)\n"
           "  ~: moved while it was measured (caches not steady, or the core's frequency)\n");
    shown.bytes = 0;
    report_flush(&report);
    assert_int_equal(shown.bytes, 0);
}

/* Points come pass by pass, of one experiment and then of another. */
static void experiments_in_turns_have_a_table_each(void **state)
{
    struct record record = support_point(), dram = support_dram();
    const char *table;

    (void)state;
    for (uint64_t i = 1; i <= 6; i++) {
        record.u.point.experiment = i % 2 ? "dram" : "curve";
        record.u.point.bytes = i << 20;
        emit_one(record);
    }
    expect_not("ns/access, cycles/access");
    emit_one(dram);
    table = strstr(shown.text, "dram: ns/access, cycles/access");
    assert_non_null(table);
    expect("        1M");
    expect("        3M");
    expect("        5M");
    expect_not("curve:");
    report_flush(&report);
    expect_not("curve:");
    report_flush(&report);
    expect("curve: ns/access, cycles/access");
    expect("        6M");
    assert_null(strstr(table + 1, "dram: ns/access, cycles/access"));
}

static void each_prefetch_state_has_its_own_table(void **state)
{
    const char *second;

    (void)state;
    for (int i = 0; i < 6; i++) {
        struct record r = still_point();

        r.u.point.bytes = (uint64_t)(1 + i / 2) << 20;
        r.u.point.prefetch = i % 2 == 0 ? PREFETCH_ON : PREFETCH_REFUSED;
        r.u.point.ns_median = i;
        emit_one(r);
    }
    report_flush(&report);
    expect("pattern cycle, prefetchers on\n");
    expect("pattern cycle, prefetchers NOT off (refused)\n");
    second = strstr(shown.text, "NOT off");
    assert_non_null(strstr(second, "      1.00"));
    assert_null(strstr(second, "      4.00"));
    expect_not("ended by");
}

static void few_sets_are_a_list_of_points(void **state)
{
    struct record r = still_point();

    (void)state;
    emit_one(r);
    r.u.point.pattern = "shuffled-pages";
    r.u.point.map = "identity";
    r.u.point.rel_error = 0.0123;
    r.u.point.limited_by = "budget";
    emit_one(r);
    r.u.point.map = "firmware";
    r.u.point.pages_bytes = 0;
    emit_one(r);
    r.u.point.map = "process";
    r.u.point.frames = "as-allocated";
    r.u.point.pages_bytes = 4096;
    emit_one(r);
    r.u.point.prefetch = PREFETCH_REFUSED;
    emit_one(r);
    report_flush(&report);
    expect("curve: ns/access, cycles/access, prefetchers off\n"
           "pattern                         pages            set      ns   cycles error%\n"
           "cycle                           2m scattered     64M   80.00    232.0   0.40\n"
           "shuffled-pages                  2m identity      64M   80.00    232.0   1.23b\n"
           "shuffled-pages                  firmware's own   64M   80.00    232.0   1.23b\n"
           "shuffled-pages                  4k as allocated  64M   80.00    232.0   1.23b\n"
           "\n"
           "curve: ns/access, cycles/access, prefetchers NOT off (refused)\n"
           "pattern                         pages            set      ns   cycles error%\n"
           "shuffled-pages                  4k as allocated  64M   80.00    232.0   1.23b\n");
}

/* A curve's draws: the same levels again, which only the report and the records need twice. */
static void draws_have_a_table_in_the_report_only(void **state)
{
    (void)state;
    for (int console = 0; console < 2; console++)
        for (uint64_t cycles = 0; cycles <= 3; cycles += 3) {
            struct record r = still_point();
            start(NULL);
            if (console)
                report_on_console(&report);
            for (r.u.point.bytes = 1 << 20; r.u.point.bytes <= 3 << 20;
                 r.u.point.bytes += 1 << 20) {
                r.u.point.pattern = "iid";
                emit_one(r);
                r.u.point.pattern = "cycle";
                if (r.u.point.bytes >> 20 <= cycles)
                    emit_one(r);
            }
            report_flush(&report);
            if (console && cycles > 0)
                expect_not("pattern iid");
            else
                expect("curve: ns/access, cycles/access, pattern iid, prefetchers off\n");
        }
}

/* However many sets they have: what is no latency of memory has a table of its own. */
static void auxiliary_points_have_tables_of_their_own(void **state)
{
    static const char *const purposes[] = {"translation", "headline", "proof"};

    (void)state;
    for (int i = 0; i < 3; i++)
        for (uint64_t set = 6; set > 0; set--) {
            struct record r = still_point();

            r.u.point.experiment = "dram";
            r.u.point.purpose = purposes[i];
            r.u.point.bytes = set << 20;
            r.u.point.ns_median = 10 * i + (double)set;
            r.u.point.disturbed = i == 0;
            emit_one(r);
        }
    report_flush(&report);
    expect("dram: ns/access, cycles/access, pattern cycle, prefetchers off\n");
    expect("     11.00");
    expect("\n\ndram: and 6 chases for the line Prefetch below: in the files only\n");
    expect("\n\ndram: and 6 of translation alone, no latencies: in the files only\n");
    expect_not(" 21.00 ");
    expect_not("  1.00 ");
    expect_not("interrupted");
    /* One picture: of the headline. */
    assert_non_null(strstr(shown.text, "dram: ns over working set"));
    assert_null(strstr(strstr(shown.text, "dram: ns over") + 1, "dram: ns over"));
}

static void single_accesses_are_a_picture_and_words(void **state)
{
    const double ns[] = {63.2, 75.8, 404.2};
    const uint64_t counts[] = {500, 1000, 3};
    const struct record_bounded unknown = {NAN, NAN, NAN};
    struct record single = {.kind = RECORD_DISTRIBUTION,
                            .u.distribution = {.bytes = 1 << 30,
                                               .accesses = 1503,
                                               .ns_median = 78.02,
                                               .ns_p9999 = NAN,
                                               .ns_max = 428.2,
                                               .bin_ns = ns,
                                               .bin_count = counts,
                                               .bins = 3,
                                               .rows = "open",
                                               .hit_share = 0.021,
                                               .empty_share = 0.6,
                                               .conflict_share = 0.379,
                                               .hit_ns = {64, 63.9, 64.1},
                                               .empty_ns = {78, 77.9, 78.1},
                                               .conflict_ns = {92, 91.8, 92.2},
                                               .refresh = "found",
                                               .period_ns = {7800.01, 7799.9, 7800.2},
                                               .stall_ns = {364, 359, 369},
                                               .coherence = 0.9931,
                                               .slow = 2006,
                                               .scope = "per-bank"}};

    (void)state;
    start(NULL);
    emit_one(single);
    expect("1503 single accesses to random lines of 1G\n");
    expect("from 63 ns        #########################\n");
    expect("from 76 ns        ##################################################\n");
    expect("and 3 accesses in bins too small to show\n");
    expect("median 78.0 ns");
    expect("99.99 % -");
    expect("rows stay open: 64.0 ns in an open row (63.9 to 64.1), 92.0 ns");
    expect("of random accesses 2.1 % found their row open, 37.9 % another, 60.0 % none:");
    expect("a refresh every 7.8000 us (7.7999 to 7.8002), which an access waits");
    expect("each bank by itself");
    expect("(2006 slow accesses, coherence 0.993)\n");
    start(NULL);
    single.u.distribution.rows = "closed";
    single.u.distribution.scope = "together";
    single.u.distribution.hit_share = NAN;
    emit_one(single);
    expect("rows are closed after each access, which takes 78.0 ns (77.9 to 78.1)");
    expect("several banks at once");
    expect_not("of random accesses");
    start(NULL);
    single.u.distribution.rows = single.u.distribution.refresh = "unsure";
    single.u.distribution.rows_why = "no pairs stand out";
    single.u.distribution.refresh_why = "too few accesses are slow";
    single.u.distribution.period_ns = unknown;
    emit_one(single);
    expect("rows: unsure: no pairs stand out\n");
    expect("refresh: unsure: too few accesses are slow\n");
    expect_not("banks at once");
}

static void a_mapping_is_lists_of_bits(void **state)
{
    const uint64_t functions[] = {1 << 6 | 1 << 13, 1 << 14 | 1 << 17};
    struct record mapping = {.kind = RECORD_MAPPING,
                             .u.mapping = {.verdict = "linear",
                                           .pairs = 4096,
                                           .conflicts = 1020,
                                           .banks_low = 3.4,
                                           .banks_high = 4.9,
                                           .apart_ns = 270.06,
                                           .conflict_ns = 322.6,
                                           .rank = 2,
                                           .functions = functions,
                                           .offset_bytes = 768 << 20,
                                           .offset_from_bytes = 1ull << 32,
                                           .agreement = 0.995,
                                           .predicted = 96,
                                           .confirmed = 95,
                                           .expected_banks = 8,
                                           .expectation = "unmet",
                                           .modules_banks_low = 8,
                                           .modules_banks_high = 16,
                                           .modules_agree = "does-not",
                                           .guest = ANSWER_NO}};

    (void)state;
    start(NULL);
    emit_one(mapping);
    expect("banks: 4 by 2 functions, offset 768M from 4G; 99.5 % of conflicts agree,");
    expect("1020 of 4096 pairs conflict (a round takes 322.6 ns instead of 270.1)");
    expect("\n    6 13  0x2040\n    14 17  0x24000\n");
    expect("\n  expected 8 banks: unmet\n");
    expect("\n  the modules have 8 or 16 banks: does-not\n");
    start(NULL);
    mapping.u.mapping.verdict = "unsure";
    mapping.u.mapping.why = "no pairs stand out";
    mapping.u.mapping.expectation = NULL;
    mapping.u.mapping.modules_banks_low = 16;
    mapping.u.mapping.modules_agree = "unknown";
    mapping.u.mapping.modules_why = "nobody knows";
    mapping.u.mapping.conflict_ns = NAN;
    emit_one(mapping);
    expect("banks: unsure: no pairs stand out\n");
    expect("\n  the modules have 16 banks: unknown, nobody knows\n");
    expect_not("conflict (");
    start(NULL);
    mapping.u.mapping.conflict_ns = 322.6;
    mapping.u.mapping.banks_low = mapping.u.mapping.banks_high = NAN;
    emit_one(mapping);
    expect("1020 of 4096 pairs conflict (a round takes 322.6 ns instead of 270.1)\n");
    expect_not("6 13");
    expect_not("expected");
    expect_not("guest");
    start(NULL);
    mapping.u.mapping.verdict = "not-linear";
    mapping.u.mapping.why = NULL;
    mapping.u.mapping.guest = ANSWER_YES;
    emit_one(mapping);
    expect("division, as with three channels, is no such XOR\n  of a guest's addresses: of the "
           "bits inside the pages that its");
    start(NULL);
    mapping.u.mapping.guest = ANSWER_UNKNOWN;
    emit_one(mapping);
    expect("no such XOR\n  whether addresses are a guest's is not known here\n");
}

/* A character a block, in rows that begin with their address. */
static void blocks_are_a_heat_row(void **state)
{
    struct record regions = {.kind = RECORD_REGIONS,
                             .u.regions = {.node = 1,
                                           .block_bytes = 64 << 20,
                                           .blocks = 65,
                                           .ns = 90,
                                           .step_ns = 0.9,
                                           .classes = 63,
                                           .class_limit_ns = 0.25,
                                           .class_part = 32,
                                           .class_part_limit_ns = 1.5,
                                           .by = "functions",
                                           .drift = 0.004,
                                           .memory_bytes = 8ull << 30,
                                           .covered_bytes = 4ull << 30}};
    struct record range = {.kind = RECORD_RANGE,
                           .u.range = {.physical_first = phys_make(0x112300000),
                                       .physical_last = phys_make(0x1152fffff),
                                       .bytes = 48 << 20,
                                       .edge_bytes = 1 << 20,
                                       .slower_ns = -4.5,
                                       .slower_low_ns = -4.75,
                                       .slower_high_ns = -4.25,
                                       .against_ns = 90}};
    struct record gap = {.kind = RECORD_GAP,
                         .u.gap = {.physical_first = phys_make(0),
                                   .physical_last = phys_make(0xfffff),
                                   .bytes = 1 << 20,
                                   .why = "in use"}};

    (void)state;
    start(NULL);
    emit_one(regions);
    for (uint64_t i = 0; i < 65; i++) {
        static const double slower[] = {0.8, 0.95, 4.6, 80, -0.8, -0.95};
        struct record block = {.kind = RECORD_BLOCK,
                               .u.block = {.physical_first = phys_make((4 + i) << 26),
                                           .physical_last = phys_make(((5 + i) << 26) - 1),
                                           .slower_ns = i < 6 ? slower[i] : 0,
                                           .compared = i != 7 && i != 8,
                                           .flagged = i == 8}};
        emit_one(block);
    }
    emit_one(range);
    emit_one(gap);
    expect("regions: node 1, 65 blocks of 64M, 90.0 ns/access; 4G of 8G covered");
    expect("  by parity of address bits, which choose channel, rank and bank: 63 functions\n"
           "    compared; half of the lines slower by 0.25 ns would have shown, one line in\n"
           "    32 slower by 1.50 ns\n");
    expect("drifted by 0.40 %, which is taken off");
    expect("within 0.90 ns");
    expect("\n  0x10000000 .159.-.,!...................................................\n"
           "  0x100000000 .....\n");
    expect("0x112300000 to 0x1152fffff, 48M: 4.50 ns (4.25 to 4.75) faster than the");
    expect("not covered: 0x0 to 0xfffff, 1M: in use\n");
    for (unsigned i = 0; i < 65; i++)
        emit_one(gap);
    expect_not("more ranges");
    emit_one((struct record){.kind = RECORD_NOTE, .u.note = {.what = "x", .why = "y"}});
    expect("not covered: 2 more ranges, 2M together; records of kind gap name them\n");
}

/* A row is of addresses that follow each other. */
static void a_gap_begins_a_heat_row(void **state)
{
    struct record regions = {.kind = RECORD_REGIONS, .u.regions = {.step_ns = 1}};

    (void)state;
    start(NULL);
    emit_one(regions);
    for (uint64_t i = 0; i < 8; i++) {
        uint64_t first = (i < 3 ? 1ull : 4ull) * 0x40000000 + i * 0x4000000;
        struct record block = {.kind = RECORD_BLOCK,
                               .u.block = {.physical_first = phys_make(first),
                                           .physical_last = phys_make(first + 0x3ffffff),
                                           .compared = true}};
        emit_one(block);
    }
    emit_one((struct record){.kind = RECORD_NOTE, .u.note = {.what = "x", .why = "y"}});
    expect("\n  0x40000000 ...\n  0x10c000000 .....\n");
}

/* What was found of memory stands on the last screen, whatever else was measured. */
static void the_last_screen_holds_what_memory_is_like(void **state)
{
    static const uint64_t mask[] = {1 << 16 | 1 << 20, 1 << 8};
    struct record mapping = {.kind = RECORD_MAPPING,
                             .u.mapping = {.verdict = "linear", .rank = 0, .why = NULL}};
    struct record regions = {.kind = RECORD_REGIONS,
                             .u.regions = {.blocks = 128,
                                           .block_bytes = 64 << 20,
                                           .covered_bytes = 8ull << 30,
                                           .by = "functions",
                                           .step_ns = 1}};
    struct record range = {.kind = RECORD_RANGE,
                           .u.range = {.physical_first = phys_make(0x200000000),
                                       .bytes = 512 << 20,
                                       .slower_ns = 8.97}};
    struct record class = {.kind = RECORD_CLASS,
                           .u.class = {.mask = mask, .masks = 2, .slower_ns = 5.8}};
    struct record rate = {.kind = RECORD_BANDWIDTH,
                          .u.bandwidth = {.parity = RECORD_UNKNOWN,
                                          .order = "random",
                                          .physical_first = {RECORD_UNKNOWN},
                                          .bytes_per_s = {41.2e9, 41e9, 41.4e9},
                                          .limited_by = "memory",
                                          .channels = 2,
                                          .expected_bytes_per_s = NAN}};
    struct record end = {.kind = RECORD_END, .u.end = {.status = "ok"}};

    (void)state;
    start(NULL);
    emit_one(mapping);
    emit_one(regions);
    emit_one(rate);
    emit_one(end);
    expect("\nBanks        1 by 0 functions of address bits; 2 channels\n"
           "Blocks       8G in 128 of 64M: none differs\n"
           "Address bits by none are lines slower\n"
           "Bandwidth    one CPU reads 41.20 GB/s\n");
    expect_not("not measured");
    start(NULL);
    mapping.u.mapping.verdict = "not-linear";
    emit_one(mapping);
    emit_one(regions);
    emit_one(range);
    range.u.range.slower_ns = 3;
    emit_one(range);
    emit_one(class);
    regions.u.regions.by = NULL;
    emit_one(end);
    expect("\nBanks        not-linear: no functions of address bits are known\n"
           "Blocks       8G in 128 of 64M: 2 ranges differ; 512M from 0x200000000 on 8.97\n"
           "             ns slower\n"
           "Address bits one line in 4 is 5.80 ns slower");
    start(NULL);
    emit_one(regions);
    emit_one(end);
    expect("\nAddress bits not compared by all lines\n");
    start(NULL);
    regions.u.regions.by = "bits and pairs";
    emit_one(regions);
    emit_one(end);
    expect("\nAddress bits by none, alone or in pairs (functions are not known), are lines\n"
           "             slower\n");
    start(NULL);
    emit_one(end);
    expect("DRAM latency - (not measured)");
}

/* Functions as lists of bits, each with the parity that is slower. */
static struct record pair_of_nodes(uint64_t from, uint64_t to, double ns, double claimed)
{
    double none = NAN;

    return (struct record){.kind = RECORD_PAIR,
                           .u.pair = {.experiment = "nodes",
                                      .from_node = from,
                                      .to = "memory",
                                      .to_cpu = RECORD_UNKNOWN,
                                      .home_node = to,
                                      .bytes = 64 << 20,
                                      .prefetch = PREFETCH_OFF,
                                      .ns = ns,
                                      .ns_low = ns - 1,
                                      .ns_high = ns + 1,
                                      .cycles = none,
                                      .cpu_hz = none,
                                      .slower_ns = none,
                                      .slower_low_ns = none,
                                      .slower_high_ns = none,
                                      .bytes_per_s = 1e12 / ns,
                                      .times = ns / 80,
                                      .claimed = claimed,
                                      .claimed_ns = none,
                                      .claimed_bytes_per_s = none,
                                      .claimed_distance = (uint64_t)(10 * claimed),
                                      .claimed_by = "SLIT",
                                      .why = ns > 0 ? NULL : "it did not start"}};
}

static void emit_note(void)
{
    emit_one((struct record){.kind = RECORD_NOTE, .u.note = {.what = "x", .why = ""}});
}

static void pairs_of_nodes_are_matrices(void **state)
{
    (void)state;
    emit_one(pair_of_nodes(0, 0, 80, 1));
    emit_one(pair_of_nodes(0, 2, 160, 2));
    emit_one(pair_of_nodes(3, 0, NAN, 2.5));
    emit_one(pair_of_nodes(3, 2, 100, 1));
    expect("CPU 0 (node 0) to node 2: 160.00 ns (159.00 to 161.00), reads 6.25 GB/s; SLIT\n"
           "    claims distance 20\n");
    expect("(node 3) to node 0: none: it did not start\n");
    expect_not("latency in ns");
    emit_note();
    expect("nodes: latency in ns, from each node to each node's memory\n"
           "  to node        0       2\n"
           "  node 0     80.00  160.00\n"
           "  node 3         -  100.00\n");
    expect("nodes: GB/s that one CPU of each node reads\n"
           "  to node        0       2\n"
           "  node 0     12.50    6.25\n"
           "  node 3         -   10.00\n");
    expect("and this over the claimed ratio\n"
           "  to node        0       2\n"
           "  node 0      1.00    1.00\n"
           "  node 3         -    1.25\n");
    expect_not("over the latency that the firmware claims");
}

/* One pair is no matrix; more columns than have room side by side stand below each other. */
static void matrices_fit(void **state)
{
    (void)state;
    emit_one(pair_of_nodes(0, 0, 80, 1));
    emit_note();
    expect_not("latency in ns");
    for (uint64_t i = 0; i < REPORT_CELLS_MAX + 3; i++)
        emit_one(pair_of_nodes(i / 20, i % 20, 80, 1));
    emit_note();
    expect("  to node        0       1       2       3       4       5       6       7\n");
    expect("  to node       16      17      18      19\n");
    expect("  3 pairs have no room in these tables\n");
}

static void slow_classes_are_told(void **state)
{
    static const uint64_t mask[] = {1 << 16 | 1 << 20, 1 << 8};
    struct record class = {.kind = RECORD_CLASS,
                           .u.class = {.mask = mask,
                                       .masks = 2,
                                       .parities = 1,
                                       .slower_ns = 5.77,
                                       .slower_low_ns = 5.69,
                                       .slower_high_ns = 5.85,
                                       .against_ns = 91.1}};
    struct record regions = {
        .kind = RECORD_REGIONS,
        .u.regions = {.classes = 300, .by = "bits and pairs", .class_limit_ns = 0.5, .step_ns = 1}};

    (void)state;
    start(NULL);
    emit_one(regions);
    emit_one(class);
    expect("300 single\n    bits and pairs (");
    expect("with three\n    channels, would not show");
    expect("  lines whose address has bits 16 20 odd and bits 8 even, one line in 4:\n");
    expect("    5.77 ns (5.69 to 5.85) slower than the 91.1 ns of the others\n");
    start(NULL);
    regions.u.regions.by = NULL;
    emit_one(regions);
    expect_not("compared");
}

static void channels_are_told_with_what_limits_reads(void **state)
{
    static const uint64_t channel[] = {1 << 8 | 1 << 13};
    struct record all = {.kind = RECORD_BANDWIDTH,
                         .u.bandwidth = {.parity = RECORD_UNKNOWN,
                                         .order = "random",
                                         .bytes_per_s = {41.2e9, 41e9, 41.4e9},
                                         .limited_by = "memory",
                                         .under_way = {43.2, 43.1, 43.3},
                                         .cached = {63.9, 63.8, 64},
                                         .physical_first = {RECORD_UNKNOWN},
                                         .channels = 2,
                                         .channel = channel,
                                         .channel_functions = 1,
                                         .expected_bytes_per_s = 48e9,
                                         .expectation = "unmet"}};
    struct record half = {.kind = RECORD_BANDWIDTH,
                          .u.bandwidth = {.physical_first = {RECORD_UNKNOWN},
                                          .function = channel[0],
                                          .parity = 1,
                                          .bytes_per_s = {20.5e9, 20.4e9, 20.6e9},
                                          .effect = "half"}};

    (void)state;
    start(NULL);
    emit_one(all);
    emit_one(half);
    expect("bandwidth: one CPU reads 41.20 GB/s (41.00 to 41.40)\n");
    expect("43.2 reads (43.1 to 43.3) under way at a time; 63.9 (63.8 to 64.0) where a");
    expect("  2 channels, chosen by bits\n    8 13\n");
    expect("  expected 48.00 GB/s: unmet\n");
    expect("  bits 8 13 odd: 20.50 GB/s (20.40 to 20.60), half of the rate of all lines\n");
    half.u.bandwidth.parity = RECORD_UNKNOWN;
    half.u.bandwidth.physical_first = phys_make(0x200000000);
    half.u.bandwidth.physical_last = phys_make(0x27fffffff);
    half.u.bandwidth.effect = "slower";
    emit_one(half);
    expect("  0x200000000 to 0x27fffffff: 20.50 GB/s (20.40 to 20.60), less than in other\n");
    start(NULL);
    half.u.bandwidth.effect = "same";
    emit_one(half);
    expect_not("20.50");
    half.u.bandwidth.parity = 1;
    half.u.bandwidth.physical_first.value = RECORD_UNKNOWN;
    emit_one(half);
    expect_not("odd");
    all.u.bandwidth.channels = 1;
    all.u.bandwidth.channel_functions = 0;
    emit_one(all);
    expect("  1 channel, or what cannot be told from one\n");
    start(NULL);
    all.u.bandwidth.channels = RECORD_UNKNOWN;
    all.u.bandwidth.why = "reason";
    all.u.bandwidth.limited_by = "core";
    all.u.bandwidth.cached.value = NAN;
    emit_one(all);
    expect("43.2 reads (43.1 to 43.3) under way at a time: the core is the limit");
    expect("  channels are not told: reason; memory gives at least this\n");
    expect_not("chosen");
}

/* Controls that read back as off, and behaviour that shows prefetchers at work. */
static void a_table_does_not_say_off_of_prefetchers_at_work(void **state)
{
    struct record footprint = {.kind = RECORD_FOOTPRINT,
                               .u.footprint = {.prefetch = PREFETCH_OFF, .verdict = "on"}};
    struct record finding = {.kind = RECORD_FINDING,
                             .u.finding = {.experiment = "tlb",
                                           .name = "TLB miss",
                                           .unit = "ns",
                                           .prefetch = PREFETCH_OFF,
                                           .bytes = RECORD_UNKNOWN,
                                           .chains = RECORD_UNKNOWN}};

    (void)state;
    for (int lie = 0; lie < 2; lie++) {
        const char *words = "access, prefetchers NOT off (registers say off)\n";
        start(NULL);
        if (lie)
            emit_one(footprint);
        emit_one(still_point());
        report_flush(&report);
        emit_one(finding);
        if (lie) {
            expect(words);
            expect("  prefetchers NOT off (registers say off):\n");
        } else {
            expect("access, prefetchers off\n");
            expect("  prefetchers off:\n");
            expect_not("NOT off");
        }
    }
}

static void points_without_levels_say_so(void **state)
{
    struct record level = {.kind = RECORD_LEVEL,
                           .u.level = {.experiment = "curve", .name = "L1", .kind = "cache"}};

    (void)state;
    emit_one(still_point());
    report_flush(&report);
    expect("\ncurve: no levels are known\n");
    start(NULL);
    emit_one(still_point());
    emit_one(level);
    report_flush(&report);
    expect("\nL1 ");
    expect_not("no level");
}

static void more_points_than_fit_are_printed_in_parts(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < REPORT_POINTS_MAX + 10; i++) {
        struct record r = still_point();

        r.u.point.bytes = (i + 1) * 4096;
        r.u.point.ns_median = 5000 + (double)i;
        emit_one(r);
    }
    report_flush(&report);
    for (uint64_t i = 0; i < REPORT_POINTS_MAX + 10; i++) {
        char words[32];

        snprintf(words, sizeof(words), " %llu.00 ", (unsigned long long)(5000 + i));
        expect(words);
    }
}

/* share NAN: no footprint. */
static void a_verdict_of_both(const char *word, double ratio, double share)
{
    struct record r = {.kind = RECORD_PREFETCH,
                       .u.prefetch = {.control = "MSR 0x1a4",
                                      .source = "SDM",
                                      .requested = 0xf,
                                      .readback = 0xf,
                                      .state = PREFETCH_OFF,
                                      .counts = true,
                                      .sequential_over_random = ratio,
                                      .ratio_low = NAN,
                                      .ratio_high = NAN,
                                      .ratio_verdict = "undecided",
                                      .footprint_share = share,
                                      .footprint_low = share / 2,
                                      .footprint_high = share * 2,
                                      .footprint_touches = 3,
                                      .footprint_distance = -2,
                                      .footprint_verdict = word,
                                      .verdict = word}};

    /* Twice, as from two controls. */
    emit_one(r);
    r.u.prefetch.control = "MSR 0x1a5";
    emit_one(r);
}

static void a_verdict(const char *word, double ratio)
{
    a_verdict_of_both(word, ratio, NAN);
}

static void both_witnesses_are_reported(void **state)
{
    struct record dram = support_dram();

    (void)state;
    a_verdict_of_both("on", 0.5, 0.25);
    emit_one(dram);
    emit_one(support_end());
    expect("Prefetch     by behaviour: on (footprint 25.0 % (12.5 to 50.0), 2 lines back\n"
           "             after 3 touches: on; sequential over random 0.50: undecided); by\n"
           "             register: off\n");
    expect("by behaviour on, footprint 25.0 %\n    (12.5 to 50.0), ratio 0.50\n");
}

/* What the footprint left open is not read as a proof of the other verdict. */
static void the_witness_that_decides_is_named(void **state)
{
    struct record r = {.kind = RECORD_PREFETCH,
                       .u.prefetch = {.control = "all",
                                      .state = PREFETCH_OFF,
                                      .counts = true,
                                      .sequential_over_random = 1,
                                      .ratio_low = NAN,
                                      .ratio_high = NAN,
                                      .ratio_verdict = "off",
                                      .footprint_share = 0.125,
                                      .footprint_low = 0.0625,
                                      .footprint_high = 0.25,
                                      .footprint_verdict = "undecided",
                                      .verdict = "off",
                                      .witness = "ratio"}};
    struct record dram = support_dram();

    (void)state;
    emit_one(r);
    emit_one(dram);
    emit_one(support_end());
    expect("by behaviour off (by the ratio), footprint 12.5 % (6.2 to\n    25.0), ratio 1.00\n");
}

static void a_sampler_is_reported_and_marked(void **state)
{
    struct record ibs = support_ibs();

    (void)state;
    emit_one(ibs);
    expect("IBS          misses in 1G take 391.0 cycles longer than in 256K, hops by the\n"
           "             chase 402.2\n");
    ibs.u.ibs.agrees = ANSWER_NO;
    emit_one(ibs);
    expect("             chase 402.2 (!)\n");
    ibs.u.ibs.agrees = ANSWER_UNKNOWN;
    ibs.u.ibs.chase_difference_cycles = NAN;
    emit_one(ibs);
    expect("             chase -\n");
}

/* One register was written, the other refused it. */
static void a_verdict_reports_the_worst_of_all_controls(void **state)
{
    struct record r = {.kind = RECORD_PREFETCH,
                       .u.prefetch = {.control = "a",
                                      .state = PREFETCH_OFF,
                                      .counts = true,
                                      .sequential_over_random = NAN,
                                      .footprint_share = NAN,
                                      .verdict = "on"}};

    (void)state;
    emit_one(r);
    r.u.prefetch.control = "b";
    r.u.prefetch.state = PREFETCH_REFUSED;
    emit_one(r);
    emit_one(support_end());
    expect("Prefetch     by behaviour: on; by register: refused\n");
}

/* One is not in this CPU after all, and comes first; the known ones are off. */
static void what_does_not_count_is_not_reported(void **state)
{
    struct record r = {.kind = RECORD_PREFETCH,
                       .u.prefetch = {.control = "a",
                                      .state = PREFETCH_NOT_HONOURED,
                                      .known_only = true,
                                      .sequential_over_random = NAN,
                                      .footprint_share = NAN,
                                      .verdict = "off"}};
    struct record dram = support_dram();

    (void)state;
    emit_one(r);
    r.u.prefetch.control = "b";
    r.u.prefetch.counts = true;
    r.u.prefetch.state = PREFETCH_OFF;
    emit_one(r);
    emit_one(dram);
    expect("Prefetch     by behaviour: off; by register: off, known controls\n");
    emit_one(support_end());
    expect("  prefetchers off, known controls, by behaviour off");
    /* None that counts. */
    start(state);
    r.u.prefetch.counts = false;
    emit_one(r);
    emit_one(dram);
    expect("by register: unsupported\n");
}

static void a_footprint_is_a_picture(void **state)
{
    double share[192];
    struct record r = {.kind = RECORD_FOOTPRINT,
                       .u.footprint = {.experiment = "footprint",
                                       .prefetch = PREFETCH_ON,
                                       .line_bytes = 64,
                                       .touches = 2,
                                       .touched = 85,
                                       .tries = 1000,
                                       .max_share = 0.97,
                                       .max_low = 0.8,
                                       .max_high = 1,
                                       .max_distance = 1,
                                       .high = 1,
                                       .verdict = "on",
                                       .share = share,
                                       .share_count = 192}};

    (void)state;
    for (int i = 0; i < 192; i++)
        share[i] = 0;
    share[63] = 0.019;
    share[64] = 0.02;
    share[85] = share[86] = NAN;
    share[87] = 0.97;
    share[88] = 0.55;
    share[128] = NAN;
    emit_one(r);
    expect("footprint after 2 touches, prefetchers on: verdict on, a line is found in 97.0\n"
           "    % (80.0 to 100.0), 1 line ahead after 2 touches\n"
           "    a character a line: * touched; in a cache in . under 2 % of tries, + under\n"
           "    10 %, 1 to 9 so many tenths, # 95 % and more\n"
           "    before  ................................................................\n"
           "    page    +....................**#5.......................................\n"
           "    after   ?...............................................................\n");
    /* Once is enough. */
    shown.bytes = 0;
    emit_one(r);
    expect("    page    +");
    expect_not("a character");
    start(NULL);
    r.u.footprint.max_share = r.u.footprint.max_low = 0;
    r.u.footprint.high = 0.02;
    r.u.footprint.verdict = "off";
    emit_one(r);
    expect("footprint after 2 touches, prefetchers on: verdict off, no line found (<2.0 %)\n");
    expect_not("page");
    report.known_only = true;
    r.u.footprint.prefetch = PREFETCH_OFF;
    emit_one(r);
    expect("footprint after 2 touches, prefetchers off, known controls: verdict off, no\n");
}

static void headline_with(enum prefetch_state state, const char *word, const char *words)
{
    struct record dram = support_dram();

    start(NULL);
    if (word != NULL)
        a_verdict(word, 0.5);
    dram.u.dram.prefetch = state;
    emit_one(dram);
    emit_one(support_end());
    expect(words);
    expect("DRAM latency 91.23 ns (91.10 to 91.36), 264.6 core cycles\n"
           "  pattern cycle, pages 1g contiguous, map window, set 1G, core 2.900 GHz\n");
    expect("  scattered 4k pages add 22.50 ns of TLB misses (22.30 to 22.70)\n");
}

static void the_headline_never_stands_without_the_prefetchers(void **state)
{
    const char *by;

    (void)state;
    headline_with(PREFETCH_OFF, "off", "\n  prefetchers off, by behaviour off, ratio 0.50\n");
    by = strstr(shown.text, "by behaviour: off");
    assert_non_null(by);
    assert_null(strstr(by + 1, "by behaviour: off"));
    headline_with(PREFETCH_OFF, "on",
                  "\n  prefetchers NOT off (registers say off), by behaviour on, ratio 0.50\n");
    headline_with(PREFETCH_OFF, "undecided", "prefetchers off, by behaviour undecided, ratio 0.50");
    headline_with(PREFETCH_OFF, NULL, "prefetchers off, not proven by behaviour\n");
    headline_with(PREFETCH_NOT_HONOURED, "on",
                  "prefetchers NOT off (not-honoured), by behaviour on, ratio 0.50");
    headline_with(PREFETCH_REFUSED, NULL, "prefetchers NOT off (refused), not proven");
    headline_with(PREFETCH_UNSUPPORTED, NULL, "prefetchers NOT off (unsupported), not proven");
    headline_with(PREFETCH_ON, NULL, "prefetchers on, not proven");
}

static void the_headline_is_the_one_with_prefetchers_off(void **state)
{
    struct record on = support_dram(), off = support_dram();
    const char *summary;

    (void)state;
    on.u.dram.prefetch = PREFETCH_ON;
    on.u.dram.ns = 55;
    a_verdict("off", 1);
    emit_one(off);
    a_verdict("on", 0.25);
    emit_one(on);
    emit_one(support_run());
    emit_one(support_end());
    summary = strstr(shown.text, "Clock check");
    assert_non_null(strstr(summary, "DRAM latency 91.23"));
    assert_non_null(strstr(summary, "prefetchers off, by behaviour off, ratio 1.00"));
    assert_null(strstr(summary, "55.00"));
}

/* Tables show hops with their TLB misses, the headline is without them. */
static void what_is_subtracted_or_unknown_is_reported(void **state)
{
    struct record dram = support_dram();

    (void)state;
    emit_one(dram); /* the headline, which comes at the end */
    emit_one(dram);
    expect("scattered 4k pages add");
    expect_not("TLB misses in these pages");
    dram.u.dram.translation_ns = 5.5;
    dram.u.dram.tlb_cost_ns = NAN;
    emit_one(dram);
    expect("\n  without 5.50 ns of TLB misses in these pages, which the tables hold\n");
    expect("\n  scattered 4k pages: not known what they add\n");
}

/* For a set whose walks go on growing; elsewhere the rise of a chase is noise. */
static void a_latency_that_goes_on_rising_says_by_how_much(void **state)
{
    struct record dram = support_dram();

    (void)state;
    dram.u.dram.rise_ns = 18.625;
    emit_one(dram); /* the headline, which comes at the end */
    emit_one(dram);
    expect_not("rises by");
    dram.u.dram.doubt = doubt_of(DOUBT_TRANSLATION);
    dram.u.dram.rise_ns = NAN;
    emit_one(dram);
    dram.u.dram.rise_ns = -0.16;
    emit_one(dram);
    expect_not("rises by");
    dram.u.dram.rise_ns = 18.625;
    emit_one(dram);
    expect("\n  rises by 18.62 ns? from half the set to all of it\n");
}

/* The mark stands beside the figure, the reasons below it, on every screen that shows it. */
static void what_is_doubted_is_marked_and_says_why(void **state)
{
    doubt_set doubt = doubt_of(DOUBT_UNSETTLED) | doubt_of(DOUBT_UNDECLARED_CACHE);
    struct record dram = support_dram(), finding = support_finding(),
                  level = {.kind = RECORD_LEVEL};
    struct record verdict = {.kind = RECORD_PREFETCH};
    const char *summary;

    (void)state;
    verdict.u.prefetch = (struct record_prefetch){.state = PREFETCH_OFF,
                                                  .counts = true,
                                                  .sequential_over_random = 0.5,
                                                  .ratio_low = NAN,
                                                  .footprint_share = NAN,
                                                  .verdict = "undecided",
                                                  .doubt = doubt_of(DOUBT_CONTRADICTED)};
    emit_one(verdict);
    dram.u.dram.doubt = doubt;
    emit_one(dram);
    expect("off; doubt: contradicted\n");
    level.u.level = (struct record_level){.experiment = "curve", .name = "L2", .kind = "merged"};
    level.u.level.ns = level.u.level.ns_low = level.u.level.ns_high = 4;
    level.u.level.doubt = doubt_of(DOUBT_MERGED);
    emit_one(level);
    finding.u.finding.doubt = doubt_of(DOUBT_BUDGET);
    emit_one(finding);
    expect(" 4.00? (4.00 to 4.00)");
    expect("\n  ? doubt: merged\n");
    expect("; doubt: budget\n");
    emit_one(support_end());
    summary = strstr(shown.text, "Clock check");
    assert_non_null(strstr(summary, "DRAM latency 91.23 ns? (91.10 to 91.36), 264.6 core cycles\n"
                                    "  ? doubt: unsettled, undeclared-cache\n"));
    assert_non_null(strstr(summary, "  scattered 4k pages add 22.50 ns? of TLB misses"));
}

static size_t lines_of(const char *text)
{
    size_t lines = 0;

    for (; *text != '\0'; text++)
        lines += *text == '\n';
    return lines;
}

static void the_last_screen_has_headline_and_status(void **state)
{
    struct record dram = support_dram(), end = support_end();
    struct record note = {.kind = RECORD_NOTE, .u.note = {SEVERITY_WARNING, "minor", NULL}};
    const char *grave, *minor, *headline;

    (void)state;
    emit_one(support_run());
    dram.u.dram.slope_ns = 90;
    emit_one(dram);
    for (int i = 0; i < 60; i++)
        emit_one(note);
    note.u.note = (struct record_note){SEVERITY_ERROR, "grave", "it broke"};
    emit_one(note);
    note.u.note.severity = SEVERITY_INFO;
    emit_one(note);
    end.u.end.clock_check_ppm = 1500;
    end.u.end.status = "failed";
    expect("\nnote: grave: it broke\n");
    shown.bytes = 0;
    emit_one(end);
    grave = strstr(shown.text, "\nerror: grave: it broke\n");
    minor = strstr(shown.text, "\nwarning: minor (60 times)\n");
    headline = strstr(shown.text, "\nDRAM latency");
    assert_true(headline != NULL && grave > headline && minor > grave);
    assert_true(lines_of(shown.text) <= SCREEN_ROWS);
    expect("barechase 0.2.0 (abc) x86_64: failed after 61.2 s, errors 1, warnings 60\n");
    expect_not("... and");
}

/* Every warning, however many lines it takes. */
static void the_summary_shows_warnings_whole(void **state)
{
    static const char why[] = "every one of these figures may contain what prefetchers brought in "
                              "time, since no control of them is known that could be switched off "
                              "while they were measured, and behaviour shows that they work";
    struct record end = support_end();
    char what[24];

    (void)state;
    emit_one(support_run());
    for (int i = 0; i < REPORT_NOTES_MAX; i++) {
        struct record note = {.kind = RECORD_NOTE, .u.note = {SEVERITY_WARNING, what, why}};
        snprintf(what, sizeof(what), "long%d", i);
        emit_one(note);
    }
    shown.bytes = 0;
    emit_one(end);
    for (int i = 0; i < REPORT_NOTES_MAX; i++) {
        char words[400];
        snprintf(words, sizeof(words), "\nwarning: long%d: every one", i);
        expect(words);
    }
    expect("\n\nwarning: long0");
    expect_not("...");
    expect_not("... and");
}

/* What they have in common is stated once. */
static void warnings_of_one_kind_are_merged(void **state)
{
    static const char *const notes[][2] = {
        {"dram: points left out", "1 of pattern cycle, of 1G: no time"},
        {"curve: points left out", "5 of pattern cycle: no time"},
        {"dram: points left out", "2 of pattern iid, of 2G: no time"},
        {"dram: points left out", "no memory"},
        {"dram: points left out", "3 of pattern iid, of 3G: no memory"},
        {"dram: points left out", "7 of pattern paged, of 1G: no time"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
        struct record note = {.kind = RECORD_NOTE,
                              .u.note = {SEVERITY_WARNING, notes[i][0], notes[i][1]}};
        emit_one(note);
    }
    shown.bytes = 0;
    emit_one(support_end());
    expect("\nwarning: dram: points left out: 1 of pattern cycle, of 1G; 2 of pattern iid, of\n"
           "  2G; 7 of pattern paged, of 1G: no time\n"
           "warning: curve: points left out: 5 of pattern cycle: no time\n"
           "warning: dram: points left out: no memory\n"
           "warning: dram: points left out: 3 of pattern iid, of 3G: no memory\n");
    expect("errors 0, warnings 6\n");
}

/* Errors have their place however many warnings there are; what has no room is counted. */
static void too_many_warnings_are_counted(void **state)
{
    char what[24];

    (void)state;
    for (int i = 0; i < REPORT_NOTES_MAX + 3; i++) {
        struct record note = {.kind = RECORD_NOTE, .u.note = {SEVERITY_WARNING, what, NULL}};
        snprintf(what, sizeof(what), "minor%d", i);
        if (i == REPORT_NOTES_MAX + 2)
            note.u.note = (struct record_note){SEVERITY_ERROR, "grave", "it broke"};
        emit_one(note);
    }
    shown.bytes = 0;
    emit_one(support_end());
    expect("\nerror: grave: it broke\nwarning: minor0\n");
    expect("\n... and 3 more warnings and errors: in the report and results.jsonl\n");
}

static void a_bad_clock_marks_the_figures(void **state)
{
    struct record end = support_end();

    (void)state;
    emit_one(support_dram());
    shown.bytes = 0;
    end.u.end.clock_check_ppm = -1000;
    emit_one(end);
    expect_not("(!)");
    shown.bytes = 0;
    end.u.end.clock_check_ppm = -1000.5;
    emit_one(end);
    expect("DRAM latency 91.23 ns (!) (91.10");
    expect("add 22.50 ns (!)");
    expect("(!) the clock is off by more than 1000 ppm");
    shown.bytes = 0;
    end.u.end.clock_check_ppm = NAN;
    emit_one(end);
    expect("Clock check  - (no second clock, or too short a run for it)\n");
    expect_not("(!)");
}

static void unknown_is_a_dash(void **state)
{
    struct record run = {.kind = RECORD_RUN,
                         .u.run = {.clock_hz = RECORD_UNKNOWN, .clock_ppm = NAN}};

    (void)state;
    emit_one(run);
    emit_one(support_end());
    expect("barechase - -");
    expect("Board        -\n");
    expect("Clock        -\n");
    expect("Memory       -\n");
    expect("DRAM latency - (not measured)\n");
}

/* A figure always names its pattern, and whatever is unusual about the hop. */
static void a_figure_names_its_hop(void **state)
{
    struct record r = still_point();

    (void)state;
    r.u.point.pattern = "forward";
    r.u.point.stride_bytes = 192;
    r.u.point.chains = 3;
    r.u.point.load = "dirty";
    r.u.point.hint = "t1";
    r.u.point.work_cycles = 40;
    r.u.point.word = 5;
    r.u.point.warm_hops = 0;
    r.u.point.turbo = "off";
    emit_one(r);
    r = still_point();
    r.u.point.pattern = "grouped";
    r.u.point.group_bytes = 256 << 10;
    emit_one(r);
    r.u.point.pattern = "paged";
    emit_one(r);
    report_flush(&report);
    expect("\nforward stride=192 chains=3 load=dirty word=5 hint=t1 work=40 cold turbo off\n"
           "                                2m scattered     64M   80.00    232.0   0.40\n");
    expect("\ngrouped                         2m scattered ");
    expect("\npaged group=256K                2m scattered ");
}

/* Points that differ in their hop are no one curve. */
static void hops_are_tables_of_their_own(void **state)
{
    (void)state;
    for (uint64_t chains = 1; chains < 3; chains++)
        for (uint64_t bytes = 1 << 16; bytes < 1 << 20; bytes *= 2) {
            struct record r = still_point();
            r.u.point.bytes = bytes;
            r.u.point.chains = chains;
            emit_one(r);
        }
    report_flush(&report);
    expect("ns/access, cycles/access, pattern cycle, prefetchers off\n");
    expect("ns/access, cycles/access, pattern cycle chains=2, prefetchers off\n");
}

static void emit_caches(uint64_t last_level_bytes)
{
    struct cache_level caches[2] = {{.bytes = 32 << 10, .line_bytes = 64},
                                    {.bytes = last_level_bytes, .line_bytes = 64}};
    struct record cpu = {.kind = RECORD_CPU, .u.cpu = {.caches = caches, .cache_count = 2}};

    emit_one(cpu);
}

static void mlc_with(const struct record *point, const char *words)
{
    start(NULL);
    emit_caches(8 << 20);
    emit_one(*point);
    emit_one(support_dram());
    emit_one(support_end());
    expect(words);
}

/* Lines page by page, beyond the caches, prefetchers off; without such a point it is the random
 * headline. */
static void what_mlc_compares_with_is_named(void **state)
{
    const char *headline =
        "\n  Intel MLC's idle latency -L -r (random) compares with the headline\n";
    struct record r = still_point();

    (void)state;
    r.u.point.pattern = "shuffled-pages";
    r.u.point.group_bytes = 4096;
    mlc_with(&r, "\n  Intel MLC's idle latency -L compares with 80.00 ns (shuffled-pages, 2m)\n");
    r.u.point.pages_bytes = 4096;
    mlc_with(&r, "\n  Intel MLC's idle latency compares with 80.00 ns (shuffled-pages, 4k)\n");
    r.u.point.bytes = 31 << 20;
    mlc_with(&r, headline);
    r.u.point.bytes = 64 << 20;
    r.u.point.prefetch = PREFETCH_NOT_HONOURED;
    mlc_with(&r, headline);
    r.u.point.prefetch = PREFETCH_OFF;
    r.u.point.chains = 2;
    mlc_with(&r, headline);
    r = still_point();
    mlc_with(&r, headline);
}

/* Random hops over the same set that take much less than the headline lie in a cache, too. */
static void what_mlc_compares_with_lies_in_memory(void **state)
{
    static const struct {
        double ns;
        const char *words;
    } cases[] = {{40, "compares with the headline\n"}, {100, "compares with 80.00 ns (shuffled"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct record r = still_point();
        start(NULL);
        emit_caches(8 << 20);
        r.u.point.purpose = "proof";
        r.u.point.ns_median = cases[i].ns;
        emit_one(r);
        r.u.point.pattern = "shuffled-pages";
        r.u.point.group_bytes = 4096;
        r.u.point.ns_median = 80;
        emit_one(r);
        emit_one(support_dram());
        emit_one(support_end());
        expect(cases[i].words);
    }
}

/* What follows pointers follows those of MLC as well: a fast random chase is then no cache. Unless
 * it is the ratio of chases that says otherwise. */
static void what_mlc_compares_with_is_followed_like_it(void **state)
{
    static const char *const words[] = {
        "latency -L -r (random) compares with 40.00 ns (cycle, 2m)\n",
        "latency -L compares with 30.00 ns (shuffled-pages, 2m)\n",
        "-r (random) compares with the headline\n"};
    struct record verdict = {.kind = RECORD_PREFETCH}, r = still_point();

    (void)state;
    verdict.u.prefetch = (struct record_prefetch){.state = PREFETCH_OFF,
                                                  .counts = true,
                                                  .sequential_over_random = NAN,
                                                  .footprint_share = NAN,
                                                  .verdict = "off",
                                                  .doubt = doubt_of(DOUBT_CONTRADICTED)};
    for (int i = 0; i < 3; i++) {
        start(NULL);
        emit_caches(8 << 20);
        r.u.point.purpose = "proof";
        r.u.point.pattern = "cycle";
        r.u.point.ns_median = 40;
        emit_one(r);
        r.u.point.pattern = "shuffled-pages";
        r.u.point.group_bytes = 4096;
        r.u.point.ns_median = 30;
        if (i > 0)
            emit_one(r);
        verdict.u.prefetch.ratio_verdict = i > 1 ? "on" : "off";
        emit_one(verdict);
        emit_one(support_dram());
        emit_one(support_end());
        expect(words[i]);
    }
}

static void what_mlc_compares_with_bears_the_headlines_mark(void **state)
{
    struct record r = still_point(), dram = support_dram();

    (void)state;
    r.u.point.pattern = "shuffled-pages";
    r.u.point.group_bytes = 4096;
    r.u.point.settled = ANSWER_NO;
    mlc_with(&r, "\n  Intel MLC's idle latency -L compares with 80.00 ns? (shuffled-pages, 2m)\n");
    r.u.point.settled = ANSWER_YES;
    dram.u.dram.doubt = doubt_of(DOUBT_CONTRADICTED);
    start(NULL);
    emit_caches(8 << 20);
    emit_one(r);
    emit_one(dram);
    emit_one(support_end());
    expect("\n  Intel MLC's idle latency -L compares with 80.00 ns? (shuffled-pages, 2m)\n");
}

static void a_difference_of_nothing_has_no_sign(void **state)
{
    struct record dram = support_dram();

    (void)state;
    dram.u.dram.tlb_cost_ns = -0.004;
    dram.u.dram.tlb_cost_low_ns = -0.006;
    emit_one(dram);
    emit_one(support_end());
    expect("add 0.00 ns of TLB misses (-0.01 to 22.70)\n");
}

static void memory_errors_name_all_four_figures(void **state)
{
    struct record r = {.kind = RECORD_ERROR, .u.error = record_error_of("memory")};

    (void)state;
    r.u.error.physical_address = phys_make(0x1234040);
    r.u.error.expected = r.u.error.reread = 0x1000;
    emit_one(r);
    expect("ERROR\nmemory error at physical 0x1234040, expected 0x1000, read 0xffffffffffffffff,\n"
           "  reread 0x1000\n");
    r.u.error.bits = 0x8;
    r.u.error.events = 3;
    r.u.error.cause = "transfer";
    emit_one(r);
    expect("times: read right again: on the way\n");
    r.u.error.reread = 0x1008; /* the last of many */
    emit_one(r);
    expect("times: mostly read right again: on the way\n");
    r.u.error = record_error_of("fault");
    r.u.error.text = "#PF at 0x10";
    emit_one(r);
    expect("fault: #PF at 0x10\n");
    emit_one(support_end());
    expect("errors 4,");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_line_is_ascii_and_fits, start),
        cmocka_unit_test_setup(a_finding_says_what_it_is_about_and_what_limits_it, start),
        cmocka_unit_test_setup(the_header_sums_up_memory_and_equal_modules, start),
        cmocka_unit_test_setup(the_console_sums_up_equal_modules, start),
        cmocka_unit_test_setup(modules_together_take_a_line, start),
        cmocka_unit_test_setup(modules_at_rated_speed_are_no_warning, start),
        cmocka_unit_test_setup(controls_show_what_was_written_and_read, start),
        cmocka_unit_test_setup(a_curve_is_a_table_of_sets_and_page_sizes, start),
        cmocka_unit_test_setup(experiments_in_turns_have_a_table_each, start),
        cmocka_unit_test_setup(each_prefetch_state_has_its_own_table, start),
        cmocka_unit_test_setup(few_sets_are_a_list_of_points, start),
        cmocka_unit_test_setup(auxiliary_points_have_tables_of_their_own, start),
        cmocka_unit_test_setup(draws_have_a_table_in_the_report_only, start),
        cmocka_unit_test_setup(single_accesses_are_a_picture_and_words, start),
        cmocka_unit_test_setup(a_mapping_is_lists_of_bits, start),
        cmocka_unit_test_setup(blocks_are_a_heat_row, start),
        cmocka_unit_test_setup(a_gap_begins_a_heat_row, start),
        cmocka_unit_test_setup(the_last_screen_holds_what_memory_is_like, start),
        cmocka_unit_test_setup(pairs_of_nodes_are_matrices, start),
        cmocka_unit_test_setup(matrices_fit, start),
        cmocka_unit_test_setup(slow_classes_are_told, start),
        cmocka_unit_test_setup(channels_are_told_with_what_limits_reads, start),
        cmocka_unit_test_setup(a_table_does_not_say_off_of_prefetchers_at_work, start),
        cmocka_unit_test_setup(points_without_levels_say_so, start),
        cmocka_unit_test_setup(more_points_than_fit_are_printed_in_parts, start),
        cmocka_unit_test_setup(both_witnesses_are_reported, start),
        cmocka_unit_test_setup(the_witness_that_decides_is_named, start),
        cmocka_unit_test_setup(a_sampler_is_reported_and_marked, start),
        cmocka_unit_test_setup(a_verdict_reports_the_worst_of_all_controls, start),
        cmocka_unit_test_setup(what_does_not_count_is_not_reported, start),
        cmocka_unit_test_setup(a_footprint_is_a_picture, start),
        cmocka_unit_test_setup(the_headline_never_stands_without_the_prefetchers, start),
        cmocka_unit_test_setup(the_headline_is_the_one_with_prefetchers_off, start),
        cmocka_unit_test_setup(the_last_screen_has_headline_and_status, start),
        cmocka_unit_test_setup(too_many_warnings_are_counted, start),
        cmocka_unit_test_setup(warnings_of_one_kind_are_merged, start),
        cmocka_unit_test_setup(the_summary_shows_warnings_whole, start),
        cmocka_unit_test_setup(a_bad_clock_marks_the_figures, start),
        cmocka_unit_test_setup(unknown_is_a_dash, start),
        cmocka_unit_test_setup(a_figure_names_its_hop, start),
        cmocka_unit_test_setup(hops_are_tables_of_their_own, start),
        cmocka_unit_test_setup(what_mlc_compares_with_is_named, start),
        cmocka_unit_test_setup(what_mlc_compares_with_lies_in_memory, start),
        cmocka_unit_test_setup(what_mlc_compares_with_is_followed_like_it, start),
        cmocka_unit_test_setup(what_mlc_compares_with_bears_the_headlines_mark, start),
        cmocka_unit_test_setup(a_difference_of_nothing_has_no_sign, start),
        cmocka_unit_test_setup(what_is_subtracted_or_unknown_is_reported, start),
        cmocka_unit_test_setup(a_latency_that_goes_on_rising_says_by_how_much, start),
        cmocka_unit_test_setup(what_is_doubted_is_marked_and_says_why, start),
        cmocka_unit_test_setup(memory_errors_name_all_four_figures, start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
