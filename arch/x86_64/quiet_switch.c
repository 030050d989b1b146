/* SPDX-License-Identifier: BSD-2-Clause */
/* Switches the vectors and tables to ours, and back to the firmware's. */
#include "arch/x86_64/pure_control.h"
#include "arch/x86_64/quiet.h"

void quiet_vectors_enter(struct quiet_was *was, const struct descriptor_register *ours)
{
    was->idt = registers_idt();
    registers_idt_write(ours);
}

void quiet_vectors_leave(const struct quiet_was *was)
{
    registers_idt_write(&was->idt);
}

/* CR3 is written both times with CR4.PGE clear, so that no global translation survives: changing
 * PGE flushes them all (SDM volume 3, 4.10.4.1). */
void quiet_tables_enter(struct quiet_was *was, uint64_t root)
{
    was->cr3 = registers_cr3();
    was->cr4 = registers_cr4();
    was->switched = true;
    if (was->cr4 & CR4_PGE)
        registers_cr4_write(was->cr4 & ~CR4_PGE);
    registers_cr3_write(root | (was->cr3 & (CR3_WRITE_THROUGH | CR3_CACHE_DISABLE)));
}

void quiet_tables_leave(struct quiet_was *was)
{
    if (!was->switched)
        return;
    registers_cr3_write(was->cr3);
    if (was->cr4 & CR4_PGE)
        registers_cr4_write(was->cr4);
    was->switched = false;
}
