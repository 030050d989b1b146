/* SPDX-License-Identifier: BSD-2-Clause */
/* What disturbs a sample on the simulated machine. */
#ifndef TESTS_SIM_NOISE_H
#define TESTS_SIM_NOISE_H

#include "core/lib/random.h"
#include "tests/sim/config.h"

struct sim_noise {
    const struct sim_noise_config *config;
    struct random random;
    double next_smi_ns;
    uint64_t smis;     /* that fell into samples */
    bool drawn, spiky; /* of the sample that has begun: decided, and a spike */
};

void sim_noise_start(struct sim_noise *noise, const struct sim_config *config);
/* Starts a sample: it is a spike or not, as a whole. */
void sim_noise_begin(struct sim_noise *noise);
/* ns that a part of it from begin_ns to end_ns takes longer (or less, by jitter). */
double sim_noise_of_part(struct sim_noise *noise, double begin_ns, double end_ns);

#endif
