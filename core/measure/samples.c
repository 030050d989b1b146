/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics over a point's samples. */
#include "core/measure/run.h"

void point_update_stats(struct measurement *run)
{
    struct measure *m = run->m;
    double quantum = m->machine->description->clock.resolution_ticks;

    for (uint32_t i = 0; i < run->samples; i++)
        m->samples.sorted[i] = m->samples.ticks[i];
    stats_of(m->samples.sorted, m->samples.scratch, run->samples, quantum, &run->stats);
    stats_mean(m->samples.ticks, m->samples.disturbed, run->samples, quantum, &run->stats);
}

bool point_trend(const struct measurement *run, struct stats_trend *trend)
{
    struct measure *m = run->m;

    return stats_trend(m->samples.ticks, m->samples.disturbed, run->samples,
                       m->machine->description->clock.resolution_ticks, m->samples.sorted,
                       m->samples.scratch, trend);
}

double point_parts(const struct measurement *run)
{
    const struct measure *m = run->m;
    double share;

    if (run->by_laps || !point_is_kept(run) || !(run->stats.median > 0))
        return 0;
    share = stats_shared(m->samples.ticks, m->samples.disturbed, &run->stats) / run->stats.median;
    return share > POINT_STEADY_SHARE ? share : 0;
}
