/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run's records are told from another's by. */
#ifndef CORE_RESULTS_RUN_ID_H
#define CORE_RESULTS_RUN_ID_H

#include "core/lib/random.h"

/* From two numbers that together differ from run to run (seconds of a calendar and ticks of a
 * counter), or are to give the same identity again (a seed and 0). Never 0, which is "not known".
 * Not secret and not proof against malice. */
static inline uint64_t run_id_of(uint64_t first, uint64_t second)
{
    struct random random;
    uint64_t id;

    random_start(&random, first);
    random.state += second;
    id = random_next(&random);
    return id != 0 ? id : 1;
}

#endif
