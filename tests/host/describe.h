/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes this machine, from unprivileged CPU instructions and the kernel's files. */
#ifndef TESTS_HOST_DESCRIBE_H
#define TESTS_HOST_DESCRIBE_H

#include "arch/arch.h"
#include "core/firmware/board.h"
#include "core/firmware/smbios.h"
#include "core/results/notes.h"

/* Storage for the strings that a description points to. */
struct description_words {
    char firmware[160], board[160], bios[160], pinned[64];
    const char *board_source;
    struct arch_facts facts;
    struct cpu_info cpus[CPUS_MAX];
    struct memory_range memory[MEMORY_RANGES_MAX];
    struct node_map nodes;
    struct smbios_facts smbios;
};

/* Fills everything except clock, page sizes and the chases' capabilities. cpu: the one that runs
 * the chases. */
void describe(struct machine_description *description, struct description_words *words,
              uint32_t cpu, struct notes *notes);

#endif
