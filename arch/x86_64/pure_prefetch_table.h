/* SPDX-License-Identifier: BSD-2-Clause */
/* Which bits of which register switch which prefetcher off on which CPU: data rows. A CPU that
 * matches no row is left alone. */
#ifndef ARCH_X86_64_PURE_PREFETCH_TABLE_H
#define ARCH_X86_64_PURE_PREFETCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/x86_64/pure_cpuid.h"
#include "core/cpu/prefetch.h"

enum prefetch_core { PREFETCH_CORE_ANY, PREFETCH_CORE_PERFORMANCE, PREFETCH_CORE_EFFICIENCY };

/* One field of one register on one group of CPUs. All conditions must hold. */
struct x86_64_prefetch_row {
    enum cpu_vendor vendor;
    uint32_t family;
    const uint8_t *models; /* NULL: every model of the family */
    size_t model_count;
    enum prefetch_core core;
    uint32_t native_first;       /* efficiency cores: native model (CPUID 1Ah) this one or later */
    bool needs_amd_bit;          /* CPUID Fn8000_0021 EAX[13] */
    struct prefetch_field field; /* reg is the MSR */
};

extern const struct x86_64_prefetch_row x86_64_prefetch_rows[];
extern const size_t x86_64_prefetch_row_count;

/* Models whose every core is an efficiency core, for the case that CPUID 1Ah says nothing. */
struct x86_64_efficiency_model {
    uint8_t model;
    uint8_t native_model; /* 1 Gracemont, 2 Crestmont, 3 Skymont, 4 Darkmont */
};

extern const struct x86_64_efficiency_model x86_64_efficiency_models[];
extern const size_t x86_64_efficiency_model_count;

/* The rows that hold for this CPU, in the order in which they are to be written; at most `most`
 * (PREFETCH_CONTROLS_MAX is enough for every CPU, a test proves it). Unofficial ones included. */
size_t x86_64_prefetch_select(const struct cpu_identity *identity,
                              const struct x86_64_prefetch_row **rows, size_t most);

/* The distinct registers of those rows. Returns how many of at most `most` were written. */
size_t x86_64_prefetch_msrs(const struct cpu_identity *identity, uint32_t *msrs, size_t most);

#endif
