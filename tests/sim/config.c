/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/config.h"

#define CYCLES(n) \
    {             \
        (n), true \
    }
#define ENTRY_NS 20000

const struct sim_config sim_config_default = {
    .name = "three levels, flat memory",
    .page_sizes = 1u << 12 | 1u << 21,
    .declares = true,
    .cache_count = 3,
    .cache = {{"L1", 32 << 10, 8, 64, CYCLES(4), SIM_LRU, SIM_NEITHER, false},
              {"L2", 128 << 10, 8, 64, CYCLES(14), SIM_LRU, SIM_NEITHER, false},
              {"L3", 512 << 10, 16, 64, CYCLES(46), SIM_LRU, SIM_NEITHER, false}},
    .walk = {.first_cache = 1, .coalesce = 1},
    .core = {.window = 224, .loads = 2, .flush = {100, false}},
    .memory = {.bytes = 256ull << 20,
               .base_ns = 90,
               .channels = 1,
               .ranks = 1,
               .banks = 1,
               .row_bytes = 8192,
               .misses_most = 16},
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

double sim_time_ns(const struct sim_time *time, double core_hz)
{
    return time->cycles ? time->value / core_hz * 1e9 : time->value;
}

unsigned sim_page_log2(enum sim_page page)
{
    return 12 + 9 * (unsigned)page;
}

enum sim_page sim_page_of(unsigned page_log2)
{
    return (enum sim_page)((page_log2 - 12) / 9);
}
