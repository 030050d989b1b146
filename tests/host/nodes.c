/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/host/nodes.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/mapping/node_map.h"
#include "tests/host/sysfile.h"

#define PAGES_AT_ONCE 1024
#define NUMBERS_MAX   1024 /* CONFIG_NODES_SHIFT is 10 at most */
#define BIND          2    /* MPOL_BIND (mbind(2)) */

uint32_t nodes_only(void)
{
    uint64_t node;

    /* A list of nodes; one number is one node. */
    if (!sysfile_number("/sys/devices/system/node/has_memory", &node) || node >= NODE_UNKNOWN)
        return NODE_UNKNOWN;
    return (uint32_t)node;
}

uint32_t nodes_of_cpu(uint32_t cpu)
{
    char online[256], path[96], cpus[1024];

    if (!sysfile_line("/sys/devices/system/node/online", online, sizeof online))
        return NODE_UNKNOWN;
    for (uint32_t node = 0; node < NUMBERS_MAX; node++) {
        snprintf(path, sizeof path, "/sys/devices/system/node/node%u/cpulist", node);
        if (sysfile_list_holds(online, node) && sysfile_line(path, cpus, sizeof cpus) &&
            sysfile_list_holds(cpus, cpu))
            return node;
    }
    return NODE_UNKNOWN;
}

uint32_t nodes_of_pages(uintptr_t base, uint64_t bytes, uint64_t page_bytes)
{
    uint32_t only = nodes_only(), node = NODE_UNKNOWN;
    uint64_t pos = 0;

    if (only != NODE_UNKNOWN)
        return only;
    while (pos < bytes) {
        const void *page[PAGES_AT_ONCE];
        int where[PAGES_AT_ONCE];
        size_t pages = 0;
        for (; pages < PAGES_AT_ONCE && pos < bytes; pos += page_bytes)
            page[pages++] = (const void *)(base + pos);
        /* Without target nodes, move_pages only reports where pages are (move_pages(2)). */
        if (syscall(SYS_move_pages, 0, pages, page, NULL, where, 0) != 0)
            return NODE_UNKNOWN;
        if (node == NODE_UNKNOWN && where[0] >= 0)
            node = (uint32_t)where[0];
        for (size_t i = 0; i < pages; i++)
            if (where[i] < 0 || (uint32_t)where[i] != node)
                return NODE_UNKNOWN;
    }
    return node;
}

static bool node_number(const char *root, uint32_t node, const char *name, uint64_t *number)
{
    char path[300];

    snprintf(path, sizeof path, "%s/node%u/%s", root, node, name);
    return sysfile_number(path, number);
}

static bool node_kib(const char *root, uint32_t node, const char *name, uint64_t *bytes)
{
    char path[300], key[64];

    snprintf(path, sizeof path, "%s/node%u/meminfo", root, node);
    snprintf(key, sizeof key, "Node %u %s:", node, name);
    return sysfile_kib(path, key, bytes);
}

/* The kernel names the nearest initiators: access0 of any kind, access1 those with CPUs. */
static void claim_performance(const char *root, struct node_claim *claim)
{
    char path[300], name[64];
    uint64_t value;

    for (unsigned i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/node%u/access%u/initiators/node%u", root, claim->to, i,
                 claim->from);
        if (access(path, F_OK) != 0)
            continue;
        snprintf(name, sizeof name, "access%u/initiators/read_latency", i);
        if (node_number(root, claim->to, name, &value))
            claim->latency_ns = (double)value;
        snprintf(name, sizeof name, "access%u/initiators/read_bandwidth", i);
        if (node_number(root, claim->to, name, &value))
            claim->bytes_per_s = (double)value * (1 << 20);
        return;
    }
}

/* A node's distances are those to all nodes that are online, in ascending order. */
static void claim_all(const char *root, uint32_t from, struct node_map *map)
{
    char path[300], line[8192], *pos = line;

    snprintf(path, sizeof path, "%s/node%u/distance", root, from);
    (void)sysfile_line(path, line, sizeof line);
    for (size_t i = 0; i < map->count; i++) {
        struct node_claim claim = {.from = from, .to = map->node[i].number};
        claim.distance = (uint32_t)strtoul(pos, &pos, 10);
        claim_performance(root, &claim);
        node_map_claim(map, &claim);
    }
}

void nodes_describe(const char *root, struct node_map *map)
{
    char path[300], online[256];

    snprintf(path, sizeof path, "%s/online", root);
    if (!sysfile_line(path, online, sizeof online))
        return;
    for (uint32_t node = 0; node < NUMBERS_MAX; node++) {
        struct node_info *info = sysfile_list_holds(online, node) ? node_map_node(map, node) : NULL;
        if (info != NULL && node_kib(root, node, "MemTotal", &info->bytes))
            info->ordinary_bytes = info->bytes;
    }
    for (size_t i = 0; i < map->count; i++)
        claim_all(root, map->node[i].number, map);
    map->source = map->claim_count != 0 ? "the kernel" : NULL;
}

uint32_t nodes_to_bind(uint32_t node)
{
    return node == nodes_only() ? NODE_ANY : node;
}

uint64_t nodes_free_bytes(uint32_t node)
{
    uint64_t bytes;

    if (node == NODE_ANY)
        return UINT64_MAX;
    return node_kib(NODES_ROOT, node, "MemFree", &bytes) ? bytes : 0;
}

uint64_t nodes_pool_bytes(uint32_t node, enum page_size page)
{
    char name[80];
    uint64_t pages;

    if (node == NODE_ANY)
        return UINT64_MAX;
    snprintf(name, sizeof name, "hugepages/hugepages-%llukB/free_hugepages", (1ull << page) / 1024);
    return node_number(NODES_ROOT, node, name, &pages) ? pages << page : 0;
}

bool nodes_bind(void *base, uint64_t bytes, uint32_t node)
{
    unsigned long mask[NUMBERS_MAX / (8 * sizeof(unsigned long))] = {0};
    size_t bits = 8 * sizeof mask[0];

    if (node == NODE_ANY)
        return true;
    if (node >= NUMBERS_MAX)
        return false;
    mask[node / bits] |= 1ul << node % bits;
    return syscall(SYS_mbind, base, bytes, BIND, mask, NUMBERS_MAX + 1ul, 0) == 0;
}
