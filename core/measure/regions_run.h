/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory measured block by block, private to core/measure/. The files below are listed bottom up:
 * none calls one further down the list. */
#ifndef CORE_MEASURE_REGIONS_RUN_H
#define CORE_MEASURE_REGIONS_RUN_H

#include "core/dram/coverage.h"
#include "core/measure/measure.h"

/* A part of the window that lies in one piece in physical memory. */
struct region_span {
    uint64_t offset, bytes; /* whole lines */
};

/* ---- regions_build.c */

/* The chains of a list: `chains` of them, of `lines` lines each. Its order is m->order. */
struct chain regions_chain(struct measure *m, const uint64_t *line, uint32_t chains,
                           uint32_t lines);
/* Draws `lines` lines into line[], one at random from each equal part of the span, in random order:
 * from `random` alone. */
void regions_draw(const struct measure *m, uint64_t *line, struct region_span span, uint32_t lines,
                  struct random random);
/* Builds a chain through lines that regions_draw draws, and drops it from the CPU's caches, unless
 * building leaves nothing there; *start is its first line. */
enum status regions_build(struct measure *m, const struct window *w, struct region_span span,
                          uint32_t lines, struct random random, uint64_t *start);
/* Builds the list that is in m->regions.line. */
enum status regions_build_list(struct measure *m, const struct window *w, uint32_t lines);
/* Builds the chains that are in m->regions.batch, one behind the other, by as many CPUs as the
 * machine has for work; what is written is the same. */
enum status regions_build_batch(struct measure *m, const struct window *w, uint32_t chains,
                                uint32_t lines);
/* Drops the lines of a chain that regions_build has built from the CPU's caches. */
enum status regions_drop(struct measure *m, const struct window *w, struct region_span span,
                         uint32_t lines, struct random random);

/* ---- regions_chase.c */

/* What is said of one chain, per hop. */
struct region_figures {
    double ns, error_ns; /* mean of the middle half of the samples */
    double median_ns, p95_ns, p99_ns, max_ns;
};

/* Chases a chain that regions_build has built, once round: warm_hops untimed ones and then
 * m->regions.samples samples; ticks are in m->samples.ticks. A lap that does not close is
 * diagnosed: STATUS_FAULT, and m->regions.astray. */
enum status regions_chase(struct measure *m, const struct window *w, struct region_span span,
                          uint32_t lines, struct random random, uint64_t start);
/* Chases the list that is in m->regions.line already. */
enum status regions_chase_list(struct measure *m, const struct window *w, uint32_t lines,
                               uint32_t warm_hops, uint64_t start);
/* What is compared in turns has samples of a quarter of the hops, and as many as there is room for.
 * Refreshes come every 3.9 or 7.8 us to each rank, and are no part of what is compared: how much a
 * chain waits for them depends on which of its ranks' coincide, which no two boots have alike, and
 * one in a single rank waits for them the longer the longer its hops take. Of samples as short as
 * these a quarter or so meets one, which the middle half leaves out; of a block's most do. Returns
 * what regions_lengthen puts back. */
struct regions_chain {
    uint32_t lines, hops, samples;
};

struct regions_chain regions_shorten(struct regions_run *run);
void regions_lengthen(struct regions_run *run, const struct regions_chain *whole);
/* Of the samples taken last. */
void regions_figures(struct measure *m, struct region_figures *figures);
/* STATUS_OK; STATUS_ABORTED; STATUS_LATE once the budget is used up. Shows the live line. */
enum status regions_go_on(struct measure *m);

/* ---- regions_wrong.c */

#define REGIONS_ANY UINT32_MAX

/* If a chain led astray (*status is STATUS_FAULT, m->regions.astray): finds whose memory reads
 * wrong, notes it, makes these blocks REGION_WRONG and *status STATUS_OK; returns true. The chain
 * was in block `number`, or in several: REGIONS_ANY. */
bool regions_blame(struct measure *m, enum status *status, uint32_t number);
/* Calls visit once for each block, but `number`, that the chain blamed last may have led into. */
enum status regions_stirred(struct measure *m, const struct window *w, uint32_t number,
                            enum status (*visit)(struct measure *m, const struct window *w,
                                                 uint32_t number));
/* Notes what was too much to be noted one by one. */
void regions_note_wrong(struct measure *m);

/* ---- regions_blocks.c */

/* Cuts the window into blocks. */
void regions_cut(struct measure *m, const struct window *w, uint64_t bytes);
/* Pages that are elsewhere by now: a kernel may move those of a process. */
uint64_t regions_moved_pages(const struct measure *m, const struct window *w);
/* Lines of that block's chain, which close it in whole samples, and *samples of them; 0: it is too
 * small. */
uint32_t regions_lines(const struct measure *m, uint64_t bytes, uint32_t *samples);
/* A source of random numbers of its own for each number. */
struct random regions_random(const struct measure *m, uint64_t number);
/* Chooses lines of a chain and hops of a sample, from the clock, the caches and a trial. */
enum status regions_choose(struct measure *m, const struct window *w);
/* Builds all blocks, then chases them. STATUS_LATE: some were not measured. */
enum status regions_blocks(struct measure *m, const struct window *w);

/* ---- regions_again.c */

/* Finds what differs on each node, measures it again, and finds its edges. STATUS_LATE: some was
 * not measured again. */
enum status regions_again(struct measure *m, const struct window *w);

/* ---- regions_classes.c */

/* Finds functions of address bits whose parities differ, among lines of each node's blocks that do
 * not differ: run->classes, one for each of run->base. Searches for the mapping first, and emits a
 * record of it. STATUS_LATE: the budget ended. */
enum status regions_classes(struct measure *m, const struct window *w, const struct point *point);
/* Notes what classes of lines do not tell; status: why there are none or not all; known: groups
 * were compared, if not all of them measured again. */
void regions_note_classes(struct measure *m, enum status status, bool known);

/* ---- regions_bandwidth_emit.c */

/* Emits bandwidth records of what was decided, and a note where nothing was measured; status: of
 * the measurement, or of what was to come before it. */
void bandwidth_emit(struct measure *m, const struct point *point, enum status status);

/* ---- regions_bandwidth.c */

/* Measures at what rate lines are read, all and of each class of the mapping's functions, and emits
 * it. STATUS_LATE: the budget ended, and what was measured by then was emitted. */
enum status regions_bandwidth(struct measure *m, const struct window *w, const struct point *point);

/* ---- regions_gaps.c */

/* How much of the memory map the blocks cover that were measured. */
void regions_cover(const struct measure *m, struct coverage *sums);
/* Emits gap records of what they do not cover. */
void regions_emit_gaps(struct measure *m, const char *experiment);

/* ---- regions_emit.c */

/* Emits everything that is known. */
void regions_emit(struct measure *m, const struct point *point);

#endif
