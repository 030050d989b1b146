/* SPDX-License-Identifier: BSD-2-Clause */
/* CPU-independent prefetcher control through a register port: the trial, and enter/leave around a
 * measurement. arch/ has the table of fields of each CPU. The product runs this on the real
 * registers, tests on a scripted register model. */
#ifndef CORE_CPU_PREFETCH_H
#define CORE_CPU_PREFETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/machine.h"

/* read and write return false if the access faulted. reg is the architecture's register number. */
struct prefetch_port {
    void *context;
    bool (*read)(void *context, uint32_t reg, uint64_t *value);
    bool (*write)(void *context, uint32_t reg, uint64_t value);
    bool faults_are_final; /* do not retry a faulting write with fewer bits */
};

/* One prefetcher of a field that controls several. */
struct prefetch_part {
    uint64_t mask; /* of the field's bits */
    const char *name;
};

/* One field of a register. */
struct prefetch_field {
    uint32_t reg;
    uint64_t mask, off; /* the field's bits, and their value with prefetchers off */
    bool unofficial;    /* not documented by the vendor, or we have not seen the document */
    bool disputed;      /* sources disagree whether these models have it, or only its predecessors
                           are known to: a write that faults or does not read back means no */
    bool inherited;     /* disputed, and no source lists the core at all: it is known in part */
    bool fixed;         /* writable only while the core is idle: read, never written */
    bool aside;         /* not a prefetcher itself: ignored in the report's state */
    bool aggregates;    /* combines neighbouring pages in one TLB entry */
    bool needs_last; /* may be written only while the previous field of the set has its off value;
                        otherwise refused */
    bool leads;      /* not a prefetcher itself: must have its off value before any other field is
                        written */
    const char *name, *source;
    const struct prefetch_part *parts; /* NULL: the field is one prefetcher */
    size_t part_count;
};

/* Options of a trial. */
struct prefetch_request {
    bool off;        /* false: leave as the firmware set it */
    bool unofficial; /* include controls that no vendor documents */
    bool write;      /* false: report only */
};

struct prefetch_action {
    const struct prefetch_field *field;
    uint64_t works;    /* bits that took the off value in the trial; 0: do not touch */
    uint64_t to_write; /* the subset of works that enter writes */
    uint64_t saved;    /* the whole register before our write */
    bool written;      /* saved must be restored */
};

/* The controls of one CPU, in the order of writing. */
struct prefetch_set {
    bool speculates; /* as in the report */
    size_t count;
    struct prefetch_action action[PREFETCH_CONTROLS_MAX];
};

/* Sets up the fields without trying them; speculates becomes false. Fields beyond
 * PREFETCH_CONTROLS_MAX are ignored. */
void prefetch_set_start(struct prefetch_set *set, const struct prefetch_field *const *fields,
                        size_t count);

/* An empty report: unsupported, and what the set knows without a trial. */
void prefetch_report_start(const struct prefetch_set *set, struct prefetch_report *report);

/* Tries each control once as requested, and restores all in reverse order even if one faulted.
 * State of each control:
 *   unsupported    the read faulted; or unofficial and not requested; or a field whose off value
 *                  is 0 in a register that reads 0 altogether, as one that is absent does
 *   on, off        as the firmware left it: off is not requested, or writing is not allowed
 *   off            reads back as requested
 *   refused        the whole field could not be written, or may not be (fixed, needs_last). A
 *                  write that faults is retried with fewer bits; those that stick are used, and the
 *                  control is still refused
 *   not-honoured   written without a fault, but does not read back
 * report->state is the worst of the controls tried, in the order off, unsupported, not-honoured,
 * refused, on; unsupported if none was tried. A disputed field whose off value could not be had
 * (unsupported, not-honoured) has a state of its own, and changes nothing else. */
void prefetch_set_try(struct prefetch_set *set, const struct prefetch_request *request,
                      const struct prefetch_port *port, struct prefetch_report *report);

/* Restricts what enter switches off to one prefetcher: number `index` of those that worked in the
 * last trial (with off and write requested). Prerequisite fields (leads, aside) are still written.
 * Switches it off once, reads back and restores; *report holds that control only, with state
 * PREFETCH_ON (the others are on) if it read back as off. Returns false, with nothing changed, if
 * there is no such prefetcher. */
bool prefetch_set_alone(struct prefetch_set *set, const struct prefetch_port *port, size_t index,
                        struct prefetch_report *report);

/* enter saves and switches off what worked on trial; leave restores in reverse order. A leave
 * without an enter, or a second one, does nothing. If a needs_last field cannot be restored, the
 * field before it keeps its off value, and neither is touched again. */
void prefetch_set_enter(struct prefetch_set *set, const struct prefetch_port *port);
void prefetch_set_leave(struct prefetch_set *set, const struct prefetch_port *port);

/* ---- the same under a guard that catches faults in our own code (prefetch_guarded.c) */

/* Runs body(arg) where the port may be used; returns false if a fault ended it early. */
typedef bool prefetch_guard(void (*body)(void *arg), void *arg);
/* Runs body(arg) under the guard, and restore(arg) too if that faulted: false then. The port
 * recovers from faults of register accesses; a fault that reaches the guard comes from our own code
 * and may have left registers modified. For a trial of any control. */
bool prefetch_guarded_run(prefetch_guard *guard, void (*body)(void *arg),
                          void (*restore)(void *arg), void *arg);

/* prefetch_set_try under the guard. A set without controls does not call the guard: the report is
 * empty and unsupported. After a fault, what was written is restored under the guard, the set loses
 * its controls, and the report is empty and refused. */
void prefetch_guarded_try(struct prefetch_set *set, const struct prefetch_request *request,
                          const struct prefetch_port *port, prefetch_guard *guard,
                          struct prefetch_report *report);
/* prefetch_set_alone under the guard. After a fault, what was written is restored; returns false
 * with *report empty. */
bool prefetch_guarded_alone(struct prefetch_set *set, const struct prefetch_port *port,
                            prefetch_guard *guard, size_t index, struct prefetch_report *report);

#endif
