/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the generic timer and the core clock of the calling CPU; pure_clock.c interprets the
 * registers. */
#include "arch/aarch64/cycles.h"
#include "arch/aarch64/level.h"
#include "arch/aarch64/pure_clock.h"
#include "arch/aarch64/registers.h"
#include "arch/aarch64/sysreg.h"
#include "arch/aarch64/ticks.h"
#include "arch/arch.h"
#include "core/clock/ticks.h"

#define RESOLUTION_READINGS 512

static void probe_body(void *arg)
{
    struct clock_snapshot *snapshot = arg;
    uint64_t value;

    snapshot->self_synchronised =
        sysreg_read(snapshot->level == 2 ? SYSREG_CNTPCTSS : SYSREG_CNTVCTSS, &value);
}

static uint64_t resolution_read(void)
{
    static uint64_t readings[RESOLUTION_READINGS];

    for (size_t i = 0; i < RESOLUTION_READINGS; i++)
        readings[i] = arch_ticks();
    return ticks_smallest_step(readings, RESOLUTION_READINGS);
}

void arch_clock_declared(struct arch_clock *clock)
{
    static struct arch_quiet_result result;
    struct clock_snapshot snapshot = ticks_registers();
    struct arch_quiet_plan plan = {.body = probe_body, .arg = &snapshot};

    /* On failure the plain counter is read. */
    if (clock_has_self_synchronised(snapshot.mmfr0))
        (void)arch_quiet_run(&plan, &result);
    aarch64_clock_declared(&snapshot, clock);
    ticks_counter(clock_counter_for(&snapshot));
    clock->resolution_ticks = (double)resolution_read();
}

/* An Arm FADT has no PM timer, and there is neither HPET nor PIT. The only second clock is the
 * firmware's calendar, which is not handled in arch/. */
size_t arch_refclocks(const struct acpi_facts *acpi, struct refclock *clocks, size_t max)
{
    (void)acpi;
    (void)clocks;
    (void)max;
    return 0;
}

#define CHAIN_ADDS        64
#define CHAIN_LOOPS_SHORT 128
#define CHAIN_LOOPS_LONG  640

/* Doubles a register repeatedly: each addition depends on the previous one and takes one cycle. */
static uint64_t chain_ticks(uint64_t loops)
{
    uint64_t sum = 1, before = arch_ticks();

    __asm__ volatile(".p2align 6\n"
                     "1:\n\t"
                     ".rept 64\n\t"
                     "add %0, %0, %0\n\t"
                     ".endr\n\t"
                     "subs %1, %1, #1\n\t"
                     "b.ne 1b"
                     : "+r"(sum), "+r"(loops)
                     :
                     : "cc");
    return arch_ticks() - before;
}

double arch_core_hz(uint64_t tick_hz, const char **source)
{
    uint64_t loops = ticks_chain_loops(tick_hz, CHAIN_ADDS, CHAIN_LOOPS_LONG);
    double hz = cycles_core_hz(tick_hz, chain_ticks, loops);

    *source = "PMCCNTR_EL0";
    if (hz > 0)
        return hz;
    *source = "dependent additions";
    return ticks_core_hz_by_chain(chain_ticks, CHAIN_ADDS, CHAIN_LOOPS_SHORT, loops, tick_hz);
}
