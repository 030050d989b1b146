/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs code on any CPU of the machine: on the boot CPU directly, on another one by the firmware's
 * MP services: one at a time, while the boot CPU waits in the firmware with its interrupts masked,
 * or several, and the boot CPU goes on where the firmware allows that. Where the firmware has none,
 * a CPU is turned on for each body, if there is a way (efi/power.h).
 *
 * A CPU that does not return leaves the boot CPU there for ever, so each is started on trial before
 * anything depends on it. Firmware is known that hangs at its first start of another CPU in a boot:
 * before that a mark is laid (efi/breadcrumb.h), and the firmware's watchdog runs. */
#ifndef EFI_PROCESSORS_H
#define EFI_PROCESSORS_H

#include "arch/arch.h"
#include "core/results/notes.h"
#include "efi/breadcrumb.h"
#include "efi/mp_services.h"
#include "efi/power.h"
#include "efi/watchdog.h"

struct processor {
    bool listed;     /* by MP services */
    UINTN number;    /* theirs */
    bool tried;      /* `why` is known */
    const char *why; /* chases cannot run on it; NULL: they can */
};

struct processors {
    const struct firmware *fw;
    struct notes *notes;
    struct mp_services *services; /* NULL: the firmware has none */
    struct power power;           /* used then; acpi and tree are set before processors_start */
    const char *power_why;        /* what went wrong with the last start by it */
    const struct cpu_info *cpus;  /* machine_description.cpus */
    size_t count;
    bool asked_for;         /* the user named CPUs: they are started even without a mark */
    struct breadcrumb mark; /* kind, volume and path are set before processors_start */
    struct watchdog watchdog;
    bool came_back;    /* a start returned in this boot */
    bool lost;         /* one may still run: none is started any more */
    const char *never; /* no other CPU is started; NULL: nothing speaks against it */
    bool beside_tried; /* `beside` is known */
    bool beside;       /* the boot CPU goes on while others run */
    struct same_words own;
    struct processor processor[CPUS_MAX];
};

/* Finds the CPUs among the firmware's processors; starts none. cpus is description's list, whose
 * first is the boot CPU; it and notes stay. */
void processors_start(struct processors *processors, const struct firmware *fw,
                      const struct cpu_info *cpus, size_t count, struct notes *notes);

/* Gives back what starts have taken; none follows. */
void processors_stop(struct processors *processors);

/* Whether code can run there; asked the first time, another CPU is started on trial. *why: in
 * words, static, why not. */
bool processors_ready(struct processors *processors, uint32_t cpu, const char **why);
/* Runs body(arg) there, at TPL_HIGH_LEVEL, and returns when it has. STATUS_UNSUPPORTED: it did not
 * run: processors_ready was not asked or said no, or the firmware refused. The body must not call
 * the firmware. */
enum status processors_run(struct processors *processors, uint32_t cpu, void (*body)(void *arg),
                           void *arg);

/* One CPU's part of what several do at the same time. */
struct processor_job {
    uint32_t cpu; /* each at most once */
    void (*body)(void *arg);
    void *arg;
    volatile bool done; /* result */
    const uint32_t *go; /* the last two are processors.c's own */
    bool begun;
};

/* Whether several CPUs can run at the same time, the boot CPU among them or not; every other CPU is
 * to be ready. The first time it is asked with the boot CPU, it starts them on trial. *why: in
 * words, static. */
bool processors_together_ready(struct processors *processors, bool boot_cpu, const char **why);
/* Runs all bodies at TPL_HIGH_LEVEL, each on its CPU, and returns when all have. None may call the
 * firmware, or wait for longer than half a second. STATUS_UNSUPPORTED: they did not all run, and
 * none runs any more. A CPU that does not come back ends the machine (efi/fatal.h): its stack and
 * its tables cannot be given back. */
enum status processors_together(struct processors *processors, struct processor_job *job,
                                uint32_t count);

#endif
