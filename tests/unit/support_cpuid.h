/* SPDX-License-Identifier: BSD-2-Clause */
/* Recorded and made-up CPUs for tests: sets of CPUID leaves that answer as a CPU does, including
 * the trap that a leaf above the maximum returns the last basic leaf's data. */
#ifndef TESTS_UNIT_SUPPORT_CPUID_H
#define TESTS_UNIT_SUPPORT_CPUID_H

#include <stddef.h>
#include <stdint.h>

#include "arch/x86_64/pure_cpuid.h"

struct cpuid_row {
    uint32_t leaf, subleaf;
    struct cpuid_words words;
};

#define CPUID_SET_MAX 64

/* A test may add rows and change them. */
struct cpuid_set {
    size_t count;
    struct cpuid_row row[CPUID_SET_MAX];
};

struct cpuid_source cpuid_set_source(const struct cpuid_set *set);
/* The row of a leaf, added with zero words when it is not there. */
struct cpuid_words *cpuid_set_at(struct cpuid_set *set, uint32_t leaf, uint32_t subleaf);

/* Recorded under QEMU 7.2 TCG with OVMF. */
extern const struct cpuid_set cpuid_qemu64, cpuid_qemu_milan, cpuid_qemu_haswell;
/* Recorded in a KVM machine on Emerald Rapids. */
extern const struct cpuid_set cpuid_kvm_emerald;
/* Made up from data sheets: Alder Lake's two core types, Zen 4, Core 2 without leaf 4. */
extern const struct cpuid_set cpuid_alder_p, cpuid_alder_e, cpuid_zen4, cpuid_core2;

#endif
