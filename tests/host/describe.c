/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/host/describe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/mapping/node_map.h"
#include "core/options/options.h"
#include "tests/host/dmi.h"
#include "tests/host/nodes.h"
#include "tests/host/pagemap.h"
#include "tests/host/sysfile.h"

#define DMI "/sys/class/dmi/id/"

/* From the DMI strings that are world-readable; device trees have a model. What is left does not
 * depend on who runs this, as /proc/iomem does. */
static void describe_board(struct description_words *words, struct notes *notes)
{
    char maker[72], product[72], version[40], system_maker[72], system_product[72], model[96];
    struct board_words names = {.maker = maker,
                                .product = product,
                                .version = version,
                                .system_maker = system_maker,
                                .system_product = system_product,
                                .model = model,
                                .cpu = words->facts.cpu_name};

    (void)sysfile_line(DMI "board_vendor", maker, sizeof maker);
    (void)sysfile_line(DMI "board_name", product, sizeof product);
    (void)sysfile_line(DMI "board_version", version, sizeof version);
    (void)sysfile_line(DMI "sys_vendor", system_maker, sizeof system_maker);
    (void)sysfile_line(DMI "product_name", system_product, sizeof system_product);
    (void)sysfile_line("/proc/device-tree/model", model, sizeof model);
    (void)sysfile_line(DMI "bios_version", words->bios, sizeof words->bios);
    (void)sysfile_kib("/proc/meminfo", "MemTotal:", &names.memory_bytes);
    words->board_source = board_name(&names, words->board, sizeof words->board);
    if (words->board_source == NULL)
        notes_add(notes, SEVERITY_WARNING, "nothing names this machine",
                  "no SMBIOS, no device tree, no name of the CPU: no baseline can be held against");
    else if (strcmp(words->board_source, "cpu-and-memory") == 0)
        notes_add(notes, SEVERITY_INFO, "no board name",
                  "the kernel shows neither SMBIOS nor a device tree: baselines go by the CPU and "
                  "the size of the memory");
}

static void describe_kernel(struct description_words *words)
{
    struct utsname name;

    if (uname(&name) == 0)
        snprintf(words->firmware, sizeof words->firmware, "%.64s %.64s", name.sysname,
                 name.release);
}

static bool cache_number(uint32_t cpu, unsigned index, const char *name, uint64_t *number)
{
    char path[128];

    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cache/index%u/%s", cpu, index, name);
    return sysfile_number(path, number);
}

/* The kernel's values, for CPUs that do not describe their caches (EL0). */
static void describe_caches(struct arch_facts *facts, uint32_t cpu)
{
    for (unsigned index = 0; index < 2 * CACHE_LEVELS_MAX; index++) {
        uint64_t level, bytes, ways = 0, line = 0;
        char path[128], type[32];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cache/index%u/type", cpu, index);
        if (!sysfile_line(path, type, sizeof type) || strcmp(type, "Instruction") == 0 ||
            !cache_number(cpu, index, "level", &level) ||
            !cache_number(cpu, index, "size", &bytes) || bytes == 0 ||
            facts->cache_count == CACHE_LEVELS_MAX)
            continue;
        (void)cache_number(cpu, index, "ways_of_associativity", &ways);
        (void)cache_number(cpu, index, "coherency_line_size", &line);
        facts->caches[facts->cache_count++] =
            (struct cache_level){.level = (uint8_t)level,
                                 .unified = strcmp(type, "Unified") == 0,
                                 .ways = (uint32_t)ways,
                                 .line_bytes = (uint32_t)line,
                                 .bytes = bytes};
    }
}

/* Threads of one core are named by the first of them. */
static uint32_t core_of(uint32_t cpu)
{
    char path[96], list[256];
    unsigned first;

    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", cpu);
    return sysfile_line(path, list, sizeof list) && sscanf(list, "%u", &first) == 1 ? first : cpu;
}

static void describe_cpu(struct cpu_info *info, uint32_t cpu)
{
    info->number = info->firmware_id = cpu;
    info->core = core_of(cpu);
    info->node = nodes_of_cpu(cpu);
    info->enabled = true;
}

/* The CPU that the process was pinned to comes first. */
static size_t describe_cpus(struct description_words *words, uint32_t cpu)
{
    char online[512];
    size_t count = 1;

    words->cpus[0] = words->facts.boot_cpu;
    describe_cpu(&words->cpus[0], cpu);
    if (!sysfile_line("/sys/devices/system/cpu/online", online, sizeof online))
        return count;
    for (uint32_t other = 0; other <= OPTIONS_CPU_MAX && count < CPUS_MAX; other++)
        if (other != cpu && sysfile_list_holds(online, other))
            describe_cpu(&words->cpus[count++], other);
    return count;
}

/* /proc/iomem shows addresses to root only; other users see zeros. */
static size_t describe_memory(struct description_words *words)
{
    FILE *file = fopen("/proc/iomem", "re");
    uint32_t node = nodes_only();
    size_t count = 0;
    char line[256];

    while (file != NULL && count < MEMORY_RANGES_MAX && fgets(line, sizeof line, file) != NULL) {
        unsigned long long first, last;
        if (line[0] == ' ' || strstr(line, " : System RAM") == NULL ||
            sscanf(line, "%llx-%llx", &first, &last) != 2 || last <= first)
            continue;
        words->memory[count++] = (struct memory_range){
            .base = phys_make(first), .bytes = last - first + 1, .node = node, .usable = true};
    }
    if (file)
        fclose(file);
    return count;
}

static void describe_nodes(struct machine_description *description, struct description_words *words)
{
    node_map_start(&words->nodes, NULL, 0, description->cpus, description->cpu_count);
    nodes_describe(NODES_ROOT, &words->nodes);
    description->nodes = &words->nodes;
}

static void describe_modules(struct machine_description *description,
                             struct description_words *words, struct notes *notes)
{
    char why[NOTES_WHY_BYTES];

    if (!dmi_read(DMI_ENTRY_PATH, DMI_TABLE_PATH, &words->smbios, why, sizeof why))
        notes_add(notes, SEVERITY_INFO, "memory modules unknown", why);
    else if (smbios_doubt(&words->smbios, why, sizeof why))
        notes_add(notes, SEVERITY_WARNING, "SMBIOS unusable in part", why);
    description->dimms = words->smbios.dimms;
    description->dimm_count = words->smbios.dimm_count;
    description->module_arrays = words->smbios.arrays;
}

void describe(struct machine_description *description, struct description_words *words,
              uint32_t cpu, struct notes *notes)
{
    struct arch_facts *facts = &words->facts;

    arch_describe(facts);
    if (facts->cache_count == 0)
        describe_caches(facts, cpu);
    describe_kernel(words);
    describe_board(words, notes);
    *description = (struct machine_description){.arch = facts->arch,
                                                .firmware = words->firmware,
                                                .board = words->board,
                                                .board_source = words->board_source,
                                                .bios = words->bios,
                                                .cpu_name = facts->cpu_name,
                                                .caches = facts->caches,
                                                .cache_count = facts->cache_count,
                                                .tlbs = facts->tlbs,
                                                .tlb_count = facts->tlb_count,
                                                .memory = words->memory,
                                                .memory_count = describe_memory(words),
                                                .home_node = NODE_ANY,
                                                .cpus = words->cpus,
                                                .no_park = "the kernel halts CPUs, not a process",
                                                .cpu_count = describe_cpus(words, cpu),
                                                .guest = facts->guest,
                                                .hides_physical = pagemap_hidden(),
                                                .process_mapping = true,
                                                .line_bytes = facts->line_bytes};
    describe_nodes(description, words);
    describe_modules(description, words, notes);
    snprintf(words->pinned, sizeof words->pinned, "CPU %u, by the kernel's number", cpu);
    notes_add(notes, SEVERITY_INFO, "pinned", words->pinned);
    if (facts->guest == GUEST_YES)
        notes_add(notes, SEVERITY_INFO, "a virtual machine",
                  "walks go through a second set of tables, and what its host does is not seen");
    if (description->memory_count == 0)
        notes_add(notes, SEVERITY_INFO, "memory ranges unknown",
                  "/proc/iomem shows addresses to root only");
}
