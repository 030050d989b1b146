/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs code on any CPU of the machine: on the boot CPU directly, on another one by the firmware's
 * MP services: one at a time, while the boot CPU waits in the firmware with its interrupts masked,
 * or several, and the boot CPU goes on where the firmware allows that. Where the firmware has none,
 * a CPU is turned on for each body, if there is a way (efi/power.h).
 *
 * A CPU that does not return leaves the boot CPU there for ever, so each is started on trial before
 * anything depends on it, and so are all of them at once. Firmware is known that hangs at its first
 * start of another CPU in a boot: before a trial a mark is laid (efi/breadcrumb.h), and the
 * firmware's watchdog runs.
 *
 * What the firmware answers is not believed: a CPU may come though it was refused, come late, or
 * never. Each has a gate (core/lib/gate.h), which is shut when waiting for it ends; then no other
 * CPU is started any more, and because that one may still come, the application must stay in
 * memory: struct processors is never freed after `lost` is set. */
#ifndef EFI_PROCESSORS_H
#define EFI_PROCESSORS_H

#include "arch/arch.h"
#include "core/lib/gate.h"
#include "core/results/notes.h"
#include "efi/breadcrumb.h"
#include "efi/mp_services.h"
#include "efi/power.h"
#include "efi/watchdog.h"

struct processor {
    bool listed;     /* by MP services */
    bool twice;      /* under two numbers: nothing says which is right */
    UINTN number;    /* theirs */
    bool tried;      /* `why` is known */
    const char *why; /* chases cannot run on it; NULL: they can */
    struct gate gate;
};

/* All at once, while the boot CPU waits, or while it goes on. */
struct processors_together {
    struct breadcrumb mark;
    uint32_t tried;  /* so many CPUs, the boot CPU counted if it goes on */
    const char *why; /* it cannot be done; NULL: it can be tried */
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
    struct breadcrumb mark; /* kind, volume and path of all are set before processors_start */
    struct processors_together together[2]; /* [1]: the boot CPU goes on */
    bool marked_on_volume;                  /* the last mark was */
    bool unmarked;                          /* a note says that starts have no mark */
    struct watchdog watchdog;
    bool came_back;    /* a start returned in this boot */
    bool lost;         /* one may still run: none is started any more */
    const char *never; /* no other CPU is started; NULL: nothing speaks against it */
    struct same_words own, tried;
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
    const uint32_t *go; /* the last two are processors_power.c's own */
    bool begun;
};

/* Whether several CPUs can run at the same time, the boot CPU among them or not; every other CPU is
 * to be ready. If more are ready than when it was asked last, it starts them on trial. *why: in
 * words, static. */
bool processors_together_ready(struct processors *processors, bool boot_cpu, const char **why);
/* Runs all bodies at TPL_HIGH_LEVEL, each on its CPU, and returns when all have. None may call the
 * firmware, or wait for longer than half a second. STATUS_UNSUPPORTED: they did not all run, and
 * none runs any more. A CPU that does not come back ends the machine (efi/fatal.h): its stack and
 * its tables cannot be given back. */
enum status processors_together(struct processors *processors, struct processor_job *job,
                                uint32_t count);

#endif
