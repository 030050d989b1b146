/* SPDX-License-Identifier: BSD-2-Clause */
/* A curve as a picture in characters: working sets from left to right, ns from bottom to top, both
 * logarithmic; a mark for each page size; found levels at their capacity (above) and at their
 * latency (on the right). */
#ifndef CORE_REPORT_PLOT_H
#define CORE_REPORT_PLOT_H

#include "core/report/report.h"

#define PLOT_LINES 20

/* What to draw: of `points` those with the pattern and prefetcher state of `like`. Points whose ns
 * is not within 1e-9 to 1e15, and empty sets, are left out. levels may be none. */
struct plot_request {
    const struct report_point *points;
    size_t count;
    const struct report_point *like;
    const struct report_level *levels;
    size_t level_count;
};

struct plot {
    size_t lines;                            /* at most PLOT_LINES */
    char line[PLOT_LINES][REPORT_WIDTH + 1]; /* ASCII, '\0'-terminated, no blanks at the end */
};

/* Draws; no line, and false, when there is no point to show. */
bool plot_draw(struct plot *plot, const struct plot_request *request);

#endif
