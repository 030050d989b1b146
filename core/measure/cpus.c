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

void measure_ask_for_cpus(const struct machine *machine, const struct options *options,
                          struct journal *journal, bool *asked)
{
    const struct machine_description *d = machine->description;
    struct cpus_choice choice = cpus_of(options->cpus);
    const char *why = NULL, *why_not = NULL;
    uint32_t missing = 0, first = 0;

    if (options->cpus[0] == '\0' || *asked)
        return;
    *asked = true;
    measure_note_missing_cpu(d, &choice, journal);
    if (machine->work_cpus == NULL)
        return;
    for (uint32_t cpu = 1; cpu < d->cpu_count; cpu++) {
        if (!cpus_chosen(&choice, d->cpus, d->cpu_count, cpu) ||
            measure_cpu_ready(machine, cpu, &why))
            continue;
        first = missing++ == 0 ? cpu : first;
        why_not = why_not == NULL ? why : why_not;
    }
    if (missing != 0)
        journal_note_format(journal, SEVERITY_INFO, "CPUs that do not work on memory",
                            "%u of those that cpus= takes, the first of them CPU %u: %s", missing,
                            cpus_number(d->cpus, d->cpu_count, first), why_not);
}
