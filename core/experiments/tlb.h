/* SPDX-License-Identifier: BSD-2-Clause */
/* tlb: what translations cost, and how many the TLBs hold, for 4K pages on scattered and on
 * contiguous frames, 2M and 1G pages. A chase with one line in each of N pages (a page and a line
 * apart, so that the lines spread over the caches' sets) is compared with a chase through as many
 * lines three lines apart: the difference is the cost of the TLBs. The contract of tlb_plan and
 * tlb_conclude is in table.h. */
#ifndef CORE_EXPERIMENTS_TLB_H
#define CORE_EXPERIMENTS_TLB_H

#include <stdint.h>

#include "core/experiments/workbench.h"
#include "core/plan/plan.h"

enum status tlb_plan(struct plan *plan, struct workbench *bench, uint32_t experiment);
enum status tlb_conclude(const struct plan *plan, struct workbench *bench, uint32_t experiment);

/* The i-th number of pages, with per_octave steps in each octave: 4, 5, 6, 7, 8, 10, ... for four.
 */
uint64_t tlb_pages(uint32_t per_octave, uint32_t i);

#endif
