/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUs that are turned on for each body, where the firmware has no MP services. */
#include "efi/inject.h"
#include "efi/processors_start.h"

#define POLLS 100000 /* between two calls of the firmware */

/* ---- one */

const char *processors_power_refusal(struct processors *p, uint32_t cpu)
{
    bool first = !p->power.tried;
    const char *why = power_prepare(&p->power, p->fw, p->count);

    if (why != NULL && first)
        notes_add(p->notes, SEVERITY_WARNING, "other CPUs are not started", why);
    if (why != NULL || p->never != NULL)
        return why != NULL ? why : p->never;
    why = power_refusal(&p->power, &p->cpus[cpu]);
    if (why != NULL)
        notes_format(p->notes, SEVERITY_WARNING, "a CPU was not started", "CPU %u: %s",
                     p->cpus[cpu].number, why);
    return why;
}

static void powered_body(void *gate)
{
    processors_enter(gate);
}

enum came processors_power_start(struct processors *p, struct processor_job *job,
                                 EFI_STATUS *status)
{
    const struct cpu_info *info = &p->cpus[job->cpu];
    struct gate *gate = &p->processor[job->cpu].gate;
    enum gate_state state;

    *status = EFI_UNSUPPORTED;
    p->power_why = power_on(&p->power, job->cpu, info, powered_body, gate);
    if (p->power_why == NULL) {
        p->power_why = power_wait_off(&p->power, job->cpu, info, PROCESSORS_LATE_MS);
        *status = p->power_why == NULL ? EFI_SUCCESS : EFI_TIMEOUT;
    }
    gate_shut(gate);
    state = gate_look(gate);
    job->done = state == GATE_LEFT;
    if (*status == EFI_TIMEOUT) {
        notes_format(p->notes, SEVERITY_WARNING, "another CPU may still run",
                     "CPU %u: %s; reset the machine before an operating system starts",
                     info->number, p->power_why);
        processors_lose(p);
    }
    return state == GATE_LEFT ? CAME : state == GATE_INSIDE ? STAYED : CAME_NOT;
}

/* ---- several */

enum go { GO_WAIT, GO_RUN, GO_NOT };

/* Bodies may wait for each other, so none begins before all are to run. */
static void powered_job(void *arg)
{
    struct processor_job *job = arg;
    uint32_t go = GO_WAIT;

    __atomic_store_n(&job->begun, true, __ATOMIC_RELEASE);
    while (go == GO_WAIT)
        go = __atomic_load_n(job->go, __ATOMIC_ACQUIRE);
    if (go == GO_NOT)
        return;
    dump_around(job->body, job->arg);
    __atomic_store_n(&job->done, true, __ATOMIC_RELEASE);
}

/* Returns how many of the jobs have a CPU that was turned on, or need none. */
static uint32_t turn_on(struct processors *p, struct processor_job *job, uint32_t count,
                        const uint32_t *go)
{
    uint32_t on = 0;

    p->power_why = NULL;
    for (; on < count && p->power_why == NULL; on++) {
        job[on].go = go;
        job[on].begun = job[on].cpu == 0;
        if (job[on].cpu != 0)
            p->power_why =
                power_on(&p->power, job[on].cpu, &p->cpus[job[on].cpu], powered_job, &job[on]);
    }
    if (p->power_why == NULL)
        return on;
    on--;
    notes_format(p->notes, SEVERITY_WARNING, "a CPU was not started", "CPU %u: %s",
                 p->cpus[job[on].cpu].number, p->power_why);
    return on;
}

static bool all_begun(const struct processor_job *job, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!__atomic_load_n(&job[i].begun, __ATOMIC_ACQUIRE))
            return false;
    return true;
}

/* Turning a CPU on takes as long as its firmware takes. */
static bool wait_begun(struct processors *p, const struct processor_job *job, uint32_t count)
{
    for (unsigned ms = 0; ms < PROCESSORS_LATE_MS; ms++) {
        for (unsigned polls = 0; polls < POLLS; polls++)
            if (all_begun(job, count))
                return true;
        firmware_wait_ms(p->fw, 1);
    }
    return false;
}

static bool all_done(const struct processor_job *job, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!__atomic_load_n(&job[i].done, __ATOMIC_ACQUIRE))
            return false;
    return true;
}

bool processors_power_together(struct processors *p, struct processor_job *job, uint32_t count,
                               struct processor_job *boot)
{
    EFI_TPL tpl = p->fw->boot->RaiseTPL(TPL_HIGH_LEVEL);
    uint32_t go = GO_WAIT, on = turn_on(p, job, count, &go);
    bool run = on == count && wait_begun(p, job, count);

    __atomic_store_n(&go, run ? GO_RUN : GO_NOT, __ATOMIC_RELEASE);
    if (run && boot != NULL) {
        boot->body(boot->arg);
        boot->done = true;
    }
    for (uint32_t i = 0; i < on; i++)
        if (job[i].cpu != 0 &&
            power_wait_off(&p->power, job[i].cpu, &p->cpus[job[i].cpu], PROCESSORS_LATE_MS) != NULL)
            processors_end(p, job, count);
    p->fw->boot->RestoreTPL(tpl);
    return run && all_done(job, count);
}
