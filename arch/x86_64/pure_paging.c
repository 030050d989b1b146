/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides from x86-64's registers whether tables can be built, and their entries' format;
 * core/mapping/tables.c builds them. */
#include "arch/x86_64/pure_paging.h"

#include "arch/x86_64/pure_control.h"
#include "core/mapping/slots.h"

static unsigned root_level(const struct arch_paging *paging)
{
    return paging->control[PAGING_CR4] & CR4_LA57 ? 5 : 4;
}

uint64_t x86_64_tables_bytes(const struct arch_paging *paging, enum page_size page,
                             enum map_mode map, uint64_t pages)
{
    (void)map; /* each private table, whether copied, split or new, covers part of the window */
    return table_bytes(page, pages, root_level(paging));
}

static bool is_link(uint64_t entry, unsigned level)
{
    return level > 3 || !(entry & ENTRY_LARGE);
}

static uint64_t split(uint64_t leaf, unsigned level)
{
    uint64_t flags = leaf & ~ENTRY_ADDRESS;

    if (level > 2)
        return flags | (leaf & ENTRY_PAT_LARGE);
    return (flags & ~ENTRY_LARGE) | (leaf & ENTRY_PAT_LARGE ? ENTRY_PAT_4K : 0);
}

/* Returns the lowest PAT index of type write-back (6); 8 if there is none. */
static unsigned pat_writeback(uint64_t pat)
{
    unsigned index = 0;
    while (index < 8 && (pat >> (8 * index) & 7) != 6)
        index++;
    return index;
}

static void flags_choose(const struct arch_table_request *request, unsigned pat,
                         struct table_format *format)
{
    bool large = table_leaf_level(request->window.page) > 1;
    uint64_t low = (pat & 1 ? ENTRY_WRITE_THROUGH : 0) | (pat & 2 ? ENTRY_CACHE_DISABLE : 0);

    /* a link can select PAT entries 0 to 3 only (SDM volume 3, 4.9.2) */
    format->link_flags = ENTRY_PRESENT | ENTRY_WRITABLE | ENTRY_ACCESSED | (pat < 4 ? low : 0);
    format->leaf_flags = ENTRY_PRESENT | ENTRY_WRITABLE | ENTRY_ACCESSED | ENTRY_DIRTY | low;
    if (large)
        format->leaf_flags |= ENTRY_LARGE;
    if (pat & 4)
        format->leaf_flags |= large ? ENTRY_PAT_LARGE : ENTRY_PAT_4K;
    if (request->paging.control[PAGING_EFER] & EFER_NXE)
        format->leaf_flags |= ENTRY_NO_EXECUTE;
}

static enum status registers_check(const struct arch_table_request *request, unsigned pat,
                                   struct table_tree *tree)
{
    const uint64_t *control = request->paging.control;
    const struct table_check checks[] = {
        {!(control[PAGING_PAGE_SIZES] >> request->window.page & 1), STATUS_UNSUPPORTED,
         "this CPU has no pages of this size"},
        {control[PAGING_CR4] & CR4_PCIDE, STATUS_REFUSED,
         "the firmware uses process-context identifiers (CR4.PCIDE)"},
        {(control[PAGING_CR4] & CR4_CET) && (control[PAGING_S_CET] & S_CET_SH_STK_EN),
         STATUS_REFUSED, "the firmware runs on a shadow stack (CR4.CET)"},
        {control[PAGING_CR0] & CR0_CD, STATUS_REFUSED,
         "the firmware has switched the caches off (CR0.CD)"},
        {pat == 8, STATUS_REFUSED, "the page attribute table has no write-back entry"},
    };

    return table_check(checks, sizeof checks / sizeof checks[0], tree);
}

enum status x86_64_tables_build(const struct arch_table_request *request, struct table_tree *tree)
{
    const struct arch_paging *paging = &request->paging;
    unsigned top = root_level(paging), pat = pat_writeback(paging->control[PAGING_PAT]);
    struct table_format format = {
        .top = top,
        .va_bits = table_shift(top + 1),
        .address_bits = (unsigned)paging->control[PAGING_ADDRESS_BITS],
        .sign_extended = true,
        .root = paging->root & ENTRY_ADDRESS,
        /* keep the firmware's caching attributes of the root */
        .root_flags = paging->root & (CR3_WRITE_THROUGH | CR3_CACHE_DISABLE),
        .address = ENTRY_ADDRESS,
        .link_takes = ENTRY_USER,
        .link_writable = ENTRY_WRITABLE,
        .is_link = is_link,
        .split = split,
        .beyond = "the firmware's page tables carry address bits beyond the CPU's physical "
                  "addresses (memory encryption)",
    };
    enum status status = registers_check(request, pat, tree);

    if (status != STATUS_OK)
        return status;
    flags_choose(request, pat, &format);
    return table_build(&format, &request->window, tree);
}
