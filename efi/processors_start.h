/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to efi/processors*.c: what the start of one CPU and of all at once have in common. */
#ifndef EFI_PROCESSORS_START_H
#define EFI_PROCESSORS_START_H

#include "efi/processors.h"

#define PROCESSORS_WATCHDOG_S 120
#define PROCESSORS_LATE_MS    2000 /* longer than any quiet section */

/* Why no other CPU is started any more, once processors.lost is set. */
extern const char processors_lost[];

enum came {
    CAME,     /* all of them, and they have gone back */
    CAME_NOT, /* one did not, and does nothing any more if it does */
    STAYED    /* one came and did not go back */
};

/* What a CPU does that was let in. */
void processors_enter(struct gate *gate);
/* Whether the firmware, by this answer, has started nobody (PI 1.8, volume 2, 13.4.3 and 13.4.4).
 * Of another error nobody can tell. */
bool processors_refused(EFI_STATUS status);
/* Waits for the CPUs of these jobs, whose gates are open; status is the firmware's answer. job.done
 * says of each whether it ran; of the boot CPU's nothing. */
enum came processors_wait(struct processors *processors, struct processor_job *job, uint32_t count,
                          EFI_STATUS status);
/* No other CPU is started any more, and the firmware cannot have the machine back. */
void processors_lose(struct processors *processors);
/* Ends the machine, at TPL_HIGH_LEVEL, for one that stayed in what it cannot be left alone with.
 * The mark makes the next start measure on the boot CPU: else it would end in the same way. */
void processors_end(struct processors *processors, const struct processor_job *job, uint32_t count);

/* Before a start on trial: lays the mark, with that id, and sets the watchdog. Returns in words,
 * static, why the start may not be made; `found`, if a mark says that an earlier one did not come
 * back. NULL: it may, and processors_came_back is to follow. */
const char *processors_may_start(struct processors *processors, struct breadcrumb *mark,
                                 uint64_t id, const char *found);
void processors_came_back(struct processors *processors, struct breadcrumb *mark);

/* ---- the same where the firmware has no MP services (efi/power.h) */

/* Why that CPU is not to be turned on, in words, static; a note says so. NULL: it may be. */
const char *processors_power_refusal(struct processors *processors, uint32_t cpu);
/* Starts the CPU of a job whose gate is open, and waits for it, as startup_this and processors_wait
 * do. processors.power_why: what went wrong, in words. */
enum came processors_power_start(struct processors *processors, struct processor_job *job,
                                 EFI_STATUS *status);
/* All jobs at once, the boot CPU's own meanwhile (NULL: it waits). False: they did not all run, and
 * none runs any more. */
bool processors_power_together(struct processors *processors, struct processor_job *job,
                               uint32_t count, struct processor_job *boot);

#endif
