/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of the simulated machine: channels, ranks, banks with an open row each, refresh,
 * channel occupancy of transfers, and dirty lines on their way back. */
#ifndef TESTS_SIM_DRAM_H
#define TESTS_SIM_DRAM_H

#include "tests/sim/map.h"
#include "tests/sim/nodes.h"

struct sim_bank {
    int64_t row;   /* open; -1: none */
    int64_t epoch; /* of refreshes, when it was opened */
    double free_ns;
    bool wrote; /* what it is busy with is a write */
};

/* What accesses to one rank of one channel cost. */
struct sim_rank {
    double memory_ns; /* without what depends on rows */
    double trcd_ns, trp_ns;
    double phase_ns; /* when its refreshes begin */
};

/* A transfer on a channel. */
struct sim_transfer {
    double from_ns, until_ns;
    bool write;
};
/* That one core can be waiting for; further ones may be forgotten. */
#define SIM_TRANSFERS_MAX 64

struct sim_channel {
    double free_ns; /* free from then on, for good */
    uint32_t count;
    struct sim_transfer *transfer; /* [sim_dram.transfers_max] in the order of time; past ones may
                                      be among them */
};

/* A dirty line that a cache evicts at that time. */
struct sim_write {
    uint64_t line;
    double due_ns;
};
#define SIM_WRITES_MAX 64 /* that one core leaves */

/* How many channels, ranks or banks there are. */
struct sim_dram_count {
    uint32_t count, mask; /* mask: of a power of two; else UINT32_MAX */
    unsigned log2;        /* of a power of two */
};

struct sim_dram {
    const struct sim_memory_config *config;
    const struct sim_mapping_config *mapping; /* NULL: hashed */
    struct sim_map map;
    unsigned line_log2;
    unsigned column_log2;
    size_t segment_count;
    struct sim_segment segment[SIM_NODES_MAX]; /* of nodes */
    uint64_t segment_end[SIM_NODES_MAX];       /* the same in lines */
    double segment_ns[SIM_NODES_MAX]; /* what a line of it takes longer for the CPU that asks */
    struct sim_dram_count channels, ranks, banks;
    uint64_t flex_lines;  /* the lines that use all channels; the others are in the first one */
    uint64_t flex_base;   /* if there are others: where their addresses are mapped from */
    struct sim_xors flex; /* the channel's functions, 0 for them; each has its lowest bit alone, */
                          /* and they are in the order of that bit */
    uint32_t refresh_banks; /* of a rank that a refresh occupies */
    double trefi_ns;        /* as it really is; 0: no refresh */
    double transfer_ns, per_trefi;
    uint32_t transfers_max;      /* that a channel keeps */
    double clock_ns;             /* what the clocks are ahead, by which refreshes keep their time */
    struct sim_rank *rank;       /* [channels][ranks] */
    struct sim_channel *channel; /* [channels] */
    struct sim_bank *bank;       /* [channels][ranks][banks] */
    uint32_t write_count;
    struct sim_write *write; /* [writes_max] not yet written, in the order of time */
    uint32_t writes_max;     /* with more of them the first is written before its time */
    uint64_t row_hits, row_empty, row_conflicts, refresh_waits, writes;
};

/* What one access took, by cause. */
struct sim_dram_cost {
    double memory_ns, row_ns, refresh_ns;
    double queue_ns; /* waiting for a bank or a channel that reads */
    double write_ns; /* waiting for one that writes */
};

/* Where an address is. */
struct sim_place {
    uint32_t channel, rank, bank;
    int64_t row;
};

/* mapping: NULL for hashed channels and banks. sim_dram_stop frees; both must outlive it. */
void sim_dram_start(struct sim_dram *dram, const struct sim_memory_config *config,
                    const struct sim_mapping_config *mapping, uint32_t line_bytes);
/* So many cores ask at the same time. Before the first of them does. */
void sim_dram_serve_cores(struct sim_dram *dram, uint32_t cores);
void sim_dram_stop(struct sim_dram *dram);
/* From now on a CPU asks that is of that node, and so much farther away from all memory. */
void sim_dram_ask_from(struct sim_dram *dram, uint32_t node, double away_ns);
/* A line requested at that time; returns when it has arrived. Lines evicted before are written
 * first. Times of calls ascend, except when a prefetcher runs ahead. */
double sim_dram_access(struct sim_dram *dram, uint64_t line, double when_ns,
                       struct sim_dram_cost *cost);
struct sim_place sim_dram_place(const struct sim_dram *dram, uint64_t physical);
/* What accesses to this address of the memory take longer because the machine file made its part of
 * memory slow: the truth of whatever looks for such parts. */
double sim_dram_slow_ns(const struct sim_dram *dram, uint64_t physical);
/* A line is written at that time, past the caches; returns when it is. */
double sim_dram_store(struct sim_dram *dram, uint64_t line, double when_ns,
                      struct sim_dram_cost *cost);
/* A dirty line will leave the caches at that time: nothing waits for it, but it occupies its bank
 * and channel. */
void sim_dram_write(struct sim_dram *dram, uint64_t line, double due_ns);

#endif
