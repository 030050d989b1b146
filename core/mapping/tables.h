/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds a private address space beside the firmware's: a copy of its root, private copies of the
 * tables on the way to the window, and the window's own leaves. Everything else stays shared, and
 * no table of the firmware's is written. What the bits of an entry mean is arch/'s, handed in as a
 * struct table_format; the geometry is core/mapping/slots.h's. Pure, but for request->reach. */
#ifndef CORE_MAPPING_TABLES_H
#define CORE_MAPPING_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/phys.h"
#include "core/lib/status.h"
#include "core/machine.h"

/* The window that is asked for. */
struct table_request {
    enum page_size page;
    enum map_mode map;
    uint64_t pages; /* of size page */
    /* The frame of page i, aligned to the page size. MAP_IDENTITY: ascending and contiguous. */
    phys_addr (*frame)(void *context, uint64_t page);
    void *frame_context;
    phys_addr arena; /* our tables go here, 4 KiB aligned, write-back */
    uint64_t arena_bytes;
    /* How the builder reaches a table at a physical address: identity in the firmware, arrays in
     * tests. NULL answer: not readable, the build is refused. */
    void *(*reach)(void *context, phys_addr table);
    void *reach_context;
};

/* What was built. Not STATUS_OK: root and base are 0, and refusal says why, in words. */
struct table_tree {
    uint64_t root;  /* to be loaded: CR3, TTBR0_ELx */
    uintptr_t base; /* virtual address of page 0 */
    uint64_t arena_used;
    uint64_t leaf_bytes; /* of the tables that hold this window's leaves */
    const char *refusal;
};

/* How one firmware's tables are to be read, and ours to be written. Flags are an entry's bits. */
struct table_format {
    unsigned top;              /* level of the root */
    unsigned va_bits;          /* of an address that the root translates */
    unsigned address_bits;     /* of a physical address */
    bool sign_extended;        /* the uppermost of va_bits goes on above: addresses in two halves */
    uint64_t root, root_flags; /* the firmware's root table; what ours keeps of its register */
    uint64_t address;          /* mask of an entry's address */
    uint64_t leaf_flags;       /* of the window's leaves */
    uint64_t link_flags;       /* of a link of ours */
    uint64_t link_takes;       /* flags that it takes over from the large leaf that it replaces */
    uint64_t copy_drops;       /* flags that a leaf in a copied table must not keep */
    uint64_t link_writable;    /* a link without these, or with one of those, makes all below it */
    uint64_t link_read_only;   /* read-only */
    /* Whether a valid entry of a level above 1 leads to a table. */
    bool (*is_link)(uint64_t entry, unsigned level);
    /* The flags of the leaves a level further down that together are this one. */
    uint64_t (*split)(uint64_t leaf, unsigned level);
    const char *beyond; /* the refusal where an entry's address exceeds address_bits */
};

/* A reason not to build. */
struct table_check {
    bool wrong;
    enum status status;
    const char *why;
};

/* Empties *tree; the first check that is wrong is the answer, with its refusal. */
enum status table_check(const struct table_check *checks, size_t count, struct table_tree *tree);

/* Builds into the arena. MAP_WINDOW takes a free range of addresses as near to the root as there is
 * one. STATUS_REFUSED: an address beyond address_bits, a table that cannot be read, an entry that
 * no level has, a read-only link above an identity map, memory beyond va_bits, or no free range.
 * STATUS_NO_MEMORY: the arena is too small. STATUS_BAD_INPUT: the request itself is wrong. */
enum status table_build(const struct table_format *format, const struct table_request *request,
                        struct table_tree *tree);

#endif
