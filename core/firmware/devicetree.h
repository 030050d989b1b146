/* SPDX-License-Identifier: BSD-2-Clause */
/* What a flattened devicetree says of the CPUs and of how they are started: Devicetree
 * Specification 0.4, chapter 5 (the format) and section 3.8 (cpus); compatible strings and methods
 * of PSCI are those of Linux's binding arm,psci. Nobody trusts it: nothing is read past its end,
 * and no length ends anywhere else. */
#ifndef CORE_FIRMWARE_DEVICETREE_H
#define CORE_FIRMWARE_DEVICETREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/inventory.h"
#include "core/lib/status.h"

/* So many bytes say how long a tree is. */
#define DEVICETREE_HEAD_BYTES 8u

enum devicetree_psci {
    DEVICETREE_NO_PSCI,
    DEVICETREE_PSCI_OLD, /* 0.1 alone, with function numbers of its own */
    DEVICETREE_PSCI_HVC, /* 0.2 or later, by hypervisor call */
    DEVICETREE_PSCI_SMC, /* the same, by secure monitor call */
    DEVICETREE_PSCI_ODD  /* the same, by a method that is not known, or without one */
};

/* How a CPU's node has it started. */
enum devicetree_enable { ENABLE_NOT_TOLD, ENABLE_PSCI, ENABLE_SPIN_TABLE, ENABLE_OTHER };

struct devicetree_cpu {
    uint64_t id; /* reg: MPIDR's affinity fields */
    enum devicetree_enable enable;
    bool available; /* its status says nothing against it */
};

struct devicetree_facts {
    bool known; /* there is a tree, and its format is sound */
    enum devicetree_psci psci;
    struct devicetree_cpu cpu[CPUS_MAX]; /* each id once, in the tree's order */
    size_t cpu_count;
    uint32_t cpus_dropped; /* listed, but beyond CPUS_MAX */
};

/* The bytes of the whole tree, from its first DEVICETREE_HEAD_BYTES; 0: it is none, or of a length
 * that is not believed (more than 2 MiB: Linux's boot protocol allows no more). */
size_t devicetree_bytes(const uint8_t *head);
/* bytes as devicetree_bytes has it. STATUS_BAD_INPUT: its format is not sound; *facts then says
 * nothing. */
enum status devicetree_read(const uint8_t *tree, size_t bytes, struct devicetree_facts *facts);
/* That CPU of the tree; NULL: it has none with this id. */
const struct devicetree_cpu *devicetree_find(const struct devicetree_facts *facts, uint64_t id);
/* Why the tree has that CPU not started by PSCI, static, said of the CPU; NULL: nothing in it
 * speaks against that. */
const char *devicetree_psci_refusal(const struct devicetree_facts *facts, uint64_t id);

#endif
