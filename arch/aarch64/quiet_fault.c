/* SPDX-License-Identifier: BSD-2-Clause */
/* Records a fault in the quiet section, and leaves the section. */
#include "arch/aarch64/quiet.h"
#include "arch/aarch64/registers.h"

#define FATAL_TEXT_BYTES 480

/* SPSR_ELx: SError masked. The software step, illegal state and BTYPE bits belong to the fault and
 * are dropped. */
#define SPSR_A       (1ull << 8)
#define SPSR_DROPPED (1ull << 21 | 1ull << 20 | 3ull << 10)

struct aarch64_fault_frame quiet_fault;

static struct {
    uintptr_t image_base;
    arch_fatal *fatal;
    void *firmware_stack;
    bool recording;
} record;

static char fatal_text[FATAL_TEXT_BYTES];

void quiet_fault_prepare(uintptr_t image_base, arch_fatal *fatal)
{
    record.image_base = image_base;
    record.fatal = fatal;
}

void quiet_fault_start(void *firmware_stack)
{
    record.firmware_stack = firmware_stack;
    record.recording = false;
}

static void fatal_go(void *text)
{
    record.fatal(text, "");
    for (;;)
        registers_interrupts_mask();
}

/* Restores the firmware's tables, vectors and stack, but not its masks: interrupts stay masked
 * while the text is printed. Prefetchers are not restored, since a reset follows. */
static _Noreturn void fatal_leave(void)
{
    aarch64_fault_describe(&quiet_fault, record.image_base, fatal_text, sizeof fatal_text);
    quiet_tables_leave();
    quiet_vectors_leave();
    quiet_go(fatal_go, fatal_text, record.firmware_stack);
}

void quiet_exception(const struct aarch64_fault_frame *frame)
{
    record.recording = true;
    quiet_fault = *frame;
    /* a fault outside the body has no exit path */
    if (!quiet_resume || frame->slot > QUIET_SLOT_SERROR ||
        aarch64_fault_is_fatal(frame->slot, frame->esr))
        fatal_leave();
    record.recording = false;
    quiet_unwind((frame->spsr | SPSR_A) & ~SPSR_DROPPED);
}

/* Records a fault in the handler itself, unless an earlier fault explains it. */
static void fault_of_handler(struct aarch64_fault_frame *fault)
{
    bool el2 = registers_level() == 2;

    *fault = (struct aarch64_fault_frame){.slot = FAULT_SLOT_NESTED};
    fault->esr = el2 ? registers_esr_el2() : registers_esr_el1();
    fault->elr = el2 ? registers_elr_el2() : registers_elr_el1();
    fault->far = el2 ? registers_far_el2() : registers_far_el1();
    fault->spsr = el2 ? registers_spsr_el2() : registers_spsr_el1();
}

void quiet_nested(void)
{
    if (!record.recording)
        fault_of_handler(&quiet_fault);
    fatal_leave();
}

void quiet_fault_report(struct arch_quiet_result *result)
{
    const struct aarch64_fault_frame *frame = &quiet_fault;

    result->fault.kind = frame->esr >> 26 & 63;
    result->fault.address = aarch64_fault_has_address(frame->slot, frame->esr) ? frame->far : 0;
    result->fault.instruction = frame->elr;
    result->fault.syndrome = frame->esr;
    result->fault.text = aarch64_fault_name(frame->slot, frame->esr);
    aarch64_fault_describe(frame, record.image_base, result->fault_text, sizeof result->fault_text);
}
