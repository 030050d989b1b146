/* SPDX-License-Identifier: BSD-2-Clause */
/* The chase and build kernels on AArch64: core/kernels.h with bare instructions for hooks. */
#include "arch/arch.h"
#include "arch/aarch64/registers.h"

/* Marks a trace of executed instructions can be cut at (QEMU plugins): a move into the zero
 * register whose constant is the mark. It does nothing and stands outside every loop. */
#define CHASE_MARK(number) __asm__ volatile("movz xzr, #" #number : : : "memory")

static inline uint64_t chase_begin(void)
{
    uint64_t ticks = arch_ticks();

    CHASE_MARK(0x4301);
    return ticks;
}

static inline uint64_t chase_end(void)
{
    CHASE_MARK(0x4302);
    return arch_ticks();
}

/* Plain stores, in order and a whole line of them, which is what lets a core write the line without
 * reading it first; a single register has no store that goes past the caches. */
static inline void chase_store(uintptr_t address, uintptr_t value)
{
    *(volatile uintptr_t *)address = value;
}

/* Nothing in AArch64 counts what comes in between: EL3's own interrupts leave no trace here. */
#define KERNEL_LOAD(address)         (*(const volatile uintptr_t *)(address))
#define KERNEL_STORE(address, value) chase_store(address, value)
#define KERNEL_STORE_DRAIN()         registers_dsb_ish()
#define KERNEL_TICKS_BEGIN()         chase_begin()
#define KERNEL_TICKS_END()           chase_end()
#define KERNEL_DRAW_COST()           ((void)0)
#define KERNEL_DISTURBANCES()        0u

#include "core/kernels.h"

void arch_chase(const struct chase_plan *plan, uint64_t tick_hz, struct chase_result *result)
{
    kernel_chase(plan, tick_hz, result);
}

void arch_chain_build(void *arg, const struct window *w, uint64_t first, uint64_t end)
{
    kernel_build(arg, w, first, end);
}

void arch_draw_fill(void *arg, const struct window *w, uint64_t first, uint64_t end)
{
    kernel_fill(arg, w, first, end);
}

void arch_line_flush(const void *address)
{
    registers_dsb_ish();
    registers_dc_civac(address);
    registers_dsb_sy();
    registers_isb();
}

uint32_t arch_chains_cycle_max(void)
{
    return 1;
}
