/* SPDX-License-Identifier: BSD-2-Clause */
/* Chains of pointers through a window: layout, walking, verification. One word of each node's line
 * holds the address of the next node; the rest of the line holds CHAIN_POISON, which is a canonical
 * address on no CPU, so a corrupted pointer faults or leaves the cycle instead of walking on
 * unnoticed. Nodes whose stride is not a multiple of the line size are single words without poison.
 *
 * The positions of the order are cut into `chains` equal segments; each segment is closed into a
 * cycle: the successor of its last position is its first. Positions left over by the division
 * belong to no chain. */
#ifndef CORE_CHASE_CHAIN_H
#define CORE_CHASE_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/chase/order.h"
#include "core/machine.h"

#define CHAIN_POISON 0x5a5a5a5a5a5a5a5aull

struct chain {
    const struct line_order *order;
    uint64_t stride_bytes; /* distance between nodes: a multiple of 8 */
    uint32_t line_bytes;
    uint32_t chains; /* 0 and 1 both mean one chain */
    uint32_t word;   /* index of the node's word in its line; 0 unless chain_has_lines */
};

/* Nodes per chain: order->lines / chains. */
uint64_t chain_length(const struct chain *chain);
/* Positions that belong to a chain: chains * chain_length. */
uint64_t chain_positions(const struct chain *chain);
/* True if each node has its line to itself: the stride is a multiple of the line size. */
bool chain_has_lines(const struct chain *chain);
/* Byte offset of a node's line in its stride. 0, except for ORDER_GROUPED: there it is a line of
 * the stride chosen at random per node, always the same one, as in multichase. If every node were
 * at the start of a power-of-two stride, most sets of a cache would stay unused. */
uint64_t chain_lead(const struct chain *chain, uint64_t line);
/* Returns the address of the node visited at `position`, which is below chain_positions. */
uintptr_t chain_node(const struct chain *chain, const struct window *w, uint64_t position);
/* Returns the position of the successor in the same chain. */
uint64_t chain_next(const struct chain *chain, uint64_t position);
/* Returns the address that chain k has reached after `hops` hops from its start. */
uintptr_t chain_after(const struct chain *chain, const struct window *w, uint32_t k, uint64_t hops);

/* Building and verification iterate over the links of a share of [0, chain_positions). The links
 * come in visiting order, except for the random order, whose links come in address order: that is
 * the fastest for DRAM, the TLB and the prefetchers, and the bijection gives the successor of any
 * line. The last share includes the lines that belong to no chain. */
#define CHAIN_LINKS_RUN 32 /* so few that computing a run overlaps with storing the last one */

struct chain_link {
    uintptr_t node, next; /* address of a node, and the pointer it holds */
};

/* Iterator state; initialised by chain_links_start. */
struct chain_links {
    const struct chain *chain;
    const struct window *w;
    uint64_t pos, end;                               /* what remains of the share */
    uint64_t closing[CHAINS_MAX], first[CHAINS_MAX]; /* random order: chains' last, first line */
};

/* Starts at the share [first, end) of [0, chain_positions). chain and w must outlive links. */
void chain_links_start(struct chain_links *links, const struct chain *chain, const struct window *w,
                       uint64_t first, uint64_t end);
/* Stores the next links of the share; returns how many, 0 at its end. */
uint32_t chain_links_next(struct chain_links *links, struct chain_link link[CHAIN_LINKS_RUN]);
/* Random order only: the same as line numbers instead of addresses. Stores the successors of the
 * lines that begin at links->at (its value before the call); returns how many. */
uint32_t chain_links_lines(struct chain_links *links, uint64_t next[CHAIN_LINKS_RUN]);

/* The word that a node holds for the iid pattern: random, a function of the order's key and the
 * line, and unlikely to look like an address. */
uintptr_t draw_word(const struct chain *chain, uint64_t line);

/* A node that does not hold what was written. */
struct chain_error {
    uint64_t offset; /* bytes from the start of the window */
    uint64_t expected, read, reread;
};

#define CHAIN_ERRORS_MAX 64

/* Argument and result of chain_verify. */
struct chain_check {
    const struct chain *chain;
    void (*flush)(const void *address);     /* machine.line_flush */
    uintptr_t (*word)(const void *address); /* machine.word_read */
    bool fresh;      /* lines are flushed first: what is read is what memory gives now */
    uint64_t errors; /* total, including those beyond CHAIN_ERRORS_MAX */
    struct chain_error error[CHAIN_ERRORS_MAX];
};

/* A window_work: compares the pointers of the share [first, end) of [0, chain_positions) with the
 * order; arg is a struct chain_check. On a mismatch the line is flushed and read again. */
window_work chain_verify;
/* The same for lines [first, end) filled with draw_word. */
window_work draw_verify;

#endif
