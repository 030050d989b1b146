/* SPDX-License-Identifier: BSD-2-Clause */
/* Load options as loaders hand them over: UTF-16, ASCII, rubbish, cut off, with the program's name
 * in front. The module is pure and is compiled into this test. */
#include "efi/load_options.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char text[64];
static size_t used;

/* The bytes in a heap block of exactly their size, so that the sanitizer sees any read past it. */
static enum load_options_kind read_bytes(const void *bytes, size_t count, bool shell,
                                         size_t capacity)
{
    void *exact = malloc(count + (count == 0));
    enum load_options_kind kind;

    memcpy(exact, bytes, count);
    memset(text, '~', sizeof text);
    kind = load_options_read(exact, count, shell, text, capacity, &used);
    free(exact);
    assert_true(used <= capacity);
    for (size_t i = capacity; i < sizeof text; i++)
        assert_int_equal(text[i], '~');
    return kind;
}

static enum load_options_kind read_words(const char *words, bool shell, bool terminated)
{
    uint8_t wide[512];
    size_t count = 0;

    for (size_t i = 0; words[i] != 0; i++) {
        wide[count++] = (uint8_t)words[i];
        wide[count++] = 0;
    }
    if (terminated) {
        wide[count++] = 0;
        wide[count++] = 0;
    }
    return read_bytes(wide, count, shell, sizeof text);
}

static void expect(const char *words)
{
    assert_int_equal(used, strlen(words));
    assert_memory_equal(text, words, used);
}

static void reads_utf16(void **state)
{
    static const uint8_t marked[] = {0xff, 0xfe, 'a', 0, '=', 0, 0xe9, 0, 0xac, 0x20, 0, 0};

    (void)state;
    assert_int_equal(read_words("tests=dram end=return", false, true), LOAD_OPTIONS_TEXT);
    expect("tests=dram end=return");
    assert_int_equal(read_words("  seed=1\t", false, false), LOAD_OPTIONS_TEXT);
    expect("seed=1");
    assert_int_equal(read_bytes(marked, sizeof marked, false, sizeof text), LOAD_OPTIONS_TEXT);
    expect("a=\xc3\xa9\xe2\x82\xac");
    /* An odd byte behind the last whole unit is not read as one. */
    assert_int_equal(read_bytes("a\0=\0b\0c", 7, false, sizeof text), LOAD_OPTIONS_TEXT);
    expect("a=b");
    /* What follows the terminator is not part of the string. */
    assert_int_equal(read_bytes("a\0\0\0b\0c\0", 8, false, sizeof text), LOAD_OPTIONS_TEXT);
    expect("a");
}

static void reads_ascii(void **state)
{
    (void)state;
    assert_int_equal(read_bytes("plan=full", 9, false, sizeof text), LOAD_OPTIONS_TEXT);
    expect("plan=full");
    assert_int_equal(read_bytes("plan=full\0", 10, false, sizeof text), LOAD_OPTIONS_TEXT);
    expect("plan=full");
}

static void strips_the_program(void **state)
{
    (void)state;
    assert_int_equal(read_words("barechase.efi tests=dram", false, true), LOAD_OPTIONS_TEXT);
    expect("tests=dram");
    assert_int_equal(read_words("FS0:\\EFI\\Boot\\BOOTX64.EFI  max=1M", false, true),
                     LOAD_OPTIONS_TEXT);
    expect("max=1M");
    assert_int_equal(read_words("\"fs0:\\my tools\\b.efi\" dry=on", false, true),
                     LOAD_OPTIONS_TEXT);
    expect("dry=on");
    assert_int_equal(read_words("barechase dry=on", true, true), LOAD_OPTIONS_TEXT);
    expect("dry=on");
    assert_int_equal(read_words("barechase dry=on", false, true), LOAD_OPTIONS_TEXT);
    expect("barechase dry=on");
    assert_int_equal(read_words("barechase.efi", false, true), LOAD_OPTIONS_NONE);
    assert_int_equal(read_words("out=x.efix seed=2", false, true), LOAD_OPTIONS_TEXT);
    expect("out=x.efix seed=2");
    assert_int_equal(read_words("\"unclosed.efi", false, true), LOAD_OPTIONS_NONE);
}

static void rubbish_is_recognised(void **state)
{
    /* The GUID that EDK2 puts behind boot entries of its own making. */
    static const uint8_t guid[] = {0x4e, 0xac, 0x08, 0x81, 0x11, 0x9f, 0x59, 0x4d,
                                   0x85, 0x0e, 0xe2, 0x1a, 0x52, 0x2c, 0x59, 0xb2};

    (void)state;
    assert_int_equal(read_bytes(guid, sizeof guid, false, sizeof text), LOAD_OPTIONS_NOT_TEXT);
    assert_int_equal(used, 0);
    assert_int_equal(read_bytes("", 0, false, sizeof text), LOAD_OPTIONS_NONE);
    assert_int_equal(load_options_read(NULL, 8, false, text, sizeof text, &used),
                     LOAD_OPTIONS_NONE);
    assert_int_equal(read_words("", false, true), LOAD_OPTIONS_NONE);
    assert_int_equal(read_words(" \t ", false, true), LOAD_OPTIONS_NONE);
    assert_int_equal(read_bytes("\xff\xfe", 2, false, sizeof text), LOAD_OPTIONS_NONE);
    assert_int_equal(read_bytes("\x80", 1, false, sizeof text), LOAD_OPTIONS_NOT_TEXT);
}

static void keeps_its_bounds(void **state)
{
    static const uint8_t wordlike[] = "a=\" .efi";
    uint8_t noise[96];
    unsigned seed = 1;

    (void)state;
    assert_int_equal(read_bytes("a\0b\0c\0d\0", 8, false, 2), LOAD_OPTIONS_TEXT);
    expect("ab");
    /* A character is written whole or not at all. */
    assert_int_equal(read_bytes("a\0b\0\xac\x20", 6, false, 4), LOAD_OPTIONS_TEXT);
    expect("ab");
    for (unsigned round = 0; round < 20000; round++) {
        size_t count = round % (sizeof noise + 1);

        for (size_t i = 0; i < count; i++) {
            seed = seed * 1103515245u + 12345u;
            noise[i] = round & 1 ? (uint8_t)(seed >> 16) : wordlike[(seed >> 16) % sizeof wordlike];
        }
        read_bytes(noise, count, round & 2, round % sizeof text);
    }
}

static bool salvage(const char *words, size_t bytes, enum option_end *end)
{
    char *exact = malloc(bytes + (bytes == 0));
    bool found;

    memcpy(exact, words, bytes);
    found = load_options_salvage_end(exact, bytes, end);
    free(exact);
    return found;
}

static void expect_end(const char *words, bool found, enum option_end expected)
{
    enum option_end end = END_MENU;

    assert_int_equal(salvage(words, strlen(words), &end), found);
    assert_int_equal(end, expected);
}

static void salvages_the_end(void **state)
{
    enum option_end end = END_MENU;

    (void)state;
    expect_end("bogus=1 end=shutdown", true, END_SHUTDOWN);
    expect_end("end=reboot\nbogus", true, END_REBOOT);
    expect_end("end = return\r\nx = 1", true, END_RETURN);
    expect_end("end=shutdown\nend=reboot\n", true, END_REBOOT);
    expect_end("end=shutdown end=nonsense", true, END_SHUTDOWN);
    expect_end("# end=shutdown\n", false, END_MENU);
    expect_end("x=1 # end=shutdown\nend=menu", true, END_MENU);
    expect_end("trend=shutdown", false, END_MENU);
    expect_end("end=shutdownnow", false, END_MENU);
    expect_end("end", false, END_MENU);
    expect_end("end=", false, END_MENU);
    expect_end("=shutdown", false, END_MENU);
    expect_end("", false, END_MENU);
    expect_end("===end=reboot", true, END_REBOOT);
    assert_true(salvage("e\0n\0d\0=\0r\0e\0b\0o\0o\0t\0", 20, &end));
    assert_int_equal(end, END_REBOOT);
}

static void expect_skipped(const char *words, const char *left, const char *taken)
{
    char line[128], taken_words[128];
    struct text skipped;
    size_t bytes;

    text_start(&skipped, taken_words, sizeof taken_words);
    strcpy(line, words);
    bytes = load_options_skip_foreign(line, strlen(words), &skipped);
    assert_int_equal(bytes, strlen(left));
    assert_memory_equal(line, left, bytes);
    assert_string_equal(taken_words, taken);
}

static void skips_words_of_boot_managers(void **state)
{
    (void)state;
    expect_skipped("", "", "");
    expect_skipped("tests=dram end=return", "tests=dram end=return", "");
    expect_skipped("initrd=\\initrd.img tests=dram end=return", " tests=dram end=return",
                   "initrd=\\initrd.img");
    expect_skipped("end=reboot initrd=a initrd=b", "end=reboot", "initrd=a initrd=b");
    expect_skipped("BOOT_IMAGE=/x seed=1", " seed=1", "BOOT_IMAGE=/x");
    /* Without its value it does not take the next word for one. */
    expect_skipped("initrd= end=shutdown", " end=shutdown", "initrd=");
    expect_skipped("xinitrd=a root=b", "xinitrd=a root=b", "");
}

static void reboots_until_there_are_enough_runs(void **state)
{
    (void)state;
    assert_int_equal(load_options_end(END_REBOOT, 0, 9), END_REBOOT);
    assert_int_equal(load_options_end(END_REBOOT, 3, 2), END_REBOOT);
    assert_int_equal(load_options_end(END_REBOOT, 3, 3), END_SHUTDOWN);
    assert_int_equal(load_options_end(END_REBOOT, 3, 0), END_SHUTDOWN);
    assert_int_equal(load_options_end(END_REBOOT, 0, 0), END_REBOOT);
    assert_int_equal(load_options_end(END_RETURN, 3, 3), END_RETURN);
    assert_int_equal(load_options_end(END_MENU, 3, 0), END_MENU);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_utf16),
        cmocka_unit_test(reads_ascii),
        cmocka_unit_test(strips_the_program),
        cmocka_unit_test(rubbish_is_recognised),
        cmocka_unit_test(keeps_its_bounds),
        cmocka_unit_test(salvages_the_end),
        cmocka_unit_test(skips_words_of_boot_managers),
        cmocka_unit_test(reboots_until_there_are_enough_runs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
