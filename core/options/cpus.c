/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/options/cpus.h"

#include "core/lib/text.h"
#include "core/options/options.h"

static const char *const words[] = {[CPUS_ALL] = "all",
                                    [CPUS_CORE] = "core",
                                    [CPUS_NODE] = "node",
                                    [CPUS_PERFORMANCE] = "performance",
                                    [CPUS_EFFICIENCY] = "efficiency"};

bool cpus_read(const char *text, size_t bytes, struct cpus_choice *choice, const char **why)
{
    *why = NULL;
    *choice = (struct cpus_choice){.kind = CPUS_LIST};
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
        if (text_is(text, bytes, words[i])) {
            choice->kind = (enum cpus_kind)i;
            return true;
        }
    return numbers_read(text, bytes, OPTIONS_CPU_MAX, &choice->list, why);
}

struct cpus_choice cpus_of(const char *text)
{
    struct cpus_choice choice = {.kind = CPUS_ALL};
    const char *why;

    if (text[0] != '\0')
        (void)cpus_read(text, text_length(text), &choice, &why);
    return choice;
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
        return numbers_hold(&choice->list, cpus[index].number);
    case CPUS_ALL:
        break;
    }
    return true;
}

struct cpu_list {
    const struct cpu_info *cpus;
    size_t count;
};

static bool exists(const void *context, uint32_t number)
{
    const struct cpu_list *list = context;

    for (size_t i = 0; i < list->count; i++)
        if (list->cpus[i].enabled && list->cpus[i].number == number)
            return true;
    return false;
}

uint32_t cpus_missing(const struct cpus_choice *choice, const struct cpu_info *cpus, size_t count)
{
    struct cpu_list list = {cpus, count};

    return numbers_missing(&choice->list, exists, &list);
}

uint32_t cpus_number(const struct cpu_info *cpus, size_t count, uint32_t index)
{
    return index < count ? cpus[index].number : index;
}
