/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/measure/measure.h"

#include "core/lib/real.h"

void measure_start(struct measure *m, const struct machine *machine, struct plan *plan)
{
    m->machine = m->controls.machine = m->diagnosis.machine = machine;
    m->options = plan->options;
    m->journal = m->controls.journal = m->diagnosis.journal = plan->journal;
    m->plan = plan;
    m->clock.point_hz = real_nan();
    slots_start(&m->slots, m->options->decode, m->journal);
}
