/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel tells a process of the memory behind its addresses. */
#ifndef TESTS_HOST_PAGEMAP_H
#define TESTS_HOST_PAGEMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/phys.h"

/* The physical address, by /proc/self/pagemap; UINT64_MAX where the kernel does not tell (it takes
 * CAP_SYS_ADMIN) or no page is there. */
phys_addr pagemap_phys(uintptr_t address);
/* The lowest and the highest byte's physical address behind [base, base + bytes); UINT64_MAX where
 * the kernel does not tell. */
void pagemap_span(uintptr_t base, uint64_t bytes, phys_addr *low, phys_addr *high);
/* Of the neighbouring 4 KiB pages in [base, base + bytes), how many are neighbours in physical
 * memory too, 0..1; some thousand pairs are looked at. False: not to be known. */
bool pagemap_neighbours(uintptr_t base, uint64_t bytes, double *share);
/* Bytes of [base, base + bytes) that stand on transparent huge pages, by /proc/self/smaps.
 * UINT64_MAX: not to be known. */
uint64_t pagemap_transparent_bytes(uintptr_t base, uint64_t bytes);

#endif
