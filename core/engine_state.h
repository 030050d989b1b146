/* SPDX-License-Identifier: BSD-2-Clause */
/* What the engine remembers of a run: known to engine.c and schedule.c, and nobody else. It lives
 * in the caller's workspace: nothing in core/ allocates. */
#ifndef CORE_ENGINE_STATE_H
#define CORE_ENGINE_STATE_H

#include "core/engine.h"
#include "core/experiments/workbench.h"
#include "core/measure/measure.h"
#include "core/plan/plan.h"

struct engine {
    const struct machine *machine;
    const struct options *options;
    struct journal *journal;
    const char *version;
    struct plan plan;
    struct measure measure;
    struct workbench bench;
    bool begun;        /* some point has been */
    bool window_known; /* a window is open: that of points like this one */
    struct point window_like;
    struct window window;
    double clock_ppm_noted;
    struct point_result repeat[OPTIONS_REPEATS_MAX];
    char options_text[OPTIONS_EFFECTIVE_MAX];
};

/* ---- schedule.c: which point is next */

/* Measures all that these experiments have planned, pass by pass, and what they add to it, and
 * concludes each experiment once it and those before it are over. */
enum status schedule_run(struct engine *engine, const uint32_t tests[], uint32_t count);

#endif
