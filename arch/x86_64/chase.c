/* SPDX-License-Identifier: BSD-2-Clause */
/* The chase and build kernels on x86-64: core/kernels.h with bare instructions for hooks. */
#include "arch/arch.h"
#include "arch/x86_64/disturbance.h"

/* Marks a trace of executed instructions can be cut at (QEMU plugins, Intel SDE): a long NOP whose
 * displacement is the mark. It does nothing and stands outside every loop. */
#define CHASE_MARK(number) __asm__ volatile("nopl " #number "(%%rax)" : : : "memory")

static inline uint64_t chase_begin(void)
{
    uint64_t ticks = arch_ticks();

    CHASE_MARK(0x42430001);
    return ticks;
}

static inline uint64_t chase_end(void)
{
    CHASE_MARK(0x42430002);
    return arch_ticks();
}

/* Past the caches: a full line of these is written to memory in one piece (SDM volume 1,
 * section 10.4.6.2), so that building neither reads the line nor leaves it cached. */
static inline void chase_store(uintptr_t address, uintptr_t value)
{
    __asm__ volatile("movnti %1, %0" : "=m"(*(uintptr_t *)address) : "r"(value));
}

static inline void chase_store_drain(void)
{
    __asm__ volatile("sfence" : : : "memory");
}

#define KERNEL_LOAD(address)         (*(const volatile uintptr_t *)(address))
#define KERNEL_STORE(address, value) chase_store(address, value)
#define KERNEL_STORE_DRAIN()         chase_store_drain()
#define KERNEL_TICKS_BEGIN()         chase_begin()
#define KERNEL_TICKS_END()           chase_end()
#define KERNEL_DRAW_COST()           ((void)0)
#define KERNEL_DISTURBANCES()        disturbance_count()

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
    __asm__ volatile("mfence\n\tclflush %0\n\tmfence" : : "m"(*(const char *)address) : "memory");
}

uint32_t arch_chains_cycle_max(void)
{
    return 1;
}
