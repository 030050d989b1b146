/* SPDX-License-Identifier: BSD-2-Clause */
/* Several CPUs at the same time: those that load memory beside a chase, and two that hand lines to
 * each other. Decides nothing of when: machine.c does. */
#ifndef EFI_CREW_H
#define EFI_CREW_H

#include "arch/arch.h"
#include "efi/processors.h"

struct crew_loader {
    struct traffic_progress progress;
    const struct traffic *traffic;
    struct arch_aside aside;
    uint32_t place;
    bool ran, over;
};

/* All 0 but for the first two: no loads are in force. */
struct crew {
    struct processors *processors;
    uint32_t line_bytes;
    void *memory;                       /* the firmware's: loaders, and a stack for each of them */
    struct crew_loader *loader;         /* [count] */
    struct traffic_progress **progress; /* [count] theirs */
    struct processor_job *job;          /* [count + 1] */
    uint32_t count;
};

/* Loads are in force until crew_load_stop; see load_start of core/machine.h. root: tables that map
 * the window. STATUS_UNSUPPORTED sets *why, static. */
enum status crew_load_start(struct crew *crew, uint64_t root, uint32_t cpu,
                            const struct traffic *traffic, uint32_t count, const char **why);
void crew_load_stop(struct crew *crew);
/* Runs body(arg) on that CPU, outside any quiet section, while the loads run: it begins when each
 * has begun, and they end behind it. STATUS_FAULT: a load faulted, *fault says where.
 * STATUS_UNSUPPORTED: they did not all run; then body did not either, or did with fewer loads. */
enum status crew_run(struct crew *crew, uint32_t cpu, uint64_t hz, void (*body)(void *arg),
                     void *arg, struct fault_info *fault);

/* Two CPUs: body(arg) on `cpu`, outside any quiet section, and beside->body on `other`.
 * STATUS_UNSUPPORTED: these two cannot run at the same time; *why. */
enum status crew_pair(struct crew *crew, uint32_t cpu, uint32_t other, void (*body)(void *arg),
                      void *arg, struct arch_aside *beside, const char **why);

#endif
