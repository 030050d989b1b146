/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/measure/single.h"

#include "core/measure/single_run.h"

#define ACCESSES_QUICK (1u << 17)
#define ACCESSES_FULL  (1u << 20)

static enum status measure_distribution(struct measure *m, const struct window *w)
{
    uint64_t wanted = m->options->plan == PLAN_FULL ? ACCESSES_FULL : ACCESSES_QUICK;
    double step = m->machine->description->clock.resolution_ticks;
    struct single_run *run = &m->single;
    enum status status = STATUS_OK;

    histogram_clear(&run->histogram);
    while (run->histogram.count < wanted && status == STATUS_OK) {
        for (uint32_t i = 0; i < SINGLE_LINES; i++)
            run->line[i] = single_draw(m, w);
        status = single_section(m, w, SINGLE_LINES, SINGLE_LINES,
                                run->histogram.count == 0 ? &run->timing_ticks : NULL);
        if (status == STATUS_FAULT)
            return status;
        for (uint32_t i = 0; i < SINGLE_LINES; i++)
            histogram_add(&run->histogram, (uint64_t)((double)run->ticks[i] / step + 0.5));
    }
    return status;
}

static void start(struct measure *m, const struct point *point, const struct window *w)
{
    struct single_run *run = &m->single;

    random_start(&run->random, m->options->seed);
    run->lines = point->bytes / m->machine->description->line_bytes;
    run->base = single_draw(m, w);
    run->split = (struct conflict_split){.sure = false};
    run->partners = (struct refresh_partners){.tried = 0};
    run->shares = (struct rows_shares){.known = false};
    run->conflict_count = 0;
    rows_decide(figure_unknown(), figure_unknown(), 0, &run->rows);
    refresh_find(&(struct refresh_series){.count = 0}, run->room, &run->refresh);
    run->rows.why = run->refresh.why = "the run ended before";
}

enum status single_measure(struct measure *m, struct point *point, const struct window *w)
{
    static enum status (*const steps[])(struct measure *, const struct window *) = {
        measure_distribution, single_refresh, single_pairs, single_rows, single_scope};
    enum status status = STATUS_OK;

    start(m, point, w);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && status == STATUS_OK; i++)
        status = steps[i](m, w);
    if (status == STATUS_FAULT || m->single.histogram.count == 0)
        return status;
    point->prefetch = controls_prefetch_state(&m->controls);
    point->recorded = true;
    single_emit(m, point, status != STATUS_OK);
    return status == STATUS_LATE ? STATUS_OK : status;
}
