/* SPDX-License-Identifier: BSD-2-Clause */
#include "efi/processors_start.h"

#include "efi/console.h"
#include "efi/fatal.h"
#include "efi/inject.h"

#define REFUSED_MS 100
#define SOON_MS    20

/* ---- waiting for them */

void processors_enter(struct gate *gate)
{
    if (!gate_enter(gate))
        return;
    dump_around(gate->body, gate->arg);
    gate_leave(gate);
}

bool processors_refused(EFI_STATUS status)
{
    return status == EFI_INVALID_PARAMETER || status == EFI_UNSUPPORTED ||
           status == EFI_NOT_FOUND || status == EFI_NOT_READY || status == EFI_NOT_STARTED;
}

static bool any_is(const struct processors *p, const struct processor_job *job, uint32_t count,
                   enum gate_state state)
{
    for (uint32_t i = 0; i < count; i++)
        if (job[i].cpu != 0 && gate_look(&p->processor[job[i].cpu].gate) == state)
            return true;
    return false;
}

/* Soon in short steps, because the next start follows; each takes longer than asked for, so later
 * in few. */
static void wait_while(const struct processors *p, const struct processor_job *job, uint32_t count,
                       enum gate_state state, unsigned limit_ms)
{
    unsigned step_ms;

    for (unsigned ms = 0; any_is(p, job, count, state) && ms < limit_ms; ms += step_ms) {
        step_ms = ms < SOON_MS ? 1 : SOON_MS;
        firmware_wait_ms(p->fw, step_ms);
    }
}

enum came processors_wait(struct processors *p, struct processor_job *job, uint32_t count,
                          EFI_STATUS status)
{

    wait_while(p, job, count, GATE_OPEN,
               processors_refused(status) ? REFUSED_MS : PROCESSORS_LATE_MS);
    for (uint32_t i = 0; i < count; i++)
        gate_shut(&p->processor[job[i].cpu].gate);
    wait_while(p, job, count, GATE_INSIDE, PROCESSORS_LATE_MS);
    for (uint32_t i = 0; i < count; i++)
        if (job[i].cpu != 0)
            job[i].done = gate_look(&p->processor[job[i].cpu].gate) == GATE_LEFT;
    if (any_is(p, job, count, GATE_INSIDE))
        return STAYED;
    return any_is(p, job, count, GATE_MISSED) ? CAME_NOT : CAME;
}

void processors_lose(struct processors *p)
{
    if (!p->lost)
        notes_add(
            p->notes, SEVERITY_WARNING, "the firmware cannot have the machine back",
            "a CPU that was started did not come back, and may still; only a reset ends that");
    p->lost = true;
}

void processors_end(struct processors *p, const struct processor_job *job, uint32_t count)
{
    uint32_t at = 0;

    while (at + 1 < count && (job[at].cpu == 0 || job[at].done))
        at++;
    console_last_words("another CPU stays where it is: a mark is laid for the next start");
    /* The highest level at which files and variables may be written (UEFI 2.10, table 7.3). */
    p->fw->boot->RestoreTPL(TPL_CALLBACK);
    p->mark.asked = false;
    (void)breadcrumb_lay(&p->mark, p->fw, p->cpus[job[at].cpu].hardware_id);
    (void)p->fw->boot->RaiseTPL(TPL_HIGH_LEVEL);
    fatal_end("another CPU did not come back; its memory cannot be given back", "");
}

/* ---- the mark and the watchdog */

static const char *unmarked(struct processors *p, const struct breadcrumb *mark)
{
    if (!p->asked_for) {
        notes_format(p->notes, SEVERITY_WARNING, "other CPUs are not started",
                     "%s; cpus= starts them all the same", mark->why);
        return "nothing would tell the next start that this machine hung; "
               "cpus= starts it all the same";
    }
    if (!p->unmarked)
        notes_add(p->notes, SEVERITY_WARNING, "other CPUs are started without a mark", mark->why);
    p->unmarked = true;
    return NULL;
}

const char *processors_may_start(struct processors *p, struct breadcrumb *mark, uint64_t id,
                                 const char *found)
{
    const char *why = NULL;

    switch (breadcrumb_lay(mark, p->fw, id)) {
    case BREADCRUMB_LAID:
        break;
    case BREADCRUMB_FOUND:
        notes_format(p->notes, SEVERITY_WARNING, "other CPUs are not started", "%s", mark->why);
        why = found;
        break;
    case BREADCRUMB_NOWHERE:
        why = unmarked(p, mark);
        break;
    }
    if (why == NULL)
        (void)watchdog_arm(&p->watchdog, p->fw, PROCESSORS_WATCHDOG_S);
    return why;
}

void processors_came_back(struct processors *p, struct breadcrumb *mark)
{
    watchdog_off(&p->watchdog);
    breadcrumb_take(mark, p->fw, p->notes);
}
