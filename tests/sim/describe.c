/* SPDX-License-Identifier: BSD-2-Clause */
/* What the simulated machine declares of itself. */
#include <stdio.h>

#include "core/mapping/node_map.h"
#include "tests/sim/simulator.h"

#define ALL_LOADS (1u << LOAD_PLAIN | 1u << LOAD_NT | 1u << LOAD_FLUSH | 1u << LOAD_DIRTY)

/* How many CPUs share a cache with CPU 0. */
static uint32_t sharers(const struct sim_config *config, size_t cache)
{
    bool own = cache < sim_config_private(config);
    uint32_t count = 0;

    for (uint32_t cpu = 0; cpu <= config->cpu_count; cpu++) {
        struct sim_cpu is = sim_config_cpu(config, cpu);
        count += is.present && (!own || is.core == 0);
    }
    return count;
}

static size_t describe_caches(struct simulator *sim)
{
    const struct sim_config *config = sim->config;
    size_t count = 0;

    for (size_t i = 0; i < config->cache_count; i++) {
        uint64_t bytes = sim_config_declared(config, i);
        if (bytes == 0)
            continue;
        sim->cache_level[count++] = (struct cache_level){.level = (uint8_t)(i + 1),
                                                         .unified = i != 0,
                                                         .ways = config->cache[i].ways,
                                                         .line_bytes = config->cache[i].line_bytes,
                                                         .shared_by = sharers(config, i),
                                                         .bytes = bytes};
    }
    return count;
}

static size_t describe_tlbs(struct simulator *sim)
{
    const struct sim_config *config = sim->config;
    size_t count = 0;

    for (size_t i = 0; i < config->tlb_count; i++)
        for (unsigned page = 0; page < SIM_PAGES; page++) {
            uint32_t ways, entries = sim_tlb_entries(&config->tlb[i], (enum sim_page)page, &ways);
            if (entries == 0)
                continue;
            sim->tlb_level[count++] =
                (struct tlb_level){.level = (uint8_t)(i + 1),
                                   .page_log2 = (uint8_t)sim_page_log2((enum sim_page)page),
                                   .entries = entries,
                                   .ways = ways == entries ? UINT32_MAX : ways};
        }
    return count;
}

/* Nodes this far apart share no cache's line; lines do not get shorter in farther caches. */
static uint32_t longest_line(const struct sim_config *config)
{
    return config->cache[config->cache_count - 1].line_bytes;
}

static struct counter_event event_named(enum sim_event event, const char *name)
{
    if (event == SIM_EVENT_NONE)
        return (struct counter_event){.name = NULL};
    return (struct counter_event){.name = name, .source = "the machine file"};
}

static void describe_counters(struct simulator *sim)
{
    const struct sim_counters_config *counters = &sim->config->counters;

    sim->description.llc_misses = event_named(counters->misses, "simulated misses");
    sim->description.page_walks = event_named(counters->walks, "simulated walks");
}

static void add_range(struct simulator *sim, size_t *count, const struct sim_run *run,
                      uint64_t from, const struct sim_segment *segment)
{
    uint64_t end;

    from = from > run->offset ? from : run->offset;
    end = segment->end < run->offset + run->bytes ? segment->end : run->offset + run->bytes;
    if (from < end)
        sim->memory[(*count)++] =
            (struct memory_range){.base = phys_make(run->physical + (from - run->offset)),
                                  .bytes = end - from,
                                  .node = segment->node,
                                  .kind = segment->specific ? MEMORY_SPECIFIC : MEMORY_ORDINARY,
                                  .usable = true};
}

/* Far memory comes first, so that nothing is near merely by its address. */
static size_t describe_memory(struct simulator *sim)
{
    const struct sim_map *map = &sim->system->dram->map;
    const struct sim_dram *dram = sim->system->dram;
    size_t count = 0;

    for (size_t i = 0; i < map->count; i++)
        for (size_t k = 0; k < dram->segment_count; k++)
            add_range(sim, &count, &map->run[i], k == 0 ? 0 : dram->segment[k - 1].end,
                      &dram->segment[k]);
    return count;
}

/* As tables would tell them. */
static const struct node_map *describe_nodes(struct simulator *sim)
{
    const struct sim_memory_config *memory = &sim->config->memory;
    const struct machine_description *d = &sim->description;

    node_map_start(&sim->nodes, d->memory, d->memory_count, d->cpus, d->cpu_count);
    for (size_t i = 0; i < memory->way_count; i++) {
        const struct sim_between_config *way = &memory->way[i];
        struct node_claim claim = {.from = way->from,
                                   .to = way->to,
                                   .distance = way->distance,
                                   .latency_ns = way->latency_ns,
                                   .bytes_per_s = way->bytes_per_s};
        node_map_claim(&sim->nodes, &claim);
    }
    sim->nodes.source = sim->nodes.claim_count != 0 ? "machine file" : NULL;
    return &sim->nodes;
}

/* As tables would tell it (core/firmware/smbios_memory.h). */
static size_t describe_dimms(struct simulator *sim)
{
    static const char *const types[] = {"DDR3", "DDR4", "DDR5", "LPDDR4", "LPDDR5"};
    static const char *const eccs[] = {NULL, "none", "single-bit", "multi-bit"};
    const struct sim_config *config = sim->config;

    for (size_t i = 0; i < config->dimm_count; i++) {
        const struct sim_dimm_config *from = &config->dimm[i];
        struct dimm_info *to = &sim->dimm[i];
        *to = (struct dimm_info){.bytes = from->bytes,
                                 .rated_mts = from->rated_mts,
                                 .configured_mts = from->mts,
                                 .ranks = (uint8_t)from->ranks,
                                 .data_bits = (uint16_t)from->data_bits,
                                 .total_bits = (uint16_t)from->total_bits,
                                 .configured_mv = (uint16_t)from->millivolts,
                                 .use = "system memory",
                                 .ecc = eccs[from->ecc],
                                 .physical_first = DIMM_UNKNOWN,
                                 .physical_last = DIMM_UNKNOWN};
        snprintf(to->locator, sizeof to->locator, "%s", from->slot);
        snprintf(to->bank, sizeof to->bank, "%s", from->bank);
        snprintf(to->maker, sizeof to->maker, "%s", from->maker);
        snprintf(to->part, sizeof to->part, "%s", from->part);
        snprintf(to->channel, sizeof to->channel, "%s", from->channel);
        to->channel_source = from->channel[0] != '\0' ? "SMBIOS type 37" : NULL;
        if (from->bytes != 0)
            snprintf(to->type, sizeof to->type, "%s", types[from->type]);
    }
    return config->dimm_count;
}

/* CPUID leaf 1Ah has the types; a thriftier core is of a lower class (ACPI 6.5, 5.2.12.14). */
static size_t describe_cpus(struct simulator *sim)
{
    static const uint32_t types[] = {0, 0x40, 0x20};
    size_t count = sim->config->cpu_count + 1;

    for (uint32_t cpu = 0; cpu < count; cpu++) {
        struct sim_cpu is = sim_config_cpu(sim->config, cpu);
        sim->cpu_info[cpu] = (struct cpu_info){.hardware_id = is.id,
                                               .number = cpu,
                                               .node = is.node,
                                               .core = is.core,
                                               .type = types[is.kind],
                                               .efficiency = is.kind == SIM_CPU_PERFORMANCE,
                                               .efficiency_known = is.kind != SIM_CPU_UNTOLD,
                                               .enabled = is.present};
        snprintf(sim->cpu_info[cpu].name, sizeof sim->cpu_info[cpu].name, "simulated");
    }
    return count;
}

/* Of several CPUs; 0 where some are of no known kind. */
static uint32_t kinds_of(const struct sim_config *config)
{
    bool met[3] = {false};

    for (uint32_t cpu = 0; cpu <= config->cpu_count; cpu++) {
        struct sim_cpu is = sim_config_cpu(config, cpu);
        if (is.present)
            met[is.kind] = true;
    }
    return met[SIM_CPU_UNTOLD] ? 0 : (uint32_t)met[SIM_CPU_PERFORMANCE] + met[SIM_CPU_EFFICIENCY];
}

void simulator_describe(struct simulator *sim)
{
    const struct sim_config *config = sim->config;
    bool declares = config->declares;

    sim->description = (struct machine_description){
        .arch = "simulated",
        .firmware = "none",
        .board = config->name,
        .board_source = "machine-file",
        .bios = "",
        .cpu_name = "simulated",
        .caches = sim->cache_level,
        .cache_count = describe_caches(sim),
        .tlbs = sim->tlb_level,
        .tlb_count = declares ? describe_tlbs(sim) : 0,
        .memory = sim->memory,
        .memory_count = describe_memory(sim),
        .home_node = SIM_NODE_NEAR,
        .dimms = sim->dimm,
        .dimm_count = describe_dimms(sim),
        .cpus = sim->cpu_info,
        .cpu_count = describe_cpus(sim),
        .clock = {.hz = (uint64_t)config->counter_hz,
                  .declared = {.hz = (uint64_t)config->counter_hz, .source = "virtual clock"},
                  .core_base_hz = (uint64_t)config->core_hz,
                  .resolution_ticks = (double)config->counter_step,
                  .source = "virtual clock",
                  .check_source = "virtual clock",
                  .invariant = true},
        .page_sizes = config->page_sizes,
        .guest = config->walk.nested != SIM_NOT_NESTED ? GUEST_YES : GUEST_NO,
        .line_bytes = longest_line(config),
        .chains_cycle_max = CHAINS_MAX,
        .loads = ALL_LOADS};
    sim->description.side_cache_bytes = config->cache[config->cache_count - 1].smbios_bytes;
    if (config->cpu_count != 0)
        sim->description.state = (struct machine_state){.threads_per_core = sharers(config, 0),
                                                        .cpu_kinds = kinds_of(config)};
    sim->description.side_cache_source = "SMBIOS type 7";
    sim->description.nodes = describe_nodes(sim);
    describe_counters(sim);
}
