/* SPDX-License-Identifier: BSD-2-Clause */
/* Selects the table rows that apply to a core; core/cpu/prefetch.c tries and applies them. */
#ifndef ARCH_AARCH64_PURE_PREFETCH_H
#define ARCH_AARCH64_PURE_PREFETCH_H

#include "arch/aarch64/pure_prefetch_table.h"
#include "arch/aarch64/pure_sysreg.h"

/* Selects the rows that apply to this MIDR, in the order of writing, including unofficial ones; at
 * most `max` (a test proves that PREFETCH_CONTROLS_MAX suffices for every core). Returns how
 * many. */
size_t aarch64_prefetch_select(uint64_t midr, const struct aarch64_prefetch_row **rows, size_t max);

/* Stores the distinct registers of those rows, at most `max`; returns how many. */
size_t aarch64_prefetch_registers(uint64_t midr, enum sysreg *registers, size_t max);

/* Sets up the rows of this core without trying them. */
void aarch64_prefetch_start(struct prefetch_set *set, uint64_t midr);

#endif
