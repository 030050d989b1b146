/* SPDX-License-Identifier: BSD-2-Clause */
/* Sentences from a format, against the C library's where both know the conversion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

#include <cmocka.h>

#include "core/lib/random.h"
#include "core/lib/text.h"

/* The same arguments to both. */
#define EXPECT_SAME(...)                              \
    do {                                              \
        char theirs[500], ours[500];                  \
        snprintf(theirs, sizeof theirs, __VA_ARGS__); \
        text_print(ours, sizeof ours, __VA_ARGS__);   \
        assert_string_equal(ours, theirs);            \
    } while (0)

static struct random state_of_random = {0x9e3779b97f4a7c15ull};

/* Every length in bits equally likely. */
static uint64_t any_u64(void)
{
    uint64_t bits = random_next(&state_of_random);

    return bits >> random_next(&state_of_random) % 64;
}

static void whole_numbers_are_the_c_librarys(void **state)
{
    (void)state;
    for (int i = 0; i < 100000; i++) {
        uint64_t a = any_u64(), b = any_u64();
        int64_t c = (int64_t)random_next(&state_of_random) >> any_u64() % 64;

        EXPECT_SAME("%lu points of %lu", a, b);
        EXPECT_SAME("%u%u", (unsigned)a, (unsigned)b);
        EXPECT_SAME("%ld %d.", c, (int)c);
        EXPECT_SAME("0x%lx, 0x%x", a, (unsigned)b);
        EXPECT_SAME("%zu", (size_t)a);
    }
    EXPECT_SAME("%lu %ld %ld %d", UINT64_MAX, INT64_MAX, INT64_MIN, INT32_MIN);
    EXPECT_SAME("%u %lu %d 0x%x 0x%lx", 0u, 0ul, 0, 0u, 0ul);
}

static void decimals_are_the_c_librarys(void **state)
{
    (void)state;
    for (int i = 0; i < 50000; i++) {
        double value = ((double)any_u64() - (double)any_u64()) / 1024;

        EXPECT_SAME("%.0f", value);
        EXPECT_SAME("%.1f ns, %.2f %%", value, value / 1e6);
        EXPECT_SAME("%.3f%.9f%.17f", value, value / 1e9, value / 1e12);
    }
    EXPECT_SAME("%.1f %.1f %.2f", -0.0, (double)INFINITY, (double)-INFINITY);
    EXPECT_SAME("%.2f", (double)NAN);
    EXPECT_SAME("%.17f", 1.7976931348623157e308);
}

static void words_and_characters(void **state)
{
    const char *volatile none = NULL; /* the compiler must not know */
    char printed[40];

    (void)state;
    EXPECT_SAME("nothing in it");
    EXPECT_SAME("%s", "");
    EXPECT_SAME("%s=%s%c", "load", "plain", ';');
    EXPECT_SAME("%c%c 100 %% of %s%%", 'a', '%', "all");
    text_print(printed, sizeof printed, "a%sb%3sc", none, none);
    assert_string_equal(printed, "ab   c");
}

static void widths_are_the_c_librarys(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
        uint64_t a = any_u64();

        EXPECT_SAME("%3lu|%12lu|%-12lu|%20lu", a, a, a, a);
        EXPECT_SAME("%02lu:%02u %016lx %08x", a % 100, (unsigned)(a % 60), a, (unsigned)a);
        EXPECT_SAME("%-4d%6ld|", (int)a, (long)a);
    }
    EXPECT_SAME("%8s|%-8s|%2s|%-2s|", "word", "word", "word", "word");
}

static void sizes_and_counts_are_two_things(void **state)
{
    uint64_t number = 1536;
    char printed[80];

    (void)state;
    text_print(printed, sizeof printed, "%lu points of %s", number, TEXT_SIZE(number));
    assert_string_equal(printed, "1536 points of 1.5K");
    text_print(printed, sizeof printed, "from %s to %6s|", TEXT_SIZE(4096), TEXT_SIZE(3ull << 30));
    assert_string_equal(printed, "from 4K to     3G|");
    /* The longest one. */
    text_print(printed, sizeof printed, "%s", TEXT_SIZE((1ull << 50) - (1ull << 37)));
    assert_string_equal(printed, "1023.875T");
    for (int i = 0; i < 100000; i++) {
        char expected[40];
        struct text text;
        uint64_t bytes = any_u64();

        text_start(&text, expected, sizeof expected);
        text_size(&text, bytes);
        text_print(printed, sizeof printed, "%s", TEXT_SIZE(bytes));
        assert_string_equal(printed, expected);
    }
}

static void what_does_not_fit_is_cut(void **state)
{
    static const char whole[] = "set of 48K: 1234567890 ns,      7 -12 0x1f 1.50 words";

    (void)state;
    for (size_t capacity = 1; capacity < sizeof whole + 3; capacity++) {
        char *buffer = malloc(capacity); /* the address sanitizer watches its end */
        size_t fits = capacity - 1 < sizeof whole - 1 ? capacity - 1 : sizeof whole - 1;
        struct text text;

        text_start(&text, buffer, capacity);
        text_format(&text, "set of %s: %lu ns, %6u %d", TEXT_SIZE(48 << 10), 1234567890ul, 7u, -12);
        text_format(&text, " 0x%x %.2f %-5s", 0x1fu, 1.5, "words");
        assert_int_equal(text.used, fits);
        assert_int_equal(text.cut, capacity < sizeof whole);
        assert_memory_equal(buffer, whole, fits);
        assert_int_equal(buffer[fits], '\0');
        text_print(buffer, capacity, "%s", whole);
        assert_memory_equal(buffer, whole, fits);
        assert_int_equal(buffer[fits], '\0');
        free(buffer);
    }
}

static void a_format_adds_to_what_is_there(void **state)
{
    char buffer[40];
    struct text text;

    (void)state;
    text_start(&text, buffer, sizeof buffer);
    text_add(&text, "L1");
    text_format(&text, " %u", 48u);
    text_format(&text, "%s", "K");
    assert_string_equal(buffer, "L1 48K");
    text = text_open(buffer, sizeof buffer, "L%u", 2u);
    text_format(&text, ", %s", TEXT_SHORTEST(0.1));
    assert_string_equal(buffer, "L2, 0.1");
    text_print(buffer, sizeof buffer, "%s", TEXT_SHORTEST(-2.2250738585072014e-308));
    assert_string_equal(buffer, "-2.2250738585072014e-308");
}

/* Nothing is read beyond the format's end. */
static void an_unfinished_conversion_ends(void **state)
{
    static const char *const unfinished[] = {"%", "%l", "%-", "%-12", "%.", "%.3", "%0"};

    (void)state;
    for (size_t i = 0; i < sizeof unfinished / sizeof unfinished[0]; i++) {
        char *format = strdup(unfinished[i]), buffer[20];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-security"
        text_print(buffer, sizeof buffer, format);
#pragma GCC diagnostic pop
        assert_string_equal(buffer, "");
        free(format);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers_are_the_c_librarys),
        cmocka_unit_test(decimals_are_the_c_librarys),
        cmocka_unit_test(words_and_characters),
        cmocka_unit_test(widths_are_the_c_librarys),
        cmocka_unit_test(sizes_and_counts_are_two_things),
        cmocka_unit_test(what_does_not_fit_is_cut),
        cmocka_unit_test(a_format_adds_to_what_is_there),
        cmocka_unit_test(an_unfinished_conversion_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
