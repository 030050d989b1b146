/* SPDX-License-Identifier: BSD-2-Clause */
/* What a board is called, by what firmware and kernel say of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "core/firmware/board.h"

#define GIB ((uint64_t)1 << 30)

static const struct board_words all = {.maker = "ASRockRack",
                                       .product = "ROMED8-2T",
                                       .version = "1.02",
                                       .system_maker = "Maker",
                                       .system_product = "Box",
                                       .model = "Model B",
                                       .cpu = "AMD EPYC 7763",
                                       .memory_bytes = 63 * GIB};

static void expect(const struct board_words *words, const char *source, const char *expected)
{
    char name[80];
    const char *found = board_name(words, name, sizeof name);

    assert_string_equal(name, expected);
    if (source == NULL)
        assert_null(found);
    else
        assert_string_equal(found, source);
}

static void what_is_nearest_to_the_board_names_it(void **state)
{
    struct board_words words = all;

    (void)state;
    expect(&words, "smbios", "ASRockRack ROMED8-2T 1.02");
    words.version = "Default string";
    expect(&words, "smbios", "ASRockRack ROMED8-2T");
    words.product = "To be filled by O.E.M.";
    expect(&words, "smbios", "Maker Box");
    words.system_product = "System Product Name";
    expect(&words, "device-tree", "Model B");
    words.model = "";
    expect(&words, "cpu-and-memory", "AMD EPYC 7763, 64G");
    words.memory_bytes = 0;
    expect(&words, NULL, "");
    words.memory_bytes = GIB;
    words.cpu = "";
    expect(&words, NULL, "");
}

static void a_long_name_is_cut(void **state)
{
    char name[8];

    (void)state;
    assert_non_null(board_name(&all, name, sizeof name));
    assert_string_equal(name, "ASRockR");
}

/* A kernel keeps one to five per cent of it, and not always the same. */
static void what_is_fitted_is_seen_in_what_is_left(void **state)
{
    static const uint64_t fitted_mib[] = {512,       1024,      2048,       4096,       8192,
                                          16384,     24576,     32768,      49152,      65536,
                                          96 * 1024, 128 << 10, 384 * 1024, 768 * 1024, 1536 << 10};

    (void)state;
    for (size_t i = 0; i < sizeof fitted_mib / sizeof fitted_mib[0]; i++) {
        uint64_t bytes = fitted_mib[i] << 20;
        for (unsigned kept = 0; kept <= 50; kept += 5)
            assert_int_equal(board_memory(bytes - bytes / 1000 * kept), bytes);
        assert_int_not_equal(board_memory(bytes / 2), bytes);
    }
    assert_int_equal(board_memory(0), 0);
    assert_int_equal(board_memory(1), 1);
    assert_int_equal(board_memory(UINT64_MAX), UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_nearest_to_the_board_names_it),
        cmocka_unit_test(a_long_name_is_cut),
        cmocka_unit_test(what_is_fitted_is_seen_in_what_is_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
