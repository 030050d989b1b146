/* SPDX-License-Identifier: BSD-2-Clause */
/* One knee of a latency curve of independent uniform draws. A cache or TLB that holds `at` bytes of
 * a set of N bytes hits with probability at/N, whatever its replacement policy. So a hop costs step
 * * max(0, 1 - at/N) more than if this level never missed. */
#ifndef CORE_LEVELS_HINGE_H
#define CORE_LEVELS_HINGE_H

#include <stdbool.h>
#include <stddef.h>

#define HINGE_CURVES  3   /* one per page size */
#define HINGE_SOFTEST 0.6 /* of a 3-way cache */
#define HINGE_WAYS    32
#define HINGE_ROWS    0.4
/* What open rows hold at most: of 16 channels of 4 ranks of 64 banks, 8 KiB each. */
#define HINGE_ROWS_BYTES (32.0 * (1 << 20))
#define HINGE_ROWS_FAR   40
#define HINGE_OPEN       0.6

enum hinge_kind {
    HINGE_CACHE, /* in all curves */
    HINGE_TLB,   /* in one curve */
    HINGE_WALK   /* in one curve: page-table entries no longer fit a cache; a soft knee */
};

/* How a cache's contents relate to those of the levels before it, the nearer levels. */
enum hinge_law {
    HINGE_SHARP,   /* inclusive: holds what the nearer levels hold */
    HINGE_VICTIMS, /* exclusive: filled only with victims of the nearer levels */
    /* Non-inclusive, random replacement; the nearer levels are LRU. The larger the set, the more
     * the levels hold together. */
    HINGE_BESIDE,
    HINGE_BESIDE_RANDOM, /* the same with random replacement in the nearer levels */
    HINGE_BEHIND_RANDOM, /* non-inclusive, LRU, with random replacement in the nearer levels */
    /* An adaptive last level: new lines are evicted early unless they are accessed again, so it
     * keeps old lines, and the nearer levels hold other ones. */
    HINGE_THIN,
    HINGE_THIN_RANDOM, /* the same with random replacement in the nearer levels */
    /* Prefetchers fill this level with lines that nobody asked for, which evict lines that the
     * nearer levels still hold. If this level is inclusive, those lose them. */
    HINGE_BROUGHT,
    HINGE_BROUGHT_LATE, /* LRU: such lines go only in sets clearly larger than this level */
    /* Two levels' laws at once, as neither fits without the other: HINGE_BEHIND_RANDOM, and
     * HINGE_VICTIMS for the level before it. No hinge has this law. */
    HINGE_BEHIND_VICTIMS,
    HINGE_THIN_ROWS, /* HINGE_THIN with open rows; no hinge has this law either */
    HINGE_TRIALS
};

struct hinge {
    enum hinge_kind kind;
    size_t curve; /* of HINGE_TLB and HINGE_WALK */
    double pos;   /* bytes */
    bool fixed;   /* its place is not fitted */
    bool known;   /* known from another source, and possible only about its place there */
    bool kept;    /* certain: never removed */
    double step;  /* ns */
    /* Of a TLB that is known: what it costs at most. With a larger step another knee is there too.
     * 0: not known. */
    double most;
    /* How soft the knee is in each curve: the relative spread of the sizes at which single sets
     * fill up. With frames in random order, the lines per set of a physically indexed cache follow
     * a Poisson distribution, so a cache of w ways has 1 / sqrt(w). 0: sharp. At most
     * HINGE_SOFTEST. */
    double soft[HINGE_CURVES];
    /* The random order of frames may shift single points of that curve off the knee's shape. */
    bool scattered[HINGE_CURVES];
    enum hinge_law law;
    double inner; /* bytes of the nearer levels; for every law but HINGE_SHARP */
    /* For HINGE_BEHIND_RANDOM: associativity of the level before if that is a victim cache, and
     * bytes of the levels before that. 0: it is none. */
    unsigned inner_ways;
    double inner_inner;
    /* Associativity; only for laws with hinge_has_ways. */
    unsigned ways;
    /* Only for laws with hinge_has_lost. Fraction of the nearer levels' lines that this level no
     * longer holds in a far larger set. Negative: the nearer levels lost that many, which costs as
     * if this level missed them. */
    double lost;
    /* Exponent: how fast that fraction is approached beyond the knee. */
    double fast;
    /* Last level only: a miss may hit an open DRAM row, more often in smaller sets. This is the
     * fraction of the step by which a set of `at` bytes is cheaper, per curve; a set twice as large
     * saves half of it. 0: no open-row effect. At most HINGE_ROWS. */
    double rows[HINGE_CURVES];
    /* Fraction of the step that an open row saves: the upper limit of the saving in any set. If
     * known, `rows` may exceed HINGE_ROWS: up to HINGE_ROWS_FAR times this, and to what rows of
     * HINGE_ROWS_BYTES save. 0: unknown, because all measured sets are so large that rows are
     * seldom open. */
    double open;
    /* Refreshes also close rows, and more banks mean more refreshes between two accesses to a row:
     * the saving approaches `open` gradually. */
    bool fades;
};

/* True for the laws of an adaptive level. */
bool hinge_is_thin(enum hinge_law law);

/* True if the law depends on the number of ways. */
bool hinge_has_ways(enum hinge_law law);

/* True if the law depends on the fraction that is lost. */
bool hinge_has_lost(enum hinge_law law);

/* Returns the fraction of a victim cache's ways that hold lines. Averages per set: `load` lines of
 * the working set are not in the nearer caches, `inner` lines are. */
double hinge_occupied(unsigned ways, double load, double inner);

/* For HINGE_BESIDE to HINGE_THIN_RANDOM: returns the fraction of the nearer levels' lines that this
 * level no longer holds. fits: this level's capacity over the set; inner: the nearer levels'
 * capacity over this level's; before, for HINGE_BEHIND_RANDOM: the same of the levels before the
 * victim cache that is the level before this one; 0: it is none. */
double hinge_lost(enum hinge_law law, unsigned ways, double fits, double inner, double before);

/* Returns at most which fraction of the nearer levels' lines a non-inclusive level no longer holds
 * if prefetchers bring `brought` lines at each of its misses: HINGE_BESIDE, with as many more lines
 * to replace. fits and inner as above. */
double hinge_lost_to_brought(double brought, double fits, double inner);

/* Returns the fraction of the step, 0 to 1, that a hop costs in a set of `bytes`. */
double hinge_share(const struct hinge *hinge, double bytes, size_t curve);

#define HINGE_NODES       9
#define HINGE_TABLE       25 /* of an exclusive level's contents */
#define HINGE_TABLE_STEPS 12

/* A hinge in one curve, precomputed for evaluation at many sizes. Private to hinge.c. */
struct hinge_shape {
    bool absent, walk, fades;
    double pos, soft, rows, open;
    size_t nodes;
    double place[HINGE_NODES]; /* bytes */
    /* Exclusive level: held[k] is the fraction of its own capacity that holds lines when k /
     * HINGE_TABLE_STEPS times the bytes not held by the nearer levels would fit into it. `own` is
     * its own fraction of `at`. */
    bool exclusive;
    /* Non-inclusive level: held[k] is the fraction of the nearer levels' lines that it lost when k
     * / (HINGE_TABLE - 1) of the set fits into it. */
    bool beside;
    double inner, own, held[HINGE_TABLE];
    /* The parameters for which held[] was computed. */
    enum hinge_law held_law;
    unsigned held_ways, held_inner_ways;
    double held_inner, held_before, held_lost, held_fast;
};

/* Zero the shape before its first use. Reusing it for the same level is faster. */
void hinge_shape_make(struct hinge_shape *shape, const struct hinge *hinge, size_t curve);

/* hinge_share of a set of 1 / inverse bytes. */
double hinge_shape_share(const struct hinge_shape *shape, double inverse);

#endif
