/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware machine: struct machine (core/machine.h) on top of boot services and the CPU's quiet
 * section. Measuring and building happen in short quiet sections at TPL_HIGH_LEVEL; between them
 * the firmware runs. */
#ifndef EFI_MACHINE_H
#define EFI_MACHINE_H

#include "arch/arch.h"
#include "core/machine.h"
#include "core/options/options.h"
#include "core/report/live.h"
#include "core/results/notes.h"
#include "efi/breadcrumb.h"
#include "efi/clock.h"
#include "efi/console.h"
#include "efi/crew.h"
#include "efi/processors.h"
#include "efi/share.h"
#include "efi/tables.h"

#define FAULTS_KEPT    4
#define QUIET_LIMIT_NS 400000000ull /* interrupts stay masked for at most about this */

/* Who looks on while a run is under way; functions that are NULL: nobody. */
struct watch {
    void *context;
    /* Whenever the engine shows how far it is. now_ns: of the machine's clock. */
    void (*alive)(void *context, const struct progress *now, uint64_t now_ns);
    /* machine.mark of core/machine.h. */
    bool (*mark)(void *context, uint64_t now_ns);
};

struct firmware_machine {
    struct machine machine; /* what the engine gets; self is this struct */
    struct machine_description description;
    const struct firmware *fw;
    struct console *console;
    struct notes *notes;
    struct tables tables;
    struct clock clock;
    struct arch_quiet_result quiet;
    char fault_text[FAULTS_KEPT][sizeof((struct arch_quiet_result *)0)->fault_text];
    unsigned faults;
    struct processors processors;
    struct crew crew;
    struct share share;
    /* Controls, each as last tried, and on which CPU: index in description.cpus. */
    bool prefetch_off;    /* inside chases */
    bool turbo_requested; /* inside chases */
    uint32_t speed;       /* inside chases; bit n: enum speed_kind n */
    uint32_t prefetch_cpu, turbo_cpu, speed_cpu[SPEED_KINDS];
    uint32_t counters_cpu;    /* whose counters were tried last */
    bool counters_alike;      /* they count what the description names */
    bool prefetch_unofficial; /* also controls that no vendor documents */
    bool prefetch_write;      /* even where that may hang the machine */
    bool prefetch_only_read;  /* this run has the note about it */
    struct breadcrumb breadcrumb;
    bool aborted;
    struct live_line live;
    struct watch watch;
};

/* Describes the machine, by machine->tables, which are read already, and starts its clock. Other
 * CPUs are found, and started only when they are asked for: by options, with a mark on a volume if
 * that may be written.
 * STATUS_UNSUPPORTED: there can be no quiet section here; the machine can then describe itself but
 * measure nothing. */
enum status firmware_machine_start(struct firmware_machine *machine, const struct firmware *fw,
                                   const struct options *options, const struct volumes *volumes,
                                   struct console *console, struct notes *notes);
/* Part of that (machine_controls.c): sets what switches prefetchers and frequencies, and reads
 * errors and samples. */
void firmware_machine_controls(struct machine *machine);
/* Part of that (machine_together.c): sets what loads memory beside a chase and hands lines over. */
void firmware_machine_together(struct machine *machine);
/* Call before each run. */
void firmware_machine_run_starts(struct firmware_machine *machine, const struct options *options);
/* Gives the firmware back what the machine keeps over runs. */
void firmware_machine_stop(struct firmware_machine *machine);

/* ---- for the other parts of this machine */

/* The tables that map the window; 0: the firmware's. */
uint64_t firmware_quiet_root(const struct window *window);
/* A section with the controls that were tried on that CPU; what holds on another one is left as it
 * is found there. */
struct arch_quiet_plan firmware_quiet_controlled(const struct firmware_machine *machine,
                                                 const struct window *window, uint32_t cpu);
/* What a machine returns after a section of machine->quiet that did not go well; *fault unless that
 * is STATUS_UNSUPPORTED. */
enum status firmware_quiet_failed(struct firmware_machine *machine, enum status status,
                                  struct fault_info *fault);

#endif
