/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/firmware/apei.h"

#include "core/lib/bytes.h"
#include "core/lib/memory.h"
#include "core/lib/text.h"

#define REGION_MAX (1u << 20)

/* Generic error status block and its data entries: 18.3.2.7.1. */
#define BLOCK_BYTES        20u
#define BLOCK_KINDS        3u /* an uncorrectable and a correctable error are in it */
#define ENTRY_BYTES        64u
#define ENTRY_BYTES_3      72u /* from revision 3.0 on */
#define REVISION_3         0x300u
#define ENTRY_HAS_NAME     2u
#define NAME_BYTES         20u
#define SEVERITY_CORRECTED 2u
#define SEVERITY_NONE      3u

/* Memory Error Section: UEFI 2.10, N.2.5. */
#define MEMORY_BYTES 48u
static const uint8_t memory_section[16] = {0x14, 0x11, 0xbc, 0xa5, 0x64, 0x6f, 0xde, 0x4e,
                                           0xb8, 0x63, 0x3e, 0x83, 0xed, 0x7c, 0x83, 0xb1};
static const struct place {
    const char *name;
    uint8_t valid_bit, offset;
} places[] = {{"node", 3, 32},   {"card", 4, 34}, {"module", 5, 36}, {"bank", 6, 38},
              {"device", 7, 40}, {"row", 8, 42},  {"column", 9, 44}};
#define MEMORY_HAS_ADDRESS 2u
#define MEMORY_ADDRESS     16u

/* Hardware error sources: 18.3.2. Entries have no length of their own. */
#define HEST_HEAD      40u
#define FIRMWARE_FIRST 1u
#define FLAGS_OFFSET   6u
#define BANK_BYTES     28u
enum { SOURCE_EXCEPTION = 0, SOURCE_CORRECTED = 1, SOURCE_DEFERRED = 11 };

static void add_words(struct boot_error *error, const char *name, uint32_t number)
{
    size_t used = text_length(error->words);
    struct text text;

    text_start(&text, error->words + used, sizeof error->words - used);
    text_format(&text, "%s%s %u", used != 0 ? ", " : "", name, number);
}

static void read_memory(const uint8_t *section, struct boot_error *error)
{
    uint64_t valid = bytes_u64(section);

    error->memory = true;
    if (valid & MEMORY_HAS_ADDRESS)
        error->physical = bytes_u64(section + MEMORY_ADDRESS);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (valid >> places[i].valid_bit & 1)
            add_words(error, places[i].name, bytes_u16(section + places[i].offset));
}

/* The name of the replaceable unit, as far as it is text. */
static void read_name(const uint8_t *name, struct boot_error *error)
{
    size_t used = 0;

    while (used < NAME_BYTES && name[used] >= 0x20 && name[used] < 0x7f)
        used++;
    memory_copy(error->words, name, used);
    error->words[used] = '\0';
}

static struct boot_error *next_error(struct boot_errors *errors)
{
    struct boot_error *error;

    if (errors->count == BOOT_ERRORS_MAX) {
        errors->more++;
        return NULL;
    }
    error = &errors->error[errors->count++];
    *error = (struct boot_error){.physical = UINT64_MAX};
    return error;
}

static void read_entry(const uint8_t *entry, uint32_t head, uint32_t bytes,
                       struct boot_errors *errors)
{
    uint32_t severity = bytes_u32(entry + 16);
    struct boot_error *error;

    if (severity == SEVERITY_NONE || (error = next_error(errors)) == NULL)
        return;
    error->corrected = severity == SEVERITY_CORRECTED;
    if (entry[22] & ENTRY_HAS_NAME)
        read_name(entry + 44, error);
    if (bytes >= MEMORY_BYTES && memory_same(entry, memory_section, sizeof memory_section))
        read_memory(entry + head, error);
}

static void read_region(const uint8_t *region, uint32_t bytes, struct boot_errors *errors)
{
    uint32_t data = bytes_u32(region + 12), at = BLOCK_BYTES;
    uint32_t severity = bytes_u32(region + 16);

    if ((bytes_u32(region) & BLOCK_KINDS) == 0 || severity == SEVERITY_NONE)
        return;
    if (data > bytes - BLOCK_BYTES) {
        errors->bad++;
        data = bytes - BLOCK_BYTES;
    }
    while (data - (at - BLOCK_BYTES) >= ENTRY_BYTES) {
        const uint8_t *entry = region + at;
        uint32_t head = bytes_u16(entry + 20) >= REVISION_3 ? ENTRY_BYTES_3 : ENTRY_BYTES;
        uint32_t left = data - (at - BLOCK_BYTES), size = bytes_u32(entry + 24);
        if (left < head || size > left - head) {
            errors->bad++;
            break;
        }
        read_entry(entry, head, size, errors);
        at += head + size;
    }
    /* An error without a readable entry is one all the same. */
    if (errors->count == 0 && next_error(errors) != NULL)
        errors->error[0].corrected = severity == SEVERITY_CORRECTED;
}

static void read_bert(const struct acpi_reader *reader, const struct acpi_table *bert,
                      struct boot_errors *errors)
{
    uint32_t bytes = bytes_u32(bert->pos + 36);
    const uint8_t *region;

    if (bytes < BLOCK_BYTES || bytes > REGION_MAX) {
        errors->bad++;
        return;
    }
    region = acpi_reader_at(reader, bytes_u64(bert->pos + 40), bytes);
    if (region == NULL)
        errors->bad++;
    else
        read_region(region, bytes, errors);
}

/* Bytes of the source at pos, of which `left` are in the table; 0: not known, or cut off. */
static uint32_t source_bytes(const uint8_t *pos, uint32_t left)
{
    static const uint8_t plain[] = {[2] = 20, [6] = 48, [7] = 44, [8] = 56, [9] = 64, [10] = 92};
    uint16_t type = bytes_u16(pos);
    uint32_t bytes = 0;

    if (type == SOURCE_EXCEPTION)
        bytes = left >= 40 ? 40 + BANK_BYTES * pos[32] : 0;
    else if (type == SOURCE_CORRECTED || type == SOURCE_DEFERRED)
        bytes = left >= 48 ? 48 + BANK_BYTES * pos[44] : 0;
    else if (type < sizeof plain)
        bytes = plain[type];
    return bytes <= left ? bytes : 0;
}

static void read_hest(const struct acpi_table *hest, struct boot_errors *errors)
{
    uint32_t count = bytes_u32(hest->pos + 36), at = HEST_HEAD;

    for (uint32_t i = 0; i < count && hest->bytes - at >= FLAGS_OFFSET + 2; i++) {
        const uint8_t *pos = hest->pos + at;
        uint16_t type = bytes_u16(pos);
        uint32_t bytes = source_bytes(pos, hest->bytes - at);
        if (bytes == 0) {
            errors->bad++;
            return;
        }
        if (type == SOURCE_CORRECTED || type == SOURCE_DEFERRED)
            errors->firmware_first |= pos[FLAGS_OFFSET] & FIRMWARE_FIRST;
        at += bytes;
    }
}

void apei_read(const struct acpi_reader *reader, const struct acpi_table *bert,
               const struct acpi_table *hest, struct boot_errors *errors)
{
    memory_fill(errors, 0, sizeof *errors);
    if (bert->pos != NULL)
        read_bert(reader, bert, errors);
    if (hest->pos != NULL)
        read_hest(hest, errors);
}
