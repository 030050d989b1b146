/* SPDX-License-Identifier: BSD-2-Clause */
/* The verdict of a run under firmware: room for its figures, and baselines on the stick. */
#ifndef EFI_JUDGE_H
#define EFI_JUDGE_H

#include "core/verdict/choose.h"
#include "efi/file.h"
#include "efi/results.h"
#include "efi/soak.h"

struct judge {
    struct verdict verdict;
    const struct firmware *fw;
    const struct options *options;
    struct results *results;
    const struct soak *soak;
    struct record_end end;          /* once judge_conclude was called; its texts are static */
    struct figures_one *now, *then; /* the pool's; NULL: none */
};

/* Reads the baseline that the options name from \barechase on the first volume that has it. What is
 * wrong with it is the verdict's to say; without room for figures there are none, and the verdict
 * says so too. Ends with judge_stop. */
void judge_start(struct judge *judge, const struct firmware *fw, const struct volumes *volumes,
                 const struct options *options, struct results *results, const struct soak *soak,
                 struct notes *notes);
/* engine_request.before_end: the verdict, and the text of a baseline where it is to be saved. */
void judge_conclude(void *context, const struct record_end *end, struct journal *journal);
void judge_stop(struct judge *judge);

#endif
