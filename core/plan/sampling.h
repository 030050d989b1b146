/* SPDX-License-Identifier: BSD-2-Clause */
/* How a point is sampled, as far as it is known beforehand. Pure. */
#ifndef CORE_PLAN_SAMPLING_H
#define CORE_PLAN_SAMPLING_H

#include "core/options/options.h"
#include "core/plan/budget.h"
#include "core/plan/point.h"

/* The shortest time for which a warm point is watched for changes of its cost. */
#define SAMPLING_SETTLE_MIN_NS 1e5
/* About the time that a footprint takes, whatever it finds. */
#define SAMPLING_FOOTPRINT_S 0.12
/* About the time of a search for banks: of 64 of them. */
#define SAMPLING_BANKS_S 1.0
/* About the time of single accesses, of which plan=full has four times as many at random. */
#define SAMPLING_SINGLE_S 0.6
/* About the time of one pair of CPUs that hand lines over. */
#define SAMPLING_HANDOFF_S 0.02
/* About the time of one block of memory, and the most of what is left of the budget for all. */
#define SAMPLING_BLOCK_S       0.004
#define SAMPLING_REGIONS_SHARE 0.8
/* About the time that a test of memory's contents takes for each byte that it moves. */
#define SAMPLING_VERIFY_S_PER_BYTE 0.25e-9
/* Samples needed before their scatter is trusted. */
#define SAMPLING_SAMPLES_MIN 9

/* Hops per sample, if the point or the options set it; else 0. */
uint64_t sampling_hops_requested(const struct options *options, const struct point *point);
/* How many samples are needed before their scatter may end sampling. */
uint32_t sampling_samples_min(const struct point *point);
/* Seconds after which sampling ends if neither samples nor seconds= is set, even if the error
 * target is not reached; a short budget may end it earlier. */
double sampling_cap_s(const struct budget *budget, const struct point *point);
/* Whether the point's set is flushed from the caches afterwards, which takes about as long as
 * reading it back. */
bool sampling_drops(const struct point *point);

/* Whether draws over this set compute addresses by a multiplication, which takes longer than a
 * shift: the stride is not a power of two. */
bool sampling_multiplies(const struct point *point);
/* Stride and size of the set on which a draw's arithmetic is measured: it fits every first-level
 * cache and TLB. */
uint64_t sampling_calibration_stride_bytes(uint32_t line_bytes, const struct point *point);
uint64_t sampling_calibration_bytes(uint32_t line_bytes, const struct point *point);
/* Bytes that the point's window must have: the set, or the calibration set of draws if that is
 * larger; behind it the lines of the CPUs that load memory meanwhile, which begin at a page. */
uint64_t sampling_window_bytes(uint32_t line_bytes, const struct point *point);
uint64_t sampling_load_offset(const struct point *point);

#endif
