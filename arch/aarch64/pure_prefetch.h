/* SPDX-License-Identifier: BSD-2-Clause */
/* Which rows of the table a core has; core/cpu/prefetch.c tries and applies them. */
#ifndef ARCH_AARCH64_PURE_PREFETCH_H
#define ARCH_AARCH64_PURE_PREFETCH_H

#include "arch/aarch64/pure_prefetch_table.h"
#include "arch/aarch64/pure_sysreg.h"

/* The rows that hold for this MIDR, in the order in which they are to be written; at most `most`
 * (PREFETCH_CONTROLS_MAX is enough for every core, a test proves it). Unofficial ones included. */
size_t aarch64_prefetch_select(uint64_t midr, const struct aarch64_prefetch_row **rows,
                               size_t most);

/* The distinct registers of those rows. Returns how many of at most `most` were written. */
size_t aarch64_prefetch_registers(uint64_t midr, enum sysreg *registers, size_t most);

/* Chooses the rows of this core; tries nothing. */
void aarch64_prefetch_start(struct prefetch_set *set, uint64_t midr);

#endif
