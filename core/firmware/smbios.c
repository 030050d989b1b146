/* SPDX-License-Identifier: BSD-2-Clause */
/* SMBIOS 2.1 to 3.7 (DMTF DSP0134): entry points, section 5.2; structures, section 7. Each step is
 * bounded by the bytes that remain, not only by a length field. */
#include "core/firmware/smbios.h"

#include "core/firmware/smbios_cpu.h"
#include "core/firmware/smbios_memory.h"
#include "core/firmware/smbios_structure.h"
#include "core/lib/bytes.h"
#include "core/lib/memory.h"

/* Real tables have some tens of KiB; larger claims are rejected. */
#define TABLE_BYTES_MAX (1u << 20)
#define TYPE_END        127

struct table_place {
    uint64_t address;
    uint32_t bytes;
    uint32_t structures; /* 0: not declared */
};

/* 64-bit entry point, section 5.2.2. */
static bool place_from_64(const struct acpi_reader *reader, uint64_t entry,
                          struct table_place *place)
{
    const uint8_t *pos = acpi_reader_at(reader, entry, 24);
    if (pos == NULL || pos[6] < 24)
        return false;
    uint8_t bytes = pos[6];
    const uint8_t *whole = acpi_reader_at(reader, entry, bytes);
    if (whole == NULL || !bytes_sum_is_zero(whole, bytes))
        return false;
    *place = (struct table_place){bytes_u64(whole + 16), bytes_u32(whole + 12), 0};
    return true;
}

/* 32-bit entry point, section 5.2.1. SMBIOS 2.1 specified its length as 1Eh by mistake. */
static bool place_from_32(const struct acpi_reader *reader, uint64_t entry,
                          struct table_place *place)
{
    const uint8_t *pos = acpi_reader_at(reader, entry, 31);
    if (pos == NULL || pos[5] < 30 || !memory_same(pos + 16, "_DMI_", 5) ||
        !bytes_sum_is_zero(pos + 16, 15))
        return false;
    uint8_t bytes = pos[5] == 30 ? 31 : pos[5];
    const uint8_t *whole = acpi_reader_at(reader, entry, bytes);
    if (whole == NULL || !bytes_sum_is_zero(whole, bytes))
        return false;
    *place =
        (struct table_place){bytes_u32(whole + 24), bytes_u16(whole + 22), bytes_u16(whole + 28)};
    return true;
}

static bool place_find(const struct acpi_reader *reader, uint64_t entry, struct table_place *place)
{
    const uint8_t *pos = acpi_reader_at(reader, entry, 5);
    if (pos == NULL)
        return false;
    if (memory_same(pos, "_SM3_", 5))
        return place_from_64(reader, entry, place);
    return memory_same(pos, "_SM_", 4) && place_from_32(reader, entry, place);
}

/* Removes the first structure. Returns false at the end of the table, valid or truncated. */
static bool structure_next(const uint8_t **pos, size_t *left, struct structure *structure)
{
    if (*left < 4 || (*pos)[1] < 4 || (*pos)[1] > *left)
        return false;
    structure->pos = *pos;
    structure->bytes = (*pos)[1];
    structure->strings = *pos + structure->bytes;
    size_t room = *left - structure->bytes;
    size_t end = 0;
    while (end + 1 < room && (structure->strings[end] != 0 || structure->strings[end + 1] != 0))
        end++;
    if (end + 1 >= room)
        return false;
    structure->string_bytes = end;
    *pos = structure->strings + end + 2;
    *left = room - end - 2;
    return true;
}

/* Strings of types 0, 1 and 2: sections 7.1 to 7.3. Only the first structure of each type is
 * used. */
static void structure_read(const struct structure *s, bool seen[3], struct smbios_facts *facts)
{
    uint8_t type = s->pos[0];
    if (smbios_memory_read(s, facts))
        return;
    if (type == 7)
        smbios_cache_read(s, facts);
    else if (type == 4)
        smbios_processor_read(s, facts);
    if (type > 2 || seen[type])
        return;
    seen[type] = true;
    if (type == 0) {
        structure_string(s, 4, facts->bios_vendor, sizeof facts->bios_vendor);
        structure_string(s, 5, facts->bios_version, sizeof facts->bios_version);
        structure_string(s, 8, facts->bios_date, sizeof facts->bios_date);
    } else if (type == 1) {
        structure_words(s, 4, facts->system_maker, sizeof facts->system_maker);
        structure_words(s, 5, facts->system_product, sizeof facts->system_product);
        for (size_t i = 0; i < sizeof facts->system_uuid; i++)
            facts->system_uuid[i] = structure_u8(s, 8 + i);
    } else {
        structure_words(s, 4, facts->board_maker, sizeof facts->board_maker);
        structure_words(s, 5, facts->board_product, sizeof facts->board_product);
        structure_words(s, 6, facts->board_version, sizeof facts->board_version);
        structure_words(s, 7, facts->board_serial, sizeof facts->board_serial);
    }
}

enum status smbios_read(const struct acpi_reader *reader, phys_addr entry,
                        struct smbios_facts *facts)
{
    struct table_place place;
    struct structure structure;
    bool seen[3] = {false};
    memory_fill(facts, 0, sizeof *facts);
    if (!place_find(reader, entry.value, &place) || place.bytes > TABLE_BYTES_MAX)
        return STATUS_BAD_INPUT;
    const uint8_t *pos = acpi_reader_at(reader, place.address, place.bytes);
    size_t left = place.bytes;
    if (pos == NULL)
        return STATUS_BAD_INPUT;
    for (uint32_t read = 0; place.structures == 0 || read < place.structures; read++) {
        if (!structure_next(&pos, &left, &structure)) {
            facts->truncated = left > 0;
            break;
        }
        if (structure.pos[0] == TYPE_END)
            break;
        structure_read(&structure, seen, facts);
    }
    smbios_memory_join(facts);
    return STATUS_OK;
}
