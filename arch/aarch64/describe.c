/* SPDX-License-Identifier: BSD-2-Clause */
/* arch_describe: pure_describe.c on the identification registers. */
#include "arch/aarch64/pure_describe.h"
#include "arch/aarch64/registers.h"
#include "arch/arch.h"

/* CSSELR_EL1 selects the cache that CCSIDR_EL1 describes; it is the firmware's and is restored. */
static void caches_read(struct describe_snapshot *snapshot)
{
    uint64_t selected = registers_csselr_el1();

    for (unsigned level = 1; level <= DESCRIBE_LEVELS; level++) {
        if (!describe_has_data_cache(snapshot->clidr, level))
            continue;
        registers_csselr_el1_write((uint64_t)(level - 1) << 1);
        registers_isb();
        snapshot->ccsidr[level - 1] = registers_ccsidr_el1();
    }
    registers_csselr_el1_write(selected);
    registers_isb();
}

void arch_describe(struct arch_facts *facts)
{
    struct describe_snapshot snapshot = {.midr = registers_midr_el1(),
                                         .mpidr = registers_mpidr_el1(),
                                         .ctr = registers_ctr_el0(),
                                         .clidr = registers_clidr_el1(),
                                         .mmfr0 = registers_id_aa64mmfr0_el1(),
                                         .mmfr2 = registers_id_aa64mmfr2_el1()};

    caches_read(&snapshot);
    aarch64_describe(&snapshot, facts);
}
