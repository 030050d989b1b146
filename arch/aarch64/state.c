/* SPDX-License-Identifier: BSD-2-Clause */
/* No AArch64 register tells of microcode or of memory encryption; MPIDR_EL1 tells threads from
 * cores by MT (bit 24), and has no packages. */
#include "arch/aarch64/registers.h"
#include "arch/arch.h"

void arch_state_read(struct machine_state *state, struct census_bits *bits)
{
    (void)state;
    *bits = (struct census_bits){.thread = registers_mpidr_el1() >> 24 & 1 ? 8 : 0,
                                 .package = CENSUS_BITS_MAX + 1};
}
