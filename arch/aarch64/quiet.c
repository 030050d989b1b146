/* SPDX-License-Identifier: BSD-2-Clause */
/* The quiet section of AArch64, at EL1 and EL2: IRQ and FIQ masked; own vectors, stacks, tables;
 * prefetchers as requested; the body with SError unmasked; then everything undone in reverse order
 * on the only way out. SErrors are drained before the firmware's tables and vectors are restored,
 * so that our own are reported to us. Actions of EL3 are invisible here. */
#include "arch/aarch64/pure_control.h"
#include "arch/aarch64/prefetch.h"
#include "arch/aarch64/quiet.h"
#include "arch/aarch64/registers.h"
#include "arch/arch.h"
#include "core/lib/text.h"

#define STACK_BYTES           16384
#define EXCEPTION_STACK_BYTES 8192
#define FATAL_TEXT_BYTES      480

/* SPSR_ELx: SError masked. The software step, illegal state and BTYPE bits belong to the fault and
 * are dropped. */
#define SPSR_A       (1ull << 8)
#define SPSR_DROPPED (1ull << 21 | 1ull << 20 | 3ull << 10)

static uint8_t stack[STACK_BYTES] __attribute__((aligned(16)));
static uint8_t exception_stack[EXCEPTION_STACK_BYTES] __attribute__((aligned(16)));

static struct {
    uintptr_t image_base;
    arch_fatal *fatal;
    bool prepared, running;
    bool el2;
} quiet;

/* The running section; there is at most one. */
static struct {
    const struct arch_quiet_plan *plan;
    void *firmware_stack;
    uint64_t vbar, hcr, ttbr0;
    bool tables_switched, recording, faulted;
    struct aarch64_fault_frame fault;
    char fatal_text[FATAL_TEXT_BYTES];
} section;

static void touch(volatile uint8_t *bytes, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        bytes[i] = 0;
}

enum status arch_quiet_prepare(uintptr_t image_base, arch_fatal *fatal)
{
    unsigned level = registers_level();

    /* UEFI runs applications at EL1 or EL2; SP_EL0 is free for us only if it is not in use */
    if ((level != 1 && level != 2) || !(registers_spsel() & 1))
        return STATUS_REFUSED;
    touch(stack, STACK_BYTES);
    touch(exception_stack, EXCEPTION_STACK_BYTES);
    quiet_exception_top = exception_stack + sizeof exception_stack;
    quiet.el2 = level == 2;
    quiet.image_base = image_base;
    quiet.fatal = fatal;
    quiet.prepared = true;
    return STATUS_OK;
}

/* ---- vectors */

static void vbar_write(uint64_t vbar)
{
    if (quiet.el2)
        registers_vbar_el2_write(vbar);
    else
        registers_vbar_el1_write(vbar);
    registers_isb();
}

/* With both bits clear, EL2 does not take its own SErrors (DDI 0487, D1.3.6). */
static void serror_route(void)
{
    if (!quiet.el2)
        return;
    section.hcr = registers_hcr_el2();
    if (!(section.hcr & (HCR_AMO | HCR_TGE)))
        registers_hcr_el2_write(section.hcr | HCR_AMO);
    registers_isb();
}

static void serror_route_back(void)
{
    if (quiet.el2 && !(section.hcr & (HCR_AMO | HCR_TGE)))
        registers_hcr_el2_write(section.hcr);
    registers_isb();
}

static void vectors_enter(void)
{
    section.vbar = quiet.el2 ? registers_vbar_el2() : registers_vbar_el1();
    vbar_write((uintptr_t)quiet_vectors);
    serror_route();
}

static void vectors_leave(void)
{
    serror_route_back();
    vbar_write(section.vbar);
}

/* ---- tables */

/* With VHE this is the EL2&0 regime, whose translations vmalle1 invalidates if TGE is set. */
static inline void translations_drop(void)
{
    if (quiet.el2)
        registers_tlbi_alle2();
    if (!quiet.el2 || (section.hcr & HCR_E2H))
        registers_tlbi_vmalle1();
    registers_dsb_nsh();
    registers_isb();
}

/* The firmware's entries are never changed. If map=identity split a block, old and new translation
 * of an address differ only in size, and the old ones are invalidated before anything but this code
 * is accessed. If this code lies in such a block, a core could briefly see both sizes for it, for
 * which the architecture requires break-before-make, with translation off (DDI 0487, D8.14.1):
 * unverified on silicon. A window only adds addresses and is not affected. */
static void ttbr0_switch(uint64_t root)
{
    registers_dsb_ish();
    registers_isb();
    if (quiet.el2)
        registers_ttbr0_el2_write(root);
    else
        registers_ttbr0_el1_write(root);
    registers_isb();
    translations_drop();
}

static void tables_enter(uint64_t root)
{
    section.ttbr0 = quiet.el2 ? registers_ttbr0_el2() : registers_ttbr0_el1();
    section.tables_switched = true;
    ttbr0_switch(root);
}

static void tables_leave(void)
{
    if (!section.tables_switched)
        return;
    ttbr0_switch(section.ttbr0);
    section.tables_switched = false;
}

/* ---- faults */

static void fatal_go(void *text)
{
    quiet.fatal(text);
    for (;;)
        registers_interrupts_mask();
}

/* Restores the firmware's tables, vectors and stack, but not its masks: interrupts stay masked
 * while the text is printed. Prefetchers are not restored, since a reset follows. */
static _Noreturn void fatal_leave(void)
{
    aarch64_fault_describe(&section.fault, quiet.image_base, section.fatal_text,
                           sizeof section.fatal_text);
    tables_leave();
    vectors_leave();
    quiet_go(fatal_go, section.fatal_text, section.firmware_stack);
}

void quiet_exception(const struct aarch64_fault_frame *frame)
{
    section.recording = true;
    section.fault = *frame;
    /* a fault outside the body has no exit path */
    if (!quiet_resume || frame->slot > QUIET_SLOT_SERROR ||
        aarch64_fault_is_fatal(frame->slot, frame->esr))
        fatal_leave();
    section.recording = false;
    quiet_unwind((frame->spsr | SPSR_A) & ~SPSR_DROPPED);
}

/* Records a fault in the handler itself, unless an earlier fault explains it. */
static void fault_of_handler(struct aarch64_fault_frame *fault)
{
    *fault = (struct aarch64_fault_frame){.slot = FAULT_SLOT_NESTED};
    fault->esr = quiet.el2 ? registers_esr_el2() : registers_esr_el1();
    fault->elr = quiet.el2 ? registers_elr_el2() : registers_elr_el1();
    fault->far = quiet.el2 ? registers_far_el2() : registers_far_el1();
    fault->spsr = quiet.el2 ? registers_spsr_el2() : registers_spsr_el1();
}

void quiet_nested(void)
{
    if (!section.recording)
        fault_of_handler(&section.fault);
    fatal_leave();
}

/* ---- entry and exit */

/* Completes all loads and stores of the body and takes the SErrors that they caused. */
static void serror_drain(void)
{
    registers_dsb_sy();
    registers_isb();
    registers_esb();
    registers_isb();
}

/* An SError left pending by the firmware is taken here and reported like any other. */
static void body_run(void *unused)
{
    (void)unused;
    registers_serror_unmask();
    registers_isb();
    section.plan->body(section.plan->arg);
    serror_drain();
    registers_serror_mask();
}

static void drain_run(void *unused)
{
    (void)unused;
    registers_serror_unmask();
    serror_drain();
    registers_serror_mask();
}

static void section_run(void *unused)
{
    const struct arch_quiet_plan *plan = section.plan;
    (void)unused;

    if (plan->root)
        tables_enter(plan->root);
    if (plan->prefetch_off)
        prefetch_enter();
    section.faulted = quiet_catch(body_run, NULL) != 0;
    if (section.faulted) {
        const struct aarch64_fault_frame first = section.fault;
        /* outstanding errors must not reach the firmware; the first fault is the one reported */
        quiet_catch(drain_run, NULL);
        section.fault = first;
    }
    if (plan->prefetch_off)
        prefetch_leave();
    tables_leave();
}

static void section_report(struct arch_quiet_result *result)
{
    const struct aarch64_fault_frame *frame = &section.fault;

    result->fault.kind = frame->esr >> 26 & 63;
    result->fault.address = aarch64_fault_has_address(frame->slot, frame->esr) ? frame->far : 0;
    result->fault.instruction = frame->elr;
    result->fault.syndrome = frame->esr;
    result->fault.text = aarch64_fault_name(frame->slot, frame->esr);
    aarch64_fault_describe(frame, quiet.image_base, result->fault_text, sizeof result->fault_text);
}

enum status arch_quiet_run(const struct arch_quiet_plan *plan, struct arch_quiet_result *result)
{
    *result = (struct arch_quiet_result){
        .delta = {.nmi = 0, .smi = MACHINE_UNKNOWN, .machine_checks = MACHINE_UNKNOWN}};
    if (!quiet.prepared || quiet.running)
        return STATUS_REFUSED;

    uint64_t daif = registers_daif();
    registers_interrupts_mask();
    registers_serror_mask();
    uint64_t begin = arch_ticks();
    quiet.running = true;
    section.plan = plan;
    section.recording = section.faulted = section.tables_switched = false;
    section.firmware_stack = (void *)((uintptr_t)__builtin_frame_address(0) & ~15ull);
    vectors_enter();

    quiet_on_stacks(section_run, NULL, stack + sizeof stack,
                    exception_stack + sizeof exception_stack);

    vectors_leave();
    quiet.running = false;
    result->ticks = arch_ticks() - begin;
    registers_daif_write(daif);

    if (!section.faulted)
        return STATUS_OK;
    section_report(result);
    return STATUS_FAULT;
}
