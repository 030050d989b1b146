/* SPDX-License-Identifier: BSD-2-Clause */
/* What measured points have taught about how long points take; used by estimate.h. */
#ifndef CORE_PLAN_LEARNT_H
#define CORE_PLAN_LEARNT_H

#include "core/plan/point.h"

/* Kinds of hops with estimates of their own, and octaves of cached bytes. */
enum estimate_kind {
    ESTIMATE_CHASE, /* the plain one */
    ESTIMATE_EXACT, /* the same with a stricter error target */
    ESTIMATE_DRAWS,
    ESTIMATE_STREAM,
    ESTIMATE_OTHER,
    ESTIMATE_KINDS
};
#define ESTIMATE_OCTAVES 64

/* Weight of the newest observation: about the last four decide. */
#define ESTIMATE_NEWEST_WEIGHT 0.4

struct estimate_cost {
    bool known;
    double hop_ns, sampling_s;
};

/* Costs learnt from measured points. */
struct estimate {
    double build_ns, verify_ns; /* per line */
    bool populates; /* the machine populates windows on demand: machine.window_populate */
    double populate_ns[POINT_PAGES];       /* per byte */
    uint64_t populated_bytes[POINT_PAGES]; /* already populated, per page size
                                              (window.populated_bytes) */
    double took_s, expected_s;             /* of the last seconds: actual and expected time */
    uint64_t uncached_bytes;               /* see uncached.h */
    bool learnt;
    struct estimate_cost cost[ESTIMATE_KINDS][ESTIMATE_OCTAVES];
};

#endif
