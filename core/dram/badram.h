/* SPDX-License-Identifier: BSD-2-Clause */
/* Ranges of bad memory as boot loaders and kernels take them. Pure. */
#ifndef CORE_DRAM_BADRAM_H
#define CORE_DRAM_BADRAM_H

#include "core/lib/phys.h"
#include "core/lib/text.h"

#define BADRAM_PAGE_BYTES 4096u
#define BADRAM_PAIRS_MAX  8 /* of one range */

/* Linux (Documentation/admin-guide/kernel-parameters.txt): memmap=nn[KMG]$ss[KMG] marks nn bytes
 * from ss as reserved. A dollar sign has to be escaped in GRUB's configuration. */
void badram_memmap(phys_addr first, uint64_t bytes, struct text *line);
/* GRUB manual, section "badram": address,mask[,address,mask...]; an address is bad if it is the
 * first one where the mask has ones. A range whose ends are not aligned takes several pairs; beyond
 * BADRAM_PAIRS_MAX it is widened. */
void badram_grub(phys_addr first, uint64_t bytes, struct text *line);

#endif
