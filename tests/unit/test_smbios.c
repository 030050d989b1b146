/* SPDX-License-Identifier: BSD-2-Clause */
/* SMBIOS tables by both entry points, sound and broken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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

/* Strings are separated by '|'. Returns where the structure begins. */
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

static size_t add_cache(uint8_t bytes, uint8_t level, uint16_t size, uint32_t second)
{
    size_t pos = add(7, bytes, "SLC  ");
    fake_put(&fake, pos + 0x04, 1, 1);
    fake_put(&fake, pos + 0x05, 0x180u | (level - 1u), 2); /* enabled, write-back */
    fake_put(&fake, pos + 0x07, 0x1234, 2); /* the maximum is not what is installed */
    fake_put(&fake, pos + 0x09, size, bytes >= 0x0b ? 2 : 1);
    if (bytes > 0x11)
        fake_put(&fake, pos + 0x11, 5, 1);
    if (bytes > 0x12)
        fake_put(&fake, pos + 0x12, 8, 1);
    if (bytes >= 0x1b)
        fake_put(&fake, pos + 0x17, second, 4);
    return pos;
}

static size_t add_processor(uint16_t max, uint16_t now, uint8_t status)
{
    size_t pos = add(4, 0x30, "CPU 0");
    fake_put(&fake, pos + 0x05, 3, 1);
    fake_put(&fake, pos + 0x14, max, 2);
    fake_put(&fake, pos + 0x16, now, 2);
    fake_put(&fake, pos + 0x18, status, 1);
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
        {0xffff, 0x8000, DIMM_UNKNOWN},
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

/* SMBIOS 2.1's memory device ends at 15h, 2.3's at 1Bh: fields beyond the end are unknown. */
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

static void what_nobody_filled_in_is_none(void **state)
{
    (void)state;
    table_start();
    fake_put(&fake, add(1, 0x1b, "To Be Filled By O.E.M.|System Product Name") + 4, 0x0201, 2);
    fake_put(&fake, add(2, 0x0f, "Default string|ABC-1|Default string") + 4, 0x030201, 3);
    entry_64((uint32_t)used);
    assert_int_equal(read_all(), STATUS_OK);
    assert_string_equal(facts.system_maker, "");
    assert_string_equal(facts.system_product, "");
    assert_string_equal(facts.board_maker, "");
    assert_string_equal(facts.board_product, "ABC-1");
    assert_string_equal(facts.board_version, "");
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

static uint16_t handle_at(size_t pos)
{
    return (uint16_t)(fake.bytes[pos + 2] | fake.bytes[pos + 3] << 8);
}

static size_t add_array(uint8_t use, uint8_t ecc, uint16_t slots, uint32_t max_kib)
{
    size_t pos = add(16, 0x17, "");
    fake_put(&fake, pos + 0x05, use, 1);
    fake_put(&fake, pos + 0x06, ecc, 1);
    fake_put(&fake, pos + 0x07, max_kib, 4);
    fake_put(&fake, pos + 0x0d, slots, 2);
    return pos;
}

static size_t add_slot(size_t array, const char *names)
{
    size_t pos = add(17, 0x5c, names);
    fake_put(&fake, pos + 0x04, handle_at(array), 2);
    fake_put(&fake, pos + 0x08, 0x00400048, 4);
    fake_put(&fake, pos + 0x0c, 16384, 2);
    fake_put(&fake, pos + 0x10, 0x0201, 2);
    fake_put(&fake, pos + 0x12, 0x1a, 1);
    fake_put(&fake, pos + 0x17, 3, 1);
    fake_put(&fake, pos + 0x1a, 4, 1);
    fake_put(&fake, pos + 0x26, 1200, 2);
    return pos;
}

/* Type 19 (length 1Fh) and 20 (23h) have the same first fields. */
static size_t add_range(uint8_t type, uint32_t first_kib, uint32_t last_kib, size_t of)
{
    size_t pos = add(type, type == 19 ? 0x1f : 0x23, "");
    fake_put(&fake, pos + 0x04, first_kib, 4);
    fake_put(&fake, pos + 0x08, last_kib, 4);
    fake_put(&fake, pos + 0x0c, handle_at(of), 2);
    return pos;
}

static void read_sound(void)
{
    char why[160];

    entry_64((uint32_t)used);
    assert_int_equal(read_all(), STATUS_OK);
    if (smbios_doubt(&facts, why, sizeof why))
        fail_msg("%s", why);
    assert_string_equal(why, "");
}

static void structures_of_memory_are_linked(void **state)
{
    (void)state;
    table_start();
    size_t system = add_array(3, 6, 4, 64 << 20);
    size_t flash = add_array(5, 3, 1, 16 << 10);
    size_t pos = add_range(19, 0, (2 << 20) - 1, system);
    add_range(19, 0, 16383, flash);
    size_t slot[3] = {add_slot(system, "A1|B0|Acme|X"), add_slot(system, "A2|B1|Acme|X"),
                      add_slot(flash, "ROM|B|Acme|F")};
    pos = add_range(20, 0, (2 << 20) - 1, slot[0]);
    fake_put(&fake, pos + 0x11, 0x0201, 2); /* second of its row, one unit in turn */
    pos = add_range(20, 0xffffffff, 0xffffffff, slot[0]);
    fake_put(&fake, pos + 0x11, 0x0201, 2);
    fake_put(&fake, pos + 0x13, 4ull << 40, 8);
    fake_put(&fake, pos + 0x1b, (4ull << 40) + 0xfff, 8);
    pos = add_range(20, 4, 7, slot[1]);
    fake_put(&fake, pos + 0x11, 0xffff, 2);
    pos = add(37, 0x0e, "");
    fake_put(&fake, pos + 0x06, 2, 1);
    fake_put(&fake, pos + 0x08, handle_at(slot[0]), 2);
    fake_put(&fake, pos + 0x0b, handle_at(slot[2]), 2);
    pos = add(37, 0x0b, "");
    fake_put(&fake, pos + 0x06, 1, 1);
    fake_put(&fake, pos + 0x08, handle_at(slot[1]), 2);
    read_sound();
    assert_int_equal(facts.arrays.slots, 4);
    assert_int_equal(facts.arrays.max_bytes, 64ull << 30);
    assert_int_equal(facts.arrays.mapped_bytes, 2ull << 30);
    assert_int_equal(facts.dimm_count, 3);
    const struct dimm_info *d = facts.dimms;
    assert_string_equal(d[0].use, "system memory");
    assert_string_equal(d[0].ecc, "multi-bit");
    assert_string_equal(d[2].use, "flash");
    assert_string_equal(d[2].ecc, "none");
    assert_int_equal(d[0].configured_mv, 1200);
    assert_int_equal(d[0].physical_first, 0);
    assert_int_equal(d[0].physical_last, (4ull << 40) + 0xfff);
    assert_int_equal(d[0].interleave_position, 1);
    assert_int_equal(d[0].interleave_depth, 2);
    assert_int_equal(d[1].physical_first, 4096);
    assert_int_equal(d[1].physical_last, 8191);
    assert_int_equal(d[1].interleave_position, 0);
    assert_int_equal(d[1].interleave_depth, 0);
    assert_true(d[2].physical_first == DIMM_UNKNOWN && d[2].physical_last == DIMM_UNKNOWN);
    assert_string_equal(d[0].channel, "1");
    assert_string_equal(d[1].channel, "2");
    assert_string_equal(d[2].channel, "1");
    assert_string_equal(d[1].channel_source, "SMBIOS type 37");
}

static void words_of_arrays(void **state)
{
    (void)state;
    static const char *const uses[] = {
        NULL,    NULL, NULL, "system memory", "video memory", "flash", "non-volatile RAM",
        "cache", NULL};
    static const char *const eccs[] = {NULL,         NULL,        NULL,  "none", "parity",
                                       "single-bit", "multi-bit", "crc", NULL};
    for (uint8_t code = 0; code < sizeof uses / sizeof uses[0]; code++) {
        table_start();
        size_t array = add_array(code, code, 2, 0x80000000u);
        fake_put(&fake, array + 0x0f, 4ull << 40, 8);
        size_t pos = add_slot(array, "A1|B0|Acme|X");
        size_t optane = add_slot(array, "A2|B0|Acme|X");
        fake_put(&fake, pos + 0x28, code == 3 ? 3 : 8, 1); /* DRAM; one that is not known */
        fake_put(&fake, optane + 0x28, code < 4 ? 4 : 7, 1);
        read_sound();
        if (uses[code] != NULL)
            assert_string_equal(facts.dimms[0].use, uses[code]);
        else
            assert_null(facts.dimms[0].use);
        if (eccs[code] != NULL)
            assert_string_equal(facts.dimms[0].ecc, eccs[code]);
        else
            assert_null(facts.dimms[0].ecc);
        assert_string_equal(facts.dimms[1].use, "persistent memory");
        assert_int_equal(facts.arrays.slots, code == 3 ? 2 : 0);
        assert_int_equal(facts.arrays.max_bytes, code == 3 ? 4ull << 40 : 0);
    }
}

static void channels_are_read_from_names(void **state)
{
    (void)state;
    static const struct {
        const char *names, *channel;
    } cases[] = {
        {"Controller0-ChannelA-DIMM0|BANK 0|Acme|X", "Controller0-ChannelA"},
        {"DIMM 1|P0 CHANNEL B|Acme|X", "P0 CHANNEL B"},
        {"P0_Node0_Channel10_Dimm0|x|Acme|X", "P0_Node0_Channel10"},
        {"Channel-0-DIMM-1|x|Acme|X", "Channel-0"},
        {"ChannelA1|x|Acme|X", "ChannelA"},
        {"DIMM_A1|BANK 0|Acme|X", ""},
        {"Channel|channel: |Acme|X", ""},
        {"Channel|on ChannelC|Acme|X", "on ChannelC"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        table_start();
        add_slot(add_array(3, 3, 1, 0), cases[i].names);
        read_sound();
        assert_string_equal(facts.dimms[0].channel, cases[i].channel);
        if (cases[i].channel[0] == '\0')
            assert_null(facts.dimms[0].channel_source);
        else
            assert_string_equal(facts.dimms[0].channel_source, "name");
    }
}

static void placeholders_are_no_names(void **state)
{
    (void)state;
    static const char *const nothing[] = {"To Be Filled By O.E.M.",
                                          "to be filled by oem",
                                          "Not Specified",
                                          "Default string",
                                          "UNKNOWN",
                                          "NO DIMM",
                                          "   ",
                                          "None"};
    char names[300], longest[201];

    for (size_t i = 0; i < sizeof nothing / sizeof nothing[0]; i++) {
        snprintf(names, sizeof names, "%s|%s|%s|%s", nothing[i], nothing[i], nothing[i],
                 nothing[i]);
        table_start();
        add_slot(add_array(3, 3, 1, 0), names);
        read_sound();
        assert_string_equal(facts.dimms[0].locator, "");
        assert_string_equal(facts.dimms[0].bank, "");
        assert_string_equal(facts.dimms[0].maker, "");
        assert_string_equal(facts.dimms[0].part, "");
    }
    memset(longest, 'x', 200);
    longest[200] = '\0';
    snprintf(names, sizeof names, "%s|None of ours|Unknowns|n/a 1", longest);
    table_start();
    add_slot(add_array(3, 3, 1, 0), names);
    read_sound();
    assert_int_equal(strlen(facts.dimms[0].locator), sizeof facts.dimms[0].locator - 1);
    assert_string_equal(facts.dimms[0].bank, "None of ours");
    assert_string_equal(facts.dimms[0].maker, "Unknowns");
    assert_string_equal(facts.dimms[0].part, "n/a 1");
}

static void expect_doubt(uint32_t bad, uint32_t dropped, const char *words)
{
    char why[200];

    entry_64((uint32_t)used);
    assert_int_equal(read_all(), STATUS_OK);
    assert_true(smbios_doubt(&facts, why, sizeof why));
    assert_int_equal(facts.links_bad, bad);
    assert_int_equal(facts.links_dropped, dropped);
    assert_string_equal(why, words);
}

static void links_that_lead_nowhere_are_counted(void **state)
{
    (void)state;
    table_start();
    size_t array = add_array(3, 3, 1, 0);
    size_t slot = add_slot(array, "A1|B0|Acme|X");
    fake_put(&fake, slot + 0x04, 0x7777, 2);
    size_t pos = add_range(19, 0, 1023, array);
    fake_put(&fake, pos + 0x0c, 0x7777, 2);
    pos = add_range(20, 0, 1023, slot);
    fake_put(&fake, pos + 0x0c, 0x7777, 2);
    pos = add(37, 0x0b, "");
    fake_put(&fake, pos + 0x06, 1, 1);
    fake_put(&fake, pos + 0x08, 0x7777, 2);
    add_range(20, 1024, 512, slot);      /* ends before it begins */
    add_range(19, 0xffffffff, 0, array); /* and so does this, by its longer fields */
    pos = add(37, 0x0b, "");
    fake_put(&fake, pos + 0x06, 255, 1); /* more than the structure has */
    fake_put(&fake, pos + 0x08, handle_at(slot), 2);
    expect_doubt(7, 0,
                 "SMBIOS: 7 links and ranges of memory structures make no sense and are "
                 "ignored");
    assert_null(facts.dimms[0].use);
    assert_int_equal(facts.arrays.mapped_bytes, 0);
    assert_true(facts.dimms[0].physical_first == DIMM_UNKNOWN);
    assert_string_equal(facts.dimms[0].channel, "2");
}

static void more_structures_of_memory_than_there_is_room_for(void **state)
{
    (void)state;
    table_start();
    size_t array = add_array(3, 3, 1, 0);
    size_t slot = add_slot(array, "A1|B0|Acme|X");
    for (unsigned i = 0; i < SMBIOS_ARRAYS_MAX; i++) {
        add_array(3, 3, 1, 0);
        add_range(19, i, i + 1, array);
    }
    for (unsigned i = 0; i < SMBIOS_LINKS_MAX + 2; i++)
        add_range(20, i, i + 1, slot);
    add_range(19, 0, 1, array);
    expect_doubt(0, 4, "SMBIOS: 4 structures about memory are not read for lack of room");
    assert_int_equal(facts.arrays.slots, SMBIOS_ARRAYS_MAX);
}

/* Each structure cut at each length: what is beyond its end is not known, and nothing is invented.
 */
static void short_structures_of_memory(void **state)
{
    (void)state;
    static const uint8_t types[] = {16, 17, 19, 20, 37};
    for (size_t i = 0; i < sizeof types; i++)
        for (uint8_t bytes = 4; bytes <= 0x5c; bytes++) {
            table_start();
            size_t pos = add(types[i], bytes, "x");
            memset(fake.bytes + pos + 4, 1, bytes - 4u);
            entry_64((uint32_t)used);
            assert_int_equal(read_all(), STATUS_OK);
            assert_false(facts.truncated);
            assert_int_equal(facts.dimm_count, types[i] == 17);
            assert_int_equal(facts.arrays.mapped_bytes, 0);
            assert_int_equal(facts.arrays.slots, 0);
        }
}

static void sizes_of_caches(void **state)
{
    (void)state;
    static const struct {
        uint8_t length;
        uint16_t size;
        uint32_t second;
        uint64_t bytes;
    } sizes[] = {
        {0x13, 512, 0, 512 << 10},
        {0x13, 0x7fff, 0, 0x7fffull << 10},
        {0x13, 0x8000 | 512, 0, 32 << 20}, /* units of 64 KiB */
        {0x13, 0xfffe, 0, 0x7ffeull << 16},
        {0x13, 0xffff, 77, 0}, /* in a field that this one is too short for */
        {0x1a, 0xffff, 77, 0},
        {0x1b, 0x8000 | 512, 77, 32 << 20},  /* only the escape leads there */
        {0x1b, 0xffff, 4 << 20, 4ull << 30}, /* units of 1 KiB */
        {0x1b, 0xffff, 0x80000000u | 1 << 16, 4ull << 30},
        {0x1b, 0xffff, 0xffffffff, 0x7fffffffull << 16},
        {0x1b, 0, 77, 0},
        {0x0a, 512, 0, 0},
        {0x0b, 0x00ff, 0, 255 << 10},
        {0x0f, 512, 0, 512 << 10},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (unsigned entry = 0; entry < 2; entry++) {
            table_start();
            add_cache(sizes[i].length, 3, sizes[i].size, sizes[i].second);
            if (entry == 0)
                entry_64((uint32_t)used);
            else
                entry_32(31, (uint16_t)used, structures);
            assert_int_equal(read_all(), STATUS_OK);
            assert_int_equal(facts.cache_count, 1);
            assert_int_equal(facts.caches[0].bytes, sizes[i].bytes);
            assert_int_equal(facts.caches[0].level, 3);
            assert_int_equal(facts.caches[0].ways, sizes[i].length >= 0x13 ? 16 : 0);
            assert_string_equal(facts.caches[0].name, "SLC");
            assert_true(facts.caches[0].enabled && !facts.caches[0].beyond);
        }
}

static void words_of_caches(void **state)
{
    (void)state;
    static const uint32_t ways[] = {0, 0, 0, 1, 2, 4, UINT32_MAX, 8, 16, 12, 24, 32, 48, 64, 20, 0};
    static const char *const kinds[] = {NULL, NULL, NULL, "instruction", "data", "unified", NULL};
    for (uint8_t code = 0; code < sizeof ways / sizeof ways[0]; code++) {
        table_start();
        size_t pos = add_cache(0x13, 1, 64, 0);
        fake_put(&fake, pos + 0x05, 0x17, 2); /* disabled, level 8 */
        fake_put(&fake, pos + 0x11, code, 1);
        fake_put(&fake, pos + 0x12, code, 1);
        entry_64((uint32_t)used);
        assert_int_equal(read_all(), STATUS_OK);
        assert_int_equal(facts.caches[0].ways, ways[code]);
        assert_int_equal(facts.caches[0].level, 8);
        assert_false(facts.caches[0].enabled);
        if (code >= 7 || kinds[code] == NULL)
            assert_null(facts.caches[0].kind);
        else
            assert_string_equal(facts.caches[0].kind, kinds[code]);
    }
    table_start();
    for (unsigned i = 0; i < SMBIOS_CACHES_MAX + 2; i++)
        add_cache(0x13, 1, 64, 0);
    entry_64((uint32_t)used);
    assert_int_equal(read_all(), STATUS_OK);
    assert_int_equal(facts.cache_count, SMBIOS_CACHES_MAX);
    assert_int_equal(facts.caches_dropped, 2);
}

#define KIB 1024ull
#define MIB (KIB << 10)

/* Level, kind, bytes, enabled of what SMBIOS says; and which of them counts. */
static const struct cache_level server[] = {{.level = 1, .bytes = 48 * KIB},
                                            {.level = 2, .bytes = 2 * MIB},
                                            {.level = 3, .bytes = 105 * MIB}};
static const struct cache_level arm[] = {{.level = 1, .bytes = 64 * KIB},
                                         {.level = 2, .bytes = MIB}};
static const struct {
    const char *what;
    const struct cache_level *declared;
    size_t count;
    struct smbios_cache said[4];
    uint64_t bytes;
} beyond_cases[] = {
    {"totals of a socket, and no more levels",
     server,
     3,
     {{"", "data", 1, true, false, 0, 48 * 56 * KIB},
      {"", "unified", 2, true, false, 0, 112 * MIB},
      {"", "unified", 3, true, false, 0, 1024 * MIB}},
     0},
    {"a fourth level",
     server,
     3,
     {{"", "unified", 3, true, false, 0, 105 * MIB},
      {"", "unified", 4, true, false, 0, 4096 * MIB}},
     4096 * MIB},
    {"a kind that is not told", server, 3, {{"", NULL, 4, true, false, 0, 128 * MIB}}, 128 * MIB},
    {"a system level cache behind L2",
     arm,
     2,
     {{"", "instruction", 1, true, false, 0, 64 * KIB},
      {"", "unified", 2, true, false, 0, 80 * MIB},
      {"", "unified", 3, true, false, 0, 32 * MIB}},
     32 * MIB},
    {"of two sockets, the larger",
     arm,
     2,
     {{"", "unified", 3, true, false, 0, 16 * MIB}, {"", "unified", 3, true, false, 0, 32 * MIB}},
     32 * MIB},
    {"switched off", server, 3, {{"", "unified", 4, false, false, 0, 128 * MIB}}, 0},
    {"of instructions", server, 3, {{"", "instruction", 4, true, false, 0, 128 * MIB}}, 0},
    {"of no size", server, 3, {{"", "unified", 4, true, false, 0, 0}}, 0},
    {"no larger than the last level",
     server,
     3,
     {{"", "unified", 4, true, false, 0, 105 * MIB}},
     0},
    {"a level is less than one CPU's",
     server,
     3,
     {{"", "unified", 3, true, false, 0, 6 * KIB}, {"", "unified", 4, true, false, 0, 128 * MIB}},
     0},
    {"levels counted with the instruction cache",
     server,
     3,
     {{"", "data", 1, true, false, 0, 48 * KIB},
      {"", "data", 2, true, false, 0, 48 * KIB},
      {"", "unified", 3, true, false, 0, 112 * MIB},
      {"", "unified", 4, true, false, 0, 105 * 2 * MIB}},
     0},
    {"an unused socket's is less, and switched off",
     server,
     3,
     {{"", "unified", 3, false, false, 0, 6 * KIB}, {"", "unified", 4, true, false, 0, 128 * MIB}},
     128 * MIB},
    {"registers declare nothing", NULL, 0, {{"", "unified", 3, true, false, 0, 32 * MIB}}, 0},
};

static void only_smbios_declares_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof beyond_cases / sizeof beyond_cases[0]; i++) {
        struct smbios_cache said[4];
        memcpy(said, beyond_cases[i].said, sizeof said);
        for (size_t k = 0; k < 4; k++)
            said[k].level = said[k].level == 0 ? 1 : said[k].level;
        uint64_t bytes =
            smbios_caches_beyond(said, 4, beyond_cases[i].declared, beyond_cases[i].count);
        if (bytes != beyond_cases[i].bytes)
            fail_msg("%s: %llu", beyond_cases[i].what, (unsigned long long)bytes);
        size_t beyond = 0;
        for (size_t k = 0; k < 4; k++)
            beyond += said[k].beyond;
        assert_int_equal(beyond != 0, bytes != 0);
    }
}

static void speeds_of_processors(void **state)
{
    (void)state;
    static const struct {
        uint16_t max[3], now[3];
        uint8_t status[3];
        uint64_t max_mhz, mhz;
        uint32_t sockets;
    } cases[] = {
        {{4000, 0, 0}, {3000, 0, 0}, {0x41, 0, 0}, 4000, 3000, 1},
        {{4000, 4000, 4000}, {3000, 3000, 0}, {0x41, 0x41, 0x40}, 4000, 3000, 2},
        {{4000, 3900, 4000}, {3000, 3000, 3000}, {0x41, 0x41, 0x41}, 0, 3000, 3},
        {{4000, 4000, 0}, {3000, 2900, 0}, {0x01, 0x41, 0x42}, 4000, 2900, 1},
        {{0, 0, 0}, {0, 0, 0}, {0x41, 0, 0}, 0, 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        table_start();
        for (size_t k = 0; k < 3; k++)
            add_processor(cases[i].max[k], cases[i].now[k], cases[i].status[k]);
        size_t pos = add_processor(1000, 1000, 0x41);
        fake_put(&fake, pos + 0x05, 4, 1); /* a mathematical one */
        entry_64((uint32_t)used);
        assert_int_equal(read_all(), STATUS_OK);
        assert_int_equal(facts.cpu_sockets, cases[i].sockets);
        assert_int_equal(facts.cpu_max_hz, cases[i].max_mhz * 1000000);
        assert_int_equal(facts.cpu_hz, cases[i].mhz * 1000000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_of_caches),
        cmocka_unit_test(words_of_caches),
        cmocka_unit_test(only_smbios_declares_it),
        cmocka_unit_test(speeds_of_processors),
        cmocka_unit_test(both_entries_lead_to_the_table),
        cmocka_unit_test(sizes_and_speeds_extend),
        cmocka_unit_test(short_structures_know_less),
        cmocka_unit_test(types_have_names),
        cmocka_unit_test(strings_are_trimmed_and_bounded),
        cmocka_unit_test(bad_entries_are_refused),
        cmocka_unit_test(what_nobody_filled_in_is_none),
        cmocka_unit_test(broken_structures_end_the_walk),
        cmocka_unit_test(too_many_dimms_are_counted),
        cmocka_unit_test(structures_of_memory_are_linked),
        cmocka_unit_test(words_of_arrays),
        cmocka_unit_test(channels_are_read_from_names),
        cmocka_unit_test(placeholders_are_no_names),
        cmocka_unit_test(links_that_lead_nowhere_are_counted),
        cmocka_unit_test(more_structures_of_memory_than_there_is_room_for),
        cmocka_unit_test(short_structures_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
