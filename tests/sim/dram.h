/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of the simulated machine: channels, ranks, banks with an open row each, refresh, and
 * what a transfer keeps a channel busy for. */
#ifndef TESTS_SIM_DRAM_H
#define TESTS_SIM_DRAM_H

#include "tests/sim/config.h"

struct sim_bank {
    int64_t row; /* open; -1: none */
    double epoch, free_ns;
};

struct sim_dram {
    const struct sim_memory_config *config;
    unsigned channel_log2, column_log2, bank_log2, rank_log2;
    double transfer_ns, per_trefi;
    double *channel_free_ns; /* [channels] */
    struct sim_bank *bank;   /* [channels][ranks][banks] */
    uint64_t row_hits, row_empty, row_conflicts, refresh_waits;
};

/* What one access took, by cause. */
struct sim_dram_cost {
    double memory_ns, row_ns, refresh_ns, queue_ns;
};

/* sim_dram_stop frees. */
void sim_dram_start(struct sim_dram *dram, const struct sim_memory_config *config,
                    uint32_t line_bytes);
void sim_dram_stop(struct sim_dram *dram);
/* A line asked for at that time; answers when it has arrived. */
double sim_dram_access(struct sim_dram *dram, uint32_t line, double at_ns,
                       struct sim_dram_cost *cost);

#endif
