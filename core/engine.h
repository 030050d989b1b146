/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine: runs the experiments that the options select on a machine, and hands every record to
 * a journal. It is the same on every machine. */
#ifndef CORE_ENGINE_H
#define CORE_ENGINE_H

#include <stddef.h>

#include "core/machine.h"
#include "core/options/options.h"
#include "core/results/journal.h"

struct engine_request {
    const struct machine *machine;
    const struct options *options;
    struct journal *journal; /* started; sink and views set */
    const char *version;     /* the number and the commit: "0.2.0 (0753eaf)" */
    /* Called once all is measured, before the end record, which it is shown; may emit records.
     * NULL: nothing is. */
    void (*before_end)(void *context, const struct record_end *end, struct journal *journal);
    void *before_end_context;
    void *workspace; /* caller's memory of engine_workspace_bytes(), 16-byte aligned */
};

size_t engine_workspace_bytes(void);

/* Emits run, cpu, memory, dimm and prefetch records, runs the plan's experiments (journal_flush
 * after each), and always emits the end record. STATUS_OK when the end record says ok,
 * STATUS_ABORTED when it says aborted, else the first failure. With dry=on the plan is emitted as
 * notes and nothing is measured. */
enum status engine_run(const struct engine_request *request);

/* For a caller that cannot start (options that do not parse): emits the run record, an error note
 * `what`: `why`, and an end record with status failed. The workspace is as for engine_run. */
void engine_refuse(const struct engine_request *request, const char *what, const char *why);

#endif
