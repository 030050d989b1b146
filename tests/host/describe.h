/* SPDX-License-Identifier: BSD-2-Clause */
/* What this machine is, by the CPU's unprivileged word and the kernel's files. */
#ifndef TESTS_HOST_DESCRIBE_H
#define TESTS_HOST_DESCRIBE_H

#include "arch/arch.h"
#include "core/results/notes.h"

/* The words that a description points to. */
struct description_words {
    char firmware[160], board[160], bios[160], pinned[64];
    struct arch_facts facts;
    struct cpu_info cpus[CPUS_MAX];
    struct memory_range memory[MEMORY_RANGES_MAX];
};

/* Everything but clock, page sizes and what the chases can do. cpu is the one that runs. */
void describe(struct machine_description *description, struct description_words *words,
              uint32_t cpu, struct notes *notes);

#endif
