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
} record;

struct quiet_state quiet_section;

static char fatal_text[FATAL_TEXT_BYTES], fatal_banks[FATAL_BANKS_BYTES];

void quiet_fault_prepare(uintptr_t image_base, arch_fatal *fatal)
{
    record.image_base = image_base;
    record.fatal = fatal;
}

static struct {
    uintptr_t begin, end;
} beside;

void quiet_fault_beside(uintptr_t begin, uintptr_t end)
{
    beside.begin = begin;
    beside.end = end;
}

/* Found by the stack, which each CPU has its own of. */
static struct quiet_state *state_of(const void *on_stack)
{
    uintptr_t address = (uintptr_t)on_stack;

    if (address < beside.begin || address >= beside.end)
        return &quiet_section;
    return (struct quiet_state *)(address & ~(uintptr_t)(ARCH_ASIDE_BYTES - 1));
}

void quiet_fault_start(struct quiet_state *state, void *firmware_stack)
{
    state->firmware_stack = firmware_stack;
    state->recording = false;
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
static _Noreturn void fatal_leave(struct quiet_state *state)
{
    x86_64_fault_describe(&state->fault, record.image_base, fatal_text, sizeof fatal_text);
    if (state->fault.frame.vector == VECTOR_MC)
        banks_describe();
    quiet_tables_leave(&state->was);
    quiet_vectors_leave(&state->was);
    quiet_on_stack(fatal_go, fatal_text, state->firmware_stack);
    __builtin_unreachable();
}

void quiet_exception(const struct x86_64_fault_frame *frame)
{
    /* a second fault while recording the first, or a fault outside the body, has no exit path; the
     * first fault's record is the one that explains */
    struct quiet_state *state = state_of(frame);
    bool lost = state->recording || !state->resume;

    if (!state->recording) {
        state->recording = true;
        state->fault.cr2 = registers_cr2();
        state->fault.frame = *frame;
    }
    if (lost || x86_64_vector_is_fatal(frame->vector))
        fatal_leave(state);
    state->recording = false;
    quiet_unwind(state->resume);
}

void quiet_fault_info(const struct quiet_state *state, struct fault_info *fault)
{
    const struct x86_64_fault_frame *frame = &state->fault.frame;

    *fault = (struct fault_info){.kind = frame->vector,
                                 .address = frame->vector == VECTOR_PF ? state->fault.cr2 : 0,
                                 .instruction = frame->rip,
                                 .syndrome = frame->error,
                                 .text = x86_64_vector_name(frame->vector)};
}

void quiet_fault_report(struct arch_quiet_result *result)
{
    quiet_fault_info(&quiet_section, &result->fault);
    x86_64_fault_describe(&quiet_section.fault, record.image_base, result->fault_text,
                          sizeof result->fault_text);
}
