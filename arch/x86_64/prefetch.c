/* SPDX-License-Identifier: BSD-2-Clause */
/* Prefetchers of the calling CPU: pure_prefetch.c over the real MSRs. */
#include "arch/arch.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/msr.h"
#include "arch/x86_64/prefetch.h"
#include "arch/x86_64/pure_prefetch.h"

static struct x86_64_prefetch controls;

static bool port_read(void *context, uint32_t msr, uint64_t *value)
{
    (void)context;
    return msr_read(msr, value);
}

static bool port_write(void *context, uint32_t msr, uint64_t value)
{
    (void)context;
    return msr_write(msr, value);
}

static const struct msr_port port = {NULL, port_read, port_write};

struct trial {
    const struct arch_prefetch_wish *wish;
    struct prefetch_report *report;
};

static void trial_body(void *arg)
{
    struct trial *trial = arg;

    x86_64_prefetch_try(&controls, trial->wish, &port, trial->report);
}

static void restore_body(void *arg)
{
    (void)arg;
    prefetch_leave();
}

void arch_prefetch_try(const struct arch_prefetch_wish *wish, struct prefetch_report *report)
{
    static struct arch_quiet_result result;
    struct trial trial = {wish, report};
    struct arch_quiet_plan plan = {.body = trial_body, .arg = &trial};
    struct cpu_identity identity;

    report->count = 0;
    report->state = PREFETCH_UNSUPPORTED;
    cpu_identify(&identity);
    x86_64_prefetch_start(&controls, &identity);
    if (!controls.count)
        return;
    if (arch_quiet_run(&plan, &result) != STATUS_OK) {
        /* Only a fault of our own code comes here: msr_read's and msr_write's are recovered. */
        plan.body = restore_body;
        (void)arch_quiet_run(&plan, &result);
        controls.count = 0;
        report->count = 0;
        report->state = PREFETCH_REFUSED;
    }
}

void prefetch_enter(void)
{
    x86_64_prefetch_enter(&controls, &port);
}

void prefetch_leave(void)
{
    x86_64_prefetch_leave(&controls, &port);
}
