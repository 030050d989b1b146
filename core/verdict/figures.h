/* SPDX-License-Identifier: BSD-2-Clause */
/* The figures of a run that say how its memory came up, each under a name that another run of the
 * same kind has too: what baselines hold and boots are compared by. Pure. */
#ifndef CORE_VERDICT_FIGURES_H
#define CORE_VERDICT_FIGURES_H

#include "core/results/record.h"

#define FIGURES_NAME_BYTES  72
#define FIGURES_WORDS_BYTES 48
#define FIGURES_SLOT_BYTES  24

enum figures_kind {
    FIGURES_LATENCY,    /* ns; more is worse */
    FIGURES_DIFFERENCE, /* ns that some lines take longer than others; more is worse, and one that
                           is new too */
    FIGURES_RATE,       /* bytes per second; less is worse */
    FIGURES_SIZE,       /* bytes; less is worse */
    FIGURES_TIME,       /* ns; what differs is worth a look */
    FIGURES_SPEED,      /* MT/s that a module is configured for; what differs is worth a look */
    FIGURES_WORDS       /* what the firmware or a search says: equal or not */
};

/* "latency", "difference", "rate", "size", "time", "speed", "words" */
const char *figures_kind_name(enum figures_kind kind);

struct figures_one {
    char name[FIGURES_NAME_BYTES];
    enum figures_kind kind;
    double value, low, high;         /* with its bounds; of FIGURES_WORDS: 0 */
    char words[FIGURES_WORDS_BYTES]; /* of FIGURES_WORDS */
    bool marked;                     /* the run itself doubts it */
    doubt_set doubt;                 /* why; 0: none, or a file does not say it */
    /* Of FIGURES_DIFFERENCE: up to so much of it a run may hold and not tell; what the other lines
     * take. 0: not known. */
    double unseen_ns, against_ns;
    double scatter; /* of the middle of many boots: how far theirs may be from it; else 0 */
    char slot[FIGURES_SLOT_BYTES]; /* by decode=: what its lines are of; "": not told */
};

struct figures {
    struct figures_one *one; /* caller's array[room] */
    size_t count, room;
    size_t left_out; /* for which there was no room */
    /* Memory is a process's, which gets other frames each time: of its blocks, ranges and parts not
     * each is a figure by its address, but the middle of the blocks and the worst of the others. */
    bool anywhere;
    /* What the regions record before them said of ranges, of half of the lines by one function, and
     * of fewer by several: the least difference that is told. */
    double range_unseen_ns, half_unseen_ns, part_unseen_ns;
};

void figures_start(struct figures *figures, struct figures_one *one, size_t room);
/* Enters what a record holds of them, if any; with no room at all, nothing is kept or counted. */
void figures_take(struct figures *figures, const struct record *record);
/* The figure of that name, looked for from *from on and then from the beginning, since two runs
 * have their figures in the same order; *from becomes the place behind it. NULL: there is none. */
const struct figures_one *figures_find(const struct figures *figures, const char *name,
                                       size_t *from);

#endif
