/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/host/nodes.h"

#include <stddef.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/inventory.h"
#include "tests/host/sysfile.h"

#define PAGES_AT_ONCE 1024
#define NODES_MAX     1024 /* CONFIG_NODES_SHIFT is 10 at most */

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
    for (uint32_t node = 0; node < NODES_MAX; node++) {
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
