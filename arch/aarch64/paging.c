/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the registers that determine the page-table format; pure_paging.c decides. */
#include "arch/aarch64/pure_control.h"
#include "arch/aarch64/pure_paging.h"
#include "arch/aarch64/registers.h"

void arch_paging_read(struct arch_paging *paging)
{
    bool el2 = registers_level() == 2;

    *paging = (struct arch_paging){.root = el2 ? registers_ttbr0_el2() : registers_ttbr0_el1()};
    paging->control[PAGING_LEVEL] = registers_level();
    paging->control[PAGING_TCR] = el2 ? registers_tcr_el2() : registers_tcr_el1();
    paging->control[PAGING_MAIR] = el2 ? registers_mair_el2() : registers_mair_el1();
    paging->control[PAGING_SCTLR] = el2 ? registers_sctlr_el2() : registers_sctlr_el1();
    paging->control[PAGING_HCR] = el2 ? registers_hcr_el2() : 0;
    paging->control[PAGING_MMFR0] = registers_id_aa64mmfr0_el1();
}

uint64_t arch_tables_bytes(const struct arch_paging *paging, enum page_size page, enum map_mode map,
                           uint64_t pages)
{
    return aarch64_tables_bytes(paging, page, map, pages);
}

enum status arch_tables_build(const struct arch_table_request *request, struct table_tree *tree)
{
    return aarch64_tables_build(request, tree);
}
