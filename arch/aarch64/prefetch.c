/* SPDX-License-Identifier: BSD-2-Clause */
/* Prefetchers of the calling core: core/prefetch.c over the real registers. */
#include "arch/aarch64/prefetch.h"

#include "arch/aarch64/pure_prefetch.h"
#include "arch/aarch64/registers.h"
#include "arch/aarch64/sysreg.h"
#include "arch/arch.h"

static struct prefetch_set controls;

static bool port_read(void *context, uint32_t reg, uint64_t *value)
{
    (void)context;
    return sysreg_read((enum sysreg)reg, value);
}

/* What the core has in flight is done first, and the change holds for everything after. */
static bool port_write(void *context, uint32_t reg, uint64_t value)
{
    bool taken;

    (void)context;
    registers_dsb_sy();
    taken = sysreg_write((enum sysreg)reg, value);
    registers_dsb_sy();
    registers_isb();
    return taken;
}

/* UNDEF means that the level above forbids the register: fewer bits would fare no better. */
static const struct prefetch_port port = {
    .read = port_read, .write = port_write, .faults_are_final = true};

struct trial {
    const struct prefetch_wish *wish;
    struct prefetch_report *report;
};

static void trial_body(void *arg)
{
    struct trial *trial = arg;

    prefetch_set_try(&controls, trial->wish, &port, trial->report);
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

    report->count = 0;
    report->state = PREFETCH_UNSUPPORTED;
    aarch64_prefetch_start(&controls, registers_midr_el1());
    if (!controls.count)
        return;
    if (arch_quiet_run(&plan, &result) != STATUS_OK) {
        /* Only a fault of our own code comes here: those of sysreg_read and sysreg_write are
         * recovered. */
        plan.body = restore_body;
        (void)arch_quiet_run(&plan, &result);
        controls.count = 0;
        report->count = 0;
        report->state = PREFETCH_REFUSED;
    }
}

/* Firmware that traps these registers and does not expect it (TF-A before 2024) halts in EL3. */
bool arch_prefetch_is_risky(uint64_t *identity)
{
    *identity = registers_midr_el1();
    return true;
}

struct lone {
    uint32_t index;
    struct prefetch_report *report;
    bool found;
};

static void lone_body(void *arg)
{
    struct lone *lone = arg;

    lone->found = prefetch_set_alone(&controls, &port, lone->index, lone->report);
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
    prefetch_set_enter(&controls, &port);
}

void prefetch_leave(void)
{
    prefetch_set_leave(&controls, &port);
}
