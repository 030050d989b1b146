/* SPDX-License-Identifier: BSD-2-Clause */
/* The quiet section of x86-64: interrupts masked; own vectors, stack, tables; prefetchers as
 * requested; the body; then everything undone in reverse order on the only way out. The firmware's
 * GDT, TSS and CR0 stay. NMI and SMI cannot be masked; they are counted. */
#include "arch/arch.h"
#include "arch/x86_64/disturbance.h"
#include "arch/x86_64/msr.h"
#include "arch/x86_64/pure_control.h"
#include "arch/x86_64/prefetch.h"
#include "arch/x86_64/quiet.h"
#include "arch/x86_64/registers.h"
#include "arch/x86_64/turbo.h"
#include "core/lib/text.h"

#define STACK_BYTES      16384
#define FATAL_TEXT_BYTES 480
#define MSR_S_CET        0x6a2

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
    uintptr_t image_base;
    arch_fatal *fatal;
    bool prepared, running;
} quiet;

/* The running section; there is at most one. */
static struct {
    const struct arch_quiet_plan *plan;
    struct descriptor_register firmware_idt;
    void *firmware_stack;
    uint64_t cr3, cr4;
    bool tables_switched, recording, faulted;
    struct x86_64_fault fault;
    struct disturbance before, after;
    char fatal_text[FATAL_TEXT_BYTES];
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

enum status arch_quiet_prepare(uintptr_t image_base, arch_fatal *fatal)
{
    uint16_t selector = registers_code_selector();
    volatile uint8_t *touch = stack;

    /* quiet_unwind does not unwind a shadow stack */
    if (control_flow_enforced())
        return STATUS_REFUSED;
    for (unsigned i = 0; i < QUIET_VECTORS; i++) {
        uintptr_t stub = (uintptr_t)quiet_vectors + i * QUIET_VECTOR_BYTES;
        gates[i] = (struct gate){.offset_low = (uint16_t)stub,
                                 .selector = selector,
                                 .type = GATE_INTERRUPT,
                                 .offset_middle = (uint16_t)(stub >> 16),
                                 .offset_high = (uint32_t)(stub >> 32)};
    }
    for (unsigned i = 0; i < STACK_BYTES; i++)
        touch[i] = 0;
    quiet.image_base = image_base;
    quiet.fatal = fatal;
    quiet.prepared = true;
    return STATUS_OK;
}

/* CR3 is written both times with CR4.PGE clear, so that no global translation survives: changing
 * PGE flushes them all (SDM volume 3, 4.10.4.1). */
static void tables_enter(uint64_t root)
{
    section.cr3 = registers_cr3();
    section.cr4 = registers_cr4();
    section.tables_switched = true;
    if (section.cr4 & CR4_PGE)
        registers_cr4_write(section.cr4 & ~CR4_PGE);
    registers_cr3_write(root | (section.cr3 & (CR3_WRITE_THROUGH | CR3_CACHE_DISABLE)));
}

static void tables_leave(void)
{
    if (!section.tables_switched)
        return;
    registers_cr3_write(section.cr3);
    if (section.cr4 & CR4_PGE)
        registers_cr4_write(section.cr4);
    section.tables_switched = false;
}

/* ---- faults */

static void fatal_go(void *text)
{
    quiet.fatal(text);
    for (;;)
        registers_interrupts_mask();
}

/* Restores the firmware's tables, vectors and stack, but not its flags: interrupts stay masked
 * while the text is printed. Prefetchers are not restored, since a reset follows. */
static _Noreturn void fatal_leave(void)
{
    struct text text;
    size_t used;

    x86_64_fault_describe(&section.fault, quiet.image_base, section.fatal_text,
                          FATAL_TEXT_BYTES / 2);
    used = text_length(section.fatal_text);
    text_start(&text, section.fatal_text + used, FATAL_TEXT_BYTES - used);
    if (section.fault.frame.vector == VECTOR_MC) {
        disturbance_read(&section.after);
        if (section.after.worst_bank < section.after.banks)
            text_format(&text, "; bank %u status 0x%lx", section.after.worst_bank,
                        section.after.worst_status);
    }
    tables_leave();
    registers_idt_write(&section.firmware_idt);
    quiet_on_stack(fatal_go, section.fatal_text, section.firmware_stack);
    __builtin_unreachable();
}

void quiet_exception(const struct x86_64_fault_frame *frame)
{
    /* a second fault while recording the first, or a fault outside the body, has no exit path; the
     * first fault's record is the one that explains */
    bool lost = section.recording || !quiet_resume;

    if (!section.recording) {
        section.recording = true;
        section.fault.cr2 = registers_cr2();
        section.fault.frame = *frame;
    }
    if (lost || x86_64_vector_is_fatal(frame->vector))
        fatal_leave();
    section.recording = false;
    quiet_unwind();
}

/* ---- entry and exit */

static void section_run(void *unused)
{
    const struct arch_quiet_plan *plan = section.plan;
    (void)unused;

    disturbance_read(&section.before);
    if (plan->root)
        tables_enter(plan->root);
    if (plan->prefetch_off)
        prefetch_enter();
    if (plan->turbo)
        turbo_enter();
    section.faulted = quiet_catch(plan->body, plan->arg) != 0;
    if (plan->turbo)
        turbo_leave();
    if (plan->prefetch_off)
        prefetch_leave();
    tables_leave();
    disturbance_read(&section.after);
}

static void section_report(struct arch_quiet_result *result)
{
    const struct x86_64_fault_frame *frame = &section.fault.frame;

    result->fault.kind = frame->vector;
    result->fault.address = frame->vector == VECTOR_PF ? section.fault.cr2 : 0;
    result->fault.instruction = frame->rip;
    result->fault.syndrome = frame->error;
    result->fault.text = x86_64_vector_name(frame->vector);
    x86_64_fault_describe(&section.fault, quiet.image_base, result->fault_text,
                          sizeof result->fault_text);
}

enum status arch_quiet_run(const struct arch_quiet_plan *plan, struct arch_quiet_result *result)
{
    const struct descriptor_register ours = {sizeof gates - 1, (uintptr_t)gates};

    *result = (struct arch_quiet_result){
        .delta = {.nmi = 0, .smi = MACHINE_UNKNOWN, .machine_checks = MACHINE_UNKNOWN}};
    if (!quiet.prepared || quiet.running)
        return STATUS_REFUSED;

    uint64_t flags = registers_flags();
    registers_interrupts_mask();
    uint64_t begin = arch_ticks(), nmi = quiet_nmi_count;
    quiet.running = true;
    section.plan = plan;
    section.recording = section.faulted = section.tables_switched = false;
    section.firmware_stack = (void *)((uintptr_t)__builtin_frame_address(0) & ~15ull);
    section.firmware_idt = registers_idt();
    registers_idt_write(&ours);

    quiet_on_stack(section_run, NULL, stack + sizeof stack);

    registers_idt_write(&section.firmware_idt);
    quiet.running = false;
    result->ticks = arch_ticks() - begin;
    result->delta.nmi = quiet_nmi_count - nmi;
    registers_flags_write(flags);

    disturbance_since(&section.before, &section.after, &result->delta);
    if (!section.faulted)
        return STATUS_OK;
    section_report(result);
    return STATUS_FAULT;
}
