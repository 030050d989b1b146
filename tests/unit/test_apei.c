/* SPDX-License-Identifier: BSD-2-Clause */
/* core/firmware/apei.c: errors of the boot before, and who takes corrected ones, of sound tables
 * and of broken ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/firmware/apei.h"

#define REGION_AT 0x7f000000u

static uint8_t bert[48], hest[1024], region[1024];
static size_t hest_used, region_used;
static struct boot_errors errors;

static void put(uint8_t *bytes, size_t pos, uint64_t value, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes[pos + i] = (uint8_t)(value >> 8 * i);
}

/* A copy of exactly the region's bytes, so that an access beyond is seen. */
static const void *reader_at(void *context, phys_addr address, size_t bytes)
{
    (void)context;
    return address.value == REGION_AT && bytes <= region_used ? context : NULL;
}

static void read_tables(void)
{
    void *copy = malloc(region_used + 1), *sources = malloc(hest_used + 1);
    const struct acpi_reader reader = {copy, reader_at};
    const struct acpi_table of[2] = {{bert, sizeof bert}, {sources, (uint32_t)hest_used}};
    static const struct acpi_table none;

    memcpy(copy, region, region_used);
    memcpy(sources, hest, hest_used);
    put(bert, 36, region_used, 4);
    put(bert, 40, REGION_AT, 8);
    apei_read(&reader, region_used != 0 ? &of[0] : &none, hest_used != 0 ? &of[1] : &none, &errors);
    free(copy);
    free(sources);
}

static void start(uint32_t severity)
{
    memset(hest, 0, sizeof hest);
    memset(region, 0, sizeof region);
    hest_used = 0;
    region_used = 20;
    put(region, 0, 1, 4);
    put(region, 16, severity, 4);
}

/* An entry of the region with so many bytes of a section; returns where that begins. */
static size_t entry(uint16_t revision, uint32_t severity, const char *name, uint32_t bytes)
{
    static const uint8_t memory[16] = {0x14, 0x11, 0xbc, 0xa5, 0x64, 0x6f, 0xde, 0x4e,
                                       0xb8, 0x63, 0x3e, 0x83, 0xed, 0x7c, 0x83, 0xb1};
    size_t pos = region_used, head = revision >= 0x300 ? 72 : 64;

    memcpy(region + pos, memory, 16);
    put(region, pos + 16, severity, 4);
    put(region, pos + 20, revision, 2);
    put(region, pos + 22, name != NULL ? 2 : 0, 1);
    put(region, pos + 24, bytes, 4);
    if (name != NULL)
        memcpy(region + pos + 44, name, strlen(name));
    region_used += head + bytes;
    put(region, 12, region_used - 20, 4);
    return pos + head;
}

static void memory_of_the_boot_before(void **state)
{
    (void)state;
    for (uint16_t revision = 0x201; revision <= 0x300; revision += 0xff) {
        size_t section;
        start(1);
        section = entry(revision, 1, "DIMM_A1", 80);
        put(region, section, 2 | 8 | 32 | 256, 8);
        put(region, section + 16, 0x123456780, 8);
        put(region, section + 32, 1, 2);
        put(region, section + 36, 3, 2);
        put(region, section + 42, 0x1f0, 2);
        (void)entry(revision, 2, NULL, 80);
        read_tables();
        assert_int_equal(errors.count, 2);
        assert_int_equal(errors.bad, 0);
        assert_true(errors.error[0].memory);
        assert_false(errors.error[0].corrected);
        assert_int_equal(errors.error[0].physical, 0x123456780);
        assert_string_equal(errors.error[0].words, "DIMM_A1, node 1, module 3, row 496");
        assert_true(errors.error[1].corrected);
        assert_true(errors.error[1].physical == UINT64_MAX);
        assert_string_equal(errors.error[1].words, "");
    }
}

static void nothing_happened(void **state)
{
    (void)state;
    start(1);
    put(region, 0, 0, 4);
    read_tables();
    assert_int_equal(errors.count, 0);
    start(3);
    read_tables();
    assert_int_equal(errors.count, 0);
    start(1);
    (void)entry(0x300, 3, NULL, 80);
    (void)entry(0x300, 2, NULL, 80);
    read_tables();
    assert_int_equal(errors.count, 1);
    region_used = 0;
    read_tables();
    assert_int_equal(errors.count + errors.bad, 0);
}

/* An error without an entry that can be read is one all the same. */
static void broken_regions(void **state)
{
    (void)state;
    start(1);
    read_tables();
    assert_int_equal(errors.count, 1);
    assert_false(errors.error[0].corrected);
    start(2);
    (void)entry(0x300, 2, NULL, 80);
    put(region, 12, 100000, 4);
    read_tables();
    assert_int_equal(errors.count, 1);
    assert_int_equal(errors.bad, 1);
    start(2);
    (void)entry(0x300, 2, NULL, 80);
    put(region, 20 + 24, 100000, 4);
    read_tables();
    assert_int_equal(errors.count, 1);
    assert_int_equal(errors.bad, 1);
    /* a section that is too short to say anything */
    start(1);
    (void)entry(0x300, 1, "\x07unprintable", 8);
    read_tables();
    assert_int_equal(errors.count, 1);
    assert_false(errors.error[0].memory);
    assert_string_equal(errors.error[0].words, "");
    start(1);
    for (unsigned i = 0; i < BOOT_ERRORS_MAX + 2; i++)
        (void)entry(0x201, 1, NULL, 0);
    read_tables();
    assert_int_equal(errors.count, BOOT_ERRORS_MAX);
    assert_int_equal(errors.more, 2);
}

/* A source as the table has them: 28 bytes for each bank. */
static void source(uint16_t type, uint8_t flags, uint8_t banks)
{
    static const uint8_t plain[] = {40, 48, 20, 0, 0, 0, 48, 44, 56, 64, 92, 48};
    size_t pos = hest_used;

    put(hest, pos, type, 2);
    put(hest, pos + 6, flags, 1);
    if (type == 0)
        put(hest, pos + 32, banks, 1);
    else if (type == 1 || type == 11)
        put(hest, pos + 44, banks, 1);
    hest_used += plain[type] + 28u * banks;
    put(hest, 36, hest[36] + 1u, 4);
}

static void firmware_first(void **state)
{
    (void)state;
    for (unsigned flags = 0; flags < 2; flags++) {
        start(3);
        hest_used = 40;
        source(0, 1, 3);
        source(9, 1, 0);
        source(6, 1, 0);
        source(1, (uint8_t)flags, 2);
        source(10, 0, 0);
        read_tables();
        assert_int_equal(errors.firmware_first, flags);
        assert_int_equal(errors.bad, 0);
    }
    start(3);
    hest_used = 40;
    source(11, 1, 2);
    read_tables();
    assert_true(errors.firmware_first);
    /* cut off, of an unknown type */
    hest_used -= 20;
    read_tables();
    assert_int_equal(errors.bad, 1);
    start(3);
    hest_used = 40;
    source(2, 0, 0);
    put(hest, 40, 77, 2);
    read_tables();
    assert_int_equal(errors.bad, 1);
    assert_false(errors.firmware_first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_the_boot_before),
        cmocka_unit_test(nothing_happened),
        cmocka_unit_test(broken_regions),
        cmocka_unit_test(firmware_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
