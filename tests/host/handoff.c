/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/host/handoff.h"

#include <sched.h>

#include "arch/arch.h"
#include "tests/host/quiet.h"
#include "tests/host/thread.h"

enum { STAGE_STARTED, STAGE_PREPARED, STAGE_OVER };

static void answer(void *arg)
{
    const struct handoff *handoff = arg;

    arch_handoff_answer(handoff->plan, handoff->hz);
}

/* What faults here makes the first thread wait until the limit; it then says that nobody answers.
 */
static void *wait_and_answer(void *arg)
{
    struct handoff *handoff = arg;
    struct fault_info fault;
    char text[QUIET_FAULT_BYTES];

    while (atomic_load(&handoff->stage) == STAGE_STARTED)
        sched_yield();
    if (atomic_load(&handoff->stage) == STAGE_PREPARED)
        (void)quiet_guard(answer, handoff, &fault, text);
    return NULL;
}

bool handoff_start(struct handoff *handoff, uint32_t number)
{
    atomic_init(&handoff->stage, STAGE_STARTED);
    return thread_start(number, wait_and_answer, handoff, &handoff->thread);
}

void handoff_time(void *arg)
{
    struct handoff *handoff = arg;

    arch_handoff_prepare(handoff->plan);
    atomic_store(&handoff->stage, STAGE_PREPARED);
    handoff->done = arch_handoff_time(handoff->plan, handoff->hz);
}

void handoff_end(struct handoff *handoff)
{
    atomic_store(&handoff->stage, STAGE_OVER);
    pthread_join(handoff->thread, NULL);
}
