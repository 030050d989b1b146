/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/cpu/topology.h"

enum topology_apart topology_apart(const struct cpu_info *a, const struct cpu_info *b)
{
    if (a->node != b->node)
        return APART_NODES;
    if (a->core == b->core)
        return APART_CORE;
    return a->module == b->module ? APART_MODULE : APART_NODE;
}

const char *topology_apart_name(enum topology_apart apart)
{
    static const char *const names[] = {[APART_CORE] = "threads of a core",
                                        [APART_MODULE] = "cores of a module",
                                        [APART_NODE] = "modules of a node",
                                        [APART_NODES] = "nodes"};

    return names[apart];
}

void topology_pairs_start(struct topology_pairs *pairs, const struct cpu_info *cpus,
                          const uint32_t *list, uint32_t count)
{
    *pairs = (struct topology_pairs){.cpus = cpus, .list = list, .count = count, .step = 1};
}

static bool is_of(const struct topology_pairs *pairs, uint32_t a, uint32_t b, uint32_t kind)
{
    return topology_apart(&pairs->cpus[a], &pairs->cpus[b]) == (enum topology_apart)kind;
}

static bool find_first(struct topology_pairs *pairs, uint32_t kind)
{
    for (uint32_t i = 0; i < pairs->count; i++)
        for (uint32_t k = i + 1; k < pairs->count; k++)
            if (is_of(pairs, pairs->list[i], pairs->list[k], kind)) {
                pairs->first[kind][0] = pairs->list[i];
                pairs->first[kind][1] = pairs->list[k];
                return true;
            }
    return false;
}

static bool was_first(const struct topology_pairs *pairs, uint32_t a, uint32_t b)
{
    enum topology_apart kind = topology_apart(&pairs->cpus[a], &pairs->cpus[b]);

    return pairs->taken[kind] && pairs->first[kind][0] == a && pairs->first[kind][1] == b;
}

bool topology_pairs_next(struct topology_pairs *pairs, uint32_t *a, uint32_t *b)
{
    while (pairs->kind < APARTS) {
        uint32_t kind = pairs->kind++;
        pairs->taken[kind] = find_first(pairs, kind);
        if (pairs->taken[kind]) {
            *a = pairs->first[kind][0];
            *b = pairs->first[kind][1];
            return true;
        }
    }
    for (; pairs->step < pairs->count; pairs->step++, pairs->pos = 0)
        while (pairs->pos + pairs->step < pairs->count) {
            *a = pairs->list[pairs->pos];
            *b = pairs->list[pairs->pos + pairs->step];
            pairs->pos++;
            if (!was_first(pairs, *a, *b))
                return true;
        }
    return false;
}
