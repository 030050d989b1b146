/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines handed from one CPU to another: a thread that answers while the first one takes times. */
#ifndef TESTS_HOST_HANDOFF_H
#define TESTS_HOST_HANDOFF_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/machine.h"

struct handoff {
    struct handoff_plan *plan;
    uint64_t hz;
    pthread_t thread;
    atomic_int stage;
    bool done; /* all lines were handed over within the limit */
};

/* Starts the thread that answers, on that CPU by the kernel's number; it waits for handoff_time.
 * plan and hz are set, the rest is 0. False: it cannot run there. */
bool handoff_start(struct handoff *handoff, uint32_t number);
/* The body of the first thread's quiet section, on plan->cpu; arg is the struct handoff. */
void handoff_time(void *arg);
/* Ends the thread, whether that body returned or faulted. */
void handoff_end(struct handoff *handoff);

#endif
