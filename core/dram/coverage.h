/* SPDX-License-Identifier: BSD-2-Clause */
/* What of the memory map no block covers, and why: blocks and gaps together are the map. Pure. */
#ifndef CORE_DRAM_COVERAGE_H
#define CORE_DRAM_COVERAGE_H

#include "core/dram/regions.h"
#include "core/inventory.h"

enum gap_reason {
    GAP_IN_USE, /* the firmware's, a loader's, ACPI's, or not write-back */
    GAP_NONVOLATILE,
    GAP_RANGE,   /* outside range= */
    GAP_PAGE,    /* less than a page, at an edge */
    GAP_RESERVE, /* kept free for the firmware and for page tables, or refused by it */
    GAP_MAX,     /* more than max= asks for */
    GAP_OTHERS,  /* of a process: not its own */
    GAP_SMALL,   /* a block with too few lines for a chain */
    GAP_LATE,    /* blocks that the budget did not reach */
    GAP_STOPPED, /* blocks that were not reached when the user stopped */
    GAP_FAULT,   /* blocks that were not reached when a fault ended it all */
    GAP_WRONG,   /* a block whose memory reads wrong */
    GAP_REASONS
};

struct gap {
    phys_addr first;
    uint64_t bytes;
    uint32_t node;
    enum gap_reason reason;
};

/* "in use", "outside range=", ... */
const char *gap_reason_words(enum gap_reason reason);

struct coverage_request {
    const struct memory_range *memory; /* [memory_count], sorted, disjoint */
    size_t memory_count;
    const struct region_block *block; /* [block_count], sorted by address, disjoint */
    uint32_t block_count;
    phys_addr from, below; /* range=; equal: everything */
    uint64_t page_bytes;
    bool process;              /* blocks are the pages that a kernel gave it */
    bool limited;              /* by max= */
    enum gap_reason unreached; /* why REGION_NOT_MEASURED was not */
};

#define COVERAGE_NODES_MAX 64 /* further nodes are counted with the last one */

struct coverage_node {
    uint32_t node;
    uint64_t memory_bytes, gap_bytes;
};

struct coverage {
    uint64_t memory_bytes;  /* of the map */
    uint64_t covered_bytes; /* of it, by blocks that were measured */
    uint64_t gap_bytes;     /* the rest */
    uint32_t nodes;
    struct coverage_node node[COVERAGE_NODES_MAX];
};

/* The node of whose memory the least share is covered; NULL: there is no memory. */
const struct coverage_node *coverage_least(const struct coverage *coverage);

/* Calls visit (if not NULL) for each gap in the order of addresses, and sums up. */
void coverage_walk(const struct coverage_request *request,
                   void (*visit)(void *context, const struct gap *gap), void *context,
                   struct coverage *sums);

#endif
