/* SPDX-License-Identifier: BSD-2-Clause */
/* One point of a run: what is to be measured, and its result. It carries everything that planning
 * and measuring need; of the experiment that planned it, only its number and a tag that that
 * experiment alone interprets. */
#ifndef CORE_PLAN_POINT_H
#define CORE_PLAN_POINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/chase/order.h"
#include "core/dram/banks.h"
#include "core/dram/regions.h"
#include "core/machine.h"
#include "core/results/record.h"
#include "core/stats/doubt.h"
#include "core/stats/figure.h"

/* Coarse before fine: all points of one pass, of all experiments, are measured before those of the
 * next. */
enum point_pass {
    PASS_MIN,   /* the headline; experiments whose points are of one kind */
    PASS_PROOF, /* what shows how far the headline can be trusted */
    PASS_ENDS,  /* of every curve */
    PASS_OCTAVES,
    PASS_HALVES, /* of octaves; then quarters, then finer */
    PASS_QUARTERS,
    PASS_FINE,
    PASS_POSTPONED /* points that would have taken too large a share of the remaining budget,
                      cheapest first */
};

/* Why a point ended without a figure. */
enum left_out {
    LEFT_NOT,
    LEFT_OVER_BUDGET,   /* its estimate exceeds the remaining budget */
    LEFT_LATE,          /* started, but the budget ran out */
    LEFT_NOT_MAPPED,    /* its pages could not be mapped */
    LEFT_NOT_ALLOCATED, /* mapped, but there was no memory for them */
    LEFT_NO_CPU,        /* its CPU could not be started */
    LEFT_NO_LOAD,       /* the CPUs that were to load memory meanwhile could not be */
    LEFT_REASONS
};

/* The `purpose` field of a point's record. */
enum point_purpose {
    PURPOSE_ITSELF, /* the point itself: no field */
    PURPOSE_LEVELS,
    PURPOSE_HEADLINE,
    PURPOSE_TRANSLATION,
    PURPOSE_PROOF,
    PURPOSE_WITNESS
};

/* The page sizes 4K, 2M and 1G as indices 0 to 2. */
#define POINT_PAGES 3
static inline uint32_t point_page_index(enum page_size page)
{
    return (uint32_t)(page - PAGE_4K) / (PAGE_2M - PAGE_4K);
}

/* What the CPU's sampler of ops says of a set's loads. Cycles are of the core. */
struct load_summary {
    bool known;                /* enough of them were followed */
    uint64_t ops, loads;       /* ops followed, and those that were loads of the set */
    uint64_t missed;           /* loads that missed the first-level cache, */
    uint64_t tlb_missed;       /* and those that missed the first-level TLB */
    struct figure miss_cycles; /* median, from the miss to the data; not from load to use */
    double refill_cycles;      /* median refill of that TLB; NAN: none, or not known */
    double refill_mean_cycles; /* the same as a mean over all loads */
};

/* Whether the sampler follows loads of a point, once it was timed. */
enum point_sampled {
    SAMPLED_NOT,
    SAMPLED_HITS, /* its loads hit the first-level cache: the sampler is tried on them */
    SAMPLED_LOADS,
    SAMPLED_MISSES /* they miss it, and the sampler is tried on them too */
};

/* What other CPUs do to memory while a point is chased, from before its warming to its last sample.
 * They are the first so many of the plan's crew. */
struct point_traffic {
    uint32_t cpus; /* 0: it is chased alone, and nothing below means anything */
    enum traffic_kind kind;
    bool random;
    bool spares_core; /* they are the first so many that are no threads of the chase's core */
    bool parks_core;  /* those of them that are such threads are parked */
    uint32_t pause_cycles;
    uint64_t each_bytes; /* lines that each of them has to itself, behind the set; TRAFFIC_CHASE: 0,
                            they go round the point's own chains, evenly spaced; TRAFFIC_SPIN,
                            TRAFFIC_PARK: 0 */
    uint32_t share;      /* where what each CPU did is kept, one after the other, for the experiment
                            (struct load_share); 0: nowhere */
};

/* What came of it. */
struct traffic_result {
    bool known;                /* there was a load, and mostly all of it ran */
    struct figure bytes_per_s; /* of the other CPUs together, read and written; TRAFFIC_SPIN,
                                  TRAFFIC_PARK: 0 */
    double written_share;      /* TRAFFIC_SPIN, TRAFFIC_PARK: 0 */
    struct figure ns;          /* TRAFFIC_CHASE: of a hop, mean over the other CPUs; else unknown */
};

struct point_result {
    bool known;
    uint32_t samples;
    double sampling_s;              /* without building, warming and verifying */
    double ns, rel_error, cycles;   /* median, per hop, without a draw's arithmetic; NAN: unknown */
    double total_ns;                /* total of all samples */
    double hz_before, hz_after;     /* of the core; 0: unknown */
    double hz;                      /* median over the samples; NAN: unknown */
    double mean_ns, mean_rel_error; /* the same for the mean without outliers (stats_mean) */
    double mean_own_error_ns; /* without the error of the draw's cost, which all draws share */
    enum answer settled;      /* the caches were seen in steady state */
    double drift_ns;          /* change of a hop's cost over the samples; 0: none seen */
    double hz_step;      /* largest step of the core's frequency, as a fraction; NAN: unknown */
    doubt_set doubt;     /* reasons found while measuring */
    double missed_share; /* of its accesses, by the CPU's counters; NAN: not counted */
    double walked_share; /* those that waited for a page walk */
    bool
        part; /* its samples cover part of a lap, and caches may hold other parts better or worse */
    uint64_t caches_bytes;     /* the largest cache that it was warmed for */
    struct load_summary loads; /* if sampled */
    struct traffic_result traffic;
    uint32_t node; /* whose memory it was in; NODE_UNKNOWN: of several, or not to be known */
};

enum footprint_verdict { FOOTPRINT_UNDECIDED, FOOTPRINT_OFF, FOOTPRINT_ON };

/* A share with its 99.9 % bounds, false positives subtracted. */
struct footprint_share {
    double share, low, high;
};

/* A footprint over all lines (core/measure/footprint.h). */
struct footprint_summary {
    bool known;
    enum footprint_verdict verdict;
    struct footprint_share max; /* of the line found most often: by lower bound, then by share */
    double high;                /* the greatest upper bound of any line */
    double brought; /* how many lines a single touch brings on average, counting sure ones only */
    uint32_t touches, tries;
    int32_t distance; /* of max's line from the last one touched, in lines */
    doubt_set doubt;
};

/* What is done with the point's set. */
enum point_work {
    POINT_CHASE,
    POINT_FOOTPRINT, /* a footprint of what prefetchers bring */
    POINT_SINGLE,    /* single accesses: their distribution, open rows, refreshes */
    POINT_BANKS,     /* a search for the functions that map addresses to banks */
    POINT_REGIONS,   /* memory block by block */
    POINT_VERIFY,    /* what memory holds */
    POINT_HANDOFF    /* lines handed from CPU to CPU */
};

struct regions_summary {
    bool known;
    uint64_t block_bytes;
    uint32_t blocks; /* measured */
};

/* A plain, warm point sets only experiment, page, map, frames, prefetchers, bytes, stride and
 * chains. */
struct point {
    uint32_t experiment; /* index in experiment_list */
    uint32_t tag;        /* its role in that experiment, numbered by it; 0: none */
    enum point_purpose purpose;
    enum point_work work_kind;
    enum chase_kernel kernel;
    enum order_kind order; /* of KERNEL_CYCLE */
    enum page_size page;
    enum map_mode map;
    enum frame_order frames;
    bool everywhere;            /* in memory of every node and kind; else as plan_window says */
    bool prefetch_off;          /* requested */
    uint32_t prefetch_only_off; /* number of the only prefetcher switched off, from 1; 0:
                                   prefetch_off decides */
    enum turbo_choice turbo;
    uint32_t node;                /* whose memory it is in; NODE_ANY: as plan_window says */
    uint32_t cpu;                 /* that chases it; CPU 0 builds its set */
    struct point_traffic traffic; /* beside it */
    uint64_t bytes, stride_bytes; /* of all chains together */
    uint64_t group_bytes;         /* of the orders that work in groups; else 0 */
    uint32_t chains; /* each is a cycle of its own through an equal part of the lines */
    enum chase_load load;
    enum chase_hint hint;
    uint32_t work;      /* cycles per access */
    uint32_t word;      /* which word of its line a node is */
    bool cold;          /* measured without warming */
    bool stays_cached;  /* its set stays in the caches afterwards; else it is flushed */
    bool beyond_caches; /* only its memory accesses matter, whatever caches keep of the set */
    enum point_sampled sampled;
    bool recorded;   /* its work is of another kind than a chase, and emitted its record */
    bool unrecorded; /* gets no point record: what it measures is not the cost of a hop */
    bool optional;   /* one of many sets of a curve: an expensive one is postponed until all others
                        are measured */
    enum point_pass pass;
    uint64_t hops;      /* per sample; 0: the options or the clock decide */
    uint32_t samples;   /* exactly this many; 0: until the error target is reached */
    double error_scale; /* factor on the options' error target, applied to the mean; 0: the target
                           itself, applied to the median */
    uint64_t
        relax_after_hops; /* after this many hops error_scale has risen to 1; 0: it does not rise */
    const char *label;    /* the experiment's name for it: "L2", "memory"; NULL: none */
    bool over;            /* measured, or given up */
    bool again;           /* to be measured again, or was (core/experiments/schedule.c) */
    enum left_out left_out;
    enum prefetch_state prefetch; /* as it was during the measurement */
    struct point_result result;
    union {
        struct footprint_summary footprint; /* POINT_FOOTPRINT */
        struct banks_summary banks;         /* POINT_BANKS */
        struct regions_summary regions;     /* POINT_REGIONS */
    };
};

/* Whether its hops are single warm loads in random order, one at a time, beside no traffic. */
static inline bool point_is_plain(const struct point *point)
{
    return point->order == ORDER_RANDOM && point->chains == 1 && point->load == LOAD_PLAIN &&
           point->work == 0 && !point->cold && point->traffic.cpus == 0;
}

#endif
