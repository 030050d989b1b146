/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/measure/diagnose.h"

static void emit(struct journal *journal, const struct record_error *error)
{
    struct record record = {.kind = RECORD_ERROR, .u.error = *error};

    journal_emit(journal, &record);
}

static void emit_bad_node(const struct diagnosis *diagnosis, const struct window *w,
                          const struct chain_error *bad)
{
    const struct machine *machine = diagnosis->machine;
    struct record_error error = record_error_of("memory");

    error.physical_address = machine->window_phys(machine->self, w, bad->offset);
    error.expected = bad->expected;
    error.read = bad->read;
    error.reread = bad->reread;
    error.bits = bad->expected ^ bad->read;
    emit(diagnosis->journal, &error);
}

void diagnose_fault(struct journal *journal, const struct fault_info *fault)
{
    struct record_error error = record_error_of("fault");

    error.text = fault->text ? fault->text : "exception without a name";
    emit(journal, &error);
}

static void emit_lap(struct journal *journal, uintptr_t expected, uintptr_t actual)
{
    struct record_error error = record_error_of("lap");

    error.expected = expected;
    error.read = actual;
    error.text = "the chase stood at a wrong node, yet every node reads back right";
    emit(journal, &error);
}

uint64_t diagnose_nodes(const struct point *point, const struct chain *chain)
{
    return point->kernel == KERNEL_IID ? chain->order->lines : chain_positions(chain);
}

window_work *diagnose_verifier(const struct point *point)
{
    return point->kernel == KERNEL_IID ? draw_verify : chain_verify;
}

void diagnose_chain(struct diagnosis *diagnosis, const struct point *point, const struct window *w,
                    const struct chain *chain, const struct fault_info *fault, uintptr_t expected,
                    uintptr_t actual)
{
    const struct machine *machine = diagnosis->machine;
    struct chain_check *check = &diagnosis->check;
    struct fault_info second = {.kind = 0};
    enum status status;

    check->chain = chain;
    check->flush = machine->line_flush;
    check->errors = 0;
    status = machine->work_run(machine->self, w, 0, diagnose_verifier(point), check, 0,
                               diagnose_nodes(point, chain), &second);
    for (uint64_t i = 0; i < check->errors && i < CHAIN_ERRORS_MAX; i++)
        emit_bad_node(diagnosis, w, &check->error[i]);
    if (check->errors > CHAIN_ERRORS_MAX)
        journal_note_format(diagnosis->journal, SEVERITY_ERROR, "more bad nodes than error records",
                            "%lu nodes read back wrong in all", check->errors);
    if (status == STATUS_FAULT)
        journal_note(diagnosis->journal, SEVERITY_ERROR, "reading the chain back faulted too",
                     second.text ? second.text : "exception without a name");
    if (check->errors != 0)
        return;
    if (fault)
        diagnose_fault(diagnosis->journal, fault);
    else
        emit_lap(diagnosis->journal, expected, actual);
}
