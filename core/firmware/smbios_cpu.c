/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/firmware/smbios_cpu.h"

#define MHZ            1000000ull
#define IN_THE_SECOND  0xffffu /* the size does not fit: a field of 32 bits has it */
#define CENTRAL        3u
#define POPULATED      0x40u
#define STATUS_BITS    7u
#define STATUS_ENABLED 1u
#define CACHE_ENABLED  0x80u

static uint64_t installed_bytes(const struct structure *s)
{
    uint16_t size = structure_u16(s, 0x09);
    uint32_t second = structure_u32(s, 0x17);

    if (size == IN_THE_SECOND)
        return (uint64_t)(second & 0x7fffffff) << ((second & 0x80000000) != 0 ? 16 : 10);
    return (uint64_t)(size & 0x7fff) << ((size & 0x8000) != 0 ? 16 : 10);
}

/* Section 7.8.5. */
static uint32_t ways_of(uint8_t code)
{
    static const uint32_t ways[] = {
        [3] = 1,  [4] = 2,   [5] = 4,   [6] = UINT32_MAX, [7] = 8,   [8] = 16,
        [9] = 12, [10] = 24, [11] = 32, [12] = 48,        [13] = 64, [14] = 20};

    return code < sizeof ways / sizeof ways[0] ? ways[code] : 0;
}

void smbios_cache_read(const struct structure *s, struct smbios_facts *facts)
{
    static const char *const kinds[] = {[3] = "instruction", [4] = "data", [5] = "unified"};
    uint16_t configuration = structure_u16(s, 0x05);
    uint8_t kind = structure_u8(s, 0x11);

    if (facts->cache_count == SMBIOS_CACHES_MAX) {
        facts->caches_dropped++;
        return;
    }
    struct smbios_cache *cache = &facts->caches[facts->cache_count++];
    structure_string(s, 0x04, cache->name, sizeof cache->name);
    cache->kind = kind < sizeof kinds / sizeof kinds[0] ? kinds[kind] : NULL;
    cache->level = (uint8_t)((configuration & 7) + 1);
    cache->enabled = (configuration & CACHE_ENABLED) != 0;
    cache->ways = ways_of(structure_u8(s, 0x12));
    cache->bytes = installed_bytes(s);
}

static void speed_add(uint16_t mhz, uint64_t *hz, bool first)
{
    uint64_t said = mhz * MHZ;

    *hz = first || *hz == said ? said : 0;
}

void smbios_processor_read(const struct structure *s, struct smbios_facts *facts)
{
    uint8_t status = structure_u8(s, 0x18);

    if (structure_u8(s, 0x05) != CENTRAL || (status & POPULATED) == 0 ||
        (status & STATUS_BITS) != STATUS_ENABLED)
        return;
    speed_add(structure_u16(s, 0x14), &facts->cpu_max_hz, facts->cpu_sockets == 0);
    speed_add(structure_u16(s, 0x16), &facts->cpu_hz, facts->cpu_sockets == 0);
    facts->cpu_sockets++;
}

static bool holds_data(const struct smbios_cache *cache)
{
    return cache->enabled && cache->bytes != 0 && (cache->kind == NULL || cache->kind[0] != 'i');
}

/* Whether a socket has less of some level than one CPU's registers declare: then the table is of
 * another CPU, counts in other units, or numbers its levels by another rule. */
static bool contradicts(const struct smbios_cache *cache, const struct cache_level *declared,
                        size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (holds_data(cache) && cache->level == declared[i].level &&
            cache->bytes < declared[i].bytes)
            return true;
    return false;
}

/* The last level that is declared, and the most bytes that any level has. */
static uint8_t last_declared(const struct cache_level *declared, size_t count, uint64_t *bytes)
{
    uint8_t last = 0;

    *bytes = 0;
    for (size_t i = 0; i < count; i++) {
        last = declared[i].level > last ? declared[i].level : last;
        *bytes = declared[i].bytes > *bytes ? declared[i].bytes : *bytes;
    }
    return last;
}

uint64_t smbios_caches_beyond(struct smbios_cache *caches, size_t count,
                              const struct cache_level *declared, size_t declared_count)
{
    uint64_t most, bytes = 0;
    uint8_t last = last_declared(declared, declared_count, &most);
    bool believed = last != 0;

    for (size_t i = 0; i < count; i++)
        believed = believed && !contradicts(&caches[i], declared, declared_count);
    for (size_t i = 0; i < count; i++) {
        struct smbios_cache *cache = &caches[i];
        cache->beyond = believed && holds_data(cache) && cache->level > last && cache->bytes > most;
        if (cache->beyond && cache->bytes > bytes)
            bytes = cache->bytes;
    }
    return bytes;
}
