/* SPDX-License-Identifier: BSD-2-Clause */
/* arch_describe at EL0: of the identification registers the kernel shows MIDR and the memory
 * features by emulation (Documentation/arch/arm64/cpu-feature-registers.rst), CTR_EL0 reads as it
 * is, and of caches there is no word; those are found below /sys. */
#include <sys/auxv.h>

#include "arch/aarch64/pure_describe.h"
#include "arch/aarch64/registers.h"
#include "arch/arch.h"

#ifndef HWCAP_CPUID
#define HWCAP_CPUID (1u << 11)
#endif

void arch_describe(struct arch_facts *facts)
{
    struct describe_snapshot snapshot = {.ctr = registers_ctr_el0()};

    if (getauxval(AT_HWCAP) & HWCAP_CPUID) {
        snapshot.midr = registers_midr_el1();
        snapshot.mmfr0 = registers_id_aa64mmfr0_el1();
        snapshot.mmfr2 = registers_id_aa64mmfr2_el1();
    }
    aarch64_describe(&snapshot, facts);
}
