/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds a private address space: a copy of the firmware's root, private copies of the tables on
 * the way to the window, and the window's own leaves. Everything else stays shared. */
#include "arch/x86_64/pure_paging.h"

#include "arch/x86_64/paging.h"
#include "core/table_slots.h"

struct builder {
    const struct arch_table_request *request;
    struct arch_tables *tables;
    unsigned top;  /* level of the root */
    unsigned leaf; /* level of the window's leaves */
    uint64_t leaf_flags, link_flags;
    enum status status;
};

static unsigned root_level(const struct arch_paging *paging)
{
    return paging->control[PAGING_CR4] & CR4_LA57 ? 5 : 4;
}

static bool is_link(uint64_t entry, unsigned level)
{
    return (entry & ENTRY_PRESENT) && level > 1 && (level > 3 || !(entry & ENTRY_LARGE));
}

static void *refuse(struct builder *b, enum status status, const char *why)
{
    if (b->status == STATUS_OK) {
        b->status = status;
        b->tables->refusal = why;
    }
    return NULL;
}

uint64_t x86_64_tables_bytes(const struct arch_paging *paging, enum page_size page,
                             enum map_mode map, uint64_t pages)
{
    (void)map; /* each private table, copied, split or new, covers a part of the window */
    return table_bytes(page, pages, root_level(paging));
}

/* ---- reaching and making tables */

static uint64_t *table_at(struct builder *b, uint64_t address)
{
    const struct arch_table_request *request = b->request;

    if (address >> request->paging.control[PAGING_ADDRESS_BITS])
        return refuse(b, STATUS_REFUSED,
                      "the firmware's page tables carry address bits beyond the CPU's physical "
                      "addresses (memory encryption)");
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

static bool table_copy(struct builder *b, uint64_t *to, uint64_t from_address)
{
    uint64_t address_bits = b->request->paging.control[PAGING_ADDRESS_BITS];
    const uint64_t *from = table_at(b, from_address);

    if (!from)
        return false;
    for (unsigned i = 0; i < TABLE_ENTRIES; i++) {
        to[i] = from[i];
        if ((from[i] & ENTRY_PRESENT) && (from[i] & ENTRY_ADDRESS) >> address_bits) {
            refuse(b, STATUS_REFUSED,
                   "the firmware's page tables carry address bits beyond the CPU's physical "
                   "addresses (memory encryption)");
            return false;
        }
    }
    return true;
}

/* Writes the 512 leaves that together are the one large leaf of that level. */
static void leaf_split(uint64_t *to, uint64_t leaf, unsigned level)
{
    uint64_t step = 1ull << table_shift(level - 1);
    uint64_t base = leaf & ENTRY_ADDRESS & ~((1ull << table_shift(level)) - 1);
    uint64_t flags = leaf & ~ENTRY_ADDRESS;

    if (level == 2) {
        flags &= ~ENTRY_LARGE;
        if (leaf & ENTRY_PAT_LARGE)
            flags |= ENTRY_PAT_4K;
    } else {
        flags |= leaf & ENTRY_PAT_LARGE;
    }
    for (unsigned i = 0; i < TABLE_ENTRIES; i++)
        to[i] = (base + i * step) | flags;
}

/* The table below an entry of a table of ours, made private first where it is not. */
static uint64_t *private_below(struct builder *b, uint64_t *entry, unsigned level)
{
    uint64_t old = *entry, address;

    if (is_link(old, level) && !(old & ENTRY_WRITABLE))
        return refuse(b, STATUS_REFUSED, "the firmware maps this range read-only as a whole");
    if (is_link(old, level) && is_ours(b, old))
        return table_at(b, old & ENTRY_ADDRESS);

    uint64_t *to = table_new(b, &address);
    if (!to)
        return NULL;
    if (is_link(old, level)) {
        if (!table_copy(b, to, old & ENTRY_ADDRESS))
            return NULL;
        *entry = (old & ~ENTRY_ADDRESS) | address;
    } else if (old & ENTRY_PRESENT) {
        leaf_split(to, old, level);
        /* the leaves keep their own rights: the link must not narrow them */
        *entry = address | b->link_flags | (old & ENTRY_USER);
    } else {
        for (unsigned i = 0; i < TABLE_ENTRIES; i++)
            to[i] = 0;
        *entry = address | b->link_flags;
    }
    return to;
}

static uint64_t *private_table(struct builder *b, uint64_t address, unsigned level)
{
    uint64_t *table = table_at(b, b->tables->root & ENTRY_ADDRESS);

    for (unsigned at = b->top; table && at > level; at--)
        table = private_below(b, &table[table_slot(address, at)], at);
    return table;
}

/* ---- finding a range of addresses for a window */

static bool window_place(const struct builder *b, const uint64_t *table, unsigned level,
                         uint64_t address, uint64_t *base)
{
    uint64_t need = table_slots_needed(b->request->page, b->request->pages, level);
    unsigned half = TABLE_ENTRIES / 2, slot;
    /* a window at address 0 would make null pointers readable */
    unsigned first = address == 0 ? 1 : 0;
    bool found;

    if (level == b->top) /* canonical addresses: no window across the middle of the root */
        found = table_find_free(table, first, half, need, &slot) ||
                table_find_free(table, half, TABLE_ENTRIES, need, &slot);
    else
        found = table_find_free(table, first, TABLE_ENTRIES, need, &slot);
    if (found)
        *base = address | (uint64_t)slot << table_shift(level);
    return found;
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
    for (unsigned i = 0; i < TABLE_ENTRIES && b->status == STATUS_OK; i++) {
        uint64_t below = address | (uint64_t)i << table_shift(level);
        if (is_link(table[i], level) && (table[i] & ENTRY_WRITABLE) &&
            window_search(b, table[i] & ENTRY_ADDRESS, level - 1, target, below, base))
            return true;
    }
    return false;
}

static uint64_t canonical(uint64_t address, unsigned top)
{
    uint64_t sign = 1ull << (table_shift(top + 1) - 1);
    return (address ^ sign) - sign;
}

static bool window_base(struct builder *b, uint64_t *base)
{
    const struct arch_table_request *request = b->request;

    if (request->map == MAP_IDENTITY) {
        *base = request->frame(request->frame_context, 0).value;
        return true;
    }
    for (unsigned target = b->top; target >= b->leaf; target--) {
        if (window_search(b, request->paging.root & ENTRY_ADDRESS, b->top, target, 0, base)) {
            *base = canonical(*base, b->top);
            return true;
        }
        if (b->status != STATUS_OK)
            return false;
    }
    refuse(b, STATUS_REFUSED, "the firmware's page tables have no free range of this size");
    return false;
}

/* ---- the request's checks */

/* Index of the PAT entry that is write-back (type 6), the lowest; 8 when there is none. */
static unsigned pat_writeback(uint64_t pat)
{
    unsigned index = 0;
    while (index < 8 && (pat >> (8 * index) & 7) != 6)
        index++;
    return index;
}

static bool flags_choose(struct builder *b)
{
    const uint64_t *control = b->request->paging.control;
    unsigned pat = pat_writeback(control[PAGING_PAT]);

    if (pat == 8) {
        refuse(b, STATUS_REFUSED, "the page attribute table has no write-back entry");
        return false;
    }
    uint64_t low = (pat & 1 ? ENTRY_WRITE_THROUGH : 0) | (pat & 2 ? ENTRY_CACHE_DISABLE : 0);
    /* a link can name entries 0 to 3 only (SDM volume 3, 4.9.2) */
    b->link_flags = ENTRY_PRESENT | ENTRY_WRITABLE | ENTRY_ACCESSED | (pat < 4 ? low : 0);
    b->leaf_flags = ENTRY_PRESENT | ENTRY_WRITABLE | ENTRY_ACCESSED | ENTRY_DIRTY | low;
    if (b->leaf > 1)
        b->leaf_flags |= ENTRY_LARGE;
    if (pat & 4)
        b->leaf_flags |= b->leaf > 1 ? ENTRY_PAT_LARGE : ENTRY_PAT_4K;
    if (control[PAGING_EFER] & EFER_NXE)
        b->leaf_flags |= ENTRY_NO_EXECUTE;
    return true;
}

static bool registers_allow(struct builder *b)
{
    const uint64_t *control = b->request->paging.control;

    if (!(control[PAGING_PAGE_SIZES] >> b->request->page & 1))
        refuse(b, STATUS_UNSUPPORTED, "this CPU has no pages of this size");
    else if (control[PAGING_CR4] & CR4_PCIDE)
        refuse(b, STATUS_REFUSED, "the firmware uses process-context identifiers (CR4.PCIDE)");
    else if ((control[PAGING_CR4] & CR4_CET) && (control[PAGING_S_CET] & S_CET_SH_STK_EN))
        refuse(b, STATUS_REFUSED, "the firmware runs on a shadow stack (CR4.CET)");
    else if (control[PAGING_CR0] & CR0_CD)
        refuse(b, STATUS_REFUSED, "the firmware has switched the caches off (CR0.CD)");
    return b->status == STATUS_OK;
}

static bool request_sane(struct builder *b)
{
    const struct arch_table_request *request = b->request;
    uint64_t most = 1ull << (table_shift(b->top) + 8 - (unsigned)request->page);

    if (request->pages == 0 || request->pages > most)
        refuse(b, STATUS_BAD_INPUT, "no page, or more pages than half of the address space holds");
    else if (request->arena.value % TABLE_BYTES)
        refuse(b, STATUS_BAD_INPUT, "the memory for page tables is not aligned to 4 KiB");
    return b->status == STATUS_OK;
}

/* ---- building */

static bool frame_fits(struct builder *b, uint64_t base, uint64_t page, uint64_t frame)
{
    const struct arch_table_request *request = b->request;
    uint64_t bytes = 1ull << request->page;

    if (frame & (bytes - 1) || frame >> request->paging.control[PAGING_ADDRESS_BITS])
        refuse(b, STATUS_BAD_INPUT, "a frame is not aligned or lies beyond the physical addresses");
    else if (request->map == MAP_IDENTITY && frame != base + page * bytes)
        refuse(b, STATUS_BAD_INPUT, "an identity map needs one contiguous run of frames");
    return b->status == STATUS_OK;
}

static void leaves_write(struct builder *b, uint64_t base)
{
    const struct arch_table_request *request = b->request;
    uint64_t page = 0;

    while (page < request->pages && b->status == STATUS_OK) {
        uint64_t address = base + (page << request->page);
        uint64_t *table = private_table(b, address, b->leaf);
        if (!table)
            return;
        b->tables->leaf_bytes += TABLE_BYTES;
        for (unsigned slot = table_slot(address, b->leaf);
             slot < TABLE_ENTRIES && page < request->pages; slot++, page++) {
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

    /* how the root itself is cached stays as the firmware has it */
    if (root && table_copy(b, root, old & ENTRY_ADDRESS))
        b->tables->root = address | (old & (CR3_WRITE_THROUGH | CR3_CACHE_DISABLE));
}

enum status x86_64_tables_build(const struct arch_table_request *request,
                                struct arch_tables *tables)
{
    struct builder b = {.request = request,
                        .tables = tables,
                        .top = root_level(&request->paging),
                        .leaf = table_leaf_level(request->page),
                        .status = STATUS_OK};
    uint64_t base = 0;

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
