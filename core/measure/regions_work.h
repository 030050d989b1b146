/* SPDX-License-Identifier: BSD-2-Clause */
/* State of one measurement of memory block by block, and room for it. */
#ifndef CORE_MEASURE_REGIONS_WORK_H
#define CORE_MEASURE_REGIONS_WORK_H

#include "core/dram/banks.h"
#include "core/dram/classes.h"
#include "core/dram/coverage.h"
#include "core/dram/regions.h"
#include "core/lib/random.h"

#define REGIONS_LINES_MAX 65536 /* of one chain */
/* So many that flushing them takes one CPU longer than it takes to start others. */
#define REGIONS_BATCH_LINES  (1u << 20)
#define REGIONS_SEEN_BITS    18
#define REGIONS_SEEN         (1u << REGIONS_SEEN_BITS)
#define REGIONS_READINGS_MAX 4096
#define REGIONS_RUNS_MAX     64
#define REGIONS_NODES_MAX    64
#define REGIONS_VISITS_MAX   128 /* of a piece of memory, while edges are looked for */

/* A range that was found to differ when it was measured again. */
struct region_told {
    uint64_t first, bytes;
    uint32_t node;
    bool edges; /* found to the piece; else whole blocks */
    uint64_t piece_bytes;
    double base_ns;
    struct region_difference difference;
};

/* What one node's lines differ by, by class. */
struct regions_classes {
    bool known;
    bool by_bits;    /* no functions are known: by single bits and pairs of them */
    uint32_t masks;  /* that were compared */
    double limit_ns; /* the least difference of two halves of the lines that would be told */
    uint32_t part;   /* the smallest groups that are searched for have one line in so many */
    double part_limit_ns;
    uint32_t told_count;
    struct class_told told[CLASSES_KEPT];
};

struct regions_run {
    struct random random;
    uint64_t block_bytes, page_bytes;
    uint32_t count;         /* of blocks */
    uint32_t built;         /* of them, in order */
    uint32_t lines;         /* of a block's chain */
    uint32_t hops, samples; /* hops of a sample; samples of a chain, after warm_hops */
    uint32_t warm_hops;
    uint32_t measured;
    uint32_t reference;                /* the block that is measured again and again */
    double touched_bytes, cache_bytes; /* cache_bytes 0: none is known */
    enum gap_reason unreached;         /* why blocks that are not measured are not */
    uint32_t wrong;                    /* blocks whose memory reads wrong */
    bool astray;          /* the last chain that was chased did not close, and was diagnosed */
    uintptr_t stands;     /* where that chase ended; 0: a fault ended it */
    bool reference_lost;  /* it reads wrong by now */
    uint64_t wrong_nodes; /* that were read back wrong */
    uint32_t told_nodes;  /* of them those with a record, and faults with one */
    bool drifted;
    struct region_block block[REGIONS_BLOCKS_MAX];
    uint32_t order[REGIONS_BLOCKS_MAX];
    struct regions_room room;
    uint64_t line[REGIONS_LINES_MAX], drawn[REGIONS_LINES_MAX], other[REGIONS_LINES_MAX];
    union {
        uint64_t seen[REGIONS_SEEN]; /* lines that a list has, each plus one; a hash table */
        uint64_t batch[REGIONS_BATCH_LINES]; /* of chains that are built at once */
    };
    uint32_t seen_count;
    uint32_t readings;
    struct region_reading reading[REGIONS_READINGS_MAX];
    uint32_t runs_left; /* that differed, and were not measured again */
    struct regions_base base[REGIONS_NODES_MAX];
    uint32_t node_count;
    uint32_t told_count;
    struct region_run run[REGIONS_RUNS_MAX];
    struct region_told told[REGIONS_RUNS_MAX];
    uint16_t piece_of[REGIONS_LINES_MAX]; /* of each sample */
    uint16_t visits[REGIONS_PIECES_MAX];
    uint64_t visit_ticks[REGIONS_PIECES_MAX][REGIONS_VISITS_MAX];
    double piece_ns[REGIONS_PIECES_MAX];
    struct banks_summary banks;
    bool mapped; /* its functions say which bank a line is in */
    struct address_mapping mapping;
    struct regions_classes classes[REGIONS_NODES_MAX];
    struct class_screen screen;
    struct class_steps steps;
    uint32_t even[REGIONS_BLOCKS_MAX]; /* blocks whose lines are compared by class */
    uint32_t even_count;
    uint64_t of_sample[REGIONS_LINES_MAX]; /* a class, or an address */
    uint64_t free_bits[REGIONS_LINES_MAX];
};

#endif
