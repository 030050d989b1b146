/* SPDX-License-Identifier: BSD-2-Clause */
/* The Linux machine: core/machine.h as a process on real silicon. Kernels and clock are arch/'s, as
 * on the firmware; memory is what the kernel gives. */
#ifndef TESTS_HOST_LINUX_MACHINE_H
#define TESTS_HOST_LINUX_MACHINE_H

#include "arch/arch.h"
#include "core/options/options.h"
#include "core/results/notes.h"
#include "tests/host/clock.h"
#include "tests/host/describe.h"

struct linux_machine {
    struct machine machine; /* what the engine sees */
    struct machine_description description;
    struct description_words words;
    struct clock clock;
    struct notes notes;
    struct arch_quiet_result quiet;
    char fault_text[sizeof((struct arch_quiet_result *)0)->fault_text];
    bool prefetch_off, prefetch_unofficial, turbo_requested;
    uint32_t cpu;                        /* index of the CPU that the process is on */
    uint32_t speed;                      /* inside chases; bit n: enum speed_kind n */
    uint64_t started_ns, started_own_ns; /* clock_wall_ns, clock_own_ns */
    bool sharing_noted;
};

/* The calling thread is pinned to that CPU already. Never fails: missing features become notes. */
void linux_machine_start(struct linux_machine *m, uint32_t cpu, const struct options *options);

#endif
