/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the registers that determine the page-table format; pure_paging.c decides. */
#include "arch/x86_64/pure_control.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/msr.h"
#include "arch/x86_64/pure_paging.h"
#include "arch/x86_64/registers.h"

#define MSR_PAT   0x277
#define MSR_S_CET 0x6a2
#define MSR_EFER  0xc0000080

/* None of the three MSRs can fault: EFER is part of long mode; PAT and S_CET are read only if CPUID
 * and CR4 show that they exist. */
void arch_paging_read(struct arch_paging *paging)
{
    uint32_t address_bits = cpuid_get(&cpu_cpuid, 0x80000008u, 0).eax & 0xff;
    bool huge = cpuid_get(&cpu_cpuid, 0x80000001u, 0).edx >> 26 & 1;

    *paging = (struct arch_paging){.root = registers_cr3()};
    paging->control[PAGING_CR0] = registers_cr0();
    paging->control[PAGING_CR4] = registers_cr4();
    msr_read(MSR_EFER, &paging->control[PAGING_EFER]);
    paging->control[PAGING_ADDRESS_BITS] = address_bits ? address_bits : 36;
    paging->control[PAGING_PAGE_SIZES] =
        1ull << PAGE_4K | 1ull << PAGE_2M | (huge ? 1ull << PAGE_1G : 0);
    paging->control[PAGING_PAT] = PAT_RESET_VALUE;
    if (cpuid_get(&cpu_cpuid, 1, 0).edx >> 16 & 1)
        msr_read(MSR_PAT, &paging->control[PAGING_PAT]);
    if (paging->control[PAGING_CR4] & CR4_CET)
        msr_read(MSR_S_CET, &paging->control[PAGING_S_CET]);
}

uint64_t arch_tables_bytes(const struct arch_paging *paging, enum page_size page, enum map_mode map,
                           uint64_t pages)
{
    return x86_64_tables_bytes(paging, page, map, pages);
}

enum status arch_tables_build(const struct arch_table_request *request, struct table_tree *tree)
{
    return x86_64_tables_build(request, tree);
}
