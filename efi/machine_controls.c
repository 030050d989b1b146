/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of the firmware machine that switches prefetchers and frequencies, each on the CPU that
 * was asked for, and reads errors. */
#include "efi/inject.h"
#include "efi/machine.h"

/* ---- prefetchers */

struct prefetch_call {
    struct prefetch_request request;
    struct prefetch_report *report;
    uint32_t index; /* of prefetch_only_off */
    bool found;
};

static void prefetch_try_body(void *arg)
{
    struct prefetch_call *call = arg;

    arch_prefetch_try(&call->request, call->report);
}

static void prefetch_alone_body(void *arg)
{
    struct prefetch_call *call = arg;

    call->found = arch_prefetch_only_off(call->index, call->report);
}

static enum status prefetch_try(struct firmware_machine *m, uint32_t cpu, bool off, bool write,
                                struct prefetch_report *report)
{
    struct prefetch_call call = {
        .request = {.off = off, .unofficial = m->prefetch_unofficial, .write = write},
        .report = report};

    return processors_run(&m->processors, cpu, prefetch_try_body, &call);
}

static bool prefetch_any_on(const struct prefetch_report *report)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->control[i].state == PREFETCH_ON)
            return true;
    return false;
}

static bool prefetch_may_write(struct firmware_machine *m, uint64_t identity)
{
    static const char what[] = "prefetchers are not written";
    bool asked = m->breadcrumb.asked;

    if (!m->prefetch_write) {
        if (!m->prefetch_only_read)
            notes_add(m->notes, SEVERITY_INFO, "prefetchers are only read",
                      "writing can halt a machine of older firmware; prefetch-write=on does it");
        m->prefetch_only_read = true;
        return false;
    }
    if (breadcrumb_lay(&m->breadcrumb, m->fw, identity) == BREADCRUMB_LAID)
        return true;
    notes_add(m->notes, SEVERITY_WARNING, what, asked ? "as before" : m->breadcrumb.why);
    return false;
}

/* First only reads: there may be nothing to write. */
static enum status prefetch_try_risky(struct firmware_machine *m, uint32_t cpu, bool off,
                                      uint64_t identity, struct prefetch_report *report)
{
    enum status status = prefetch_try(m, cpu, off, false, report);

    if (status != STATUS_OK || !off || !prefetch_any_on(report) || !prefetch_may_write(m, identity))
        return status;
    inject_halt(m->fw, m->console);
    status = prefetch_try(m, cpu, off, true, report);
    breadcrumb_take(&m->breadcrumb, m->fw, m->notes);
    return status;
}

struct risk {
    bool risky;
    uint64_t identity;
};

static void risk_body(void *arg)
{
    struct risk *risk = arg;

    risk->risky = arch_prefetch_is_risky(&risk->identity);
}

static enum status prefetch_set(void *self, uint32_t cpu, bool off, struct prefetch_report *report)
{
    struct firmware_machine *m = self;
    struct risk risk;
    enum status status = processors_run(&m->processors, cpu, risk_body, &risk);

    if (status == STATUS_OK)
        status = risk.risky ? prefetch_try_risky(m, cpu, off, risk.identity, report)
                            : prefetch_try(m, cpu, off, off, report);
    m->prefetch_off = off && status == STATUS_OK;
    m->prefetch_cpu = cpu;
    return status;
}

static enum status prefetch_only_off(void *self, uint32_t cpu, uint32_t index,
                                     struct prefetch_report *report)
{
    struct firmware_machine *m = self;
    struct prefetch_report whole;
    struct prefetch_call call = {.report = report, .index = index};

    if (prefetch_set(self, cpu, true, &whole) != STATUS_OK ||
        processors_run(&m->processors, cpu, prefetch_alone_body, &call) != STATUS_OK)
        return STATUS_UNSUPPORTED;
    return call.found ? STATUS_OK : STATUS_UNSUPPORTED;
}

/* ---- frequencies */

struct turbo_call {
    enum turbo_choice choice;
    struct turbo_report *report;
};

static void turbo_body(void *arg)
{
    const struct turbo_call *call = arg;

    arch_turbo_try(call->choice, call->report);
}

static enum status turbo_set(void *self, uint32_t cpu, enum turbo_choice choice,
                             struct turbo_report *report)
{
    struct firmware_machine *m = self;
    struct turbo_call call = {choice, report};
    enum status status = processors_run(&m->processors, cpu, turbo_body, &call);

    m->turbo_requested = status == STATUS_OK && choice != TURBO_AS_FOUND;
    m->turbo_cpu = cpu;
    return status;
}

struct speed_call {
    enum speed_kind kind;
    struct speed_report *report;
};

static void speed_body(void *arg)
{
    const struct speed_call *call = arg;

    arch_speed_try(call->kind, call->report);
}

static enum status speed_set(void *self, uint32_t cpu, enum speed_kind kind, bool max,
                             struct speed_report *report)
{
    struct firmware_machine *m = self;
    struct speed_call call = {kind, report};
    enum status status;

    m->speed &= ~(1u << kind);
    m->speed_cpu[kind] = cpu;
    if (!max)
        return STATUS_OK;
    status = processors_run(&m->processors, cpu, speed_body, &call);
    if (status == STATUS_OK)
        m->speed |= 1u << kind;
    return status;
}

/* ---- errors, the sampler of ops */

static void errors_body(void *arg)
{
    arch_errors_read(arg);
}

/* Registers that older firmware of AArch64 halts the machine at are left alone unless asked for. */
static void errors_read(void *self, struct error_banks *now)
{
    struct firmware_machine *m = self;
    uint64_t identity;

    if (arch_prefetch_is_risky(&identity) && !m->prefetch_write) {
        *now = (struct error_banks){.source = "error records",
                                    .why = "reading them can halt a machine of older firmware; "
                                           "prefetch-write=on does it"};
        return;
    }
    (void)processors_run(&m->processors, 0, errors_body, now);
}

static void sampler_body(void *arg)
{
    arch_sampler_try(arg);
}

static void sampler_try(void *self, struct sampler_report *report)
{
    struct firmware_machine *m = self;

    (void)processors_run(&m->processors, 0, sampler_body, report);
}

void firmware_machine_controls(struct machine *machine)
{
    machine->prefetch_set = prefetch_set;
    machine->prefetch_only_off = prefetch_only_off;
    machine->turbo_set = turbo_set;
    machine->speed_set = speed_set;
    machine->sampler_try = sampler_try;
    machine->errors_read = errors_read;
}
