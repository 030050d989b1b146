/* SPDX-License-Identifier: BSD-2-Clause */
/* The quiet section of x86-64: interrupts masked; own vectors, stack, tables; prefetchers as
 * requested; the body; then everything undone in reverse order on the only way out. The firmware's
 * GDT, TSS and CR0 stay. NMI and SMI cannot be masked; they are counted. */
#include "arch/arch.h"
#include "arch/x86_64/disturbance.h"
#include "arch/x86_64/ibs.h"
#include "arch/x86_64/msr.h"
#include "arch/x86_64/pmu.h"
#include "arch/x86_64/pure_control.h"
#include "arch/x86_64/prefetch.h"
#include "arch/x86_64/quiet.h"
#include "arch/x86_64/registers.h"
#include "arch/x86_64/speed.h"
#include "arch/x86_64/turbo.h"

#define STACK_BYTES 16384
#define MSR_S_CET   0x6a2

/* Interrupt gate of long mode: Intel SDM volume 3, 6.14.1. */
struct gate {
    uint16_t offset_low, selector;
    uint8_t stack_table, type;
    uint16_t offset_middle;
    uint32_t offset_high, reserved;
};
#define GATE_INTERRUPT 0x8e /* present, privilege 0 */

static struct gate gates[QUIET_VECTORS] __attribute__((aligned(16)));
static uint8_t stack[STACK_BYTES] __attribute__((aligned(16)));

static struct {
    bool prepared, running;
} quiet;

/* The running section; there is at most one. */
static struct {
    const struct arch_quiet_plan *plan;
    bool faulted;
    struct disturbance before, after;
} section;

static bool control_flow_enforced(void)
{
    uint64_t s_cet;

    if (!(registers_cr4() & CR4_CET))
        return false;
    /* the register exists if CR4.CET can be set: this read cannot fault */
    msr_read(MSR_S_CET, &s_cet);
    return s_cet & (S_CET_SH_STK_EN | S_CET_ENDBR_EN);
}

/* Gates name a code segment of the calling CPU's own GDT. */
static void gates_fill(uint16_t selector)
{
    for (unsigned i = 0; i < QUIET_VECTORS; i++) {
        uintptr_t stub = (uintptr_t)quiet_vectors + i * QUIET_VECTOR_BYTES;
        gates[i] = (struct gate){.offset_low = (uint16_t)stub,
                                 .selector = selector,
                                 .type = GATE_INTERRUPT,
                                 .offset_middle = (uint16_t)(stub >> 16),
                                 .offset_high = (uint32_t)(stub >> 32)};
    }
}

bool quiet_gates(struct descriptor_register *ours)
{
    /* An initializer could become a constant with an address that is not aligned, which relocations
     * cannot be packed of. */
    ours->limit = sizeof gates - 1;
    ours->base = (uintptr_t)gates;
    return gates[0].selector == registers_code_selector();
}

enum status arch_quiet_prepare(uintptr_t image_base, arch_fatal *fatal)
{
    volatile uint8_t *touch = stack;

    /* quiet_unwind does not unwind a shadow stack */
    if (control_flow_enforced())
        return STATUS_REFUSED;
    gates_fill(registers_code_selector());
    for (unsigned i = 0; i < STACK_BYTES; i++)
        touch[i] = 0;
    quiet_fault_prepare(image_base, fatal);
    quiet.prepared = true;
    return STATUS_OK;
}

/* ---- entry and exit */

static void section_run(void *unused)
{
    const struct arch_quiet_plan *plan = section.plan;
    (void)unused;

    disturbance_read(&section.before);
    if (plan->root)
        quiet_tables_enter(&quiet_section.was, plan->root);
    if (plan->prefetch_off)
        prefetch_enter();
    if (plan->turbo)
        turbo_enter();
    speed_enter(plan->speed);
    if (plan->count)
        pmu_section_enter();
    if (plan->sample)
        ibs_section_enter();
    section.faulted = quiet_catch(plan->body, plan->arg, &quiet_section.resume) != 0;
    if (plan->sample)
        ibs_section_leave();
    if (plan->count)
        pmu_section_leave();
    speed_leave();
    if (plan->turbo)
        turbo_leave();
    if (plan->prefetch_off)
        prefetch_leave();
    quiet_tables_leave(&quiet_section.was);
    disturbance_read(&section.after);
}

enum status arch_quiet_run(const struct arch_quiet_plan *plan, struct arch_quiet_result *result)
{
    struct descriptor_register ours;

    *result = (struct arch_quiet_result){
        .delta = {.nmi = 0, .smi = MACHINE_UNKNOWN, .machine_checks = MACHINE_UNKNOWN}};
    if (!quiet.prepared || quiet.running)
        return STATUS_REFUSED;

    if (!quiet_gates(&ours))
        gates_fill(registers_code_selector());
    uint64_t flags = registers_flags();
    registers_interrupts_mask();
    uint64_t begin = arch_ticks(), nmi = quiet_nmi_count;
    quiet.running = true;
    section.plan = plan;
    section.faulted = false;
    quiet_fault_start(&quiet_section, (void *)((uintptr_t)__builtin_frame_address(0) & ~15ull));
    quiet_vectors_enter(&quiet_section.was, &ours);

    quiet_on_stack(section_run, NULL, stack + sizeof stack);

    quiet_vectors_leave(&quiet_section.was);
    quiet.running = false;
    result->ticks = arch_ticks() - begin;
    result->delta.nmi = quiet_nmi_count - nmi;
    registers_flags_write(flags);

    disturbance_since(&section.before, &section.after, &result->delta);
    if (!section.faulted)
        return STATUS_OK;
    quiet_fault_report(result);
    return STATUS_FAULT;
}
