/* SPDX-License-Identifier: BSD-2-Clause */
#include "efi/processors.h"

#include "efi/inject.h"
#include "efi/processors_start.h"

const char processors_lost[] = "a CPU that was started before did not come back";

/* ---- what the firmware lists */

/* More than any machine has: what counts more is wrong. */
#define LISTED_MAX 65536

static void list(struct processors *p, UINTN number, uint64_t id)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->cpus[i].hardware_id == id) {
            p->processor[i].twice = p->processor[i].listed;
            p->processor[i].listed = true;
            p->processor[i].number = number;
        }
}

static void list_all(struct processors *p, UINTN all)
{
    struct mp_processor info;
    EFI_STATUS status, error = EFI_SUCCESS;
    uint32_t unknown = 0;

    for (UINTN number = 0; number < all; number++) {
        status = p->services->processor_info(p->services, number, &info);
        if (!EFI_ERROR(status)) {
            list(p, number, info.id);
            continue;
        }
        unknown++;
        error = status;
    }
    if (unknown != 0)
        notes_format(p->notes, SEVERITY_WARNING, "MP services do not know all their CPUs",
                     "%u of %u: %s", unknown, (uint32_t)all, firmware_status_words(error));
    for (size_t i = 0; i < p->count; i++)
        if (p->processor[i].twice)
            notes_format(p->notes, SEVERITY_WARNING, "MP services list a CPU twice", "CPU %u",
                         p->cpus[i].number);
}

static void count_and_list(struct processors *p)
{
    UINTN all = 0, enabled = 0;
    EFI_STATUS status = p->services->processors_count(p->services, &all, &enabled);

    if (EFI_ERROR(status))
        notes_add(p->notes, SEVERITY_WARNING, "MP services do not count their CPUs",
                  firmware_status_words(status));
    else if (all > LISTED_MAX)
        notes_format(p->notes, SEVERITY_WARNING, "MP services count CPUs that cannot be",
                     "%lu of them; none is believed", (uint64_t)all);
    else
        list_all(p, all);
}

void processors_start(struct processors *p, const struct firmware *fw, const struct cpu_info *cpus,
                      size_t count, struct notes *notes)
{
    static EFI_GUID guid = MP_SERVICES_GUID;
    VOID *services = NULL;

    p->fw = fw;
    p->notes = notes;
    p->cpus = cpus;
    p->count = count;
    arch_same_read(&p->own);
    if (EFI_ERROR(fw->boot->LocateProtocol(&guid, NULL, &services)))
        services = NULL;
    p->services = inject_services(fw, services);
    if (p->services != NULL)
        count_and_list(p);
}

void processors_stop(struct processors *p)
{
    power_stop(&p->power, p->lost);
}

/* ---- a start */

static VOID EFIAPI procedure(VOID *argument)
{
    processors_enter(argument);
}

/* Never with a time-out: the firmware would reset the CPU with our registers in it. */
static enum came start(struct processors *p, struct processor_job *job, EFI_STATUS *status)
{
    struct processor *processor = &p->processor[job->cpu];

    gate_open(&processor->gate, job->body, job->arg);
    if (p->services == NULL)
        return processors_power_start(p, job, status);
    *status = p->services->startup_this(p->services, procedure, processor->number, NULL, 0,
                                        &processor->gate, NULL);
    return processors_wait(p, job, 1, *status);
}

enum status processors_run(struct processors *p, uint32_t cpu, void (*body)(void *arg), void *arg)
{
    struct processor_job job = {.cpu = cpu, .body = body, .arg = arg};
    EFI_STATUS status = EFI_SUCCESS;
    enum came came = CAME;
    EFI_TPL tpl;

    if (cpu != 0 &&
        (cpu >= p->count || !p->processor[cpu].tried || p->processor[cpu].why != NULL || p->lost))
        return STATUS_UNSUPPORTED;
    tpl = p->fw->boot->RaiseTPL(TPL_HIGH_LEVEL);
    if (cpu == 0)
        body(arg);
    else
        came = start(p, &job, &status);
    if (came == STAYED)
        processors_end(p, &job, 1);
    p->fw->boot->RestoreTPL(tpl);
    if (came == CAME_NOT && !processors_refused(status))
        processors_lose(p);
    return came == CAME ? STATUS_OK : STATUS_UNSUPPORTED;
}

/* ---- the trial */

static void trial_body(void *arg)
{
    inject_cpu_start();
    arch_same_read(arg);
}

/* On a volume each trial has its mark. A variable's memory wears: there the first one alone. */
static const char *may_start(struct processors *p, uint32_t cpu)
{
    const char *why;

    if (p->came_back && !p->marked_on_volume) {
        (void)watchdog_arm(&p->watchdog, p->fw, PROCESSORS_WATCHDOG_S);
        return NULL;
    }
    why = processors_may_start(p, &p->mark, p->cpus[cpu].hardware_id,
                               "this machine did not come back from starting another CPU");
    p->marked_on_volume = p->mark.on_volume;
    return why;
}

/* What there is to say of a CPU that came, or did not. */
static const char *verdict(struct processors *p, uint32_t cpu, enum came came, EFI_STATUS status)
{
    const char *words = p->services == NULL ? p->power_why : firmware_status_words(status);

    if (came == CAME && !EFI_ERROR(status))
        return NULL;
    if (came == CAME) {
        notes_format(p->notes, SEVERITY_WARNING, "a CPU is not used",
                     "CPU %u: it ran, and the firmware says of its start: %s", p->cpus[cpu].number,
                     words);
        return "the firmware says that it could not start it, though it ran";
    }
    if (came == STAYED)
        words = "it came and did not go back";
    else if (!EFI_ERROR(status))
        words = "the firmware came back without it";
    notes_format(p->notes, SEVERITY_WARNING, "a CPU was not started", "CPU %u: %s",
                 p->cpus[cpu].number, words);
    if (came == STAYED || !processors_refused(status))
        processors_lose(p);
    return came == STAYED ? "it came when it was started, and did not go back"
                          : "the firmware could not start it";
}

/* At the application's own TPL, unlike every later start: the watchdog counts by interrupts. What
 * the CPU writes to stays, because it may come and not go back. */
static const char *try_start(struct processors *p, uint32_t cpu)
{
    struct processor_job job = {.cpu = cpu, .body = trial_body, .arg = &p->tried};
    EFI_STATUS status;
    enum came came;
    const char *why;

    p->never = may_start(p, cpu);
    if (p->never != NULL)
        return p->never;
    came = start(p, &job, &status);
    processors_came_back(p, &p->mark);
    p->came_back = true;
    why = verdict(p, cpu, came, status);
    if (why != NULL)
        return why;
    if (p->tried.hardware_id != p->cpus[cpu].hardware_id)
        return "the firmware started another CPU in its place";
    return arch_same_refusal(&p->own, &p->tried);
}

static const char *refusal(struct processors *p, uint32_t cpu)
{
    const struct processor *own = &p->processor[cpu];
    struct mp_processor info;

    if (p->services == NULL) {
        const char *why = processors_power_refusal(p, cpu);
        return why != NULL ? why : try_start(p, cpu);
    }
    if (p->never != NULL)
        return p->never;
    if (!own->listed || EFI_ERROR(p->services->processor_info(p->services, own->number, &info)))
        return "the firmware's MP services do not list it";
    if (own->twice)
        return "the firmware's MP services list it twice";
    if (info.flags & MP_BOOT_CPU)
        return "the firmware says that it is the boot CPU";
    if (!(info.flags & MP_ENABLED))
        return "the firmware has disabled it";
    if (!(info.flags & MP_HEALTHY))
        return "the firmware says that it is not healthy";
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
    if (!own->tried && !p->lost) {
        own->why = refusal(p, cpu);
        own->tried = true;
    }
    *why = own->why != NULL || !p->lost ? own->why : processors_lost;
    return *why == NULL;
}
