/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/measure/cpus.h"

bool measure_cpu_ready(const struct machine *machine, uint32_t cpu, const char **why)
{
    *why = "this machine runs chases on one CPU alone";
    return cpu == 0 || (machine->cpu_ready != NULL && machine->cpu_ready(machine->self, cpu, why));
}

static uint32_t last_number(const struct machine_description *d)
{
    uint32_t last = 0;

    for (size_t i = 0; i < d->cpu_count; i++)
        if (d->cpus[i].enabled && d->cpus[i].number > last)
            last = d->cpus[i].number;
    return last;
}

void measure_note_missing_cpu(const struct machine_description *d, const struct cpus_choice *choice,
                              struct journal *journal)
{
    uint32_t missing = cpus_missing(choice, d->cpus, d->cpu_count);

    if (missing != UINT32_MAX)
        journal_note_format(journal, SEVERITY_WARNING, "cpus= names a CPU that is not there",
                            "CPU %u; of %zu listed CPUs the last is CPU %u", missing, d->cpu_count,
                            last_number(d));
}
