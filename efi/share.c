/* SPDX-License-Identifier: BSD-2-Clause */
#include "efi/share.h"

#include "core/lib/bits.h"
#include "efi/inject.h"

#define PART_LINES 65536u       /* some milliseconds */
#define EACH_LINES (1u << 20)   /* of all; fewer take one CPU no longer than starting the others */
#define TAKE_NS    300000000ull /* what is taken later begins later than a quiet section may */

static const char alone_what[] = "work on memory is done by one CPU alone";

struct sharing {
    const struct share_work *work;
    uint64_t next; /* taken by all of them */
    bool each;     /* they have parts of their own instead */
    bool failed;   /* one of them faulted: nobody takes any more */
};

struct share_helper {
    struct sharing *sharing;
    struct arch_aside aside;
    uint32_t place;
    uint32_t parts;      /* done */
    uint64_t first, end; /* of its own part */
    bool ran;
};

/* ---- memory, and who takes part */

void share_reserve(struct share *share)
{
    uint32_t places = (uint32_t)share->processors->count - 1;
    size_t stacks = (size_t)places * ARCH_ASIDE_BYTES,
           helpers = (places + 1) * sizeof *share->helper, jobs = (places + 1) * sizeof *share->job;

    if (share->memory != NULL || places == 0)
        return;
    share->memory =
        firmware_allocate(share->processors->fw, ARCH_ASIDE_BYTES + stacks + helpers + jobs);
    if (share->memory == NULL) {
        if (!share->noted)
            notes_add(share->processors->notes, SEVERITY_WARNING, alone_what,
                      "there is no memory for the others' stacks");
        share->noted = true;
        return;
    }
    share->places = places;
    share->stacks = bits_align((uintptr_t)share->memory, ARCH_ASIDE_BYTES);
    share->helper = (struct share_helper *)(share->stacks + stacks);
    share->job = (struct processor_job *)(share->stacks + stacks + helpers);
}

void share_free(struct share *share)
{
    if (share->memory != NULL)
        firmware_free(share->processors->fw, share->memory);
    *share = (struct share){.processors = share->processors};
}

static uint32_t others_ready(const struct share *share)
{
    uint32_t count = 0;

    for (size_t cpu = 1; cpu < share->processors->count; cpu++)
        count += share->processors->processor[cpu].tried &&
                 share->processors->processor[cpu].why == NULL;
    return count;
}

/* A single other one gains only if the boot CPU works too. */
static bool boot_cpu_works(uint32_t others)
{
    return others == 1;
}

uint32_t share_cpus(struct share *share)
{
    uint32_t others = share->memory != NULL && !share->refused ? others_ready(share) : 0;
    const char *why;

    if (others == 0)
        return 1;
    if (!arch_aside_prepare(share->stacks, others))
        why = "this architecture runs one CPU at a time";
    else if (processors_together_ready(share->processors, boot_cpu_works(others), &why))
        return others + boot_cpu_works(others);
    if (!share->noted)
        notes_add(share->processors->notes, SEVERITY_INFO, alone_what, why);
    share->noted = true;
    return 1;
}

/* ---- parts */

static bool take(struct sharing *sharing, uint64_t *first, uint64_t *end)
{
    uint64_t all = sharing->work->end;

    if (__atomic_load_n(&sharing->failed, __ATOMIC_RELAXED))
        return false;
    *first = __atomic_fetch_add(&sharing->next, PART_LINES, __ATOMIC_RELAXED);
    *end = *first < all && all - *first > PART_LINES ? *first + PART_LINES : all;
    return *first < all;
}

static void do_part(struct share_helper *helper, uint64_t first, uint64_t end)
{
    const struct share_work *work = helper->sharing->work;

    inject_work(work->window);
    work->work(work->arg, work->window, first, end);
    inject_work(work->window);
    helper->parts++;
}

/* On each of them. */
static void parts_body(void *arg)
{
    struct share_helper *helper = arg;
    struct sharing *sharing = helper->sharing;
    uint64_t hz = sharing->work->hz, limit = hz / (1000000000ull / TAKE_NS), begun = arch_ticks();
    uint64_t first, end;

    if (sharing->each)
        do_part(helper, helper->first, helper->end);
    else
        while (arch_ticks() - begun < limit && take(sharing, &first, &end))
            do_part(helper, first, end);
}

static void others_parts(void *arg)
{
    inject_part();
    parts_body(arg);
}

static void aside_body(void *arg)
{
    struct share_helper *helper = arg;

    helper->ran = arch_aside_run(&helper->aside, helper->place);
    if (helper->aside.faulted)
        __atomic_store_n(&helper->sharing->failed, true, __ATOMIC_RELAXED);
}

struct boot_part {
    struct share_helper *helper;
    struct arch_quiet_result *quiet;
    enum status status;
};

static void boot_body(void *arg)
{
    struct boot_part *part = arg;
    struct arch_quiet_plan plan = {
        .root = part->helper->sharing->work->root, .body = parts_body, .arg = part->helper};

    part->status = arch_quiet_run(&plan, part->quiet);
    if (part->status != STATUS_OK)
        __atomic_store_n(&part->helper->sharing->failed, true, __ATOMIC_RELAXED);
}

/* Everybody's job; returns how many there are. */
static uint32_t deal(struct share *share, struct sharing *sharing, struct boot_part *boot)
{
    const struct processors *p = share->processors;
    uint32_t count = 0;

    for (uint32_t cpu = 1; cpu < p->count && count + 1 < CPU_EACH_MAX; cpu++) {
        struct share_helper *helper = &share->helper[count];
        if (!p->processor[cpu].tried || p->processor[cpu].why != NULL)
            continue;
        *helper = (struct share_helper){
            .sharing = sharing,
            .place = count,
            .aside = {.root = sharing->work->root, .body = others_parts, .arg = helper}};
        share->job[count++] = (struct processor_job){.cpu = cpu, .body = aside_body, .arg = helper};
    }
    if (!boot_cpu_works(count))
        return count;
    boot->helper = &share->helper[count];
    *boot->helper = (struct share_helper){.sharing = sharing, .ran = true};
    share->job[count++] = (struct processor_job){.cpu = 0, .body = boot_body, .arg = boot};
    return count;
}

/* The first fault; STATUS_UNSUPPORTED: one of them never came to its work. */
static enum status outcome(struct share *share, uint32_t count, const struct boot_part *boot)
{
    uint32_t workers = 0;
    bool ran = true;

    if (boot->status != STATUS_OK)
        return STATUS_FAULT;
    for (uint32_t i = 0; i < count; i++) {
        if (share->helper[i].aside.faulted) {
            boot->quiet->fault = share->helper[i].aside.fault;
            boot->quiet->fault_text[0] = 0;
            return STATUS_FAULT;
        }
        ran = ran && share->helper[i].ran;
        workers += share->helper[i].parts != 0;
    }
    if (workers > share->workers)
        share->workers = workers;
    return ran ? STATUS_OK : STATUS_UNSUPPORTED;
}

static enum status run(struct share *share, uint32_t count, const struct boot_part *boot)
{
    enum status status = STATUS_UNSUPPORTED, ended;

    if (arch_aside_prepare(share->stacks, count))
        status = processors_together(share->processors, share->job, count);
    ended = outcome(share, count, boot);
    return ended == STATUS_OK ? status : ended;
}

static void refuse(struct share *share)
{
    share->refused = true;
    notes_add(share->processors->notes, SEVERITY_WARNING, alone_what,
              "the firmware did not start all of the others together");
}

enum status share_parts(struct share *share, const struct share_work *work,
                        struct arch_quiet_result *quiet, uint64_t *done)
{
    struct sharing sharing = {.work = work, .next = work->first};
    struct boot_part boot = {.quiet = quiet, .status = STATUS_OK};
    enum status status = run(share, deal(share, &sharing, &boot), &boot);

    *done = sharing.next < work->end ? sharing.next : work->end;
    if (status == STATUS_OK && *done == work->first)
        status = STATUS_UNSUPPORTED;
    if (status == STATUS_UNSUPPORTED)
        refuse(share);
    return status;
}

/* ---- a part for each */

static void cut(const struct share *share, uint32_t count, const struct share_work *work)
{
    uint64_t lines = work->end - work->first;

    for (uint32_t i = 0; i < count; i++) {
        share->helper[i].first = work->first + lines * i / count;
        share->helper[i].end = work->first + lines * (i + 1) / count;
    }
}

/* On the boot CPU: parts of those that did not come. */
static enum status do_others(struct share *share, uint32_t count, struct arch_quiet_result *quiet)
{
    struct boot_part alone = {.quiet = quiet, .status = STATUS_OK};

    for (uint32_t i = 0; i < count && alone.status == STATUS_OK; i++) {
        alone.helper = &share->helper[i];
        if (alone.helper->parts == 0)
            (void)processors_run(share->processors, 0, boot_body, &alone);
    }
    return alone.status;
}

enum status share_each(struct share *share, const struct share_work *work,
                       struct arch_quiet_result *quiet)
{
    struct sharing sharing = {.work = work, .each = true};
    struct boot_part boot = {.quiet = quiet, .status = STATUS_OK};
    enum status status;
    uint32_t count;

    if (work->end - work->first < EACH_LINES || share_cpus(share) == 1)
        return STATUS_UNSUPPORTED;
    count = deal(share, &sharing, &boot);
    cut(share, count, work);
    status = run(share, count, &boot);
    if (status != STATUS_UNSUPPORTED)
        return status;
    refuse(share);
    return do_others(share, count, quiet);
}
