/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/firmware/smbios_memory.h"

#include "core/lib/text.h"

#define USE_SYSTEM     3u
#define NO_HANDLE      0xfffeu /* and above: none given (section 7.18, error handles alike) */
#define IN_THE_SECOND  0xffffffffu
#define MAX_EXTENDED   0x80000000u
#define UNKNOWN_BYTE   0xffu
#define TECHNOLOGY_LOW 4u /* NVDIMM-N to Intel Optane, section 7.18.6 */
#define TECHNOLOGY_TOP 7u

/* Section 7.18.2. */
static const char *memory_type(uint8_t code)
{
    static const char *const names[] = {
        "",      "",      "",       "DRAM",   "EDRAM",   "VRAM",   "SRAM",   "RAM",
        "ROM",   "flash", "EEPROM", "FEPROM", "EPROM",   "CDRAM",  "3DRAM",  "SDRAM",
        "SGRAM", "RDRAM", "DDR",    "DDR2",   "FB-DIMM", "",       "",       "",
        "DDR3",  "FBD2",  "DDR4",   "LPDDR",  "LPDDR2",  "LPDDR3", "LPDDR4", "NV",
        "HBM",   "HBM2",  "DDR5",   "LPDDR5", "HBM3"};
    return code < sizeof names / sizeof names[0] ? names[code] : "";
}

static uint64_t dimm_bytes(const struct structure *s)
{
    uint16_t size = structure_u16(s, 0x0c);
    if (size == 0xffff)
        return DIMM_UNKNOWN;
    if (size == 0x7fff && s->bytes >= 0x20)
        return (uint64_t)(structure_u32(s, 0x1c) & 0x7fffffff) << 20;
    return (size & 0x8000) != 0 ? (uint64_t)(size & 0x7fff) << 10 : (uint64_t)size << 20;
}

static uint32_t dimm_speed(const struct structure *s, size_t field, size_t extended)
{
    uint16_t speed = structure_u16(s, field);
    return speed == 0xffff ? structure_u32(s, extended) & 0x7fffffff : speed;
}

static uint16_t dimm_width(const struct structure *s, size_t field)
{
    uint16_t bits = structure_u16(s, field);
    return bits == 0xffff ? 0 : bits;
}

static void device_read(const struct structure *s, struct smbios_facts *facts)
{
    if (facts->dimm_count == DIMMS_MAX) {
        facts->dimms_dropped++;
        return;
    }
    struct dimm_info *dimm = &facts->dimms[facts->dimm_count];
    facts->links.device[facts->dimm_count].handle = structure_u16(s, 0x02);
    facts->links.device[facts->dimm_count].array =
        s->bytes >= 6 ? structure_u16(s, 0x04) : NO_HANDLE;
    facts->links.device[facts->dimm_count].technology = structure_u8(s, 0x28);
    facts->dimm_count++;
    text_print(dimm->type, sizeof dimm->type, "%s", memory_type(structure_u8(s, 0x12)));
    structure_words(s, 0x10, dimm->locator, sizeof dimm->locator);
    structure_words(s, 0x11, dimm->bank, sizeof dimm->bank);
    structure_words(s, 0x17, dimm->maker, sizeof dimm->maker);
    structure_words(s, 0x1a, dimm->part, sizeof dimm->part);
    dimm->bytes = dimm_bytes(s);
    dimm->total_bits = dimm_width(s, 0x08);
    dimm->data_bits = dimm_width(s, 0x0a);
    dimm->rated_mts = dimm_speed(s, 0x15, 0x54);
    dimm->configured_mts = dimm_speed(s, 0x20, 0x58);
    dimm->ranks = structure_u8(s, 0x1b) & 0x0f;
    dimm->configured_mv = structure_u16(s, 0x26);
    dimm->physical_first = dimm->physical_last = DIMM_UNKNOWN;
}

static void array_read(const struct structure *s, struct smbios_facts *facts)
{
    struct smbios_links *links = &facts->links;
    uint32_t kib = structure_u32(s, 0x07);

    if (links->arrays == SMBIOS_ARRAYS_MAX) {
        facts->links_dropped++;
        return;
    }
    size_t i = links->arrays++;
    links->array[i].handle = structure_u16(s, 0x02);
    links->array[i].use = structure_u8(s, 0x05);
    links->array[i].ecc = structure_u8(s, 0x06);
    links->array[i].slots = structure_u16(s, 0x0d);
    links->array[i].max_bytes = kib == MAX_EXTENDED ? structure_u64(s, 0x0f) : (uint64_t)kib << 10;
}

/* Of types 19 and 20: in KiB, both inclusive, or in bytes where those do not fit. */
static bool range_read(const struct structure *s, size_t extended, uint64_t *first, uint64_t *last)
{
    uint32_t first_kib = structure_u32(s, 0x04), last_kib = structure_u32(s, 0x08);

    if (first_kib == IN_THE_SECOND) {
        *first = structure_u64(s, extended);
        *last = structure_u64(s, extended + 8);
    } else {
        *first = (uint64_t)first_kib << 10;
        *last = ((uint64_t)last_kib << 10) + 1023;
    }
    return s->bytes >= 0x0c && *last > *first &&
           (first_kib != IN_THE_SECOND || s->bytes >= extended + 16);
}

static void array_range_read(const struct structure *s, struct smbios_facts *facts)
{
    struct smbios_links *links = &facts->links;
    uint64_t first, last;

    if (!range_read(s, 0x0f, &first, &last)) {
        facts->links_bad++;
    } else if (links->ranges == SMBIOS_ARRAYS_MAX) {
        facts->links_dropped++;
    } else {
        links->range[links->ranges].array = structure_u16(s, 0x0c);
        links->range[links->ranges].first = first;
        links->range[links->ranges++].last = last;
    }
}

static void device_range_read(const struct structure *s, struct smbios_facts *facts)
{
    struct smbios_links *links = &facts->links;
    uint64_t first, last;

    if (!range_read(s, 0x13, &first, &last)) {
        facts->links_bad++;
    } else if (links->mappings == SMBIOS_LINKS_MAX) {
        facts->links_dropped++;
    } else {
        size_t i = links->mappings++;
        links->mapped[i].device = structure_u16(s, 0x0c);
        links->mapped[i].position = structure_u8(s, 0x11);
        links->mapped[i].depth = structure_u8(s, 0x12);
        links->mapped[i].first = first;
        links->mapped[i].last = last;
    }
}

static void channel_read(const struct structure *s, struct smbios_facts *facts)
{
    struct smbios_links *links = &facts->links;
    uint8_t count = structure_u8(s, 0x06);

    links->channels++;
    for (size_t i = 0; i < count; i++) {
        size_t field = 0x08 + 3 * i;
        if (s->bytes < field + 2) {
            facts->links_bad++;
            return;
        }
        if (links->loads == SMBIOS_LINKS_MAX) {
            facts->links_dropped++;
            return;
        }
        links->load[links->loads].device = structure_u16(s, field);
        links->load[links->loads++].channel = links->channels;
    }
}

bool smbios_memory_read(const struct structure *s, struct smbios_facts *facts)
{
    switch (s->pos[0]) {
    case 16:
        array_read(s, facts);
        return true;
    case 17:
        device_read(s, facts);
        return true;
    case 19:
        array_range_read(s, facts);
        return true;
    case 20:
        device_range_read(s, facts);
        return true;
    case 37:
        channel_read(s, facts);
        return true;
    default:
        return false;
    }
}

/* Section 7.17.2. */
static const char *use_name(uint8_t code)
{
    static const char *const names[] = {[3] = "system memory",
                                        [4] = "video memory",
                                        [5] = "flash",
                                        [6] = "non-volatile RAM",
                                        [7] = "cache"};

    return code < sizeof names / sizeof names[0] ? names[code] : NULL;
}

/* Section 7.17.3. */
static const char *ecc_name(uint8_t code)
{
    static const char *const names[] = {
        [3] = "none", [4] = "parity", [5] = "single-bit", [6] = "multi-bit", [7] = "crc"};

    return code < sizeof names / sizeof names[0] ? names[code] : NULL;
}

static size_t find_device(const struct smbios_facts *facts, uint16_t handle)
{
    size_t i = 0;

    while (i < facts->dimm_count && facts->links.device[i].handle != handle)
        i++;
    return i;
}

static void join_array(struct smbios_facts *facts, size_t device)
{
    const struct smbios_links *links = &facts->links;
    struct dimm_info *dimm = &facts->dimms[device];
    uint8_t technology = links->device[device].technology;
    size_t i = 0;

    while (i < links->arrays && links->array[i].handle != links->device[device].array)
        i++;
    if (i < links->arrays) {
        dimm->use = use_name(links->array[i].use);
        dimm->ecc = ecc_name(links->array[i].ecc);
    } else if (links->device[device].array < NO_HANDLE) {
        facts->links_bad++;
    }
    if ((technology >= TECHNOLOGY_LOW && technology <= TECHNOLOGY_TOP) ||
        text_equal(dimm->type, "NV"))
        dimm->use = "persistent memory";
}

/* A slot's ranges together; how they are interleaved only where all are alike. */
static void join_mapping(struct smbios_facts *facts, size_t which)
{
    uint8_t depth = facts->links.mapped[which].depth,
            position = facts->links.mapped[which].position;
    size_t device = find_device(facts, facts->links.mapped[which].device);
    uint64_t first = facts->links.mapped[which].first, last = facts->links.mapped[which].last;

    if (device == facts->dimm_count) {
        facts->links_bad++;
        return;
    }
    struct dimm_info *dimm = &facts->dimms[device];
    bool only = dimm->physical_last == DIMM_UNKNOWN;
    depth = depth == UNKNOWN_BYTE ? 0 : depth;
    position = position == UNKNOWN_BYTE ? 0 : position;
    dimm->interleave_depth = only || dimm->interleave_depth == depth ? depth : 0;
    dimm->interleave_position = only || dimm->interleave_position == position ? position : 0;
    dimm->physical_first = only || first < dimm->physical_first ? first : dimm->physical_first;
    dimm->physical_last = only || last > dimm->physical_last ? last : dimm->physical_last;
}

static void join_channel(struct smbios_facts *facts, size_t which)
{
    size_t device = find_device(facts, facts->links.load[which].device);

    if (device == facts->dimm_count) {
        facts->links_bad++;
        return;
    }
    text_print(facts->dimms[device].channel, sizeof facts->dimms[device].channel, "%u",
               facts->links.load[which].channel);
    facts->dimms[device].channel_source = "SMBIOS type 37";
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "P0 CHANNEL A" of itself, "Controller0-ChannelB" of Controller0-ChannelB-DIMM1, "" where no
 * channel is named. All before it belongs to it: sockets and controllers have channels of one name.
 */
static void channel_of_name(const char *name, char *channel)
{
    static const char word[] = "channel";
    size_t pos = 0, end;

    while (name[pos] != '\0' && !text_begins(name + pos, word))
        pos++;
    if (name[pos] == '\0')
        return;
    for (end = pos + sizeof word - 1;
         name[end] == ' ' || name[end] == '_' || name[end] == '-' || name[end] == ':';)
        end++;
    bool number = is_digit(name[end]);
    if (!number && !(text_lower(name[end]) >= 'a' && text_lower(name[end]) <= 'z'))
        return;
    for (end++; number && is_digit(name[end]);)
        end++;
    for (size_t i = 0; i < end; i++)
        channel[i] = name[i];
    channel[end] = '\0';
}

_Static_assert(sizeof((struct dimm_info *)0)->channel >= sizeof((struct dimm_info *)0)->locator &&
                   sizeof((struct dimm_info *)0)->channel >= sizeof((struct dimm_info *)0)->bank,
               "a channel is a part of a name");

static void name_channel(struct dimm_info *dimm)
{
    if (dimm->channel_source != NULL)
        return;
    channel_of_name(dimm->locator, dimm->channel);
    if (dimm->channel[0] == '\0')
        channel_of_name(dimm->bank, dimm->channel);
    if (dimm->channel[0] != '\0')
        dimm->channel_source = "name";
}

static void join_totals(struct smbios_facts *facts)
{
    const struct smbios_links *links = &facts->links;

    for (size_t i = 0; i < links->arrays; i++)
        if (links->array[i].use == USE_SYSTEM) {
            facts->arrays.slots += links->array[i].slots;
            facts->arrays.max_bytes += links->array[i].max_bytes;
        }
    for (size_t i = 0; i < links->ranges; i++) {
        size_t k = 0;
        while (k < links->arrays && links->array[k].handle != links->range[i].array)
            k++;
        if (k == links->arrays)
            facts->links_bad++;
        else if (links->array[k].use == USE_SYSTEM)
            facts->arrays.mapped_bytes += links->range[i].last - links->range[i].first + 1;
    }
}

void smbios_memory_join(struct smbios_facts *facts)
{
    for (size_t i = 0; i < facts->dimm_count; i++)
        join_array(facts, i);
    for (size_t i = 0; i < facts->links.mappings; i++)
        join_mapping(facts, i);
    for (size_t i = 0; i < facts->links.loads; i++)
        join_channel(facts, i);
    for (size_t i = 0; i < facts->dimm_count; i++)
        name_channel(&facts->dimms[i]);
    join_totals(facts);
}

bool smbios_doubt(const struct smbios_facts *facts, char *why, size_t capacity)
{
    struct text text;

    text_start(&text, why, capacity);
    if (facts->truncated)
        text_add(&text, "SMBIOS: a structure is malformed; those from it on are not read");
    if (facts->dimms_dropped != 0)
        text_format(&text, "%s%u memory devices beyond %u are not read",
                    text.used != 0 ? "; " : "SMBIOS: ", facts->dimms_dropped, DIMMS_MAX);
    if (facts->links_dropped != 0)
        text_format(&text, "%s%u structures about memory are not read for lack of room",
                    text.used != 0 ? "; " : "SMBIOS: ", facts->links_dropped);
    if (facts->links_bad != 0)
        text_format(&text,
                    "%s%u links and ranges of memory structures make no sense and are ignored",
                    text.used != 0 ? "; " : "SMBIOS: ", facts->links_bad);
    return text.used != 0;
}
