/* SPDX-License-Identifier: BSD-2-Clause */
/* The truth of a simulated machine, in the terms of the records: what a figure would be if it were
 * exact. Only tests use it. */
#ifndef TESTS_SIM_TRUTH_H
#define TESTS_SIM_TRUTH_H

#include "core/levels/levels.h"
#include "core/results/record.h"
#include "tests/sim/simulator.h"

#define SIM_TRUTHS_MAX 24

/* Capacity of the caches up to this one by their sizes: what adds up where a level is exclusive. */
uint64_t sim_truth_nominal_bytes(const struct sim_config *config, size_t cache);
/* What they really hold: distinct lines resident over all of them at the end of a run of
 * independent draws over 4 times the nominal capacity. */
double sim_truth_capacity_bytes(const struct sim_config *config, size_t cache);
/* Load to use of a hit, at the frequency the core starts with. */
double sim_truth_cache_ns(const struct sim_config *config, size_t cache);

struct sim_truth_tlb {
    double reach_bytes; /* entries times page; frames are scattered, nothing is coalesced */
    double step_ns;     /* what a miss here costs more than a hit; NAN: walks load their entries */
    double share;       /* of a hop at the reach */
};
/* False: the level holds no such pages. */
bool sim_truth_tlb(const struct sim_config *config, size_t level, enum sim_page page,
                   struct sim_truth_tlb *tlb);

/* One level that a perfect analysis would find, in the terms of struct level. */
struct sim_truth_level {
    enum level_kind kind; /* LEVEL_CACHE, LEVEL_TLB, LEVEL_MEMORY, LEVEL_UNEXPLAINED: open rows */
    char name[48];
    double bytes, ns;
    bool exclusive;  /* it or a nearer one takes victims only: wider tolerances */
    bool undeclared; /* a cache that no register declares correctly: unexplained is right too */
    bool loaded;     /* of a TLB: walks through the caches */
    bool near;       /* a cache and a TLB less than 1.5 times apart: merged is right too */
    bool optional;   /* a step too small, or at the end of the curve */
};
/* Bytes of a point of the curve itself; 0 of every other one, those with a line in each page among
 * them: they reach further, and show no cache. */
double sim_truth_curve_bytes(const struct record_point *point);
/* Caches, the TLBs of that page size and of the largest one, memory; ascending. memory_ns from the
 * ledger (NAN: unknown); largest: the curve's largest set. */
size_t sim_truth_levels(const struct sim_config *config, enum sim_page page, double memory_ns,
                        double largest_bytes, struct sim_truth_level truth[SIM_TRUTHS_MAX]);

/* The ledger of a point's samples: that of the last chases of `hops` hops per sample that together
 * had `samples` samples. False: they are no longer remembered. */
bool sim_truth_samples(const struct simulator *sim, uint64_t hops, uint64_t samples,
                       struct sim_ledger *ledger);
/* The mean cost of a miss of every cache over independent draws from a set of that many bytes, with
 * prefetchers requested off: the ledger's mean outside any window. */
double sim_truth_memory_ns(const struct sim_config *config, double bytes);
/* The same with what translation takes of each hop, in contiguous pages of that size: a chase that
 * finds nothing in caches. */
double sim_truth_translated_ns(const struct sim_config *config, enum sim_page page, double bytes);
/* Whether lines that ascend inside a page come sooner than random ones with prefetchers requested
 * off. */
bool sim_truth_prefetches(const struct sim_config *config, bool off);

#endif
