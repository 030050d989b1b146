/* SPDX-License-Identifier: BSD-2-Clause */
/* ACPI tables, sound ones and ones broken in every known way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/support_memory.h"

#define BASE      0x7fe00000ull
#define SIZE      0x30000u
#define RSDP      0x10u
#define XSDT      0x100u
#define RSDT      0x400u
#define FADT      0x600u
#define HPET      0x800u
#define MADT      0x1000u
#define MADT_HEAD 44u

static struct fake_memory fake;
static struct acpi_facts facts;
static size_t madt_bytes;

static void table_seal(size_t pos, const char *signature, size_t bytes)
{
    fake_words(&fake, pos, signature);
    fake_put(&fake, pos + 4, bytes, 4);
    fake_words(&fake, pos + 10, "BENCH ");
    fake_checksum(&fake, pos, bytes, pos + 9);
}

static void rsdp_seal(uint8_t revision)
{
    fake_words(&fake, RSDP, "RSD PTR ");
    fake_put(&fake, RSDP + 15, revision, 1);
    fake_put(&fake, RSDP + 16, BASE + RSDT, 4);
    fake_checksum(&fake, RSDP, 20, RSDP + 8);
    if (revision < 2)
        return;
    fake_put(&fake, RSDP + 20, 36, 4);
    fake_put(&fake, RSDP + 24, BASE + XSDT, 8);
    fake_checksum(&fake, RSDP, 36, RSDP + 32);
}

static void roots_seal(void)
{
    static const size_t tables[] = {FADT, HPET, MADT};
    for (size_t i = 0; i < 3; i++) {
        fake_put(&fake, XSDT + 36 + 8 * i, BASE + tables[i], 8);
        fake_put(&fake, RSDT + 36 + 4 * i, BASE + tables[i], 4);
    }
    table_seal(XSDT, "XSDT", 36 + 3 * 8);
    table_seal(RSDT, "RSDT", 36 + 3 * 4);
}

static void madt_add(uint8_t type, uint8_t bytes, size_t id_at, uint64_t id, size_t id_bytes,
                     size_t flags_at, uint32_t flags)
{
    size_t pos = MADT + madt_bytes;
    fake_put(&fake, pos, type, 1);
    fake_put(&fake, pos + 1, bytes, 1);
    fake_put(&fake, pos + flags_at, flags, 4);
    fake_put(&fake, pos + id_at, id, id_bytes);
    madt_bytes += bytes;
}

static void lapic(uint8_t id, uint32_t flags)
{
    madt_add(0, 8, 3, id, 1, 4, flags);
}

static void x2apic(uint32_t id, uint32_t flags)
{
    madt_add(9, 16, 4, id, 4, 8, flags);
}

/* A machine as QEMU's q35 describes itself, with two CPUs. */
static void machine_start(void)
{
    fake_start(&fake, BASE, SIZE);
    rsdp_seal(2);
    roots_seal();
    fake_put(&fake, FADT + 76, 0x608, 4);
    fake_put(&fake, FADT + 91, 4, 1);
    fake_put(&fake, FADT + 112, 0x84a5, 4);
    table_seal(FADT, "FACP", 244);
    fake_put(&fake, HPET + 44, 0xfed00000, 8);
    table_seal(HPET, "HPET", 56);
    madt_bytes = MADT_HEAD;
    lapic(0, 1);
    lapic(1, 1);
    table_seal(MADT, "APIC", madt_bytes);
}

static enum status read_all(void)
{
    struct acpi_reader reader = fake_reader(&fake);
    enum status status = acpi_read(&reader, phys_make(BASE + RSDP), &facts);
    fake_end(&fake);
    return status;
}

static void assert_machine(void)
{
    assert_true(facts.fadt_known && facts.pm_timer_known && facts.pm_timer_is_port);
    assert_int_equal(facts.fadt_flags, 0x84a5);
    assert_int_equal(facts.pm_timer_address, 0x608);
    assert_int_equal(facts.pm_timer_bits, 24);
    assert_true(facts.hpet_known && facts.madt_known);
    assert_int_equal(facts.hpet_base.value, 0xfed00000);
    assert_int_equal(facts.cpu_count, 2);
    assert_string_equal(facts.oem, "BENCH");
}

static void both_roots_lead_to_the_tables(void **state)
{
    (void)state;
    machine_start();
    assert_int_equal(read_all(), STATUS_OK);
    assert_machine();
    assert_int_equal(facts.bad_tables, 0);
    assert_false(facts.hardware_reduced);

    machine_start(); /* the XSDT wins */
    fake_put(&fake, RSDT, 0, 4);
    assert_int_equal(read_all(), STATUS_OK);
    assert_int_equal(facts.bad_tables, 0);

    machine_start(); /* ACPI 1.0: whatever lies behind 20 bytes is none of our business */
    rsdp_seal(0);
    fake_put(&fake, RSDP + 20, UINT64_MAX, 8);
    fake_put(&fake, XSDT, 0, 4);
    assert_int_equal(read_all(), STATUS_OK);
    assert_machine();
    assert_int_equal(facts.bad_tables, 0);
}

static void a_bad_xsdt_falls_back(void **state)
{
    (void)state;
    for (unsigned way = 0; way < 6; way++) {
        machine_start();
        switch (way) {
        case 0:
            fake.bytes[XSDT + 12] ^= 1;
            break;
        case 1:
            fake_words(&fake, XSDT, "XSDX");
            break;
        case 2:
            fake_put(&fake, XSDT + 4, 35, 4);
            break;
        case 3:
            fake_put(&fake, XSDT + 4, UINT32_MAX, 4);
            break;
        case 4:
            fake.bytes[RSDP + 32]++;
            break;
        default:
            fake_put(&fake, RSDP + 20, 35, 4);
        }
        assert_int_equal(read_all(), STATUS_OK);
        assert_machine();
        assert_int_equal(facts.bad_tables, 1);
    }
}

static void assert_nothing_known(void)
{
    assert_int_equal(read_all(), STATUS_BAD_INPUT);
    assert_false(facts.fadt_known || facts.hpet_known || facts.madt_known);
    assert_int_equal(facts.cpu_count, 0);
    assert_string_equal(facts.oem, "");
    assert_true(facts.bad_tables > 0);
}

static void no_root_is_bad_input(void **state)
{
    (void)state;
    struct acpi_reader reader = fake_reader(&fake);
    machine_start();
    fake.bytes[RSDP + 9] ^= 0x40;
    assert_nothing_known();
    machine_start();
    fake.bytes[RSDP] = 'r';
    assert_nothing_known();
    machine_start();
    fake.bytes[XSDT + 12] ^= 1;
    fake.bytes[RSDT + 12] ^= 1;
    assert_nothing_known();
    machine_start();
    fake_put(&fake, RSDP + 24, UINT64_MAX - 8, 8);
    fake_checksum(&fake, RSDP, 36, RSDP + 32);
    fake_put(&fake, RSDP + 16, 0, 4);
    fake_checksum(&fake, RSDP, 20, RSDP + 8);
    fake_checksum(&fake, RSDP, 36, RSDP + 32);
    assert_nothing_known();
    machine_start(); /* a root pointer that points nowhere */
    rsdp_seal(0);
    fake_put(&fake, RSDP + 16, 0, 4);
    fake_checksum(&fake, RSDP, 20, RSDP + 8);
    assert_nothing_known();
    assert_int_equal(acpi_read(&reader, phys_make(0), &facts), STATUS_BAD_INPUT);
    assert_int_equal(acpi_read(&reader, phys_make(UINT64_MAX - 4), &facts), STATUS_BAD_INPUT);
}

static void bad_tables_are_skipped_and_counted(void **state)
{
    (void)state;
    machine_start();
    fake.bytes[HPET + 20] ^= 1;
    assert_int_equal(read_all(), STATUS_OK);
    assert_true(facts.fadt_known && facts.madt_known && !facts.hpet_known);
    assert_int_equal(facts.bad_tables, 1);

    machine_start();
    fake_put(&fake, HPET + 4, 0xffffffff, 4); /* 4 GiB */
    fake_put(&fake, MADT + 4, SIZE, 4);       /* past what can be read */
    fake_put(&fake, FADT + 4, 115, 4);        /* too short for its flags */
    fake_checksum(&fake, FADT, 115, FADT + 9);
    assert_int_equal(read_all(), STATUS_OK);
    assert_false(facts.fadt_known || facts.hpet_known || facts.madt_known);
    assert_int_equal(facts.bad_tables, 3);

    machine_start();
    fake_put(&fake, XSDT + 36, 0, 8);
    fake_put(&fake, XSDT + 44, UINT64_MAX - 3, 8);
    table_seal(XSDT, "XSDT", 36 + 3 * 8);
    assert_int_equal(read_all(), STATUS_OK);
    assert_true(facts.madt_known);
    assert_int_equal(facts.bad_tables, 2);
}

static void tables_have_a_largest_size(void **state)
{
    (void)state;
    for (unsigned more = 0; more < 2; more++) {
        machine_start();
        fake.size = FAKE_BYTES;
        fake_put(&fake, XSDT + 36 + 8, BASE + 0x10000, 8);
        table_seal(XSDT, "XSDT", 36 + 3 * 8);
        fake_put(&fake, 0x10000 + 44, 0xfed00000, 8);
        table_seal(0x10000, "HPET", (1u << 20) + more);
        assert_int_equal(read_all(), STATUS_OK);
        assert_int_equal(facts.hpet_known, !more);
        assert_int_equal(facts.bad_tables, more);
    }
}

static void the_first_sound_table_counts(void **state)
{
    (void)state;
    machine_start();
    for (size_t i = 0; i < 3; i++)
        fake_put(&fake, XSDT + 36 + 8 * i, BASE + (i == 0 ? HPET : HPET + 0x100 * i), 8);
    table_seal(XSDT, "XSDT", 36 + 3 * 8);
    fake.bytes[HPET + 20] ^= 1;
    for (size_t i = 1; i < 3; i++) {
        fake_put(&fake, HPET + 0x100 * i + 44, 0xfed00000 + i, 8);
        table_seal(HPET + 0x100 * i, "HPET", 56);
    }
    assert_int_equal(read_all(), STATUS_OK);
    assert_int_equal(facts.hpet_base.value, 0xfed00001);
    assert_int_equal(facts.bad_tables, 1);

    machine_start(); /* a root full of a bad table is not read a hundred times */
    for (size_t i = 0; i < 90; i++)
        fake_put(&fake, XSDT + 36 + 8 * i, BASE + HPET, 8);
    table_seal(XSDT, "XSDT", 36 + 90 * 8);
    fake.bytes[HPET + 20] ^= 1;
    assert_int_equal(read_all(), STATUS_OK);
    assert_int_equal(facts.bad_tables, 4);
}

static void fadt(uint32_t flags, uint8_t space, uint64_t address, uint32_t block, size_t bytes)
{
    machine_start();
    fake_put(&fake, FADT + 76, block, 4);
    fake_put(&fake, FADT + 112, flags, 4);
    fake_put(&fake, FADT + 129, 3, 2);
    fake_put(&fake, FADT + 208, space, 1);
    fake_put(&fake, FADT + 212, address, 8);
    table_seal(FADT, "FACP", bytes);
    assert_int_equal(read_all(), STATUS_OK);
    assert_true(facts.fadt_known);
}

static void the_timer_is_found(void **state)
{
    (void)state;
    fadt(0x100, 1, 0x508, 0x408, 244);
    assert_true(facts.pm_timer_known && facts.pm_timer_is_port);
    assert_int_equal(facts.pm_timer_address, 0x508);
    assert_int_equal(facts.pm_timer_bits, 32);
    assert_int_equal(facts.arm_boot_flags, 3);
    fadt(0, 0, 0xfed80808, 0x408, 244);
    assert_true(facts.pm_timer_known && !facts.pm_timer_is_port);
    assert_int_equal(facts.pm_timer_address, 0xfed80808);
    assert_int_equal(facts.pm_timer_bits, 24);
    fadt(0, 1, 0x508, 0x408, 219); /* the extended block ends one byte too late */
    assert_int_equal(facts.pm_timer_address, 0x408);
    fadt(0, 1, 0x508, 0x408, 116);
    assert_int_equal(facts.pm_timer_address, 0x408);
    assert_int_equal(facts.arm_boot_flags, 0);
    fadt(0, 2, 0x508, 0x408, 244); /* PCI configuration space */
    assert_int_equal(facts.pm_timer_address, 0x408);
    fadt(0, 1, 0x10508, 0x408, 244);
    assert_int_equal(facts.pm_timer_address, 0x408);
    fadt(0, 1, 0, 0, 244);
    assert_false(facts.pm_timer_known);
    fadt(0, 1, 0, 0x10000, 244);
    assert_false(facts.pm_timer_known);
    fadt(1u << 20, 1, 0x508, 0x408, 244);
    assert_true(facts.hardware_reduced && !facts.pm_timer_known);
    machine_start();
    fake_put(&fake, FADT + 91, 0, 1);
    table_seal(FADT, "FACP", 244);
    assert_int_equal(read_all(), STATUS_OK);
    assert_false(facts.pm_timer_known);
}

static void the_hpet_is_memory(void **state)
{
    (void)state;
    machine_start();
    fake_put(&fake, HPET + 40, 1, 1);
    table_seal(HPET, "HPET", 56);
    assert_int_equal(read_all(), STATUS_OK);
    assert_false(facts.hpet_known);
    machine_start();
    fake_put(&fake, HPET + 44, 0, 8);
    table_seal(HPET, "HPET", 56);
    assert_int_equal(read_all(), STATUS_OK);
    assert_false(facts.hpet_known);
}

static void assert_cpu(size_t index, uint64_t id, bool enabled)
{
    assert_int_equal(facts.cpus[index].hardware_id, id);
    assert_int_equal(facts.cpus[index].enabled, enabled);
}

static void cpus_are_listed_once_enabled_first(void **state)
{
    (void)state;
    machine_start();
    madt_bytes = MADT_HEAD;
    lapic(4, 0);
    lapic(0, 1);
    madt_add(1, 12, 2, 8, 1, 4, 0xfec00000); /* an I/O APIC */
    lapic(2, 3);
    lapic(6, 2); /* online capable, not present */
    x2apic(2, 1);
    x2apic(0x101, 1);
    lapic(4, 0);
    x2apic(4, 1);
    madt_add(0x0b, 80, 68, 0x8100000003, 8, 12, 1);
    madt_add(0x0b, 76, 68, 0x100, 8, 12, 0);
    table_seal(MADT, "APIC", madt_bytes);
    assert_int_equal(read_all(), STATUS_OK);
    assert_int_equal(facts.bad_tables, 0);
    assert_int_equal(facts.cpu_count, 7);
    assert_cpu(0, 0, true);
    assert_cpu(1, 2, true);
    assert_cpu(2, 0x101, true);
    assert_cpu(3, 4, true);
    assert_cpu(4, 0x8100000003, true);
    assert_cpu(5, 6, false);
    assert_cpu(6, 0x100, false);
}

/* An enabled GICC with both a version of the protocol and an address. */
static void parked_cpus_are_counted(void **state)
{
    static const struct {
        uint32_t enabled, version;
        uint64_t address;
        uint32_t parked;
    } cases[] = {{1, 1, 0x80000000, 1},
                 {1, 1, 1ull << 40, 1},
                 {1, 0, 0x80000000, 0},
                 {1, 1, 0, 0},
                 {0, 1, 0x80000000, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        machine_start();
        madt_bytes = MADT_HEAD;
        madt_add(0x0b, 80, 68, 1, 8, 12, 1);
        madt_add(0x0b, 80, 68, 2, 8, 12, cases[i].enabled);
        fake_put(&fake, MADT + madt_bytes - 80 + 16, cases[i].version, 4);
        fake_put(&fake, MADT + madt_bytes - 80 + 24, cases[i].address, 8);
        table_seal(MADT, "APIC", madt_bytes);
        assert_int_equal(read_all(), STATUS_OK);
        assert_int_equal(facts.cpus_parked, cases[i].parked);
    }
}

/* ACPI's own numbers of the processors, and the table of their topology where there is one. */
static void the_topology_table_is_found(void **state)
{
    const size_t pptt = 0x4000;

    (void)state;
    machine_start();
    assert_int_equal(read_all(), STATUS_OK);
    assert_null(facts.pptt);
    fake_start(&fake, BASE, SIZE);
    rsdp_seal(2);
    fake_put(&fake, XSDT + 36, BASE + MADT, 8);
    fake_put(&fake, XSDT + 44, BASE + pptt, 8);
    table_seal(XSDT, "XSDT", 36 + 2 * 8);
    table_seal(pptt, "PPTT", 96);
    madt_bytes = MADT_HEAD;
    lapic(9, 1);
    fake_put(&fake, MADT + madt_bytes - 8 + 2, 0x35, 1);
    x2apic(0x101, 1);
    fake_put(&fake, MADT + madt_bytes - 16 + 12, 0x12345678, 4);
    madt_add(0x0b, 80, 68, 0x200, 8, 12, 1);
    fake_put(&fake, MADT + madt_bytes - 80 + 8, 0x87654321, 4);
    table_seal(MADT, "APIC", madt_bytes);
    struct acpi_reader reader = fake_reader(&fake);
    assert_int_equal(acpi_read(&reader, phys_make(BASE + RSDP), &facts), STATUS_OK);
    assert_int_equal(facts.cpus[0].firmware_id, 0x35);
    assert_int_equal(facts.cpus[1].firmware_id, 0x12345678);
    assert_int_equal(facts.cpus[2].firmware_id, 0x87654321);
    assert_int_equal(facts.pptt_bytes, 96);
    assert_memory_equal(facts.pptt, "PPTT", 4);
    fake_end(&fake);
}

static void broken_structures_end_the_walk(void **state)
{
    (void)state;
    for (unsigned bytes = 0; bytes < 256; bytes++) {
        machine_start();
        lapic(7, 1);
        fake_put(&fake, MADT + madt_bytes - 8 + 1, bytes, 1);
        table_seal(MADT, "APIC", madt_bytes);
        assert_int_equal(read_all(), STATUS_OK);
        assert_int_equal(facts.cpu_count, bytes == 8 ? 3 : 2);
        assert_int_equal(facts.bad_madt > 0, bytes != 8);
    }
    machine_start();
    madt_add(9, 15, 4, 3, 4, 8, 1);
    madt_add(0x0b, 75, 60, 3, 8, 12, 1);
    lapic(9, 1);
    table_seal(MADT, "APIC", madt_bytes);
    assert_int_equal(read_all(), STATUS_OK);
    assert_int_equal(facts.cpu_count, 3);
    assert_int_equal(facts.bad_madt, 2);
    assert_int_equal(facts.bad_tables, 0);
}

static void too_many_cpus_are_counted(void **state)
{
    (void)state;
    machine_start();
    madt_bytes = MADT_HEAD;
    for (uint32_t i = 0; i < CPUS_MAX + 20; i++)
        x2apic(i, 1);
    x2apic(5, 1);
    table_seal(MADT, "APIC", madt_bytes);
    assert_int_equal(read_all(), STATUS_OK);
    assert_int_equal(facts.cpu_count, CPUS_MAX);
    assert_int_equal(facts.cpus_dropped, 20);
    assert_cpu(CPUS_MAX - 1, CPUS_MAX - 1, true);
}

static void names_are_printable(void **state)
{
    (void)state;
    machine_start();
    fake_words(&fake, XSDT + 10, "A B   ");
    fake_checksum(&fake, XSDT, 36 + 3 * 8, XSDT + 9);
    assert_int_equal(read_all(), STATUS_OK);
    assert_string_equal(facts.oem, "A B");
    machine_start();
    fake_words(&fake, XSDT + 10, "AB\x90");
    fake_checksum(&fake, XSDT, 36 + 3 * 8, XSDT + 9);
    assert_int_equal(read_all(), STATUS_OK);
    assert_string_equal(facts.oem, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_roots_lead_to_the_tables),
        cmocka_unit_test(a_bad_xsdt_falls_back),
        cmocka_unit_test(no_root_is_bad_input),
        cmocka_unit_test(bad_tables_are_skipped_and_counted),
        cmocka_unit_test(tables_have_a_largest_size),
        cmocka_unit_test(the_first_sound_table_counts),
        cmocka_unit_test(the_timer_is_found),
        cmocka_unit_test(the_hpet_is_memory),
        cmocka_unit_test(cpus_are_listed_once_enabled_first),
        cmocka_unit_test(parked_cpus_are_counted),
        cmocka_unit_test(the_topology_table_is_found),
        cmocka_unit_test(broken_structures_end_the_walk),
        cmocka_unit_test(too_many_cpus_are_counted),
        cmocka_unit_test(names_are_printable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
