/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/mapping/tables.h"

#include "core/mapping/slots.h"

struct builder {
    const struct table_format *format;
    const struct table_request *request;
    struct table_tree *tree;
    unsigned leaf; /* level of the window's leaves */
    uint64_t root; /* our own */
    enum status status;
};

static void *refuse(struct builder *b, enum status status, const char *why)
{
    if (b->status == STATUS_OK) {
        b->status = status;
        b->tree->refusal = why;
    }
    return NULL;
}

/* ---- decoding entries */

static bool is_link(const struct builder *b, uint64_t entry, unsigned level)
{
    return (entry & TABLE_VALID) && level > 1 && b->format->is_link(entry, level);
}

static bool is_read_only(const struct builder *b, uint64_t link)
{
    return (link & b->format->link_read_only) || (~link & b->format->link_writable);
}

static uint64_t address_in(const struct builder *b, uint64_t entry)
{
    return entry & b->format->address;
}

static bool is_ours(const struct builder *b, uint64_t entry)
{
    uint64_t address = address_in(b, entry), arena = b->request->arena.value;
    return address >= arena && address - arena < b->tree->arena_used;
}

static unsigned entries_of(const struct builder *b, unsigned level)
{
    return level == b->format->top ? 1u << (b->format->va_bits - table_shift(level))
                                   : TABLE_ENTRIES;
}

/* ---- accessing and creating tables */

static uint64_t *table_at(struct builder *b, uint64_t address)
{
    const struct table_request *request = b->request;

    if (address >> b->format->address_bits)
        return refuse(b, STATUS_REFUSED, b->format->beyond);
    uint64_t *table = request->reach(request->reach_context, phys_make(address));
    if (!table)
        return refuse(b, STATUS_REFUSED, "a page table of the firmware cannot be read");
    return table;
}

static uint64_t *table_new(struct builder *b, uint64_t *address)
{
    const struct table_request *request = b->request;

    if (request->arena_bytes - b->tree->arena_used < TABLE_BYTES)
        return refuse(b, STATUS_NO_MEMORY, "the memory set aside for page tables is too small");
    *address = request->arena.value + b->tree->arena_used;
    b->tree->arena_used += TABLE_BYTES;
    return table_at(b, *address);
}

static bool table_copy(struct builder *b, uint64_t *to, uint64_t from_address, unsigned level)
{
    const uint64_t *from = table_at(b, from_address);
    unsigned entries = entries_of(b, level);

    if (!from)
        return false;
    for (unsigned i = 0; i < TABLE_ENTRIES; i++) {
        to[i] = i < entries ? from[i] : 0;
        if (!(to[i] & TABLE_VALID))
            continue;
        if (address_in(b, to[i]) >> b->format->address_bits) {
            refuse(b, STATUS_REFUSED, b->format->beyond);
            return false;
        }
        if (!is_link(b, to[i], level))
            to[i] &= ~b->format->copy_drops;
    }
    return true;
}

/* Writes the 512 leaves that replace one large leaf of that level. */
static void leaf_split(const struct builder *b, uint64_t *to, uint64_t leaf, unsigned level)
{
    uint64_t step = 1ull << table_shift(level - 1);
    uint64_t base = address_in(b, leaf) & ~((1ull << table_shift(level)) - 1);
    uint64_t flags = b->format->split(leaf, level);

    for (unsigned i = 0; i < TABLE_ENTRIES; i++)
        to[i] = (base + i * step) | flags;
}

/* Returns the table below an entry of our own table; copies or creates it if it is not ours yet. */
static uint64_t *private_below(struct builder *b, uint64_t *entry, unsigned level)
{
    uint64_t old = *entry, address;
    bool valid = old & TABLE_VALID, link = is_link(b, old, level);

    if (link && is_read_only(b, old))
        return refuse(b, STATUS_REFUSED, "the firmware maps this range read-only as a whole");
    if (link && is_ours(b, old))
        return table_at(b, address_in(b, old));
    if (valid && !link && level > 3)
        return refuse(b, STATUS_REFUSED, "the firmware's page tables hold a reserved entry");

    uint64_t *to = table_new(b, &address);
    if (!to)
        return NULL;
    if (link) {
        if (!table_copy(b, to, address_in(b, old), level - 1))
            return NULL;
        *entry = (old & ~b->format->address) | address;
        return to;
    }
    if (valid) {
        leaf_split(b, to, old, level);
    } else {
        for (unsigned i = 0; i < TABLE_ENTRIES; i++)
            to[i] = 0;
    }
    /* rights are in the leaves: the link must not restrict them */
    *entry = address | b->format->link_flags | (valid ? old & b->format->link_takes : 0);
    return to;
}

static uint64_t *private_table(struct builder *b, uint64_t address, unsigned level)
{
    uint64_t *table = table_at(b, b->root);

    for (unsigned pos = b->format->top; table && pos > level; pos--)
        table = private_below(b, &table[table_slot(address, pos)], pos);
    return table;
}

/* ---- finding a free address range for the window */

static bool window_place(const struct builder *b, const uint64_t *table, unsigned level,
                         uint64_t address, uint64_t *base)
{
    uint64_t need = table_slots_needed(b->request->page, b->request->pages, level);
    unsigned entries = entries_of(b, level), slot;
    /* a window at address 0 would make null pointers readable */
    unsigned first = address == 0 ? 1 : 0;
    bool found;

    if (level == b->format->top && b->format->sign_extended)
        found = table_find_free(table, first, entries / 2, need, &slot) ||
                table_find_free(table, entries / 2, entries, need, &slot);
    else
        found = table_find_free(table, first, entries, need, &slot);
    if (found)
        *base = address | (uint64_t)slot << table_shift(level);
    return found;
}

/* Searches all firmware tables of level `target` below this one. */
static bool window_search(struct builder *b, uint64_t table_address, unsigned level,
                          unsigned target, uint64_t address, uint64_t *base)
{
    const uint64_t *table = table_at(b, table_address);

    if (!table)
        return false;
    if (level == target)
        return window_place(b, table, level, address, base);
    for (unsigned i = 0; i < entries_of(b, level) && b->status == STATUS_OK; i++) {
        uint64_t below = address | (uint64_t)i << table_shift(level);
        if (is_link(b, table[i], level) && !is_read_only(b, table[i]) &&
            window_search(b, address_in(b, table[i]), level - 1, target, below, base))
            return true;
    }
    return false;
}

/* Size of the contiguous address range from 0 that the root translates. */
static uint64_t reach_bytes(const struct table_format *format)
{
    return 1ull << (format->va_bits - (format->sign_extended ? 1 : 0));
}

static uint64_t canonical(const struct table_format *format, uint64_t address)
{
    uint64_t sign = format->sign_extended ? reach_bytes(format) : 0;
    return (address ^ sign) - sign;
}

static bool window_base(struct builder *b, uint64_t *base)
{
    const struct table_request *request = b->request;
    const struct table_format *format = b->format;

    if (request->map == MAP_IDENTITY) {
        *base = request->frame(request->frame_context, 0).value;
        if (*base + (request->pages << request->page) <= reach_bytes(format))
            return true;
        refuse(b, STATUS_REFUSED, "memory beyond the addresses that the firmware's tables reach");
        return false;
    }
    for (unsigned target = format->top; target >= b->leaf; target--) {
        if (window_search(b, format->root, format->top, target, 0, base)) {
            *base = canonical(format, *base);
            return true;
        }
        if (b->status != STATUS_OK)
            return false;
    }
    refuse(b, STATUS_REFUSED, "the firmware's page tables have no free range of this size");
    return false;
}

/* ---- building */

static bool request_sane(struct builder *b)
{
    const struct table_request *request = b->request;

    if (request->pages == 0 || request->pages > reach_bytes(b->format) >> request->page)
        refuse(b, STATUS_BAD_INPUT, "no page, or more pages than the address space has room for");
    else if (request->arena.value % TABLE_BYTES)
        refuse(b, STATUS_BAD_INPUT, "the memory for page tables is not aligned to 4 KiB");
    return b->status == STATUS_OK;
}

static bool frame_fits(struct builder *b, uint64_t base, uint64_t page, uint64_t frame)
{
    const struct table_request *request = b->request;
    uint64_t bytes = 1ull << request->page;

    if (frame & (bytes - 1) || frame >> b->format->address_bits)
        refuse(b, STATUS_BAD_INPUT, "a frame is not aligned or lies beyond the physical addresses");
    else if (request->map == MAP_IDENTITY && frame != base + page * bytes)
        refuse(b, STATUS_BAD_INPUT, "an identity map needs one contiguous run of frames");
    return b->status == STATUS_OK;
}

static void leaves_write(struct builder *b, uint64_t base)
{
    const struct table_request *request = b->request;
    unsigned entries = entries_of(b, b->leaf);
    uint64_t page = 0;

    while (page < request->pages && b->status == STATUS_OK) {
        uint64_t address = base + (page << request->page);
        uint64_t *table = private_table(b, address, b->leaf);
        if (!table)
            return;
        b->tree->leaf_bytes += entries * 8ull;
        for (unsigned slot = table_slot(address, b->leaf); slot < entries && page < request->pages;
             slot++, page++) {
            uint64_t frame = request->frame(request->frame_context, page).value;
            if (!frame_fits(b, base, page, frame))
                return;
            table[slot] = frame | b->format->leaf_flags;
        }
    }
}

static bool root_copy(struct builder *b)
{
    uint64_t *root = table_new(b, &b->root);

    if (!root || !table_copy(b, root, b->format->root, b->format->top))
        return false;
    b->tree->root = b->root | b->format->root_flags;
    return true;
}

enum status table_check(const struct table_check *checks, size_t count, struct table_tree *tree)
{
    *tree = (struct table_tree){.refusal = NULL};
    for (size_t i = 0; i < count; i++) {
        if (!checks[i].wrong)
            continue;
        tree->refusal = checks[i].why;
        return checks[i].status;
    }
    return STATUS_OK;
}

enum status table_build(const struct table_format *format, const struct table_request *request,
                        struct table_tree *tree)
{
    struct builder b = {.format = format,
                        .request = request,
                        .tree = tree,
                        .leaf = table_leaf_level(request->page),
                        .status = STATUS_OK};
    uint64_t base = 0;

    *tree = (struct table_tree){.refusal = NULL};
    if (request_sane(&b) && window_base(&b, &base) && root_copy(&b))
        leaves_write(&b, base);
    tree->base = (uintptr_t)base;
    if (b.status != STATUS_OK) {
        tree->root = 0;
        tree->base = 0;
    }
    return b.status;
}
