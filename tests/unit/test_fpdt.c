/* SPDX-License-Identifier: BSD-2-Clause */
/* core/firmware/fpdt.c: how long the firmware took, of sound tables, torn ones and lying ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/firmware/fpdt.h"
#include "tests/unit/support_memory.h"

#define BASE 0x7fe00000ull
#define SIZE 0x2000u
#define FPDT 0x100u
#define FBPT 0x800u
#define S    1000000000ull

static struct fake_memory fake;
static struct fpdt_times times;
static const char *why;

static void put_record(size_t pos, unsigned type, unsigned bytes)
{
    fake_put(&fake, pos, type, 2);
    fake_put(&fake, pos + 2, bytes, 1);
    fake_put(&fake, pos + 3, 1, 1);
}

/* As EDK2 lays them out: a record of S3 before the boot's in the FPDT, one of another type before
 * the boot's in the FBPT. */
static size_t start(uint64_t reset_end, uint64_t load, uint64_t begun)
{
    size_t boot = FBPT + 8 + 20;

    fake_start(&fake, BASE, SIZE);
    fake_words(&fake, FPDT, "FPDT");
    fake_put(&fake, FPDT + 4, 36 + 32, 4);
    put_record(FPDT + 36, 1, 16);
    fake_put(&fake, FPDT + 36 + 8, BASE + 0x600, 8);
    put_record(FPDT + 52, 0, 16);
    fake_put(&fake, FPDT + 52 + 8, BASE + FBPT, 8);
    fake_words(&fake, FBPT, "FBPT");
    fake_put(&fake, FBPT + 4, 8 + 20 + 48, 4);
    put_record(FBPT + 8, 0x1010, 20);
    put_record(boot, 2, 48);
    fake_put(&fake, boot + 8, reset_end, 8);
    fake_put(&fake, boot + 16, load, 8);
    fake_put(&fake, boot + 24, begun, 8);
    return boot;
}

static uint64_t took(void)
{
    struct acpi_reader reader = fake_reader(&fake);
    uint32_t bytes = fake.bytes[FPDT + 4];
    struct acpi_table fpdt = {acpi_reader_at(&reader, BASE + FPDT, bytes), bytes};

    memset(&times, 0xff, sizeof times);
    why = fpdt_read(&reader, &fpdt, &times);
    fake_end(&fake);
    assert_int_equal(why == NULL, times.took_ns != 0);
    return times.took_ns;
}

static void from_reset_to_the_start(void **state)
{
    (void)state;
    start(2 * S, 13 * S, 14 * S);
    assert_int_equal(took(), 12 * S);
    assert_int_equal(times.reset_end_ns, 2 * S);
    assert_int_equal(times.load_ns, 13 * S);
    assert_int_equal(times.start_ns, 14 * S);
    start(0, 13 * S, 14 * S); /* a timer that began at reset */
    assert_int_equal(took(), 14 * S);
}

/* Not written yet, or of a loader that was started before us and came back. */
static void the_later_one_is_ours(void **state)
{
    (void)state;
    start(2 * S, 13 * S, 0);
    assert_int_equal(took(), 11 * S);
    start(2 * S, 13 * S, 9 * S);
    assert_int_equal(took(), 11 * S);
    start(2 * S, 0, 9 * S);
    assert_int_equal(took(), 7 * S);
}

static void what_is_not_told_is_not_known(void **state)
{
    struct acpi_reader reader = fake_reader(&fake);
    struct acpi_table none = {NULL, 0};

    (void)state;
    start(2 * S, 0, 0);
    assert_int_equal(took(), 0);
    assert_non_null(strstr(why, "does not tell when"));
    why = fpdt_read(&reader, &none, &times);
    assert_non_null(strstr(why, "no FPDT table"));
    assert_int_equal(times.took_ns, 0);
}

static void lies_are_seen(void **state)
{
    static const uint64_t lie[][3] = {{9 * S, 3 * S, 4 * S}, /* backwards */
                                      {4 * S, 4 * S, 4 * S},
                                      {0, 1, UINT64_MAX},
                                      {1, 2, 86401 * S + 1}, /* more than a day */
                                      {UINT64_MAX, 3 * S, 4 * S}};

    (void)state;
    for (size_t i = 0; i < sizeof lie / sizeof lie[0]; i++) {
        start(lie[i][0], lie[i][1], lie[i][2]);
        assert_int_equal(took(), 0);
        assert_non_null(strstr(why, "make no sense"));
    }
    start(1, 2, 86400 * S + 1);
    assert_int_equal(took(), 86400 * S);
}

static void pointers_that_point_nowhere(void **state)
{
    static const uint64_t nowhere[] = {
        0, 8, BASE + SIZE - 8, BASE + SIZE, UINT64_MAX - 3, BASE + 0x1000};

    (void)state;
    for (size_t i = 0; i < sizeof nowhere / sizeof nowhere[0]; i++) {
        start(2 * S, 13 * S, 14 * S);
        fake_put(&fake, FPDT + 52 + 8, nowhere[i], 8);
        assert_int_equal(took(), 0);
        assert_non_null(strstr(why, "not a FBPT"));
    }
    start(2 * S, 13 * S, 14 * S);
    fake_words(&fake, FBPT, "S3PT");
    assert_int_equal(took(), 0);
}

static void lengths_are_held_against_what_is_there(void **state)
{
    static const uint32_t wrong[] = {0, 8, 55, SIZE - FBPT + 1, (1u << 20) + 1, UINT32_MAX};

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        start(2 * S, 13 * S, 14 * S);
        fake_put(&fake, FBPT + 4, wrong[i], 4);
        assert_int_equal(took(), 0);
        assert_non_null(strstr(why, "not a FBPT"));
    }
    for (unsigned length = 0; length < 4; length++) {
        start(2 * S, 13 * S, 14 * S); /* a record that never ends */
        fake_put(&fake, FBPT + 8 + 2, length, 1);
        assert_int_equal(took(), 0);
        assert_non_null(strstr(why, "FBPT table has no record"));
        start(2 * S, 13 * S, 14 * S);
        fake_put(&fake, FPDT + 36 + 2, length, 1);
        assert_int_equal(took(), 0);
        assert_non_null(strstr(why, "FPDT table has no record"));
    }
}

/* Cut at every byte: nothing is known before the record is whole, and nothing past it is read. */
static void torn_tables(void **state)
{
    (void)state;
    for (uint32_t bytes = 36; bytes < 36 + 32; bytes++) {
        start(2 * S, 13 * S, 14 * S);
        fake_put(&fake, FPDT + 4, bytes, 4);
        assert_int_equal(took(), 0);
        assert_non_null(strstr(why, "FPDT table has no record"));
    }
    for (uint32_t bytes = 56; bytes < 8 + 20 + 48; bytes++) {
        start(2 * S, 13 * S, 14 * S);
        fake_put(&fake, FBPT + 4, bytes, 4);
        assert_int_equal(took(), 0);
    }
    for (unsigned length = 4; length < 48; length++) {
        size_t boot = start(2 * S, 13 * S, 14 * S);
        fake_put(&fake, boot + 2, length, 1);
        assert_int_equal(took(), 0);
    }
    start(2 * S, 13 * S, 14 * S);
    fake_put(&fake, FPDT + 52 + 2, 15, 1);
    assert_int_equal(took(), 0);
}

/* The FBPT at the very end of what can be read. */
static void the_last_byte_is_enough(void **state)
{
    size_t end = SIZE - 8 - 48;

    (void)state;
    start(2 * S, 13 * S, 14 * S);
    fake_put(&fake, FPDT + 52 + 8, BASE + end, 8);
    fake_words(&fake, end, "FBPT");
    fake_put(&fake, end + 4, 8 + 48, 4);
    put_record(end + 8, 2, 48);
    fake_put(&fake, end + 8 + 8, 1 * S, 8);
    fake_put(&fake, end + 8 + 24, 31 * S, 8);
    assert_int_equal(took(), 30 * S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_reset_to_the_start),
        cmocka_unit_test(the_later_one_is_ours),
        cmocka_unit_test(what_is_not_told_is_not_known),
        cmocka_unit_test(lies_are_seen),
        cmocka_unit_test(pointers_that_point_nowhere),
        cmocka_unit_test(lengths_are_held_against_what_is_there),
        cmocka_unit_test(torn_tables),
        cmocka_unit_test(the_last_byte_is_enough),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
