/* SPDX-License-Identifier: BSD-2-Clause */
/* AArch64 page tables with the 4 KiB granule: decided from register words, built through the
 * request's reach, without register access. The contracts are those of arch_tables_bytes and
 * arch_tables_build in arch/arch.h. Descriptors: Arm Architecture Reference Manual (DDI 0487),
 * D8.3.
 *
 * Levels are counted from the leaves, as on x86-64: 1 holds 4 KiB pages (the architecture's level
 * 3), 2 and 3 hold 2 MiB and 1 GiB blocks or links, 4 (its level 0) links only. The root is at
 * level 4 for T0SZ 16 to 24 and at level 3 for 25 to 33; T0SZ determines its number of entries. */
#ifndef ARCH_AARCH64_PURE_PAGING_H
#define ARCH_AARCH64_PURE_PAGING_H

#include "arch/arch.h"

#define PAGING_T0SZ_MIN 16u
#define PAGING_T0SZ_MAX 33u

/* Bits of an entry. */
#define ENTRY_VALID           (1ull << 0)
#define ENTRY_TABLE           (1ull << 1) /* levels 2 to 4: a link; level 1: a page */
#define ENTRY_ATTRIBUTE(n)    ((uint64_t)(n) << 2)
#define ENTRY_AP1             (1ull << 6) /* EL0 access; RES1 in a regime without EL0 */
#define ENTRY_READ_ONLY       (1ull << 7)
#define ENTRY_INNER_SHAREABLE (3ull << 8)
#define ENTRY_ACCESSED        (1ull << 10)
#define ENTRY_CONTIGUOUS      (1ull << 52)
#define ENTRY_PXN             (1ull << 53)
#define ENTRY_XN              (1ull << 54) /* UXN in a regime with EL0 */
#define ENTRY_LINK_READ_ONLY  (1ull << 62) /* APTable[1]: everything below is read-only */
#define ENTRY_ADDRESS         0x0000fffffffff000ull

uint64_t aarch64_tables_bytes(const struct arch_paging *paging, enum page_size page,
                              enum map_mode map, uint64_t pages);

/* Leaves are valid, accessed, inner shareable, writable, execute-never, and use the write-back MAIR
 * attribute. The contiguous hint is never set, and it is cleared in leaves of copied firmware
 * tables, because their neighbours may change. STATUS_REFUSED: a granule other than 4 KiB, LPA2,
 * T0SZ outside 16 to 33, TTBR0 walks disabled or not write-back, no write-back attribute in MAIR,
 * firmware entries with addresses beyond the CPU's limit, an unreadable table, a read-only link
 * above an identity map, or no free address range. STATUS_UNSUPPORTED: translation or caches are
 * off. STATUS_NO_MEMORY: the arena is too small. STATUS_BAD_INPUT: the request is invalid. */
enum status aarch64_tables_build(const struct arch_table_request *request, struct table_tree *tree);

#endif
