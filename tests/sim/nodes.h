/* SPDX-License-Identifier: BSD-2-Clause */
/* Which memory of a simulated machine is of which node, and what is between nodes. */
#ifndef TESTS_SIM_NODES_H
#define TESTS_SIM_NODES_H

#include "tests/sim/config.h"
#include "tests/sim/map.h"

/* Memory of one node, up to the offset `end`, from where the segment before it ends. */
struct sim_segment {
    uint64_t end;
    uint32_t node;
    bool specific; /* for specific purposes: no window gets it unless a range is requested */
};

/* Memory, cut by nodes and by holes. */
#define SIM_PIECES_MAX (SIM_RUNS_MAX + SIM_NODES_MAX - 1)

/* Writes the segments in ascending order; the last one is node 0's and ends at UINT64_MAX. Returns
 * how many. */
size_t sim_nodes_segments(const struct sim_memory_config *config,
                          struct sim_segment segments[SIM_NODES_MAX]);
/* What a line of node `to` takes longer for a CPU of node `from`. */
double sim_nodes_way_ns(const struct sim_memory_config *config, uint32_t from, uint32_t to);

#endif
