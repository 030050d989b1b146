/* SPDX-License-Identifier: BSD-2-Clause */
/* Which memory and which CPUs are near each other: ACPI's System Resource Affinity Table, System
 * Locality Distance Information Table and Heterogeneous Memory Attribute Table (ACPI 6.5, sections
 * 5.2.16, 5.2.17, 5.2.28), all read as untrusted input. What they claim of latency and bandwidth is
 * never a figure of its own: it is what figures are held against. A node is the firmware's
 * proximity domain. */
#ifndef CORE_FIRMWARE_NUMA_H
#define CORE_FIRMWARE_NUMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/firmware/acpi.h"
#include "core/inventory.h"
#include "core/lib/phys.h"

#define NUMA_RANGES_MAX     256
#define NUMA_CACHES_MAX     64
#define NUMA_LOCALITIES_MAX 32

struct numa_range {
    phys_addr base, end; /* [base, end), not empty */
    uint32_t node;
    bool nonvolatile;
};

/* A memory-side cache: in front of a node's memory, behind all caches of the CPUs. */
struct numa_cache {
    uint32_t node, line_bytes; /* line_bytes 0: unknown */
    uint64_t bytes;
    uint8_t level, levels; /* its level of `levels`, 1 next to the memory; 0: unknown */
};

/* One table of the HMAT: what memory costs, or carries, from nodes to nodes. */
struct numa_locality {
    const uint8_t *pos; /* the structure, all of it within the HMAT */
    uint32_t sources, targets;
    uint8_t type; /* of its data, 0 to 5 (ACPI 6.5, table 5.146) */
};

struct numa_facts {
    bool known; /* there is a SRAT */
    struct numa_range range[NUMA_RANGES_MAX];
    size_t range_count;
    struct numa_cache cache[NUMA_CACHES_MAX];
    size_t cache_count;
    struct numa_locality locality[NUMA_LOCALITIES_MAX]; /* of memory itself, not of its caches */
    size_t locality_count;
    uint8_t hmat_revision;
    const uint8_t *distance; /* [nodes][nodes], points into the SLIT; NULL: none */
    uint32_t nodes;
    uint32_t bad_srat, bad_slit, bad_hmat; /* structures ignored: malformed, or too many */
};

/* Reads the tables that acpi_read has found, and sets the node of every CPU that the SRAT names. */
void numa_read(struct acpi_facts *acpi, struct numa_facts *numa);

/* Returns an address, above base and at most end, up to which all memory is of *node; the same node
 * may continue behind it. NODE_UNKNOWN: no node claims it, or several do. base is below end. */
phys_addr numa_same_node(const struct numa_facts *numa, phys_addr base, phys_addr end,
                         uint32_t *node);

/* Which memory a window is made of: of one node (NODE_ANY: of every) and, unless the user names a
 * range of it, no nonvolatile memory: a headline of that is none of DRAM. */
struct numa_wanted {
    uint32_t node;
    bool by_range;
};
/* Returns an address, above base and at most end, up to which all memory is wanted (*yes), or none
 * is. base is below end. Pure. */
phys_addr numa_same_wanted(const struct numa_facts *numa, const struct numa_wanted *wanted,
                           phys_addr base, phys_addr end, bool *yes);

/* Cuts ranges of memory (sorted, disjoint) where the node or the kind changes, and sets both.
 * ranges has room for `max`; what cannot be cut for lack of room has an unknown node. Returns the
 * new count. */
size_t numa_cut(const struct numa_facts *numa, struct memory_range *ranges, size_t count,
                size_t max);

/* The SLIT's distance, where 10 is local; 0: unknown, or unreachable. */
unsigned numa_distance(const struct numa_facts *numa, uint32_t from, uint32_t to);

/* What the HMAT claims that an access takes from a CPU of one node to another's memory: of any
 * access, else of a read. 0: it claims nothing of it. */
double numa_latency_ns(const struct numa_facts *numa, uint32_t from, uint32_t to);
/* The same of what all of a node's CPUs together can move in a second. ACPI's MB are taken as
 * 2^20 bytes, as QEMU writes and Linux reads them (docs/admin-guide/mm/numaperf.rst); a firmware
 * that means 10^6 is taken for 5 % more than it says. */
double numa_bytes_per_s(const struct numa_facts *numa, uint32_t from, uint32_t to);
/* What SLIT and HMAT claim of that pair. */
struct node_claim numa_claim(const struct numa_facts *numa, uint32_t from, uint32_t to);

/* Bytes of all memory-side caches in front of a node's memory; 0: none is declared. */
uint64_t numa_cache_bytes(const struct numa_facts *numa, uint32_t node);

/* The node whose memory a CPU of that node should measure: its own if it has any that is ordinary
 * and usable, else the nearest by the SLIT. NODE_UNKNOWN: there is nothing to choose by. */
uint32_t numa_home(const struct numa_facts *numa, const struct memory_range *ranges, size_t count,
                   uint32_t cpu_node);

#endif
