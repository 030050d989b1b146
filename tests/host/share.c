/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/host/share.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "tests/host/pin.h"
#include "tests/host/thread.h"

/* Of a part: some 4 MiB, which take longer than a thread takes to start. A CPU that others use too
 * takes fewer of them. */
#define PART_LINES 65536u
/* The same where each has one part. */
#define EACH_LINES 16384u

struct sharing {
    const struct share *share;
    atomic_uint_fast64_t next;
    atomic_bool failed;
    struct fault_info *fault; /* of the first that failed */
    char *text;
};

static void take_parts(void *arg)
{
    struct sharing *sharing = arg;
    const struct share *share = sharing->share;

    while (!atomic_load(&sharing->failed)) {
        uint64_t first = atomic_fetch_add(&sharing->next, PART_LINES);
        uint64_t left = first < share->end ? share->end - first : 0;
        if (left == 0)
            return;
        share->work(share->arg, share->window, first,
                    first + (left < PART_LINES ? left : PART_LINES));
    }
}

static void guard(struct sharing *sharing, void (*body)(void *arg), void *arg)
{
    struct fault_info fault;
    char text[QUIET_FAULT_BYTES];

    if (quiet_guard(body, arg, &fault, text) || atomic_exchange(&sharing->failed, true))
        return;
    memcpy(sharing->text, text, sizeof text);
    *sharing->fault = fault;
    sharing->fault->text = sharing->text;
}

static void *helper(void *arg)
{
    guard(arg, take_parts, arg);
    return NULL;
}

enum status share_out(const struct cpu_info *cpus, size_t count, const struct share *share,
                      struct fault_info *fault, char text[QUIET_FAULT_BYTES])
{
    struct sharing sharing = {.share = share, .fault = fault, .text = text};
    uint64_t parts = (share->end - share->first + PART_LINES - 1) / PART_LINES;
    pthread_t thread[CPUS_MAX];
    size_t started = 0;
    int here = sched_getcpu();

    atomic_init(&sharing.next, share->first);
    for (size_t i = 0; i < count && started + 1 < parts && started < CPUS_MAX; i++)
        if (cpus[i].enabled && (int)cpus[i].number != here)
            started += thread_start(cpus[i].number, helper, &sharing, &thread[started]);
    guard(&sharing, take_parts, &sharing);
    for (size_t i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    return atomic_load(&sharing.failed) ? STATUS_FAULT : STATUS_OK;
}

/* ---- a part for each */

struct part {
    struct sharing *sharing;
    uint64_t first, end;
    bool started;
    pthread_t thread;
};

uint32_t share_count(const struct cpu_info *cpus, size_t count)
{
    uint32_t allowed = 0;

    for (size_t i = 0; i < count; i++)
        allowed += cpus[i].enabled && pin_allowed(cpus[i].number);
    return allowed < CPU_EACH_MAX ? allowed : CPU_EACH_MAX;
}

static void do_part(void *arg)
{
    const struct part *part = arg;
    const struct share *share = part->sharing->share;

    share->work(share->arg, share->window, part->first, part->end);
}

static void *part_helper(void *arg)
{
    struct part *part = arg;

    guard(part->sharing, do_part, part);
    return NULL;
}

enum status share_each(const struct cpu_info *cpus, size_t count, const struct share *share,
                       struct fault_info *fault, char text[QUIET_FAULT_BYTES])
{
    struct sharing sharing = {.share = share, .fault = fault, .text = text};
    uint64_t lines = share->end - share->first;
    uint32_t parts = share_count(cpus, count), number = 0;
    struct part part[CPU_EACH_MAX];
    int here = sched_getcpu();

    if (parts < 2 || lines / parts < EACH_LINES)
        return STATUS_UNSUPPORTED;
    for (size_t i = 0; i < count && number < parts; i++) {
        struct part *own = &part[number];
        if (!cpus[i].enabled || !pin_allowed(cpus[i].number))
            continue;
        *own = (struct part){.sharing = &sharing,
                             .first = share->first + lines * number / parts,
                             .end = share->first + lines * (number + 1) / parts};
        own->started = (int)cpus[i].number != here &&
                       thread_start(cpus[i].number, part_helper, own, &own->thread);
        number++;
    }
    /* Its own, and those of threads that the kernel refused. */
    for (uint32_t i = 0; i < parts; i++)
        if (!part[i].started)
            (void)part_helper(&part[i]);
    for (uint32_t i = 0; i < parts; i++)
        if (part[i].started)
            pthread_join(part[i].thread, NULL);
    return atomic_load(&sharing.failed) ? STATUS_FAULT : STATUS_OK;
}
