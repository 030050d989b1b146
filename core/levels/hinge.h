/* SPDX-License-Identifier: BSD-2-Clause */
/* One knee of a latency curve of independent uniform draws. A cache or TLB that holds `at` bytes of
 * a set of N hits with probability at/N, whatever its replacement policy, so that a hop costs
 * step * max(0, 1 - at/N) more than without its misses. */
#ifndef CORE_LEVELS_HINGE_H
#define CORE_LEVELS_HINGE_H

#include <stdbool.h>
#include <stddef.h>

#define HINGE_CURVES   3   /* page sizes */
#define HINGE_SOFTEST  0.6 /* of three ways */
#define HINGE_WAYS     32
#define HINGE_ROWS     0.4
#define HINGE_ROWS_FAR 40
#define HINGE_OPEN     0.6

enum hinge_kind {
    HINGE_CACHE, /* the same in every curve */
    HINGE_TLB,   /* of one curve */
    HINGE_WALK   /* of one curve: page-table entries leave a cache, softly */
};

/* What a cache does with the lines of those before it, the nearer levels. */
enum hinge_law {
    HINGE_SHARP,   /* it holds what they do */
    HINGE_VICTIMS, /* takes what they let go, and nothing else */
    /* It replaces at random, and need not hold what they hold, which replace what was not used for
     * longest: all together hold the more, the larger the set. */
    HINGE_BESIDE,
    HINGE_BESIDE_RANDOM, /* the same, and they replace at random too */
    /* The last level, which is adaptive: new lines go as soon as they came, unless they are asked
     * for meanwhile, so that it holds old ones, and the nearer ones others. */
    HINGE_THIN,
    HINGE_LAWS
};

struct hinge {
    enum hinge_kind kind;
    size_t curve; /* of HINGE_TLB and HINGE_WALK */
    double at;    /* bytes */
    bool fixed;   /* its place is not searched for */
    bool known;   /* that it may be there is known from elsewhere, and nowhere else it is */
    bool kept;    /* nor is it given up: it is there beyond doubt */
    double step;  /* ns */
    /* How soft the knee is in each curve: the relative spread of where single sets fill up. Frames
     * in random order spread the lines over a physically indexed cache by a Poisson law: a cache of
     * w ways has 1 / sqrt(w). 0: sharp. At most HINGE_SOFTEST. */
    double soft[HINGE_CURVES];
    /* The order of frames may make single points of that curve stand off the knee's shape. */
    bool scattered[HINGE_CURVES];
    enum hinge_law law;
    double inner; /* bytes of the nearer levels, of every law but HINGE_SHARP */
    /* Of a set of one that takes victims only or is adaptive (hinge_has_ways). */
    unsigned ways;
    /* Of the last level: a miss may find its row of memory open, the more often the smaller the
     * set. By what part of the step a set of `at` bytes is then cheaper, in each curve; half of
     * that in a set twice as large. 0: rows do not stay open. At most HINGE_ROWS. */
    double rows[HINGE_CURVES];
    /* What part of the step an open row saves: no set is cheaper by more, and there `rows` may be
     * more than HINGE_ROWS, up to HINGE_ROWS_FAR times this. 0: not known, every set seen is so
     * large that rows are seldom open. */
    double open;
    /* Refreshes close rows too, the more often between two misses the more banks there are: what is
     * saved nears `open` slowly, not at once. */
    bool fades;
};

/* Whether a level of that law is known by the ways of its sets. */
bool hinge_has_ways(enum hinge_law law);

/* What part of a victim cache's ways hold lines: `load` lines of each of its sets are not in the
 * nearer caches, `inner` are, on average. */
double hinge_occupied(unsigned ways, double load, double inner);

/* Which part of what nearer levels hold, `inner` times what this one has room for, a level of one
 * of the laws from HINGE_BESIDE on has lost meanwhile, where it has room for a part `fits` of the
 * set.
 */
double hinge_lost(enum hinge_law law, unsigned ways, double fits, double inner);

/* What part of the step a hop pays in a set of `bytes`: 0 to 1. */
double hinge_share(const struct hinge *hinge, double bytes, size_t curve);

#define HINGE_NODES       9
#define HINGE_TABLE       25 /* of what an exclusive level holds */
#define HINGE_TABLE_STEPS 12

/* A hinge in one curve, made ready for many sets. hinge.c's alone. */
struct hinge_shape {
    bool absent, walk, fades;
    double at, soft, rows, open;
    size_t nodes;
    double place[HINGE_NODES]; /* bytes */
    /* Of an exclusive level: held[k] is the share of its own bytes that hold lines where k times
     * the bytes behind the nearer levels would fit into HINGE_TABLE_STEPS of it. `own` is what part
     * of `at` it holds itself. */
    bool exclusive;
    /* Of one beside nearer ones: held[k] is what of theirs it has lost where k of HINGE_TABLE - 1
     * parts of the set fit into it. */
    bool beside;
    double inner, own, held[HINGE_TABLE];
    /* What the table was made for. */
    enum hinge_law held_law;
    unsigned held_ways;
    double held_inner;
};

/* The shape is zeroed before its first use; the next one of the same level is made faster. */
void hinge_shape_make(struct hinge_shape *shape, const struct hinge *hinge, size_t curve);

/* hinge_share, for a set of 1 / inverse bytes. */
double hinge_shape_share(const struct hinge_shape *shape, double inverse);

#endif
