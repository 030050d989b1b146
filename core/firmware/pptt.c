/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/firmware/pptt.h"

#include "core/lib/bytes.h"

#define HEADER_BYTES 36u
#define NODE_BYTES   20u /* processor structure without its private resources */
#define CACHE_BYTES  24u

/* Limits above those of any real machine. */
#define DEPTH_MAX     16u
#define CHAIN_MAX     8u
#define RESOURCES_MAX 16u
#define FOUND_MAX     8u

enum { TYPE_PROCESSOR = 0, TYPE_CACHE = 1 };
enum { NODE_ID_VALID = 1 << 1, NODE_IS_LEAF = 1 << 3 };
enum { SIZE_VALID = 1 << 0, WAYS_VALID = 1 << 2, TYPE_VALID = 1 << 4, LINE_VALID = 1 << 6 };

struct pptt {
    const uint8_t *pos;
    uint32_t bytes;
};

/* Caches by their offset in the table. */
struct found {
    uint32_t pos[FOUND_MAX];
    size_t count;
};

/* Returns the structure of that type at an offset from the table's start; NULL if invalid. */
static const uint8_t *structure(const struct pptt *pptt, uint32_t offset, uint8_t type,
                                uint32_t min)
{
    const uint8_t *pos;

    if (offset < HEADER_BYTES || offset > pptt->bytes || pptt->bytes - offset < min)
        return NULL;
    pos = pptt->pos + offset;
    return pos[0] == type && pos[1] >= min && pos[1] <= pptt->bytes - offset ? pos : NULL;
}

/* 0 data, 1 code, 2 or 3 unified; unified if not specified. */
static unsigned cache_kind(const uint8_t *cache)
{
    return bytes_u32(cache + 4) & TYPE_VALID ? cache[21] >> 2 & 3 : 2;
}

static void found_add(struct found *found, uint32_t offset)
{
    for (size_t i = 0; i < found->count; i++)
        if (found->pos[i] == offset)
            return;
    if (found->count < FOUND_MAX)
        found->pos[found->count++] = offset;
}

static void chain_walk(const struct pptt *pptt, uint32_t offset, struct found *found)
{
    for (unsigned i = 0; i < CHAIN_MAX; i++) {
        const uint8_t *cache = structure(pptt, offset, TYPE_CACHE, CACHE_BYTES);
        if (cache == NULL)
            return;
        if (cache_kind(cache) != 1)
            found_add(found, offset);
        offset = bytes_u32(cache + 8);
    }
}

/* A processor's private caches. Chains that begin with a data cache first, so that nearer caches
 * precede farther ones. */
static void node_walk(const struct pptt *pptt, const uint8_t *node, struct found *found)
{
    uint32_t resources = bytes_u32(node + 16), room = (node[1] - NODE_BYTES) / 4;

    resources = resources < room ? resources : room;
    resources = resources < RESOURCES_MAX ? resources : RESOURCES_MAX;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < resources; i++) {
            uint32_t offset = bytes_u32(node + NODE_BYTES + 4 * (size_t)i);
            const uint8_t *cache = structure(pptt, offset, TYPE_CACHE, CACHE_BYTES);
            if (cache != NULL && cache_kind(cache) != 1 && (cache_kind(cache) == 0) == (pass == 0))
                chain_walk(pptt, offset, found);
        }
    }
}

static struct found path_walk(const struct pptt *pptt, const uint8_t *node)
{
    struct found found = {.count = 0};

    for (unsigned i = 0; node != NULL && i < DEPTH_MAX; i++) {
        node_walk(pptt, node, &found);
        node = structure(pptt, bytes_u32(node + 8), TYPE_PROCESSOR, NODE_BYTES);
    }
    return found;
}

/* Returns the next processor structure from *offset on that is a CPU, and advances *offset past it.
 * Revisions before 2 have no leaf flag; there, a valid id marks a CPU. */
static const uint8_t *next_cpu(const struct pptt *pptt, uint32_t *offset)
{
    while (*offset < pptt->bytes && pptt->bytes - *offset >= 2) {
        const uint8_t *pos = pptt->pos + *offset;
        const uint8_t *node = structure(pptt, *offset, TYPE_PROCESSOR, NODE_BYTES);
        uint32_t needed = pptt->pos[8] >= 2 ? NODE_ID_VALID | NODE_IS_LEAF : NODE_ID_VALID;

        if (pos[1] < 2)
            break;
        *offset += pos[1];
        if (node != NULL && (bytes_u32(node + 4) & needed) == needed)
            return node;
    }
    return NULL;
}

static struct cache_level level_of(const struct pptt *pptt, uint32_t offset, size_t index)
{
    const uint8_t *cache = pptt->pos + offset;
    uint32_t flags = bytes_u32(cache + 4);

    return (struct cache_level){.level = (uint8_t)(index + 1),
                                .unified = cache_kind(cache) != 0,
                                .bytes = flags & SIZE_VALID ? bytes_u32(cache + 12) : 0,
                                .ways = flags & WAYS_VALID ? cache[20] : 0,
                                .line_bytes = flags & LINE_VALID ? bytes_u16(cache + 22) : 0};
}

/* Every CPU whose path to the root includes a cache shares it. Skipped if the table has more CPUs
 * than CPUS_MAX. */
static void count_sharers(const struct pptt *pptt, const struct found *own,
                          struct cache_level *caches, size_t count)
{
    uint32_t offset = HEADER_BYTES;
    const uint8_t *node;
    unsigned cpus;

    for (cpus = 0; cpus < CPUS_MAX && (node = next_cpu(pptt, &offset)) != NULL; cpus++) {
        struct found path = path_walk(pptt, node);
        for (size_t i = 0; i < path.count; i++)
            for (size_t k = 0; k < count; k++)
                caches[k].shared_by += path.pos[i] == own->pos[k];
    }
    for (size_t k = 0; cpus == CPUS_MAX && k < count; k++)
        caches[k].shared_by = 0;
}

size_t pptt_caches(const uint8_t *table, uint32_t bytes, uint32_t processor,
                   struct cache_level *caches, size_t max)
{
    const struct pptt pptt = {table, bytes};
    uint32_t offset = HEADER_BYTES;
    const uint8_t *node;
    struct found own;
    size_t count;

    do
        node = next_cpu(&pptt, &offset);
    while (node != NULL && bytes_u32(node + 12) != processor);
    if (node == NULL)
        return 0;
    own = path_walk(&pptt, node);
    count = own.count < max ? own.count : max;
    for (size_t i = 0; i < count; i++)
        caches[i] = level_of(&pptt, own.pos[i], i);
    count_sharers(&pptt, &own, caches, count);
    return count;
}

static void merge_level(struct cache_level *cache, const struct cache_level *table)
{
    cache->unified = table->unified;
    if (table->bytes)
        cache->bytes = table->bytes;
    if (table->ways)
        cache->ways = table->ways;
    if (table->line_bytes)
        cache->line_bytes = table->line_bytes;
    if (table->shared_by)
        cache->shared_by = table->shared_by;
}

size_t pptt_merge(struct cache_level *caches, size_t count, const struct cache_level *table,
                  size_t table_count, size_t max)
{
    for (size_t i = 0; i < table_count; i++) {
        size_t k = 0;

        while (k < count && caches[k].level != table[i].level)
            k++;
        if (k == count) {
            /* A level of unknown size is useless. */
            if (!table[i].bytes || count == max)
                continue;
            caches[count++] = table[i];
        } else {
            merge_level(&caches[k], &table[i]);
        }
    }
    return count;
}
