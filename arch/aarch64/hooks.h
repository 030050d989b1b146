/* SPDX-License-Identifier: BSD-2-Clause */
/* The hooks of core/chase/kernels.h that are instructions any program may execute, on AArch64: for
 * the firmware machine (chase.c) and for a process on Linux alike. Whoever includes this adds the
 * clock of samples (KERNEL_TICKS_BEGIN and _END) and KERNEL_DISTURBANCES, then includes
 * core/chase/kernels.h. Instructions: Arm ARM (DDI 0487), chapter C6. */
#ifndef ARCH_AARCH64_HOOKS_H
#define ARCH_AARCH64_HOOKS_H

#include <stdint.h>

#include "arch/aarch64/hooks_many.h"
#include "arch/aarch64/registers.h"
#include "core/machine.h"

/* Marks a trace of executed instructions can be cut at (QEMU plugins): a move into the zero
 * register whose constant is the mark. It does nothing and stands outside every loop. */
#define HOOK_MARK(number) __asm__ volatile("movz xzr, #" #number : : : "memory")

/* Bit n: enum chase_load n can be had on this CPU. A process may clean and invalidate lines where
 * SCTLR_EL1.UCI says so, as Linux sets it. */
static inline uint32_t hook_loads(void)
{
    return 1u << LOAD_PLAIN | 1u << LOAD_NT | 1u << LOAD_FLUSH | 1u << LOAD_DIRTY;
}

/* The clock for single hops, inline: a call might write to the stack. The virtual counter: it may
 * be another one than arch_ticks reads, but all of them step together. The DSB waits for earlier
 * loads, which an ISB alone need not; the ISBs keep the reading behind it and later loads behind
 * the reading. */
static inline uint64_t hook_ticks(void)
{
    uint64_t ticks;

    registers_dsb_nshld();
    registers_isb();
    ticks = registers_cntvct_el0();
    registers_isb();
    return ticks;
}

/* LDNP reads two words: the other one is that of the same 16 aligned bytes, so that it never lies
 * in another line. The branch always goes the same way as long as nodes are 16 bytes apart, so that
 * nothing waits for the choice. */
static inline uintptr_t hook_load_nt(uintptr_t address)
{
    uintptr_t value, other;

    if ((address & 8) != 0)
        __asm__ volatile("ldnp %1, %0, [%2, #-8]"
                         : "=&r"(value), "=&r"(other)
                         : "r"(address)
                         : "memory");
    else
        __asm__ volatile("ldnp %0, %1, [%2]"
                         : "=&r"(value), "=&r"(other)
                         : "r"(address)
                         : "memory");
    return value;
}

/* The first DSB lets earlier accesses to the line go first, the second waits until the line is gone
 * to the point of coherency. */
static inline void hook_flush(const void *address)
{
    registers_dsb_ish();
    registers_dc_civac(address);
    registers_dsb_sy();
    registers_isb();
}

/* Work: additions of a register to itself, each waiting for the one before, one cycle each. It is
 * entered so many instructions before its end, and taken again for every 128 cycles more. X0
 * carries on, X1 cycles. */
__asm__(".pushsection .text\n"
        "hook_work_begin:\n\t"
        "and x10, x1, #127\n\t"
        "adr x9, 2f\n\t"
        "sub x9, x9, x10, lsl #2\n\t" /* bytes of an instruction */
        "lsr x10, x1, #7\n\t"
        "br x9\n\t"
        ".p2align 5\n"
        "1:\n\t"
        ".rept 128\n\t"
        "add w0, w0, w0\n\t"
        ".endr\n"
        "2:\n\t"
        "subs x10, x10, #1\n\t"
        "b.hs 1b\n\t"
        "ret\n"
        ".popsection");

/* Between the additions and the next call's ones nothing breaks the dependence, so that the work of
 * many hops takes the sum of its cycles; around them stand 9 instructions that wait for nothing.
 * All branches go the same way every time up to a thousand cycles or so. How exact that is has not
 * been measured on any core (unverified). */
static inline uint32_t hook_work(uint32_t carry, uint32_t cycles)
{
    register uint32_t w0 __asm__("w0") = carry;
    register uint64_t x1 __asm__("x1") = cycles;

    __asm__ volatile("bl hook_work_begin" : "+r"(w0) : "r"(x1) : "x9", "x10", "x30", "cc");
    return w0;
}

/* PRFM is a hint in the Arm ARM: which caches a core fills is its own affair. */
#define HOOK_PREFETCH(operation, address) \
    __asm__ volatile("prfm " operation ", [%0]" : : "r"(address))

/* With the hint that the line will not be used again, in order and a whole line of them, which is
 * what lets a core write the line without reading it first (Arm ARM C3.2.4: load/store
 * non-temporal pair). */
static inline void hook_store_pair(uintptr_t address, uintptr_t first, uintptr_t second)
{
    __asm__ volatile("stnp %1, %2, [%3]"
                     : "=m"(*(uintptr_t(*)[2])address)
                     : "r"(first), "r"(second), "r"(address));
}

#define KERNEL_LOAD(chain, address)         (*(const volatile uintptr_t *)(address))
#define KERNEL_LOAD_NT(chain, address)      hook_load_nt(address)
#define KERNEL_LOAD_FREE(address)           ((void)*(const volatile uintptr_t *)(address))
#define KERNEL_HINT_NTA(chain, address)     HOOK_PREFETCH("pldl1strm", address)
#define KERNEL_HINT_T0(chain, address)      HOOK_PREFETCH("pldl1keep", address)
#define KERNEL_HINT_T1(chain, address)      HOOK_PREFETCH("pldl2keep", address)
#define KERNEL_HINT_T2(chain, address)      HOOK_PREFETCH("pldl3keep", address)
#define KERNEL_FLUSH(address)               hook_flush((const void *)(address))
#define KERNEL_DIRTY(chain, address, value) ((void)(*(volatile uintptr_t *)(address) = (value)))
#define KERNEL_WORK(carry, cycles)          hook_work(carry, cycles)
#define KERNEL_WAIT(cycles)                 ((void)hook_work(0, cycles))
/* A single register has no store that goes past the caches. */
#define KERNEL_STORE(address, value)              ((void)(*(volatile uintptr_t *)(address) = (value)))
#define KERNEL_STORE_PAIR(address, first, second) hook_store_pair(address, first, second)
#define KERNEL_STORE_DRAIN()                      registers_dsb_ish()
#define KERNEL_TICKS()                            hook_ticks()
#define KERNEL_HOLD(variable)                     __asm__ volatile("" : "+r"(variable))
#define KERNEL_DRAW_COST()                        ((void)0)
#define KERNEL_MANY(at, chains, hops)             hook_many(at, chains, hops)
#define KERNEL_MARK_BEGIN()                       HOOK_MARK(0x4301)
#define KERNEL_MARK_END()                         HOOK_MARK(0x4302)

#endif
