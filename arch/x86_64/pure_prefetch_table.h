/* SPDX-License-Identifier: BSD-2-Clause */
/* The prefetcher control bits of each CPU, as data. A CPU that matches no row is left alone. */
#ifndef ARCH_X86_64_PURE_PREFETCH_TABLE_H
#define ARCH_X86_64_PURE_PREFETCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/x86_64/pure_cpuid.h"
#include "core/cpu/prefetch.h"

enum prefetch_core { PREFETCH_CORE_ANY, PREFETCH_CORE_PERFORMANCE, PREFETCH_CORE_EFFICIENCY };

/* One field of a register on a group of CPUs. All conditions must hold. */
struct x86_64_prefetch_row {
    enum cpu_vendor vendor;
    uint32_t family;
    const uint8_t *models; /* NULL: every model of the family */
    size_t model_count;
    enum prefetch_core core;
    uint32_t native_first;       /* efficiency cores: minimum native model (CPUID 1Ah) */
    bool needs_amd_bit;          /* CPUID Fn8000_0021 EAX[13] */
    struct prefetch_field field; /* reg is the MSR */
};

extern const struct x86_64_prefetch_row x86_64_prefetch_rows[];
extern const size_t x86_64_prefetch_row_count;

/* Models with efficiency cores only, in case CPUID 1Ah is empty. */
struct x86_64_efficiency_model {
    uint8_t model;
    uint8_t native_model; /* 1 Gracemont, 2 Crestmont, 3 Skymont, 4 Darkmont */
};

extern const struct x86_64_efficiency_model x86_64_efficiency_models[];
extern const size_t x86_64_efficiency_model_count;

/* True if the memory controller of this family may start a read before the last level of cache has
 * answered, at random misses too, as the firmware set it up; no register of a core stops it. */
bool x86_64_memory_speculates(const struct cpu_identity *identity);

/* Selects the rows that apply to this CPU, in the order of writing, including unofficial ones; at
 * most `max` (a test proves that PREFETCH_CONTROLS_MAX suffices for every CPU). Returns how
 * many. */
size_t x86_64_prefetch_select(const struct cpu_identity *identity,
                              const struct x86_64_prefetch_row **rows, size_t max);

/* Stores the distinct registers of those rows, at most `max`; returns how many. */
size_t x86_64_prefetch_msrs(const struct cpu_identity *identity, uint32_t *msrs, size_t max);

#endif
