/* SPDX-License-Identifier: BSD-2-Clause */
/* Prefetchers of the calling core: core/cpu/prefetch.c on the real registers. */
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

/* Completes outstanding accesses first, and makes the change effective for everything after. */
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

/* UNDEF means that a higher level forbids the register, so fewer bits would fault too. */
static const struct prefetch_port port = {
    .read = port_read, .write = port_write, .faults_are_final = true};

static bool quietly(void (*body)(void *arg), void *arg)
{
    static struct arch_quiet_result result;
    struct arch_quiet_plan plan = {.body = body, .arg = arg};

    return arch_quiet_run(&plan, &result) == STATUS_OK;
}

void arch_prefetch_try(const struct prefetch_wish *wish, struct prefetch_report *report)
{
    aarch64_prefetch_start(&controls, registers_midr_el1());
    prefetch_guarded_try(&controls, wish, &port, quietly, report);
}

/* Firmware that traps these registers without handling the trap (TF-A before 2024) halts in EL3. */
bool arch_prefetch_is_risky(uint64_t *identity)
{
    *identity = registers_midr_el1();
    return true;
}

bool arch_prefetch_alone(uint32_t index, struct prefetch_report *report)
{
    return prefetch_guarded_alone(&controls, &port, quietly, index, report);
}

void prefetch_enter(void)
{
    prefetch_set_enter(&controls, &port);
}

void prefetch_leave(void)
{
    prefetch_set_leave(&controls, &port);
}
