/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated CPU's sampler of ops: it follows one load of a chase, of which the ledger says what
 * it cost; and samplers that are wrong about it. */
#ifndef TESTS_SIM_SAMPLER_H
#define TESTS_SIM_SAMPLER_H

#include "core/lib/random.h"
#include "core/machine.h"
#include "tests/sim/memory_system.h"

struct sim_sampler {
    uint32_t left;  /* loads until the one that is followed, that one included; 0: none is */
    uint64_t armed; /* how often */
    bool followed;  /* sample is of the load since it was armed */
    bool any;       /* first holds one */
    struct load_sample sample, first;
    struct random random;
};

/* machine.sampler_try; self is a struct simulator. */
void sim_sampler_try(void *self, struct sampler_report *report);
/* A load will be followed, one of those that come first. */
void sim_sampler_arm(struct sim_sampler *sampler);
/* It was from that address, and cost this. */
void sim_sampler_follow(struct sim_sampler *sampler, uintptr_t address,
                        const struct sim_ledger *cost, double ns, const struct sim_costs *costs);
/* What a sampler of that kind says of it; false: nothing. */
bool sim_sampler_take(struct sim_sampler *sampler, enum sim_sampler_kind kind,
                      struct load_sample *sample);

#endif
