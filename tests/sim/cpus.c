/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPUs of the simulated machine: which one runs, at which frequency, and with what of its
 * prefetchers switched off. One runs
 * at a time, but for work on every one of them. */
#include "tests/sim/simulator.h"

bool sim_cpu_ready(void *self, uint32_t cpu, const char **why)
{
    struct simulator *sim = self;
    struct sim_cpu is;

    *why = NULL;
    if (cpu > sim->config->cpu_count) {
        *why = "there is no such CPU";
        return false;
    }
    is = sim_config_cpu(sim->config, cpu);
    if (!is.present)
        *why = "the firmware has disabled it";
    else if (is.fails)
        *why = "it did not start";
    else
        sim->asked |= 1ull << cpu;
    return *why == NULL;
}

/* Whoever does not ask whether a CPU is ready does not have it. */
static bool is_ready(const struct simulator *sim, uint32_t cpu)
{
    return cpu == 0 || (cpu <= sim->config->cpu_count && (sim->asked >> cpu & 1) != 0);
}

uint32_t sim_cpus_at_once(const struct simulator *sim)
{
    uint32_t count = 1;

    for (uint32_t cpu = 1; cpu <= sim->config->cpu_count; cpu++) {
        struct sim_cpu is = sim_config_cpu(sim->config, cpu);
        count += is.present && !is.fails;
    }
    return count;
}

static double frequency_of(const struct simulator *sim, const struct sim_cpu *cpu)
{
    const struct sim_config *config = sim->config;
    enum turbo_choice turbo = sim->turbo[sim->run->cpu];

    if (cpu->core_hz > 0)
        return cpu->core_hz;
    if (config->turbo_hz > 0 && turbo != TURBO_OFF &&
        (turbo == TURBO_ON || config->turbo_s <= 0 || simulator_seconds(sim) < config->turbo_s))
        return config->turbo_hz;
    return config->core_hz;
}

static enum status prefetch_as_requested(struct simulator *sim, struct prefetch_report *report)
{
    struct sim_prefetchers *all = &sim->system->prefetchers;

    if (!sim->prefetch.only_off) {
        sim_prefetchers_set(all, sim->config, sim->prefetch.off, report);
        return STATUS_OK;
    }
    return sim_prefetchers_alone(all, sim->config, sim->prefetch.index, report)
               ? STATUS_OK
               : STATUS_UNSUPPORTED;
}

bool sim_cpu_run_on(struct simulator *sim, uint32_t cpu)
{
    struct prefetch_report nobody;
    struct sim_cpu is;
    double hz;

    if (!is_ready(sim, cpu))
        return false;
    is = sim_config_cpu(sim->config, cpu);
    if (cpu != sim->run->cpu) {
        sim->run->cpu = cpu;
        sim->run->core_hz = frequency_of(sim, &is);
        sim->run->system = sim->run->core.system = sim->system = &sim->cores[is.core];
        sim_memory_run_on(sim->system, &is, sim->run->core_hz);
        if (cpu == sim->prefetch.cpu)
            (void)prefetch_as_requested(sim, &nobody);
        return true;
    }
    hz = frequency_of(sim, &is);
    if (hz != sim->run->core_hz)
        sim_memory_set_frequency(sim->system, hz);
    sim->run->core_hz = hz;
    return true;
}

/* A request that cannot be met leaves the one before in force. */
static enum status request(struct simulator *sim, const struct sim_prefetch_request *wanted,
                           struct prefetch_report *report)
{
    struct sim_prefetch_request before = sim->prefetch;
    enum status status;

    if (!sim_cpu_run_on(sim, wanted->cpu)) {
        *report = (struct prefetch_report){.state = PREFETCH_UNSUPPORTED};
        return STATUS_UNSUPPORTED;
    }
    sim->prefetch = *wanted;
    status = prefetch_as_requested(sim, report);
    if (status != STATUS_OK)
        sim->prefetch = before;
    return status;
}

enum status sim_prefetch_set(void *self, uint32_t cpu, bool off, struct prefetch_report *report)
{
    const struct sim_prefetch_request wanted = {.cpu = cpu, .off = off};
    enum status status = request(self, &wanted, report);
    const struct simulator *sim = self;

    if (status != STATUS_OK || sim->config->prefetch_count != 0)
        return status;
    *report = (struct prefetch_report){.count = 1, .state = off ? PREFETCH_OFF : PREFETCH_ON};
    report->control[0] = (struct prefetch_control){.name = "simulated prefetchers",
                                                   .source = "this machine has none",
                                                   .mask = 1,
                                                   .requested = off,
                                                   .readback = off,
                                                   .state = report->state};
    return STATUS_OK;
}

enum status sim_prefetch_only_off(void *self, uint32_t cpu, uint32_t index,
                                  struct prefetch_report *report)
{
    const struct sim_prefetch_request wanted = {.cpu = cpu, .only_off = true, .index = index};

    return request(self, &wanted, report);
}
