/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of results.jsonl to the letter, and the journal that hands records on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "core/results/journal.h"
#include "core/results/notes.h"
#include "core/results/run_id.h"
#include "tests/unit/support_records.h"

static void expect_line(struct record record, const char *expected)
{
    char line[RECORD_LINE_MAX];
    size_t bytes = record_json(&record, line);

    assert_string_equal(line, expected);
    assert_int_equal(bytes, strlen(expected));
}

static void a_point_to_the_letter(void **state)
{
    (void)state;
    expect_line(support_point(),
                "{\"record\":\"point\",\"experiment\":\"curve\",\"pattern\":\"cycle\","
                "\"pages\":\"2m\",\"frames\":\"scattered\",\"map\":\"window\",\"prefetch\":\"off\","
                "\"bytes\":67108864,\"stride_bytes\":64,\"group_bytes\":null,\"chains\":1,\"load\":"
                "\"plain\",\"hint\":\"none\",\"work_cycles\":0,\"word\":0,\"cpu\":0,\"node\":null,"
                "\"warm_hops\":2097152,\"hops\":1000,\"samples\":101,\"ticks_median\":232000,"
                "\"ns_min\":79.5,\"ns_median\":80,\"ns_mean\":80.25,\"ns_p95\":81,"
                "\"ns_p99\":82.25,\"ns_mad\":0.1,\"cycles_median\":232,\"cpu_hz_before\":"
                "2900000000,\"cpu_hz_after\":2900000000,\"hz_over_base\":1.25,"
                "\"frequency_registers\":\"PERF_STATUS=0x1900\","
                "\"rel_error\":0.004,\"arithmetic_ns\":0,\"outliers\":2,\"limited_by\":\"error\","
                "\"verified\":\"lap\",\"disturbed\":0,"
                "\"smi\":null,\"mce\":0,\"seed\":1,\"prefetch_only_off\":null,\"turbo\":null,"
                "\"pstate\":null,\"uncore\":null,"
                "\"settled\":true,\"hz_step\":0.0125,\"counted_accesses\":101000,\"llc_misses\":"
                "100900,\"page_walks\":null,\"purpose\":\"levels\","
                "\"physical_low\":null,\"physical_high\":null}");
}

static void run_and_end_to_the_letter(void **state)
{
    struct record run = support_run();

    (void)state;
    run.u.run.seed = ((uint64_t)1 << 53) + 1;
    run.u.run.clock_hz = (uint64_t)1 << 53;
    run.u.run.board = "";
    run.u.run.board_source = NULL;
    run.u.run.bios = NULL;
    expect_line(run,
                "{\"record\":\"run\",\"schema\":2,\"version\":\"0.2.0 (abc)\","
                "\"arch\":\"x86_64\",\"firmware\":\"EDK II 2.7\",\"board\":null,"
                "\"bios\":null,\"cpu\":\"Example CPU 2900\",\"clock_hz\":9007199254740992,"
                "\"clock_source\":\"CPUID 15h\",\"clock_ppm\":12.5,"
                "\"clock_choice\":\"crystal\",\"clock_declared_hz\":2899000000,"
                "\"clock_declared_source\":\"CPUID 15h, 16h\","
                "\"clock_grade\":\"inferred\",\"clock_crystal_hz\":24000000,"
                "\"core_base_hz\":2900000000,"
                "\"options\":\"plan=quick tests=auto\",\"seed\":\"9007199254740993\","
                "\"microcode\":\"0xa601203\",\"memory_encryption\":\"none\","
                "\"threads_per_core\":2,\"cpu_kinds\":1,\"nodes_per_package\":null,"
                "\"smbios_cpu_hz\":2900000000,\"smbios_cpu_max_hz\":null,\"board_source\":null}");
    expect_line(support_end(), "{\"record\":\"end\",\"status\":\"ok\",\"seconds\":61.25,"
                               "\"errors\":0,\"clock_check_ppm\":-3.5,\"clock_check_source\":"
                               "\"HPET\",\"clock_calendar_ppm\":20.5,\"clock_calendar_s\":60}");
}

static void single_loads_to_the_letter(void **state)
{
    (void)state;
    expect_line(support_ibs(),
                "{\"record\":\"ibs\",\"experiment\":\"dram\",\"sampler\":\"a sampler\","
                "\"source\":\"a manual\",\"known_hits\":0,\"known_misses\":1,"
                "\"pages\":\"1g\",\"pattern\":\"cycle\",\"prefetch\":\"off\","
                "\"bytes\":1073741824,\"ops\":530,\"loads\":512,\"missed\":510,"
                "\"miss_cycles\":401,\"tlb_missed\":12,\"refill_cycles\":7,"
                "\"near_bytes\":262144,\"near_ops\":529,\"near_loads\":512,"
                "\"near_missed\":470,\"near_miss_cycles\":10,"
                "\"difference_cycles\":391,\"difference_error_cycles\":1.5,"
                "\"chase_difference_cycles\":402.25,"
                "\"chase_difference_error_cycles\":0.75,\"agrees\":true}");
}

static void the_machine_to_the_letter(void **state)
{
    struct cache_level caches[] = {{1, false, 12, 64, 2, 48 << 10},
                                   {3, true, UINT32_MAX, 0, 0, 24 << 20}};
    struct tlb_level tlbs[] = {{1, 12, 64, 4}, {2, 39, 0, 0}};
    struct record cpu = {.kind = RECORD_CPU,
                         .u.cpu = {"X", 8, 4, {4096, 1 << 30}, caches, 2, tlbs, 2}};
    struct record memory = {
        .kind = RECORD_MEMORY,
        .u.memory = {phys_make(0x100000), 4096, RECORD_UNKNOWN, "ordinary", RECORD_UNKNOWN, true}};
    struct dimm_info dimm = {.locator = "A1",
                             .maker = "Acme",
                             .part = "X-1",
                             .type = "DDR4",
                             .bytes = 1 << 30,
                             .rated_mts = 3200,
                             .data_bits = 64,
                             .total_bits = 72,
                             .use = "system memory",
                             .ecc = "multi-bit",
                             .configured_mv = 1200,
                             .channel = "Channel A",
                             .channel_source = "name",
                             .physical_last = 0x3fffffff,
                             .interleave_depth = 1,
                             .interleave_position = 2};
    struct record module = {.kind = RECORD_DIMM, .u.dimm = {&dimm}};
    struct smbios_cache slc = {"SLC", "unified", 3, true, true, UINT32_MAX, 32 << 20};
    struct smbios_cache code = {"", "instruction", 1, false, false, 0, 0};
    struct record caches_said[] = {{.kind = RECORD_CACHE, .u.cache = {&slc}},
                                   {.kind = RECORD_CACHE, .u.cache = {&code}}};

    (void)state;
    expect_line(cpu, "{\"record\":\"cpu\",\"name\":\"X\",\"count\":8,\"enabled\":4,"
                     "\"page_sizes\":[\"4k\",\"1g\"],\"caches\":["
                     "{\"level\":1,\"unified\":false,\"bytes\":49152,\"line_bytes\":64,"
                     "\"ways\":12,\"shared_by\":2},"
                     "{\"level\":3,\"unified\":true,\"bytes\":25165824,\"line_bytes\":null,"
                     "\"ways\":\"full\",\"shared_by\":null}],\"tlbs\":["
                     "{\"level\":1,\"pages\":\"4k\",\"entries\":64,\"ways\":4},"
                     "{\"level\":2,\"pages\":null,\"entries\":null,\"ways\":null}]}");
    expect_line(memory, "{\"record\":\"memory\",\"base\":\"0x100000\",\"bytes\":4096,"
                        "\"node\":null,\"kind\":\"ordinary\",\"side_cache_bytes\":null,"
                        "\"usable\":true}");
    expect_line(module, "{\"record\":\"dimm\",\"locator\":\"A1\",\"bank\":null,\"maker\":\"Acme\","
                        "\"part\":\"X-1\",\"type\":\"DDR4\",\"bytes\":1073741824,"
                        "\"rated_mts\":3200,\"configured_mts\":null,\"ranks\":null,"
                        "\"data_bits\":64,\"total_bits\":72,\"use\":\"system memory\","
                        "\"ecc\":\"multi-bit\",\"configured_mv\":1200,"
                        "\"channel\":\"Channel A\",\"channel_source\":\"name\","
                        "\"physical_first\":\"0x0\",\"physical_last\":\"0x3fffffff\","
                        "\"interleave_depth\":1,\"interleave_position\":2}");
    expect_line(caches_said[0],
                "{\"record\":\"cache\",\"name\":\"SLC\",\"level\":3,\"kind\":\"unified\","
                "\"bytes\":33554432,\"ways\":\"full\",\"enabled\":true,"
                "\"beyond_registers\":true}");
    expect_line(caches_said[1],
                "{\"record\":\"cache\",\"name\":null,\"level\":1,\"kind\":\"instruction\","
                "\"bytes\":0,\"ways\":null,\"enabled\":false,\"beyond_registers\":false}");
}

static void memory_that_reads_all_ones_is_not_unknown(void **state)
{
    struct record r = {.kind = RECORD_ERROR, .u.error = record_error_of("memory")};

    (void)state;
    r.u.error.physical_address = phys_make(0x40);
    r.u.error.expected = 16;
    r.u.error.bits = ~16ull;
    expect_line(r, "{\"record\":\"error\",\"kind\":\"memory\",\"physical_address\":\"0x40\","
                   "\"expected\":\"0x10\",\"read\":\"0xffffffffffffffff\","
                   "\"reread\":\"0xffffffffffffffff\",\"text\":null,\"cause\":null,"
                   "\"bits\":\"0xffffffffffffffef\",\"events\":null,\"alias_address\":null,"
                   "\"slot\":null,\"alias_slot\":null}");
    r.u.error = record_error_of("fault");
    r.u.error.text = "#PF";
    expect_line(
        r,
        "{\"record\":\"error\",\"kind\":\"fault\",\"physical_address\":null,"
        "\"expected\":null,\"read\":null,\"reread\":null,\"text\":\"#PF\",\"cause\":null,"
        "\"bits\":null,\"events\":null,\"alias_address\":null,\"slot\":null,\"alias_slot\":null}");
}

/* Prefetchers that nobody was measured with are neither off nor on. */
static void what_was_not_measured_has_no_prefetch_state(void **state)
{
    struct record r = {.kind = RECORD_PAIR,
                       .u.pair = {.experiment = "cores", .prefetch = PREFETCH_NOT_MEASURED}};
    char line[RECORD_LINE_MAX];

    (void)state;
    record_json(&r, line);
    assert_non_null(strstr(line, "\"prefetch\":null,"));
    r.u.pair.prefetch = PREFETCH_OFF;
    record_json(&r, line);
    assert_non_null(strstr(line, "\"prefetch\":\"off\","));
}

static void expect_note(const char *why, const char *json)
{
    struct record r = {.kind = RECORD_NOTE, .u.note = {SEVERITY_INFO, "w", why}};
    char line[RECORD_LINE_MAX], expected[512] = "{\"record\":\"note\",\"severity\":\"info\","
                                                "\"what\":\"w\",\"why\":";

    record_json(&r, line);
    strcat(expected, json);
    strcat(expected, "}");
    assert_string_equal(line, expected);
}

static void text_is_escaped_and_repaired(void **state)
{
    (void)state;
    expect_note("a\"b\\c/\n\t\r\x01\x1f\x7f", "\"a\\\"b\\\\c/\\n\\t\\u000d\\u0001\\u001f\x7f\"");
    expect_note(NULL, "\"\"");
    expect_note("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
    /* Overlong, a surrogate, beyond U+10FFFF, a lone lead at the end. */
    expect_note("\xc0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\"");
    expect_note("\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
    expect_note("\xf4\x90\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
    expect_note("a\xe2\x82", "\"a\xef\xbf\xbd\xef\xbf\xbd\"");
}

static void long_text_is_cut_at_a_character(void **state)
{
    static char words[6000];
    char line[RECORD_LINE_MAX];
    struct record r = {.kind = RECORD_NOTE, .u.note = {SEVERITY_INFO, "", words}};
    size_t bytes;

    (void)state;
    for (size_t shift = 0; shift < 3; shift++) {
        memset(words, 'x', shift);
        for (size_t i = shift; i + 6 < sizeof(words); i += 3)
            memcpy(words + i, "\xe2\x82\xac", 3);
        bytes = record_json(&r, line);
        assert_true(bytes < RECORD_LINE_MAX);
        assert_memory_equal(line + bytes - 5, "\xe2\x82\xac\"}", 5);
        /* 2400 bytes are allowed: 800 such characters, or one less and what the x take. */
        assert_int_equal(strrchr(line, '"') - (strstr(line, "\"why\":\"") + 7),
                         shift == 0 ? 2400 : 2397 + shift);
    }
}

static void use_length(void *context, const struct record *record)
{
    char line[RECORD_LINE_MAX];
    size_t bytes = record_json(record, line);

    assert_int_equal(line[bytes], '\0');
    assert_int_equal(line[bytes - 1], '}');
    ++*(int *)context;
}

static void every_record_fits(void **state)
{
    int count = 0;

    (void)state;
    support_every_record(use_length, &count);
    assert_true(count > 20);
}

/* ---- the journal */

struct watcher {
    char seen[64]; /* one letter each record and flush, in order */
};

static void watch_record(void *context, const struct record *record)
{
    struct watcher *w = context;

    strncat(w->seen, record_kind_name(record->kind), 1);
}

static void watch_flush(void *context)
{
    strcat(((struct watcher *)context)->seen, "|");
}

struct file {
    int lines, flushes, fail_after, fail_flush;
    char last[RECORD_LINE_MAX];
};

static enum status file_write(void *context, const char *line, size_t bytes)
{
    struct file *f = context;

    if (f->lines == f->fail_after)
        return STATUS_IO;
    f->lines++;
    memcpy(f->last, line, bytes);
    f->last[bytes] = '\0';
    return STATUS_OK;
}

static enum status file_flush(void *context)
{
    struct file *f = context;

    f->flushes++;
    return f->fail_flush ? STATUS_IO : STATUS_OK;
}

static void the_journal_counts_writes_and_shows(void **state)
{
    static struct journal journal;
    struct file file = {.fail_after = -1};
    struct watcher watcher = {.seen = ""};
    struct record_sink sink = {.context = &file, .write = file_write, .flush = file_flush};
    struct record error = {.kind = RECORD_ERROR, .u.error = {.kind = "lap"}};

    (void)state;
    journal_start(&journal, &sink);
    journal_identify(&journal, 1234);
    journal_watch(&journal, (struct journal_view){&watcher, watch_record, watch_flush});
    journal_watch(&journal, (struct journal_view){&watcher, watch_record, NULL});
    journal_emit(&journal, &error);
    journal_note(&journal, SEVERITY_INFO, "a", "b");
    journal_note(&journal, SEVERITY_WARNING, "a", "b");
    journal_note(&journal, SEVERITY_ERROR, "a", "c");
    assert_int_equal(journal_flush(&journal), STATUS_OK);
    assert_string_equal(watcher.seen, "eennnnnn|");
    assert_int_equal(journal.errors, 2);
    assert_int_equal(journal.warnings, 1);
    assert_int_equal(file.lines, 4);
    assert_int_equal(file.flushes, 1);
    assert_string_equal(file.last, "{\"record\":\"note\",\"run_id\":\"00000000000004d2\","
                                   "\"number\":4,\"severity\":\"error\",\"what\":\"a\","
                                   "\"why\":\"c\"}");
    for (int i = 0; i < 2 * JOURNAL_VIEWS_MAX; i++)
        journal_watch(&journal, (struct journal_view){&watcher, watch_record, NULL});
    assert_int_equal(journal.views, JOURNAL_VIEWS_MAX);
}

static void a_sink_that_fails_ends_the_file_not_the_run(void **state)
{
    static struct journal journal;
    struct file file = {.fail_after = 1};
    struct watcher watcher = {.seen = ""};
    struct record_sink sink = {.context = &file, .write = file_write, .flush = file_flush};
    struct record point = support_point();

    (void)state;
    journal_start(&journal, &sink);
    journal_watch(&journal, (struct journal_view){&watcher, watch_record, NULL});
    journal_emit(&journal, &point);
    assert_false(journal.sink_failed);
    journal_emit(&journal, &point);
    assert_true(journal.sink_failed);
    file.fail_after = -1;
    journal_emit(&journal, &point);
    /* The views also get the journal's own note; no line comes after the gap. */
    assert_string_equal(watcher.seen, "pnpp");
    assert_int_equal(file.lines, 1);
    assert_int_equal(journal.warnings, 1);
    assert_int_equal(journal_flush(&journal), STATUS_IO);
    assert_int_equal(file.flushes, 0);
}

static void a_flush_that_fails_is_remembered(void **state)
{
    static struct journal journal;
    struct file file = {.fail_after = -1, .fail_flush = 1};
    struct record_sink sink = {.context = &file, .write = file_write, .flush = file_flush};

    (void)state;
    journal_start(&journal, &sink);
    assert_int_equal(journal_flush(&journal), STATUS_IO);
    assert_true(journal.sink_failed);
    assert_int_equal(journal.warnings, 1);
    journal_start(&journal, &(struct record_sink){0});
    journal_note(&journal, SEVERITY_INFO, "a", "b");
    assert_int_equal(journal_flush(&journal), STATUS_OK);
    assert_false(journal.sink_failed);
}

static void runs_are_told_apart(void **state)
{
    uint64_t seen[32];

    (void)state;
    for (uint64_t i = 0; i < 32; i++) {
        seen[i] = run_id_of(i / 8, i % 8);
        assert_true(seen[i] != 0 && seen[i] == run_id_of(i / 8, i % 8));
        for (uint64_t j = 0; j < i; j++)
            assert_true(seen[i] != seen[j]);
    }
}

static void watch_words(void *context, const struct record *record)
{
    struct text *seen = context;

    text_format(seen, "%s|%s\n", record->u.note.what, record->u.note.why);
}

static void a_journal_starts_whatever_its_memory_held(void **state)
{
    static struct journal journal;

    (void)state;
    memset(&journal, 0x5a, sizeof(journal));
    journal_start(&journal, NULL);
    journal_note(&journal, SEVERITY_WARNING, "what", "why");
    assert_int_equal(journal.warnings, 1);
    assert_int_equal(journal.number, 1);
}

static void notes_are_put_together(void **state)
{
    static struct journal journal;
    static struct notes notes;
    char buffer[1000], why[2 * JOURNAL_WHY_MAX];
    struct text seen;

    (void)state;
    text_start(&seen, buffer, sizeof(buffer));
    journal_start(&journal, NULL);
    journal_watch(&journal, (struct journal_view){&seen, watch_words, NULL});
    journal_note_format(&journal, SEVERITY_INFO, "what", "%u of %s", 3u, TEXT_SIZE(2048));
    journal_note_about(&journal, SEVERITY_WARNING, "dram", "left out", "%.1f %%", 2.5);
    notes_format(&notes, SEVERITY_WARNING, "kept", "CPU 0x%lx", 0x1dul);
    notes_add(&notes, SEVERITY_INFO, "plain", "100 %s");
    notes_emit(&notes, &journal);
    assert_string_equal(buffer,
                        "what|3 of 2K\ndram: left out|2.5 %\nkept|CPU 0x1d\nplain|100 %s\n");
    assert_int_equal(journal.warnings, 2);
    memset(why, 'x', sizeof(why) - 1);
    why[sizeof(why) - 1] = '\0';
    text_start(&seen, buffer, sizeof(buffer));
    journal_note_format(&journal, SEVERITY_INFO, "long", "%s", why);
    assert_int_equal(seen.used, strlen("long|\n") + JOURNAL_WHY_MAX - 1);
}

static void notes_without_room_say_so(void **state)
{
    static struct notes notes;

    (void)state;
    for (unsigned i = 0; i < NOTES_MAX + 3; i++)
        notes_format(&notes, SEVERITY_INFO, "a note", "number %u", i);
    assert_int_equal(notes.count, NOTES_MAX);
    assert_string_equal(notes.note[NOTES_MAX - 2].why, "number 22");
    assert_string_equal(notes.note[NOTES_MAX - 1].what, "notes dropped");
    assert_int_equal(notes.note[NOTES_MAX - 1].severity, SEVERITY_WARNING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_to_the_letter),
        cmocka_unit_test(run_and_end_to_the_letter),
        cmocka_unit_test(single_loads_to_the_letter),
        cmocka_unit_test(the_machine_to_the_letter),
        cmocka_unit_test(memory_that_reads_all_ones_is_not_unknown),
        cmocka_unit_test(what_was_not_measured_has_no_prefetch_state),
        cmocka_unit_test(text_is_escaped_and_repaired),
        cmocka_unit_test(long_text_is_cut_at_a_character),
        cmocka_unit_test(runs_are_told_apart),
        cmocka_unit_test(every_record_fits),
        cmocka_unit_test(the_journal_counts_writes_and_shows),
        cmocka_unit_test(a_sink_that_fails_ends_the_file_not_the_run),
        cmocka_unit_test(a_flush_that_fails_is_remembered),
        cmocka_unit_test(a_journal_starts_whatever_its_memory_held),
        cmocka_unit_test(notes_are_put_together),
        cmocka_unit_test(notes_without_room_say_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
