/* SPDX-License-Identifier: BSD-2-Clause */
/* Interprets the registers of a PC's timers as reference clocks. */
#include "arch/x86_64/pure_refclocks.h"

#define FEMTOSECONDS_PER_SECOND 1000000000000000ull
#define HPET_PERIOD_MAX_FS      100000000u

bool refclocks_pm_timer(const struct acpi_facts *acpi, struct refclock *clock)
{
    if (!acpi->pm_timer_known || !acpi->pm_timer_address)
        return false;
    if (acpi->pm_timer_is_port && acpi->pm_timer_address > 0xffff)
        return false;
    *clock = (struct refclock){.name = "ACPI PM timer",
                               .hz_numerator = PM_TIMER_HZ,
                               .hz_denominator = 1,
                               .bits = acpi->pm_timer_bits,
                               .argument = acpi->pm_timer_address};
    return acpi->pm_timer_bits == 24 || acpi->pm_timer_bits == 32;
}

bool refclocks_may_share_crystal(const struct cpu_identity *identity,
                                 const struct cpuid_words *leaf_15h)
{
    return identity->vendor == CPU_VENDOR_INTEL && !identity->hypervisor && leaf_15h->eax &&
           leaf_15h->ebx;
}

bool refclocks_hpet(uint64_t base, uint64_t capabilities, uint64_t configuration,
                    struct refclock *clock)
{
    uint64_t period_fs = capabilities >> 32;

    if (!(configuration & 1) || !period_fs || period_fs > HPET_PERIOD_MAX_FS)
        return false;
    *clock = (struct refclock){.name = "HPET",
                               .hz_numerator = FEMTOSECONDS_PER_SECOND,
                               .hz_denominator = period_fs,
                               .bits = 32,
                               .argument = base + HPET_COUNTER};
    return true;
}

bool refclocks_pit(const struct pit_view *view, struct refclock *clock)
{
    unsigned mode = view->status >> 1 & 7;
    bool ready = !(view->status & 0x40), binary = !(view->status & 1);
    bool both_bytes = (view->status >> 4 & 3) == 3;

    /* Modes 6 and 7 are aliases of 2 and 3 (8254 data sheet). */
    mode = mode > 5 ? mode - 4 : mode;
    if (!ready || !binary || !both_bytes || (mode != 2 && mode != 3))
        return false;
    /* Reads are some microseconds apart, so the maximum is not always seen. */
    if (!view->wrapped || view->highest < 65536 - 64 || view->highest > 65535)
        return false;
    *clock = (struct refclock){.name = "PIT",
                               .hz_numerator = mode == 3 ? 2 * PIT_HZ : PIT_HZ,
                               .hz_denominator = 1,
                               .bits = 16,
                               .down = true,
                               .argument = PIT_COUNT_PORT};
    return true;
}
