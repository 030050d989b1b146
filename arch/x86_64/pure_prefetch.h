/* SPDX-License-Identifier: BSD-2-Clause */
/* Selects the table rows that apply to a CPU; core/cpu/prefetch.c tries and applies them. */
#ifndef ARCH_X86_64_PURE_PREFETCH_H
#define ARCH_X86_64_PURE_PREFETCH_H

#include "arch/x86_64/pure_cpuid.h"
#include "arch/x86_64/pure_prefetch_table.h"
#include "core/cpu/prefetch.h"

/* Sets up the rows of this CPU without trying them. */
void x86_64_prefetch_start(struct prefetch_set *set, const struct cpu_identity *identity);

#endif
