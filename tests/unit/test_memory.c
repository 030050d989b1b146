/* SPDX-License-Identifier: BSD-2-Clause */
/* core/lib/memory.c, and the application's own memcpy & co. (linker/libc.c) under other names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/lib/memory.h"

#define memcpy  own_memcpy
#define memmove own_memmove
#define memset  own_memset
#define memcmp  own_memcmp
#include "linker/libc.c"
#undef memcpy
#undef memmove
#undef memset
#undef memcmp

#define SPAN 64

static void fill(uint8_t *bytes, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)(seed + i * 37 + (i >> 3));
}

/* Every length and every pair of offsets, against the C library; the heap block's end is guarded by
 * the address sanitizer. */
static void copies_and_moves_like_libc(void **state)
{
    (void)state;
    for (size_t length = 0; length <= 40; length++) {
        for (size_t from = 0; from < 17; from++) {
            for (size_t to = 0; to < 17; to++) {
                size_t bytes = (from > to ? from : to) + length;
                uint8_t *mine = malloc(bytes + 1), *theirs = malloc(bytes + 1);

                fill(mine, bytes, 1);
                fill(theirs, bytes, 1);
                assert_ptr_equal(own_memmove(mine + to, mine + from, length), mine + to);
                memmove(theirs + to, theirs + from, length);
                assert_memory_equal(mine, theirs, bytes);
                free(mine);
                free(theirs);
            }
        }
    }
}

static void copy_leaves_the_rest(void **state)
{
    uint8_t from[SPAN], to[SPAN], expected[SPAN];

    (void)state;
    fill(from, SPAN, 9);
    for (size_t length = 0; length < SPAN - 2; length++) {
        memset(to, 0xee, SPAN);
        memset(expected, 0xee, SPAN);
        memcpy(expected + 1, from, length);
        assert_ptr_equal(own_memcpy(to + 1, from, length), to + 1);
        assert_memory_equal(to, expected, SPAN);
        memset(to, 0xee, SPAN);
        memory_copy(to + 1, from, length);
        assert_memory_equal(to, expected, SPAN);
    }
}

static void fill_leaves_the_rest(void **state)
{
    uint8_t to[SPAN], expected[SPAN];

    (void)state;
    for (size_t length = 0; length < SPAN - 2; length++) {
        memset(to, 0xee, SPAN);
        memset(expected, 0xee, SPAN);
        memset(expected + 1, 0x93, length);
        assert_ptr_equal(own_memset(to + 1, 0x1293, length), to + 1);
        assert_memory_equal(to, expected, SPAN);
        memset(to, 0xee, SPAN);
        memory_fill(to + 1, 0x93, length);
        assert_memory_equal(to, expected, SPAN);
    }
}

static void one_different_byte_is_seen(void **state)
{
    uint8_t a[SPAN], b[SPAN];

    (void)state;
    fill(a, SPAN, 3);
    fill(b, SPAN, 3);
    assert_true(memory_same(a, b, SPAN));
    assert_int_equal(own_memcmp(a, b, SPAN), 0);
    for (size_t i = 0; i < SPAN; i++) {
        b[i] ^= 0x80;
        assert_false(memory_same(a, b, SPAN));
        assert_true(memory_same(a, b, i));
        assert_int_equal(own_memcmp(a, b, i), 0);
        assert_int_equal(own_memcmp(a, b, SPAN), a[i] < b[i] ? -1 : 1);
        assert_int_equal(own_memcmp(b, a, SPAN), a[i] < b[i] ? 1 : -1);
        b[i] ^= 0x80;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_and_moves_like_libc),
        cmocka_unit_test(copy_leaves_the_rest),
        cmocka_unit_test(fill_leaves_the_rest),
        cmocka_unit_test(one_different_byte_is_seen),
    };

    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
