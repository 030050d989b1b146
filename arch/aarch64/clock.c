/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the generic timer and the core clock of the calling CPU; pure_clock.c interprets the
 * registers. */
#include "arch/aarch64/cycles.h"
#include "arch/aarch64/level.h"
#include "arch/aarch64/pure_clock.h"
#include "arch/aarch64/registers.h"
#include "arch/aarch64/sysreg.h"
#include "arch/arch.h"
#include "core/clock/ticks.h"

#define RESOLUTION_READINGS 512

static bool counter_known;
static enum clock_counter counter;

static void probe_body(void *arg)
{
    struct clock_snapshot *snapshot = arg;
    uint64_t value;

    snapshot->self_synchronised =
        sysreg_read(snapshot->level == 2 ? SYSREG_CNTPCTSS : SYSREG_CNTVCTSS, &value);
}

static struct clock_snapshot registers_read(void)
{
    return (struct clock_snapshot){.level = level_now(),
                                   .cntfrq = registers_cntfrq_el0(),
                                   .mmfr0 = registers_id_aa64mmfr0_el1()};
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
    struct clock_snapshot snapshot = registers_read();
    struct arch_quiet_plan plan = {.body = probe_body, .arg = &snapshot};

    /* If this fails, the plain counter is read. */
    if (clock_has_self_synchronised(snapshot.mmfr0))
        (void)arch_quiet_run(&plan, &result);
    aarch64_clock_declared(&snapshot, clock);
    counter = clock_counter_for(&snapshot);
    counter_known = true;
    clock->resolution_ticks = (double)resolution_read();
}

/* By encoding: older assemblers do not know the self-synchronised names. */
static inline uint64_t counter_read(void)
{
    uint64_t ticks;

    switch (counter) {
    case CLOCK_PHYSICAL:
        return registers_cntpct_el0();
    case CLOCK_VIRTUAL_SELF_SYNCHRONISED:
        __asm__ volatile("mrs %0, s3_3_c14_c0_6" : "=r"(ticks) : : "memory");
        return ticks;
    case CLOCK_PHYSICAL_SELF_SYNCHRONISED:
        __asm__ volatile("mrs %0, s3_3_c14_c0_5" : "=r"(ticks) : : "memory");
        return ticks;
    case CLOCK_VIRTUAL:
        break;
    }
    return registers_cntvct_el0();
}

/* The DSB waits for earlier loads, which an ISB alone does not. The first ISB keeps the counter
 * read after the DSB (even a self-synchronised counter is ordered only against other counter
 * reads); the second keeps later loads after the counter read. */
uint64_t arch_ticks(void)
{
    uint64_t ticks;

    if (!counter_known) {
        struct clock_snapshot snapshot = registers_read();
        counter = clock_counter_for(&snapshot);
        counter_known = true;
    }
    registers_dsb_nshld();
    registers_isb();
    ticks = counter_read();
    registers_isb();
    return ticks;
}

/* An Arm FADT has no PM timer, and there is neither HPET nor PIT. The only second clock is the
 * firmware's calendar, which is not handled in arch/. */
size_t arch_refclocks(const struct acpi_facts *acpi, struct refclock *clocks, size_t most)
{
    (void)acpi;
    (void)clocks;
    (void)most;
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
