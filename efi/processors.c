/* SPDX-License-Identifier: BSD-2-Clause */
#include "efi/processors.h"

#include "efi/fatal.h"
#include "efi/inject.h"

#define START_WATCHDOG_S 120
#define LATE_MS          2000   /* longer than any quiet section */
#define POLLS            100000 /* between two calls of the firmware */

static const char not_started_what[] = "other CPUs are not started";
static const char not_started_one[] = "a CPU was not started";

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

void processors_stop(struct processors *p)
{
    power_stop(&p->power, p->lost);
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

static void powered_body(void *call)
{
    procedure(call);
}

static EFI_STATUS start_by_power(struct processors *p, uint32_t cpu, struct call *call)
{
    const struct cpu_info *info = &p->cpus[cpu];

    p->power_why = power_on(&p->power, cpu, info, powered_body, call);
    if (p->power_why != NULL)
        return EFI_UNSUPPORTED;
    p->power_why = power_wait_off(&p->power, cpu, info, LATE_MS);
    if (p->power_why == NULL)
        return EFI_SUCCESS;
    p->lost = true;
    notes_format(p->notes, SEVERITY_WARNING, "another CPU may still run",
                 "CPU %u: %s; reset the machine before an operating system starts", info->number,
                 p->power_why);
    return EFI_TIMEOUT;
}

/* Never with a time-out: the firmware would reset the CPU with our registers in it. */
static EFI_STATUS start(struct processors *p, uint32_t cpu, struct call *call)
{
    EFI_STATUS status;

    if (p->services == NULL)
        return start_by_power(p, cpu, call);
    status = p->services->startup_this(p->services, procedure, p->processor[cpu].number, NULL, 0,
                                       call, NULL);
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

static const char *start_failure(const struct processors *p, EFI_STATUS status)
{
    if (p->services == NULL)
        return p->power_why;
    return p->lost ? "the firmware came back without it" : firmware_status_words(status);
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
    if (!call.ran || p->lost) {
        notes_format(p->notes, SEVERITY_WARNING, not_started_one, "CPU %u: %s", p->cpus[cpu].number,
                     start_failure(p, status));
        return "the firmware could not start it";
    }
    if (other.hardware_id != p->cpus[cpu].hardware_id)
        return "the firmware started another CPU in its place";
    return arch_same_refusal(&p->own, &other);
}

static const char *refusal_without_services(struct processors *p, uint32_t cpu)
{
    bool first = !p->power.tried;
    const char *why = power_prepare(&p->power, p->fw, p->count);

    if (why != NULL && first)
        notes_add(p->notes, SEVERITY_WARNING, not_started_what, why);
    if (why != NULL || p->never != NULL)
        return why != NULL ? why : p->never;
    if (p->lost)
        return "a CPU that was started before did not come back";
    why = power_refusal(&p->power, &p->cpus[cpu]);
    if (why == NULL)
        return try_start(p, cpu);
    notes_format(p->notes, SEVERITY_WARNING, not_started_one, "CPU %u: %s", p->cpus[cpu].number,
                 why);
    return why;
}

static const char *refusal(struct processors *p, uint32_t cpu)
{
    const struct processor *own = &p->processor[cpu];
    struct mp_processor info;

    if (p->services == NULL)
        return refusal_without_services(p, cpu);
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

/* ---- several CPUs at the same time */

struct together {
    const struct processors *processors;
    struct processor_job *job;
    uint32_t count;
};

/* CPUs without a job go back to where the firmware has them sleep. */
static VOID EFIAPI together_procedure(VOID *argument)
{
    const struct together *together = argument;
    struct same_words own;

    arch_same_read(&own);
    for (uint32_t i = 0; i < together->count; i++) {
        struct processor_job *job = &together->job[i];
        if (job->cpu == 0 || together->processors->cpus[job->cpu].hardware_id != own.hardware_id)
            continue;
        dump_around(job->body, job->arg);
        __atomic_store_n(&job->done, true, __ATOMIC_RELEASE);
    }
}

static bool all_done(const struct together *together)
{
    for (uint32_t i = 0; i < together->count; i++)
        if (together->job[i].cpu != 0 && !__atomic_load_n(&together->job[i].done, __ATOMIC_ACQUIRE))
            return false;
    return true;
}

/* With the firmware's interrupts masked: they end by themselves. */
static void wait_done(struct processors *p, const struct together *together)
{
    for (unsigned ms = 0; !all_done(together) && ms < LATE_MS; ms++)
        firmware_wait_ms(p->fw, 1);
    if (!all_done(together))
        fatal_end("another CPU did not come back; its memory cannot be given back", "");
}

/* Only after its event may the firmware be asked again, which it signals from a timer. */
static void wait_event(struct processors *p, EFI_EVENT event)
{
    unsigned ms = 0;

    while (p->fw->boot->CheckEvent(event) == EFI_NOT_READY && ms++ < LATE_MS)
        firmware_wait_ms(p->fw, 1);
    p->lost = p->lost || ms > LATE_MS;
    p->fw->boot->CloseEvent(event);
}

static bool run_beside(struct processors *p, struct together *together, struct processor_job *boot)
{
    EFI_EVENT event;
    EFI_STATUS status;
    EFI_TPL tpl;

    if (EFI_ERROR(p->fw->boot->CreateEvent(0, 0, NULL, NULL, &event)))
        return false;
    tpl = p->fw->boot->RaiseTPL(TPL_HIGH_LEVEL);
    status = inject_beside_refused() ? EFI_UNSUPPORTED
                                     : p->services->startup_all(p->services, together_procedure,
                                                                FALSE, event, 0, together, NULL);
    if (!EFI_ERROR(status)) {
        boot->body(boot->arg);
        boot->done = true;
        wait_done(p, together);
    }
    p->fw->boot->RestoreTPL(tpl);
    if (!EFI_ERROR(status))
        wait_event(p, event);
    else
        p->fw->boot->CloseEvent(event);
    return !EFI_ERROR(status);
}

static bool run_without_boot(struct processors *p, struct together *together)
{
    EFI_TPL tpl = p->fw->boot->RaiseTPL(TPL_HIGH_LEVEL);
    EFI_STATUS status =
        p->services->startup_all(p->services, together_procedure, FALSE, NULL, 0, together, NULL);

    if (!EFI_ERROR(status))
        wait_done(p, together);
    p->fw->boot->RestoreTPL(tpl);
    return !EFI_ERROR(status);
}

/* ---- the same without MP services */

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
static uint32_t together_on(struct processors *p, struct processor_job *job, uint32_t count,
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
    notes_format(p->notes, SEVERITY_WARNING, not_started_one, "CPU %u: %s",
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
    for (unsigned ms = 0; ms < LATE_MS; ms++) {
        for (unsigned polls = 0; polls < POLLS; polls++)
            if (all_begun(job, count))
                return true;
        firmware_wait_ms(p->fw, 1);
    }
    return false;
}

static bool together_by_power(struct processors *p, struct processor_job *job, uint32_t count,
                              struct processor_job *boot)
{
    EFI_TPL tpl = p->fw->boot->RaiseTPL(TPL_HIGH_LEVEL);
    uint32_t go = GO_WAIT, on = together_on(p, job, count, &go);
    bool run = on == count && wait_begun(p, job, count);

    __atomic_store_n(&go, run ? GO_RUN : GO_NOT, __ATOMIC_RELEASE);
    if (run && boot != NULL) {
        boot->body(boot->arg);
        boot->done = true;
    }
    for (uint32_t i = 0; i < on; i++)
        if (job[i].cpu != 0 &&
            power_wait_off(&p->power, job[i].cpu, &p->cpus[job[i].cpu], LATE_MS) != NULL)
            fatal_end("another CPU did not come back; its memory cannot be given back", "");
    p->fw->boot->RestoreTPL(tpl);
    return run;
}

enum status processors_together(struct processors *p, struct processor_job *job, uint32_t count)
{
    struct together together = {.processors = p, .job = job, .count = count};
    struct processor_job *boot = NULL;
    bool ran;

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
        ran = together_by_power(p, job, count, boot);
    else
        ran = boot != NULL ? run_beside(p, &together, boot) : run_without_boot(p, &together);
    return ran && all_done(&together) ? STATUS_OK : STATUS_UNSUPPORTED;
}

static void nothing(void *arg)
{
    (void)arg;
}

bool processors_together_ready(struct processors *p, bool boot_cpu, const char **why)
{
    struct processor_job job = {.cpu = 0, .body = nothing};

    *why = "a CPU that was started before did not come back";
    if (p->lost)
        return false;
    *why = p->services == NULL ? power_prepare(&p->power, p->fw, p->count) : NULL;
    if (*why != NULL || p->services == NULL || !boot_cpu)
        return *why == NULL;
    if (!p->beside_tried)
        p->beside = processors_together(p, &job, 1) == STATUS_OK;
    p->beside_tried = true;
    if (!p->beside)
        *why = "the firmware runs other CPUs only while the boot CPU waits";
    return p->beside;
}
