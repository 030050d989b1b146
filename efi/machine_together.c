/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of the firmware machine that has several CPUs at the same time, one of them timed: loads
 * beside a chase, and lines handed over. */
#include "efi/machine.h"

/* ---- loads beside a chase */

static enum status load_start(void *self, const struct window *w, uint32_t cpu,
                              const struct traffic *traffic, uint32_t count, const char **why)
{
    struct firmware_machine *m = self;

    return crew_load_start(&m->crew, firmware_quiet_root(w), cpu, traffic, count, why);
}

static void load_stop(void *self)
{
    struct firmware_machine *m = self;

    crew_load_stop(&m->crew);
}

/* ---- lines handed over */

enum handoff_stage { STAGE_STARTED, STAGE_PREPARED, STAGE_OVER };

struct handoff {
    struct handoff_plan *plan;
    uint64_t hz;
    struct firmware_machine *machine;
    struct arch_quiet_plan quiet;
    enum status status; /* of the section */
    uint32_t stage;
    bool done;
};

static void handoff_time(void *arg)
{
    struct handoff *handoff = arg;

    arch_handoff_prepare(handoff->plan);
    __atomic_store_n(&handoff->stage, STAGE_PREPARED, __ATOMIC_RELEASE);
    handoff->done = arch_handoff_time(handoff->plan, handoff->hz);
}

/* Whatever happens in it, the other CPU does not wait for longer. */
static void handoff_lead(void *arg)
{
    struct handoff *handoff = arg;

    handoff->status = arch_quiet_run(&handoff->quiet, &handoff->machine->quiet);
    __atomic_store_n(&handoff->stage, STAGE_OVER, __ATOMIC_RELEASE);
}

static void handoff_answer(void *arg)
{
    struct handoff *handoff = arg;
    uint64_t begun = arch_ticks(), limit = handoff->hz / 4;
    uint32_t stage = STAGE_STARTED;

    while (stage == STAGE_STARTED && arch_ticks() - begun < limit)
        stage = __atomic_load_n(&handoff->stage, __ATOMIC_ACQUIRE);
    if (stage == STAGE_PREPARED)
        arch_handoff_answer(handoff->plan, handoff->hz);
}

static enum status handoff_run(void *self, const struct window *w, struct handoff_plan *plan,
                               struct fault_info *fault)
{
    struct firmware_machine *m = self;
    struct handoff handoff = {.plan = plan,
                              .hz = m->clock.info.hz,
                              .machine = m,
                              .quiet = firmware_quiet_controlled(m, w, plan->cpu)};
    struct arch_aside aside = {
        .root = firmware_quiet_root(w), .body = handoff_answer, .arg = &handoff};
    struct handoff_plan limited = *plan;
    enum status status;

    handoff.plan = &limited;
    if (limited.limit_ns > QUIET_LIMIT_NS)
        limited.limit_ns = QUIET_LIMIT_NS;
    limited.lines_done = 0;
    handoff.quiet.body = handoff_time;
    handoff.quiet.arg = &handoff;
    status =
        crew_pair(&m->crew, plan->cpu, plan->other, handoff_lead, &handoff, &aside, &plan->why);
    plan->lines_done = limited.lines_done;
    if (status != STATUS_OK)
        return status;
    if (handoff.status != STATUS_OK)
        return firmware_quiet_failed(m, handoff.status, fault);
    return handoff.done ? STATUS_OK : STATUS_ABORTED;
}

void firmware_machine_together(struct machine *machine)
{
    machine->load_start = load_start;
    machine->load_stop = load_stop;
    machine->handoff_run = handoff_run;
}
