/* SPDX-License-Identifier: BSD-2-Clause */
/* What must hold between the keys of a machine file for such a machine to exist. */
#include <stdarg.h>
#include <string.h>

#include "core/names.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/map.h"

#define LINES_MAX     4
#define SETS_MAX      (1ull << 31)
#define SMI_SHARE_MAX 0.5

/* `return fail(...)` where something does not fit: what is wrong, and what is allowed instead. */
static bool fail(struct sim_problem *problem, enum sim_section section, size_t index,
                 const char *key, const char *reason, const char *allowed, ...)
    __attribute__((format(printf, 6, 7)));

static bool fail(struct sim_problem *problem, enum sim_section section, size_t index,
                 const char *key, const char *reason, const char *allowed, ...)
{
    va_list arguments;

    *problem = (struct sim_problem){.section = section, .index = index, .key = key};
    snprintf(problem->reason, sizeof problem->reason, "%s", reason);
    va_start(arguments, allowed);
    vsnprintf(problem->allowed, sizeof problem->allowed, allowed, arguments);
    va_end(arguments);
    return false;
}

/* "14c at 4 GHz", "5ns at 4 GHz" */
static const char *time_text(const struct sim_time *time, double hz, char text[SIM_VALUE_TEXT_MAX])
{
    snprintf(text, SIM_VALUE_TEXT_MAX, "%.9g%s at %.9g GHz", time->value, time->cycles ? "c" : "ns",
             hz * 1e-9);
    return text;
}

static bool is_power(uint64_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

static bool geometry(const struct sim_config *config, size_t i, struct sim_problem *problem)
{
    const enum sim_section section = SIM_SECTION_CACHE;
    const struct sim_cache_config *cache = &config->cache[i];

    if (!is_power(cache->line_bytes))
        return fail(problem, section, i, "line", "is not a power of two", "16, 32, 64, 128, 256");
    if (i > 0 && cache->line_bytes < config->cache[i - 1].line_bytes)
        return fail(problem, section, i, "line", "is shorter than that of the cache before",
                    "a power of two from %u on", config->cache[i - 1].line_bytes);
    if (cache->line_bytes > LINES_MAX * config->cache[0].line_bytes)
        return fail(problem, section, i, "line", "is more than 4 of the first cache's",
                    "a power of two up to %u", LINES_MAX * config->cache[0].line_bytes);
    if (i > 0 && cache->inclusion == SIM_EXCLUSIVE &&
        cache->line_bytes != config->cache[i - 1].line_bytes)
        return fail(problem, section, i, "line", "differs from that of the victims it takes", "%u",
                    config->cache[i - 1].line_bytes);
    if (cache->bytes % cache->line_bytes != 0)
        return fail(problem, section, i, "bytes", "is no whole number of lines", "multiples of %u",
                    cache->line_bytes);
    if (cache->bytes / cache->line_bytes % cache->ways != 0)
        return fail(problem, section, i, "ways", "do not divide the cache's lines",
                    "a number of ways that divides %llu lines",
                    (unsigned long long)(cache->bytes / cache->line_bytes));
    if (cache->bytes / cache->line_bytes / cache->ways > SETS_MAX)
        return fail(problem, section, i, "ways", "make more than 2^31 sets", "%llu and more",
                    (unsigned long long)(cache->bytes / cache->line_bytes / SETS_MAX));
    if (cache->slices > 1 && cache->bytes / cache->line_bytes / cache->ways % cache->slices != 0)
        return fail(problem, section, i, "slices", "do not divide the cache's sets",
                    "a number of slices that divides %llu sets",
                    (unsigned long long)(cache->bytes / cache->line_bytes / cache->ways));
    if (cache->policy == SIM_TREE_PLRU && !is_power(cache->ways))
        return fail(problem, section, i, "policy", "tree-plru needs a power of two of ways",
                    "with %u ways lru, random, random-any or qlru", cache->ways);
    return true;
}

static bool order_of_caches(const struct sim_config *config, size_t i, double hz,
                            struct sim_problem *problem)
{
    const enum sim_section section = SIM_SECTION_CACHE;
    const struct sim_cache_config *cache = &config->cache[i];
    char text[SIM_VALUE_TEXT_MAX];

    if (i == 0)
        return cache->inclusion == SIM_NEITHER ||
               fail(problem, section, i, "holds", "the first cache has none before it", "neither");
    for (size_t before = 0; before < i; before++)
        if (strcmp(cache->name, config->cache[before].name) == 0)
            return fail(problem, section, i, "name", "is that of a cache before",
                        "a name that no other cache has");
    if (config->cache[i - 1].memory_side)
        return fail(problem, section, i - 1, "memory-side", "only the last cache can be that",
                    "no, or yes for the last cache");
    if (cache->memory_side && cache->inclusion == SIM_INCLUSIVE)
        return fail(problem, section, i, "holds", "a memory-side cache takes nothing from others",
                    "neither, exclusive");
    if (cache->inclusion != SIM_EXCLUSIVE && !cache->memory_side &&
        cache->bytes <= config->cache[i - 1].bytes) {
        sim_size_text(config->cache[i - 1].bytes, text);
        return fail(problem, section, i, "bytes", "is not more than the cache before it has",
                    "more than the %s of %s, or holds=exclusive", text, config->cache[i - 1].name);
    }
    if (sim_time_ns(&cache->latency, hz) <= sim_time_ns(&config->cache[i - 1].latency, hz))
        return fail(problem, section, i, "latency", "is not longer than that of the cache before",
                    "more than that of %s, %s", config->cache[i - 1].name,
                    time_text(&config->cache[i - 1].latency, hz, text));
    return true;
}

static bool caches(const struct sim_config *config, double hz, struct sim_problem *problem)
{
    if (config->cache_count == 0)
        return fail(problem, SIM_SECTION_CACHE, 0, "name", "there is no cache at all",
                    "1 to %d caches", SIM_CACHES_MAX);
    for (size_t i = 0; i < config->cache_count; i++)
        if (!geometry(config, i, problem) || !order_of_caches(config, i, hz, problem))
            return false;
    return true;
}

static bool entries(const struct sim_config *config, size_t i, enum sim_page page,
                    struct sim_problem *problem)
{
    const enum sim_section section = SIM_SECTION_TLB;
    const struct sim_tlb_config *tlb = &config->tlb[i];
    uint32_t ways, count = sim_tlb_entries(tlb, page, &ways);

    if (count == 0)
        return true;
    if (count % ways != 0)
        return fail(problem, section, i,
                    sim_tlb_shares(tlb, page) ? "shared" : page_name(sim_page_log2(page)),
                    "the ways do not divide the entries", "a number of ways that divides %u",
                    count);
    if (tlb->policy == SIM_TREE_PLRU && !is_power(ways))
        return fail(problem, section, i, "policy", "tree-plru needs a power of two of ways",
                    "with %u ways lru, random, random-any or qlru", ways);
    if ((tlb->policy == SIM_TREE_PLRU || tlb->policy == SIM_QLRU) && ways > SIM_WAYS_MAX)
        return fail(problem, section, i, "policy", "knows at most 64 ways",
                    "with %u ways lru, random, random-any", ways);
    return true;
}

static bool tlbs(const struct sim_config *config, double hz, struct sim_problem *problem)
{
    const enum sim_section section = SIM_SECTION_TLB;

    for (size_t i = 0; i < config->tlb_count; i++) {
        const struct sim_tlb_config *tlb = &config->tlb[i];
        char text[SIM_VALUE_TEXT_MAX];
        double before = i == 0 ? 0 : sim_time_ns(&config->tlb[i - 1].penalty, hz);
        bool any = false;
        for (unsigned page = 0; page < SIM_PAGES; page++) {
            any |= sim_tlb_entries(tlb, (enum sim_page)page, NULL) != 0;
            if (!entries(config, i, (enum sim_page)page, problem))
                return false;
        }
        if (!any)
            return fail(problem, section, i, "4k", "there are no entries for pages of any size",
                        "4k=, 2m=, 1g= or shared= with entries");
        if (i == 0 && tlb->penalty.value > 0)
            return fail(problem, section, i, "penalty",
                        "the first level's time is part of every load", "0c, or none given");
        if (i > 0 && sim_time_ns(&tlb->penalty, hz) <= before)
            return fail(problem, section, i, "penalty", "is not longer than the level's before",
                        "more than %s", time_text(&config->tlb[i - 1].penalty, hz, text));
    }
    return true;
}

static bool walks(const struct sim_config *config, double hz, struct sim_problem *problem)
{
    const enum sim_section section = SIM_SECTION_WALK;
    size_t last = config->tlb_count;
    char text[SIM_VALUE_TEXT_MAX];

    if (!is_power(config->walk.coalesce))
        return fail(problem, section, 0, "coalesce", "is not a power of two", "1, 2, 4, 8, 16");
    if (config->walk.first_cache > config->cache_count)
        return fail(problem, section, 0, "first-cache", "there are not so many caches", "1 to %zu",
                    config->cache_count);
    if (config->walk.nested != SIM_NOT_NESTED && !config->walk.loads)
        return fail(problem, section, 0, "nested", "needs kind=loads", "no with kind=constant");
    if (last > 1 && !config->walk.loads &&
        sim_time_ns(&config->walk.cost, hz) <= sim_time_ns(&config->tlb[last - 1].penalty, hz))
        return fail(problem, section, 0, "cost", "is not longer than the last level's penalty",
                    "more than %s", time_text(&config->tlb[last - 1].penalty, hz, text));
    return true;
}

static bool memory(const struct sim_config *config, double hz, struct sim_problem *problem)
{
    const enum sim_section section = SIM_SECTION_MEMORY;
    const struct sim_memory_config *m = &config->memory;
    const struct sim_cache_config *last = &config->cache[config->cache_count - 1];
    char text[SIM_VALUE_TEXT_MAX];

    if (m->base_ns + m->tcl_ns <= sim_time_ns(&last->latency, hz))
        return fail(
            problem, section, 0, "base", "with tcl is not longer than the last cache's latency",
            "together more than the %s of %s", time_text(&last->latency, hz, text), last->name);
    if (m->bytes % (1u << 21) != 0)
        return fail(problem, section, 0, "bytes", "is not a multiple of 2M", "multiples of 2M");
    if (config->page_sizes & 1u << 30 && m->bytes % (1u << 30) != 0)
        return fail(problem, section, 0, "bytes", "is not a multiple of 1G, and pages has 1g",
                    "multiples of 1G");
    if (m->far_bytes % (1u << 21) != 0 || m->far_bytes >= m->bytes)
        return fail(problem, section, 0, "far", "is not some of the memory, in steps of 2M",
                    "multiples of 2M, less than bytes");
    if (config->page_sizes & 1u << 30 && m->far_bytes % (1u << 30) != 0)
        return fail(problem, section, 0, "far", "is not a multiple of 1G, and pages has 1g",
                    "multiples of 1G");
    if (m->kept_bytes % 4096 != 0 || m->kept_bytes >= m->bytes)
        return fail(problem, section, 0, "kept", "is not some of the memory, in steps of 4K",
                    "multiples of 4K, less than bytes");
    if (!is_power(m->row_bytes) || m->row_bytes < last->line_bytes)
        return fail(problem, section, 0, "row", "is not a power of two of at least a line",
                    "a power of two from %u to 64K",
                    last->line_bytes < 256 ? 256 : last->line_bytes);
    return true;
}

static bool nodes(const struct sim_config *config, struct sim_problem *problem)
{
    const struct sim_memory_config *m = &config->memory;
    uint64_t step = config->page_sizes & 1u << 30 ? 1u << 30 : 1u << 21, sum = m->far_bytes;

    for (size_t i = 0; i < m->node_count; i++) {
        sum += m->node[i].bytes;
        if (m->node[i].bytes % step != 0 || sum >= m->bytes)
            return fail(problem, SIM_SECTION_NODE, i, "bytes",
                        "leaves node 0 no memory, or none"
                        " in whole pages",
                        "multiples of %s, together less than memory's bytes",
                        step == 1u << 30 ? "1G" : "2M");
        for (size_t k = 0; k < i; k++)
            if (m->node[k].number == m->node[i].number)
                return fail(problem, SIM_SECTION_NODE, i, "number", "is an earlier node's",
                            "one of its own");
        if (m->far_bytes != 0)
            return fail(problem, SIM_SECTION_NODE, i, "number", "memory has far= too",
                        "node or far=, not both");
    }
    return true;
}

static bool ways(const struct sim_config *config, struct sim_problem *problem)
{
    const struct sim_between_config *way = config->memory.way;

    for (size_t i = 0; i < config->memory.way_count; i++)
        for (size_t k = 0; k < i; k++)
            if (way[k].from == way[i].from && way[k].to == way[i].to)
                return fail(problem, SIM_SECTION_WAY, i, "to", "is an earlier way's",
                            "one way from each node to each");
    return true;
}

static bool places(const struct sim_config *config, struct sim_problem *problem)
{
    const struct sim_memory_config *m = &config->memory;
    uint64_t step = config->page_sizes & 1u << 30 ? 1u << 30 : 1u << 21;
    uint64_t at = SIM_MEMORY_BASE, left = m->bytes - m->low_bytes;
    const char *steps = step == 1u << 30 ? "1G" : "2M";

    if (m->low_bytes % step != 0 || m->low_bytes >= m->bytes)
        return fail(problem, SIM_SECTION_MEMORY, 0, "low", "is not some of the memory",
                    "multiples of %s, less than bytes", steps);
    for (size_t i = 0; i < m->hole_count; i++) {
        const struct sim_hole_config *hole = &m->hole[i];
        if (hole->from < at || hole->from - at >= left || hole->from % step != 0)
            return fail(problem, SIM_SECTION_HOLE, i, "from",
                        "is not in the memory behind the holes before",
                        "multiples of %s from 0x%llx to 0x%llx", steps, (unsigned long long)at,
                        (unsigned long long)(at + left - step));
        if (hole->bytes % step != 0)
            return fail(problem, SIM_SECTION_HOLE, i, "bytes", "are not whole pages",
                        "multiples of %s", steps);
        left -= hole->from - at;
        at = hole->from + hole->bytes;
    }
    return true;
}

static bool refresh(const struct sim_config *config, struct sim_problem *problem)
{
    const enum sim_section section = SIM_SECTION_MEMORY;
    const struct sim_memory_config *m = &config->memory;
    double distance = m->trefi_ns;

    if (m->trefi_ns > 0 && m->trfc_ns >= m->trefi_ns)
        return fail(problem, section, 0, "trfc", "is not shorter than trefi", "less than %.9gns",
                    m->trefi_ns);
    if (m->trfc_ns > 0 && m->trefi_ns <= 0)
        return fail(problem, section, 0, "trfc", "means nothing without trefi",
                    "0ns, or a time with trefi=");
    if (m->refresh_banks != 0 && m->banks % m->refresh_banks != 0)
        return fail(problem, section, 0, "refresh-banks", "does not divide the banks",
                    "a divisor of %u", m->banks);
    if (m->refresh_banks != 0)
        distance = m->trefi_ns / (m->banks / m->refresh_banks);
    if (m->trefi_ns > 0 && m->trfc_ns >= distance)
        return fail(problem, section, 0, "trfc", "outlasts the next refresh of its rank",
                    "less than %.9gns with this refresh-banks", distance);
    if (m->phases.count != 0 && m->phases.count != m->channels * m->ranks)
        return fail(problem, section, 0, "phases", "is not one for each rank of each channel",
                    "%u times", m->channels * m->ranks);
    for (uint32_t i = 0; i < m->phases.count; i++)
        if (m->phases.ns[i] >= m->trefi_ns)
            return fail(problem, section, 0, "phases", "has one that is not shorter than trefi",
                        "each less than %.9gns", m->trefi_ns);
    return true;
}

static bool distances(const struct sim_config *config, struct sim_problem *problem)
{
    const enum sim_section section = SIM_SECTION_MEMORY;
    const struct sim_memory_config *m = &config->memory;

    if (m->distance.count != 0 && m->distance.count != m->channels)
        return fail(problem, section, 0, "distance", "is not one for each channel", "%u times",
                    m->channels);
    if (m->flex_bytes == 0)
        return true;
    if (m->flex_bytes % (1u << 21) != 0 || m->flex_bytes >= m->bytes)
        return fail(problem, section, 0, "flex", "is not some of the memory, in steps of 2M",
                    "multiples of 2M, less than bytes");
    if (m->channels == 1)
        return fail(problem, section, 0, "flex", "there is one channel", "channels=2 and more");
    if (config->mapping.modulus > 1)
        return fail(problem, section, 0, "flex", "cannot be with a modulus", "mapping without it");
    return true;
}

static uint32_t functions_of(const struct sim_mapping_config *m, uint64_t *mask)
{
    const struct sim_xors *xors[] = {&m->channel, &m->rank, &m->bank};
    uint32_t count = 0;

    for (size_t i = 0; i < 3; i++)
        for (uint32_t k = 0; k < xors[i]->count; k++)
            mask[count++] = xors[i]->mask[k];
    return count;
}

/* Rows and functions together must tell all addresses apart: below the row's bits, no function is
 * the XOR of others. */
static bool are_independent(uint64_t *mask, uint32_t count, uint32_t row_bit)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t low = mask[i] & ((1ull << row_bit) - 1);
        if (low == 0)
            return false;
        for (uint32_t k = i + 1; k < count; k++)
            if (mask[k] & (low & -low))
                mask[k] ^= mask[i];
    }
    return true;
}

static bool mapping(const struct sim_config *config, struct sim_problem *problem)
{
    const enum sim_section section = SIM_SECTION_MAPPING;
    const struct sim_mapping_config *m = &config->mapping;
    const struct sim_memory_config *memory = &config->memory;
    uint64_t mask[3 * SIM_XORS_MAX];
    char row[SIM_VALUE_TEXT_MAX];
    uint32_t count = functions_of(m, mask);
    uint64_t channels = (uint64_t)(m->modulus > 1 ? m->modulus : 1) << m->channel.count;

    if (!sim_mapping_is_given(m))
        return true;
    sim_size_text(memory->row_bytes, row);
    if (memory->channels != channels)
        return fail(problem, section, 0, "channel", "does not lead to the memory's channels",
                    "functions for %u, or memory channels=%llu", memory->channels,
                    (unsigned long long)channels);
    if (memory->ranks != 1u << m->rank.count)
        return fail(problem, section, 0, "rank", "does not lead to the memory's ranks",
                    "functions for %u, or memory ranks=%u", memory->ranks, 1u << m->rank.count);
    if (memory->banks != 1u << m->bank.count)
        return fail(problem, section, 0, "bank", "does not lead to the memory's banks",
                    "functions for %u, or memory banks=%u", memory->banks, 1u << m->bank.count);
    if (m->modulus > 1 && m->from_bit == 0)
        return fail(problem, section, 0, "modulus", "needs modulus-from", "modulus-from=6 to 30");
    if (m->offset_bytes > SIM_MEMORY_BASE - memory->low_bytes)
        return fail(problem, section, 0, "offset", "would put memory on top of low memory",
                    "at most the %lluM below 4G that are none",
                    (unsigned long long)(SIM_MEMORY_BASE - memory->low_bytes) >> 20);
    if (m->row_bit < count || memory->row_bytes != 1ull << (m->row_bit - count))
        return fail(problem, section, 0, "row-from",
                    "with these functions gives rows of another size", "%u with memory row=%s",
                    (unsigned)__builtin_ctzll(memory->row_bytes) + count, row);
    if (!are_independent(mask, count, m->row_bit))
        return fail(problem, section, 0, "bank", "some addresses have the same place",
                    "functions that are independent below bit %u", m->row_bit);
    return true;
}

static bool is_there(enum sim_section section, size_t i, const char *key, uint32_t number,
                     uint32_t count, struct sim_problem *problem)
{
    return number == SIM_ANY || number < count ||
           fail(problem, section, i, key, "there are not so many", "0 to %u", count - 1);
}

static bool part_range(const struct sim_config *config, enum sim_section section, size_t i,
                       const struct sim_part *part, struct sim_problem *problem)
{
    const struct sim_run *last;
    struct sim_map map;
    uint64_t end;

    if (part->from != 0 && part->bytes == 0)
        return fail(problem, section, i, "from", "needs bytes", "bytes=4K and more");
    if (part->bytes == 0)
        return true;
    sim_map_start(&map, &config->memory);
    last = &map.run[map.count - 1];
    end = last->physical + last->bytes;
    if (sim_map_offset(&map, part->from) == UINT64_MAX || part->from % 4096 != 0)
        return fail(problem, section, i, "from", "is no page of the memory",
                    "multiples of 4K from 0x%llx to 0x%llx",
                    (unsigned long long)map.run[0].physical, (unsigned long long)(end - 4096));
    if (part->bytes > end - part->from || part->bytes % 4096 != 0)
        return fail(problem, section, i, "bytes", "are not pages of the memory from there on",
                    "multiples of 4K up to %lluK", (unsigned long long)(end - part->from) >> 10);
    return true;
}

/* Where a section is about some of memory, which part that is. */
static bool part_of_memory(const struct sim_config *config, enum sim_section section, size_t i,
                           const struct sim_part *part, struct sim_problem *problem)
{
    const struct sim_memory_config *memory = &config->memory;

    if (part->bytes == 0 && part->from == 0 && part->mask.count == 0 && part->channel == SIM_ANY &&
        part->rank == SIM_ANY)
        return fail(problem, section, i, "from", "nothing says which memory",
                    "from= and bytes=, mask=, channel= or rank=");
    if (!part_range(config, section, i, part, problem))
        return false;
    if (part->mask.count == 0 && part->parity != 1)
        return fail(problem, section, i, "parity", "means nothing without mask", "mask=, or none");
    if (part->mask.count != 0 && part->parity >> part->mask.count != 0)
        return fail(problem, section, i, "parity", "is that of more functions than mask has",
                    "0 to %u", (1u << part->mask.count) - 1);
    return is_there(section, i, "channel", part->channel, memory->channels, problem) &&
           is_there(section, i, "rank", part->rank, memory->ranks, problem);
}

static double lowest_hz(const struct sim_config *config)
{
    double hz = config->core_hz;

    for (size_t i = 0; i < config->cpu_count; i++)
        if (config->cpu[i].core_hz > 0 && config->cpu[i].core_hz < hz)
            hz = config->cpu[i].core_hz;
    return hz;
}

static bool modules(const struct sim_config *config, struct sim_problem *problem)
{
    const enum sim_section section = SIM_SECTION_MODULE;
    const struct sim_memory_config *memory = &config->memory;
    /* At the lower frequency it is longer. */
    double last_ns =
        sim_time_ns(&config->cache[config->cache_count - 1].latency, lowest_hz(config));

    for (size_t i = 0; i < memory->module_count; i++) {
        const struct sim_module_config *module = &memory->module[i];
        if (module->channel == SIM_ANY && module->rank == SIM_ANY)
            return fail(problem, section, i, "channel", "nothing says which module",
                        "channel= or rank=, or both");
        if (!is_there(section, i, "channel", module->channel, memory->channels, problem) ||
            !is_there(section, i, "rank", module->rank, memory->ranks, problem))
            return false;
        if (module->tcl_ns < 0 && module->trcd_ns < 0 && module->trp_ns < 0)
            return fail(problem, section, i, "tcl", "it is as every other module",
                        "tcl=, trcd= or trp=");
        if (module->tcl_ns >= 0 && memory->base_ns + module->tcl_ns <= last_ns)
            return fail(problem, section, i, "tcl",
                        "with base is not longer than the last cache's latency", "more than %.9gns",
                        last_ns - memory->base_ns);
    }
    return true;
}

/* A thread has nothing that its core has not: what it says of that must be the same. */
static bool thread(const struct sim_config *config, size_t i, struct sim_problem *problem)
{
    const enum sim_section section = SIM_SECTION_CPU;
    const struct sim_cpu_config *cpu = &config->cpu[i];
    uint32_t of = cpu->thread_of;
    struct sim_cpu core;

    if (of > i || (of > 0 && config->cpu[of - 1].thread_of != SIM_ANY))
        return fail(problem, section, i, "thread-of", "is no earlier CPU with a core of its own",
                    "0, or the number of a CPU before this one that is no thread itself");
    core = sim_config_cpu(config, of);
    if (cpu->node != SIM_ANY && cpu->node != core.node)
        return fail(problem, section, i, "node", "differs from that of its core", "%u", core.node);
    if (cpu->core_hz > 0 && cpu->core_hz != (core.core_hz > 0 ? core.core_hz : config->core_hz))
        return fail(problem, section, i, "core", "differs from that of its core",
                    "what CPU %u has, or none given", of);
    if (cpu->far_ns >= 0 && cpu->far_ns != core.far_ns)
        return fail(problem, section, i, "far", "differs from that of its core", "%.9gns",
                    core.far_ns);
    if (cpu->kind != SIM_CPU_UNTOLD && cpu->kind != core.kind)
        return fail(problem, section, i, "kind", "differs from that of its core",
                    "what CPU %u has, or none given", of);
    return true;
}

static bool cpus(const struct sim_config *config, struct sim_problem *problem)
{
    for (size_t i = 0; i < config->cpu_count; i++) {
        uint32_t id;
        if (config->cpu[i].thread_of != SIM_ANY && !thread(config, i, problem))
            return false;
        id = sim_config_cpu(config, (uint32_t)i + 1).id;
        for (uint32_t k = 0; k <= i; k++)
            if (sim_config_cpu(config, k).id == id)
                return fail(problem, SIM_SECTION_CPU, i, "id", "is an earlier CPU's",
                            "one of its own; without id= it is %zu", i + 1);
    }
    return true;
}

/* A directory is with the cache that cores share, and its time is that cache's. */
static bool coherence(const struct sim_config *config, struct sim_problem *problem)
{
    size_t own = sim_config_private(config);

    return !config->coherence.directory ||
           (own < config->cache_count && !config->cache[own].memory_side) ||
           fail(problem, SIM_SECTION_COHERENCE, 0, "kind", "there is no cache that cores share",
                "none, or directory with two caches and more that are not memory-side");
}

/* Tables may say of memory what they like, as long as a reader can tell slots apart. */
static bool dimms(const struct sim_config *config, struct sim_problem *problem)
{
    for (size_t i = 0; i < config->dimm_count; i++) {
        const struct sim_dimm_config *dimm = &config->dimm[i];
        for (size_t k = 0; k < i; k++)
            if (strcmp(dimm->slot, config->dimm[k].slot) == 0)
                return fail(problem, SIM_SECTION_DIMM, i, "slot", "is an earlier one's",
                            "a name of its own");
        if (dimm->total_bits != 0 && dimm->total_bits < dimm->data_bits)
            return fail(problem, SIM_SECTION_DIMM, i, "total-width", "is less than width",
                        "%u and more", dimm->data_bits);
    }
    return true;
}

static bool slow_parts(const struct sim_config *config, struct sim_problem *problem)
{
    for (size_t i = 0; i < config->memory.slow_count; i++)
        if (!part_of_memory(config, SIM_SECTION_SLOW, i, &config->memory.slow[i].part, problem))
            return false;
    return true;
}

static bool prefetchers(const struct sim_config *config, double hz, struct sim_problem *problem)
{
    const enum sim_section section = SIM_SECTION_PREFETCH;

    for (size_t i = 0; i < config->prefetch_count; i++) {
        const struct sim_prefetch_config *each = &config->prefetch[i];
        if (each->into > config->cache_count)
            return fail(problem, section, i, "into", "there are not so many caches", "1 to %zu",
                        config->cache_count);
        if (!is_power(each->region_bytes) || each->region_bytes < 2 * config->cache[0].line_bytes)
            return fail(problem, section, i, "region", "is not a power of two of at least 2 lines",
                        "a power of two from %u to 4K", 2 * config->cache[0].line_bytes);
        if (each->kind == SIM_NEXT_PAGE && config->walk.nested != SIM_NOT_NESTED)
            return fail(problem, section, i, "kind", "next-page knows nothing of a host's tables",
                        "any other kind, or nested=no");
        if (!is_power(each->within_bytes))
            return fail(problem, section, i, "within", "is not a power of two",
                        "a power of two from 4K to 1G");
        if (each->kind == SIM_POINTER &&
            sim_time_ns(&each->lead, hz) >= config->memory.base_ns + config->memory.tcl_ns)
            return fail(problem, section, i, "lead", "is not shorter than a memory access",
                        "less than %.9gns", config->memory.base_ns + config->memory.tcl_ns);
    }
    return true;
}

static bool noise(const struct sim_config *config, struct sim_problem *problem)
{
    const struct sim_noise_config *n = &config->noise;

    if (n->spike_every > 0 && !(n->spike_factor > 1))
        return fail(problem, SIM_SECTION_NOISE, 0, "spike-factor", "spikes need one",
                    "above 1 to 1000, such as 3");
    /* With more of them a machine makes hardly any progress, and in the end none. */
    if (n->smi_hz * n->smi_us > SMI_SHARE_MAX * 1e6)
        return fail(problem, SIM_SECTION_NOISE, 0, "smi-us", "SMIs take more than half of all time",
                    "with smi-rate=%.9g up to %.9g", n->smi_hz, SMI_SHARE_MAX * 1e6 / n->smi_hz);
    return true;
}

/* What a kind of fault cannot do without. */
static bool fault_is_whole(const struct sim_fault_config *fault, size_t i,
                           struct sim_problem *problem)
{
    const enum sim_section section = SIM_SECTION_FAULT;
    bool lane = fault->kind == SIM_LANE_READS || fault->kind == SIM_LANE_WRITES;
    bool counted = fault->kind == SIM_CORRECTED || fault->kind == SIM_UNCORRECTED;
    bool rated = fault->kind == SIM_FLIPPING || counted;
    bool range = lane || fault->kind == SIM_ALIASED || fault->kind == SIM_CHANGED;

    if (rated && fault->rate_hz <= 0)
        return fail(problem, section, i, "rate", "this kind of fault needs one",
                    "1e-6 to 1e9, such as 5");
    if (fault->kind == SIM_LEAKING && fault->after_ns <= 0)
        return fail(problem, section, i, "after", "a leaking bit needs it",
                    "a time such as 64000us");
    if (lane && fault->share <= 0)
        return fail(problem, section, i, "share", "a lane needs one", "a share such as 0.1%%");
    if (range && (fault->bytes == 0 || fault->bytes % 8 != 0))
        return fail(problem, section, i, "bytes", "a range needs them", "whole words of 8");
    if (fault->kind == SIM_COUPLED && fault->with == fault->physical)
        return fail(problem, section, i, "with", "is the byte itself", "another byte");
    if (fault->kind == SIM_ALIASED && fault->with < fault->physical + fault->bytes &&
        fault->physical < fault->with + fault->bytes)
        return fail(problem, section, i, "with", "lies in the range itself", "another range");
    return true;
}

static bool faults(const struct sim_config *config, struct sim_problem *problem)
{
    const enum sim_section section = SIM_SECTION_FAULT;
    const struct sim_run *last;
    struct sim_map map;

    sim_map_start(&map, &config->memory);
    last = &map.run[map.count - 1];
    for (size_t i = 0; i < config->fault_count; i++) {
        const struct sim_fault_config *fault = &config->fault[i];
        if (sim_map_offset(&map, fault->physical) == UINT64_MAX)
            return fail(problem, section, i, "address", "is not in the memory", "0x%llx to 0x%llx",
                        (unsigned long long)map.run[0].physical,
                        (unsigned long long)(last->physical + last->bytes - 1));
        if ((fault->kind == SIM_COUPLED || fault->kind == SIM_ALIASED) &&
            sim_map_offset(&map, fault->with) == UINT64_MAX)
            return fail(problem, section, i, "with", "is not in the memory", "0x%llx to 0x%llx",
                        (unsigned long long)map.run[0].physical,
                        (unsigned long long)(last->physical + last->bytes - 1));
        if (!fault_is_whole(fault, i, problem))
            return false;
        if ((fault->kind == SIM_CORRECTED || fault->kind == SIM_UNCORRECTED) &&
            config->counters.banks == 0)
            return fail(problem, section, i, "kind", "nothing counts it", "with counters banks=1");
    }
    return true;
}

/* Latencies in cycles and in ns must be in order at every frequency that a core can have. */
static bool times(const struct sim_config *config, double hz, struct sim_problem *problem)
{
    return caches(config, hz, problem) && tlbs(config, hz, problem) && walks(config, hz, problem) &&
           memory(config, hz, problem) && prefetchers(config, hz, problem);
}

bool sim_config_check(const struct sim_config *config, struct sim_problem *problem)
{
    if (!(config->core_hz > 0))
        return fail(problem, SIM_SECTION_CLOCK, 0, "core", "there is none", "100M to 20G");
    if (!(config->counter_hz > 0))
        return fail(problem, SIM_SECTION_CLOCK, 0, "counter", "there is none", "1M to 10G");
    if (config->turbo_hz > 0 && config->turbo_hz < config->core_hz)
        return fail(problem, SIM_SECTION_CLOCK, 0, "turbo", "is below core", "%.9gG and more",
                    config->core_hz * 1e-9);
    if (!times(config, config->core_hz, problem) ||
        (config->turbo_hz > 0 && !times(config, config->turbo_hz, problem)))
        return false;
    for (size_t i = 0; i < config->cpu_count; i++)
        if (config->cpu[i].core_hz > 0 && !times(config, config->cpu[i].core_hz, problem))
            return false;
    return cpus(config, problem) && coherence(config, problem) && nodes(config, problem) &&
           ways(config, problem) && places(config, problem) && refresh(config, problem) &&
           distances(config, problem) && mapping(config, problem) && modules(config, problem) &&
           dimms(config, problem) && slow_parts(config, problem) && noise(config, problem) &&
           faults(config, problem);
}
