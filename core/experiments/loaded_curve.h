/* SPDX-License-Identifier: BSD-2-Clause */
/* A curve of latency over bandwidth: its peak, its knee, and what it says between its steps. Pure.
 */
#ifndef CORE_EXPERIMENTS_LOADED_CURVE_H
#define CORE_EXPERIMENTS_LOADED_CURVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/stats/figure.h"

#define LOADED_STEPS_MAX 32

/* ns of an access while all CPUs move so many bytes in a second. */
struct loaded_step {
    uint32_t pause_cycles;
    struct figure ns, bytes_per_s;
};

/* The first step is the unloaded one, each further one has a shorter pause than the one before. */
struct loaded_curve {
    size_t count;
    struct loaded_step step[LOADED_STEPS_MAX];
};

/* The knee is where an access takes twice as long as in unloaded memory. */
#define LOADED_KNEE_TIMES 2.0

struct loaded_knee {
    bool reached;          /* else no step takes as long beyond its error */
    size_t before, behind; /* steps that take surely less, and surely more; what lies between them
                              may be either */
    double bytes_per_s;    /* by a straight line between the steps on both sides of it */
    double low, high;      /* from the bandwidth of `before` to the highest up to `behind` */
};

/* Adds a step where its pause belongs; false: it is there already, or there is no room. The first
 * one added is the unloaded one, whatever its pause. */
bool loaded_add(struct loaded_curve *curve, const struct loaded_step *step);
/* The step with the highest bandwidth; count is at least 1. */
size_t loaded_peak(const struct loaded_curve *curve);
struct loaded_knee loaded_find_knee(const struct loaded_curve *curve);
/* ns at that bandwidth, between the two steps around it, of several the first: below the straight
 * line, as queues grow ever faster, and above the lines through the steps on either side of the
 * two; its bounds reach both. Unknown outside. */
struct figure loaded_latency_at(const struct loaded_curve *curve, double bytes_per_s);
/* A pause between those of two neighbours that halves their ratio; false: there is none that would
 * tell more. */
bool loaded_pause_between(const struct loaded_curve *curve, const struct loaded_knee *knee,
                          uint32_t *pause_cycles);

#endif
