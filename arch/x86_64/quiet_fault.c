/* SPDX-License-Identifier: BSD-2-Clause */
/* Records a fault in the quiet section, and leaves the section. */
#include "arch/x86_64/banks.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/quiet.h"
#include "core/lib/text.h"

#define FATAL_TEXT_BYTES  480
#define FATAL_BANKS_BYTES 240

static struct {
    uintptr_t image_base;
    arch_fatal *fatal;
    void *firmware_stack;
    bool recording;
    struct x86_64_fault fault;
} record;

static char fatal_text[FATAL_TEXT_BYTES], fatal_banks[FATAL_BANKS_BYTES];

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
    record.fatal(text, fatal_banks);
    for (;;)
        registers_interrupts_mask();
}

/* Banks with what was not corrected: the first one is what the variable has room for. */
static void banks_describe(void)
{
    static struct error_banks errors;
    struct cpu_identity cpu;
    struct text text;

    text_start(&text, fatal_banks, sizeof fatal_banks);
    cpu_identify(&cpu);
    banks_read(&cpu, &errors);
    for (uint32_t i = 0; i < errors.banks; i++) {
        const struct error_bank *bank = &errors.bank[i];
        if (!bank->valid || bank->severity != ERROR_UNCORRECTED)
            continue;
        text_format(&text, "%sbank %u status 0x%lx", text.used != 0 ? ", " : "", i, bank->status);
        if (bank->address != ERRORS_UNKNOWN)
            text_format(&text, " address 0x%lx", bank->address);
    }
}

/* Restores the firmware's tables, vectors and stack, but not its flags: interrupts stay masked
 * while the text is printed. Prefetchers are not restored, since a reset follows. */
static _Noreturn void fatal_leave(void)
{
    x86_64_fault_describe(&record.fault, record.image_base, fatal_text, sizeof fatal_text);
    if (record.fault.frame.vector == VECTOR_MC)
        banks_describe();
    quiet_tables_leave();
    quiet_vectors_leave();
    quiet_on_stack(fatal_go, fatal_text, record.firmware_stack);
    __builtin_unreachable();
}

void quiet_exception(const struct x86_64_fault_frame *frame)
{
    /* a second fault while recording the first, or a fault outside the body, has no exit path; the
     * first fault's record is the one that explains */
    bool lost = record.recording || !quiet_resume;

    if (!record.recording) {
        record.recording = true;
        record.fault.cr2 = registers_cr2();
        record.fault.frame = *frame;
    }
    if (lost || x86_64_vector_is_fatal(frame->vector))
        fatal_leave();
    record.recording = false;
    quiet_unwind();
}

void quiet_fault_report(struct arch_quiet_result *result)
{
    const struct x86_64_fault_frame *frame = &record.fault.frame;

    result->fault.kind = frame->vector;
    result->fault.address = frame->vector == VECTOR_PF ? record.fault.cr2 : 0;
    result->fault.instruction = frame->rip;
    result->fault.syndrome = frame->error;
    result->fault.text = x86_64_vector_name(frame->vector);
    x86_64_fault_describe(&record.fault, record.image_base, result->fault_text,
                          sizeof result->fault_text);
}
