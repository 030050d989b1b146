/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/firmware/census.h"

/* Aff3 of an MPIDR, bits 39 to 32, goes to the 8 bits below it that no id uses. */
uint32_t census_core(uint64_t hardware_id, const struct census_bits *bits)
{
    uint64_t id = hardware_id | (hardware_id >> 32 & 0xff) << 24;

    return (uint32_t)id >> (bits->thread < 32 ? bits->thread : 0);
}

/* Whether a CPU before it in the list is of the same package and node. */
static bool node_was_met(const struct cpu_info *cpus, size_t i, unsigned package_bits)
{
    uint64_t package = cpus[0].hardware_id >> package_bits;

    for (size_t k = 0; k < i; k++)
        if (cpus[k].enabled && cpus[k].hardware_id >> package_bits == package &&
            cpus[k].node == cpus[i].node)
            return true;
    return false;
}

/* 0 as soon as one CPU of the package is of an unknown node. */
static uint32_t nodes_of_package(const struct cpu_info *cpus, size_t count, unsigned package_bits)
{
    uint64_t package = cpus[0].hardware_id >> package_bits;
    uint32_t nodes = 0;

    for (size_t i = 0; i < count; i++) {
        if (!cpus[i].enabled || cpus[i].hardware_id >> package_bits != package)
            continue;
        if (cpus[i].node == NODE_UNKNOWN)
            return 0;
        nodes += !node_was_met(cpus, i, package_bits);
    }
    return nodes;
}

static uint32_t threads_of_core(const struct cpu_info *cpus, size_t count, unsigned thread_bits)
{
    uint32_t threads = 0;

    for (size_t i = 0; i < count; i++)
        threads += cpus[i].enabled &&
                   cpus[i].hardware_id >> thread_bits == cpus[0].hardware_id >> thread_bits;
    return threads;
}

/* By efficiency classes; 0 where a CPU has none. */
static uint32_t kinds_of(const struct cpu_info *cpus, size_t count)
{
    uint64_t met[4] = {0};
    uint32_t kinds = 0;

    for (size_t i = 0; i < count; i++) {
        unsigned class = cpus[i].efficiency;
        if (!cpus[i].enabled)
            continue;
        if (!cpus[i].efficiency_known)
            return 0;
        kinds += !(met[class / 64] >> class % 64 & 1);
        met[class / 64] |= 1ull << class % 64;
    }
    return kinds;
}

void census_take(const struct cpu_info *cpus, size_t count, bool listed,
                 const struct census_bits *bits, struct machine_state *state)
{
    if (count == 0 || !listed)
        return;
    if (bits->thread <= CENSUS_BITS_MAX)
        state->threads_per_core = threads_of_core(cpus, count, bits->thread);
    if (bits->package <= CENSUS_BITS_MAX)
        state->nodes_per_package = nodes_of_package(cpus, count, bits->package);
    if (state->cpu_kinds == 0)
        state->cpu_kinds = kinds_of(cpus, count);
}
