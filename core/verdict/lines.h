/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines that are slower than others by address bits, as two runs tell them, held against each
 * other. A run tells the groups that stand out most in all that it sees, so that one memory may be
 * told by other groups after a part of it has changed. So what a run tells is made a latency of
 * lines by each function of address bits, and groups are looked for in how that has changed. Pure.
 */
#ifndef CORE_VERDICT_LINES_H
#define CORE_VERDICT_LINES_H

#include "core/dram/classes.h"
#include "core/options/decode.h"
#include "core/verdict/figures.h"

#define LINES_TOLD_MAX    32
#define LINES_SEEN_MAX    96
#define LINES_CHANGES_MAX 4

struct lines_told {
    struct class_group group;
    const char *name;
    double ns, error_ns, scatter_ns; /* of its lines, above those of the same functions' others */
};

/* What one run tells. */
struct lines {
    size_t count;
    bool more; /* there was more than it has room for */
    struct figures_unseen unseen;
    double against_ns;                              /* what the other lines take; 0: not known */
    struct lines_told told[LINES_TOLD_MAX];         /* the most exact first */
    double overlap[LINES_TOLD_MAX][LINES_TOLD_MAX]; /* of two of them */
};

void lines_take(struct lines *lines, const struct figures *figures);

/* By how much a group's lines are slower than the others of its functions. */
struct lines_value {
    double ns;
    double error_ns;   /* of what is told of it */
    double unseen_ns;  /* that may be there beside that, untold */
    double scatter_ns; /* of the middle of many boots: how far theirs may be from it */
    bool told, whole;  /* most of it is; all of it */
};
struct lines_value lines_value(const struct lines *lines, const struct class_group *group);

/* What the difference of two values may be wrong by, with what is not told of either. */
double lines_error_ns(const struct lines_value *a, const struct lines_value *b);

/* A group that takes another time now. */
struct lines_change {
    struct class_group group;
    struct lines_value then, now;
    double ns, error_ns; /* by how much more than then */
};

/* What two runs say of one group: by how much more its lines take now. */
struct lines_seen {
    struct class_group group;
    double ns, error_ns; /* with what is not told of either run */
    double scatter_ns;
};

/* Room to hold two runs against each other. */
struct lines_room {
    struct lines then, now;
    size_t count; /* of each function of which anything is told, and of each group that is */
    struct lines_seen seen[LINES_SEEN_MAX];
    size_t changes;
    struct figures_one one[LINES_CHANGES_MAX][2]; /* the caller's: each change, then and now */
};

/* Takes both runs, and what is seen to have changed. */
void lines_start(struct lines_room *room, const struct figures *then, const struct figures *now);
/* The group that explains most of the change, if any is beyond errors and the lesser of limit_ns
 * and how far boots are apart; false: none is. It is taken off what is looked at next. */
bool lines_next(struct lines_room *room, double limit_ns, struct lines_change *change);
/* A change as a figure of one of both runs, with its slot: as the run has it, or by decode (NULL:
 * not told). */
void lines_figure(const struct lines_change *change, const struct lines_value *value,
                  const struct figures *run, const struct decode *decode, struct figures_one *one);

/* Whether it is of lines by address bits. */
bool lines_are(const struct figures_one *one);
/* What the lines of that name are; false: it is none of lines. */
bool lines_read(const char *name, struct class_group *group);

#endif
