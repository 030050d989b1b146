/* SPDX-License-Identifier: BSD-2-Clause */
/* Work on memory shared out over CPUs of the firmware's MP services: those that are ready already
 * (processors_ready); none is started on trial for it. With several others the boot CPU waits in
 * the firmware, which wakes them within some 10 ms; with one it works too, and the firmware then
 * tells by a timer of some 100 ms that the other is done. */
#ifndef EFI_SHARE_H
#define EFI_SHARE_H

#include "core/machine.h"
#include "efi/processors.h"

struct share_helper;

/* All 0 but for the first: no memory is taken. */
struct share {
    struct processors *processors;
    void *memory;                /* the firmware's: helpers, and a stack for each of them */
    uintptr_t stacks;            /* [places], aligned to ARCH_ASIDE_BYTES */
    struct share_helper *helper; /* [places + 1]; the last is the boot CPU's */
    struct processor_job *job;   /* [places + 1] */
    uint32_t places;
    uint32_t workers; /* that have done parts since the caller set 0, at most so many at once */
    bool refused;     /* not all of them ran once: no more is shared out in this boot */
    bool noted;       /* why not all of them take part */
};

/* Work on [first, end) that only reads what arg points to. */
struct share_work {
    window_work *work;
    void *arg;
    const struct window *window;
    uint64_t first, end;
    uint64_t root; /* tables that map the window; 0: the firmware's */
    uint64_t hz;   /* of arch_ticks */
};

/* Takes memory for all CPUs, once; to be called when another CPU is ready, before windows take all
 * the memory that there is. Without it nothing is shared out, and a note says so. */
void share_reserve(struct share *share);
void share_free(struct share *share);
/* How many CPUs would work at once. 1: the boot CPU alone. */
uint32_t share_cpus(struct share *share);
/* Parts are taken from `first` on, one after the other, by whoever is free, for a third of a
 * second; *done: up to there all is done. STATUS_FAULT: one of them faulted, quiet->fault says
 * where, and quiet->fault_text in full if that was the boot CPU. STATUS_UNSUPPORTED: not all ran,
 * or nothing was done; the rest, and all that comes later, is the boot CPU's. */
enum status share_parts(struct share *share, const struct share_work *work,
                        struct arch_quiet_result *quiet, uint64_t *done);
/* The same with one part for each, in one call; all of [first, end) is done when it returns
 * STATUS_OK. STATUS_UNSUPPORTED: nothing was done, as it is not worth starting others. */
enum status share_each(struct share *share, const struct share_work *work,
                       struct arch_quiet_result *quiet);

#endif
