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

/* Whether ordinary memory is of more than one node. */
bool modules_several_nodes(const struct memory_range *memory, size_t count);

/* What the board should have; 0 and MODULES_ECC_UNKNOWN: anything. */
struct modules_expected {
    uint32_t dimms, channels;
    uint64_t bytes; /* of all modules together, and of memory in the memory map but for a rank */
    uint32_t mts;   /* configured, of every module */
    enum modules_ecc ecc;
};

enum modules_met { MODULES_UNTOLD, MODULES_UNMET, MODULES_MET };

#define MODULES_HELD_MAX 5

/* One expectation, held against what there is. */
struct modules_held {
    const char *name;             /* of the option: "expect-dimms" */
    char expected[16], found[28]; /* as the option would have it; found "" if it is not told */
    enum modules_met met;
    const char *why; /* it is not met, or that is not told; NULL otherwise */
};

/* Holds what is expected against the summary; returns how many expectations there are. A speed is
 * met within a thousandth, as firmware rounds 2666.67 up or down. */
size_t modules_hold(const struct modules_expected *expected, const struct modules_summary *summary,
                    struct modules_held held[MODULES_HELD_MAX]);

/* How many banks the fitted modules have, of all channels and ranks together. */
struct modules_banks {
    uint32_t low, high; /* with the widest chips that their types have, and with narrower ones */
    bool between;       /* the modules differ, so some may have the widest chips and others not */
    const char *why;    /* it is not told, and low and high are 0; else NULL */
};

/* Banks of a rank by type, for chips of 16 bits and of fewer: DDR3 8 (JESD79-3), DDR4 8 and 16
 * (JESD79-4), DDR5 16 and 32 for each 32 bits (JESD79-5), LPDDR4 8 (JESD209-4), LPDDR5 8 and 16
 * (JESD209-5, by its bank mode) for each 16 bits. Widths of chips are not in SMBIOS; where a
 * channel's width, error correction included, is no multiple of 16 they are narrower. */
void modules_count_banks(const struct dimm_info *dimms, size_t count, struct modules_banks *banks);

enum modules_agreement { MODULES_NOT_HELD, MODULES_AGREE, MODULES_DIFFER };

/* Holds banks that were found, from low to high (high infinite or NAN: no bound) in so many bytes
 * of memory, against those of the modules. *why: the reason for MODULES_NOT_HELD, else NULL. Fewer
 * differ only if the search left out less than a rank of the memory there is. */
enum modules_agreement modules_hold_banks(const struct modules_banks *banks,
                                          const struct modules_summary *summary, double found_low,
                                          double found_high, uint64_t searched_bytes,
                                          const char **why);
/* "agree", "does-not", "unknown" */
const char *modules_agreement_name(enum modules_agreement agreement);

#endif
