/* SPDX-License-Identifier: BSD-2-Clause */
/* SMBIOS tables by both entry points, sound and broken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/firmware/smbios.h"
#include "tests/unit/support_memory.h"

#define BASE  0xf0000ull
#define SIZE  0x8000u
#define ENTRY 0x20u
#define TABLE 0x100u

static struct fake_memory fake;
static struct smbios_facts facts;
static size_t used, structures;

static void entry_64(uint32_t declared)
{
    fake_words(&fake, ENTRY, "_SM3_");
    fake_put(&fake, ENTRY + 6, 24, 1);
    fake_put(&fake, ENTRY + 7, 3, 1);
    fake_put(&fake, ENTRY + 12, declared, 4);
    fake_put(&fake, ENTRY + 16, BASE + TABLE, 8);
    fake_checksum(&fake, ENTRY, 24, ENTRY + 5);
}

static void entry_32(uint8_t length, uint16_t declared, size_t count)
{
    fake_words(&fake, ENTRY, "_SM_");
    fake_put(&fake, ENTRY + 5, length, 1);
    fake_words(&fake, ENTRY + 16, "_DMI_");
    fake_put(&fake, ENTRY + 22, declared, 2);
    fake_put(&fake, ENTRY + 24, BASE + TABLE, 4);
    fake_put(&fake, ENTRY + 28, count, 2);
    fake_put(&fake, ENTRY + 30, 0x28, 1);
    fake_checksum(&fake, ENTRY + 16, 15, ENTRY + 21);
    fake_checksum(&fake, ENTRY, 31, ENTRY + 4);
}

static void table_start(void)
{
    fake_start(&fake, BASE, SIZE);
    used = structures = 0;
}

/* Strings are separated by '|'. Answers where the structure begins. */
static size_t add(uint8_t type, uint8_t bytes, const char *strings)
{
    size_t pos = TABLE + used;
    fake_put(&fake, pos, type, 1);
    fake_put(&fake, pos + 1, bytes, 1);
    fake_put(&fake, pos + 2, structures++, 2);
    fake_words(&fake, pos + bytes, strings);
    size_t length = strlen(strings);
    for (size_t i = 0; i < length; i++) {
        if (strings[i] == '|')
            fake.bytes[pos + bytes + i] = 0;
    }
    used += bytes + length + 2;
    return pos;
}

static size_t add_dimm(uint8_t bytes, uint16_t size)
{
    size_t pos = add(17, bytes, "DIMM_A1|BANK 0|Maker|Part-1  ");
    fake_put(&fake, pos + 0x08, 72, 2);
    fake_put(&fake, pos + 0x0a, 64, 2);
    fake_put(&fake, pos + 0x0c, size, 2);
    fake_put(&fake, pos + 0x10, 0x0201, 2);
    fake_put(&fake, pos + 0x12, 0x22, 1);
    fake_put(&fake, pos + 0x15, 5600, 2);
    fake_put(&fake, pos + 0x17, 3, 1);
    fake_put(&fake, pos + 0x1a, 4, 1);
    fake_put(&fake, pos + 0x1b, 0xa2, 1);
    return pos;
}

static void add_machine(void)
{
    size_t pos = add(0, 0x18, "BIOS Corp|1.2.3|11/20/2026");
    fake_put(&fake, pos + 4, 0x0201, 2);
    fake_put(&fake, pos + 8, 3, 1);
    pos = add(1, 0x1b, "Maker|Box");
    fake_put(&fake, pos + 4, 0x0201, 2);
    pos = add(2, 0x0f, "Board Maker|Board|rev A");
    fake_put(&fake, pos + 4, 0x030201, 3);
}

static enum status read_all(void)
{
    struct acpi_reader reader = fake_reader(&fake);
    enum status status = smbios_read(&reader, phys_make(BASE + ENTRY), &facts);
    fake_end(&fake);
    return status;
}

static void assert_machine(void)
{
    assert_string_equal(facts.bios_vendor, "BIOS Corp");
    assert_string_equal(facts.bios_version, "1.2.3");
    assert_string_equal(facts.bios_date, "11/20/2026");
    assert_string_equal(facts.system_maker, "Maker");
    assert_string_equal(facts.system_product, "Box");
    assert_string_equal(facts.board_maker, "Board Maker");
    assert_string_equal(facts.board_product, "Board");
    assert_string_equal(facts.board_version, "rev A");
}

static void both_entries_lead_to_the_table(void **state)
{
    (void)state;
    for (unsigned way = 0; way < 4; way++) {
        table_start();
        add_machine();
        size_t pos = add_dimm(0x5c, 0x4000);
        fake_put(&fake, pos + 0x20, 4800, 2);
        add(127, 4, "");
        add_dimm(0x5c, 0x1000); /* after the end */
        if (way == 0)
            entry_64((uint32_t)used + 5000);
        else
            entry_32(way == 1 ? 30 : 31, (uint16_t)used, way == 2 ? 0 : structures);
        assert_int_equal(read_all(), STATUS_OK);
        assert_machine();
        assert_false(facts.truncated);
        assert_int_equal(facts.dimm_count, 1);
        const struct dimm_info *dimm = &facts.dimms[0];
        assert_string_equal(dimm->locator, "DIMM_A1");
        assert_string_equal(dimm->bank, "BANK 0");
        assert_string_equal(dimm->maker, "Maker");
        assert_string_equal(dimm->part, "Part-1");
        assert_string_equal(dimm->type, "DDR5");
        assert_int_equal(dimm->bytes, 16ull << 30);
        assert_int_equal(dimm->rated_mts, 5600);
        assert_int_equal(dimm->configured_mts, 4800);
        assert_int_equal(dimm->ranks, 2);
        assert_int_equal(dimm->data_bits, 64);
        assert_int_equal(dimm->total_bits, 72);
    }
}

static void sizes_and_speeds_extend(void **state)
{
    (void)state;
    static const struct {
        uint16_t size;
        uint32_t extended;
        uint64_t bytes;
    } sizes[] = {
        {0, 0, 0},
        {0xffff, 0x8000, 0},
        {0x7fff, 0x8000, 32ull << 30},
        {0x7fff, 0x80010000, 64ull << 30},
        {0x8200, 0, 512u << 10},
        {0x7ffe, 0, 0x7ffeull << 20},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        table_start();
        size_t pos = add_dimm(0x5c, sizes[i].size);
        fake_put(&fake, pos + 0x1c, sizes[i].extended, 4);
        fake_put(&fake, pos + 0x15, 0xffff, 2);
        fake_put(&fake, pos + 0x20, 0xffff, 2);
        fake_put(&fake, pos + 0x54, 0x80000000 + 70000, 4);
        fake_put(&fake, pos + 0x58, 66000, 4);
        fake_put(&fake, pos + 0x08, 0xffff, 2);
        entry_64((uint32_t)used);
        assert_int_equal(read_all(), STATUS_OK);
        assert_int_equal(facts.dimms[0].bytes, sizes[i].bytes);
        assert_int_equal(facts.dimms[0].rated_mts, 70000);
        assert_int_equal(facts.dimms[0].configured_mts, 66000);
        assert_int_equal(facts.dimms[0].total_bits, 0);
    }
}

/* SMBIOS 2.1's memory device ends at 15h, 2.3's at 1Bh: what is not there is unknown. */
static void short_structures_know_less(void **state)
{
    (void)state;
    for (uint8_t bytes = 4; bytes <= 0x5c; bytes++) {
        table_start();
        size_t pos = add(17, bytes, "ssssssss"); /* would be read as size, width, speed */
        for (size_t i = 4; i < bytes; i++)
            fake.bytes[pos + i] = i < 0x10 ? 0x11 : 0;
        if (bytes >= 0x17)
            fake_put(&fake, pos + 0x15, 800, 2);
        if (bytes >= 0x22)
            fake_put(&fake, pos + 0x20, 0xffff, 2);
        entry_64((uint32_t)used);
        assert_int_equal(read_all(), STATUS_OK);
        assert_false(facts.truncated);
        assert_int_equal(facts.dimm_count, 1);
        assert_int_equal(facts.dimms[0].rated_mts, bytes >= 0x17 ? 800 : 0);
        assert_int_equal(facts.dimms[0].total_bits, bytes >= 0x0a ? 0x1111 : 0);
        assert_int_equal(facts.dimms[0].bytes, bytes >= 0x0e ? 0x1111ull << 20 : 0);
        assert_int_equal(facts.dimms[0].configured_mts, 0);
    }
}

static void types_have_names(void **state)
{
    (void)state;
    static const struct {
        uint8_t code;
        const char *name;
    } types[] = {{0x12, "DDR"},   {0x13, "DDR2"},   {0x18, "DDR3"},   {0x1a, "DDR4"},
                 {0x1b, "LPDDR"}, {0x1c, "LPDDR2"}, {0x1d, "LPDDR3"}, {0x1e, "LPDDR4"},
                 {0x20, "HBM"},   {0x21, "HBM2"},   {0x22, "DDR5"},   {0x23, "LPDDR5"},
                 {0x24, "HBM3"},  {0x0f, "SDRAM"},  {0x11, "RDRAM"},  {0x14, "FB-DIMM"},
                 {0x19, "FBD2"},  {0x02, ""},       {0x15, ""},       {0x25, ""},
                 {0xff, ""}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        table_start();
        size_t pos = add_dimm(0x5c, 1024);
        fake_put(&fake, pos + 0x12, types[i].code, 1);
        entry_64((uint32_t)used);
        assert_int_equal(read_all(), STATUS_OK);
        assert_string_equal(facts.dimms[0].type, types[i].name);
    }
}

static void strings_are_trimmed_and_bounded(void **state)
{
    (void)state;
    table_start();
    size_t pos = add(0, 0x18, "  a\x80\tb  |1234567890123456789012345678901234567890123456789x");
    fake_put(&fake, pos + 4, 0x0201, 2);
    fake_put(&fake, pos + 8, 9, 1); /* there are only two */
    pos = add(1, 0x1b, "   ");
    fake_put(&fake, pos + 4, 1, 1);
    pos = add(1, 0x1b, "second");
    fake_put(&fake, pos + 4, 1, 1);
    entry_64((uint32_t)used);
    assert_int_equal(read_all(), STATUS_OK);
    assert_string_equal(facts.bios_vendor, "a??b");
    assert_string_equal(facts.bios_version, "12345678901234567890123456789012345678901234567");
    assert_string_equal(facts.bios_date, "");
    assert_string_equal(facts.system_maker, "");
}

static void assert_refused(void)
{
    assert_int_equal(read_all(), STATUS_BAD_INPUT);
    assert_string_equal(facts.bios_vendor, "");
    assert_int_equal(facts.dimm_count, 0);
}

static void bad_entries_are_refused(void **state)
{
    (void)state;
    for (unsigned way = 0; way < 14; way++) {
        table_start();
        add_machine();
        if (way < 7)
            entry_64((uint32_t)used);
        else
            entry_32(31, (uint16_t)used, structures);
        switch (way) {
        case 0:
            fake.bytes[ENTRY + 9]++;
            break;
        case 1:
            fake_put(&fake, ENTRY + 6, 23, 1);
            fake_checksum(&fake, ENTRY, 23, ENTRY + 5);
            break;
        case 2:
            fake.size = FAKE_BYTES;
            entry_64((1u << 20) + 1);
            break;
        case 3:
            entry_64(SIZE); /* more than can be read */
            break;
        case 4:
            fake_put(&fake, ENTRY + 16, UINT64_MAX - 10, 8);
            fake_checksum(&fake, ENTRY, 24, ENTRY + 5);
            break;
        case 5:
            fake.bytes[ENTRY + 3] = '4';
            break;
        case 6:
            fake.bytes[ENTRY] = '-';
            break;
        case 7:
            fake.bytes[ENTRY + 4]++;
            break;
        case 8:
            fake.bytes[ENTRY + 21]++;
            fake_checksum(&fake, ENTRY, 31, ENTRY + 4);
            break;
        case 9:
            fake.bytes[ENTRY + 16] = 'x';
            fake_checksum(&fake, ENTRY + 16, 15, ENTRY + 21);
            break;
        case 10:
            fake.bytes[ENTRY + 5] = 29;
            fake_checksum(&fake, ENTRY, 31, ENTRY + 4);
            break;
        case 11:
            fake.bytes[ENTRY + 5] = 255;
            fake.size = ENTRY + 100;
            break;
        case 12:
            fake.size = ENTRY + 30;
            break;
        default:
            fake.size = ENTRY + 4;
        }
        assert_refused();
    }
}

static void broken_structures_end_the_walk(void **state)
{
    (void)state;
    table_start();
    add_machine();
    size_t whole = used;
    for (size_t declared = 1; declared < whole; declared++) {
        table_start();
        add_machine();
        entry_64((uint32_t)declared);
        assert_int_equal(read_all(), STATUS_OK);
        bool boundary = declared == 0x18 + 28 || declared == 0x18 + 28 + 0x1b + 11;
        assert_int_equal(facts.truncated, !boundary);
        assert_string_equal(facts.board_product, "");
    }
    for (unsigned length = 0; length < 4; length++) {
        table_start();
        add_machine();
        size_t pos = add_dimm(0x5c, 1024);
        fake.bytes[pos + 1] = (uint8_t)length;
        entry_64((uint32_t)used);
        assert_int_equal(read_all(), STATUS_OK);
        assert_machine();
        assert_true(facts.truncated);
        assert_int_equal(facts.dimm_count, 0);
    }
    table_start();
    add_machine();
    add_dimm(0x5c, 1024);
    entry_32(31, (uint16_t)used, 3); /* the count ends it before the DIMM */
    assert_int_equal(read_all(), STATUS_OK);
    assert_int_equal(facts.dimm_count, 0);
    assert_false(facts.truncated);
}

static void too_many_dimms_are_counted(void **state)
{
    (void)state;
    table_start();
    for (unsigned i = 0; i < DIMMS_MAX + 3; i++)
        add_dimm(0x28, (uint16_t)(i + 1));
    entry_64((uint32_t)used);
    assert_int_equal(read_all(), STATUS_OK);
    assert_int_equal(facts.dimm_count, DIMMS_MAX);
    assert_int_equal(facts.dimms_dropped, 3);
    assert_int_equal(facts.dimms[DIMMS_MAX - 1].bytes, (uint64_t)DIMMS_MAX << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_entries_lead_to_the_table),
        cmocka_unit_test(sizes_and_speeds_extend),
        cmocka_unit_test(short_structures_know_less),
        cmocka_unit_test(types_have_names),
        cmocka_unit_test(strings_are_trimmed_and_bounded),
        cmocka_unit_test(bad_entries_are_refused),
        cmocka_unit_test(broken_structures_end_the_walk),
        cmocka_unit_test(too_many_dimms_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
