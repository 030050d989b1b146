/* SPDX-License-Identifier: BSD-2-Clause */
/* Several CPUs at the same time: all are started at once, and those without work go back to where
 * the firmware has them sleep. */
#include "efi/processors_start.h"

#define SAID_MS      2000 /* EDK2 looks every 100 ms whether they have gone back */
#define SAID_STEP_MS 2

/* ---- a start of all */

static VOID EFIAPI procedure(VOID *argument)
{
    struct processors *p = argument;
    struct same_words own;

    arch_same_read(&own);
    for (size_t i = 1; i < p->count; i++)
        if (p->cpus[i].hardware_id == own.hardware_id)
            processors_enter(&p->processor[i].gate);
}

/* Only after its event, which it signals from a timer, may the firmware be asked again. One that it
 * may still signal stays for ever. */
static void event_ends(struct processors *p, EFI_EVENT event, EFI_STATUS status)
{
    bool said = processors_refused(status);

    for (unsigned ms = 0; !EFI_ERROR(status) && !said && ms < SAID_MS; ms += SAID_STEP_MS) {
        said = p->fw->boot->CheckEvent(event) != EFI_NOT_READY;
        if (!said)
            firmware_wait_ms(p->fw, SAID_STEP_MS);
    }
    if (said)
        p->fw->boot->CloseEvent(event);
    else
        processors_lose(p);
}

/* boot: the boot CPU's own job, which it does meanwhile; NULL: it waits. */
static enum came start_all(struct processors *p, struct processor_job *job, uint32_t count,
                           struct processor_job *boot, EFI_EVENT event, EFI_STATUS *status)
{
    for (uint32_t i = 0; i < count; i++)
        if (job[i].cpu != 0)
            gate_open(&p->processor[job[i].cpu].gate, job[i].body, job[i].arg);
    *status = p->services->startup_all(p->services, procedure, FALSE, event, 0, p, NULL);
    if (boot != NULL && !EFI_ERROR(*status)) {
        boot->body(boot->arg);
        boot->done = true;
    }
    return processors_wait(p, job, count, *status);
}

/* trial: nothing depends on what was started, and the firmware's interrupts go on, by which the
 * watchdog counts. True: all ran. */
static bool run(struct processors *p, struct processor_job *job, uint32_t count,
                struct processor_job *boot, bool trial)
{
    EFI_EVENT event = NULL;
    EFI_STATUS status;
    enum came came;
    EFI_TPL tpl = TPL_APPLICATION;

    if (boot != NULL && EFI_ERROR(p->fw->boot->CreateEvent(0, 0, NULL, NULL, &event)))
        return false;
    if (!trial)
        tpl = p->fw->boot->RaiseTPL(TPL_HIGH_LEVEL);
    came = start_all(p, job, count, boot, event, &status);
    if (came == STAYED && !trial)
        processors_end(p, job, count);
    if (!trial)
        p->fw->boot->RestoreTPL(tpl);
    if (came != CAME && !processors_refused(status))
        processors_lose(p);
    if (event != NULL)
        event_ends(p, event, status);
    return came == CAME && !EFI_ERROR(status);
}

enum status processors_together(struct processors *p, struct processor_job *job, uint32_t count)
{
    struct processor_job *boot = NULL;

    for (uint32_t i = 0; i < count; i++) {
        job[i].done = false;
        if (job[i].cpu == 0)
            boot = &job[i];
        else if (job[i].cpu >= p->count || !p->processor[job[i].cpu].tried ||
                 p->processor[job[i].cpu].why != NULL)
            return STATUS_UNSUPPORTED;
    }
    if (p->lost)
        return STATUS_UNSUPPORTED;
    if (p->services == NULL)
        return processors_power_together(p, job, count, boot) ? STATUS_OK : STATUS_UNSUPPORTED;
    return run(p, job, count, boot, false) ? STATUS_OK : STATUS_UNSUPPORTED;
}

/* ---- the trial */

static void nothing(void *arg)
{
    (void)arg;
}

/* Those that are ready, and the boot CPU if it is to go on. */
static uint32_t trial_jobs(const struct processors *p, bool boot_cpu, struct processor_job *job)
{
    uint32_t count = 0;

    for (uint32_t cpu = boot_cpu ? 0 : 1; cpu < p->count; cpu++)
        if (cpu == 0 || (p->processor[cpu].tried && p->processor[cpu].why == NULL)) {
            if (job != NULL)
                job[count] = (struct processor_job){.cpu = cpu, .body = nothing};
            count++;
        }
    return count;
}

static const char *try_together(struct processors *p, bool boot_cpu, uint32_t count)
{
    struct breadcrumb *mark = &p->together[boot_cpu].mark;
    struct processor_job *job = firmware_allocate(p->fw, count * sizeof *job);
    const char *why;
    bool ran;

    if (job == NULL)
        return "there is no memory for their trial";
    why = processors_may_start(p, mark, p->cpus[0].hardware_id,
                               "this machine did not come back from starting all CPUs at once");
    if (why != NULL) {
        firmware_free(p->fw, job);
        return why;
    }
    (void)trial_jobs(p, boot_cpu, job);
    ran = run(p, job, count, boot_cpu ? job : NULL, true);
    processors_came_back(p, mark);
    firmware_free(p->fw, job);
    if (ran || p->lost)
        return NULL;
    return boot_cpu ? "the firmware runs other CPUs only while the boot CPU waits"
                    : "the firmware does not start several CPUs at once";
}

bool processors_together_ready(struct processors *p, bool boot_cpu, const char **why)
{
    struct processors_together *way = &p->together[boot_cpu];
    uint32_t count;

    if (p->services == NULL) {
        *why = p->lost ? processors_lost : power_prepare(&p->power, p->fw, p->count);
        return *why == NULL;
    }
    count = trial_jobs(p, boot_cpu, NULL);
    if (!p->lost && way->why == NULL && count > way->tried) {
        way->tried = count;
        way->why = try_together(p, boot_cpu, count);
    }
    *why = p->lost ? processors_lost : way->why;
    return *why == NULL;
}
