/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds a private address space: a copy of the firmware's root, private copies of the tables on
 * the way to the window, and the window's own leaves. Everything else stays shared. */
#include "arch/aarch64/pure_paging.h"

#include "arch/aarch64/paging.h"
#include "core/table_slots.h"

struct builder {
    const struct arch_table_request *request;
    struct arch_tables *tables;
    unsigned top;          /* level of the root */
    unsigned leaf;         /* level of the window's leaves */
    unsigned va_bits;      /* of an address below the root */
    unsigned address_bits; /* of a physical address */
    bool links_narrow;     /* a link's attributes count (TCR.HPD is clear) */
    uint64_t leaf_flags;
    enum status status;
};

/* EL1's formats serve EL2 as well under VHE. */
static bool format_el1(const struct arch_paging *paging)
{
    return paging->control[PAGING_LEVEL] == 1 || (paging->control[PAGING_HCR] & HCR_E2H);
}

static unsigned root_level(const struct arch_paging *paging)
{
    return TCR_T0SZ(paging->control[PAGING_TCR]) <= 24 ? 4 : 3;
}

static unsigned table_entries(const struct builder *b, unsigned level)
{
    return level == b->top ? 1u << (b->va_bits - table_shift(level)) : TABLE_ENTRIES;
}

/* DDI 0487, D8.2: a root is aligned to its size, but to 64 bytes at least. */
static uint64_t root_address(const struct builder *b, uint64_t ttbr)
{
    uint64_t bytes = table_entries(b, b->top) * 8ull;
    return ttbr & ~TTBR_ASID & ~((bytes < 64 ? 64 : bytes) - 1);
}

static bool is_link(uint64_t entry, unsigned level)
{
    return (entry & ENTRY_VALID) && (entry & ENTRY_TABLE) && level > 1;
}

static bool is_read_only_link(const struct builder *b, uint64_t entry, unsigned level)
{
    return is_link(entry, level) && b->links_narrow && (entry & ENTRY_LINK_READ_ONLY);
}

static void *refuse(struct builder *b, enum status status, const char *why)
{
    if (b->status == STATUS_OK) {
        b->status = status;
        b->tables->refusal = why;
    }
    return NULL;
}

uint64_t aarch64_tables_bytes(const struct arch_paging *paging, enum page_size page,
                              enum map_mode map, uint64_t pages)
{
    (void)map; /* each private table, copied, split or new, covers a part of the window */
    return table_bytes(page, pages, root_level(paging));
}

/* ---- reaching and making tables */

static const char address_refusal[] =
    "the firmware's page tables carry address bits beyond the CPU's physical addresses";

static uint64_t *table_at(struct builder *b, uint64_t address)
{
    const struct arch_table_request *request = b->request;

    if (address >> b->address_bits)
        return refuse(b, STATUS_REFUSED, address_refusal);
    uint64_t *table = request->reach(request->reach_context, phys_make(address));
    if (!table)
        return refuse(b, STATUS_REFUSED, "a page table of the firmware cannot be read");
    return table;
}

static uint64_t *table_new(struct builder *b, uint64_t *address)
{
    const struct arch_table_request *request = b->request;

    if (request->arena_bytes - b->tables->arena_used < TABLE_BYTES)
        return refuse(b, STATUS_NO_MEMORY, "the memory set aside for page tables is too small");
    *address = request->arena.value + b->tables->arena_used;
    b->tables->arena_used += TABLE_BYTES;
    return table_at(b, *address);
}

static bool is_ours(const struct builder *b, uint64_t entry)
{
    uint64_t address = entry & ENTRY_ADDRESS, arena = b->request->arena.value;
    return address >= arena && address - arena < b->tables->arena_used;
}

static bool table_copy(struct builder *b, uint64_t *to, uint64_t from_address, unsigned level)
{
    const uint64_t *from = table_at(b, from_address);
    unsigned entries = table_entries(b, level);

    if (!from)
        return false;
    for (unsigned i = 0; i < TABLE_ENTRIES; i++) {
        to[i] = i < entries ? from[i] : 0;
        if ((to[i] & ENTRY_VALID) && (to[i] & ENTRY_ADDRESS) >> b->address_bits) {
            refuse(b, STATUS_REFUSED, address_refusal);
            return false;
        }
        if ((to[i] & ENTRY_VALID) && !is_link(to[i], level))
            to[i] &= ~ENTRY_CONTIGUOUS;
    }
    return true;
}

/* Writes the 512 leaves that together are the one block of that level; it stands in a table of
 * ours, so its contiguous hint is gone already. */
static void block_split(uint64_t *to, uint64_t block, unsigned level)
{
    uint64_t step = 1ull << table_shift(level - 1);
    uint64_t base = block & ENTRY_ADDRESS & ~((1ull << table_shift(level)) - 1);
    uint64_t flags = block & ~ENTRY_ADDRESS;

    if (level == 2)
        flags |= ENTRY_TABLE;
    for (unsigned i = 0; i < TABLE_ENTRIES; i++)
        to[i] = (base + i * step) | flags;
}

/* The table below an entry of a table of ours, made private first where it is not. */
static uint64_t *private_below(struct builder *b, uint64_t *entry, unsigned level)
{
    uint64_t old = *entry, address;

    if (is_read_only_link(b, old, level))
        return refuse(b, STATUS_REFUSED, "the firmware maps this range read-only as a whole");
    if (is_link(old, level) && is_ours(b, old))
        return table_at(b, old & ENTRY_ADDRESS);
    if ((old & ENTRY_VALID) && !is_link(old, level) && level > 3)
        return refuse(b, STATUS_REFUSED, "the firmware's page tables hold a reserved entry");

    uint64_t *to = table_new(b, &address);
    if (!to)
        return NULL;
    if (is_link(old, level)) {
        if (!table_copy(b, to, old & ENTRY_ADDRESS, level - 1))
            return NULL;
        *entry = (old & ~ENTRY_ADDRESS) | address;
        return to;
    }
    if (old & ENTRY_VALID) {
        block_split(to, old, level);
    } else {
        for (unsigned i = 0; i < TABLE_ENTRIES; i++)
            to[i] = 0;
    }
    /* a link of ours narrows nothing: its attributes are all zero */
    *entry = address | ENTRY_TABLE | ENTRY_VALID;
    return to;
}

static uint64_t *private_table(struct builder *b, uint64_t address, unsigned level)
{
    uint64_t *table = table_at(b, root_address(b, b->tables->root));

    for (unsigned at = b->top; table && at > level; at--)
        table = private_below(b, &table[table_slot(address, at)], at);
    return table;
}

/* ---- finding a range of addresses for a window */

static bool window_place(const struct builder *b, const uint64_t *table, unsigned level,
                         uint64_t address, uint64_t *base)
{
    uint64_t need = table_slots_needed(b->request->page, b->request->pages, level);
    /* a window at address 0 would make null pointers readable */
    unsigned first = address == 0 ? 1 : 0, slot;

    if (!table_find_free(table, first, table_entries(b, level), need, &slot))
        return false;
    *base = address | (uint64_t)slot << table_shift(level);
    return true;
}

/* Looks through all of the firmware's tables of level target below this one. */
static bool window_search(struct builder *b, uint64_t table_address, unsigned level,
                          unsigned target, uint64_t address, uint64_t *base)
{
    const uint64_t *table = table_at(b, table_address);

    if (!table)
        return false;
    if (level == target)
        return window_place(b, table, level, address, base);
    for (unsigned i = 0; i < table_entries(b, level) && b->status == STATUS_OK; i++) {
        uint64_t below = address | (uint64_t)i << table_shift(level);
        if (is_link(table[i], level) && !is_read_only_link(b, table[i], level) &&
            window_search(b, table[i] & ENTRY_ADDRESS, level - 1, target, below, base))
            return true;
    }
    return false;
}

static bool window_base(struct builder *b, uint64_t *base)
{
    const struct arch_table_request *request = b->request;

    if (request->map == MAP_IDENTITY) {
        *base = request->frame(request->frame_context, 0).value;
        if (*base + (request->pages << request->page) <= 1ull << b->va_bits)
            return true;
        refuse(b, STATUS_REFUSED, "memory beyond the addresses that the firmware's tables reach");
        return false;
    }
    for (unsigned target = b->top; target >= b->leaf; target--) {
        uint64_t root = root_address(b, request->paging.root);
        if (window_search(b, root, b->top, target, 0, base))
            return true;
        if (b->status != STATUS_OK)
            return false;
    }
    refuse(b, STATUS_REFUSED, "the firmware's page tables have no free range of this size");
    return false;
}

/* ---- the request's checks */

/* ID_AA64MMFR0_EL1.PARange and TCR's IPS or PS: bits of an address; with 4 KiB pages and without
 * LPA2 never more than 48. */
static unsigned address_bits(const struct arch_paging *paging)
{
    static const unsigned bits[8] = {32, 36, 40, 42, 44, 48, 48, 48};
    uint64_t tcr = paging->control[PAGING_TCR], range = paging->control[PAGING_MMFR0] & 15;
    unsigned cpu = bits[range < 7 ? range : 7];
    unsigned chosen = bits[format_el1(paging) ? TCR_EL1_IPS(tcr) : TCR_EL2_PS(tcr)];

    return cpu < chosen ? cpu : chosen;
}

/* Index of the write-back attribute, the lowest; 8 when there is none. */
static unsigned mair_writeback(uint64_t mair)
{
    unsigned index = 0;
    while (index < 8 && (mair >> (8 * index) & 0xff) != MAIR_NORMAL_WRITEBACK)
        index++;
    return index;
}

static bool flags_choose(struct builder *b)
{
    const struct arch_paging *paging = &b->request->paging;
    unsigned attribute = mair_writeback(paging->control[PAGING_MAIR]);

    if (attribute == 8) {
        refuse(b, STATUS_REFUSED, "the memory attributes (MAIR) have no write-back entry");
        return false;
    }
    b->leaf_flags =
        ENTRY_VALID | ENTRY_ATTRIBUTE(attribute) | ENTRY_INNER_SHAREABLE | ENTRY_ACCESSED;
    if (b->leaf == 1)
        b->leaf_flags |= ENTRY_TABLE;
    b->leaf_flags |= format_el1(paging) ? ENTRY_PXN | ENTRY_XN : ENTRY_AP1 | ENTRY_XN;
    return true;
}

static bool registers_allow(struct builder *b)
{
    const uint64_t *control = b->request->paging.control;
    uint64_t tcr = control[PAGING_TCR];
    bool el1 = format_el1(&b->request->paging);
    unsigned t0sz = TCR_T0SZ(tcr);

    if (!(control[PAGING_SCTLR] & SCTLR_M))
        refuse(b, STATUS_UNSUPPORTED, "the firmware runs without address translation (SCTLR.M)");
    else if (!(control[PAGING_SCTLR] & SCTLR_C))
        refuse(b, STATUS_UNSUPPORTED, "the firmware has switched the caches off (SCTLR.C)");
    else if (TCR_TG0(tcr) == 1)
        refuse(b, STATUS_REFUSED, "the firmware's page tables have a 64 KiB granule (TCR.TG0)");
    else if (TCR_TG0(tcr) != 0)
        refuse(b, STATUS_REFUSED, "the firmware's page tables have a 16 KiB granule (TCR.TG0)");
    else if (tcr & (el1 ? TCR_EL1_DS : TCR_EL2_DS))
        refuse(b, STATUS_REFUSED, "the firmware's page tables have 52-bit addresses (LPA2)");
    else if (t0sz < PAGING_T0SZ_LEAST || t0sz > PAGING_T0SZ_MOST)
        refuse(b, STATUS_REFUSED, "the firmware's page tables have a size (TCR.T0SZ) not in 16-33");
    else if (el1 && (tcr & TCR_EL1_EPD0))
        refuse(b, STATUS_REFUSED, "the firmware does not translate by TTBR0 (TCR.EPD0)");
    else if (!(TCR_IRGN0(tcr) & 1) || !(TCR_ORGN0(tcr) & 1))
        refuse(b, STATUS_REFUSED, "the firmware's table walks are not write-back (TCR.IRGN0)");
    return b->status == STATUS_OK;
}

static bool request_sane(struct builder *b)
{
    const struct arch_table_request *request = b->request;

    if (request->pages == 0 || request->pages > 1ull << (b->va_bits - (unsigned)request->page))
        refuse(b, STATUS_BAD_INPUT, "no page, or more pages than the address space holds");
    else if (request->arena.value % TABLE_BYTES)
        refuse(b, STATUS_BAD_INPUT, "the memory for page tables is not aligned to 4 KiB");
    return b->status == STATUS_OK;
}

/* ---- building */

static bool frame_fits(struct builder *b, uint64_t base, uint64_t page, uint64_t frame)
{
    const struct arch_table_request *request = b->request;
    uint64_t bytes = 1ull << request->page;

    if (frame & (bytes - 1) || frame >> b->address_bits)
        refuse(b, STATUS_BAD_INPUT, "a frame is not aligned or lies beyond the physical addresses");
    else if (request->map == MAP_IDENTITY && frame != base + page * bytes)
        refuse(b, STATUS_BAD_INPUT, "an identity map needs one contiguous run of frames");
    return b->status == STATUS_OK;
}

static void leaves_write(struct builder *b, uint64_t base)
{
    const struct arch_table_request *request = b->request;
    unsigned entries = table_entries(b, b->leaf);
    uint64_t page = 0;

    while (page < request->pages && b->status == STATUS_OK) {
        uint64_t address = base + (page << request->page);
        uint64_t *table = private_table(b, address, b->leaf);
        if (!table)
            return;
        b->tables->leaf_bytes += entries * 8ull;
        for (unsigned slot = table_slot(address, b->leaf); slot < entries && page < request->pages;
             slot++, page++) {
            uint64_t frame = request->frame(request->frame_context, page).value;
            if (!frame_fits(b, base, page, frame))
                return;
            table[slot] = frame | b->leaf_flags;
        }
    }
}

static void root_copy(struct builder *b)
{
    uint64_t old = b->request->paging.root, address;
    uint64_t *root = table_new(b, &address);

    /* the address space keeps its number; CnP stays clear: this table is shared with nobody */
    if (root && table_copy(b, root, root_address(b, old), b->top))
        b->tables->root = address | (old & TTBR_ASID);
}

enum status aarch64_tables_build(const struct arch_table_request *request,
                                 struct arch_tables *tables)
{
    const struct arch_paging *paging = &request->paging;
    uint64_t tcr = paging->control[PAGING_TCR], base = 0;
    struct builder b = {
        .request = request,
        .tables = tables,
        .top = root_level(paging),
        .leaf = table_leaf_level(request->page),
        .va_bits = 64 - TCR_T0SZ(tcr),
        .address_bits = address_bits(paging),
        .links_narrow = !(tcr & (format_el1(paging) ? TCR_EL1_HPD0 : TCR_EL2_HPD)),
        .status = STATUS_OK,
    };

    *tables = (struct arch_tables){.refusal = NULL};
    if (registers_allow(&b) && request_sane(&b) && flags_choose(&b) && window_base(&b, &base)) {
        root_copy(&b);
        if (b.status == STATUS_OK)
            leaves_write(&b, base);
    }
    tables->base = (uintptr_t)base;
    if (b.status != STATUS_OK) {
        tables->root = 0;
        tables->base = 0;
    }
    return b.status;
}
