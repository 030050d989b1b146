/* SPDX-License-Identifier: BSD-2-Clause */
/* When lines are refreshed, and which banks are together. */
#include "core/dram/coherence.h"
#include "core/dram/refresh.h"
#include "core/lib/real.h"
#include "core/stats/stats.h"

#define PHASE_EVENTS_MIN 4
#define CHANCE_MAX       0.0625 /* of a turn: coarser phases tell no lines apart */
/* Fewer banks than this are refreshed together only if it is each by itself: a group of DDR5's has
 * one bank of each of four or eight groups. */
#define TOGETHER_MIN 4

const char *refresh_scope_name(enum refresh_scope scope)
{
    static const char *const names[] = {"unsure", "together", "per-bank"};

    return names[scope];
}

void refresh_phase_of(const struct refresh *refresh, const struct refresh_series *series,
                      size_t first, size_t step, uint64_t *room, struct refresh_phase *phase)
{
    double wait = refresh->slow_ticks - refresh->base_ticks;
    size_t count = 0, slow = 0;
    uint64_t base;
    struct coherence_vector sum;

    *phase = (struct refresh_phase){.events = 0};
    for (size_t i = first; i < series->count; i += step)
        room[count++] = series->ticks[i];
    if (count == 0)
        return;
    stats_sort(room, count);
    base = room[count / 2];
    for (size_t i = first; i < series->count; i += step)
        if ((double)series->ticks[i] > (double)base + wait)
            room[slow++] = series->start[i] + series->ticks[i] - base;
    sum = coherence_sum(room, slow, refresh->turn);
    *phase = (struct refresh_phase){.events = slow, .cosine = sum.x, .sine = sum.y};
}

bool refresh_apart(const struct refresh *refresh, const struct refresh_phase *a,
                   const struct refresh_phase *b, double *apart, double *chance)
{
    uint64_t turns = coherence_direction((struct coherence_vector){a->cosine, a->sine}) -
                     coherence_direction((struct coherence_vector){b->cosine, b->sine});

    if (a->events < PHASE_EVENTS_MIN || b->events < PHASE_EVENTS_MIN)
        return false;
    *apart = real_abs((double)(int64_t)turns) / COHERENCE_TURN;
    *chance =
        refresh->scatter_turns * (1 + 3 * real_sqrt(1 / (double)a->events + 1 / (double)b->events));
    return *chance < CHANCE_MAX;
}

bool refresh_is_over(const struct refresh *refresh, const struct refresh_phase *phase,
                     uint64_t before, uint64_t start)
{
    double period = COHERENCE_TURN / (double)refresh->turn, late = 3 * refresh->late_turns * period;
    uint64_t end = coherence_direction((struct coherence_vector){phase->cosine, phase->sine});
    double since = (double)(start * refresh->turn - end) / COHERENCE_TURN * period;
    double stall = refresh->stall_ns / refresh->period_ns * period;

    return since - (double)(start - before) > late && since < period - stall - late;
}

enum refresh_scope refresh_scope_of(const struct refresh_partners *partners)
{
    double tried = (double)partners->tried, same = (double)partners->same, share, error;

    if (partners->tried == 0)
        return SCOPE_UNSURE;
    share = (same - partners->by_chance) / tried;
    error = 3 * real_sqrt(same + 1) / tried;
    if ((share - error) * partners->banks_low > 1)
        return SCOPE_TOGETHER;
    if (share < error && (share + error) * partners->banks_high < TOGETHER_MIN - 1)
        return SCOPE_PER_BANK;
    return SCOPE_UNSURE;
}
