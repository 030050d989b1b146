/* SPDX-License-Identifier: BSD-2-Clause */
/* How a point is sampled, as far as that is known before it is measured. Pure. */
#ifndef CORE_PLAN_SAMPLING_H
#define CORE_PLAN_SAMPLING_H

#include "core/options/options.h"
#include "core/plan/budget.h"
#include "core/plan/point.h"

/* A warm point is looked at for so long at least, whether its cost moves. */
#define SAMPLING_SETTLE_MIN_NS 1e5
/* About what a footprint takes, whatever is found. */
#define SAMPLING_FOOTPRINT_S 0.12
/* Before the scatter of a figure is believed. */
#define SAMPLING_SAMPLES_MIN 9

/* Hops of each sample, where the point or the options say so; else 0. */
uint64_t sampling_hops_asked(const struct options *options, const struct point *point);
/* How many samples must be had before their scatter says when it is enough. */
uint32_t sampling_samples_min(const struct point *point);
/* Seconds after which sampling ends where neither samples nor seconds= are asked for, whatever
 * error there still is; it may end earlier where the budget is short. */
double sampling_cap_s(const struct budget *budget, const struct point *point);
/* Whether its set is dropped from the caches when it is over, which takes about as long as reading
 * it back. */
bool sampling_drops(const struct point *point);

/* Draws over sets whose stride is no power of two find their lines by a multiplication, which takes
 * longer than a shift. */
bool sampling_multiplies(const struct point *point);
/* The set that a draw's arithmetic is learnt from: every first-level cache and TLB holds it. */
uint64_t sampling_calibration_stride_bytes(uint32_t line_bytes, const struct point *point);
uint64_t sampling_calibration_bytes(uint32_t line_bytes, const struct point *point);
/* Bytes that its window must have: the set's, or more where a draw is calibrated on more. */
uint64_t sampling_window_bytes(uint32_t line_bytes, const struct point *point);

#endif
