/* SPDX-License-Identifier: BSD-2-Clause */
/* Work shared out over all CPUs that this process may run on. */
#ifndef TESTS_HOST_SHARE_H
#define TESTS_HOST_SHARE_H

#include "core/inventory.h"
#include "core/machine.h"
#include "tests/host/quiet.h"

/* Work on [first, end). Shared out, it only reads what arg points to. */
struct share {
    window_work *work;
    void *arg;
    const struct window *window;
    uint64_t first, end;
};

/* Does it in parts, of which the calling thread and one thread on each other CPU of cpus[count]
 * that is allowed take the next one until none is left. STATUS_FAULT: one of them faulted, the rest
 * was not done; fills *fault, whose words are in text. */
enum status share_out(const struct cpu_info *cpus, size_t count, const struct share *share,
                      struct fault_info *fault, char text[QUIET_FAULT_BYTES]);
/* The same, but each of them does one part of its own in one call, and they are as many as
 * CPU_EACH_MAX at most. STATUS_UNSUPPORTED: that is not worth the threads, and nothing was done. */
enum status share_each(const struct cpu_info *cpus, size_t count, const struct share *share,
                       struct fault_info *fault, char text[QUIET_FAULT_BYTES]);
/* How many CPUs that are. */
uint32_t share_count(const struct cpu_info *cpus, size_t count);

#endif
