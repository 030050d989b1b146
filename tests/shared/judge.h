/* SPDX-License-Identifier: BSD-2-Clause */
/* The verdict of a run in a process: room for its figures, and baselines as files. */
#ifndef TESTS_SHARED_JUDGE_H
#define TESTS_SHARED_JUDGE_H

#include "core/verdict/choose.h"
#include "tests/shared/results.h"

struct judge {
    struct verdict verdict;
    const struct options *options;
    struct results *results;
    struct figures_one *now, *then; /* then NULL: no baseline */
};

/* Reads the baseline that the options name; what is wrong with it is the verdict's to say. False:
 * no memory. */
bool judge_start(struct judge *judge, const struct options *options, struct results *results);
/* engine_request.before_end: the verdict, and baseline=save. */
void judge_conclude(void *context, const struct record_end *end, struct journal *journal);
void judge_stop(struct judge *judge);

#endif
