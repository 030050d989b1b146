/* SPDX-License-Identifier: BSD-2-Clause */
/* What stands on a stick about a soak, whenever power goes; and boots held against each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "core/lib/random.h"
#include "core/verdict/baseline.h"
#include "core/verdict/boots.h"
#include "core/verdict/soak.h"

static char slots[SOAK_SLOTS][SOAK_SLOT_BYTES];

static const struct soak_state some = {.sequence = 12,
                                       .boots = 20,
                                       .done = 3,
                                       .died = 1,
                                       .row = 2,
                                       .first_run = 7,
                                       .phase = SOAK_DONE,
                                       .history_bytes = 300,
                                       .before_crc = 0xfedcba98,
                                       .line = "3,9,ok,OK,yes,0,2,12.5,1,\n",
                                       .where = "tests=regions, block 17"};

static void what_was_written_reads_back(void **state)
{
    struct soak_state read, fresh = {.sequence = 1, .boots = 5, .history_bytes = 64};

    (void)state;
    soak_encode(&some, slots[0]);
    assert_true(soak_decode(slots[0], &read));
    assert_memory_equal(&read, &some, sizeof read);
    soak_encode(&fresh, slots[0]);
    assert_true(soak_decode(slots[0], &read));
    assert_memory_equal(&read, &fresh, sizeof read);
}

/* Sectors of a slot that power kept from being written, or another's. */
static void half_written_is_not_taken(void **state)
{
    char old[SOAK_SLOT_BYTES], whole[SOAK_SLOT_BYTES];
    struct soak_state older = some, read;
    size_t refused = 0;

    (void)state;
    older.sequence = 10;
    older.done = 2;
    snprintf(older.line, sizeof older.line, "2,8,ok,OK,yes,0,0,10.0,1,14.20\n");
    soak_encode(&older, old);
    soak_encode(&some, whole);
    for (size_t cut = 1; cut < SOAK_SLOT_BYTES; cut++) {
        memcpy(slots[0], whole, cut);
        memcpy(slots[0] + cut, old + cut, SOAK_SLOT_BYTES - cut);
        /* All that counts may be there, with blanks of the other one behind it. */
        if (soak_decode(slots[0], &read))
            assert_memory_equal(&read, read.sequence == 12 ? &some : &older, sizeof read);
        else
            refused++;
    }
    assert_true(refused > 60);
    for (size_t i = 0; i < 110; i++) {
        memcpy(slots[0], whole, SOAK_SLOT_BYTES);
        slots[0][i] ^= 4;
        if (whole[i] != ' ')
            assert_false(soak_decode(slots[0], &read) && read.sequence != some.sequence);
    }
}

static void the_newer_slot_counts_and_the_other_is_next(void **state)
{
    struct soak_state other = some, read;
    unsigned next;

    (void)state;
    memset(slots, ' ', sizeof slots);
    assert_false(soak_newest((const char(*)[SOAK_SLOT_BYTES])slots, &read, &next));
    assert_false(soak_is_foreign((const char(*)[SOAK_SLOT_BYTES])slots));
    soak_encode(&some, slots[0]);
    assert_true(soak_newest((const char(*)[SOAK_SLOT_BYTES])slots, &read, &next));
    assert_int_equal(next, 1);
    other.sequence = 13;
    soak_encode(&other, slots[1]);
    assert_true(soak_newest((const char(*)[SOAK_SLOT_BYTES])slots, &read, &next));
    assert_int_equal(read.sequence, 13);
    assert_int_equal(next, 0);
    slots[1][3] = 'x';
    assert_true(soak_newest((const char(*)[SOAK_SLOT_BYTES])slots, &read, &next));
    assert_int_equal(read.sequence, 12);
    assert_int_equal(next, 1);
    slots[0][3] = 'x';
    assert_false(soak_newest((const char(*)[SOAK_SLOT_BYTES])slots, &read, &next));
    assert_true(soak_is_foreign((const char(*)[SOAK_SLOT_BYTES])slots));
}

/* A state of a history's bytes, and of some.line behind them. */
static void start_before(struct soak_state *state, const char *history, size_t bytes)
{
    struct soak_state before;
    size_t returns;

    soak_start_behind(&before, history, bytes, &returns);
    *state = some;
    state->history_bytes = bytes + strlen(some.line);
    state->before_crc = before.before_crc;
}

/* A history that some.line is the last of, as it was written; *state: what is said of it. */
static size_t write_history(char history[400], struct soak_state *state)
{
    int bytes = snprintf(history, 400, "%s1,1,ok,OK,yes,0,0,9.0,0,\n%s", soak_header, some.line);

    start_before(state, history, (size_t)bytes - strlen(some.line));
    return (size_t)bytes;
}

static void a_torn_line_is_seen(void **state)
{
    size_t length = strlen(some.line), bytes, returns;
    struct soak_state soak;
    char history[400];

    (void)state;
    bytes = write_history(history, &soak);
    assert_int_equal(soak_check_history(&soak, history, bytes, &returns), SOAK_HISTORY_WHOLE);
    for (size_t missing = 1; missing <= length; missing++) {
        assert_int_equal(soak_check_history(&soak, history, bytes - missing, &returns),
                         SOAK_HISTORY_TORN);
        assert_null(soak_refuse_history(&soak, history, bytes - missing));
    }
    assert_int_equal(soak_check_history(&soak, history, bytes - length - 1, &returns),
                     SOAK_HISTORY_OTHER);
    assert_int_equal(soak_check_history(&soak, history, bytes + 1, &returns), SOAK_HISTORY_OTHER);
    assert_non_null(
        strstr(soak_refuse_history(&soak, history, bytes + 1), "not what the state says"));
    /* Room was made for it, and power went before the bytes came. */
    memset(history + bytes - length, ' ', length);
    assert_int_equal(soak_check_history(&soak, history, bytes, &returns), SOAK_HISTORY_TORN);
}

/* The last line is whole then, and must not be written over. */
static void a_line_that_is_missing_before_the_last_is_no_torn_one(void **state)
{
    size_t length = strlen(some.line);

    (void)state;
    for (size_t before = 1; before < 2 * length; before++) {
        struct soak_state soak;
        char history[400];
        size_t returns;
        int first = snprintf(history, sizeof history, "%s0,1,ok,OK,yes,0,0,9.0,0,\n", soak_header);
        int bytes = first + snprintf(history + first, 200, "%*s\n", (int)before - 1, "");
        start_before(&soak, history, (size_t)bytes);
        bytes = first + snprintf(history + first, 200, "%s", some.line);
        assert_int_equal(soak_check_history(&soak, history, (size_t)bytes, &returns),
                         SOAK_HISTORY_OTHER);
        assert_non_null(soak_refuse_history(&soak, history, (size_t)bytes));
    }
}

static void an_edit_before_the_last_line_is_seen(void **state)
{
    struct soak_state soak;
    char history[400];
    size_t bytes = write_history(history, &soak), returns;

    (void)state;
    for (size_t pos = 0; pos < bytes; pos++) {
        history[pos] ^= 1;
        assert_int_equal(soak_check_history(&soak, history, bytes, &returns),
                         pos < bytes - strlen(some.line) ? SOAK_HISTORY_OTHER : SOAK_HISTORY_TORN);
        history[pos] ^= 1;
    }
    /* and where it is behind another line now */
    soak_end(&soak, "4,10,ok,OK,yes,0,0,9.0,1,\n");
    bytes += (size_t)snprintf(history + bytes, 100, "%s", soak.line);
    assert_int_equal(soak_check_history(&soak, history, bytes, &returns), SOAK_HISTORY_WHOLE);
    history[bytes - strlen(soak.line) - 3] ^= 1;
    assert_int_equal(soak_check_history(&soak, history, bytes, &returns), SOAK_HISTORY_OTHER);
}

/* The same text with CR LF, as an editor of Windows saves it. */
static size_t with_crlf(char history[400], size_t bytes)
{
    char copy[400];
    size_t all = 0;

    memcpy(copy, history, bytes);
    for (size_t i = 0; i < bytes; i++) {
        if (copy[i] == '\n')
            history[all++] = '\r';
        history[all++] = copy[i];
    }
    return all;
}

/* What an editor saved anew is as long as it was, and what is torn of it is written in its place.
 */
static void line_ends_of_an_editor_are_no_other_history(void **state)
{
    size_t length = strlen(some.line), bytes, plain, returns;
    struct soak_state soak, fresh;
    struct soak_boot boot;
    char history[400];

    (void)state;
    plain = write_history(history, &soak);
    bytes = with_crlf(history, plain);
    assert_int_equal(bytes, plain + 3);
    assert_null(soak_refuse_history(&soak, history, bytes));
    assert_int_equal(soak_check_history(&soak, history, bytes, &returns), SOAK_HISTORY_WHOLE);
    assert_int_equal(returns, 3);
    soak_start_behind(&fresh, history, bytes, &returns);
    assert_int_equal(returns, 3);
    assert_int_equal(fresh.history_bytes, plain);
    for (size_t end = plain + 2 - length; end < bytes; end++) {
        assert_null(soak_refuse_history(&soak, history, end));
        assert_int_equal(soak_check_history(&soak, history, end, &returns), SOAK_HISTORY_TORN);
        assert_int_equal(returns, 2);
    }
    assert_memory_equal(history + plain - length + 2, some.line, length - 1);
    assert_int_equal(soak_check_history(&soak, history, plain + 1 - length, &returns),
                     SOAK_HISTORY_OTHER);
    bytes = with_crlf(history, (size_t)snprintf(history, 400, "3,8,ok,OK,yes,0,0,10.0,0,41.50\n"));
    assert_int_equal(soak_boots(history, bytes, &boot, 1), 1);
    assert_true(boot.run == 8 && boot.firmware_s == 41.5);
}

static void a_history_that_is_missing_is_told(void **state)
{
    struct soak_state soak;
    char history[400];

    (void)state;
    (void)write_history(history, &soak);
    assert_non_null(strstr(soak_refuse_history(&soak, history, 0), "history is missing"));
    assert_null(soak_refuse_history(NULL, history, 0));
}

static void boots_are_counted_once(void **state)
{
    struct soak_state soak = {.history_bytes = 60};

    (void)state;
    soak_begin(&soak, 3);
    assert_int_equal(soak.died, 0);
    soak_begin(&soak, 3); /* the first one died */
    assert_int_equal(soak.died, 1);
    soak_end(&soak, "1,1,ok\n");
    assert_int_equal(soak.history_bytes, 67);
    assert_true(soak_goes_on(&soak));
    soak_begin(&soak, 3);
    soak_end(&soak, "2,2,ok\n");
    soak_begin(&soak, 3);
    soak_end(&soak, "3,3,ok\n");
    assert_int_equal(soak.died, 1);
    assert_int_equal(soak.done, 3);
    assert_false(soak_goes_on(&soak));
    assert_int_equal(soak.phase, SOAK_OVER);
}

/* A board that always hangs is not reset for ever. */
static void the_watchdog_stays_off_after_some_in_a_row(void **state)
{
    struct soak_state soak = {.history_bytes = 60};

    (void)state;
    soak_begin(&soak, 9);
    for (unsigned died = 1; died <= SOAK_ROW_MAX; died++) {
        assert_true(soak_may_reset(&soak));
        snprintf(soak.where, sizeof soak.where, "tests=verify, step 3");
        soak_begin(&soak, 9);
        assert_int_equal(soak.died, died);
        assert_string_equal(soak.where, "");
    }
    assert_false(soak_may_reset(&soak));
    soak_end(&soak, "1,1,ok\n");
    assert_true(soak_may_reset(&soak));
    assert_int_equal(soak.died, SOAK_ROW_MAX);
}

static void where_it_is_is_told_seldom(void **state)
{
    struct progress now = {.experiment = "dram", .done = 3, .total = 40};
    struct soak_mark mark = {.any = false};
    const uint64_t s = 1000000000;

    (void)state;
    assert_true(soak_mark_due(&mark, &now, 5 * s));
    assert_false(soak_mark_due(&mark, &now, 100 * s)); /* a long point: nothing new */
    now.done = 4;
    assert_true(soak_mark_due(&mark, &now, 100 * s));
    now.done = 5;
    assert_false(soak_mark_due(&mark, &now, 102 * s - 1));
    assert_true(soak_mark_due(&mark, &now, 102 * s));
    now = (struct progress){.experiment = "regions", .part = "block", .number = 1};
    assert_true(soak_mark_due(&mark, &now, 102 * s));
    now.number = 2;
    assert_false(soak_mark_due(&mark, &now, 103 * s));
    assert_true(soak_mark_due(&mark, &now, 104 * s));
    now.part = "building block";
    assert_true(soak_mark_due(&mark, &now, 106 * s));
}

static void where_it_is_in_words(void **state)
{
    struct progress now = {.experiment = "curve", .done = 3, .total = 40};
    char where[SOAK_WHERE_BYTES];

    (void)state;
    soak_where(&now, where);
    assert_string_equal(where, "tests=curve, point 4 of 40");
    now.done = 40;
    soak_where(&now, where);
    assert_string_equal(where, "tests=curve, point 40 of 40");
    now.part = "block";
    now.number = 17;
    soak_where(&now, where);
    assert_string_equal(where, "tests=curve, block 17");
    now = (struct progress){.experiment = "levels"};
    soak_where(&now, where);
    assert_string_equal(where, "levels");
}

static unsigned commas(const char *line)
{
    unsigned count = 0;

    for (; *line != '\0'; line++)
        count += *line == ',';
    return count;
}

static void lines_have_the_headers_columns(void **state)
{
    const struct soak_said said = {.run = 12,
                                   .status = "ok",
                                   .verdict = "SUSPECT",
                                   .conclusive = true,
                                   .errors = 3,
                                   .warnings = 4,
                                   .seconds = 61.04,
                                   .firmware_s = 14.204};
    struct soak_said longest = {.run = UINT32_MAX,
                                .status = "aborted",
                                .verdict = "INCOMPLETE",
                                .errors = UINT64_MAX,
                                .warnings = UINT64_MAX,
                                .seconds = 1e12,
                                .firmware_s = 86400};
    struct soak_state soak = {.done = 6, .died = 2};
    char line[SOAK_LINE_BYTES];

    (void)state;
    soak_line(&soak, &said, line);
    assert_string_equal(line, "7,12,ok,SUSPECT,yes,3,4,61.0,2,14.20\n");
    assert_int_equal(commas(line), commas(soak_header));
    soak.done = soak.died = UINT32_MAX;
    soak_line(&soak, &longest, line);
    assert_int_equal(line[strlen(line) - 1], '\n');
    longest.firmware_s = 0;
    soak_line(&soak, &longest, line);
    assert_string_equal(line + strlen(line) - 2, ",\n");
    assert_int_equal(commas(line), commas(soak_header));
}

static void boots_are_read_from_the_history(void **state)
{
    char history[400];
    struct soak_boot boot[5];
    size_t bytes;

    (void)state;
    bytes = (size_t)snprintf(history, sizeof history, "%s%s", soak_header,
                             "1,4,ok,OK,yes,0,0,10.0,0,14.20\n2,5,ok,OK,yes,0,0,10.0,0,\n"
                             "3,8,ok,OK,yes,0,0,10.0,0,41.50\n");
    assert_int_equal(soak_boots(history, bytes, boot, 3), 3);
    assert_int_equal(boot[0].run, 4);
    assert_int_equal(boot[2].run, 8);
    assert_true(boot[0].firmware_s == 14.2 && boot[1].firmware_s == 0 &&
                boot[2].firmware_s == 41.5);
    assert_int_equal(soak_boots(history, bytes, boot, 1), 1);
    assert_int_equal(boot[0].run, 8);
    /* The header has no number. */
    assert_int_equal(soak_boots(history, bytes, boot, 5), 4);
    assert_int_equal(boot[0].run, 0);
    assert_int_equal(soak_boots(history, 0, boot, 5), 0);
}

static void histories_of_other_versions_are_told(void **state)
{
    static const char before[] = "boot,run,status,verdict,conclusive,errors,warnings,seconds,died\n"
                                 "1,1,ok,OK,yes,0,0,10.0,0\n";
    char history[400];
    size_t header = strlen(soak_header), bytes;

    (void)state;
    bytes = (size_t)snprintf(history, sizeof history, "%s1,1,ok,OK,yes,0,0,10.0,0,\n", soak_header);
    assert_true(soak_is_history(history, bytes));
    assert_null(soak_refuse_history(NULL, history, bytes));
    assert_non_null(strstr(soak_refuse_history(NULL, history, bytes - 1), "is torn"));
    bytes = with_crlf(history, bytes);
    assert_null(soak_refuse_history(NULL, history, bytes));
    assert_false(soak_is_history(history, header)); /* of its end there is a CR alone */
    for (size_t torn = 1; torn < 10; torn++)
        assert_non_null(strstr(soak_refuse_history(NULL, history, bytes - torn), "is torn"));
    assert_false(soak_is_history(before, sizeof before - 1));
    assert_non_null(strstr(soak_refuse_history(NULL, before, sizeof before - 1), "version"));
    assert_false(soak_is_history(soak_header, header - 1));
    assert_true(soak_is_history(soak_header, header));
    /* Power went while the header was written: in whatever state, no line was there yet. */
    memset(history, 0xa5, sizeof history);
    for (bytes = 0; bytes <= header; bytes++)
        assert_null(soak_refuse_history(NULL, history, bytes));
    assert_non_null(soak_refuse_history(NULL, history, header + 1));
}

static void key_of(const char *board, uint8_t first, uint8_t rest, const char *serial,
                   const char *other, char key[SOAK_KEY_BYTES])
{
    uint8_t uuid[16];

    memset(uuid, rest, sizeof uuid);
    uuid[0] = first;
    soak_key(board, uuid, serial, other, strlen(other), key);
}

static void boards_have_names_that_fat_takes(void **state)
{
    static const uint8_t placeholder[16] = {0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8, 0, 9};
    char a[SOAK_KEY_BYTES], b[SOAK_KEY_BYTES], name[201];

    (void)state;
    key_of("QEMU Standard PC (Q35 + ICH9, 2009)", 7, 1, "", "x", a);
    for (const char *c = a; *c != '\0'; c++)
        assert_true(*c == '-' || (*c >= '0' && *c <= '9') || (*c >= 'A' && *c <= 'z'));
    key_of("QEMU Standard PC (Q35 + ICH9, 2009)", 8, 1, "", "x", b);
    assert_string_not_equal(a, b);
    memset(name, 'n', 200);
    name[200] = '\0';
    key_of(name, 7, 1, "", "x", a);
    assert_true(strlen(a) == SOAK_KEY_BYTES - 1);
    name[199] = 'm';
    key_of(name, 7, 1, "", "x", b);
    assert_string_not_equal(a, b);
    assert_memory_equal(a, b, 30);
    key_of("   ", 7, 1, "", "x", a);
    assert_int_equal(strncmp(a, "board-", 6), 0);
    /* Placeholders: the serial number decides, and where that says nothing what is left. */
    key_of("b", 0, 0, "SN123", "x", a);
    key_of("b", 0xff, 0xff, "SN123", "y", b);
    assert_string_equal(a, b);
    key_of("b", 0, 0, "0123456789", "x", a);
    key_of("b", 0, 0, "00000000", "y", b);
    assert_string_not_equal(a, b);
    key_of("b", 0, 0, "123456", "x", b);
    assert_string_equal(a, b);
    soak_key("b", placeholder, "SN124", "x", 1, a);
    key_of("b", 0, 0, "SN124", "y", b);
    assert_string_equal(a, b);
}

/* ---- boots */

#define BOOTS  20
#define BLOCKS 30

static struct figures_one of_boot[BOOTS][BLOCKS + 2], middle_one[BLOCKS + 8];
static struct figures boot[BOOTS], middle;
static struct lines_room room;

static void add(size_t i, const char *name, enum figures_kind kind, double value)
{
    struct figures_one *one = &boot[i].one[boot[i].count++];

    *one = (struct figures_one){
        .kind = kind, .value = value, .low = value * 0.995, .high = value * 1.005};
    snprintf(one->name, sizeof one->name, "%s", name);
}

/* Honest boots: each block scatters by 0.3 %, and all of a boot drift together by up to 1 %. */
static void draw_boots(struct random *random)
{
    for (size_t i = 0; i < BOOTS; i++) {
        double drift = 1 + 0.01 * ((double)random_below(random, 1000) / 1000);
        figures_start(&boot[i], of_boot[i], BLOCKS + 2);
        boot[i].unseen = (struct figures_unseen){
            .range_ns = 2, .half_ns = 1.3, .part_ns = 1.6, .parts = 16, .against_ns = 90};
        for (unsigned block = 0; block < BLOCKS; block++) {
            double noise = 1 + 0.003 * ((double)random_below(random, 2000) / 1000 - 1);
            char name[20];
            snprintf(name, sizeof name, "block %u", block);
            add(i, name, FIGURES_LATENCY, 90 * drift * noise);
        }
    }
}

static size_t odd_boots(size_t *last)
{
    const struct baseline_limits limits = {.latency = 0.05, .rate = 0.1};
    size_t odd = 0;

    figures_start(&middle, middle_one, BLOCKS + 8);
    boots_middle(boot, BOOTS, &room.then, &middle);
    for (size_t i = 0; i < BOOTS; i++) {
        struct baseline_result result;
        baseline_compare(&middle, &boot[i], &limits, &room, &result);
        odd += result.counts[BASELINE_WORSE] != 0;
        *last = result.counts[BASELINE_WORSE] != 0 ? i : *last;
    }
    return odd;
}

static void honest_boots_do_not_differ(void **state)
{
    struct random random;
    size_t last = 0;

    (void)state;
    random_start(&random, 1);
    for (unsigned board = 0; board < 200; board++) {
        draw_boots(&random);
        assert_int_equal(odd_boots(&last), 0);
        assert_int_equal(middle.count, BLOCKS);
    }
}

/* A module that one boot has configured slower: a difference, with a spread as a number. */
static void a_slower_module_is_found(void **state)
{
    struct boots_spread spread;
    struct random random;
    size_t last = 0;

    (void)state;
    random_start(&random, 4);
    draw_boots(&random);
    for (size_t i = 0; i < BOOTS; i++) {
        struct figures_one *one = &boot[i].one[boot[i].count++];
        *one = (struct figures_one){.name = "speed A1", .kind = FIGURES_SPEED, .value = 4800};
        one->low = one->high = one->value = i == 6 ? 4400 : 4800;
    }
    assert_int_equal(odd_boots(&last), 1);
    assert_int_equal(last, 6);
    boots_spread(boot, BOOTS, &middle.one[middle.count - 1], &spread);
    assert_string_equal(middle.one[middle.count - 1].name, "speed A1");
    assert_true(middle.one[middle.count - 1].value == 4800);
    assert_true(spread.low == 4400 && spread.high == 4800);
    assert_int_equal(spread.low_boot, 6);
}

/* The first as well as any other: no boot is the reference. */
static void the_odd_boot_is_found_whichever_it_is(void **state)
{
    struct random random;
    size_t last = 0;

    (void)state;
    random_start(&random, 2);
    for (size_t odd = 0; odd < BOOTS; odd++) {
        draw_boots(&random);
        add(odd, "lines 17^21=1", FIGURES_DIFFERENCE, 5.2);
        assert_int_equal(odd_boots(&last), 1);
        assert_int_equal(last, odd);
        draw_boots(&random);
        of_boot[odd][3].value *= 1.09;
        assert_int_equal(odd_boots(&last), 1);
        assert_int_equal(last, odd);
        /* One that is faster by as much makes none of the others slow. */
        draw_boots(&random);
        of_boot[odd][3].value *= 0.91;
        assert_int_equal(odd_boots(&last), 0);
    }
}

static void a_boot_that_trained_anew_took_longer(void **state)
{
    double s[BOOTS_MAX] = {0};
    bool longer[BOOTS_MAX];
    struct boots_times times;
    size_t count = 0;

    (void)state;
    boots_firmware(s, 0, &times, longer);
    assert_int_equal(times.count, 0);
    for (size_t i = 0; i < BOOTS_MAX; i++)
        s[i] = i % 5 == 4 ? 0 : 12 + 0.1 * (double)(i % 7);
    s[17] = 15.3;
    s[40] = 15.4;
    boots_firmware(s, BOOTS_MAX, &times, longer);
    for (size_t i = 0; i < BOOTS_MAX; i++)
        count += longer[i];
    assert_int_equal(count, 1); /* 12.3 and a quarter are 15.375 */
    assert_true(longer[40]);
    assert_true(times.middle_s > 12.25 && times.middle_s < 12.35);
    assert_true(times.low_s == 12 && times.high_s == 15.4);
    assert_int_equal(times.high_boot, 40);
    assert_int_equal(times.low_boot, 0);
    assert_int_equal(times.count, BOOTS_MAX - BOOTS_MAX / 5);
    /* Of firmware that is quick a second is the least. */
    s[0] = 2;
    s[1] = 2.9;
    s[2] = 2;
    boots_firmware(s, 3, &times, longer);
    assert_false(longer[0] || longer[1] || longer[2]);
    s[1] = 3.1;
    boots_firmware(s, 3, &times, longer);
    assert_true(longer[1] && !longer[0] && !longer[2]);
    /* One that is not known is not short, and makes no other one long. */
    s[0] = s[2] = 0;
    boots_firmware(s, 3, &times, longer);
    assert_int_equal(times.count, 1);
    assert_false(longer[0] || longer[1] || longer[2]);
}

static struct figures_one *add_lines(size_t i, double ns)
{
    add(i, "lines 17^21=1", FIGURES_DIFFERENCE, ns);
    boot[i].one[boot[i].count - 1].against_ns = 90;
    return &boot[i].one[boot[i].count - 1];
}

/* Some boots tell it and others do not: as much as is not told may be in all of them. */
static void what_some_boots_tell_is_no_odd_boot(void **state)
{
    struct random random;
    size_t last = 0;

    (void)state;
    random_start(&random, 4);
    for (size_t telling = 1; telling < BOOTS; telling++) {
        draw_boots(&random);
        for (size_t i = 0; i < telling; i++)
            (void)add_lines(i, 1.1 + 0.01 * (double)i);
        assert_int_equal(odd_boots(&last), 0);
    }
    draw_boots(&random);
    for (size_t i = 0; i < 9; i++)
        (void)add_lines(i, i == 5 ? 5.9 : 1.1);
    assert_int_equal(odd_boots(&last), 1);
    assert_int_equal(last, 5);
}

/* As where refreshes begin elsewhere in each boot: either half of the lines may be the slower one.
 */
static void what_many_boots_tell_in_either_way_is_no_odd_boot(void **state)
{
    struct random random;
    size_t last = 0;

    (void)state;
    random_start(&random, 8);
    for (unsigned board = 0; board < 50; board++) {
        draw_boots(&random);
        for (size_t i = 0; i < BOOTS; i++) {
            double ns = (double)random_below(&random, 24000) / 1000 - 12;
            if (ns > 1.3)
                (void)add_lines(i, ns);
            else if (ns < -1.3)
                add_lines(i, -ns)->name[12] = '0';
        }
        assert_int_equal(odd_boots(&last), 0);
    }
    draw_boots(&random);
    for (size_t i = 0; i < 7; i++)
        add_lines(i, 8)->name[12] = i < 3 ? '1' : '0';
    assert_int_equal(odd_boots(&last), 0);
    add_lines(7, 8)->name[6] = '2';
    assert_int_equal(odd_boots(&last), 1);
    assert_int_equal(last, 7);
}

/* Errors are of one boot; refreshes begin elsewhere in the next. */
static void what_boots_are_apart_by_is_allowed(void **state)
{
    struct random random;
    size_t last = 0;

    (void)state;
    random_start(&random, 5);
    for (size_t odd = 0; odd < BOOTS; odd++) {
        draw_boots(&random);
        for (size_t i = 0; i < BOOTS; i++)
            (void)add_lines(i, 4 + (double)random_below(&random, 2000) / 1000);
        assert_int_equal(odd_boots(&last), 0);
        of_boot[odd][BLOCKS].value += 7;
        assert_int_equal(odd_boots(&last), 1);
        assert_int_equal(last, odd);
    }
}

/* Boards that come up in two ways: what some of the boots have in common is not honest scatter. */
static void several_odd_boots_are_all_found(void **state)
{
    struct random random;
    size_t last = 0;

    (void)state;
    random_start(&random, 7);
    for (size_t odd = 1; odd < BOOTS / 2; odd++) {
        draw_boots(&random);
        for (size_t i = 0; i < odd; i++)
            of_boot[2 * i][3].value *= 1.09;
        assert_int_equal(odd_boots(&last), odd);
    }
}

/* The others of the lines may be slower instead. */
static void lines_that_are_no_longer_slower_are_left_open(void **state)
{
    const struct baseline_limits limits = {.latency = 0.05, .rate = 0.1, .alike = true};
    const struct baseline_limits other_board = {.latency = 0.05, .rate = 0.1};
    struct baseline_result result;
    struct random random;
    char words[200];
    struct text text;

    (void)state;
    random_start(&random, 6);
    draw_boots(&random);
    for (size_t i = 1; i < BOOTS; i++)
        (void)add_lines(i, i == 1 ? 1 : 4);
    figures_start(&middle, middle_one, BLOCKS + 8);
    boots_middle(boot, BOOTS, &room.then, &middle);
    for (size_t i = 0; i < BOOTS; i++) {
        baseline_compare(&middle, &boot[i], &limits, &room, &result);
        assert_int_equal(result.counts[BASELINE_DOUBTED], i < 2);
        assert_int_equal(result.counts[BASELINE_WORSE], 0);
        text_start(&text, words, sizeof words);
        if (i < 2)
            baseline_words(&result.told[0], &text);
        if (i < 2)
            assert_non_null(strstr(words, i == 0 ? "17^21=1: 0.00 instead of 4.00 ns slower"
                                                 : "17^21=1: 1.00 instead of 4.00 ns slower"));
    }
    baseline_compare(&middle, &boot[0], &other_board, &room, &result);
    assert_int_equal(result.counts[BASELINE_DOUBTED], 0);
}

static void spreads_name_the_ends(void **state)
{
    struct boots_spread spread;
    struct random random;

    (void)state;
    random_start(&random, 3);
    draw_boots(&random);
    of_boot[4][0].value = 50;
    of_boot[9][0].value = 150;
    boots_spread(boot, BOOTS, &of_boot[0][0], &spread);
    assert_int_equal(spread.count, BOOTS);
    assert_true(spread.low == 50 && spread.high == 150);
    assert_int_equal(spread.low_boot, 4);
    assert_int_equal(spread.high_boot, 9);
}

static void verdicts_of_the_last_boots_are_counted(void **state)
{
    static const char history[] = "boot,run,status,verdict,conclusive\n"
                                  "1,1,ok,SUSPECT,yes\n2,2,failed,OK,no\n"
                                  "1,3,ok,SUSPECT,yes\n2,4,ok,INCOMPLETE,no\n"
                                  "3,5,ok,SUSPECT,yes\n";

    (void)state;
    assert_int_equal(soak_with_verdict(history, sizeof history - 1, 3, "SUSPECT"), 2);
    assert_int_equal(soak_with_verdict(history, sizeof history - 1, 2, "SUSPECT"), 1);
    assert_int_equal(soak_with_verdict(history, sizeof history - 1, 99, "SUSPECT"), 3);
    assert_int_equal(soak_with_verdict(history, sizeof history - 1, 99, "ok"), 0);
    assert_int_equal(soak_with_verdict(NULL, 0, 5, "SUSPECT"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_reads_back),
        cmocka_unit_test(half_written_is_not_taken),
        cmocka_unit_test(the_newer_slot_counts_and_the_other_is_next),
        cmocka_unit_test(a_torn_line_is_seen),
        cmocka_unit_test(a_line_that_is_missing_before_the_last_is_no_torn_one),
        cmocka_unit_test(an_edit_before_the_last_line_is_seen),
        cmocka_unit_test(line_ends_of_an_editor_are_no_other_history),
        cmocka_unit_test(a_history_that_is_missing_is_told),
        cmocka_unit_test(boots_are_counted_once),
        cmocka_unit_test(the_watchdog_stays_off_after_some_in_a_row),
        cmocka_unit_test(where_it_is_is_told_seldom),
        cmocka_unit_test(where_it_is_in_words),
        cmocka_unit_test(lines_have_the_headers_columns),
        cmocka_unit_test(boots_are_read_from_the_history),
        cmocka_unit_test(histories_of_other_versions_are_told),
        cmocka_unit_test(boards_have_names_that_fat_takes),
        cmocka_unit_test(honest_boots_do_not_differ),
        cmocka_unit_test(the_odd_boot_is_found_whichever_it_is),
        cmocka_unit_test(a_boot_that_trained_anew_took_longer),
        cmocka_unit_test(a_slower_module_is_found),
        cmocka_unit_test(what_some_boots_tell_is_no_odd_boot),
        cmocka_unit_test(what_many_boots_tell_in_either_way_is_no_odd_boot),
        cmocka_unit_test(what_boots_are_apart_by_is_allowed),
        cmocka_unit_test(several_odd_boots_are_all_found),
        cmocka_unit_test(lines_that_are_no_longer_slower_are_left_open),
        cmocka_unit_test(spreads_name_the_ends),
        cmocka_unit_test(verdicts_of_the_last_boots_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
