/* SPDX-License-Identifier: BSD-2-Clause */
/* decode=, and what it makes of addresses, ranges and classes of lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "core/dram/slots.h"
#include "core/lib/bits.h"
#include "core/lib/random.h"
#include "core/options/decode.h"

static bool reads(const char *text, struct decode *decode, const char **why)
{
    return decode_read(text, strlen(text), decode, why);
}

static void masks_and_names_are_read(void **state)
{
    struct decode decode;
    struct text text;
    const char *why;
    char name[48];

    (void)state;
    assert_true(reads("", &decode, &why));
    assert_int_equal(decode.masks, 0);
    assert_false(decode.found);
    assert_true(reads("found", &decode, &why));
    assert_true(decode.found);
    assert_true(reads("0x2040/65536:P0_A1,A2,CHANNEL-B/DIMM:0,B2", &decode, &why));
    assert_int_equal(decode.masks, 2);
    assert_int_equal(decode.mask[0], 0x2040);
    assert_int_equal(decode.mask[1], 0x10000);
    text_start(&text, name, sizeof name);
    decode_name(&decode, 2, &text);
    assert_string_equal(name, "CHANNEL-B/DIMM:0");
    text_start(&text, name, sizeof name);
    decode_name(&decode, 3, &text);
    assert_string_equal(name, "B2");
}

static void what_is_wrong_is_said(void **state)
{
    static const char *const bad[][2] = {
        {"finds", "colon"},
        {":A,B", "mask"},
        {"0x40/:A,B", "mask"},
        {"0:A,B", "mask"},
        {"0x4z:A,B", "mask"},
        {"0x40/0x80/0xc0:1,2,3,4,5,6,7,8", "sum"},
        {"0x40/0x40:1,2,3,4", "sum"},
        {"0x40:A", "name for each"},
        {"0x40:A,B,C", "name for each"},
        {"0x40:A,", "without a name"},
        {"0x40:", "without a name"},
        {"0x40:A 1,B", "blank"},
        {"1/2/4/8/16/32/64:A", "six"},
        {"0x40:A,12345678901234567890123456789012345678901", "40"},
    };
    struct decode decode;
    const char *why;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(reads(bad[i][0], &decode, &why));
        assert_non_null(strstr(why, bad[i][1]));
    }
}

/* A range has a slot if all of its addresses do. */
static void ranges_have_the_slot_of_their_addresses(void **state)
{
    struct random random;

    (void)state;
    random_start(&random, 8);
    for (int round = 0; round < 3000; round++) {
        uint64_t mask[2] = {1 + random_below(&random, 4095), 1 + random_below(&random, 4095)};
        struct address_functions functions = {.count = 2, .mask = {mask[0], mask[1]}};
        uint64_t bytes = 1ull << random_below(&random, 9);
        uint64_t first = random_below(&random, 4096) / bytes * bytes;
        uint32_t number, same = address_class(&functions, first);
        bool all = true;
        for (uint64_t at = first; at < first + bytes; at++)
            all = all && address_class(&functions, at) == same;
        assert_int_equal(same, bits_parity(first & mask[0]) | bits_parity(first & mask[1]) << 1);
        assert_int_equal(slots_of_range(&functions, first, first + bytes - 1, &number), all);
        assert_true(!all || number == same);
    }
}

static void classes_have_the_slot_of_their_lines(void **state)
{
    static const struct address_functions both = {.count = 2, .mask = {0x2040, 0x10000}},
                                          one = {.count = 1, .mask = {0x2040}};
    static const uint64_t plain[2] = {0x2040, 0x10000}, sums[2] = {0x12040, 0x10000},
                          other[3] = {0x80, 0x2040, 0x100};
    uint32_t number;

    (void)state;
    for (uint64_t parities = 0; parities < 4; parities++) {
        assert_true(slots_of_class(&both, plain, 2, parities, &number));
        assert_int_equal(number, parities);
        assert_true(slots_of_class(&both, sums, 2, parities, &number));
        assert_int_equal(number, ((parities ^ parities >> 1) & 1) | (parities & 2));
    }
    assert_false(slots_of_class(&both, other, 3, 2, &number));
    assert_true(slots_of_class(&one, other, 3, 2, &number));
    assert_int_equal(number, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_and_names_are_read),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(ranges_have_the_slot_of_their_addresses),
        cmocka_unit_test(classes_have_the_slot_of_their_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
