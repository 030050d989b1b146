/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/config.h"

const struct sim_config sim_config_default = {
    .name = "three levels, flat memory",
    .cache_count = 3,
    .cache = {{"L1", 32 << 10, 8, 64, 4},
              {"L2", 256 << 10, 8, 64, 14},
              {"L3", 1 << 20, 16, 64, 46}},
    .memory_bytes = 256ull << 20,
    .memory_ns = 90,
    .core_hz = 4e9,
    .clock_hz = 3e9,
    .clock_step = 1,
    .draw_cycles = 7,
    .build_ns = 8,
    .read_ns = 12,
};
