/* SPDX-License-Identifier: BSD-2-Clause */
/* Verdicts by rules, from the records of runs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "core/lib/text.h"
#include "core/verdict/choose.h"

#define ROOM 16

static struct verdict verdict;
static struct figures_one figures[ROOM], others[ROOM];
static struct journal journal;
static char said[16], why[200], rules[2000], unseen[RECORD_UNSEEN_BYTES];
static double unseen_ns;
static bool conclusive;
static unsigned verdicts;

static void listen(void *context, const struct record *record)
{
    size_t length = 0;

    (void)context;
    if (record->kind != RECORD_VERDICT)
        return;
    verdicts++;
    snprintf(said, sizeof said, "%s", record->u.verdict.verdict);
    snprintf(why, sizeof why, "%s", record->u.verdict.why != NULL ? record->u.verdict.why : "");
    conclusive = record->u.verdict.conclusive;
    snprintf(unseen, sizeof unseen, "%s",
             record->u.verdict.unseen != NULL ? record->u.verdict.unseen : "");
    unseen_ns = record->u.verdict.unseen_lines_ns;
    for (size_t i = 0; i < record->u.verdict.rules; i++)
        length += (size_t)snprintf(rules + length, sizeof rules - length, "%s=%d %s\n",
                                   record->u.verdict.rule[i].name, record->u.verdict.rule[i].met,
                                   record->u.verdict.rule[i].figure);
}

static struct verdict_limits limits_of(const char *words)
{
    static const struct option_source source = {"words", false, OPTION_LINUX};
    static char pool[OPTIONS_POOL_BYTES];
    struct options options;
    struct option_error error;

    options_default(&options);
    if (options_parse(&options, words, strlen(words), &source, NULL, pool, sizeof pool, &error) !=
        STATUS_OK)
        fail_msg("%s", error.text);
    return verdict_limits_of(&options);
}

static void begin(const char *words)
{
    struct verdict_limits limits = limits_of(words);

    journal_start(&journal, NULL);
    journal_watch(&journal, (struct journal_view){&verdict, verdict_record, NULL});
    journal_watch(&journal, (struct journal_view){NULL, listen, NULL});
    verdict_start(&verdict, &limits, true, figures, ROOM);
    said[0] = rules[0] = '\0';
    verdicts = 0;
}

static void end(const char *status)
{
    const struct record_end last = {.status = status, .clock_check_ppm = 2};

    verdict_conclude(&verdict, &last, &journal);
}

static void emit_verify(uint64_t words, uint64_t outside, uint64_t gap_bytes, const char *cut_by)
{
    struct record record = {.kind = RECORD_VERIFY,
                            .u.verify = {.experiment = "verify",
                                         .words = words,
                                         .outside = outside,
                                         .memory_bytes = 1000,
                                         .gap_bytes = gap_bytes,
                                         .least_node = 1,
                                         .least_share = 1 - (double)gap_bytes / 1000,
                                         .steps = 10,
                                         .steps_done = cut_by != NULL ? 4 : 10,
                                         .cut_by = cut_by}};

    journal_emit(&journal, &record);
}

static void emit_dram(double low, double high, doubt_set doubt, enum prefetch_state prefetch)
{
    struct record record = {.kind = RECORD_DRAM,
                            .u.dram = {.ns = (low + high) / 2,
                                       .ns_low = low,
                                       .ns_high = high,
                                       .pattern = "iid",
                                       .frames = "scattered",
                                       .pages_bytes = 4096,
                                       .prefetch = prefetch,
                                       .doubt = doubt}};

    journal_emit(&journal, &record);
}

static void contents(void **state)
{
    (void)state;
    begin("");
    emit_verify(0, 0, 5, NULL);
    end("ok");
    assert_string_equal(said, "OK");
    assert_true(conclusive);
    begin("");
    emit_verify(3, 1, 5, NULL);
    end("failed");
    assert_string_equal(said, "SUSPECT");
    begin("");
    emit_verify(2, 2, 5, NULL);
    end("failed");
    assert_string_equal(said, "INCOMPLETE");
    assert_false(conclusive);
    begin("");
    emit_verify(0, 0, 5, "budget");
    end("ok");
    assert_string_equal(said, "INCOMPLETE");
    begin("");
    emit_verify(0, 0, 15, NULL);
    end("ok");
    assert_string_equal(said, "INCOMPLETE");
    begin("rule-coverage=98");
    emit_verify(0, 0, 15, NULL);
    end("ok");
    assert_string_equal(said, "OK");
}

static void emit_hardware(const char *counting, uint64_t corrected, uint64_t worse,
                          uint64_t before_others, bool hidden)
{
    struct record record = {.kind = RECORD_HARDWARE_ERRORS,
                            .u.hardware_errors = {.counting = counting,
                                                  .source = "banks",
                                                  .corrected = corrected,
                                                  .others = worse,
                                                  .hidden = hidden,
                                                  .before_corrected = 5,
                                                  .before_others = before_others}};

    if (strcmp(counting, "unread") == 0)
        record.u.hardware_errors.before_corrected = 0;
    journal_emit(&journal, &record);
}

static void errors_of_the_hardware(void **state)
{
    static const struct {
        const char *words, *counting;
        uint64_t corrected, worse, before_others;
        bool hidden;
        const char *said;
    } tries[] = {
        {"", "counted", 0, 0, 0, false, "OK"},
        {"", "counted", 1, 0, 0, false, "SUSPECT"},
        {"rule-corrected=1", "counted", 1, 0, 0, false, "OK"},
        {"rule-corrected=1", "presence", 1, 1, 0, false, "SUSPECT"},
        {"", "counted", 0, 0, 1, false, "INCOMPLETE"},
        {"", "unread", 0, 0, 1, false, "INCOMPLETE"},
        {"", "unread", 0, 0, 0, false, "OK"},
        {"", "unread", 0, 0, 0, true, "OK"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
        bool ok = strcmp(tries[i].said, "OK") == 0;
        begin(tries[i].words);
        emit_verify(0, 0, 5, NULL);
        emit_hardware(tries[i].counting, tries[i].corrected, tries[i].worse, tries[i].before_others,
                      tries[i].hidden);
        end("ok");
        assert_string_equal(said, tries[i].said);
        if (i == 0)
            assert_non_null(strstr(rules, "hardware-errors=2 0 corrected, 0 other; 5, 0 before"));
        if (ok)
            assert_int_equal(conclusive, !tries[i].hidden);
        if (ok && strcmp(tries[i].counting, "unread") == 0)
            assert_null(strstr(rules, "hardware-errors"));
        if (tries[i].hidden)
            assert_string_equal(why, "ECC is on and its errors may be hidden");
    }
}

/* No bare pass: what was not tested is not OK, unless the lab says so. */
static void nothing_tested_is_no_pass(void **state)
{
    (void)state;
    begin("");
    end("ok");
    assert_string_equal(said, "INCOMPLETE");
    begin("rule-coverage=0");
    end("ok");
    assert_string_equal(said, "INCOMPLETE");
    begin("rule-coverage=0");
    emit_verify(0, 0, 1000, NULL);
    end("ok");
    assert_string_equal(said, "OK");
    begin("rule-coverage=0");
    end("aborted");
    assert_string_equal(said, "INCOMPLETE");
    begin("rule-coverage=0");
    end("failed");
    assert_string_equal(said, "INCOMPLETE");
}

/* Figures and reasons of one word, start, error. */
static void nouns_agree_with_their_counts(void **state)
{
    struct record error = {.kind = RECORD_ERROR, .u.error = {.cause = NULL}};

    (void)state;
    begin("");
    journal_emit(&journal, &error);
    emit_verify(1, 0, 5, NULL);
    verdict_take_past(&verdict, 1, 1, 1);
    end("failed");
    assert_non_null(strstr(rules, "contents=1 1 word\n"));
    assert_non_null(strstr(rules, "chases=1 1 error\n"));
    assert_non_null(strstr(rules, "starts=1 1 died, 1 of 1 boot SUSPECT\n"));
    assert_string_equal(verdict.rule[0].why,
                        "no line of 1 start: hung, or switched off by somebody");
    begin("");
    journal_emit(&journal, &error);
    journal_emit(&journal, &error);
    emit_verify(2, 1, 5, NULL);
    verdict_take_past(&verdict, 2, 2, 1);
    end("failed");
    assert_non_null(strstr(rules, "contents=1 1 word\n"));
    assert_non_null(strstr(rules, "chases=1 2 errors\n"));
    assert_non_null(strstr(rules, "starts=1 2 died, 1 of 2 boots SUSPECT\n"));
    assert_non_null(strstr(verdict.rule[0].why, "no line of 2 starts"));
    assert_string_equal(verdict.rule[1].why, "1 word changed from outside");
}

/* What was asked for and gave no result is a rule with the reason, also where nothing has to be
 * covered. */
static void a_test_without_result_is_left_open(void **state)
{
    (void)state;
    begin("tests=verify,dram rule-coverage=0");
    journal_note_about(&journal, SEVERITY_WARNING, "verify", "points left out", "over budget");
    journal_note_about(&journal, SEVERITY_WARNING, "dram", "points left out", "in passing");
    end("ok");
    assert_string_equal(said, "INCOMPLETE");
    assert_non_null(strstr(rules, "contents=0 \n"));
    assert_null(strstr(rules, "coverage="));
    assert_string_equal(verdict.rule[0].why, "tests=verify gave no result: over budget");
    begin("tests=regions rule-coverage=0");
    end("ok");
    assert_string_equal(said, "INCOMPLETE");
    assert_non_null(strstr(rules, "spread=0 \n"));
    assert_string_equal(verdict.rule[0].why, "tests=regions gave no result");
    begin("tests=verify");
    end("ok");
    assert_non_null(strstr(rules, "contents=0 \ncoverage=0 0.00 %\n"));
    assert_string_equal(verdict.rule[0].why, "tests=verify gave no result");
    assert_int_equal(journal.warnings, 1);
    begin("tests=dram");
    end("ok");
    assert_non_null(strstr(rules, "contents=0 \ncoverage=0 0.00 %\n"));
    assert_non_null(strstr(verdict.rule[0].why, "not asked for"));
}

static void the_headline_with_its_bounds(void **state)
{
    static const struct {
        double low, high;
        doubt_set doubt;
        enum prefetch_state prefetch;
        const char *said;
    } tries[] = {{81, 82, 0, PREFETCH_OFF, "OK"},
                 {79, 81, 0, PREFETCH_OFF, "INCOMPLETE"},
                 {89, 91, 0, PREFETCH_OFF, "INCOMPLETE"},
                 {91, 92, 0, PREFETCH_OFF, "SUSPECT"},
                 {70, 79, 0, PREFETCH_OFF, "SUSPECT"},
                 {91, 92, 1, PREFETCH_OFF, "INCOMPLETE"},
                 {81, 82, 0, PREFETCH_REFUSED, "INCOMPLETE"}};

    (void)state;
    for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
        begin("rule-coverage=0 expect-latency=80-90");
        emit_dram(tries[i].low, tries[i].high, tries[i].doubt, tries[i].prefetch);
        end("ok");
        assert_string_equal(said, tries[i].said);
    }
    begin("rule-coverage=0 expect-latency=80-90");
    end("ok");
    assert_string_equal(said, "INCOMPLETE");
}

static void expectations(void **state)
{
    struct record record = {
        .kind = RECORD_EXPECTATION,
        .u.expectation = {.name = "expect-dimms", .expected = "8", .found = "7", .met = ANSWER_NO}};

    (void)state;
    begin("rule-coverage=0");
    journal_emit(&journal, &record);
    end("ok");
    assert_string_equal(said, "SUSPECT");
    assert_non_null(strstr(rules, "expect-dimms=1 7"));
    record.u.expectation.met = ANSWER_UNKNOWN;
    record.u.expectation.found = NULL;
    begin("rule-coverage=0");
    journal_emit(&journal, &record);
    end("ok");
    assert_string_equal(said, "INCOMPLETE");
}

static void slower_ranges_and_lines(void **state)
{
    static const uint64_t mask[] = {1 << 17};
    struct record regions = {.kind = RECORD_REGIONS, .u.regions = {.ns = 100, .by = "functions"}};
    struct record class = {.kind = RECORD_CLASS};

    (void)state;
    class.u.class = (struct record_class){.experiment = "regions",
                                          .mask = mask,
                                          .masks = 1,
                                          .slower_ns = 7,
                                          .slower_low_ns = 6,
                                          .slower_high_ns = 8,
                                          .slower_repeat_ns = 1,
                                          .against_ns = 100};
    for (unsigned percent = 5; percent <= 9; percent += 2) {
        char words[60];
        snprintf(words, sizeof words, "rule-coverage=0 expect-spread=%u", percent);
        begin(words);
        journal_emit(&journal, &regions);
        journal_emit(&journal, &class);
        end("ok");
        assert_string_equal(said, percent == 5 ? "SUSPECT" : percent == 7 ? "INCOMPLETE" : "OK");
    }
}

/* What a block takes whose memory reads wrong is not known. */
static void blocks_that_read_wrong_leave_the_spread_open(void **state)
{
    struct record regions = {.kind = RECORD_REGIONS, .u.regions = {.ns = 100, .by = "functions"}};

    (void)state;
    for (unsigned wrong = 0; wrong < 2; wrong++) {
        begin("rule-coverage=0");
        regions.u.regions.wrong = wrong;
        journal_emit(&journal, &regions);
        end("ok");
        assert_string_equal(said, wrong ? "INCOMPLETE" : "OK");
    }
}

static void what_two_experiments_find_is_one_rule(void **state)
{
    struct record record = {.kind = RECORD_MAPPING};

    (void)state;
    record.u.mapping = (struct record_mapping){.verdict = "linear",
                                               .rank = 5,
                                               .expected_banks = 64,
                                               .expectation = "unmet",
                                               .modules_agree = ""};
    begin("rule-coverage=0");
    journal_emit(&journal, &record);
    journal_emit(&journal, &record);
    assert_int_equal(verdict.rules, 1);
    record.u.mapping.rank = 6;
    journal_emit(&journal, &record);
    assert_int_equal(verdict.rules, 2);
}

/* What lines may have hidden leaves the rule open, and page walks are no part of an access. */
static void unseen_lines_leave_it_open(void **state)
{
    static const uint64_t mask[] = {1 << 17};
    static const struct {
        const char *by;
        double limit_ns, slower_ns, access_ns;
        const char *said;
    } cases[] = {
        {"functions", 1, 0, 100, "OK"},
        {NULL, 1, 0, 100, "INCOMPLETE"},
        {"bits and pairs", 1, 0, 100, "INCOMPLETE"},
        {"functions", 11, 0, 100, "INCOMPLETE"},
        {"bits and pairs", 1, 12, 100, "SUSPECT"},
        {"functions", 1, 9.5, 120, "OK"},
        {"functions", 1, 9.5, 98, "SUSPECT"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct record record = {.kind = RECORD_REGIONS};
        begin("rule-coverage=0 expect-spread=10");
        record.u.regions = (struct record_regions){
            .ns = cases[i].access_ns, .class_limit_ns = cases[i].limit_ns, .by = cases[i].by};
        journal_emit(&journal, &record);
        record = (struct record){.kind = RECORD_CLASS};
        record.u.class = (struct record_class){.mask = mask,
                                               .masks = 1,
                                               .slower_ns = cases[i].slower_ns,
                                               .slower_low_ns = cases[i].slower_ns - 0.01,
                                               .slower_high_ns = cases[i].slower_ns + 0.01,
                                               .slower_repeat_ns = 0.01,
                                               .against_ns = 120};
        if (cases[i].slower_ns > 0)
            journal_emit(&journal, &record);
        end("ok");
        assert_string_equal(said, cases[i].said);
    }
}

/* What boots are held by: a difference with its slot, and what of it would not have been told. */
static void figures_of_what_is_slower(void **state)
{
    static const uint64_t mask[] = {1 << 17 | 1 << 21, 1 << 6};
    struct record regions = {.kind = RECORD_REGIONS}, class = {.kind = RECORD_CLASS};
    struct record range = {.kind = RECORD_RANGE};

    (void)state;
    begin("rule-coverage=0");
    regions.u.regions = (struct record_regions){.ns = 100,
                                                .by = "functions",
                                                .scatter_ns = 0.3,
                                                .class_limit_ns = 1.2,
                                                .class_part_limit_ns = 3,
                                                .class_part = 32};
    class.u.class = (struct record_class){.mask = mask, .masks = 1, .slower_ns = 7, .slot = "A2"};
    range.u.range = (struct record_range){.slower_ns = 7};
    journal_emit(&journal, &regions);
    journal_emit(&journal, &class);
    class.u.class.masks = 2;
    journal_emit(&journal, &class);
    journal_emit(&journal, &range);
    assert_int_equal(verdict.now.count, 3);
    assert_string_equal(figures[0].name, "lines 17^21=0");
    assert_string_equal(figures[0].slot, "A2");
    assert_true(verdict.now.unseen.half_ns == 1.2 && verdict.now.unseen.part_ns == 3);
    assert_true(fabs(verdict.now.unseen.range_ns - 1.8) < 1e-9);
    assert_true(verdict.now.unseen.parts == 32 && verdict.now.unseen.against_ns == 100);
    assert_string_equal(figures[2].slot, "");
}

static void errors_of_chases_are_errors(void **state)
{
    struct record record = {.kind = RECORD_ERROR, .u.error = record_error_of("lap")};

    (void)state;
    begin("rule-coverage=0");
    journal_emit(&journal, &record);
    end("failed");
    assert_string_equal(said, "SUSPECT");
}

static void a_clock_that_is_off_concludes_nothing(void **state)
{
    const struct record_end last = {.status = "ok", .clock_check_ppm = -1500};

    (void)state;
    begin("rule-coverage=0");
    emit_verify(0, 0, 0, NULL);
    verdict_conclude(&verdict, &last, &journal);
    assert_string_equal(said, "OK");
    assert_false(conclusive);
    assert_non_null(strstr(why, "clock"));
}

static char text[4000];
static size_t text_bytes_used;

static void keep(void *context, const char *bytes, size_t count)
{
    (void)context;
    memcpy(text + text_bytes_used, bytes, count);
    text_bytes_used += count;
}

static void write_baseline(const char *board)
{
    const struct text_sink sink = {NULL, keep};
    struct record run = {.kind = RECORD_RUN,
                         .u.run = {.board = board, .options = "tests=dram seed=1"}};

    begin("rule-coverage=0");
    journal_emit(&journal, &run);
    emit_dram(80, 81, 0, PREFETCH_OFF);
    text_bytes_used = 0;
    baseline_write(&verdict.run, &verdict.now, &sink);
}

static void hold(const char *board, double low)
{
    struct record run = {.kind = RECORD_RUN,
                         .u.run = {.board = board, .options = "tests=dram seed=2"}};

    begin("rule-coverage=0");
    verdict_take_baseline(&verdict, "good.txt", text, text_bytes_used, others, ROOM);
    journal_emit(&journal, &run);
    emit_dram(low, low + 1, 0, PREFETCH_OFF);
    end("ok");
}

static void a_baseline_is_held_against(void **state)
{
    (void)state;
    write_baseline("B");
    hold("B", 81);
    assert_string_equal(said, "OK");
    hold("B", 88);
    assert_string_equal(said, "SUSPECT");
    assert_true(journal.warnings >= 2);
    hold("C", 88);
    assert_string_equal(said, "INCOMPLETE");
    text_bytes_used--;
    hold("B", 81);
    assert_string_equal(said, "INCOMPLETE");
    /* Two machines without a name need not be the same. */
    write_baseline("");
    hold("", 81);
    assert_string_equal(said, "INCOMPLETE");
    hold("B", 81);
    assert_string_equal(said, "INCOMPLETE");
    assert_non_null(strstr(verdict.rule[0].why, "does not say of which board"));
    write_baseline("B");
    hold("", 81);
    assert_string_equal(said, "INCOMPLETE");
    assert_non_null(strstr(verdict.rule[0].why, "nothing names this machine"));
    begin("rule-coverage=0");
    verdict_lacks_baseline(&verdict, "good.txt", "it is not there");
    end("ok");
    assert_string_equal(said, "INCOMPLETE");
    assert_string_equal(verdict.rule[0].why, "good.txt: it is not there");
}

/* Whatever keeps it from being held against: which file it is of. */
static void why_no_baseline_names_its_file(void **state)
{
    (void)state;
    write_baseline("B");
    hold("B", 81);
    assert_string_equal(verdict.rule[0].why, "");
    hold("C", 81);
    assert_string_equal(verdict.rule[0].why, "good.txt: it is of another board: B");
    hold("", 81);
    assert_string_equal(verdict.rule[0].why,
                        "good.txt: nothing names this machine: it may be another than B");
    memcpy(strstr(text, "baseline 5") + 9, "4", 1);
    hold("B", 81);
    assert_string_equal(verdict.rule[0].why, "good.txt: it is of version 4 instead of 5");
    assert_string_equal(verdict.baseline_why, verdict.rule[0].why);
    text_bytes_used = 0;
    hold("B", 81);
    assert_string_equal(verdict.rule[0].why, "good.txt: it is cut off: it has no last line");
}

static double part_limit_ns = 1.35;
static const char *lines_by = "functions";

static void emit_regions(const char *map, double ns)
{
    struct record record = {.kind = RECORD_REGIONS,
                            .u.regions = {.experiment = "regions",
                                          .frames = "as-allocated",
                                          .map = map,
                                          .node = 0,
                                          .block_bytes = 2 << 20,
                                          .ns = ns,
                                          .scatter_ns = 0.5,
                                          .class_limit_ns = 1,
                                          .class_part = 4,
                                          .class_part_limit_ns = part_limit_ns,
                                          .by = lines_by}};

    journal_emit(&journal, &record);
}

static const char *then_order = "random", *read_order;

static void emit_place(enum record_kind kind, uint64_t first, double value)
{
    struct record record = {.kind = kind};

    if (kind == RECORD_BLOCK)
        record.u.block = (struct record_block){
            .physical_first = phys_make(first), .bytes = 2 << 20, .ns = value, .compared = true};
    else if (kind == RECORD_RANGE)
        record.u.range = (struct record_range){.physical_first = phys_make(first),
                                               .slower_ns = value,
                                               .slower_low_ns = value - 0.5,
                                               .slower_high_ns = value + 0.5,
                                               .slower_repeat_ns = 0.1,
                                               .against_ns = 90};
    else
        record.u.bandwidth =
            (struct record_bandwidth){.physical_first = phys_make(first),
                                      .order = read_order,
                                      .bytes_per_s = {value, value - 1, value + 1}};
    journal_emit(&journal, &record);
}

/* A run whose memory begins there. */
static void emit_memory(const char *map, uint64_t first, double ns)
{
    emit_regions(map, ns);
    for (unsigned i = 0; i < 3; i++) {
        emit_place(RECORD_BLOCK, first + (i << 21), ns + i % 2);
        emit_place(RECORD_RANGE, first + (i << 21), i == 1 ? 8 : 5);
        emit_place(RECORD_BANDWIDTH, first + (i << 21), i == 1 ? 7e9 : 8e9);
    }
}

static void hold_memory(const char *map, double then_ns, double now_ns)
{
    const struct text_sink sink = {NULL, keep};
    struct record run = {.kind = RECORD_RUN, .u.run = {.board = "B", .options = "tests=regions"}};

    begin("rule-coverage=0 expect-spread=50");
    journal_emit(&journal, &run);
    read_order = then_order;
    emit_memory(map, 0x100000000, then_ns);
    text_bytes_used = 0;
    baseline_write(&verdict.run, &verdict.now, &sink);
    begin("rule-coverage=0 expect-spread=50");
    verdict_take_baseline(&verdict, "good.txt", text, text_bytes_used, others, ROOM);
    journal_emit(&journal, &run);
    read_order = "random";
    emit_memory(map, 0x140000000, now_ns);
    end("ok");
}

/* A process has other frames each time: what is kept of them has no addresses. */
static void memory_of_a_process_is_kept_without_its_addresses(void **state)
{
    (void)state;
    hold_memory("window", 90, 90);
    assert_string_equal(said, "SUSPECT"); /* ranges elsewhere that were not slower */
    assert_int_equal(verdict.now.count, 9);
    hold_memory("process", 90, 90);
    assert_string_equal(said, "OK");
    assert_int_equal(verdict.now.count, 3);
    text[text_bytes_used] = '\0';
    assert_null(strstr(text, "0x"));
    assert_non_null(strstr(text, "latency\tblocks 2M of node 0\t90\t89\t91\t-\t"));
    assert_non_null(strstr(text, "difference\tslowest range\t8\t7.9\t8.1\t-\t"));
    assert_non_null(strstr(text, "rate\tbandwidth of the slowest part (random)\t7000000000\t"));
    verdict_note_saved(&verdict, &journal);
    hold_memory("process", 90, 99);
    assert_string_equal(said, "SUSPECT");
}

/* A rate depends on how many lines of one bank wait for each other. */
static void lines_read_in_another_order_are_another_figure(void **state)
{
    (void)state;
    then_order = "banks in turn";
    hold_memory("process", 90, 90);
    then_order = "random";
    assert_string_equal(said, "INCOMPLETE");
    assert_non_null(strstr(text, "bandwidth of the slowest part (banks in turn)"));
}

/* A run that is OK says what would have passed as well, and is none where that is too much. */
static void what_would_have_passed_is_said(void **state)
{
    (void)state;
    hold_memory("process", 90, 90);
    assert_string_equal(said, "OK");
    assert_string_equal(unseen, "a latency higher by up to 5 %, a rate lower by up to 10 %, one "
                                "line in 4 slower by up to 1.35 ns, 1.50 %");
    assert_true(unseen_ns == 1.35);
    part_limit_ns = 4.6;
    hold_memory("process", 90, 90);
    assert_string_equal(said, "INCOMPLETE");
    assert_non_null(strstr(rules, "baseline=0"));
    part_limit_ns = NAN;
    hold_memory("process", 90, 90);
    part_limit_ns = 1.35;
    assert_string_equal(said, "INCOMPLETE");
    assert_non_null(strstr(unseen, ", any rank or channel that is slower"));
    assert_true(isnan(unseen_ns));
    /* a division by three has no bits that show it */
    lines_by = "bits and pairs";
    hold_memory("process", 90, 90);
    lines_by = "functions";
    assert_string_equal(said, "INCOMPLETE");
    assert_non_null(strstr(unseen, ", any rank or channel that is slower"));
    begin("rule-coverage=0");
    end("ok");
    assert_string_equal(unseen, "");
    assert_true(isnan(unseen_ns));
}

/* A test of what memory holds is no longer than it is. */
static void what_the_contents_would_not_show_is_said(void **state)
{
    struct record record = {.kind = RECORD_VERIFY,
                            .u.verify = {.experiment = "verify", .seconds = 12.34}};

    (void)state;
    begin("rule-coverage=0");
    journal_emit(&journal, &record);
    end("ok");
    assert_string_equal(unseen, "bits that turn wrong less than 3 times in 12.34 s, or only when "
                                "left alone for some time (hold=0)");
    assert_true(isnan(unseen_ns));
    begin("rule-coverage=0");
    record.u.verify.hold_s = 2.5;
    journal_emit(&journal, &record);
    end("ok");
    assert_string_equal(unseen, "bits that turn wrong less than 3 times in 12.34 s, or only when "
                                "left alone for more than 2.5 s");
}

/* Over boots, of the boot that could hide most. */
static void what_would_have_passed_in_a_boot_is_said(void **state)
{
    static const uint32_t run[] = {3, 4, 7};
    static struct figures_one of_boot[3][1], room[ROOM];
    struct figures boots[3];

    (void)state;
    for (unsigned most = 0; most < 6; most++) {
        begin("rule-coverage=0");
        for (unsigned i = 0; i < 3; i++) {
            figures_start(&boots[i], of_boot[i], 1);
            boots[i].unseen = (struct figures_unseen){
                .half_ns = 1, .part_ns = 1.5, .parts = 8, .against_ns = 100};
            boots[i].one[boots[i].count++] = (struct figures_one){
                .name = "block", .kind = FIGURES_LATENCY, .value = 90, .low = 89, .high = 91};
        }
        boots[most % 3].unseen.part_ns = most < 3 ? 2.25 : 5.25;
        verdict_take_boots(&verdict, boots, run, 3, room, ROOM, &journal);
        end("ok");
        assert_string_equal(said, most < 3 ? "OK" : "INCOMPLETE");
        assert_true(unseen_ns == (most < 3 ? 2.25 : 5.25));
        assert_non_null(strstr(unseen, most % 3 == 0   ? "(run-0003)"
                                       : most % 3 == 1 ? "(run-0004)"
                                                       : "(run-0007)"));
    }
}

static void only_asked_ones_are_given(void **state)
{
    static const struct {
        const char *words;
        bool wanted;
    } tries[] = {{"tests=dram", false},
                 {"tests=verify", true},
                 {"tests=verify dry=on", false},
                 {"expect-dimms=2", true},
                 {"expect-latency=1-2", true},
                 {"baseline=x", true},
                 {"baseline=save", false},
                 {"verdict=on", true},
                 {"tests=verify verdict=off", false}};
    static const struct option_source source = {"words", false, OPTION_LINUX};
    static char pool[OPTIONS_POOL_BYTES];

    (void)state;
    for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
        struct options options;
        struct option_error error;
        options_default(&options);
        assert_int_equal(options_parse(&options, tries[i].words, strlen(tries[i].words), &source,
                                       NULL, pool, sizeof pool, &error),
                         STATUS_OK);
        if (verdict_is_wanted(&options) != tries[i].wanted)
            fail_msg("%s", tries[i].words);
    }
    begin("");
    verdict.wanted = false;
    end("ok");
    assert_int_equal(verdicts, 0);
}

static unsigned spreads, warned;
static char warning[300];
static struct record_spread spread;

static void listen_to_boots(void *context, const struct record *record)
{
    (void)context;
    if (record->kind == RECORD_SPREAD) {
        spread = record->u.spread;
        spreads++;
    } else if (record->kind == RECORD_NOTE) {
        snprintf(warning, sizeof warning, "%s: %s", record->u.note.what, record->u.note.why);
        warned += record->u.note.severity == SEVERITY_WARNING;
    }
}

/* A boot that took longer is named, and is no reason for another verdict. */
static void the_firmwares_time_is_noted(void **state)
{
    static const uint32_t run[] = {3, 4, 7, 12};
    static const double s[] = {12.2, 12.1, 0, 41.2}, alike[] = {12.2, 12.1, 0, 12.4},
                        lone[] = {0, 12, 0, 0};

    (void)state;
    begin("");
    journal_watch(&journal, (struct journal_view){NULL, listen_to_boots, NULL});
    emit_verify(0, 0, 5, NULL);
    spreads = warned = 0;
    verdict_note_firmware(s, run, 4, &journal);
    assert_int_equal(spreads, 1);
    assert_int_equal(warned, 1);
    assert_string_equal(warning,
                        "the firmware took longer than in other boots: run-0012: 41.20 s instead "
                        "of 12.20 s; it may have trained memory anew");
    assert_string_equal(spread.name, "firmware");
    assert_string_equal(spread.kind, "time");
    assert_int_equal(spread.boots, 3);
    assert_true(fabs(spread.middle - 12.2e9) < 1 && fabs(spread.high - 41.2e9) < 1);
    assert_int_equal(spread.low_run, 4);
    assert_int_equal(spread.high_run, 12);
    end("ok");
    assert_string_equal(said, "OK");
    assert_true(conclusive);
    assert_int_equal(warned, 1);
    verdict_note_firmware(alike, run, 4, &journal);
    assert_int_equal(spreads, 2);
    verdict_note_firmware(lone, run, 4, &journal);
    assert_int_equal(spreads, 2);
    assert_int_equal(warned, 1);
}

/* A boot whose figures cannot be read is named with the reason, and decides nothing by itself. */
static void a_boot_that_cannot_be_read_is_named(void **state)
{
    (void)state;
    begin("");
    journal_watch(&journal, (struct journal_view){NULL, listen_to_boots, NULL});
    emit_verify(0, 0, 5, NULL);
    warned = 0;
    verdict_note_unread(7, "line 3: not a figure", &journal);
    assert_int_equal(warned, 1);
    assert_string_equal(warning, "a boot held against the others: run-0007: baseline.txt: line 3: "
                                 "not a figure");
    end("ok");
    assert_string_equal(said, "OK");
}

/* Its size in words, its speed as a number; of a slot that is empty, or of a speed that nobody
 * tells, there is no number. */
static char marks[2000];
static unsigned marks_told, boots_told;

static void listen_to_marks(void *context, const struct record *record)
{
    (void)context;
    if (record->kind != RECORD_NOTE)
        return;
    boots_told += strcmp(record->u.note.what, "a boot held against the others") == 0;
    if (strcmp(record->u.note.what, "never measured without a mark: not judged") != 0)
        return;
    snprintf(marks, sizeof marks, "%s", record->u.note.why);
    marks_told++;
}

/* Five boots whose headlines are marked, but for one; of the boots only the last knows by what. */
static void take_marked_boots(unsigned unmarked, double unmarked_ns)
{
    static const uint32_t run[5] = {1, 2, 3, 4, 5};
    static struct figures_one one[5][2];
    struct figures boots[5];

    begin("rule-coverage=0");
    journal_watch(&journal, (struct journal_view){NULL, listen_to_marks, NULL});
    marks_told = boots_told = 0;
    for (unsigned i = 0; i < 5; i++) {
        struct record record = {.kind = RECORD_DRAM};
        bool clean = i == unmarked;
        record.u.dram = (struct record_dram){
            .ns = clean ? unmarked_ns : 80 + 7 * i,
            .ns_low = clean ? unmarked_ns : 79,
            .ns_high = clean ? unmarked_ns : 120,
            .pattern = "iid",
            .frames = "scattered",
            .pages_bytes = 4096,
            .doubt = clean ? 0 : doubt_of(DOUBT_DRIFT) | doubt_of(DOUBT_BUDGET)};
        figures_start(&boots[i], one[i], 2);
        figures_take(&boots[i], &record);
        if (i < 4)
            boots[i].one[0].doubt = 0;
    }
    verdict_take_boots(&verdict, boots, run, 5, others, ROOM, &journal);
    end("ok");
}

static void what_every_boot_marks_is_said_once(void **state)
{
    (void)state;
    take_marked_boots(5, 0);
    assert_int_equal(marks_told, 1);
    assert_int_equal(boots_told, 0);
    assert_string_equal(marks, "dram 4k iid scattered off: in the last boot drift, budget");
    assert_string_equal(said, "INCOMPLETE");
    assert_string_equal(verdict.rule[0].why, "1 figure never measured without a mark");
    /* One that is not marked is the middle, whatever the others say: it is none to be odd. */
    take_marked_boots(1, 300);
    assert_int_equal(marks_told, 0);
    assert_int_equal(boots_told, 4);
    assert_string_equal(said, "INCOMPLETE");
}

static void modules_have_a_speed(void **state)
{
    struct dimm_info dimm = {.locator = "A1",
                             .bank = "P0",
                             .type = "DDR5",
                             .bytes = 16ull << 30,
                             .ranks = 2,
                             .configured_mts = 4800};
    struct record record = {.kind = RECORD_DIMM, .u.dimm.dimm = &dimm};

    (void)state;
    begin("");
    journal_emit(&journal, &record);
    assert_int_equal(verdict.now.count, 2);
    assert_string_equal(figures[0].name, "slot A1 P0");
    assert_string_equal(figures[0].words, "16G DDR5 2 ranks, ECC unknown");
    assert_string_equal(figures[1].name, "speed A1 P0");
    assert_int_equal(figures[1].kind, FIGURES_SPEED);
    assert_true(figures[1].value == 4800 && figures[1].low == 4800 && figures[1].high == 4800);
    dimm.configured_mts = 0;
    journal_emit(&journal, &record);
    assert_int_equal(verdict.now.count, 3);
    dimm.configured_mts = 4800;
    dimm.bytes = 0;
    journal_emit(&journal, &record);
    assert_int_equal(verdict.now.count, 4);
    assert_string_equal(figures[3].words, "empty");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_have_a_speed),
        cmocka_unit_test(what_every_boot_marks_is_said_once),
        cmocka_unit_test(the_firmwares_time_is_noted),
        cmocka_unit_test(a_boot_that_cannot_be_read_is_named),
        cmocka_unit_test(contents),
        cmocka_unit_test(errors_of_the_hardware),
        cmocka_unit_test(nothing_tested_is_no_pass),
        cmocka_unit_test(nouns_agree_with_their_counts),
        cmocka_unit_test(a_test_without_result_is_left_open),
        cmocka_unit_test(the_headline_with_its_bounds),
        cmocka_unit_test(expectations),
        cmocka_unit_test(slower_ranges_and_lines),
        cmocka_unit_test(unseen_lines_leave_it_open),
        cmocka_unit_test(blocks_that_read_wrong_leave_the_spread_open),
        cmocka_unit_test(what_two_experiments_find_is_one_rule),
        cmocka_unit_test(figures_of_what_is_slower),
        cmocka_unit_test(errors_of_chases_are_errors),
        cmocka_unit_test(a_clock_that_is_off_concludes_nothing),
        cmocka_unit_test(a_baseline_is_held_against),
        cmocka_unit_test(why_no_baseline_names_its_file),
        cmocka_unit_test(memory_of_a_process_is_kept_without_its_addresses),
        cmocka_unit_test(lines_read_in_another_order_are_another_figure),
        cmocka_unit_test(what_would_have_passed_is_said),
        cmocka_unit_test(what_the_contents_would_not_show_is_said),
        cmocka_unit_test(what_would_have_passed_in_a_boot_is_said),
        cmocka_unit_test(only_asked_ones_are_given),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
