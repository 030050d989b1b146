/* SPDX-License-Identifier: BSD-2-Clause */
/* The figures of a run that say how its memory came up, each under a name that another run of the
 * same kind has too: what baselines hold and boots are compared by. Pure. */
#ifndef CORE_VERDICT_FIGURES_H
#define CORE_VERDICT_FIGURES_H

#include "core/lib/text.h"
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
    double against_ns; /* of FIGURES_DIFFERENCE: what the other lines take; 0: not known */
    double scatter;    /* of the middle of many boots: how far theirs may be from it; else 0 */
    char slot[FIGURES_SLOT_BYTES]; /* by decode=: what its lines are of; "": not told */
};

/* The least difference that the run would have told, of the node where that is most. */
struct figures_unseen {
    double range_ns, half_ns; /* of a range, and of half of the lines by one function */
    double part_ns, parts;    /* of the fewest lines that were looked for, one in so many */
    double against_ns;        /* what an access took; 0: nothing was looked for */
};

struct figures {
    struct figures_one *one; /* caller's array[room] */
    size_t count, room;
    size_t left_out; /* for which there was no room */
    /* Memory is a process's, which gets other frames each time: of its blocks, ranges and parts not
     * each is a figure by its address, but the middle of the blocks and the worst of the others. */
    bool anywhere;
    struct figures_unseen unseen;
};

/* What it may be wrong by: half of its bounds, which hold 95 %, made to hold 99.9 %. */
double figures_error(const struct figures_one *one);
/* Sets the bounds about its value that stand for such an error. */
void figures_set_error(struct figures_one *one, double error);
/* Names lines whose address has these parities: "lines 17^21=1 6=0". */
void figures_name_lines(struct text *name, const uint64_t mask[], size_t masks, uint64_t parities);

void figures_start(struct figures *figures, struct figures_one *one, size_t room);
/* Enters what a record holds of them, if any; with no room at all, nothing is kept or counted. */
void figures_take(struct figures *figures, const struct record *record);
/* The figure of that name, looked for from *from on and then from the beginning, since two runs
 * have their figures in the same order; *from becomes the place behind it. NULL: there is none. */
const struct figures_one *figures_find(const struct figures *figures, const char *name,
                                       size_t *from);

#endif
