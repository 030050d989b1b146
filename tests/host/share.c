/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/host/share.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "tests/host/thread.h"

/* Of a part: some 4 MiB, which take longer than a thread takes to start. A CPU that others use too
 * takes fewer of them. */
#define PART_LINES 65536u

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

static void take_part(struct sharing *sharing)
{
    struct fault_info fault;
    char text[QUIET_FAULT_BYTES];

    if (quiet_guard(take_parts, sharing, &fault, text) || atomic_exchange(&sharing->failed, true))
        return;
    memcpy(sharing->text, text, sizeof text);
    *sharing->fault = fault;
    sharing->fault->text = sharing->text;
}

static void *helper(void *arg)
{
    take_part(arg);
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
    take_part(&sharing);
    for (size_t i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    return atomic_load(&sharing.failed) ? STATUS_FAULT : STATUS_OK;
}
