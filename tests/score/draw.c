/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/score/draw.h"

#include <stdio.h>

#include "core/lib/random.h"
#include "tests/levels/wide.h"
#include "tests/sim/chance.h"
#include "tests/sim/machine_file.h"

#define LAST_LEVEL_MAX (32ull << 20)
#define MEMORY_BYTES   (4ull << 30)

/* Larger ones take long to simulate, and there are enough of them in the machine files. */
static void enlarge_last(struct random *random, struct sim_cache_config *last)
{
    while (last->bytes * 2 <= LAST_LEVEL_MAX && chance(random, 0.35))
        last->bytes *= 2;
    if (last->policy == SIM_LRU && chance(random, 0.25))
        last->policy = SIM_QLRU;
    if (chance(random, 0.25))
        last->slices = ONE_OF(random, 2, 3, 4, 6, 8);
}

static void misdeclare(struct random *random, struct sim_cache_config *last)
{
    if (chance(random, 0.1))
        last->declared_bytes = SIM_UNDECLARED;
    else if (chance(random, 0.08))
        last->declared_bytes = last->bytes * ONE_OF(random, 2, 4, 8, 16, 32);
    else if (chance(random, 0.04))
        last->declared_bytes = last->bytes / 2;
    else if (last->memory_side && chance(random, 0.5))
        last->declared_bytes = last->bytes;
}

static void draw_prefetcher(struct random *random, struct sim_config *config)
{
    struct sim_prefetch_config *p = &config->prefetch[0];

    if (chance(random, 0.4))
        return;
    config->prefetch_count = 1;
    *p = (struct sim_prefetch_config){
        .kind = (enum sim_prefetch_kind)ONE_OF(random, SIM_STREAM, SIM_STREAM, SIM_NEXT_LINE,
                                               SIM_ADJACENT_LINE, SIM_REGION),
        .control = (enum sim_prefetch_control)random_below(random, 6),
        .degree = ONE_OF(random, 4, 8, 16),
        .into = 2,
        .region_bytes = ONE_OF(random, 1024, 4096),
        .after = ONE_OF(random, 1, 2),
        .within_bytes = 4096,
        .accuracy = 1};
}

static void draw_clock(struct random *random, struct sim_config *config)
{
    if (chance(random, 0.1)) {
        config->turbo_hz = config->core_hz * (1 + 0.1 * ONE_OF(random, 1, 2, 4, 6));
        config->turbo_s = 0.5 * ONE_OF(random, 1, 2, 4, 8, 16);
    }
    if (chance(random, 0.2))
        config->counter_hz = ONE_OF(random, 19200000, 24000000, 25000000, 54000000);
}

static void draw_host(struct random *random, struct sim_config *config)
{
    if (!config->walk.loads || !chance(random, 0.2))
        return;
    config->walk.nested = chance(random, 0.5) ? SIM_NESTED_4K : SIM_NESTED_2M;
    config->walk.nested_entries[0] = 32;
    config->walk.nested_entries[1] = 4;
    config->walk.nested_entries[2] = 2;
}

unsigned score_draw(struct sim_config *config, uint64_t seed)
{
    struct sim_problem problem;
    struct random random;
    unsigned rejected = 0;

    random_start(&random, seed ^ 0x73636f7265);
    for (;; rejected++) {
        struct sim_cache_config *last;

        rejected += wide_generate(config, seed + ((uint64_t)rejected << 32));
        last = &config->cache[config->cache_count - 1];
        config->memory.bytes = MEMORY_BYTES;
        enlarge_last(&random, last);
        misdeclare(&random, last);
        draw_prefetcher(&random, config);
        draw_clock(&random, config);
        draw_host(&random, config);
        snprintf(config->name, sizeof config->name, "score-%llu", (unsigned long long)seed);
        if (sim_config_check(config, &problem))
            return rejected;
    }
}
