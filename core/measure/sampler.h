/* SPDX-License-Identifier: BSD-2-Clause */
/* Single loads as the CPU's sampler of ops followed them (witness=ibs): what they say of a set, and
 * whether the sampler is to be believed. Pure, but for the state that measuring keeps. */
#ifndef CORE_MEASURE_SAMPLER_H
#define CORE_MEASURE_SAMPLER_H

#include "core/measure/witness.h"
#include "core/plan/point.h"

#define SAMPLER_KNOWN  192 /* loads that must hit, and loads that must miss */
#define SAMPLER_LOADS  512 /* of a set */
#define SAMPLER_CHUNKS 64  /* samples of one quiet section */
#define SAMPLER_MAX    (SAMPLER_LOADS + SAMPLER_CHUNKS)

struct sampler {
    struct sampler_report report;
    struct witness trial;
    uint32_t tried; /* bit n: on loads of enum point_sampled n */
    /* Of the set under way: samples so far, ops followed in them, and the loads of the set. */
    uint32_t samples, ops, loads;
    struct load_sample load[SAMPLER_MAX];
    uint64_t ticks[SAMPLER_CHUNKS], value[SAMPLER_MAX], scratch[SAMPLER_MAX];
};

/* Forgets the set under way. */
void sampler_forget(struct sampler *sampler);
/* Adds `ops` ops, which stand at load[loads] and behind, of so many samples: keeps those that are
 * loads from [base, base + bytes). */
void sampler_keep(struct sampler *sampler, uint32_t samples, uint32_t ops, uintptr_t base,
                  uint64_t bytes);
/* The share of the loads kept that missed the first-level cache; NAN: there are fewer than
 * SAMPLER_KNOWN, or they are not of several addresses. */
double sampler_missed(const struct sampler *sampler);
/* What the loads kept say of their set. Not known if there are fewer than SAMPLER_KNOWN. */
struct load_summary sampler_summary(struct sampler *sampler);

#endif
