/* SPDX-License-Identifier: BSD-2-Clause */
/* What a board is called, by which baselines tell one model from another. Pure. */
#ifndef CORE_FIRMWARE_BOARD_H
#define CORE_FIRMWARE_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a name can come from; what is not known is "" or 0. */
struct board_words {
    const char *maker, *product, *version;     /* SMBIOS type 2 */
    const char *system_maker, *system_product; /* SMBIOS type 1 */
    const char *model;                         /* of a device tree */
    const char *cpu;
    uint64_t memory_bytes; /* all that the machine has, less what firmware or kernel keep */
};

/* Whether firmware has such words where nobody filled anything in ("To Be Filled By O.E.M."). */
bool board_is_placeholder(const char *words);

/* Writes the name: that of the board, else of the system, of the device tree, or, where nothing
 * names the machine, its CPU and the memory that is likely fitted ("AMD EPYC 7763, 64G").
 * Placeholders are no name. Returns "smbios", "device-tree" or "cpu-and-memory"; NULL: nothing
 * tells this machine from others, and name is "". */
const char *board_name(const struct board_words *words, char *name, size_t capacity);

/* What is likely fitted where so much is left of it: the next eighth of a power of two, so that it
 * is the same whatever firmware or kernel keep to themselves. 0: nothing. */
uint64_t board_memory(uint64_t bytes);

#endif
