/* SPDX-License-Identifier: BSD-2-Clause */
#include "efi/processors.h"

#include "efi/inject.h"

#define START_WATCHDOG_S 120
#define LATE_MS          2000 /* longer than any quiet section */

static const char not_started_what[] = "other CPUs are not started";

/* ---- what the firmware lists */

static void list(struct processors *p, UINTN number, uint64_t id)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->cpus[i].hardware_id == id) {
            p->processor[i].listed = true;
            p->processor[i].number = number;
        }
}

void processors_start(struct processors *p, const struct firmware *fw, const struct cpu_info *cpus,
                      size_t count, struct notes *notes)
{
    static EFI_GUID guid = MP_SERVICES_GUID;
    struct mp_processor info;
    UINTN all, enabled;
    VOID *services = NULL;

    p->fw = fw;
    p->notes = notes;
    p->cpus = cpus;
    p->count = count;
    arch_same_read(&p->own);
    if (EFI_ERROR(fw->boot->LocateProtocol(&guid, NULL, &services)))
        return;
    p->services = services;
    if (EFI_ERROR(p->services->processors_count(p->services, &all, &enabled)))
        return;
    for (UINTN number = 0; number < all; number++)
        if (!EFI_ERROR(p->services->processor_info(p->services, number, &info)))
            list(p, number, info.id);
}

/* ---- a start */

struct call {
    void (*body)(void *arg);
    void *arg;
    volatile bool ran;
};

static VOID EFIAPI procedure(VOID *argument)
{
    struct call *call = argument;

    dump_around(call->body, call->arg);
    call->ran = true;
}

/* Never with a time-out: the firmware would reset the CPU with our registers in it. */
static EFI_STATUS start(struct processors *p, uint32_t cpu, struct call *call)
{
    EFI_STATUS status = p->services->startup_this(p->services, procedure, p->processor[cpu].number,
                                                  NULL, 0, call, NULL);

    /* Firmware that comes back before the procedure does may not be asked again. */
    for (unsigned ms = 0; !EFI_ERROR(status) && !call->ran && ms < LATE_MS; ms++)
        firmware_wait_ms(p->fw, 1);
    if (!EFI_ERROR(status) && !call->ran)
        p->lost = true;
    return status;
}

enum status processors_run(struct processors *p, uint32_t cpu, void (*body)(void *arg), void *arg)
{
    struct call call = {.body = body, .arg = arg};
    EFI_TPL tpl;

    if (cpu != 0 &&
        (cpu >= p->count || !p->processor[cpu].tried || p->processor[cpu].why != NULL || p->lost))
        return STATUS_UNSUPPORTED;
    tpl = p->fw->boot->RaiseTPL(TPL_HIGH_LEVEL);
    if (cpu == 0)
        body(arg);
    else
        (void)start(p, cpu, &call);
    p->fw->boot->RestoreTPL(tpl);
    return cpu == 0 || call.ran ? STATUS_OK : STATUS_UNSUPPORTED;
}

/* ---- the trial */

static void trial_body(void *arg)
{
    inject_cpu_start();
    arch_same_read(arg);
}

/* Why the first start in this boot may not be made; NULL: it may. */
static const char *may_start(struct processors *p, uint64_t id)
{
    switch (breadcrumb_lay(&p->mark, p->fw, id)) {
    case BREADCRUMB_LAID:
        return NULL;
    case BREADCRUMB_FOUND:
        notes_add(p->notes, SEVERITY_WARNING, not_started_what, p->mark.why);
        return "this machine did not come back from starting another CPU";
    case BREADCRUMB_NOWHERE:
        break;
    }
    if (p->asked_for) {
        notes_add(p->notes, SEVERITY_WARNING, "other CPUs are started without a mark", p->mark.why);
        return NULL;
    }
    notes_format(p->notes, SEVERITY_WARNING, not_started_what, "%s; cpus= starts them all the same",
                 p->mark.why);
    return "nothing would tell the next start that this machine hung; cpus= starts it all the same";
}

/* At the application's own TPL, unlike every later start: the watchdog counts by interrupts. */
static const char *try_start(struct processors *p, uint32_t cpu)
{
    struct same_words other;
    struct call call = {.body = trial_body, .arg = &other};
    EFI_STATUS status;

    if (!p->came_back) {
        p->never = may_start(p, p->cpus[cpu].hardware_id);
        if (p->never != NULL)
            return p->never;
        (void)watchdog_arm(&p->watchdog, p->fw, START_WATCHDOG_S);
    }
    status = start(p, cpu, &call);
    if (!p->came_back) {
        watchdog_off(&p->watchdog);
        breadcrumb_take(&p->mark, p->fw, p->notes);
        p->came_back = true;
    }
    if (!call.ran) {
        notes_format(p->notes, SEVERITY_WARNING, "a CPU was not started", "CPU %u: %s",
                     p->cpus[cpu].number,
                     p->lost ? "the firmware came back without it" : firmware_status_words(status));
        return "the firmware could not start it";
    }
    if (other.hardware_id != p->cpus[cpu].hardware_id)
        return "the firmware started another CPU in its place";
    return arch_same_refusal(&p->own, &other);
}

static const char *refusal(struct processors *p, uint32_t cpu)
{
    const struct processor *own = &p->processor[cpu];
    struct mp_processor info;

    if (p->services == NULL)
        return "the firmware has no MP services to start it with";
    if (p->never != NULL)
        return p->never;
    if (!own->listed || EFI_ERROR(p->services->processor_info(p->services, own->number, &info)))
        return "the firmware's MP services do not list it";
    if (info.flags & MP_BOOT_CPU)
        return "the firmware says that it is the boot CPU";
    if (!(info.flags & MP_ENABLED))
        return "the firmware has disabled it";
    if (!(info.flags & MP_HEALTHY))
        return "the firmware says that it is not healthy";
    if (p->lost)
        return "a CPU that was started before did not come back";
    return try_start(p, cpu);
}

bool processors_ready(struct processors *p, uint32_t cpu, const char **why)
{
    struct processor *own;

    *why = NULL;
    if (cpu == 0)
        return true;
    *why = "the machine lists no such CPU";
    if (cpu >= p->count)
        return false;
    own = &p->processor[cpu];
    if (!own->tried)
        own->why = refusal(p, cpu);
    own->tried = true;
    *why = own->why;
    return own->why == NULL;
}
