/* SPDX-License-Identifier: BSD-2-Clause */
/* arch_state_read: pure_state.c in a quiet section, in which a missing register is no fault. */
#include "arch/arch.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/msr.h"
#include "arch/x86_64/pure_state.h"

static bool read_msr(void *context, uint32_t msr, uint64_t *value)
{
    (void)context;
    return msr_read(msr, value);
}

static void state_body(void *arg)
{
    static const struct state_port port = {NULL, read_msr};

    x86_64_state(&cpu_cpuid, &port, arg);
}

void arch_state_read(struct machine_state *state, struct census_bits *bits)
{
    static struct arch_quiet_result result;
    struct arch_quiet_plan plan = {.body = state_body, .arg = state};

    *bits = x86_64_census_bits(&cpu_cpuid);
    if (arch_quiet_run(&plan, &result) != STATUS_OK)
        *state = (struct machine_state){.microcode = 0};
}
