/* SPDX-License-Identifier: BSD-2-Clause */
/* Tries turbo of the calling CPU, in quiet sections of its own. */
#include "arch/arch.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/prefetch.h"
#include "arch/x86_64/turbo.h"

struct trial {
    enum turbo_choice choice;
    struct turbo_report *report;
};

static void trial_body(void *arg)
{
    struct trial *trial = arg;

    x86_64_turbo_try(&turbo_control, trial->choice, &prefetch_msr_port, trial->report);
}

static void restore_body(void *arg)
{
    (void)arg;
    turbo_leave();
}

void arch_turbo_try(enum turbo_choice choice, struct turbo_report *report)
{
    struct trial trial = {choice, report};

    x86_64_turbo_start(&turbo_control, &cpu_cpuid);
    x86_64_turbo_report(&turbo_control, report);
    if (!turbo_control.there)
        return;
    if (!prefetch_guarded_run(prefetch_quietly, trial_body, restore_body, &trial)) {
        turbo_control.there = false;
        report->state = TURBO_REFUSED;
    }
}
