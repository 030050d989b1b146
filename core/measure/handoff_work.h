/* SPDX-License-Identifier: BSD-2-Clause */
/* State of handing lines over between all pairs of CPUs. */
#ifndef CORE_MEASURE_HANDOFF_WORK_H
#define CORE_MEASURE_HANDOFF_WORK_H

#include "core/cpu/topology.h"
#include "core/machine.h"

#define HANDOFF_LINES  32
#define HANDOFF_ROUNDS 64
#define HANDOFF_KINDS  (HANDOFF_SWAP + 1)

struct handoff_run {
    uint32_t homes;       /* points that were begun, each with lines of another node; else of one */
    uint32_t home_of;     /* so many */
    uint64_t deadline_ns; /* of this one: the budget is for all of them */
    uint32_t cpus;
    uint32_t cpu[CPUS_MAX];    /* that take part */
    const char *why[CPUS_MAX]; /* by their index: one cannot be had; NULL: it can */
    uintptr_t line[HANDOFF_LINES];
    uintptr_t control;
    uint64_t home_node; /* of the lines; RECORD_UNKNOWN: of several, or not known */
    uint64_t begun_ns;
    uint32_t done, left_out; /* pairs */
    uint64_t ticks[HANDOFF_LINES * HANDOFF_ROUNDS];
    /* Of each kind of pair, ns of the nearest and of the farthest one that compares and swaps lines
     * of memory of its own. */
    struct {
        uint32_t count, far[2];
        double low_ns, high_ns, high_error_ns;
    } apart[APARTS];
};

#endif
