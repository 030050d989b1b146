/* SPDX-License-Identifier: BSD-2-Clause */
/* What the modules that the firmware describes are together, held against the memory map and what
 * the board should have. Pure; core/measure/modules.c makes records of it. */
#ifndef CORE_DRAM_MODULES_H
#define CORE_DRAM_MODULES_H

#include "core/inventory.h"

enum modules_ecc { MODULES_ECC_UNKNOWN, MODULES_ECC_OFF, MODULES_ECC_ON, MODULES_ECC_MIXED };

/* Firmware keeps some memory to itself, so less than the smallest rank may be missing. */
enum modules_map {
    MODULES_MAP_UNKNOWN,
    MODULES_MAP_AGREES,
    MODULES_MAP_LACKS,  /* a rank or more of what the modules hold */
    MODULES_MAP_EXCEEDS /* it lists more ordinary memory than the modules hold */
};

struct modules_summary {
    uint32_t slots, fitted; /* of system memory; 0 slots: none is described */
    uint32_t of_unknown_size;
    uint64_t bytes;             /* of those of known size */
    uint64_t rank_bytes;        /* of the smallest rank; of a module whose ranks are not told */
    uint32_t mts_low, mts_high; /* slowest and fastest configured speed; 0: none is told */
    uint32_t mts_untold;        /* modules whose speed is not told */
    uint32_t channels;          /* with a module; 0: not told of every module */
    enum modules_ecc ecc;
    uint64_t map_bytes; /* memory that the memory map lists; 0: none */
    enum modules_map map;
};

/* Whether the slot is of system memory, or not said to be of anything else. */
bool modules_counts(const struct dimm_info *dimm);
/* "off", "on", "mixed"; NULL: unknown. */
const char *modules_ecc_name(enum modules_ecc ecc);

/* Sums up dimms[count] and memory[memory_count]. Error correction is that of type 16, where that is
 * not told by the widths. */
void modules_sum(const struct dimm_info *dimms, size_t count, const struct module_arrays *arrays,
                 const struct memory_range *memory, size_t memory_count,
                 struct modules_summary *summary);

#endif
