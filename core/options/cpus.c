/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/options/cpus.h"

#include "core/lib/text.h"
#include "core/options/options.h"

static const char *const words[] = {[CPUS_ALL] = "all",
                                    [CPUS_CORE] = "core",
                                    [CPUS_NODE] = "node",
                                    [CPUS_PERFORMANCE] = "performance",
                                    [CPUS_EFFICIENCY] = "efficiency"};

static bool read_number(const char *text, size_t bytes, uint32_t *number)
{
    uint64_t value;

    if (!text_read_u64(text, bytes, &value) || value > OPTIONS_CPU_MAX)
        return false;
    *number = (uint32_t)value;
    return true;
}

/* "4" or "4-7". */
static bool read_range(const char *text, size_t bytes, uint32_t *first, uint32_t *last)
{
    size_t dash = 0;

    while (dash < bytes && text[dash] != '-')
        dash++;
    if (!read_number(text, dash, first))
        return false;
    *last = *first;
    return dash == bytes ||
           (read_number(text + dash + 1, bytes - dash - 1, last) && *last >= *first);
}

static bool read_list(const char *text, size_t bytes, struct cpus_choice *choice, const char **why)
{
    size_t pos = 0;

    while (pos <= bytes) {
        size_t end = pos;
        while (end < bytes && text[end] != ',')
            end++;
        if (choice->ranges == CPUS_RANGES_MAX) {
            *why = "has more than 32 ranges";
            return false;
        }
        if (!read_range(text + pos, end - pos, &choice->range[choice->ranges].first,
                        &choice->range[choice->ranges].last))
            return false;
        choice->ranges++;
        pos = end + 1;
    }
    return true;
}

bool cpus_read(const char *text, size_t bytes, struct cpus_choice *choice, const char **why)
{
    *why = NULL;
    *choice = (struct cpus_choice){.kind = CPUS_LIST};
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
        if (text_is(text, bytes, words[i])) {
            choice->kind = (enum cpus_kind)i;
            return true;
        }
    return read_list(text, bytes, choice, why);
}

/* CPUID 1Ah names kinds (SDM volume 2, CPUID); the MADT's classes only order them. */
static bool is_efficient(const struct cpu_info *cpus, size_t count, size_t index)
{
    uint8_t most = cpus[index].efficiency;

    if (cpus[index].type != 0)
        return cpus[index].type == CPU_TYPE_EFFICIENCY;
    if (!cpus[index].efficiency_known)
        return false;
    for (size_t i = 0; i < count; i++)
        if (cpus[i].enabled && cpus[i].efficiency_known && cpus[i].efficiency > most)
            most = cpus[i].efficiency;
    return cpus[index].efficiency < most;
}

static bool is_first(const struct cpu_info *cpus, size_t index, bool of_node)
{
    for (size_t i = 0; i < index; i++)
        if (cpus[i].enabled &&
            (of_node ? cpus[i].node == cpus[index].node : cpus[i].core == cpus[index].core))
            return false;
    return true;
}

static bool is_listed(const struct cpus_choice *choice, uint32_t number)
{
    for (uint32_t i = 0; i < choice->ranges; i++)
        if (number >= choice->range[i].first && number <= choice->range[i].last)
            return true;
    return false;
}

bool cpus_chosen(const struct cpus_choice *choice, const struct cpu_info *cpus, size_t count,
                 size_t index)
{
    if (!cpus[index].enabled)
        return false;
    switch (choice->kind) {
    case CPUS_CORE:
    case CPUS_NODE:
        return is_first(cpus, index, choice->kind == CPUS_NODE);
    case CPUS_PERFORMANCE:
        return !is_efficient(cpus, count, index);
    case CPUS_EFFICIENCY:
        return is_efficient(cpus, count, index);
    case CPUS_LIST:
        return is_listed(choice, cpus[index].number);
    case CPUS_ALL:
        break;
    }
    return true;
}

static bool exists(const struct cpu_info *cpus, size_t count, uint32_t number)
{
    for (size_t i = 0; i < count; i++)
        if (cpus[i].enabled && cpus[i].number == number)
            return true;
    return false;
}

uint32_t cpus_missing(const struct cpus_choice *choice, const struct cpu_info *cpus, size_t count)
{
    uint32_t missing = UINT32_MAX;

    for (uint32_t i = 0; i < choice->ranges; i++) {
        uint32_t number = choice->range[i].first;
        while (number <= choice->range[i].last && exists(cpus, count, number))
            number++;
        if (number <= choice->range[i].last && number < missing)
            missing = number;
    }
    return missing;
}

uint32_t cpus_number(const struct cpu_info *cpus, size_t count, uint32_t index)
{
    return index < count ? cpus[index].number : index;
}
