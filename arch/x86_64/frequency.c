/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the registers that pure_frequency.c lists for this CPU. */
#include "arch/arch.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/msr.h"
#include "arch/x86_64/pure_frequency.h"

void arch_frequency_read(struct frequency_registers *registers)
{
    static struct frequency_msr list[FREQUENCY_REGISTERS_MAX];
    static size_t count;
    static bool listed;

    if (!listed)
        count = x86_64_frequency_msrs(&cpu_cpuid, list);
    listed = true;
    registers->count = registers->unread_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct frequency_register *here = &registers->list[registers->count];

        here->name = list[i].name;
        if (msr_read(list[i].msr, &here->value))
            registers->count++;
        else
            registers->unread[registers->unread_count++] = list[i].name;
    }
}
