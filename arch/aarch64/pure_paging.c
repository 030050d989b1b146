/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides from AArch64's registers whether tables can be built, and their entries' format;
 * core/mapping/tables.c builds them. */
#include "arch/aarch64/pure_paging.h"

#include "arch/aarch64/pure_control.h"
#include "core/mapping/slots.h"

/* EL2 with VHE uses EL1's formats. */
static bool format_el1(const struct arch_paging *paging)
{
    return paging->control[PAGING_LEVEL] == 1 || (paging->control[PAGING_HCR] & HCR_E2H);
}

static unsigned root_level(const struct arch_paging *paging)
{
    return TCR_T0SZ(paging->control[PAGING_TCR]) <= 24 ? 4 : 3;
}

uint64_t aarch64_tables_bytes(const struct arch_paging *paging, enum page_size page,
                              enum map_mode map, uint64_t pages)
{
    (void)map; /* each private table, whether copied, split or new, covers part of the window */
    return table_bytes(page, pages, root_level(paging));
}

static bool is_link(uint64_t entry, unsigned level)
{
    (void)level;
    return entry & ENTRY_TABLE;
}

static uint64_t split(uint64_t block, unsigned level)
{
    return (block & ~ENTRY_ADDRESS) | (level == 2 ? ENTRY_TABLE : 0);
}

/* Physical address bits by ID_AA64MMFR0_EL1.PARange and TCR's IPS or PS; at most 48 with 4 KiB
 * pages and without LPA2. */
static unsigned address_bits(const struct arch_paging *paging)
{
    static const unsigned bits[8] = {32, 36, 40, 42, 44, 48, 48, 48};
    uint64_t tcr = paging->control[PAGING_TCR], range = paging->control[PAGING_MMFR0] & 15;
    unsigned cpu = bits[range < 7 ? range : 7];
    unsigned chosen = bits[format_el1(paging) ? TCR_EL1_IPS(tcr) : TCR_EL2_PS(tcr)];

    return cpu < chosen ? cpu : chosen;
}

/* Returns the lowest index of the write-back attribute; 8 if there is none. */
static unsigned mair_writeback(uint64_t mair)
{
    unsigned index = 0;
    while (index < 8 && (mair >> (8 * index) & 0xff) != MAIR_NORMAL_WRITEBACK)
        index++;
    return index;
}

static uint64_t leaf_flags(const struct arch_table_request *request, unsigned attribute)
{
    uint64_t flags =
        ENTRY_VALID | ENTRY_ATTRIBUTE(attribute) | ENTRY_INNER_SHAREABLE | ENTRY_ACCESSED;

    if (table_leaf_level(request->window.page) == 1)
        flags |= ENTRY_TABLE;
    return flags | (format_el1(&request->paging) ? ENTRY_PXN | ENTRY_XN : ENTRY_AP1 | ENTRY_XN);
}

static enum status registers_check(const struct arch_paging *paging, unsigned attribute,
                                   struct table_tree *tree)
{
    uint64_t tcr = paging->control[PAGING_TCR], sctlr = paging->control[PAGING_SCTLR];
    bool el1 = format_el1(paging);
    unsigned t0sz = TCR_T0SZ(tcr);
    const struct table_check checks[] = {
        {!(sctlr & SCTLR_M), STATUS_UNSUPPORTED,
         "the firmware runs without address translation (SCTLR.M)"},
        {!(sctlr & SCTLR_C), STATUS_UNSUPPORTED,
         "the firmware has switched the caches off (SCTLR.C)"},
        {TCR_TG0(tcr) == 1, STATUS_REFUSED,
         "the firmware's page tables have a 64 KiB granule (TCR.TG0)"},
        {TCR_TG0(tcr) != 0, STATUS_REFUSED,
         "the firmware's page tables have a 16 KiB granule (TCR.TG0)"},
        {tcr & (el1 ? TCR_EL1_DS : TCR_EL2_DS), STATUS_REFUSED,
         "the firmware's page tables have 52-bit addresses (LPA2)"},
        {t0sz < PAGING_T0SZ_MIN || t0sz > PAGING_T0SZ_MAX, STATUS_REFUSED,
         "the firmware's page tables have a size (TCR.T0SZ) not in 16-33"},
        {el1 && (tcr & TCR_EL1_EPD0), STATUS_REFUSED,
         "the firmware does not translate by TTBR0 (TCR.EPD0)"},
        {!(TCR_IRGN0(tcr) & 1) || !(TCR_ORGN0(tcr) & 1), STATUS_REFUSED,
         "the firmware's table walks are not write-back (TCR.IRGN0)"},
        {attribute == 8, STATUS_REFUSED, "the memory attributes (MAIR) have no write-back entry"},
    };

    return table_check(checks, sizeof checks / sizeof checks[0], tree);
}

/* DDI 0487, D8.2: a root table is aligned to its size, but at least to 64 bytes. */
static uint64_t root_address(uint64_t ttbr, unsigned va_bits, unsigned top)
{
    uint64_t bytes = 8ull << (va_bits - table_shift(top));
    return ttbr & ~TTBR_ASID & ~((bytes < 64 ? 64 : bytes) - 1);
}

enum status aarch64_tables_build(const struct arch_table_request *request, struct table_tree *tree)
{
    const struct arch_paging *paging = &request->paging;
    uint64_t tcr = paging->control[PAGING_TCR];
    unsigned attribute = mair_writeback(paging->control[PAGING_MAIR]);
    bool links_narrow = !(tcr & (format_el1(paging) ? TCR_EL1_HPD0 : TCR_EL2_HPD));
    enum status status = registers_check(paging, attribute, tree);
    struct table_format format = {
        .top = root_level(paging),
        .va_bits = 64 - TCR_T0SZ(tcr),
        .address_bits = address_bits(paging),
        /* keep the ASID; CnP stays clear because no other PE shares this table */
        .root_flags = paging->root & TTBR_ASID,
        .address = ENTRY_ADDRESS,
        .leaf_flags = leaf_flags(request, attribute),
        /* our links restrict nothing: their attributes are all zero */
        .link_flags = ENTRY_TABLE | ENTRY_VALID,
        .copy_drops = ENTRY_CONTIGUOUS,
        .link_read_only = links_narrow ? ENTRY_LINK_READ_ONLY : 0,
        .is_link = is_link,
        .split = split,
        .beyond =
            "the firmware's page tables carry address bits beyond the CPU's physical addresses",
    };

    if (status != STATUS_OK)
        return status;
    format.root = root_address(paging->root, format.va_bits, format.top);
    return table_build(&format, &request->window, tree);
}
