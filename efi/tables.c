/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds a description from configuration tables and identification registers; see tables.h. */
#include "efi/tables.h"

#include "core/firmware/apei.h"
#include "core/firmware/pptt.h"
#include "core/lib/memory.h"
#include "core/mapping/node_map.h"

#define LOW_MEMORY_BYTES (1u << 20)

/* EFI_DTB_TABLE_GUID: UEFI 2.10, 4.6.1.3. */
#define DEVICETREE_GUID                                    \
    {                                                      \
        0xb1b621d5, 0xf19c, 0x41a5,                        \
        {                                                  \
            0x83, 0x0b, 0xd9, 0x15, 0x2c, 0x69, 0xaa, 0xe0 \
        }                                                  \
    }

/* A table's address is accepted only where the memory map lists something, or below 1 MiB, where PC
 * firmware keeps entry points that its map omits. */
static const void *reader_at(void *context, phys_addr address, size_t bytes)
{
    uint64_t end = address.value + bytes;

    if (address.value == 0 || end < address.value)
        return NULL;
    if (end > LOW_MEMORY_BYTES && !memory_map_covers(context, address, bytes))
        return NULL;
    return (const void *)(uintptr_t)address.value;
}

static phys_addr address_of(const void *table)
{
    return phys_make((uintptr_t)table);
}

static void note_bad(struct notes *notes, const char *table, uint32_t bad)
{
    if (bad != 0)
        notes_format(notes, SEVERITY_WARNING, "ACPI table unusable in part",
                     "%s: %u of its structures make no sense and are ignored", table, bad);
}

static void read_acpi(struct tables *tables, const struct firmware *fw,
                      const struct acpi_reader *reader, struct notes *notes)
{
    static const EFI_GUID acpi2 = ACPI_20_TABLE_GUID, acpi1 = ACPI_TABLE_GUID;
    const void *rsdp = firmware_table(fw, &acpi2);

    if (rsdp == NULL)
        rsdp = firmware_table(fw, &acpi1);
    if (rsdp == NULL)
        notes_add(notes, SEVERITY_INFO, "no ACPI tables", "the firmware does not give any");
    else if (acpi_read(reader, address_of(rsdp), &tables->acpi) != STATUS_OK)
        notes_add(notes, SEVERITY_WARNING, "ACPI tables unusable", "the root table is not valid");
    else if (tables->acpi.bad_tables != 0)
        notes_add(notes, SEVERITY_WARNING, "ACPI tables skipped", "bad checksum or length");
    note_bad(notes, "MADT", tables->acpi.bad_madt);
    if (tables->acpi.cpus_dropped != 0)
        notes_format(notes, SEVERITY_WARNING, "CPUs left out", "%u of the MADT, beyond %u",
                     tables->acpi.cpus_dropped, (uint32_t)CPUS_MAX);
    tables->times_why = fpdt_read(reader, &tables->acpi.fpdt, &tables->times);
}

/* Where ACPI lists no CPUs, the devicetree's are the machine's. */
static void take_cpus(struct tables *tables)
{
    struct acpi_facts *acpi = &tables->acpi;
    const struct devicetree_facts *tree = &tables->devicetree;

    if (acpi->madt_known)
        return;
    acpi->cpu_count = tree->cpu_count;
    acpi->cpus_dropped = tree->cpus_dropped;
    for (size_t i = 0; i < tree->cpu_count; i++)
        acpi->cpus[i] = (struct cpu_info){.hardware_id = tree->cpu[i].id,
                                          .node = NODE_UNKNOWN,
                                          .enabled = tree->cpu[i].available};
}

static void read_devicetree(struct tables *tables, const struct firmware *fw,
                            const struct acpi_reader *reader, struct notes *notes)
{
    static const EFI_GUID guid = DEVICETREE_GUID;
    const void *table = firmware_table(fw, &guid);
    const uint8_t *tree = NULL;
    size_t bytes;

    if (table == NULL)
        return;
    tree = reader->pos(reader->context, address_of(table), DEVICETREE_HEAD_BYTES);
    bytes = tree != NULL ? devicetree_bytes(tree) : 0;
    if (bytes != 0)
        tree = reader->pos(reader->context, address_of(table), bytes);
    if (tree == NULL || bytes == 0 ||
        devicetree_read(tree, bytes, &tables->devicetree) != STATUS_OK)
        notes_add(notes, SEVERITY_WARNING, "devicetree unusable", "its format is not sound");
    else
        take_cpus(tables);
}

static void read_smbios(struct tables *tables, const struct firmware *fw,
                        const struct acpi_reader *reader, struct notes *notes)
{
    static const EFI_GUID smbios3 = SMBIOS3_TABLE_GUID, smbios2 = SMBIOS_TABLE_GUID;
    const void *entry[2] = {firmware_table(fw, &smbios3), firmware_table(fw, &smbios2)};
    char why[NOTES_WHY_BYTES];

    for (unsigned i = 0; i < 2; i++)
        if (entry[i] != NULL &&
            smbios_read(reader, address_of(entry[i]), &tables->smbios) == STATUS_OK) {
            if (smbios_doubt(&tables->smbios, why, sizeof why))
                notes_add(notes, SEVERITY_WARNING, "SMBIOS unusable in part", why);
            return;
        }
    notes_add(notes, SEVERITY_INFO, "no board and DIMM names",
              entry[0] == NULL && entry[1] == NULL ? "the firmware gives no SMBIOS tables"
                                                   : "the SMBIOS tables are not valid");
}

static void add_word(struct text *text, const char *word)
{
    if (word[0] == 0)
        return;
    text_format(text, "%s%s", text->used != 0 ? " " : "", word);
}

/* Files of a board are named by what does not vary from boot to boot: by its name alone. */
static void name_board(struct tables *tables)
{
    const struct smbios_facts *smbios = &tables->smbios;
    struct board_words words = {.maker = smbios->board_maker,
                                .product = smbios->board_product,
                                .version = smbios->board_version,
                                .system_maker = smbios->system_maker,
                                .system_product = smbios->system_product,
                                .model = "",
                                .cpu = ""};

    (void)board_name(&words, tables->board, sizeof tables->board);
    words.cpu = tables->cpu.cpu_name;
    for (size_t i = 0; i < tables->memory_count; i++)
        words.memory_bytes += tables->memory[i].bytes;
    tables->board_source = board_name(&words, tables->described, sizeof tables->described);
}

static void write_names(struct tables *tables, const struct firmware *fw)
{
    const struct smbios_facts *smbios = &tables->smbios;
    uint32_t revision = fw->system->Hdr.Revision;
    struct text text;

    text_start(&text, tables->firmware, sizeof tables->firmware);
    firmware_text(&text, fw->system->FirmwareVendor, 48);
    text_format(&text, " 0x%x, UEFI %u.%u", fw->system->FirmwareRevision, revision >> 16,
                (revision & 0xffff) / 10);

    name_board(tables);
    text_start(&text, tables->bios, sizeof tables->bios);
    add_word(&text, smbios->bios_vendor);
    add_word(&text, smbios->bios_version);
    add_word(&text, smbios->bios_date);
}

/* Merges what the firmware's tables say about the running CPU's caches. */
static void merge_caches(struct tables *tables)
{
    const struct acpi_facts *acpi = &tables->acpi;
    struct arch_facts *cpu = &tables->cpu;
    struct cache_level found[CACHE_LEVELS_MAX];
    size_t count = 0;

    if (acpi->pptt == NULL || !cpu->caches_doubtful)
        return;
    for (size_t i = 0; i < acpi->cpu_count && count == 0; i++)
        if (acpi->cpus[i].hardware_id == cpu->boot_cpu.hardware_id)
            count = pptt_caches(acpi->pptt, acpi->pptt_bytes, acpi->cpus[i].firmware_id, found,
                                CACHE_LEVELS_MAX);
    cpu->cache_count = pptt_merge(cpu->caches, cpu->cache_count, found, count, CACHE_LEVELS_MAX);
}

/* Which memory is whose; without a table of it, all of it is nobody's. */
static void read_nodes(struct tables *tables, struct notes *notes)
{
    struct numa_facts *numa = &tables->numa;

    numa_read(&tables->acpi, numa);
    tables->memory_count = numa_cut(numa, tables->memory, tables->memory_count, MEMORY_RANGES_MAX);
    if (!numa->known)
        notes_add(notes, SEVERITY_INFO, "nodes of the memory unknown",
                  "the firmware gives no SRAT table");
    note_bad(notes, "SRAT", numa->bad_srat);
    note_bad(notes, "SLIT", numa->bad_slit);
    note_bad(notes, "HMAT", numa->bad_hmat);
}

static void read_errors(struct tables *tables, const struct acpi_reader *reader,
                        struct notes *notes)
{
    struct boot_errors *errors = &tables->boot_errors;

    apei_read(reader, &tables->acpi.bert, &tables->acpi.hest, errors);
    note_bad(notes, "BERT or HEST", errors->bad);
}

void tables_read(struct tables *tables, const struct firmware *fw, struct notes *notes)
{
    struct memory_map map;
    struct acpi_reader reader = {&map, reader_at};

    memory_fill(tables, 0, sizeof *tables);
    tables->times_why = "no memory map";
    tables->bits = (struct census_bits){CENSUS_BITS_MAX + 1, CENSUS_BITS_MAX + 1};
    arch_describe(&tables->cpu);
    if (memory_map_read(fw, &map)) {
        read_acpi(tables, fw, &reader, notes);
        read_devicetree(tables, fw, &reader, notes);
        merge_caches(tables);
        read_smbios(tables, fw, &reader, notes);
        read_errors(tables, &reader, notes);
        tables->memory_count = memmap_ranges(&map.raw, tables->memory, MEMORY_RANGES_MAX);
        memory_map_free(fw, &map);
        read_nodes(tables, notes);
    } else {
        notes_add(notes, SEVERITY_ERROR, "no memory map", "the firmware does not give it");
    }
    write_names(tables, fw);
}

/* HMAT says it of this very memory, SMBIOS of a socket at large. */
static void describe_side_cache(const struct tables *tables,
                                struct machine_description *description)
{
    description->side_cache_bytes = numa_cache_bytes(&tables->numa, tables->home_node);
    description->side_cache_source = "HMAT";
    if (description->side_cache_bytes == 0) {
        description->side_cache_bytes = tables->smbios_side_bytes;
        description->side_cache_source = "SMBIOS type 7";
    }
}

/* What records and cpus= name them by, and which of them share a core. */
static void number_cpus(struct acpi_facts *acpi, const struct census_bits *bits)
{
    for (size_t i = 0; i < acpi->cpu_count; i++) {
        acpi->cpus[i].number = (uint32_t)i;
        acpi->cpus[i].core = census_core(acpi->cpus[i].hardware_id, bits);
    }
}

/* Puts the running CPU first, with what its own registers say; without a table of CPUs it is the
 * only one. */
static void order_cpus(struct tables *tables)
{
    const struct cpu_info *own = &tables->cpu.boot_cpu;
    struct acpi_facts *acpi = &tables->acpi;
    struct cpu_info listed;
    size_t pos = 0;

    while (pos < acpi->cpu_count && acpi->cpus[pos].hardware_id != own->hardware_id)
        pos++;
    if (pos == acpi->cpu_count) {
        if (acpi->cpu_count < CPUS_MAX)
            acpi->cpu_count++;
        pos = acpi->cpu_count - 1;
        acpi->cpus[pos] = (struct cpu_info){.hardware_id = own->hardware_id, .node = NODE_UNKNOWN};
    }
    number_cpus(acpi, &tables->bits);
    listed = acpi->cpus[pos];
    acpi->cpus[pos] = acpi->cpus[0];
    acpi->cpus[0] = *own;
    acpi->cpus[0].node = listed.node;
    acpi->cpus[0].efficiency = listed.efficiency;
    acpi->cpus[0].efficiency_known = listed.efficiency_known;
    acpi->cpus[0].enabled = true;
    acpi->cpus[0].number = listed.number;
    acpi->cpus[0].core = listed.core;
}

/* What SLIT and HMAT claim of every node with CPUs, to every one with memory. */
static void claim_nodes(struct tables *tables)
{
    struct node_map *map = &tables->nodes;
    bool slit = false, hmat = false;

    node_map_start(map, tables->memory, tables->memory_count, tables->acpi.cpus,
                   tables->acpi.cpu_count);
    for (size_t i = 0; i < map->count * map->count; i++) {
        struct node_claim claim = numa_claim(&tables->numa, map->node[i / map->count].number,
                                             map->node[i % map->count].number);
        slit = slit || claim.distance != 0;
        hmat = hmat || claim.latency_ns > 0 || claim.bytes_per_s > 0;
        node_map_claim(map, &claim);
    }
    if (slit || hmat)
        map->source = !slit ? "HMAT" : hmat ? "SLIT and HMAT" : "SLIT";
}

void tables_describe(struct tables *tables, struct machine_description *description)
{
    const struct arch_facts *cpu = &tables->cpu;

    order_cpus(tables);
    tables->smbios_side_bytes =
        smbios_caches_beyond(tables->smbios.caches, tables->smbios.cache_count, tables->cpu.caches,
                             tables->cpu.cache_count);
    tables->home_node =
        numa_home(&tables->numa, tables->memory, tables->memory_count, tables->acpi.cpus[0].node);
    claim_nodes(tables);
    census_take(tables->acpi.cpus, tables->acpi.cpu_count, tables->acpi.madt_known, &tables->bits,
                &tables->state);
    *description = (struct machine_description){.arch = cpu->arch,
                                                .firmware = tables->firmware,
                                                .board = tables->described,
                                                .board_source = tables->board_source,
                                                .bios = tables->bios,
                                                .cpu_name = cpu->cpu_name,
                                                .caches = cpu->caches,
                                                .cache_count = cpu->cache_count,
                                                .tlbs = cpu->tlbs,
                                                .tlb_count = cpu->tlb_count,
                                                .memory = tables->memory,
                                                .memory_count = tables->memory_count,
                                                .nodes = &tables->nodes,
                                                .home_node = tables->home_node,
                                                .cpus = tables->acpi.cpus,
                                                .cpu_count = tables->acpi.cpu_count,
                                                .no_park = cpu->no_park,
                                                .state = tables->state,
                                                .dimms = tables->smbios.dimms,
                                                .dimm_count = tables->smbios.dimm_count,
                                                .module_arrays = tables->smbios.arrays,
                                                .smbios_caches = tables->smbios.caches,
                                                .smbios_cache_count = tables->smbios.cache_count,
                                                .smbios_cpu_hz = tables->smbios.cpu_hz,
                                                .smbios_cpu_max_hz = tables->smbios.cpu_max_hz,
                                                .page_sizes = cpu->page_sizes,
                                                .guest = cpu->guest,
                                                .line_bytes = cpu->line_bytes,
                                                .boot_errors = &tables->boot_errors};
    describe_side_cache(tables, description);
}

/* What SMBIOS says of a board that has neither a UUID nor a serial number. */
static void add_facts(const struct tables *tables, struct text *facts)
{
    const struct smbios_facts *smbios = &tables->smbios;

    text_format(facts, "%s;%s;%s;", tables->board, smbios->system_maker, smbios->system_product);
    for (size_t i = 0; i < smbios->dimm_count; i++)
        text_format(facts, "%s %s %s %lu;", smbios->dimms[i].locator, smbios->dimms[i].bank,
                    smbios->dimms[i].part, smbios->dimms[i].bytes);
}

void tables_key(const struct tables *tables, char key[SOAK_KEY_BYTES])
{
    const struct smbios_facts *smbios = &tables->smbios;
    char facts[1000];
    struct text text;

    text_start(&text, facts, sizeof facts);
    add_facts(tables, &text);
    soak_key(tables->board, smbios->system_uuid, smbios->board_serial, facts, text.used, key);
}
