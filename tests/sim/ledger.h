/* SPDX-License-Identifier: BSD-2-Clause */
/* The ledger of the simulated machine: what served each access, and what each ns was spent on. It
 * is the truth that the engine's figures are compared with; the engine cannot see it. */
#ifndef TESTS_SIM_LEDGER_H
#define TESTS_SIM_LEDGER_H

#include "tests/sim/config.h"

enum sim_cause {
    SIM_BY_CACHE,  /* load to use of a hit */
    SIM_BY_MEMORY, /* base latency and tCL */
    SIM_BY_TLB,    /* a hit in a farther TLB level, or waiting for a walk that another load began */
    SIM_BY_WALK,   /* a page walk, the loads of its entries included */
    SIM_BY_ROW,    /* opening a row, and closing the one before */
    SIM_BY_REFRESH, /* waiting for the end of one */
    SIM_BY_QUEUE,   /* waiting for a channel, a bank, or a place among the outstanding misses */
    SIM_BY_WRITE,   /* waiting for a channel or a bank that writes a dirty line */
    SIM_BY_PENDING, /* waiting for a line that a prefetcher has requested */
    SIM_BY_OTHER,   /* another core's answer, or waiting for a line on its way to one */
    SIM_BY_CORE,    /* waiting for a place in the reorder window, or for a load port */
    SIM_BY_TIMER,   /* reading the counter */
    SIM_BY_DRAW,    /* arithmetic of an independent draw */
    SIM_BY_NOISE,   /* jitter, spikes, SMIs */
    SIM_CAUSES
};

/* Indices of served[]: caches from 0 on, then these. */
#define SIM_SERVED_MEMORY  SIM_CACHES_MAX
#define SIM_SERVED_PENDING (SIM_CACHES_MAX + 1)
#define SIM_SERVED_OTHER   (SIM_CACHES_MAX + 2) /* the caches of another core */
#define SIM_SERVERS        (SIM_CACHES_MAX + 3)

/* Doubles throughout, so that ledgers add and subtract; counts stay exact up to 2^53. */
struct sim_ledger {
    double accesses, walks, writes; /* writes: dirty lines that went back to memory */
    double served[SIM_SERVERS];     /* accesses by what had the line */
    double served_ns[SIM_SERVERS];  /* their ns, without TLB, walk, draw and noise */
    double cause_ns[SIM_CAUSES];
};

/* sum += sign * part. */
void sim_ledger_add(struct sim_ledger *sum, const struct sim_ledger *part, double sign);
/* All ns of all causes. */
double sim_ledger_ns(const struct sim_ledger *ledger);
/* ns of a load without noise, without a draw's arithmetic and without the timer's own time: of a
 * hop, where no load is free. NAN without accesses. */
double sim_ledger_hop_ns(const struct sim_ledger *ledger);
/* ns of an access that missed every cache: row, refresh and queue in; TLB, walk and noise out. NAN
 * when none did. */
double sim_ledger_memory_ns(const struct sim_ledger *ledger);

#endif
