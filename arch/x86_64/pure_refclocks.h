/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides from their registers which of a PC's timers can serve as a reference clock. Timers are
 * never programmed: one that is not already running is not offered. */
#ifndef ARCH_X86_64_PURE_REFCLOCKS_H
#define ARCH_X86_64_PURE_REFCLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86_64/pure_cpuid.h"
#include "core/clock/refclock.h"
#include "core/firmware/acpi.h"

/* These set all of *clock but read and context, which the caller sets (argument: the port or
 * address to read). They return false if the timer cannot be used. */

bool refclocks_pm_timer(const struct acpi_facts *acpi, struct refclock *clock);

/* True if this CPU may make the PM timer of its own crystal: on low-power Intel parts firmware may
 * have the CPU emulate the timer, whose port then ticks by the crystal that the TSC is made of
 * (coreboot, enable_pm_timer_emulation, MSR 121h). No register says so, so it is taken to be
 * possible wherever CPUID 15h gives the TSC as a ratio of a crystal; under a hypervisor it is the
 * host's. */
bool refclocks_may_share_crystal(const struct cpu_identity *identity,
                                 const struct cpuid_words *leaf_15h);

#define HPET_CAPABILITIES  0x00 /* IA-PC HPET 1.0a, 2.3.4: [63:32] period in fs, [13] 64 bits */
#define HPET_CONFIGURATION 0x10 /* bit 0: running */
#define HPET_COUNTER       0xf0

/* Uses the low 32 bits of the main counter, so that a reading is one access. Requires a running
 * counter with a period of 1 fs to 100 ns (the specification's limit). */
bool refclocks_hpet(uint64_t base, uint64_t capabilities, uint64_t configuration,
                    struct refclock *clock);

/* Channel 0 of an 8254: its read-back status, and the highest count seen while it passed 0 at least
 * once. */
struct pit_view {
    uint8_t
        status; /* read-back status byte: [7] out, [6] null, [5:4] access, [3:1] mode, [0] BCD */
    uint32_t highest; /* count */
    bool wrapped;
};

#define PIT_COUNT_PORT     0x40
#define PIT_COMMAND_PORT   0x43
#define PIT_READ_BACK_BOTH 0xc2 /* 8254: latch status and count of channel 0 */
#define PIT_LATCH_COUNT    0x00 /* 8254: latch the count of channel 0 */

/* Requires mode 2 (counts by one) or 3 (by two), binary, low byte then high byte, and the full
 * period of 65536: with another reload value, wraps would be misinterpreted. */
bool refclocks_pit(const struct pit_view *view, struct refclock *clock);

#endif
