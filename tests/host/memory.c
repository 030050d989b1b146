/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/host/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/sysinfo.h>

#include "tests/host/sysfile.h"

#define RESERVE_MIN ((uint64_t)256 << 20)

/* The headroom below a limit; a file without a number ("max") means no limit. */
static uint64_t left_below(const char *limit_path, const char *usage_path)
{
    uint64_t limit, usage;

    if (!sysfile_number(limit_path, &limit) || !sysfile_number(usage_path, &usage))
        return UINT64_MAX;
    return limit > usage ? limit - usage : 0;
}

/* The least headroom of the groups from this process's up to the root of the hierarchy. */
static uint64_t left_in_groups(const char *root, char *group, const char *limit, const char *usage)
{
    uint64_t min = UINT64_MAX;
    char limit_path[1200], usage_path[1200], *slash;

    do {
        uint64_t left;
        snprintf(limit_path, sizeof limit_path, "%s%s/%s", root, group, limit);
        snprintf(usage_path, sizeof usage_path, "%s%s/%s", root, group, usage);
        left = left_below(limit_path, usage_path);
        min = left < min ? left : min;
        slash = strrchr(group, '/');
        if (slash != NULL)
            *slash = '\0';
    } while (slash != NULL);
    return min;
}

/* A line is id:controllers:path; version 2 has no controllers. */
static uint64_t left_by_cgroups(void)
{
    FILE *file = fopen("/proc/self/cgroup", "re");
    uint64_t min = UINT64_MAX;
    char line[1024];

    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *controllers = strchr(line, ':');
        char *path = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        uint64_t left = UINT64_MAX;
        if (path == NULL)
            continue;
        *path++ = '\0';
        path[strcspn(path, "\n")] = '\0';
        if (controllers[1] == '\0')
            left = left_in_groups("/sys/fs/cgroup", path, "memory.max", "memory.current");
        else if (strstr(controllers, "memory") != NULL)
            left = left_in_groups("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes",
                                  "memory.usage_in_bytes");
        min = left < min ? left : min;
    }
    if (file)
        fclose(file);
    return min;
}

uint64_t memory_unreserved(void)
{
    uint64_t available, groups = left_by_cgroups();
    struct sysinfo info;

    if (!sysfile_kib("/proc/meminfo", "MemAvailable:", &available)) {
        if (sysinfo(&info) != 0)
            return 0;
        available = (uint64_t)info.freeram * info.mem_unit;
    }
    return groups < available ? groups : available;
}

/* In a small control group the reserve must not take everything. */
uint64_t memory_less_reserve(uint64_t unreserved)
{
    uint64_t min = unreserved / 4 < RESERVE_MIN ? unreserved / 4 : RESERVE_MIN;

    return unreserved - (unreserved / 16 > min ? unreserved / 16 : min);
}

uint64_t memory_available(void)
{
    return memory_less_reserve(memory_unreserved());
}

static uint64_t pool_number(enum page_size page, const char *name)
{
    uint64_t number;
    char path[128];

    snprintf(path, sizeof path, "/sys/kernel/mm/hugepages/hugepages-%llukB/%s",
             (1ull << page) >> 10, name);
    return sysfile_number(path, &number) ? number : 0;
}

/* Reserved pages belong to other mappings; surplus ones are made on demand, of ordinary memory. */
uint64_t memory_pool_bytes(enum page_size page)
{
    uint64_t held = pool_number(page, "free_hugepages");
    uint64_t promised = pool_number(page, "resv_hugepages");
    uint64_t max = pool_number(page, "nr_overcommit_hugepages");
    uint64_t made = pool_number(page, "surplus_hugepages");
    uint64_t more = max > made ? (max - made) << page : 0;
    uint64_t available = more != 0 ? memory_available() >> page << page : 0;

    return ((held > promised ? held - promised : 0) << page) +
           (more < available ? more : available);
}

bool memory_transparent(void)
{
    char line[128];

    return prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) != 1 &&
           sysfile_line("/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof line) &&
           strstr(line, "[never]") == NULL;
}
