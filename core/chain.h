/* SPDX-License-Identifier: BSD-2-Clause */
/* A chain of pointers through a window: built, walked, verified. The first word of each node's line
 * holds the address of the next node; the rest of the line holds CHAIN_POISON, which is canonical
 * on no CPU: a pointer that went wrong faults or leaves the cycle instead of walking on unnoticed.
 */
#ifndef CORE_CHAIN_H
#define CORE_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/machine.h"
#include "core/order.h"

#define CHAIN_POISON 0x5a5a5a5a5a5a5a5aull

struct chain {
    const struct line_order *order;
    uint64_t stride_bytes; /* distance of nodes: a multiple of line_bytes */
    uint32_t line_bytes;
};

/* The address of the node visited at `position` (taken modulo the chain's length). */
uintptr_t chain_node(const struct chain *chain, const struct window *w, uint64_t position);

/* What a node holds for the iid pattern: a word that is random, depends on the order's key, and
 * does not look like an address. */
uintptr_t draw_word(const struct chain *chain, uint64_t line);

/* One node that does not hold what was written. */
struct chain_error {
    uint64_t position;
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

/* window_work: compares the pointers at positions [first, end) with the bijection; arg is a struct
 * chain_check. A mismatch is read again after a flush. */
window_work chain_verify;
/* The same for lines filled by draw_word; positions are lines. */
window_work draw_verify;

#endif
