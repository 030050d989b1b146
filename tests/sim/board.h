/* SPDX-License-Identifier: BSD-2-Clause */
/* Boards drawn from seeds, each as it comes up boot after boot: what no two boots have alike, and
 * what a boot is like whose memory was trained with worse timings. Drawn for short runs: little
 * memory, small caches, few banks. */
#ifndef TESTS_SIM_BOARD_H
#define TESTS_SIM_BOARD_H

#include "tests/sim/config.h"

#define BOARD_WORDS 400

struct board {
    struct sim_config config; /* of no boot yet */
    uint64_t seed;
    bool keeps;              /* its firmware keeps more memory to itself in some boots */
    bool stray;              /* each rank's refreshes begin somewhere else in each boot */
    char words[BOARD_WORDS]; /* the options of its soak: decode= names the slots "c0r1" of channel
                                0's rank 1, if there are any */
};

/* What came up with other timings: as tests/sim/config.h has it, and whether that is a slot. */
struct board_part {
    struct sim_slow_config slow;
    double share;  /* of an access that it adds */
    char kind[12]; /* "module", "rank", "channel", "range", "all" */
    char slot[24]; /* of a module; "": it is in several slots */
};

/* The board of that seed; a part of the seeds has channels at different distances or modules of
 * different timings, as honest boards may. */
void board_draw(struct board *board, uint64_t seed);

/* A boot of it: other noise, refreshes that begin at other times, the clock, the core's frequency
 * and memory's latency a little elsewhere, and another layout of memory if the board's firmware
 * keeps more or less. */
void board_boot(const struct board *board, uint32_t boot, struct sim_config *config);

/* The index-th retraining of a board: which part is slower, by 3 to 15 % of an access. Where one
 * part is all of memory: by 8 to 15 %, since no baseline tells less. */
void board_retrain(const struct board *board, uint32_t index, struct board_part *part);

#endif
