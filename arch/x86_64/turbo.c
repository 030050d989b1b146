/* SPDX-License-Identifier: BSD-2-Clause */
/* Turbo of the calling CPU: pure_turbo.c on the real MSRs. */
#include "arch/x86_64/turbo.h"

#include "arch/arch.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/prefetch.h"
#include "arch/x86_64/pure_turbo.h"

static struct x86_64_turbo turbo;

struct trial {
    enum turbo_choice choice;
    struct turbo_report *report;
};

static void trial_body(void *arg)
{
    struct trial *trial = arg;

    x86_64_turbo_try(&turbo, trial->choice, &prefetch_msr_port, trial->report);
}

static void restore_body(void *arg)
{
    (void)arg;
    turbo_leave();
}

void arch_turbo_try(enum turbo_choice choice, struct turbo_report *report)
{
    struct trial trial = {choice, report};

    x86_64_turbo_start(&turbo, &cpu_cpuid);
    x86_64_turbo_report(&turbo, report);
    if (!turbo.there)
        return;
    if (!prefetch_quietly(trial_body, &trial)) {
        /* Only a fault in our own code gets here: those of msr_read and msr_write are recovered. */
        (void)prefetch_quietly(restore_body, NULL);
        turbo.there = false;
        report->state = TURBO_REFUSED;
    }
}

void turbo_enter(void)
{
    x86_64_turbo_enter(&turbo, &prefetch_msr_port);
}

void turbo_leave(void)
{
    x86_64_turbo_leave(&turbo, &prefetch_msr_port);
}
