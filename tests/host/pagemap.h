/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel reports about the memory behind addresses of this process. */
#ifndef TESTS_HOST_PAGEMAP_H
#define TESTS_HOST_PAGEMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/phys.h"

/* The physical address, from /proc/self/pagemap; UINT64_MAX if the kernel hides it (it takes
 * CAP_SYS_ADMIN) or no page is there. */
phys_addr pagemap_phys(uintptr_t address);
/* True if the kernel shows this process no physical address. */
bool pagemap_hidden(void);
/* The lowest and the highest byte's physical address behind [base, base + bytes); UINT64_MAX if the
 * kernel hides them. */
void pagemap_span(uintptr_t base, uint64_t bytes, phys_addr *low, phys_addr *high);
/* The share (0..1) of neighbouring 4 KiB pages in [base, base + bytes) that are neighbours in
 * physical memory too, from a sample of some thousand pairs. False: unknown. */
bool pagemap_neighbours(uintptr_t base, uint64_t bytes, double *share);
/* Bytes of [base, base + bytes) on transparent huge pages, from /proc/self/smaps. UINT64_MAX:
 * unknown. */
uint64_t pagemap_transparent_bytes(uintptr_t base, uint64_t bytes);

#endif
