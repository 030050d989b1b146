/* SPDX-License-Identifier: BSD-2-Clause */
/* The text buffer, numbers to text and back, against the C library's own conversions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

#include <cmocka.h>

#include "core/lib/status.h"
#include "core/lib/text.h"

#define PATTERNS 100000

static uint64_t random_state = 0x9e3779b97f4a7c15ull;

/* splitmix64 */
static uint64_t random_next(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15ull;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static double double_of(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/* The significant digits of a number in text, without leading and trailing zeros. */
static int significant_digits(const char *text)
{
    int count = 0, zeros = 0;

    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (count == 0 && *text == '0'))
            continue;
        zeros = *text == '0' ? zeros + 1 : 0;
        count++;
    }
    return count - zeros;
}

static void check_shortest(double value)
{
    char buffer[40], shorter[40];
    struct text text;
    double back;
    int digits;

    text_start(&text, buffer, sizeof(buffer));
    text_shortest(&text, value);
    assert_false(text.cut);
    if (bits_of(strtod(buffer, NULL)) != bits_of(value))
        fail_msg("%a written as %s", value, buffer);
    /* One in eight: reading is the slow half, and has its own test. */
    if (random_state % 8 == 0 &&
        (!text_read_double(buffer, text.used, &back) || bits_of(back) != bits_of(value)))
        fail_msg("%a written as %s read as %a", value, buffer, back);
    digits = significant_digits(buffer);
    if (digits > 1) {
        snprintf(shorter, sizeof(shorter), "%.*e", digits - 2, value);
        if (strtod(shorter, NULL) == value)
            fail_msg("%s is shorter than %s", shorter, buffer);
    }
}

static void shortest_reads_back(void **state)
{
    (void)state;
    for (int i = 0; i < PATTERNS; i++) {
        double value = double_of(random_next());

        if (isfinite(value))
            check_shortest(value);
    }
    for (int e = -1074; e < 1024; e++) {
        check_shortest(ldexp(1, e));
        check_shortest(nextafter(ldexp(1, e), 0));
        check_shortest(nextafter(ldexp(1, e), INFINITY) > 1.7e308 ? 1 : -ldexp(1.5, e > 0 ? e : 1));
    }
    for (int i = 0; i < 20000; i++)
        check_shortest((double)(random_next() % 1000000) / 1000);
}

static void expect_shortest(double value, const char *words)
{
    char buffer[40];
    struct text text;

    text_start(&text, buffer, sizeof(buffer));
    text_shortest(&text, value);
    assert_string_equal(buffer, words);
}

static void shortest_is_written_plainly(void **state)
{
    (void)state;
    expect_shortest(0, "0");
    expect_shortest(-0.0, "-0");
    expect_shortest(100, "100");
    expect_shortest(0.1, "0.1");
    expect_shortest(1.5e-9, "1.5e-9");
    expect_shortest(-12.75, "-12.75");
    expect_shortest(1e21, "1e21");
    expect_shortest(123456789012345680000.0, "123456789012345680000");
    expect_shortest(0.000001, "0.000001");
    expect_shortest(0.0000001, "1e-7");
    expect_shortest(5e-324, "5e-324");
    expect_shortest(1e23, "1e23");
    expect_shortest(9007199254740993.0, "9007199254740992");
    expect_shortest(1.7976931348623157e308, "1.7976931348623157e308");
    expect_shortest(5.684341886080802e-14, "5.684341886080802e-14");
    expect_shortest(NAN, "nan");
    expect_shortest(-INFINITY, "-inf");
}

static void check_fixed(double value, unsigned decimals)
{
    char buffer[400], expected[400];
    struct text text;

    text_start(&text, buffer, sizeof(buffer));
    text_fixed(&text, value, decimals);
    snprintf(expected, sizeof(expected), "%.*f", (int)decimals, value);
    assert_false(text.cut);
    assert_string_equal(buffer, expected);
}

static void fixed_is_correctly_rounded(void **state)
{
    static const double ties[] = {0.5, 1.5, 2.5, 0.125, 0.375, 1e15 + 0.5, 0, -0.0, -2.5};

    (void)state;
    for (size_t i = 0; i < sizeof(ties) / sizeof(ties[0]); i++)
        for (unsigned d = 0; d <= 17; d++)
            check_fixed(ties[i], d);
    for (int i = 0; i < 100000; i++) {
        double value = double_of(random_next());

        check_fixed((double)(random_next() % 2000001) / 4096, (unsigned)(random_next() % 18));
        check_fixed((double)(random_next() % 65536) / 16, (unsigned)(random_next() % 4));
        if (isfinite(value) && i % 10 == 0)
            check_fixed(value, (unsigned)(random_next() % 18));
    }
    check_fixed(1.7976931348623157e308, 17);
    check_fixed(5e-324, 17);
    check_fixed(INFINITY, 2);
    check_fixed(-INFINITY, 2);
}

static void check_read(const char *words)
{
    double value = -1, expected = strtod(words, NULL);

    if (!isfinite(expected)) {
        assert_false(text_read_double(words, strlen(words), &value));
        return;
    }
    if (!text_read_double(words, strlen(words), &value) || bits_of(value) != bits_of(expected))
        fail_msg("%s read as %a, should be %a", words, value, expected);
}

static void doubles_are_read_to_the_last_bit(void **state)
{
    char words[1100];

    (void)state;
    for (int i = 0; i < 100000; i++) {
        int exponent = (int)(random_next() % 700) - 360;

        snprintf(words, sizeof(words), "%llu.%llue%d", (unsigned long long)random_next(),
                 (unsigned long long)random_next(), exponent);
        check_read(words);
        snprintf(words, sizeof(words), "%llu", (unsigned long long)(random_next() % 1000));
        check_read(words);
    }
    /* Exact halfway points between two doubles, then a hair above and below. */
    for (int i = 0; i < 3000; i++) {
        double low = double_of(random_next() & 0x7fffffffffffffffull);
        size_t length;

        if (!isfinite(low) || low > 1e300)
            continue;
        /* %.0f of a long double is exact: 64 bits of mantissa hold the middle. */
        snprintf(words, sizeof(words), "%.780Le",
                 ((long double)low + (long double)nextafter(low, INFINITY)) / 2);
        check_read(words);
        length = strcspn(words, "e");
        words[length - 1] = '1';
        check_read(words);
    }
    check_read("2.4703282292062327208e-324");
    check_read("2.4703282292062327209e-324");
    check_read("1.7976931348623158e308");
    check_read("1.7976931348623159e308");
    check_read("1e999999999999999999999");
    check_read("1e-999999999999999999999");
    check_read("0e999999999");
    memset(words, '9', 1000);
    strcpy(words + 1000, "e-990");
    check_read(words);
}

static void wrong_doubles_are_refused(void **state)
{
    static const char *const wrong[] = {"",    "-",  ".",  "1.",  "1e",   "1e+", "1.2.3", "+1",
                                        "0x1", "1 ", " 1", "--1", "1e5x", "inf", "nan",   "1,5"};
    double value = 7;

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_false(text_read_double(wrong[i], strlen(wrong[i]), &value));
    assert_true(value == 7);
    assert_true(text_read_double(".5", 2, &value) && value == 0.5);
}

static void expect_size(uint64_t bytes, const char *words)
{
    char buffer[40];
    struct text text;

    text_start(&text, buffer, sizeof(buffer));
    text_size(&text, bytes);
    assert_string_equal(buffer, words);
}

static void sizes(void **state)
{
    uint64_t value;

    (void)state;
    expect_size(0, "0");
    expect_size(64, "64");
    expect_size(1000, "1000");
    expect_size(48 << 10, "48K");
    expect_size(3 << 19, "1.5M");
    expect_size(1152, "1.125K");
    expect_size(2ull << 30, "2G");
    expect_size(1025, "1.00K");
    expect_size(10300, "10.1K");
    expect_size((1ull << 30) - 1, "1G");
    expect_size(1000000, "977K");
    expect_size(UINT64_MAX, "16.0E");
    assert_true(text_read_size("1.5M", 4, &value) && value == 3 << 19);
    assert_true(text_read_size("48k", 3, &value) && value == 48 << 10);
    assert_true(text_read_size("0x1000", 6, &value) && value == 4096);
    assert_true(text_read_size("1.125T", 6, &value) && value == 9ull << 37);
    assert_true(text_read_size("16777215T", 9, &value));
    assert_false(text_read_size("16777216T", 9, &value));
    assert_false(text_read_size("1.3K", 4, &value));
    assert_false(text_read_size("K", 1, &value));
    assert_false(text_read_size("1.K", 3, &value));
    assert_false(text_read_size(".5K", 3, &value));
    assert_false(text_read_size("1.5", 3, &value));
    assert_false(text_read_size("4KB", 3, &value));
    assert_false(text_read_size("0x10K", 5, &value));
    assert_false(text_read_size("1.0x1K", 6, &value));
    for (int i = 0; i < 100000; i++) {
        uint64_t unit = 1ull << 10 * (1 + random_next() % 4);
        uint64_t bytes = (random_next() % 8191 + 1) * (unit / 8);
        char buffer[40];
        struct text text;

        text_start(&text, buffer, sizeof(buffer));
        text_size(&text, bytes);
        assert_true(text_read_size(buffer, text.used, &value));
        assert_int_equal(value, bytes);
    }
}

static void whole_numbers(void **state)
{
    char buffer[64], expected[64];
    struct text text;
    uint64_t value;

    (void)state;
    for (int i = 0; i < 100000; i++) {
        uint64_t n = random_next() >> random_next() % 64;

        text_start(&text, buffer, sizeof(buffer));
        text_format(&text, "%lu", n);
        assert_true(text_read_u64(buffer, text.used, &value) && value == n);
        text_format(&text, " %ld 0x%lx", (int64_t)n, n);
        snprintf(expected, sizeof(expected), "%llu %lld 0x%llx", (unsigned long long)n,
                 (long long)n, (unsigned long long)n);
        assert_string_equal(buffer, expected);
        assert_true(
            text_read_u64(strrchr(buffer, ' ') + 1, strlen(strrchr(buffer, ' ') + 1), &value) &&
            value == n);
    }
    text_print(buffer, sizeof(buffer), "%ld", INT64_MIN);
    assert_string_equal(buffer, "-9223372036854775808");
    assert_true(text_read_u64("18446744073709551615", 20, &value) && value == UINT64_MAX);
    assert_false(text_read_u64("18446744073709551616", 20, &value));
    assert_false(text_read_u64("0x10000000000000000", 19, &value));
    assert_false(text_read_u64("", 0, &value));
    assert_false(text_read_u64("0x", 2, &value));
    assert_false(text_read_u64("12a", 3, &value));
    assert_false(text_read_u64("-1", 2, &value));
}

static void the_buffer_never_overflows(void **state)
{
    (void)state;
    for (size_t capacity = 1; capacity < 40; capacity++) {
        char *buffer = malloc(capacity); /* the address sanitizer watches its end */
        struct text text;

        text_start(&text, buffer, capacity);
        text_add(&text, "latency");
        text_add(&text, NULL);
        text_column(&text, 12);
        text_right(&text, "91.2", 20);
        text_shortest(&text, 1.25e-30);
        text_size(&text, 1025);
        assert_int_equal(strlen(buffer), text.used);
        assert_true(text.used < capacity);
        assert_int_equal(text.cut, capacity < 34);
        free(buffer);
    }
}

static void columns(void **state)
{
    char buffer[80];
    struct text text;

    (void)state;
    text_start(&text, buffer, sizeof(buffer));
    text_add(&text, "a\nbc");
    text_column(&text, 6);
    text_add(&text, "d");
    text_column(&text, 3);
    text_right(&text, "e", 12);
    text_right(&text, "long", 2);
    assert_string_equal(buffer, "a\nbc    d    elong");
}

static void words(void **state)
{
    (void)state;
    assert_true(text_equal("abc", "abc"));
    assert_false(text_equal("abc", "ab"));
    assert_false(text_equal("ab", "abc"));
    assert_true(text_is("abc", 2, "ab"));
    assert_false(text_is("abc", 3, "ab"));
    assert_false(text_is("abc", 1, "ab"));
    assert_int_equal(text_length("abc"), 3);
    for (int i = 0; i <= STATUS_BAD_INPUT; i++)
        for (int j = 0; j < i; j++)
            assert_string_not_equal(status_name((enum status)i), status_name((enum status)j));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shortest_reads_back),
        cmocka_unit_test(shortest_is_written_plainly),
        cmocka_unit_test(fixed_is_correctly_rounded),
        cmocka_unit_test(doubles_are_read_to_the_last_bit),
        cmocka_unit_test(wrong_doubles_are_refused),
        cmocka_unit_test(sizes),
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(the_buffer_never_overflows),
        cmocka_unit_test(columns),
        cmocka_unit_test(words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
