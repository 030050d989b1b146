/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads what pure_same.c compares. */
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/msr.h"
#include "arch/x86_64/pure_describe.h"
#include "arch/x86_64/pure_mtrr.h"
#include "arch/x86_64/pure_same.h"
#include "arch/x86_64/registers.h"
#include "arch/arch.h"
#include "core/lib/memory.h"

/* The MSR can be read wherever CPUID says that there are MTRRs. Below a hypervisor they decide
 * nothing about memory of the host's, and QEMU's own CPUs lose them at INIT, which silicon does not
 * (SDM volume 3, table 10-1). */
static bool has_mtrr(void)
{
    struct cpu_identity cpu;

    cpu_identify(&cpu);
    return cpu.mtrr && !cpu.hypervisor;
}

void arch_same_read(struct same_words *same)
{
    struct cpu_info cpu = {.hardware_id = 0};
    struct arch_paging paging;

    x86_64_describe_topology(&cpu_cpuid, &cpu);
    *same = (struct same_words){.hardware_id = cpu.hardware_id};
    arch_paging_read(&paging);
    memory_copy(same->word, paging.control, sizeof paging.control);
    same->word[SAME_ROOT] = paging.root;
    if (has_mtrr())
        msr_read(MTRR_MSR_DEFAULT, &same->word[SAME_MTRR_DEFAULT]);
    same->word[SAME_MXCSR] = registers_mxcsr();
    same->word[SAME_FEATURES] = cpuid_get(&cpu_cpuid, 1, 0).ecx;
}

const char *arch_same_refusal(const struct same_words *boot, const struct same_words *other)
{
    return x86_64_same_refusal(boot, other);
}
