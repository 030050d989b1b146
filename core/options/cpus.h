/* SPDX-License-Identifier: BSD-2-Clause */
/* Which CPUs an experiment that compares CPUs takes: `cpus=`. Pure. */
#ifndef CORE_OPTIONS_CPUS_H
#define CORE_OPTIONS_CPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/inventory.h"
#include "core/options/numbers.h"

enum cpus_kind {
    CPUS_ALL,
    CPUS_CORE,        /* one of each core */
    CPUS_NODE,        /* one of each node */
    CPUS_PERFORMANCE, /* of the fastest kind */
    CPUS_EFFICIENCY,  /* of every other kind */
    CPUS_LIST
};

struct cpus_choice {
    enum cpus_kind kind;
    struct numbers list; /* of CPUS_LIST: cpu_info.number */
};

/* Reads "all", "core", "node", "performance", "efficiency", or numbers and ranges such as
 * "0,4-7". False: it is none of these; *why: a phrase that follows "which", or NULL. */
bool cpus_read(const char *text, size_t bytes, struct cpus_choice *choice, const char **why);
/* The choice of an option that cpus_read has taken; "": all. */
struct cpus_choice cpus_of(const char *words);
/* Whether the choice takes cpus[index], of cpus[count]; never one that is not enabled. Of CPUs that
 * say nothing of their kind, CPUS_PERFORMANCE takes all, and CPUS_EFFICIENCY none. */
bool cpus_chosen(const struct cpus_choice *choice, const struct cpu_info *cpus, size_t count,
                 size_t index);
/* A number that CPUS_LIST names and no enabled CPU has, the smallest; UINT32_MAX: none. */
uint32_t cpus_missing(const struct cpus_choice *choice, const struct cpu_info *cpus, size_t count);

/* By which number records name cpus[index]; where a machine lists fewer, the index itself. */
uint32_t cpus_number(const struct cpu_info *cpus, size_t count, uint32_t index);

#endif
