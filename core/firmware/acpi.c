/* SPDX-License-Identifier: BSD-2-Clause */
/* ACPI tables: RSDP, XSDT or RSDT, FADT, HPET, MADT; others are found here and read elsewhere.
 * Offsets: ACPI 6.5, chapter 5; HPET: IA-PC HPET specification 1.0a, section 3.2.4. Every length is
 * checked before the bytes are read. */
#include "core/firmware/acpi.h"

#include "core/lib/bytes.h"
#include "core/lib/memory.h"

#define HEADER_BYTES 36u
/* Larger than any valid table read here (a MADT of 65536 CPUs is implausible). Tables are read as a
 * whole, so larger claims are rejected. */
#define TABLE_BYTES_MAX  (1u << 20)
#define ROOT_ENTRIES_MAX 4096u
/* Tables of one signature to try until one is valid. */
#define TRIES_MAX 4u

#define FADT_TIMER_32_BITS    (1u << 8)
#define FADT_HARDWARE_REDUCED (1u << 20)
#define SPACE_MEMORY          0
#define SPACE_PORT            1

struct walk {
    const struct acpi_reader *reader;
    struct acpi_facts *facts;
};

/* Reads a complete table with that signature, a valid checksum and at least `min` bytes. */
static bool table_read(const struct walk *walk, uint64_t address, const char *signature,
                       uint32_t min, struct acpi_table *table)
{
    const uint8_t *header = acpi_reader_at(walk->reader, address, HEADER_BYTES);
    if (header == NULL || !memory_same(header, signature, 4))
        return false;
    uint32_t bytes = bytes_u32(header + 4);
    if (bytes < min || bytes < HEADER_BYTES || bytes > TABLE_BYTES_MAX)
        return false;
    const uint8_t *pos = acpi_reader_at(walk->reader, address, bytes);
    if (pos == NULL || !bytes_sum_is_zero(pos, bytes))
        return false;
    *table = (struct acpi_table){pos, bytes};
    return true;
}

/* Empty unless all six characters are printable; trailing blanks are dropped. */
static void oem_read(const uint8_t *pos, char oem[8])
{
    size_t used = 0;
    for (size_t i = 0; i < 6 && pos[i] != 0; i++) {
        if (pos[i] < ' ' || pos[i] > '~') {
            used = 0;
            break;
        }
        oem[i] = (char)pos[i];
        if (pos[i] != ' ')
            used = i + 1;
    }
    oem[used] = '\0';
}

/* Address spaces 0 (memory) and 1 (I/O) only; an I/O port must be below 64 Ki. */
static bool timer_from_gas(const uint8_t *gas, struct acpi_facts *facts)
{
    uint64_t address = bytes_u64(gas + 4);
    bool port = gas[0] == SPACE_PORT && address <= 0xfffc;
    if (address == 0 || !(port || gas[0] == SPACE_MEMORY))
        return false;
    facts->pm_timer_address = address;
    facts->pm_timer_is_port = port;
    return true;
}

static bool timer_from_block(const struct acpi_table *fadt, struct acpi_facts *facts)
{
    uint32_t port = bytes_u32(fadt->pos + 76);
    if (port == 0 || port > 0xfffc || fadt->pos[91] != 4)
        return false;
    facts->pm_timer_address = port;
    facts->pm_timer_is_port = true;
    return true;
}

/* FADT, ACPI 6.5 section 5.2.9. The ACPI 1.0 FADT has 116 bytes. */
static void fadt_read(const struct acpi_table *fadt, struct acpi_facts *facts)
{
    facts->fadt_known = true;
    facts->fadt_flags = bytes_u32(fadt->pos + 112);
    facts->hardware_reduced = (facts->fadt_flags & FADT_HARDWARE_REDUCED) != 0;
    if (fadt->bytes >= 131)
        facts->arm_boot_flags = bytes_u16(fadt->pos + 129);
    if (facts->hardware_reduced)
        return;
    facts->pm_timer_known = (fadt->bytes >= 220 && timer_from_gas(fadt->pos + 208, facts)) ||
                            timer_from_block(fadt, facts);
    if (facts->pm_timer_known)
        facts->pm_timer_bits = (facts->fadt_flags & FADT_TIMER_32_BITS) != 0 ? 32 : 24;
}

static void hpet_read(const struct acpi_table *hpet, struct acpi_facts *facts)
{
    uint64_t base = bytes_u64(hpet->pos + 44);
    facts->hpet_known = hpet->pos[40] == SPACE_MEMORY && base != 0;
    if (facts->hpet_known)
        facts->hpet_base = phys_make(base);
}

static void cpu_add(struct acpi_facts *facts, uint64_t id, uint32_t firmware_id, bool enabled,
                    const uint8_t *efficiency)
{
    for (size_t i = 0; i < facts->cpu_count; i++) {
        if (facts->cpus[i].hardware_id == id)
            return;
    }
    if (facts->cpu_count == CPUS_MAX) {
        facts->cpus_dropped++;
        return;
    }
    struct cpu_info *cpu = &facts->cpus[facts->cpu_count++];
    cpu->hardware_id = id;
    cpu->firmware_id = firmware_id;
    cpu->node = NODE_UNKNOWN;
    cpu->enabled = enabled;
    cpu->efficiency_known = efficiency != NULL;
    cpu->efficiency = efficiency != NULL ? *efficiency : 0;
}

/* GICC, section 5.2.12.14: version of the parking protocol, and the parked address. */
static bool gicc_is_parked(const uint8_t *pos)
{
    return bytes_u32(pos + 16) != 0 && bytes_u64(pos + 24) != 0;
}

/* One interrupt controller structure of the MADT, section 5.2.12: local APIC, local x2APIC, GICC.
 * Returns false if it is too short for its type. */
static bool madt_entry(const uint8_t *pos, uint8_t bytes, bool enabled, struct acpi_facts *facts)
{
    static const struct {
        uint8_t type, min, flags, id, id_bytes, firmware_id;
    } kinds[] = {{0, 8, 4, 3, 1, 2}, {9, 16, 8, 4, 4, 12}, {0x0b, 76, 12, 68, 8, 8}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (pos[0] != kinds[i].type)
            continue;
        if (bytes < kinds[i].min)
            return false;
        const uint8_t *id = pos + kinds[i].id;
        uint64_t value = kinds[i].id_bytes == 1   ? *id
                         : kinds[i].id_bytes == 4 ? bytes_u32(id)
                                                  : bytes_u64(id);
        const uint8_t *name = pos + kinds[i].firmware_id;
        /* Of a GICC, from ACPI 6.0 on. */
        const uint8_t *efficiency = pos[0] == 0x0b && bytes >= 80 ? pos + 76 : NULL;
        uint32_t firmware_id = kinds[i].id_bytes == 1 ? *name : bytes_u32(name);
        if (((bytes_u32(pos + kinds[i].flags) & 1) != 0) != enabled)
            continue;
        cpu_add(facts, value, firmware_id, enabled, efficiency);
        facts->cpus_parked += pos[0] == 0x0b && enabled && gicc_is_parked(pos);
    }
    return true;
}

/* Adds either the enabled CPUs or the others. Returns how many structures make no sense. */
static uint32_t madt_walk(const struct acpi_table *madt, bool enabled, struct acpi_facts *facts)
{
    uint32_t pos = 44;
    uint32_t bad = 0;
    while (madt->bytes - pos >= 2) {
        uint8_t bytes = madt->pos[pos + 1];
        if (bytes < 2 || bytes > madt->bytes - pos)
            return bad + 1;
        bad += !madt_entry(madt->pos + pos, bytes, enabled, facts);
        pos += bytes;
    }
    return bad + (pos != madt->bytes);
}

static void madt_read(const struct acpi_table *madt, struct acpi_facts *facts)
{
    facts->madt_known = true;
    facts->bad_madt = madt_walk(madt, true, facts);
    (void)madt_walk(madt, false, facts);
}

static void pptt_read(const struct acpi_table *pptt, struct acpi_facts *facts)
{
    facts->pptt = pptt->pos;
    facts->pptt_bytes = pptt->bytes;
}

static void srat_read(const struct acpi_table *srat, struct acpi_facts *facts)
{
    facts->srat = *srat;
}

static void slit_read(const struct acpi_table *slit, struct acpi_facts *facts)
{
    facts->slit = *slit;
}

static void hmat_read(const struct acpi_table *hmat, struct acpi_facts *facts)
{
    facts->hmat = *hmat;
}

static void bert_read(const struct acpi_table *bert, struct acpi_facts *facts)
{
    facts->bert = *bert;
}

static void hest_read(const struct acpi_table *hest, struct acpi_facts *facts)
{
    facts->hest = *hest;
}

static void fpdt_keep(const struct acpi_table *fpdt, struct acpi_facts *facts)
{
    facts->fpdt = *fpdt;
}

struct wanted {
    const char *signature;
    uint32_t min;
    void (*read)(const struct acpi_table *table, struct acpi_facts *facts);
};

static const struct wanted wanted_tables[] = {{"FACP", 116, fadt_read}, {"HPET", 56, hpet_read},
                                              {"APIC", 44, madt_read},  {"PPTT", 36, pptt_read},
                                              {"SRAT", 48, srat_read},  {"SLIT", 44, slit_read},
                                              {"HMAT", 40, hmat_read},  {"BERT", 48, bert_read},
                                              {"HEST", 40, hest_read},  {"FPDT", 36, fpdt_keep}};
#define WANTED (sizeof wanted_tables / sizeof wanted_tables[0])

/* Reads the first valid table of each wanted signature. */
static void root_walk(const struct walk *walk, const struct acpi_table *root, uint32_t entry_bytes)
{
    unsigned tries[WANTED] = {0};
    bool found[WANTED] = {false};
    uint32_t entries = (root->bytes - HEADER_BYTES) / entry_bytes;
    entries = entries < ROOT_ENTRIES_MAX ? entries : ROOT_ENTRIES_MAX;
    for (uint32_t i = 0; i < entries; i++) {
        const uint8_t *entry = root->pos + HEADER_BYTES + (size_t)i * entry_bytes;
        uint64_t address = entry_bytes == 8 ? bytes_u64(entry) : bytes_u32(entry);
        const uint8_t *header =
            address == 0 ? NULL : acpi_reader_at(walk->reader, address, HEADER_BYTES);
        if (header == NULL) {
            walk->facts->bad_tables++;
            continue;
        }
        for (size_t w = 0; w < WANTED; w++) {
            struct acpi_table table;
            const struct wanted *wanted = &wanted_tables[w];
            if (!memory_same(header, wanted->signature, 4) || found[w] || tries[w] == TRIES_MAX)
                continue;
            tries[w]++;
            found[w] = table_read(walk, address, wanted->signature, wanted->min, &table);
            if (found[w])
                wanted->read(&table, walk->facts);
            else
                walk->facts->bad_tables++;
        }
    }
}

static bool root_read(const struct walk *walk, uint64_t address, const char *signature,
                      uint32_t entry_bytes)
{
    struct acpi_table root;
    if (address == 0)
        return false;
    if (!table_read(walk, address, signature, HEADER_BYTES, &root)) {
        walk->facts->bad_tables++;
        return false;
    }
    oem_read(root.pos + 10, walk->facts->oem);
    root_walk(walk, &root, entry_bytes);
    return true;
}

/* Returns the XSDT's address, 0 if there is none. RSDP: section 5.2.5.3. */
static uint64_t xsdt_address(const struct walk *walk, phys_addr rsdp, uint8_t revision)
{
    if (revision < 2)
        return 0;
    const uint8_t *pos = acpi_reader_at(walk->reader, rsdp.value, 36);
    uint32_t bytes = pos == NULL ? 0 : bytes_u32(pos + 20);
    if (bytes >= 36 && bytes <= TABLE_BYTES_MAX)
        pos = acpi_reader_at(walk->reader, rsdp.value, bytes);
    if (bytes < 36 || bytes > TABLE_BYTES_MAX || pos == NULL || !bytes_sum_is_zero(pos, bytes)) {
        walk->facts->bad_tables++;
        return 0;
    }
    return bytes_u64(pos + 24);
}

enum status acpi_read(const struct acpi_reader *reader, phys_addr rsdp, struct acpi_facts *facts)
{
    struct walk walk = {reader, facts};
    memory_fill(facts, 0, sizeof *facts);
    const uint8_t *pos = acpi_reader_at(reader, rsdp.value, 20);
    if (pos == NULL || !memory_same(pos, "RSD PTR ", 8) || !bytes_sum_is_zero(pos, 20)) {
        facts->bad_tables++;
        return STATUS_BAD_INPUT;
    }
    uint64_t rsdt = bytes_u32(pos + 16);
    uint64_t xsdt = xsdt_address(&walk, rsdp, pos[15]);
    if (root_read(&walk, xsdt, "XSDT", 8) || root_read(&walk, rsdt, "RSDT", 4))
        return STATUS_OK;
    facts->bad_tables += xsdt == 0 && rsdt == 0;
    return STATUS_BAD_INPUT;
}
