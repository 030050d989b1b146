/* SPDX-License-Identifier: BSD-2-Clause */
/* What measured points teach about the time that points take; estimate.h asks it. */
#ifndef CORE_PLAN_LEARNT_H
#define CORE_PLAN_LEARNT_H

#include "core/plan/point.h"

/* Hops that are reckoned alike, and octaves of what the caches have to hold of their sets. */
enum estimate_kind {
    ESTIMATE_CHASE, /* the plain one */
    ESTIMATE_EXACT, /* the same to a part of the error target */
    ESTIMATE_DRAWS,
    ESTIMATE_STREAM,
    ESTIMATE_OTHER,
    ESTIMATE_KINDS
};
#define ESTIMATE_OCTAVES 64

/* Weight of the newest observation: about the last four decide. */
#define ESTIMATE_NEWEST 0.4

struct estimate_cost {
    bool known;
    double hop_ns, sampling_s;
};

/* What measured points teach about the ones to come. */
struct estimate {
    double build_ns, verify_ns;  /* per line */
    bool makes_memory;           /* the machine makes it as it is needed: machine.window_populate */
    double make_ns[POINT_PAGES]; /* per byte */
    uint64_t
        populated_bytes[POINT_PAGES]; /* of windows of each page size (window.populated_bytes) */
    double took_s, reckoned_s; /* of the last seconds: what they took, and were reckoned to */
    bool learnt;
    struct estimate_cost cost[ESTIMATE_KINDS][ESTIMATE_OCTAVES];
};

#endif
