/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes caches, page sizes, name and affinity from the identification registers. */
#include "arch/aarch64/pure_describe.h"

#include "arch/aarch64/pure_midr.h"

/* CLIDR_EL1.Ctype<n> */
enum cache_type { CACHE_NONE, CACHE_CODE, CACHE_DATA, CACHE_SEPARATE, CACHE_UNIFIED };

static unsigned cache_type(uint64_t clidr, unsigned level)
{
    return (unsigned)(clidr >> (3 * (level - 1)) & 7);
}

bool describe_has_data_cache(uint64_t clidr, unsigned level)
{
    unsigned type, below;

    if (level < 1 || level > DESCRIBE_LEVELS)
        return false;
    for (below = 1; below < level; below++)
        if (cache_type(clidr, below) == CACHE_NONE)
            return false;
    type = cache_type(clidr, level);
    return type == CACHE_DATA || type == CACHE_SEPARATE || type == CACHE_UNIFIED;
}

/* FEAT_CCIDX (ID_AA64MMFR2_EL1.CCIDX) moves NumSets up and widens both fields. */
static struct cache_level cache_of(const struct describe_snapshot *snapshot, unsigned level)
{
    uint64_t ccsidr = snapshot->ccsidr[level - 1], sets;
    bool wide = (snapshot->mmfr2 >> 20 & 0xf) == 1;
    struct cache_level cache = {.level = (uint8_t)level,
                                .unified = cache_type(snapshot->clidr, level) == CACHE_UNIFIED,
                                .line_bytes = 16u << (ccsidr & 7)};

    if (wide) {
        cache.ways = (uint32_t)(ccsidr >> 3 & 0x1fffff) + 1;
        sets = (ccsidr >> 32 & 0xffffff) + 1;
    } else {
        cache.ways = (uint32_t)(ccsidr >> 3 & 0x3ff) + 1;
        sets = (ccsidr >> 13 & 0x7fff) + 1;
    }
    cache.bytes = sets * cache.ways * cache.line_bytes;
    return cache;
}

/* ID_AA64MMFR0_EL1.TGran4: 0 and 1 (52-bit addresses) support the 4 KiB granule, 0xf does not. */
static uint32_t page_sizes_of(uint64_t mmfr0)
{
    unsigned granule_4k = (unsigned)(mmfr0 >> 28 & 0xf);

    return granule_4k <= 1 ? 1u << 12 | 1u << 21 | 1u << 30 : 0;
}

/* MPIDR_EL1: Aff3 39:32, MT 24, Aff2 23:16, Aff1 15:8, Aff0 7:0. With MT, Aff0 counts threads. */
uint64_t aarch64_affinity(uint64_t mpidr)
{
    return mpidr & 0xff00ffffff;
}

static void describe_affinity(uint64_t mpidr, struct cpu_info *cpu)
{
    uint32_t id = (uint32_t)(mpidr >> 32 & 0xff) << 24 | (uint32_t)(mpidr & 0xffffff);
    unsigned thread_bits = mpidr >> 24 & 1 ? 8 : 0;

    cpu->hardware_id = aarch64_affinity(mpidr);
    cpu->core = id >> thread_bits;
    cpu->module = id >> thread_bits >> 8;
}

void aarch64_describe(const struct describe_snapshot *snapshot, struct arch_facts *facts)
{
    unsigned level;

    *facts = (struct arch_facts){.arch = "aarch64",
                                 .page_sizes = page_sizes_of(snapshot->mmfr0),
                                 /* DminLine: log2 of words */
                                 .line_bytes = 4u << (snapshot->ctr >> 16 & 0xf),
                                 .boot_cpu = {.enabled = true},
                                 .caches_doubtful = true};
    midr_describe(snapshot->midr, facts->cpu_name, sizeof facts->cpu_name);
    midr_describe(snapshot->midr, facts->boot_cpu.name, sizeof facts->boot_cpu.name);
    describe_affinity(snapshot->mpidr, &facts->boot_cpu);
    for (level = 1; level <= DESCRIBE_LEVELS; level++)
        if (describe_has_data_cache(snapshot->clidr, level))
            facts->caches[facts->cache_count++] = cache_of(snapshot, level);
}
