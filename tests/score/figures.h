/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run reported of a machine, figure by figure, against the truth. */
#ifndef TESTS_SCORE_FIGURES_H
#define TESTS_SCORE_FIGURES_H

#include "core/results/record.h"
#include "tests/sim/truth.h"

#define SCORE_FIGURES_MAX 64

enum score_class {
    SCORE_RIGHT,   /* within the tolerance */
    SCORE_BETWEEN, /* within twice the tolerance */
    SCORE_WRONG,   /* beyond that */
    SCORE_MISSING, /* a level that is there and was not found */
    SCORE_INVENTED /* one that was found and is not there */
};

struct score_figure {
    const char *kind; /* "latency", "capacity", "reach", "level", "memory", "dram", "slope" */
    char name[48];
    double found, low, high, truth; /* NAN: not known */
    double tolerance;               /* relative */
    enum score_class class;
    bool marked; /* doubted by its own record, or its bounds are wider than twice the tolerance */
    doubt_set doubt;
};

struct score_run {
    struct record_level level[LEVELS_MAX];
    char level_name[LEVELS_MAX][48], level_kind[LEVELS_MAX][16];
    size_t levels;
    struct record_dram dram;
    bool has_dram;
    char verdict[16], end[16];
    doubt_set verdict_doubt;
    double largest_bytes, seconds;
};

/* Fills figures; returns how many there are. Levels are judged where a curve was measured
 * (largest_bytes). */
size_t score_figures(const struct sim_config *config, const struct score_run *run, bool noisy,
                     struct score_figure figure[SCORE_FIGURES_MAX]);
const char *score_class_name(enum score_class class);

#endif
