/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/measure/time.h"

#include "core/clock/info.h"

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

const char *time_clock_disagrees(const struct machine *machine, double *ppm)
{
    struct clock_check check = {.known = false};

    machine->clock_check(machine->self, &check);
    return clock_check_disagrees(&check, ppm);
}
