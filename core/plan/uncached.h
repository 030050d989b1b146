/* SPDX-License-Identifier: BSD-2-Clause */
/* How small a set can be that no cache holds, as chases showed. */
#ifndef CORE_PLAN_UNCACHED_H
#define CORE_PLAN_UNCACHED_H

#include "core/plan/plan.h"

/* Bytes of the smallest plain chase that costs what one over at least twice the declared last level
 * costs, as do all measured between them in the same pages: no cache that ends in between holds it.
 * A hypervisor may declare the caches of a whole package to a guest that has a part of one.
 * UINT64_MAX: no chase shows it, or nothing is declared. Pure. */
uint64_t uncached_bytes(const struct plan *plan);

#endif
