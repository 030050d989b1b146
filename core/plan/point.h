/* SPDX-License-Identifier: BSD-2-Clause */
/* One point of a run: what is to be measured, and what came of it. It carries all that planning and
 * measuring go by, and of the experiment that asked for it only a number and a tag, which that
 * experiment alone understands. */
#ifndef CORE_PLAN_POINT_H
#define CORE_PLAN_POINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/chase/order.h"
#include "core/machine.h"
#include "core/results/record.h"
#include "core/stats/doubt.h"

/* Coarse before fine: every point of a pass, of all experiments, is measured before those of a
 * later one. */
enum point_pass {
    PASS_MIN,   /* the headline; experiments whose points are of one kind */
    PASS_PROOF, /* what says how the headline is to be read */
    PASS_ENDS,  /* of every curve */
    PASS_OCTAVES,
    PASS_HALVES, /* of octaves; then quarters, and what is finer */
    PASS_QUARTERS,
    PASS_FINE,
    PASS_POSTPONED /* what took too large a part of the rest when it was due, the cheapest first */
};

/* Why a point is over without a figure. */
enum left_out {
    LEFT_NOT,
    LEFT_OVER_BUDGET,   /* the budget's rest did not hold it */
    LEFT_LATE,          /* it was begun, and the budget was used up */
    LEFT_NOT_MAPPED,    /* its pages could not be mapped */
    LEFT_NOT_ALLOCATED, /* they were mapped, but there was no memory for them */
    LEFT_REASONS
};

/* What a point's record says it is for. */
enum point_purpose {
    PURPOSE_ITSELF, /* nothing else: the record says nothing */
    PURPOSE_LEVELS,
    PURPOSE_HEADLINE,
    PURPOSE_TRANSLATION,
    PURPOSE_PROOF
};

/* Page sizes, 4K, 2M and 1G, as indices. */
#define POINT_PAGES 3
static inline uint32_t point_page_index(enum page_size page)
{
    return (uint32_t)(page - PAGE_4K) / (PAGE_2M - PAGE_4K);
}

struct point_result {
    bool known;
    uint32_t samples;
    double sampling_s;            /* beyond building, warming and verifying */
    double ns, rel_error, cycles; /* median, per hop, a draw's arithmetic taken off; NAN: unknown */
    double total_ns;              /* of all samples together */
    double hz_before, hz_after;   /* the core's own; 0: unknown */
    double hz;                    /* median over the samples; NAN: unknown */
    double mean_ns, mean_rel_error; /* the same of the mean without outliers (stats_mean) */
    double mean_own_error_ns;       /* without the draw's, which all draws have in common */
    enum answer settled;            /* the caches were seen in steady state */
    double drift_ns;     /* how far a hop's cost moved over the samples; 0: not seen to */
    double hz_step;      /* largest step of the core's frequency, over itself; NAN: unknown */
    doubt_set doubt;     /* what measuring it says against the figures */
    double missed_share; /* of its accesses, by the CPU's counters; NAN: not counted */
    double walked_share; /* those that waited for a page walk */
    bool part;           /* its samples are a part of a lap, of which caches may keep another */
};

enum footprint_verdict { FOOTPRINT_UNDECIDED, FOOTPRINT_OFF, FOOTPRINT_ON };

/* A share with its 99.9 % bounds, what is found by mistake taken off. */
struct footprint_share {
    double share, low, high;
};

/* What a footprint says of all lines together (core/measure/footprint.h). most is the line found
 * most often (by its lower bound, then its share), distance lines from the last one touched; high
 * is the greatest upper bound of any line. brought: lines that a single touch surely brings, on
 * average. */
struct footprint_summary {
    bool known;
    enum footprint_verdict verdict;
    struct footprint_share max;
    double high, brought;
    uint32_t touches, tries;
    int32_t distance;
    doubt_set doubt;
};

/* A plain, warm point has no fact set but its pages, set, stride and chains. */
struct point {
    uint32_t experiment; /* whose it is */
    uint32_t tag;        /* which part it plays there, as that experiment numbers them; 0: plain */
    enum point_purpose purpose;
    enum chase_kernel kernel;
    enum order_kind order; /* of KERNEL_CYCLE */
    enum page_size page;
    enum map_mode map;
    enum frame_order frames;
    bool prefetch_off;          /* asked for */
    uint32_t prefetch_only_off; /* number of the one prefetcher off, from 1 on; 0: as above */
    enum turbo_choice turbo;
    uint64_t bytes, stride_bytes; /* of all chains together */
    uint64_t group_bytes;         /* of the orders that go by groups; else 0 */
    uint32_t chains;              /* each has an equal part of the lines, a cycle of its own */
    enum chase_load load;
    enum chase_hint hint;
    uint32_t work;      /* cycles per access */
    uint32_t word;      /* which word of its line a node is */
    bool cold;          /* nothing is warmed up */
    bool is_footprint;  /* no chase at all: which lines prefetchers bring */
    bool stays_cached;  /* caches are left as they are behind it; else its set is dropped */
    bool beyond_caches; /* it asks for what no cache has a share of, whatever some keep of it */
    bool unrecorded;    /* no record is made of it: what it measures is no hop's figure */
    bool optional;      /* one of many: an expensive one waits until all others are measured */
    enum point_pass pass;
    uint64_t hops;      /* of a sample; 0: the options or the clock decide */
    uint32_t samples;   /* exactly so many; 0: until the error target */
    double error_scale; /* of the options' error target, for the mean; 0: all of it, the median */
    uint64_t relax_after_hops; /* after so many, error_scale has risen to 1; 0: it does not */
    const char *label;         /* what the experiment calls it: "L2", "memory"; NULL: nothing */
    bool over;                 /* measured, or given up */
    bool again;                /* due once more (schedule.c), or was */
    enum left_out left_out;
    enum prefetch_state prefetch; /* as it was while measuring */
    struct point_result result;
    struct footprint_summary footprint; /* where is_footprint */
};

#endif
