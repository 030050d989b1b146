/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of a search for banks share. */
#ifndef CORE_MEASURE_BANKS_RUN_H
#define CORE_MEASURE_BANKS_RUN_H

#include "core/dram/banks.h"
#include "core/measure/run.h"

/* Two different lines of the window, at random. */
struct banks_lines banks_draw(struct banks_run *run);
/* Their physical addresses. */
struct address_pair banks_pair(const struct measure *m, const struct window *w,
                               struct banks_lines lines);
/* What any number of pairs take, in parts of a tick, each timed once. As banks_measure returns. */
enum status banks_time_section(struct measure *m, const struct window *w,
                               const struct banks_lines *lines, uint32_t count, uint64_t *time);
/* What up to BANKS_KEPT pairs take, in parts of a tick, to be held against the split. As
 * banks_measure returns. */
enum status banks_time(struct measure *m, const struct window *w, const struct banks_lines *lines,
                       uint32_t count, uint64_t *time);
/* Looks for functions and an offset that fit the kept conflicts and predict other pairs. Found:
 * summary->verdict is BANKS_LINEAR; else summary->mapping is the best that fits. */
enum status banks_solve(struct measure *m, const struct window *w, struct banks_summary *summary);

#endif
