/* SPDX-License-Identifier: BSD-2-Clause */
#include "efi/crew.h"

#include "core/lib/bits.h"
#include "core/lib/memory.h"
#include "efi/inject.h"

/* What the loads may take until all of them have begun: starting CPUs takes some milliseconds, but
 * under a hypervisor theirs may be somebody else's for a while. */
#define BEGIN_S 1

/* Between two readings of the clock: an emulator may let one CPU alone at it (QEMU's AArch64), and
 * those that are waited for read it too. */
#define POLLS 1024

/* ---- their memory */

/* Stacks, loaders, jobs and pointers, in this order of alignment. NULL: there is none. */
static void *memory_take(struct crew *crew, uint32_t count)
{
    size_t stacks = (size_t)count * ARCH_ASIDE_BYTES,
           loaders = (size_t)count * sizeof *crew->loader,
           jobs = (size_t)(count + 1) * sizeof *crew->job,
           all = ARCH_ASIDE_BYTES + stacks + loaders + jobs + count * sizeof *crew->progress;
    uint8_t *memory = firmware_allocate(crew->processors->fw, all);
    uintptr_t room = bits_align((uintptr_t)memory, ARCH_ASIDE_BYTES);

    if (memory == NULL)
        return NULL;
    memory_fill(memory, 0, all);
    crew->memory = memory;
    crew->loader = (struct crew_loader *)(room + stacks);
    crew->job = (struct processor_job *)(room + stacks + loaders);
    crew->progress = (struct traffic_progress **)(room + stacks + loaders + jobs);
    return (void *)room;
}

void crew_load_stop(struct crew *crew)
{
    if (crew->memory != NULL)
        firmware_free(crew->processors->fw, crew->memory);
    crew->memory = NULL;
    crew->count = 0;
}

/* ---- loads */

static void traffic_body(void *arg)
{
    struct crew_loader *loader = arg;

    inject_load();
    arch_traffic(loader->traffic, &loader->progress);
}

static void loader_body(void *arg)
{
    struct crew_loader *loader = arg;

    loader->ran = arch_aside_run(&loader->aside, loader->place);
    __atomic_store_n(&loader->over, true, __ATOMIC_RELEASE);
}

/* Whether all of them can run beside `cpu`. */
static bool can_run(struct crew *crew, uint32_t cpu, const struct traffic *traffic, uint32_t count,
                    const char **why)
{
    bool boot_cpu = cpu == 0;

    for (uint32_t i = 0; i < count; i++) {
        *why = "a CPU cannot do two things at the same time";
        for (uint32_t k = 0; k <= i; k++)
            if (traffic[i].cpu == (k == i ? cpu : traffic[k].cpu))
                return false;
        boot_cpu = boot_cpu || traffic[i].cpu == 0;
        if (!processors_ready(crew->processors, traffic[i].cpu, why))
            return false;
    }
    return processors_together_ready(crew->processors, boot_cpu, why);
}

enum status crew_load_start(struct crew *crew, uint64_t root, uint32_t cpu,
                            const struct traffic *traffic, uint32_t count, const char **why)
{
    void *room;

    crew_load_stop(crew);
    if (!can_run(crew, cpu, traffic, count, why))
        return STATUS_UNSUPPORTED;
    *why = "there is no memory for their stacks";
    room = memory_take(crew, count);
    if (room == NULL)
        return STATUS_UNSUPPORTED;
    *why = "this architecture runs one CPU at a time";
    if (!arch_aside_prepare((uintptr_t)room, count)) {
        crew_load_stop(crew);
        return STATUS_UNSUPPORTED;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct crew_loader *loader = &crew->loader[i];
        loader->traffic = &traffic[i];
        loader->place = i;
        loader->aside = (struct arch_aside){.root = root, .body = traffic_body, .arg = loader};
        traffic_open(&loader->progress, &traffic[i], crew->line_bytes);
        crew->progress[i] = &loader->progress;
        crew->job[i] =
            (struct processor_job){.cpu = traffic[i].cpu, .body = loader_body, .arg = loader};
    }
    crew->count = count;
    return STATUS_OK;
}

/* ---- a chase beside them */

struct lead {
    const struct crew *crew;
    void (*body)(void *arg);
    void *arg;
    uint64_t limit_ticks;
    bool ran;
};

static bool has_begun(struct crew_loader *loader, uint64_t begun, uint64_t limit)
{
    for (uint32_t polls = 1; !traffic_runs(&loader->progress); polls++) {
        if (__atomic_load_n(&loader->over, __ATOMIC_ACQUIRE))
            return false;
        if (polls % POLLS == 0 && arch_ticks() - begun > limit)
            return false;
    }
    return true;
}

static void lead_body(void *arg)
{
    struct lead *lead = arg;
    uint64_t begun = arch_ticks();

    lead->ran = true;
    for (uint32_t i = 0; i < lead->crew->count && lead->ran; i++)
        lead->ran = has_begun(&lead->crew->loader[i], begun, lead->limit_ticks);
    if (lead->ran)
        lead->body(lead->arg);
    for (uint32_t i = 0; i < lead->crew->count; i++)
        traffic_stop(&lead->crew->loader[i].progress);
}

enum status crew_run(struct crew *crew, uint32_t cpu, uint64_t hz, void (*body)(void *arg),
                     void *arg, struct fault_info *fault)
{
    struct lead lead = {.crew = crew, .body = body, .arg = arg, .limit_ticks = BEGIN_S * hz};
    enum status status;

    for (uint32_t i = 0; i < crew->count; i++) {
        traffic_begin(&crew->loader[i].progress);
        crew->loader[i].aside.faulted = crew->loader[i].over = crew->loader[i].ran = false;
    }
    crew->job[crew->count] = (struct processor_job){.cpu = cpu, .body = lead_body, .arg = &lead};
    status = processors_together(crew->processors, crew->job, crew->count + 1);
    for (uint32_t i = 0; i < crew->count; i++)
        if (crew->loader[i].aside.faulted) {
            *fault = crew->loader[i].aside.fault;
            return STATUS_FAULT;
        }
    return status == STATUS_OK && lead.ran ? STATUS_OK : STATUS_UNSUPPORTED;
}

/* ---- two CPUs */

struct beside {
    struct arch_aside *aside;
    bool ran;
};

static void beside_body(void *arg)
{
    struct beside *beside = arg;

    beside->ran = arch_aside_run(beside->aside, 0);
}

enum status crew_pair(struct crew *crew, uint32_t cpu, uint32_t other, void (*body)(void *arg),
                      void *arg, struct arch_aside *aside, const char **why)
{
    struct traffic none = {.cpu = other};
    struct beside beside = {.aside = aside};
    struct processor_job job[2] = {{.cpu = cpu, .body = body, .arg = arg},
                                   {.cpu = other, .body = beside_body, .arg = &beside}};
    enum status status;
    void *room;

    crew_load_stop(crew);
    if (!can_run(crew, cpu, &none, 1, why))
        return STATUS_UNSUPPORTED;
    room = memory_take(crew, 1);
    status =
        room != NULL && arch_aside_prepare((uintptr_t)room, 1) ? STATUS_OK : STATUS_UNSUPPORTED;
    if (status == STATUS_OK)
        status = processors_together(crew->processors, job, 2);
    crew_load_stop(crew);
    return status == STATUS_OK && !beside.ran ? STATUS_UNSUPPORTED : status;
}
