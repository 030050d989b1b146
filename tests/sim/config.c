/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/config.h"

#define CYCLES(n) \
    {             \
        (n), true \
    }
#define ENTRY_NS   20000
#define WIDE_BYTES (1ull << 30)

const struct sim_config sim_config_default = {
    .name = "three levels, flat memory",
    .page_sizes = 1u << 12 | 1u << 21,
    .declares = true,
    .cache_count = 3,
    .cache = {{"L1", 32 << 10, 8, 64, CYCLES(4), SIM_LRU, SIM_NEITHER, false, 0, 0, 0},
              {"L2", 128 << 10, 8, 64, CYCLES(14), SIM_LRU, SIM_NEITHER, false, 0, 0, 0},
              {"L3", 512 << 10, 16, 64, CYCLES(46), SIM_LRU, SIM_NEITHER, false, 0, 0, 0}},
    .walk = {.first_cache = 1, .coalesce = 1},
    .core = {.window = 224, .loads = 2, .flush = {100, false}},
    .coherence = {.swap = CYCLES(20)},
    .memory = {.bytes = 256ull << 20,
               .base_ns = 90,
               .channels = 1,
               .ranks = 1,
               .banks = 1,
               .row_bytes = 8192,
               .misses_max = 16},
    .noise = {.spike_factor = 1, .smi_counted = true},
    .core_hz = 4e9,
    .counter_hz = 3e9,
    .counter_step = 1,
    .draw = CYCLES(7),
    .build_ns = 8,
    .read_ns = 12,
    .entry_ns = ENTRY_NS,
};

void sim_config_start(struct sim_config *config)
{
    *config = sim_config_default;
    config->name[0] = '\0';
    config->cache_count = 0;
    config->memory.base_ns = 0;
    config->memory.bytes = 1ull << 30;
    config->core_hz = 0;
    config->counter_hz = 0;
}

bool sim_mapping_is_given(const struct sim_mapping_config *mapping)
{
    return mapping->modulus > 1 ||
           mapping->channel.count + mapping->rank.count + mapping->bank.count != 0;
}

bool sim_config_large(const struct sim_config *config)
{
    return config->memory.bytes / config->cache[0].line_bytes > SIM_LINES_MAX;
}

bool sim_config_wide(const struct sim_config *config, size_t cache)
{
    return sim_config_large(config) || config->cache[cache].bytes > WIDE_BYTES;
}

size_t sim_config_private(const struct sim_config *config)
{
    size_t last = config->cache_count - 1;

    if (last > 0 && config->cache[last].memory_side)
        last--;
    return last > 0 ? last : 1;
}

/* Of a CPU that is no further thread. */
static uint32_t number_of_core(const struct sim_config *config, uint32_t cpu)
{
    uint32_t core = 0;

    for (uint32_t i = 1; i <= cpu; i++)
        core += config->cpu[i - 1].thread_of == SIM_ANY;
    return core;
}

struct sim_cpu sim_config_cpu(const struct sim_config *config, uint32_t cpu)
{
    struct sim_cpu out = {
        .node = SIM_NODE_NEAR, .kind = config->core.kind, .present = true, .id = 0};
    const struct sim_cpu_config *from;

    if (cpu == 0)
        return out;
    from = &config->cpu[cpu - 1];
    if (from->thread_of != SIM_ANY)
        out = sim_config_cpu(config, from->thread_of);
    else
        out = (struct sim_cpu){.core = number_of_core(config, cpu),
                               .node = from->node != SIM_ANY ? from->node : SIM_NODE_NEAR,
                               .core_hz = from->core_hz,
                               .far_ns = from->far_ns > 0 ? from->far_ns : 0,
                               .kind = from->kind};
    out.id = from->id != SIM_ANY ? from->id : cpu;
    out.present = from->present;
    out.fails = from->fails;
    return out;
}

uint32_t sim_config_cores(const struct sim_config *config)
{
    return number_of_core(config, (uint32_t)config->cpu_count) + 1;
}

uint64_t sim_config_declared(const struct sim_config *config, size_t cache)
{
    const struct sim_cache_config *c = &config->cache[cache];

    if (!config->declares || c->declared_bytes == SIM_UNDECLARED)
        return 0;
    if (c->declared_bytes != 0)
        return c->declared_bytes;
    return c->memory_side ? 0 : c->bytes;
}

double sim_time_ns(const struct sim_time *time, double core_hz)
{
    return time->cycles ? time->value / core_hz * 1e9 : time->value;
}

bool sim_tlb_shares(const struct sim_tlb_config *tlb, enum sim_page page)
{
    return tlb->entries[page] == 0 && tlb->shared_entries != 0 &&
           (tlb->shared_by == 0 || (tlb->shared_by & 1u << sim_page_log2(page)) != 0);
}

uint32_t sim_tlb_entries(const struct sim_tlb_config *tlb, enum sim_page page, uint32_t *ways)
{
    bool shares = sim_tlb_shares(tlb, page);

    if (ways)
        *ways = shares ? tlb->shared_ways : tlb->ways[page];
    return shares ? tlb->shared_entries : tlb->entries[page];
}

enum sim_page sim_config_piece(const struct sim_config *config, enum sim_page page)
{
    enum sim_nested nested = config->walk.nested;

    if (nested == SIM_NOT_NESTED || (enum sim_page)(nested - SIM_NESTED_4K) > page)
        return page;
    return (enum sim_page)(nested - SIM_NESTED_4K);
}

unsigned sim_page_log2(enum sim_page page)
{
    return 12 + 9 * (unsigned)page;
}

enum sim_page sim_page_of(unsigned page_log2)
{
    return (enum sim_page)((page_log2 - 12) / 9);
}
