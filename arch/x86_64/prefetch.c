/* SPDX-License-Identifier: BSD-2-Clause */
/* Prefetchers of the calling CPU: core/prefetch.c over the real MSRs. */
#include "arch/arch.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/msr.h"
#include "arch/x86_64/prefetch.h"
#include "arch/x86_64/pure_prefetch.h"

static struct prefetch_set controls;

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

const struct prefetch_port prefetch_msr_port = {.read = port_read, .write = port_write};

struct trial {
    const struct prefetch_wish *wish;
    struct prefetch_report *report;
};

static void trial_body(void *arg)
{
    struct trial *trial = arg;

    prefetch_set_try(&controls, trial->wish, &prefetch_msr_port, trial->report);
}

static void restore_body(void *arg)
{
    (void)arg;
    prefetch_leave();
}

void arch_prefetch_try(const struct prefetch_wish *wish, struct prefetch_report *report)
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

/* A write that is not taken raises #GP, which msr_write survives. */
bool arch_prefetch_is_risky(uint64_t *identity)
{
    *identity = 0;
    return false;
}

struct lone {
    uint32_t index;
    struct prefetch_report *report;
    bool found;
};

static void lone_body(void *arg)
{
    struct lone *lone = arg;

    lone->found = prefetch_set_alone(&controls, &prefetch_msr_port, lone->index, lone->report);
}

bool arch_prefetch_alone(uint32_t index, struct prefetch_report *report)
{
    static struct arch_quiet_result result;
    struct lone lone = {.index = index, .report = report};
    struct arch_quiet_plan plan = {.body = lone_body, .arg = &lone};

    if (arch_quiet_run(&plan, &result) == STATUS_OK)
        return lone.found;
    plan.body = restore_body;
    (void)arch_quiet_run(&plan, &result);
    return false;
}

void prefetch_enter(void)
{
    prefetch_set_enter(&controls, &prefetch_msr_port);
}

void prefetch_leave(void)
{
    prefetch_set_leave(&controls, &prefetch_msr_port);
}
