/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds a private address space: a copy of the firmware's root table, private copies of the tables
 * on the path to the window, and the window's leaves. All other tables are shared, and no firmware
 * table is written. The meaning of an entry's bits comes from arch/ as a struct table_format; the
 * geometry from core/mapping/slots.h. Pure, except for request->reach. */
#ifndef CORE_MAPPING_TABLES_H
#define CORE_MAPPING_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/phys.h"
#include "core/lib/status.h"
#include "core/machine.h"

/* The window to map. */
struct table_request {
    enum page_size page;
    enum map_mode map;
    uint64_t pages; /* of size page */
    /* Returns the frame of page i, aligned to the page size. MAP_IDENTITY requires frames to be
     * contiguous and ascending. */
    phys_addr (*frame)(void *context, uint64_t page);
    void *frame_context;
    phys_addr arena; /* where new tables go: 4 KiB aligned, write-back */
    uint64_t arena_bytes;
    /* Returns a pointer to the table at a physical address (identity in the firmware, arrays in
     * tests); NULL if it cannot be read, and then the build is refused. */
    void *(*reach)(void *context, phys_addr table);
    void *reach_context;
};

/* The result. Unless the status is STATUS_OK, root and base are 0 and refusal says why. */
struct table_tree {
    uint64_t root;  /* value to load into CR3 or TTBR0_ELx */
    uintptr_t base; /* virtual address of page 0 */
    uint64_t arena_used;
    uint64_t leaf_bytes; /* bytes of the tables that hold this window's leaves */
    const char *refusal;
};

/* How to read the firmware's tables and write ours. Flags are bits of an entry. */
struct table_format {
    unsigned top;              /* level of the root */
    unsigned va_bits;          /* of an address that the root translates */
    unsigned address_bits;     /* of a physical address */
    bool sign_extended;        /* addresses have two halves: bit va_bits - 1 is sign-extended */
    uint64_t root, root_flags; /* firmware's root table; flags kept in the root register */
    uint64_t address;          /* mask of an entry's address */
    uint64_t leaf_flags;       /* of the window's leaves */
    uint64_t link_flags;       /* of our links (entries that point to a table) */
    uint64_t link_takes;       /* flags a link inherits from the large leaf it replaces */
    uint64_t copy_drops;       /* flags to clear in the leaves of a copied table */
    uint64_t link_writable;    /* a link that lacks these flags, or has one of those below, */
    uint64_t link_read_only;   /* makes everything below it read-only */
    /* True if a valid entry at a level above 1 points to a table. */
    bool (*is_link)(uint64_t entry, unsigned level);
    /* Returns the flags of the leaves one level down that replace this leaf. */
    uint64_t (*split)(uint64_t leaf, unsigned level);
    const char *beyond; /* refusal text if an entry's address exceeds address_bits */
};

/* A condition under which the build is refused. */
struct table_check {
    bool wrong;
    enum status status;
    const char *why;
};

/* Clears *tree. If a check is wrong, returns the first such check's status and sets
 * tree->refusal. */
enum status table_check(const struct table_check *checks, size_t count, struct table_tree *tree);

/* Builds the tables in the arena. MAP_WINDOW places the window in a free address range as close to
 * the root as possible. STATUS_REFUSED: an address beyond address_bits, an unreadable table, an
 * entry that is invalid at its level, a read-only link above an identity map, memory beyond
 * va_bits, or no free range. STATUS_NO_MEMORY: the arena is too small. STATUS_BAD_INPUT: the
 * request is invalid. */
enum status table_build(const struct table_format *format, const struct table_request *request,
                        struct table_tree *tree);

#endif
