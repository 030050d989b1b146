/* SPDX-License-Identifier: BSD-2-Clause */
/* Prefetcher control over a port to registers, whatever the CPU: the trial, and the bracket around
 * a measurement. Which fields a CPU has is a table of its own architecture; the same code runs over
 * the real registers in the product and over a scripted register model in tests. */
#ifndef CORE_CPU_PREFETCH_H
#define CORE_CPU_PREFETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/machine.h"

/* read and write answer false when the access faulted. reg is the architecture's own number
 * for a register. */
struct prefetch_port {
    void *context;
    bool (*read)(void *context, uint32_t reg, uint64_t *value);
    bool (*write)(void *context, uint32_t reg, uint64_t value);
    bool faults_are_final; /* a write that faulted is not tried again with fewer bits */
};

/* One prefetcher of a field that switches several. */
struct prefetch_part {
    uint64_t mask; /* of the field's bits */
    const char *name;
};

/* One field of one register. */
struct prefetch_field {
    uint32_t reg;
    uint64_t mask, off; /* the field, and its value when the prefetchers are off */
    bool unofficial;    /* no vendor documents it, or we have not seen the document */
    bool disputed;      /* sources differ on whether these models have it: a fault means no */
    bool fixed;         /* the CPU takes it only before memory is in use: read, never written */
    bool aside;         /* no prefetcher itself: says nothing of the report's state */
    bool needs_last;    /* to be written only while the field before it in the set has its off
                           value; refused otherwise */
    bool leads;         /* no prefetcher itself: must have its off value before any other field is
                           written */
    const char *name, *source;
    const struct prefetch_part *parts; /* NULL: the field is one prefetcher */
    size_t part_count;
};

/* What is asked of a trial. */
struct prefetch_wish {
    bool off;        /* false: leave as the firmware has it */
    bool unofficial; /* also controls that no vendor documents */
    bool write;      /* false: report only */
};

struct prefetch_action {
    const struct prefetch_field *field;
    uint64_t works; /* the bits of the field that took the off value on trial; 0: leave alone */
    uint64_t asked; /* those of them that enter writes */
    uint64_t saved; /* the whole register before our write */
    bool written;   /* saved is waiting to be restored */
};

/* The controls of one CPU, in the order in which they are written. */
struct prefetch_set {
    size_t count;
    struct prefetch_action action[PREFETCH_CONTROLS_MAX];
};

/* Takes over the fields; tries nothing. Fields beyond PREFETCH_CONTROLS_MAX are not taken. */
void prefetch_set_start(struct prefetch_set *set, const struct prefetch_field *const *fields,
                        size_t count);

/* Tries each control once as wished and restores everything in reverse order, also when a later one
 * faulted. Per control:
 *   unsupported    the read faulted; or unofficial and not wished; or a field that is off when 0 in
 *                  a register that reads 0 altogether (nobody implements it)
 *   on, off        what the firmware left, when off is not wished or nothing may be written
 *   off            reads back as requested
 *   refused        no write of the whole field went through, or none may be made (fixed,
 *                  needs_last). A write that faults is tried again with fewer bits; those that
 *                  stick are used, and the control stays refused
 *   not-honoured   written without a fault, but it does not read back
 * report->state is the worst of those tried, in the order off, unsupported, not-honoured, refused,
 * on; unsupported when none was tried. */
void prefetch_set_try(struct prefetch_set *set, const struct prefetch_wish *wish,
                      const struct prefetch_port *port, struct prefetch_report *report);

/* Narrows what enter switches off to one prefetcher: number `index` of those that the last trial
 * (with off and write wished) found to obey. What must be written before any other (leads, aside)
 * stays. Switches it off once, reads back and restores; *report holds that one control only, and
 * its state is PREFETCH_ON (of the others) when it read back as off. False: there is no such
 * prefetcher, and nothing changed. */
bool prefetch_set_alone(struct prefetch_set *set, const struct prefetch_port *port, size_t index,
                        struct prefetch_report *report);

/* Saves and switches off what the trial found to work; and back, in reverse order. A leave without
 * an enter, or a second one, does nothing. Where a needs_last field cannot be given back, the one
 * before it keeps its off value, and neither is touched again. */
void prefetch_set_enter(struct prefetch_set *set, const struct prefetch_port *port);
void prefetch_set_leave(struct prefetch_set *set, const struct prefetch_port *port);

/* ---- the same where a fault of our own code is caught (prefetch_guarded.c) */

/* Runs body(arg) where the port may be used; false when a fault ended it before its return. */
typedef bool prefetch_guard(void (*body)(void *arg), void *arg);

/* prefetch_set_try within the guard, not called for a set without controls: the report is then
 * empty and unsupported. After a fault what was written is restored within the guard again, the set
 * has no controls any more, and the report is empty and refused. */
void prefetch_guarded_try(struct prefetch_set *set, const struct prefetch_wish *wish,
                          const struct prefetch_port *port, prefetch_guard *guard,
                          struct prefetch_report *report);
/* prefetch_set_alone within the guard. After a fault what was written is restored, the answer is
 * false, and *report holds nothing. */
bool prefetch_guarded_alone(struct prefetch_set *set, const struct prefetch_port *port,
                            prefetch_guard *guard, size_t index, struct prefetch_report *report);

#endif
