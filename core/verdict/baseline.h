/* SPDX-License-Identifier: BSD-2-Clause */
/* A run kept as the reference of a board model, as text, and another run held against it. Pure.
 *
 *     barechase baseline 5
 *     board <tab> name            what the firmware calls the board
 *     plan <tab> words            the options that decide what is measured
 *     unseen <tab> ns by which a range, half of the lines and few of them may differ and not be
 * told <tab> ns of an access latency <tab> name <tab> value <tab> low <tab> high <tab> marked <tab>
 * slot difference <tab> the same <tab> ns of the other lines words <tab> name <tab> words end <tab>
 * lines between the first and this <tab> CRC-32 of all before it */
#ifndef CORE_VERDICT_BASELINE_H
#define CORE_VERDICT_BASELINE_H

#include "core/lib/text.h"
#include "core/verdict/lines.h"

#define BASELINE_VERSION     5
#define BASELINE_BOARD_BYTES 96
#define BASELINE_PLAN_BYTES  400
#define BASELINE_WHY_BYTES   160
#define BASELINE_LINE_MAX    480

/* Which board and which measurements a baseline is of. */
struct baseline_of {
    char board[BASELINE_BOARD_BYTES], plan[BASELINE_PLAN_BYTES];
};

/* From the run record: the board, and of the options in effect those that decide what is measured
 * and where. */
void baseline_of_run(const struct record_run *run, struct baseline_of *of);

/* Writes it, line by line. */
void baseline_write(const struct baseline_of *of, const struct figures *figures,
                    const struct text_sink *sink);

/* Reads it. Lines may end in CR LF, empty ones may follow the last, and the mark of UTF-8 may stand
 * before the first, as editors leave them. False: *why says what is wrong with it, in words
 * (another version, cut off, edited, UTF-16, a line that is none). figures is started by the
 * caller; what has no room there is an error too. */
bool baseline_read(const char *text, size_t bytes, struct baseline_of *of, struct figures *figures,
                   char why[BASELINE_WHY_BYTES]);

/* Shares by which figures of honest boards of one model may differ, beyond their own errors. */
struct baseline_limits {
    double latency, rate;
    bool alike; /* boots of one board: lines that are no longer slower than others are doubted, and
                   what is marked in the middle, which is so in all, is not compared */
    const struct decode *decode; /* names slots of lines; NULL: not told */
};

enum baseline_outcome {
    BASELINE_SAME,
    BASELINE_WORSE,   /* for sure, and by more than the limits allow */
    BASELINE_DOUBTED, /* one of the two runs doubts it, or its errors reach across the limit */
    BASELINE_MISSING, /* the baseline has it, the run has not */
    BASELINE_UNHELD,  /* the run has it, the baseline has not */
    BASELINE_OUTCOMES
};

/* One figure that is not as in the baseline. */
struct baseline_difference {
    enum baseline_outcome outcome;
    const struct figures_one *then, *now; /* NULL: it is missing, or new */
    double share; /* how much worse, as a share of the baseline's; of differences in ns: of nothing
                     else, 1 */
};

/* What could have been worse without showing. */
struct baseline_unseen {
    bool latency, rate;             /* such were held: within the limits */
    bool compared;                  /* lines were compared by address bits in both runs */
    double lines_ns, lines_share;   /* lines that are slower by less; the share is of an access */
    char lines[FIGURES_NAME_BYTES]; /* which of them may be so much: "lines 7^22=1", "one line in
                                       16" */
};

#define BASELINE_TOLD_MAX 8

struct baseline_result {
    size_t compared, counts[BASELINE_OUTCOMES];
    struct baseline_difference told[BASELINE_TOLD_MAX]; /* the worst first */
    size_t told_count;
    struct baseline_unseen unseen;
    bool too_little; /* lines were looked at, and more could be unseen than a latency may change by
                      */
};

/* Holds each figure of the baseline against the run's, and the run's new differences against
 * nothing. Figures of lines that are told lie in *room. */
void baseline_compare(const struct figures *then, const struct figures *now,
                      const struct baseline_limits *limits, struct lines_room *room,
                      struct baseline_result *result);
/* How many figures leave it open whether they are as in the baseline. */
size_t baseline_left_open(const struct baseline_result *result);
/* "block 0x100000000 64M (A2): 97.23 instead of 91.05 ns", with the slot where one is known */
void baseline_words(const struct baseline_difference *difference, struct text *words);

#endif
