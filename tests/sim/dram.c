/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/dram.h"

#include <stdio.h>
#include <stdlib.h>

static unsigned log2_of(uint64_t power)
{
    return (unsigned)__builtin_ctzll(power);
}

void sim_dram_start(struct sim_dram *dram, const struct sim_memory_config *config,
                    uint32_t line_bytes)
{
    size_t banks = (size_t)config->channels * config->ranks * config->banks;

    *dram = (struct sim_dram){.config = config,
                              .channel_log2 = log2_of(config->channels),
                              .column_log2 = log2_of(config->row_bytes / line_bytes),
                              .bank_log2 = log2_of(config->banks),
                              .rank_log2 = log2_of(config->ranks)};
    if (config->bytes_per_s > 0)
        dram->transfer_ns = line_bytes / config->bytes_per_s * 1e9;
    if (config->trefi_ns > 0)
        dram->per_trefi = 1 / config->trefi_ns;
    dram->channel_free_ns = calloc(config->channels, sizeof *dram->channel_free_ns);
    dram->bank = calloc(banks, sizeof *dram->bank);
    if (!dram->channel_free_ns || !dram->bank) {
        fprintf(stderr, "simulator: no memory for %zu banks\n", banks);
        exit(2);
    }
    for (size_t i = 0; i < banks; i++)
        dram->bank[i].row = -1;
}

void sim_dram_stop(struct sim_dram *dram)
{
    free(dram->channel_free_ns);
    free(dram->bank);
}

struct place {
    uint32_t channel, rank, bank;
    int64_t row;
};

/* Channel and bank are hashed with higher bits, as memory controllers do, so that no power-of-two
 * stride stays on one of them. */
static inline struct place place_of(const struct sim_dram *dram, uint32_t line)
{
    uint32_t x = line;
    struct place place;

    place.channel = (x ^ x >> 7 ^ x >> 13 ^ x >> 19) & ((1u << dram->channel_log2) - 1);
    x >>= dram->channel_log2 + dram->column_log2;
    place.bank = x & ((1u << dram->bank_log2) - 1);
    x >>= dram->bank_log2;
    place.rank = x & ((1u << dram->rank_log2) - 1);
    x >>= dram->rank_log2;
    place.bank ^= x & ((1u << dram->bank_log2) - 1);
    place.row = x;
    return place;
}

static double later(double a, double b)
{
    return a > b ? a : b;
}

/* When a refresh begins, from the count 0 on: up to 1/16 of trefi late, since controllers may let
 * reads that wait go first (JESD79-4 lets them postpone up to eight refreshes). Were refreshes
 * strictly periodic, a chase, each hop of which begins when the one before ends, would fall into
 * step with them, and its latency would depend on how its hops fit between two. */
static inline double refresh_begin(const struct sim_dram *dram, uint32_t rank, double epoch)
{
    uint64_t x = ((uint64_t)epoch << 8 | rank) * 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    return dram->config->trefi_ns * (epoch + (double)(x >> 40) * (0x1p-24 / 16));
}

/* How long a refresh that is under way still lasts; *epoch counts the rank's refreshes. Ranks take
 * turns. */
static double refresh_wait(const struct sim_dram *dram, uint32_t rank, double at_ns, double *epoch)
{
    const struct sim_memory_config *config = dram->config;
    double turn = config->trefi_ns * rank / (config->channels * config->ranks);
    double since = at_ns + 2 * config->trefi_ns - turn, inside;

    /* since is positive: the cast is floor(), without a call. */
    *epoch = (double)(int64_t)(since * dram->per_trefi);
    inside = since - refresh_begin(dram, rank, *epoch);
    if (inside < 0) {
        --*epoch;
        inside = since - refresh_begin(dram, rank, *epoch);
    }
    return inside < config->trfc_ns ? config->trfc_ns - inside : 0;
}

/* A refresh closes every row of its rank. */
static double row_cost(struct sim_dram *dram, struct sim_bank *bank, int64_t row, double epoch)
{
    const struct sim_memory_config *config = dram->config;

    if (bank->epoch != epoch || !config->open_pages)
        bank->row = -1;
    bank->epoch = epoch;
    if (bank->row == row) {
        dram->row_hits++;
        return 0;
    }
    if (bank->row < 0) {
        dram->row_empty++;
        bank->row = row;
        return config->trcd_ns;
    }
    dram->row_conflicts++;
    bank->row = row;
    return config->trp_ns + config->trcd_ns;
}

double sim_dram_access(struct sim_dram *dram, uint32_t line, double at_ns,
                       struct sim_dram_cost *cost)
{
    const struct sim_memory_config *config = dram->config;
    struct place place = place_of(dram, line);
    uint32_t rank = (place.channel << dram->rank_log2) + place.rank;
    struct sim_bank *bank = &dram->bank[((size_t)rank << dram->bank_log2) + place.bank];
    double start = later(at_ns, later(bank->free_ns, dram->channel_free_ns[place.channel]));
    double epoch = 0;

    *cost = (struct sim_dram_cost){.memory_ns = config->base_ns + config->tcl_ns,
                                   .queue_ns = start - at_ns};
    if (config->trefi_ns > 0)
        cost->refresh_ns = refresh_wait(dram, rank, start, &epoch);
    dram->refresh_waits += cost->refresh_ns > 0;
    start += cost->refresh_ns;
    cost->row_ns = row_cost(dram, bank, place.row, epoch);
    bank->free_ns = start + cost->row_ns + (config->open_pages ? 0 : config->trp_ns);
    dram->channel_free_ns[place.channel] = start + dram->transfer_ns;
    return start + cost->row_ns + cost->memory_ns;
}
