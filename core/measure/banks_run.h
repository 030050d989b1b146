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
/* Draws a pool of lines, and a section of pairs of them, of which the first `count`, a few, are
 * known ones: run->section_lines. run->section_time is what each takes, in parts of a tick, timed
 * once, less what its lines take alone more than most do. As banks_measure
 * returns.
 */
enum status banks_draw_section(struct measure *m, const struct window *w,
                               const struct banks_lines *known, uint32_t count);
/* Times pairs of the section once more: which[0..count), at most BANKS_SLOWEST. */
enum status banks_time_drawn(struct measure *m, const struct window *w, const uint32_t *which,
                             uint32_t count, uint64_t *time);
/* What up to BANKS_KEPT pairs take, in parts of a tick, to be held against the split. As
 * banks_measure returns. */
enum status banks_time(struct measure *m, const struct window *w, const struct banks_lines *lines,
                       uint32_t count, uint64_t *time);
/* Looks for functions and an offset that fit the kept conflicts and predict other pairs. Found:
 * summary->verdict is BANKS_LINEAR; else summary->mapping is the best that fits. */
enum status banks_solve(struct measure *m, const struct window *w, struct banks_summary *summary);

/* Whether most pairs that are of one bank by these functions conflict: then they are not too few.
 * As banks_measure returns. */
enum status banks_hold(struct measure *m, const struct window *w,
                       const struct address_mapping *mapping, bool *hold);

#endif
