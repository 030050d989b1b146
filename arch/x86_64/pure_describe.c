/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes each vendor's CPUID leaves into arch_facts. */
#include "arch/x86_64/pure_describe.h"

#define FULLY_ASSOCIATIVE UINT32_MAX

/* ---- text */

static void word_put(char *pos, uint32_t word)
{
    unsigned i;

    for (i = 0; i < 4; i++) {
        char c = (char)(word >> (8 * i) & 0xff);
        pos[i] = c == 0 || (c >= 0x20 && c < 0x7f) ? c : '?';
    }
}

/* Copies up to a NUL, trims blanks at both ends and collapses inner ones. */
static void text_trim(char *to, size_t capacity, const char *from, size_t count)
{
    size_t used = 0, i;

    for (i = 0; i < count && from[i]; i++) {
        if (from[i] == ' ' && (!used || to[used - 1] == ' '))
            continue;
        if (used + 1 < capacity)
            to[used++] = from[i];
    }
    while (used && to[used - 1] == ' ')
        used--;
    to[used] = '\0';
}

static void describe_name(const struct cpuid_source *source, struct arch_facts *facts)
{
    char raw[48];
    unsigned i;

    for (i = 0; i < 3; i++) {
        struct cpuid_words words = cpuid_get(source, 0x80000002 + i, 0);
        word_put(raw + 16 * i, words.eax);
        word_put(raw + 16 * i + 4, words.ebx);
        word_put(raw + 16 * i + 8, words.ecx);
        word_put(raw + 16 * i + 12, words.edx);
    }
    text_trim(facts->cpu_name, sizeof(facts->cpu_name), raw, sizeof(raw));
    if (!facts->cpu_name[0]) {
        struct cpuid_words words = cpuid_get(source, 0, 0);
        word_put(raw, words.ebx);
        word_put(raw + 4, words.edx);
        word_put(raw + 8, words.ecx);
        text_trim(facts->cpu_name, sizeof(facts->cpu_name), raw, 12);
    }
    text_trim(facts->boot_cpu.name, sizeof(facts->boot_cpu.name), facts->cpu_name,
              sizeof(facts->cpu_name));
}

static void describe_hypervisor(const struct cpuid_source *source,
                                const struct cpu_identity *identity, struct arch_facts *facts)
{
    struct cpuid_words words = cpuid_get(source, 0x40000000, 0);
    char raw[12];

    facts->guest = identity->hypervisor ? GUEST_YES : GUEST_NO;
    word_put(raw, words.ebx);
    word_put(raw + 4, words.ecx);
    word_put(raw + 8, words.edx);
    text_trim(facts->hypervisor, sizeof(facts->hypervisor), raw, sizeof(raw));
}

/* ---- caches */

static void cache_add(struct arch_facts *facts, const struct cache_level *level)
{
    if (level->bytes && facts->cache_count < CACHE_LEVELS_MAX)
        facts->caches[facts->cache_count++] = *level;
}

/* Intel leaf 4 and AMD Fn8000_001D have the same layout. */
static void caches_by_subleaf(const struct cpuid_source *source, uint32_t leaf,
                              struct arch_facts *facts)
{
    uint32_t i;

    for (i = 0; i < 16; i++) {
        struct cpuid_words words = cpuid_get(source, leaf, i);
        uint32_t type = words.eax & 0x1f, ways = (words.ebx >> 22) + 1;
        uint32_t partitions = (words.ebx >> 12 & 0x3ff) + 1;
        struct cache_level level = {.level = (uint8_t)(words.eax >> 5 & 7),
                                    .unified = type == 3,
                                    .ways = words.eax >> 9 & 1 ? FULLY_ASSOCIATIVE : ways,
                                    .line_bytes = (words.ebx & 0xfff) + 1,
                                    .shared_by = (words.eax >> 14 & 0xfff) + 1};
        if (!type)
            return;
        level.bytes = (uint64_t)ways * partitions * level.line_bytes * ((uint64_t)words.ecx + 1);
        if (type == 1 || type == 3)
            cache_add(facts, &level);
    }
}

/* APM volume 3, table "L2/L3 Cache and TLB Associativity Field Encoding"; 0 if it refers to another
 * leaf or the code is not listed. */
static uint32_t amd_ways(uint32_t code)
{
    static const uint8_t ways[16] = {0, 1, 2, 3, 4, 6, 8, 0, 16, 0, 32, 48, 64, 96, 128, 0};

    return code == 15 ? FULLY_ASSOCIATIVE : ways[code & 15];
}

static uint32_t amd_l1_ways(uint32_t code)
{
    return code == 0xff ? FULLY_ASSOCIATIVE : code;
}

static void caches_by_amd_sizes(const struct cpuid_source *source, struct arch_facts *facts)
{
    uint32_t first = cpuid_get(source, 0x80000005, 0).ecx;
    struct cpuid_words further = cpuid_get(source, 0x80000006, 0);
    struct cache_level l1 = {.level = 1,
                             .ways = amd_l1_ways(first >> 16 & 0xff),
                             .line_bytes = first & 0xff,
                             .bytes = (uint64_t)(first >> 24) << 10};
    struct cache_level l2 = {.level = 2,
                             .unified = true,
                             .ways = amd_ways(further.ecx >> 12 & 0xf),
                             .line_bytes = further.ecx & 0xff,
                             .bytes = (uint64_t)(further.ecx >> 16) << 10};
    struct cache_level l3 = {.level = 3,
                             .unified = true,
                             .ways = amd_ways(further.edx >> 12 & 0xf),
                             .line_bytes = further.edx & 0xff,
                             .bytes = (uint64_t)(further.edx >> 18) << 19};

    /* Associativity code 0: the cache is disabled. */
    cache_add(facts, &l1);
    if (further.ecx >> 12 & 0xf)
        cache_add(facts, &l2);
    if (further.edx >> 12 & 0xf)
        cache_add(facts, &l3);
}

static void describe_caches(const struct cpuid_source *source, const struct cpu_identity *identity,
                            struct arch_facts *facts)
{
    bool topology_extensions = cpuid_get(source, 0x80000001, 0).ecx >> 22 & 1;

    if (identity->vendor == CPU_VENDOR_AMD && topology_extensions)
        caches_by_subleaf(source, 0x8000001d, facts);
    else if (identity->vendor != CPU_VENDOR_AMD)
        caches_by_subleaf(source, 4, facts);
    if (!facts->cache_count)
        caches_by_amd_sizes(source, facts);
}

/* ---- TLBs */

static void tlb_add(struct arch_facts *facts, unsigned level, unsigned page_log2, uint32_t entries,
                    uint32_t ways)
{
    if (entries && facts->tlb_count < TLB_LEVELS_MAX)
        facts->tlbs[facts->tlb_count++] =
            (struct tlb_level){(uint8_t)level, (uint8_t)page_log2, entries, ways};
}

/* Leaf 18h: EBX[3:0] page sizes 4K, 2M, 4M, 1G; EDX[4:0] 1 data, 3 unified, 4 loads only. */
static void tlbs_by_leaf_18h(const struct cpuid_source *source, struct arch_facts *facts)
{
    static const uint8_t page_log2[4] = {12, 21, 0, 30};
    uint32_t last = cpuid_get(source, 0x18, 0).eax, i;
    unsigned page;

    for (i = 0; i <= last && i < 64; i++) {
        struct cpuid_words words = cpuid_get(source, 0x18, i);
        uint32_t type = words.edx & 0x1f, ways = words.ebx >> 16;

        if (type != 1 && type != 3 && type != 4)
            continue;
        for (page = 0; page < 4; page++)
            if (page_log2[page] && (words.ebx >> page & 1))
                tlb_add(facts, words.edx >> 5 & 7, page_log2[page], ways * words.ecx,
                        words.edx >> 8 & 1 ? FULLY_ASSOCIATIVE : ways);
    }
}

static void tlb_add_amd(struct arch_facts *facts, unsigned level, unsigned page_log2,
                        uint32_t data_half)
{
    if (data_half >> 12)
        tlb_add(facts, level, page_log2, data_half & 0xfff, amd_ways(data_half >> 12));
}

/* The upper half of each word describes the data TLB, the lower half the instruction TLB. */
static void tlbs_by_amd_leaves(const struct cpuid_source *source, struct arch_facts *facts)
{
    struct cpuid_words first = cpuid_get(source, 0x80000005, 0);
    struct cpuid_words second = cpuid_get(source, 0x80000006, 0);
    struct cpuid_words giant = cpuid_get(source, 0x80000019, 0);

    tlb_add(facts, 1, 12, first.ebx >> 16 & 0xff, amd_l1_ways(first.ebx >> 24));
    tlb_add(facts, 1, 21, first.eax >> 16 & 0xff, amd_l1_ways(first.eax >> 24));
    tlb_add_amd(facts, 1, 30, giant.eax >> 16);
    tlb_add_amd(facts, 2, 12, second.ebx >> 16);
    tlb_add_amd(facts, 2, 21, second.eax >> 16);
    tlb_add_amd(facts, 2, 30, giant.ebx >> 16);
}

/* ---- the CPU itself */

/* Ids from the topology leaf: each subleaf gives the shift to the next level's id. Level types: 1
 * SMT, 2 core, 3 module. */
void x86_64_describe_topology(const struct cpuid_source *source, struct cpu_info *cpu)
{
    uint32_t leaf = cpuid_get(source, 0x1f, 0).ebx ? 0x1f : 0x0b;
    uint32_t id = cpuid_get(source, 1, 0).ebx >> 24, core_shift = 0, module_shift = 0, i;

    for (i = 0; i < 8; i++) {
        struct cpuid_words words = cpuid_get(source, leaf, i);
        uint32_t type = words.ecx >> 8 & 0xff, shift = words.eax & 0x1f;
        if (!type || !(words.ebx & 0xffff))
            break;
        id = words.edx;
        if (type == 1)
            core_shift = module_shift = shift;
        if (type == 2)
            module_shift = shift;
        if (type == 3)
            break;
    }
    cpu->hardware_id = id;
    cpu->core = id >> core_shift;
    cpu->module = id >> module_shift;
}

static uint32_t line_bytes_of(const struct cpuid_source *source, const struct arch_facts *facts)
{
    uint32_t flush = (cpuid_get(source, 1, 0).ebx >> 8 & 0xff) * 8;

    if (facts->cache_count && facts->caches[0].line_bytes)
        return facts->caches[0].line_bytes;
    return flush ? flush : 64;
}

void x86_64_describe(const struct cpuid_source *source, struct arch_facts *facts)
{
    struct cpu_identity identity;

    cpuid_identify(source, &identity);
    facts->arch = "x86_64";
    facts->cache_count = 0;
    facts->tlb_count = 0;
    facts->caches_doubtful = false;
    facts->boot_cpu = (struct cpu_info){.type = identity.core_type, .enabled = true};
    describe_name(source, facts);
    describe_hypervisor(source, &identity, facts);
    describe_caches(source, &identity, facts);
    if (identity.vendor == CPU_VENDOR_AMD)
        tlbs_by_amd_leaves(source, facts);
    else
        tlbs_by_leaf_18h(source, facts);
    /* Long mode has 4K and 2M pages; 1G is Fn8000_0001 EDX[26]. */
    facts->page_sizes = 1u << 12 | 1u << 21;
    if (cpuid_get(source, 0x80000001, 0).edx >> 26 & 1)
        facts->page_sizes |= 1u << 30;
    facts->line_bytes = line_bytes_of(source, facts);
    /* Leaf 1 ECX[3]. */
    facts->no_park = cpuid_get(source, 1, 0).ecx >> 3 & 1
                         ? NULL
                         : "this CPU, or its hypervisor, offers no MONITOR and MWAIT";
    x86_64_describe_topology(source, &facts->boot_cpu);
}
