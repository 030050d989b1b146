/* SPDX-License-Identifier: BSD-2-Clause */
/* Other CPUs, turned on and off by PSCI. */
#include "arch/aarch64/psci.h"
#include "arch/aarch64/pure_describe.h"
#include "arch/aarch64/registers.h"
#include "arch/arch.h"

static enum psci_conduit conduit;

/* At the foot of a CPU's memory. Its stack comes down from the top. */
struct started {
    struct psci_context context;
    void (*body)(void *arg);
    void *arg;
    bool ran;
    volatile int64_t off_answer; /* CPU_OFF returns only if it fails */
};

/* ---- what the firmware offers */

static void version_body(void *answer)
{
    *(int64_t *)answer = psci_call(conduit, PSCI_VERSION, 0, 0, 0);
}

const char *arch_power_prepare(const struct acpi_facts *acpi, const struct devicetree_facts *tree)
{
    static struct arch_quiet_result result;
    int64_t answer = -1;
    struct arch_quiet_plan plan = {.body = version_body, .arg = &answer};
    const char *why;

    conduit = psci_choose(acpi, tree, registers_level(), &why);
    if (why != NULL)
        return why;
    /* Tables may name an instruction that is undefined here. */
    if (arch_quiet_run(&plan, &result) != STATUS_OK)
        return "calling the PSCI that the firmware's tables name is a fault";
    return psci_version_refusal(answer);
}

enum arch_power arch_power_state(uint64_t hardware_id)
{
    return psci_state(psci_call(conduit, PSCI_AFFINITY_INFO, aarch64_affinity(hardware_id), 0, 0));
}

/* ---- on */

static void started_run(void *arg)
{
    struct started *own = arg;

    own->body(own->arg);
    __atomic_store_n(&own->ran, true, __ATOMIC_RELEASE);
    registers_dsb_sy();
    own->off_answer = psci_call(conduit, PSCI_CPU_OFF, 0, 0, 0);
    for (;;)
        __asm__ volatile("wfi");
}

static void context_take(struct psci_context *context)
{
    bool el2 = registers_level() == 2;

    context->mair = el2 ? registers_mair_el2() : registers_mair_el1();
    context->tcr = el2 ? registers_tcr_el2() : registers_tcr_el1();
    context->ttbr0 = el2 ? registers_ttbr0_el2() : registers_ttbr0_el1();
    context->ttbr1 = registers_ttbr1_el1();
    context->sctlr = el2 ? registers_sctlr_el2() : registers_sctlr_el1();
    context->vbar = el2 ? registers_vbar_el2() : registers_vbar_el1();
    context->traps = el2 ? registers_cptr_el2() : registers_cpacr_el1();
    context->hcr = el2 ? registers_hcr_el2() : 0;
    context->fpcr = registers_fpcr();
}

/* Memory has it then, for one that reads around the caches. */
static void clean(uintptr_t begin, uintptr_t end)
{
    uintptr_t line = 4ul << (registers_ctr_el0() >> 16 & 15);

    for (uintptr_t pos = begin & ~(line - 1); pos < end; pos += line)
        registers_dc_civac((const void *)pos);
    registers_dsb_sy();
}

const char *arch_power_on(uint64_t hardware_id, uintptr_t room, void (*body)(void *arg), void *arg)
{
    struct started *own = (struct started *)room;

    *own = (struct started){.body = body, .arg = arg};
    context_take(&own->context);
    own->context.stack_top = room + ARCH_POWER_BYTES;
    own->context.body = started_run;
    own->context.arg = own;
    clean(room, room + sizeof *own);
    clean((uintptr_t)psci_entry, (uintptr_t)psci_entry_end);
    return psci_error(psci_call(conduit, PSCI_CPU_ON, aarch64_affinity(hardware_id),
                                (uintptr_t)psci_entry, (uintptr_t)own));
}

bool arch_power_ran(uintptr_t room)
{
    return __atomic_load_n(&((const struct started *)room)->ran, __ATOMIC_ACQUIRE);
}

const char *arch_power_stays_on(uintptr_t room)
{
    return psci_error(((const struct started *)room)->off_answer);
}
