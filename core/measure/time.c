/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/measure/time.h"

uint64_t time_now_ns(const struct machine *machine)
{
    return machine->wall_ns(machine->self);
}

double time_tick_ns(const struct machine *machine)
{
    return 1e9 / (double)machine->description->clock.hz;
}

double time_since_s(const struct machine *machine, uint64_t since_ns)
{
    return (double)(time_now_ns(machine) - since_ns) * 1e-9;
}
