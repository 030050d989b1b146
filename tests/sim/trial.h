/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine on a simulated machine, both given as text as a user writes it, and what it recorded
 * for a test to inspect. */
#ifndef TESTS_SIM_TRIAL_H
#define TESTS_SIM_TRIAL_H

#include "core/results/record.h"
#include "tests/sim/truth.h"

#define SIM_TRIAL_POINTS   512
#define SIM_TRIAL_FINDINGS 128
#define SIM_TRIAL_NOTES    64
#define SIM_TRIAL_PAIRS    64
#define SIM_TRIAL_LOADS    64

struct sim_trial_finding {
    struct record_finding finding; /* its texts point to those below, where they might not last */
    char name[64], detail[80], limited_by[120];
};

struct sim_trial_pair {
    struct record_pair pair; /* its texts point to those below, or are literals */
    char why[120];
};

struct sim_trial_load {
    struct record_load load; /* as of a pair */
    char why[120];
};

struct sim_trial {
    struct sim_config config;
    struct record_point point[SIM_TRIAL_POINTS];
    struct sim_ledger ledger[SIM_TRIAL_POINTS]; /* of each point's samples */
    struct sim_trial_finding finding[SIM_TRIAL_FINDINGS];
    struct sim_trial_pair pair[SIM_TRIAL_PAIRS];
    struct sim_trial_load load[SIM_TRIAL_LOADS];
    char note[SIM_TRIAL_NOTES][400];
    size_t points, findings, pairs, loads, notes, errors;
    struct record_error first_error; /* without its texts */
    char refused[640];               /* "": the options were accepted */
    char end[16];                    /* "" when nothing ran */
    double seconds;                  /* of the simulated clock, that the run took */
};

/* Runs the options on a machine whose lines stand between a first line (name, pages 4k and 2m) and
 * `end`. An inconsistent machine fails the calling cmocka test. */
void sim_trial_run(struct sim_trial *trial, const char *machine, const char *words);
/* The same; first `change` gets the simulator, to put something between it and the engine. */
void sim_trial_run_changed(struct sim_trial *trial, const char *machine, const char *words,
                           void (*change)(struct simulator *sim));
/* The same as sim_trial_run on a machine that exists already. */
void sim_trial_run_on(struct sim_trial *trial, const struct sim_config *config, const char *words);
/* NULL: there is no finding of that name and detail (NULL: any detail). */
const struct sim_trial_finding *sim_trial_find(const struct sim_trial *trial, const char *name,
                                               const char *detail);
/* True when some note holds these words. */
bool sim_trial_noted(const struct sim_trial *trial, const char *words);

#endif
