/* SPDX-License-Identifier: BSD-2-Clause */
/* How far two CPUs are apart by what tables and registers declare, and in which order pairs of them
 * are taken. Pure. */
#ifndef CORE_CPU_TOPOLOGY_H
#define CORE_CPU_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/inventory.h"

enum topology_apart {
    APART_CORE,   /* threads of one core */
    APART_MODULE, /* cores of one module of a node */
    APART_NODE,   /* modules of one node */
    APART_NODES,
    APARTS
};

enum topology_apart topology_apart(const struct cpu_info *a, const struct cpu_info *b);
/* "threads of a core", ... */
const char *topology_apart_name(enum topology_apart apart);

/* All pairs of listed CPUs, each once: first one of each kind, then neighbours in the list, then
 * CPUs that are two places apart, and so on, so that wherever the time ends every CPU has had its
 * share. */
struct topology_pairs {
    const struct cpu_info *cpus;
    const uint32_t *list; /* [count] indices of cpus */
    uint32_t count;
    uint32_t kind;      /* the next one of which the first pair is due; APARTS: all had theirs */
    uint32_t step, pos; /* then: the next pair is list[pos], list[pos + step] */
    bool taken[APARTS]; /* there is one of that kind: */
    uint32_t first[APARTS][2];
};

void topology_pairs_start(struct topology_pairs *pairs, const struct cpu_info *cpus,
                          const uint32_t *list, uint32_t count);
/* The next pair, a before b in the list. False: there is none. */
bool topology_pairs_next(struct topology_pairs *pairs, uint32_t *a, uint32_t *b);

#endif
