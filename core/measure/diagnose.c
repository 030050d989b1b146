/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/measure/diagnose.h"

#define READS_MAX   64
#define AGAIN_NODES (1u << 22) /* that are read in all, so that a stop need not wait for long */

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

void diagnose_start(struct diagnosis *diagnosis, const struct chain *chain)
{
    struct chain_check *check = &diagnosis->check;

    check->chain = chain;
    check->flush = diagnosis->machine->line_flush;
    check->word = diagnosis->machine->word_read;
    check->fresh = false;
    check->errors = 0;
}

window_work *diagnose_verifier(const struct point *point)
{
    return point->kernel == KERNEL_IID ? draw_verify : chain_verify;
}

/* What is wrong now and then is seen by reading again, of memory and not of a cache: so often that
 * a pointer that led a chase astray once is likely to be met. */
static enum status read_back(struct diagnosis *diagnosis, const struct point *point,
                             const struct window *w, const struct chain *chain,
                             struct fault_info *fault)
{
    const struct machine *machine = diagnosis->machine;
    uint64_t nodes = diagnose_nodes(point, chain), reads = AGAIN_NODES / nodes;
    struct chain_check *check = &diagnosis->check;
    enum status status = STATUS_OK;

    diagnose_start(diagnosis, chain);
    reads = reads == 0 ? 1 : reads < READS_MAX ? reads : READS_MAX;
    for (uint64_t i = 0; i < reads && status == STATUS_OK && check->errors == 0; i++) {
        check->fresh = i > 0;
        status = machine->work_run(machine->self, w, 0, diagnose_verifier(point), check, 0, nodes,
                                   fault);
    }
    return status;
}

uint32_t diagnose_some(struct diagnosis *diagnosis, const struct point *point,
                       const struct window *w, const struct chain *chain,
                       const struct fault_info *fault, uintptr_t expected, uintptr_t actual,
                       uint32_t most)
{
    struct chain_check *check = &diagnosis->check;
    struct fault_info second = {.kind = 0};
    enum status status = read_back(diagnosis, point, w, chain, &second);
    uint32_t told = check->errors < most ? (uint32_t)check->errors : most;

    for (uint32_t i = 0; i < told; i++)
        emit_bad_node(diagnosis, w, &check->error[i]);
    if (status == STATUS_FAULT && most != 0)
        journal_note(diagnosis->journal, SEVERITY_ERROR, "reading the chain back faulted too",
                     second.text ? second.text : "exception without a name");
    if (check->errors != 0 || most == 0)
        return told;
    if (fault)
        diagnose_fault(diagnosis->journal, fault);
    else
        emit_lap(diagnosis->journal, expected, actual);
    return 1;
}

void diagnose_note_untold(struct journal *journal, uint64_t wrong, uint64_t told)
{
    if (wrong > told)
        journal_note_format(journal, SEVERITY_ERROR, "more bad nodes than error records",
                            "%lu nodes read back wrong in all", wrong);
}

void diagnose_chain(struct diagnosis *diagnosis, const struct point *point, const struct window *w,
                    const struct chain *chain, const struct fault_info *fault, uintptr_t expected,
                    uintptr_t actual)
{
    uint32_t told =
        diagnose_some(diagnosis, point, w, chain, fault, expected, actual, CHAIN_ERRORS_MAX);

    diagnose_note_untold(diagnosis->journal, diagnosis->check.errors, told);
}
