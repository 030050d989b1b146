/* SPDX-License-Identifier: BSD-2-Clause */
/* The hardware as declared by registers and firmware tables, never as measured. */
#ifndef CORE_INVENTORY_H
#define CORE_INVENTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/phys.h"

#define CACHE_LEVELS_MAX  8
#define TLB_LEVELS_MAX    16
#define DIMMS_MAX         64
#define SMBIOS_CACHES_MAX 32
#define MEMORY_RANGES_MAX 256
#define CPUS_MAX          1024
#define NODES_MAX         64
#define NODE_UNKNOWN      UINT32_MAX

struct cache_level {
    uint8_t level; /* 1, 2, 3, ... */
    bool unified;  /* false: data only */
    uint32_t ways; /* 0 unknown; UINT32_MAX fully associative */
    uint32_t line_bytes;
    uint32_t shared_by; /* logical CPUs; 0 unknown */
    uint64_t bytes;
};

/* SMBIOS type 7: what the firmware says of a cache, which is often wrong. Its bytes are those of a
 * whole socket: of all caches of that level and kind together. */
struct smbios_cache {
    char name[24];    /* "" unknown */
    const char *kind; /* "data", "unified", "instruction"; NULL unknown */
    uint8_t level;    /* 1 to 8 */
    bool enabled;
    bool beyond;    /* only SMBIOS declares a cache so far from the core (core/firmware/smbios.h) */
    uint32_t ways;  /* 0 unknown; UINT32_MAX fully associative */
    uint64_t bytes; /* installed; 0: none, or unknown */
};

struct tlb_level {
    uint8_t level;
    uint8_t page_log2;      /* 12, 21, 30 */
    uint32_t entries, ways; /* ways 0 unknown; UINT32_MAX fully associative */
};

/* Whether a host's tables stand between the machine's addresses and its memory. */
enum guest { GUEST_UNKNOWN, GUEST_NO, GUEST_YES };

enum memory_kind {
    MEMORY_ORDINARY,
    MEMORY_SPECIFIC,   /* EFI_MEMORY_SP (UEFI 2.10, 7.2.3): kept for special uses, as CXL and HBM
                          memory is */
    MEMORY_NONVOLATILE /* by the SRAT */
};

struct memory_range {
    phys_addr base;
    uint64_t bytes;
    uint32_t node; /* NODE_UNKNOWN */
    enum memory_kind kind;
    uint64_t cache_bytes; /* of the memory-side caches that are declared in front of it; 0: none */
    bool usable;          /* conventional, write-back: can be used for windows */
};

/* A node with its memory: ordinary, and of any kind. A node with none has CPUs alone. */
struct node_info {
    uint32_t number;
    uint64_t ordinary_bytes, bytes;
};

/* What is claimed of the way from a node's CPUs to a node's memory; nobody has measured it. */
struct node_claim {
    uint32_t from, to;
    uint32_t distance;  /* as the SLIT counts, 10 is local; 0: not told */
    double latency_ns;  /* of an access; 0: not told */
    double bytes_per_s; /* that all of the node's CPUs can read; 0: not told */
};

/* The nodes of a machine, and what is claimed of pairs of them. */
struct node_map {
    const char *source; /* "SLIT", "HMAT", ...: of the claims; NULL: there are none */
    size_t count, claim_count;
    uint32_t more; /* nodes for which there was no room */
    struct node_info node[NODES_MAX];
    struct node_claim claim[NODES_MAX * NODES_MAX];
};

/* CPUID 1Ah, EAX 31..24. */
#define CPU_TYPE_EFFICIENCY  0x20
#define CPU_TYPE_PERFORMANCE 0x40

struct cpu_info {
    uint64_t hardware_id; /* APIC id, MPIDR */
    uint32_t firmware_id; /* ACPI processor id; 0 also if there is none */
    uint32_t node;        /* NODE_UNKNOWN */
    uint32_t number;      /* by which cpus= and records name it: the kernel's, else its place in the
                             firmware's table */
    uint32_t core;        /* threads of one core have the same */
    uint32_t module;
    uint32_t type;      /* 0 unknown, else CPU_TYPE_ */
    uint8_t efficiency; /* MADT efficiency class (ACPI 6.5, 5.2.12.14): lower is thriftier */
    bool efficiency_known;
    bool enabled;
    char name[48];
};

/* SMBIOS type 17, with what types 16, 20 and 37 add. Strings are "" if unknown, numbers 0. */
struct dimm_info {
    char locator[48], bank[48], maker[32], part[32];
    char type[12];      /* "DDR4", "DDR5", "LPDDR5", ... */
    uint64_t bytes;     /* 0: slot empty; DIMM_UNKNOWN: fitted, of unknown size */
    uint32_t rated_mts; /* megatransfers per second */
    uint32_t configured_mts;
    uint8_t ranks;
    uint16_t data_bits, total_bits; /* total > data: ECC */
    uint16_t configured_mv;
    const char *use; /* "system memory", "persistent memory", "flash", ...; NULL unknown */
    const char *ecc; /* of its array: "none", "single-bit", "multi-bit", ...; NULL unknown */
    /* Slots of one channel have the same one; "" unknown. By type 37 its number there, else what
     * the slot's name says up to the channel's letter or number, as firmware vendors name slots. */
    char channel[48];
    const char *channel_source; /* "SMBIOS type 37", "name"; NULL unknown */
    /* Where it is mapped, first and last address; DIMM_UNKNOWN. Where it is interleaved: a range
     * that it shares, of how many units in turn it holds (0 unknown), and the first one's place. */
    uint64_t physical_first, physical_last;
    uint8_t interleave_depth, interleave_position; /* position from 1 on */
};
#define DIMM_UNKNOWN UINT64_MAX

/* SMBIOS types 16 and 19, of system memory; 0: not told. */
struct module_arrays {
    uint32_t slots;
    uint64_t max_bytes;    /* that all slots together can hold */
    uint64_t mapped_bytes; /* in the ranges of physical addresses */
};

/* An error that the firmware says the boot before ended with, or had. */
struct boot_error {
    bool corrected, memory;
    uint64_t physical; /* where in memory; UINT64_MAX: not told */
    char words[96];    /* the unit and its place, as the firmware names them; "" */
};

#define BOOT_ERRORS_MAX 8

struct boot_errors {
    struct boot_error error[BOOT_ERRORS_MAX];
    size_t count;
    uint32_t more;       /* for which there was no room */
    uint32_t bad;        /* tables or entries that make no sense */
    bool firmware_first; /* corrected errors go to the firmware, which clears what counts them */
};

#endif
