/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/noise.h"

#include <math.h>

static double uniform(struct random *random)
{
    return (double)(random_next(random) >> 11) * 0x1p-53;
}

/* Box and Muller 1958. */
static double normal(struct random *random)
{
    double radius = sqrt(-2 * log(1 - uniform(random)));

    return radius * cos(6.283185307179586 * uniform(random));
}

static double until_next_smi(struct sim_noise *noise)
{
    return -log(1 - uniform(&noise->random)) / noise->config->smi_hz * 1e9;
}

void sim_noise_start(struct sim_noise *noise, const struct sim_config *config)
{
    *noise = (struct sim_noise){.config = &config->noise};
    random_start(&noise->random, config->seed + 300);
    if (config->noise.smi_hz > 0)
        noise->next_smi_ns = until_next_smi(noise);
}

void sim_noise_begin(struct sim_noise *noise)
{
    noise->drawn = false;
}

double sim_noise_of_part(struct sim_noise *noise, double begin_ns, double end_ns)
{
    const struct sim_noise_config *config = noise->config;
    double length = end_ns - begin_ns, extra = 0;

    if (config->jitter > 0)
        extra += length * config->jitter * normal(&noise->random);
    if (!noise->drawn && config->spike_every > 0)
        noise->spiky = uniform(&noise->random) * config->spike_every < 1;
    noise->drawn = true;
    if (noise->spiky)
        extra += length * (config->spike_factor - 1);
    while (config->smi_hz > 0 && noise->next_smi_ns <= end_ns) {
        if (noise->next_smi_ns >= begin_ns) {
            extra += config->smi_us * 1000;
            noise->smis++;
        }
        noise->next_smi_ns += until_next_smi(noise);
    }
    /* Time never runs backwards. */
    return extra > -0.9 * length ? extra : -0.9 * length;
}
