/* SPDX-License-Identifier: BSD-2-Clause */
/* What a request for turbo on or off does on the simulated machine. */
#include "tests/sim/simulator.h"

static const struct turbo_report no_control = {.state = TURBO_UNSUPPORTED,
                                               .name = "",
                                               .source = "",
                                               .requested = MACHINE_UNKNOWN,
                                               .readback = MACHINE_UNKNOWN};

/* As registers show it: on, until something shows the contrary. */
static enum turbo_state state_of(enum sim_turbo_control control, bool off)
{
    if (!off)
        return TURBO_STATE_ON;
    if (control == SIM_TURBO_LOCKED)
        return TURBO_REFUSED;
    return control == SIM_TURBO_IGNORING ? TURBO_NOT_HONOURED : TURBO_STATE_OFF;
}

enum status sim_turbo_set(void *self, uint32_t cpu, enum turbo_choice choice,
                          struct turbo_report *report)
{
    struct simulator *sim = self;
    enum sim_turbo_control control = sim->config->turbo_control;
    bool off = choice == TURBO_OFF;

    *report = no_control;
    if (cpu > sim->config->cpu_count)
        return STATUS_UNSUPPORTED;
    /* A CPU without a turbo frequency has no control for it either. */
    if (sim->config->turbo_hz <= 0 || control == SIM_TURBO_NONE ||
        sim_config_cpu(sim->config, cpu).core_hz > 0)
        return STATUS_OK;
    sim->turbo[cpu] = off && control != SIM_TURBO_CONTROLLABLE ? TURBO_AS_FOUND : choice;
    *report = (struct turbo_report){.state = state_of(control, off),
                                    .name = "turbo",
                                    .source = "machine file",
                                    .requested = off,
                                    .readback = state_of(control, off) == TURBO_STATE_OFF};
    return STATUS_OK;
}
