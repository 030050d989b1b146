/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps of a march test over the host's memory, and what they enter of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/support_hooks.h"

#undef KERNEL_FLUSH
#define KERNEL_FLUSH(address) flushed(address)

static uintptr_t spoilt; /* the word there reads right again after a flush; 0: none */
static uint64_t spoilt_bits;

static inline void flushed(uintptr_t line)
{
    if (spoilt != 0 && (spoilt & ~63ull) == line) {
        *(uint64_t *)spoilt ^= spoilt_bits;
        spoilt = 0;
    }
}

#include "core/chase/kernels.h"

#define LINES 5000u

static struct march_errors errors;
static struct bijection shuffle;
static uint64_t *memory;
static struct window w;

static const struct march_data address = {MARCH_ADDRESS, false},
                               not_address = {MARCH_ADDRESS, true}, hashed = {MARCH_RANDOM, false},
                               lanes = {MARCH_LANES, false};

static int start(void **state)
{
    (void)state;
    (void)kernel_chase;
    (void)kernel_probe;
    (void)kernel_pairs;
    (void)kernel_singles;
    (void)kernel_reads;
    (void)kernel_build;
    (void)kernel_fill;
    memory = aligned_alloc(64, LINES * 64);
    w = (struct window){.base = (uintptr_t)memory, .bytes = LINES * 64};
    memset(memory, 0xee, LINES * 64);
    march_errors_start(&errors, LINES);
    bijection_start(&shuffle, LINES, 3);
    spoilt = 0;
    return 0;
}

static int stop(void **state)
{
    (void)state;
    free(memory);
    return 0;
}

static void march(enum march_order order, const struct march_data *expected,
                  const struct march_data *written)
{
    struct march_step step = {.lines = LINES,
                              .key = 77,
                              .order = order,
                              .shuffle = &shuffle,
                              .expected = expected,
                              .written = written,
                              .errors = &errors};

    /* In shares, as a machine cuts it. */
    kernel_march(&step, &w, 0, 1);
    kernel_march(&step, &w, 1, 1700);
    kernel_march(&step, &w, 1700, LINES);
}

static void every_order_reaches_every_line_once(void **state)
{
    (void)state;
    march(MARCH_UP, NULL, &address);
    march(MARCH_DOWN, &address, &not_address);
    march(MARCH_SHUFFLED, &not_address, &hashed);
    march(MARCH_DOWN, &hashed, &lanes);
    march(MARCH_UP, &lanes, NULL);
    assert_int_equal(errors.events, 0);
    /* A line that was left out, or visited twice, would hold what it held before. */
    march(MARCH_UP, &hashed, NULL);
    assert_true(errors.events > LINES);
}

static void data_is_what_it_says(void **state)
{
    (void)state;
    march(MARCH_UP, NULL, &address);
    assert_int_equal(memory[8 * 41 + 3], 64 * 41 + 24);
    march(MARCH_UP, NULL, &not_address);
    assert_int_equal(memory[8 * 41 + 3], ~(64ull * 41 + 24));
    march(MARCH_UP, NULL, &lanes);
    for (unsigned i = 0; i < 8 * LINES; i += 2) {
        uint64_t lane = memory[i];
        assert_true(lane != 0 && (lane & (lane - 1)) == 0);
        assert_int_equal(memory[i + 1], ~lane);
        assert_int_equal(memory[i], memory[i - i % 8]);
    }
    march(MARCH_UP, NULL, &hashed);
    for (unsigned i = 1; i < 8 * LINES; i++)
        assert_int_not_equal(memory[i], memory[i - 1]);
}

static void a_bad_word_is_entered_where_it_is(void **state)
{
    static const enum march_order orders[] = {MARCH_UP, MARCH_DOWN, MARCH_SHUFFLED};

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        march(MARCH_UP, NULL, &hashed);
        memory[8 * 1234 + 5] ^= 0x10;
        errors.step = i;
        march(orders[i], &hashed, NULL);
    }
    assert_int_equal(errors.events, 3);
    assert_int_equal(errors.count, 1);
    assert_int_equal(errors.word[0].offset, 64 * 1234 + 40);
    assert_int_equal(errors.word[0].bits, 0x10);
    assert_int_equal(errors.word[0].steps, 7);
    assert_int_equal(errors.word[0].stored, 3);
    assert_int_equal(errors.word[0].read ^ errors.word[0].expected, 0x10);
    assert_int_equal(errors.word[0].reread, errors.word[0].read);
    assert_int_equal(errors.lanes[4], 3);
    assert_int_equal(errors.piece[1234 / errors.piece_lines].events, 3);
    assert_int_equal(errors.piece[1234 / errors.piece_lines].first, 1234);
    assert_int_equal(errors.piece[1234 / errors.piece_lines].last, 1234);
}

static void what_reads_right_again_was_not_stored(void **state)
{
    (void)state;
    march(MARCH_UP, NULL, &hashed);
    spoilt = (uintptr_t)&memory[8 * 99 + 1];
    spoilt_bits = 1ull << 63;
    memory[8 * 99 + 1] ^= spoilt_bits;
    march(MARCH_UP, &hashed, NULL);
    assert_int_equal(errors.events, 1);
    assert_int_equal(errors.word[0].stored, 0);
    assert_int_equal(errors.word[0].reread_events, 1);
    assert_int_equal(errors.word[0].reread, errors.word[0].expected);
    assert_int_not_equal(errors.word[0].read, errors.word[0].expected);
}

/* All of memory is bad: words are listed in many places, and all events are counted. */
static void there_is_an_end_to_what_is_listed(void **state)
{
    uint64_t events = 0;

    (void)state;
    march(MARCH_UP, &hashed, NULL);
    assert_int_equal(errors.events, 8 * LINES);
    assert_int_equal(errors.count, MARCH_WORDS_MAX);
    assert_int_equal(errors.unlisted, 8 * LINES - MARCH_WORDS_MAX);
    for (unsigned i = 0; i < errors.pieces; i++)
        events += errors.piece[i].events;
    assert_int_equal(events, 8 * LINES);
    assert_true(errors.word[MARCH_WORDS_MAX - 1].offset >=
                64 * (MARCH_WORDS_MAX / MARCH_PIECE_WORDS - 1) * errors.piece_lines);
    assert_false(march_rereads(&errors, 64 * (LINES - 1)));
}

/* A device writes a page once; a cell of that page goes on being wrong, and is listed. */
static void what_goes_on_being_wrong_gets_a_place(void **state)
{
    const struct march_word *found = NULL;

    (void)state;
    march_errors_start(&errors, MARCH_PIECES_MAX * 64);
    errors.step = 2;
    for (uint64_t i = 0; i < 511; i++)
        march_enter(&errors, i * 8, 1, 0, NULL);
    assert_int_equal(errors.count, MARCH_PIECE_WORDS);
    assert_false(march_rereads(&errors, 4088));
    for (errors.step = 3; errors.step < 6; errors.step++)
        march_enter(&errors, 4088, 8, 0, NULL);
    assert_int_equal(errors.count, MARCH_PIECE_WORDS);
    for (uint32_t i = 0; i < errors.count; i++)
        if (errors.word[i].offset == 4088)
            found = &errors.word[i];
    assert_non_null(found);
    assert_int_equal(found->events, 3);
    assert_int_equal(errors.events, 514);
    assert_int_equal(errors.unlisted, 514 - 3 - (MARCH_PIECE_WORDS - 1));
    assert_int_equal(errors.piece[0].listed, MARCH_PIECE_WORDS);
    errors.step = 6;
    for (uint64_t i = 0; i < 20; i++)
        march_enter(&errors, i * 8, 1, 0, NULL);
    march_enter(&errors, 4088, 8, 0, NULL);
    assert_int_equal(found->offset, 4088);
    assert_int_equal(found->events, 4);
}

static void pieces_cover_any_window(void **state)
{
    (void)state;
    for (uint64_t lines = 1; lines < 1ull << 40; lines = lines * 3 + 1) {
        march_errors_start(&errors, lines);
        assert_true(errors.pieces <= MARCH_PIECES_MAX);
        assert_true(errors.pieces * errors.piece_lines >= lines);
        march_enter(&errors, (lines - 1) * 64, 0, 1, NULL);
        assert_int_equal(errors.piece[errors.pieces - 1].events, 1);
    }
}

static void a_list_is_all_that_is_tested(void **state)
{
    static const uint64_t list[] = {7, 4000, 12};
    struct march_step step = {
        .lines = 3, .order = MARCH_LISTED, .list = list, .written = &address, .errors = &errors};

    (void)state;
    kernel_march(&step, &w, 0, 3);
    for (unsigned line = 0; line < LINES; line++)
        assert_int_equal(memory[8 * line] == 64ull * line, line == 7 || line == 12 || line == 4000);
}

/* ---- on several CPUs at once */

static struct march_share shared;

/* As so many CPUs take it, the one with the last part first: each its part in one call. */
static void march_shared(struct march_step *step, uint32_t parts)
{
    const struct march_found *found;
    uint64_t from = 0;

    step->share = &shared;
    shared.count = 0;
    for (uint32_t part = parts; part-- != 0;)
        kernel_march(step, &w, step->lines * part / parts, step->lines * (part + 1) / parts);
    step->share = NULL;
    while ((found = march_found_from(&shared, from)) != NULL) {
        march_enter_found(step, found);
        kernel_march(step, &w, found->pos + 1, found->end);
        from = found->pos + 1;
    }
}

/* Every so many words hold what they should not. */
static void spoil_every(uint32_t words)
{
    for (uint32_t i = words / 2; i < LINES * 8; i += words)
        memory[i] ^= 1ull << i % 64;
}

static void march_spoilt(uint32_t parts, uint32_t words)
{
    struct march_step step = {.lines = LINES, .key = 77, .shuffle = &shuffle, .errors = &errors};
    static const struct {
        enum march_order order;
        const struct march_data *expected, *written;
    } steps[] = {{MARCH_UP, &address, &not_address},   {MARCH_DOWN, &not_address, &hashed},
                 {MARCH_SHUFFLED, &hashed, &address},  {MARCH_UP, &address, &not_address},
                 {MARCH_DOWN, &not_address, &address}, {MARCH_UP, &address, NULL}};

    march_errors_start(&errors, LINES);
    march(MARCH_UP, NULL, &address);
    for (uint32_t i = 0; i < 6; i++) {
        errors.step = i;
        /* Some often enough not to be read again each time, others once. */
        spoil_every(words);
        spoil_every(words + 2 + i);
        step.order = steps[i].order;
        step.expected = steps[i].expected;
        step.written = steps[i].written;
        if (parts == 0)
            kernel_march(&step, &w, 0, LINES);
        else
            march_shared(&step, parts);
    }
}

/* Whether there is room for all that is wrong, on the list and among what is kept, or not. */
static void errors_are_the_same_on_any_number_of_cpus(void **state)
{
    static const uint32_t words[] = {4999, 301, 60, 7, 1}, parts[] = {1, 2, 4, 64, 256};
    static struct march_errors alone;
    static uint64_t left[LINES * 8];

    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        march_spoilt(0, words[i]);
        alone = errors;
        memcpy(left, memory, sizeof left);
        assert_true(alone.events > 7);
        for (unsigned k = 0; k < 5; k++) {
            march_spoilt(parts[k], words[i]);
            assert_memory_equal(&errors, &alone, sizeof alone);
            assert_memory_equal(memory, left, sizeof left);
        }
    }
}

/* What reads right again is kept as it was read, however it reads by then. */
static void what_a_transfer_spoilt_is_kept(void **state)
{
    struct march_step step = {
        .lines = LINES, .order = MARCH_UP, .expected = &address, .errors = &errors};

    (void)state;
    march(MARCH_UP, NULL, &address);
    spoilt = (uintptr_t)&memory[2000 * 8 + 5];
    spoilt_bits = 0x30;
    memory[2000 * 8 + 5] ^= spoilt_bits;
    march_shared(&step, 4);
    assert_int_equal(errors.count, 1);
    assert_int_equal(errors.word[0].bits, 0x30);
    assert_int_equal(errors.word[0].stored, 0);
    assert_int_equal(errors.word[0].reread_events, 1);
    assert_int_equal(errors.word[0].reread, errors.word[0].expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_order_reaches_every_line_once, start, stop),
        cmocka_unit_test_setup_teardown(data_is_what_it_says, start, stop),
        cmocka_unit_test_setup_teardown(a_bad_word_is_entered_where_it_is, start, stop),
        cmocka_unit_test_setup_teardown(what_reads_right_again_was_not_stored, start, stop),
        cmocka_unit_test_setup_teardown(there_is_an_end_to_what_is_listed, start, stop),
        cmocka_unit_test_setup_teardown(what_goes_on_being_wrong_gets_a_place, start, stop),
        cmocka_unit_test_setup_teardown(pieces_cover_any_window, start, stop),
        cmocka_unit_test_setup_teardown(a_list_is_all_that_is_tested, start, stop),
        cmocka_unit_test_setup_teardown(errors_are_the_same_on_any_number_of_cpus, start, stop),
        cmocka_unit_test_setup_teardown(what_a_transfer_spoilt_is_kept, start, stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
