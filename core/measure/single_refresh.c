/* SPDX-License-Identifier: BSD-2-Clause */
/* The period of refreshes, and by their phases which banks have them together. */
#include "core/dram/banks.h"
#include "core/lib/real.h"
#include "core/measure/single_run.h"

/* Two lines must tell of the same period. */
#define SAME_PERIOD 0.01
#define TRIES       3
#define PHASE_TURNS 1024 /* the same to tell phases: over a hundred refreshes of the rarest */
#define PHASE_LINES 64   /* then it is seen whether more are needed */
#define PHASE_MAX   256

static enum status find_once(struct measure *m, const struct window *w, struct refresh *refresh)
{
    struct refresh_series series = single_series(m, SINGLE_SERIES);
    enum status status;

    m->single.line[0] = single_draw(m, w);
    status = single_section(m, w, 1, SINGLE_SERIES, NULL);
    if (status == STATUS_OK)
        refresh_find(&series, m->single.room, refresh);
    return status;
}

/* Of several lines, two must agree: what other programs do to one line is not a refresh. */
enum status single_refresh(struct measure *m, const struct window *w)
{
    struct refresh found[TRIES], *refresh = &m->single.refresh;
    enum status status = STATUS_OK;

    for (size_t i = 0; i < TRIES && status == STATUS_OK; i++) {
        status = find_once(m, w, &found[i]);
        if (status != STATUS_OK)
            return status;
        for (size_t k = 0; k < i; k++)
            if (found[i].verdict == REFRESH_FOUND && found[k].verdict == REFRESH_FOUND &&
                real_abs(found[i].period_ns / found[k].period_ns - 1) < SAME_PERIOD) {
                *refresh = found[i];
                return STATUS_OK;
            }
    }
    *refresh = found[0];
    for (size_t i = 1; i < TRIES && refresh->verdict == REFRESH_FOUND; i++)
        if (found[i].verdict != REFRESH_FOUND)
            *refresh = found[i];
    if (refresh->verdict == REFRESH_FOUND)
        refresh_doubt(refresh, "lines do not agree on a period");
    return STATUS_OK;
}

static enum status compare_phases(struct measure *m, const struct window *w, uintptr_t partner)
{
    struct refresh_series series = single_series(m, 2 * PHASE_TURNS);
    struct single_run *run = &m->single;
    struct refresh_phase base, other;
    double apart, chance;
    enum status status = single_in_turn(m, w, partner, PHASE_TURNS);

    if (status != STATUS_OK)
        return status;
    refresh_phase_of(&run->refresh, &series, 0, 2, run->room, &base);
    refresh_phase_of(&run->refresh, &series, 1, 2, run->room, &other);
    if (!refresh_apart(&run->refresh, &base, &other, &apart, &chance))
        return STATUS_OK;
    run->partners.tried++;
    run->partners.same += apart < chance;
    run->partners.by_chance += 2 * chance;
    return STATUS_OK;
}

enum status single_scope(struct measure *m, const struct window *w)
{
    struct banks_summary banks = {.pairs = SINGLE_PAIRS, .conflicts = m->single.conflict_count};
    struct single_run *run = &m->single;
    enum status status = STATUS_OK;
    uint32_t lines = 0;

    run->partners = (struct refresh_partners){.tried = 0};
    if (!run->split.sure || run->refresh.verdict != REFRESH_FOUND)
        return STATUS_OK;
    banks_count(&banks);
    run->partners.banks_low = banks.banks_low;
    run->partners.banks_high = banks.banks_high;
    for (uint32_t i = 0; i < SINGLE_PAIRS && lines < PHASE_MAX && status == STATUS_OK; i++) {
        if (run->conflicts[i])
            continue;
        status = compare_phases(m, w, run->pair[i].b);
        if (++lines % PHASE_LINES == 0 &&
            (run->partners.tried == 0 || refresh_scope_of(&run->partners) != SCOPE_UNSURE))
            break;
    }
    return status;
}
