/* SPDX-License-Identifier: BSD-2-Clause */
/* Tries the frequencies of the calling CPU and its package, in quiet sections of their own. */
#include "arch/arch.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/prefetch.h"
#include "arch/x86_64/speed.h"

struct trial {
    struct x86_64_speed *speed;
    struct speed_report *report;
};

static void trial_body(void *arg)
{
    const struct trial *trial = arg;

    x86_64_speed_try(trial->speed, &prefetch_msr_port, trial->report);
}

static void restore_body(void *arg)
{
    (void)arg;
    speed_leave();
}

void arch_speed_try(enum speed_kind kind, struct speed_report *report)
{
    struct trial trial = {&speed_controls[kind], report};

    x86_64_speed_start(trial.speed, kind, &cpu_cpuid);
    x86_64_speed_report(trial.speed, report);
    if (trial.speed->why ||
        prefetch_guarded_run(prefetch_quietly, trial_body, restore_body, &trial))
        return;
    trial.speed->bits.works = false;
    report->state = SPEED_REFUSED;
}
