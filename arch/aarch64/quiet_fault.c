/* SPDX-License-Identifier: BSD-2-Clause */
/* Records a fault in the quiet section, and leaves the section. */
#include "arch/aarch64/quiet.h"
#include "arch/aarch64/registers.h"

#define FATAL_TEXT_BYTES 480

/* SPSR_ELx: SError masked. The software step, illegal state and BTYPE bits belong to the fault and
 * are dropped. */
#define SPSR_A       (1ull << 8)
#define SPSR_DROPPED (1ull << 21 | 1ull << 20 | 3ull << 10)

struct quiet_state quiet_section;

static struct {
    uintptr_t image_base;
    arch_fatal *fatal;
} record;

struct quiet_stacks quiet_beside;

static char fatal_text[FATAL_TEXT_BYTES];

void quiet_fault_prepare(uintptr_t image_base, arch_fatal *fatal)
{
    record.image_base = image_base;
    record.fatal = fatal;
}

void quiet_fault_beside(uintptr_t begin, uintptr_t end)
{
    quiet_beside.begin = begin;
    quiet_beside.end = end;
}

/* Found by the exception stack, which each CPU has its own of. */
static struct quiet_state *state_of(const void *on_stack)
{
    uintptr_t address = (uintptr_t)on_stack;

    if (address < quiet_beside.begin || address >= quiet_beside.end)
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
    record.fatal(text, "");
    for (;;)
        registers_interrupts_mask();
}

/* Restores the firmware's tables, vectors and stack, but not its masks: interrupts stay masked
 * while the text is printed. Prefetchers are not restored, since a reset follows. */
static _Noreturn void fatal_leave(struct quiet_state *state)
{
    aarch64_fault_describe(&state->fault, record.image_base, fatal_text, sizeof fatal_text);
    quiet_tables_leave(&state->was);
    quiet_vectors_leave(&state->was);
    quiet_go(fatal_go, fatal_text, state->firmware_stack);
}

void quiet_exception(const struct aarch64_fault_frame *frame)
{
    struct quiet_state *state = state_of(frame);

    state->recording = true;
    state->fault = *frame;
    /* a fault outside the body has no exit path */
    if (!state->resume || frame->slot > QUIET_SLOT_SERROR ||
        aarch64_fault_is_fatal(frame->slot, frame->esr))
        fatal_leave(state);
    state->recording = false;
    quiet_unwind((frame->spsr | SPSR_A) & ~SPSR_DROPPED, state->resume, state->exception_top);
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
    struct quiet_state *state = state_of((const uint8_t *)__builtin_frame_address(0));

    if (!state->recording)
        fault_of_handler(&state->fault);
    fatal_leave(state);
}

void quiet_fault_info(const struct quiet_state *state, struct fault_info *fault)
{
    const struct aarch64_fault_frame *frame = &state->fault;

    *fault = (struct fault_info){
        .kind = frame->esr >> 26 & 63,
        .address = aarch64_fault_has_address(frame->slot, frame->esr) ? frame->far : 0,
        .instruction = frame->elr,
        .syndrome = frame->esr,
        .text = aarch64_fault_name(frame->slot, frame->esr)};
}

void quiet_fault_report(struct arch_quiet_result *result)
{
    quiet_fault_info(&quiet_section, &result->fault);
    aarch64_fault_describe(&quiet_section.fault, record.image_base, result->fault_text,
                           sizeof result->fault_text);
}
