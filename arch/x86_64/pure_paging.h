/* SPDX-License-Identifier: BSD-2-Clause */
/* 4- and 5-level page tables of x86-64: decided from register words, built through the request's
 * reach, without register access. The contracts are those of arch_tables_bytes and
 * arch_tables_build in arch/arch.h. Entry layout: Intel SDM volume 3, 4.5.
 *
 * Levels are counted from the leaves: 1 holds 4 KiB leaves, 2 and 3 hold 2 MiB and 1 GiB leaves or
 * links, 4 and 5 links only. The root is at level 4, or 5 with CR4.LA57. */
#ifndef ARCH_X86_64_PURE_PAGING_H
#define ARCH_X86_64_PURE_PAGING_H

#include "arch/arch.h"

/* Bits of an entry. */
#define ENTRY_PRESENT       (1ull << 0)
#define ENTRY_WRITABLE      (1ull << 1)
#define ENTRY_USER          (1ull << 2)
#define ENTRY_WRITE_THROUGH (1ull << 3)
#define ENTRY_CACHE_DISABLE (1ull << 4)
#define ENTRY_ACCESSED      (1ull << 5)
#define ENTRY_DIRTY         (1ull << 6)
#define ENTRY_LARGE         (1ull << 7) /* levels 2 and 3: a leaf */
#define ENTRY_PAT_4K        (1ull << 7) /* level 1 */
#define ENTRY_PAT_LARGE     (1ull << 12)
#define ENTRY_NO_EXECUTE    (1ull << 63)
#define ENTRY_ADDRESS       0x000ffffffffff000ull

uint64_t x86_64_tables_bytes(const struct arch_paging *paging, enum page_size page,
                             enum map_mode map, uint64_t pages);

/* Leaves are present, writable, accessed, dirty, not global, no-execute if EFER.NXE is set, and use
 * the write-back PAT entry. STATUS_UNSUPPORTED: the CPU has no leaves of that size. STATUS_REFUSED:
 * PCIDs or shadow stacks in use, caches off, no write-back PAT entry, firmware entries with
 * addresses beyond MAXPHYADDR (memory encryption), an unreadable table, a read-only link above an
 * identity map, or no free address range. STATUS_NO_MEMORY: the arena is too small.
 * STATUS_BAD_INPUT: the request is invalid. */
enum status x86_64_tables_build(const struct arch_table_request *request, struct table_tree *tree);

#endif
