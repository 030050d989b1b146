/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run says, kept for its score. */
#ifndef TESTS_SCORE_LISTEN_H
#define TESTS_SCORE_LISTEN_H

#include "tests/score/figures.h"

/* For a journal's view or words_run: context is a struct score_run, zeroed before the run. */
void score_listen(void *context, const struct record *record);
/* The run's verdict on prefetchers against the machine's: "right", "wrong" or "undecided". */
const char *score_verdict(const struct score_run *run, const struct sim_config *config);

#endif
