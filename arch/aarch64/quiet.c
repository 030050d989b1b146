/* SPDX-License-Identifier: BSD-2-Clause */
/* The quiet section of AArch64, at EL1 and EL2: IRQ and FIQ masked; own vectors, stacks, tables;
 * prefetchers as requested; the body with SError unmasked; then everything undone in reverse order
 * on the only way out. SErrors are drained before the firmware's tables and vectors are restored,
 * so that our own are reported to us. Actions of EL3 are invisible here. */
#include "arch/aarch64/pmu.h"
#include "arch/aarch64/prefetch.h"
#include "arch/aarch64/quiet.h"
#include "arch/aarch64/registers.h"
#include "arch/arch.h"

#define STACK_BYTES           16384
#define EXCEPTION_STACK_BYTES 8192

static uint8_t stack[STACK_BYTES] __attribute__((aligned(16)));
static uint8_t exception_stack[EXCEPTION_STACK_BYTES] __attribute__((aligned(16)));

static struct {
    bool prepared, running;
} quiet;

/* The running section; there is at most one. */
static struct {
    const struct arch_quiet_plan *plan;
    bool faulted;
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
    quiet_section.exception_top = quiet_exception_top;
    quiet_fault_prepare(image_base, fatal);
    quiet.prepared = true;
    return STATUS_OK;
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

struct body {
    void (*run)(void *argument);
    void *argument;
};

/* An SError left pending by the firmware is taken here and reported like any other. */
static void body_run(void *arg)
{
    const struct body *body = arg;

    registers_serror_unmask();
    registers_isb();
    body->run(body->argument);
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

bool quiet_body(struct quiet_state *state, void (*run)(void *argument), void *argument)
{
    struct body body = {run, argument};
    struct aarch64_fault_frame first;

    if (quiet_catch(body_run, &body, &state->resume) == 0)
        return false;
    /* outstanding errors must not reach the firmware; the first fault is the one reported */
    first = state->fault;
    quiet_catch(drain_run, NULL, &state->resume);
    state->fault = first;
    return true;
}

static void section_run(void *unused)
{
    const struct arch_quiet_plan *plan = section.plan;
    (void)unused;

    if (plan->root)
        quiet_tables_enter(&quiet_section.was, plan->root);
    if (plan->prefetch_off)
        prefetch_enter();
    if (plan->count)
        pmu_section_enter();
    section.faulted = quiet_body(&quiet_section, plan->body, plan->arg);
    if (plan->count)
        pmu_section_leave();
    if (plan->prefetch_off)
        prefetch_leave();
    quiet_tables_leave(&quiet_section.was);
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
    section.faulted = false;
    quiet_fault_start(&quiet_section, (void *)((uintptr_t)__builtin_frame_address(0) & ~15ull));
    quiet_vectors_enter(&quiet_section.was, (uintptr_t)quiet_vectors);

    quiet_on_stacks(section_run, NULL, stack + sizeof stack,
                    exception_stack + sizeof exception_stack);

    quiet_vectors_leave(&quiet_section.was);
    quiet.running = false;
    result->ticks = arch_ticks() - begin;
    registers_daif_write(daif);

    if (!section.faulted)
        return STATUS_OK;
    quiet_fault_report(result);
    return STATUS_FAULT;
}
