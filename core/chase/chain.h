/* SPDX-License-Identifier: BSD-2-Clause */
/* Chains of pointers through a window: built, walked, verified. One word of each node's line holds
 * the address of the next node; the rest of the line holds CHAIN_POISON, which is canonical on no
 * CPU: a pointer that went wrong faults or leaves the cycle instead of walking on unnoticed. (Nodes
 * that are not whole lines apart are words alone.)
 *
 * The positions of the order are cut into equal segments, one for each chain and closed into a
 * cycle of its own: the successor of a segment's last position is its first. Positions that are
 * left over belong to no chain. */
#ifndef CORE_CHASE_CHAIN_H
#define CORE_CHASE_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/chase/order.h"
#include "core/machine.h"

#define CHAIN_POISON 0x5a5a5a5a5a5a5a5aull

struct chain {
    const struct line_order *order;
    uint64_t stride_bytes; /* distance of nodes: a multiple of 8 */
    uint32_t line_bytes;
    uint32_t chains; /* 0 and 1: one */
    uint32_t word;   /* which word of its line a node is; 0 unless nodes are whole lines apart */
};

/* Nodes of each chain: lines / chains. */
uint64_t chain_length(const struct chain *chain);
/* Positions that belong to a chain: chains * chain_length. */
uint64_t chain_positions(const struct chain *chain);
/* True where a node has its line to itself. */
bool chain_has_lines(const struct chain *chain);
/* How many bytes into its stride a node's line begins: 0, but by ORDER_GROUPED, as multichase has
 * it, any line of the stride, always the same one. With strides of whole lines only the first, a
 * power of two apart, most sets of a cache would stay unused. */
uint64_t chain_lead(const struct chain *chain, uint64_t line);
/* The address of the node that the order visits at `position`, which is below chain_positions. */
uintptr_t chain_node(const struct chain *chain, const struct window *w, uint64_t position);
/* The position that follows in the same chain. */
uint64_t chain_next(const struct chain *chain, uint64_t position);
/* Where chain k stands `hops` hops after its start. */
uintptr_t chain_after(const struct chain *chain, const struct window *w, uint32_t k, uint64_t hops);

/* Building and reading back go through a chain's nodes in shares of [0, chain_positions): in
 * visiting order, but for the random order in the order of addresses, which DRAM, translations and
 * the prefetchers of whoever builds like best, and where the successor is known of any line. The
 * lines that belong to no chain come with the last share. */
#define CHAIN_LINKS_RUN 32 /* so few that a CPU computes some while it stores those before */

struct chain_link {
    uintptr_t node, next; /* the address of a node, and what it holds */
};

/* What walking through links needs; filled by chain_links_start. */
struct chain_links {
    const struct chain *chain;
    const struct window *w;
    uint64_t at, end;                                /* what is left of the share */
    uint64_t closing[CHAINS_MAX], first[CHAINS_MAX]; /* lines: each chain's last and first */
};

/* The share [first, end) of [0, chain_positions). chain and w outlive links. */
void chain_links_start(struct chain_links *links, const struct chain *chain, const struct window *w,
                       uint64_t first, uint64_t end);
/* The next links of the share; answers how many, 0 at its end. */
uint32_t chain_links_next(struct chain_links *links, struct chain_link link[CHAIN_LINKS_RUN]);
/* The same of the random order as lines, without addresses: what the lines from links->at (before
 * the call) on lead to. */
uint32_t chain_links_lines(struct chain_links *links, uint64_t next[CHAIN_LINKS_RUN]);

/* What a node holds for the iid pattern: a word that is random, depends on the order's key, and
 * does not look like an address. */
uintptr_t draw_word(const struct chain *chain, uint64_t line);

/* One node that does not hold what was written. */
struct chain_error {
    uint64_t offset; /* in the window */
    uint64_t expected, read, reread;
};

#define CHAIN_ERRORS_MAX 64

/* Argument and result of chain_verify. */
struct chain_check {
    const struct chain *chain;
    void (*flush)(const void *address); /* machine.line_flush */
    uint64_t errors;                    /* all of them, also those beyond CHAIN_ERRORS_MAX */
    struct chain_error error[CHAIN_ERRORS_MAX];
};

/* window_work: compares the pointers of the share [first, end) of [0, chain_positions) with the
 * order; arg is a struct chain_check. A mismatch is read again after a flush. */
window_work chain_verify;
/* The same for the lines [first, end) filled by draw_word. */
window_work draw_verify;

#endif
