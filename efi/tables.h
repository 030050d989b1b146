/* SPDX-License-Identifier: BSD-2-Clause */
/* What the firmware's tables and the CPU's registers say about the machine, read once at the start
 * and combined into its description. */
#ifndef EFI_TABLES_H
#define EFI_TABLES_H

#include "arch/arch.h"
#include "core/firmware/acpi.h"
#include "core/firmware/board.h"
#include "core/firmware/devicetree.h"
#include "core/firmware/fpdt.h"
#include "core/firmware/numa.h"
#include "core/firmware/smbios.h"
#include "core/results/notes.h"
#include "core/verdict/soak.h"
#include "efi/firmware.h"
#include "efi/memory.h"

struct tables {
    struct acpi_facts acpi;
    struct devicetree_facts devicetree;
    struct numa_facts numa;
    struct node_map nodes;
    struct smbios_facts smbios;
    struct boot_errors boot_errors;
    struct fpdt_times times;    /* of the boot */
    const char *times_why;      /* they are not known; NULL: they are */
    uint64_t smbios_side_bytes; /* of the largest cache that SMBIOS alone declares; 0: none */
    struct arch_facts cpu;
    struct memory_range memory[MEMORY_RANGES_MAX];
    size_t memory_count;
    uint32_t home_node;
    struct machine_state state;
    struct census_bits bits;
    char firmware[96], bios[128];
    char board[112];          /* by SMBIOS; "": no name, files of its own have none of it */
    char described[112];      /* the same, or what else tells the machine from others */
    const char *board_source; /* as board_name gives it */
};

/* Never fails: what is missing is unknown, and becomes a note. */
void tables_read(struct tables *tables, const struct firmware *fw, struct notes *notes);
/* Fills in everything but clock, notes and chains. The description points into *tables, whose CPU
 * list is reordered (the running one first). */
void tables_describe(struct tables *tables, struct machine_description *description);
/* What names files of this board alone, as soak_key gives it. */
void tables_key(const struct tables *tables, char key[SOAK_KEY_BYTES]);

#endif
