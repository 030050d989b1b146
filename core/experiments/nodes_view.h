/* SPDX-License-Identifier: BSD-2-Clause */
/* The matrix of nodes: its rows and columns, and which cells the options take. */
#ifndef CORE_EXPERIMENTS_NODES_VIEW_H
#define CORE_EXPERIMENTS_NODES_VIEW_H

#include "core/experiments/pairs.h"
#include "core/options/nodes.h"

#define NODES_VIEW_MAX (NODES_MAX + 1)

/* Nodes in ascending order; behind them one without a number, of CPUs whose node nothing tells. It
 * has memory only if it stands alone. */
struct nodes_view {
    const struct machine_description *machine;
    struct cpus_choice cpus;
    struct node_choice node;
    struct place_choice place;
    uint32_t count;
    uint32_t number[NODES_VIEW_MAX];   /* NODE_UNKNOWN: of the last one */
    bool has_memory[NODES_VIEW_MAX];   /* it is a column */
    bool has_ordinary[NODES_VIEW_MAX]; /* else its memory is all for specific purposes */
};

void nodes_view_make(const struct plan *plan, struct nodes_view *view);
/* Of the CPUs of node number[row] that are taken, the next one after `after`; UINT32_MAX as `after`
 * begins. UINT32_MAX: there is none, so that it is no row, or no other. CPU 0 is its node's only
 * one. */
uint32_t nodes_view_cpu(const struct plan *plan, const struct nodes_view *view, uint32_t row,
                        uint32_t after);
/* Whether the cell is to be measured. */
bool nodes_view_takes(const struct nodes_view *view, uint32_t row, uint32_t column);
/* Whether any cell of the column, or of all columns, is to be measured and has a CPU. */
bool nodes_view_column(const struct plan *plan, const struct nodes_view *view, uint32_t column);
bool nodes_view_any(const struct plan *plan, const struct nodes_view *view);
/* What is claimed of the cell, all 0 if nothing is. */
struct node_claim nodes_view_claim(const struct nodes_view *view, uint32_t row, uint32_t column);
/* Says which node= names that is not there. */
void nodes_view_note_missing(const struct plan *plan, const struct nodes_view *view);
/* Says that too, and what cannot be had of what the options ask for, and what of the machine's
 * nodes changes what figures mean; bytes: of a set. */
void nodes_view_note(const struct plan *plan, const struct nodes_view *view, uint64_t bytes);

#endif
