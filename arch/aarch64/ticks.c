/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the generic timer, in order with the loads around it. */
#include "arch/aarch64/ticks.h"

#include "arch/aarch64/level.h"
#include "arch/aarch64/registers.h"
#include "arch/arch.h"

static bool counter_known;
static enum clock_counter counter;

struct clock_snapshot ticks_registers(void)
{
    return (struct clock_snapshot){.level = level_now(),
                                   .cntfrq = registers_cntfrq_el0(),
                                   .mmfr0 = registers_id_aa64mmfr0_el1()};
}

void ticks_counter(enum clock_counter best)
{
    counter = best;
    counter_known = true;
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
        struct clock_snapshot snapshot = ticks_registers();
        ticks_counter(clock_counter_for(&snapshot));
    }
    registers_dsb_nshld();
    registers_isb();
    ticks = counter_read();
    registers_isb();
    return ticks;
}
