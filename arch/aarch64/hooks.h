/* SPDX-License-Identifier: BSD-2-Clause */
/* AArch64 hooks of core/chase/kernels.h that are unprivileged instructions, for the firmware
 * machine (chase.c) and for a process on Linux. The including file adds the clock of samples
 * (KERNEL_TICKS_BEGIN and _END) and KERNEL_DISTURBANCES, then includes core/chase/kernels.h.
 * Instructions: Arm ARM (DDI 0487), chapter C6. */
#ifndef ARCH_AARCH64_HOOKS_H
#define ARCH_AARCH64_HOOKS_H

#include <stdint.h>

#include "arch/aarch64/hooks_many.h"
#include "arch/aarch64/registers.h"
#include "core/chase/march.h"
#include "core/machine.h"

/* Marks for cutting instruction traces (QEMU plugins): a move to the zero register whose constant
 * is the mark's number. Outside every loop. */
#define HOOK_MARK(number) __asm__ volatile("movz xzr, #" #number : : : "memory")

/* Bit n: enum chase_load n is supported. A process may clean and invalidate lines if SCTLR_EL1.UCI
 * is set, as Linux does. */
static inline uint32_t hook_loads(void)
{
    return 1u << LOAD_PLAIN | 1u << LOAD_NT | 1u << LOAD_FLUSH | 1u << LOAD_DIRTY;
}

/* The clock for single hops; inline, because a call might write to the stack. It is the virtual
 * counter; arch_ticks may read another one, but all advance together. The DSB waits for earlier
 * loads, which an ISB alone does not; the ISBs keep the counter read after it, and later loads
 * after the counter read. */
static inline uint64_t hook_ticks(void)
{
    uint64_t ticks;

    registers_dsb_nshld();
    registers_isb();
    ticks = registers_cntvct_el0();
    registers_isb();
    return ticks;
}

/* LDNP reads two words: the aligned 16 bytes that contain the node's word, which are always in the
 * same line. The branch always goes the same way if nodes are 16 bytes apart, so nothing waits for
 * it. */
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

/* The first DSB completes earlier accesses to the line; the second waits until the line is written
 * back to the point of coherency. */
static inline void hook_flush(const void *address)
{
    registers_dsb_ish();
    registers_dc_civac(address);
    registers_dsb_sy();
    registers_isb();
}

/* Work: dependent additions of a register to itself, one cycle each. The sequence has 128 of them;
 * it is entered as many instructions before its end as cycles remain, and repeated for every 128
 * cycles more. X0 is the carry, X1 the cycles. */
__asm__(".pushsection .text\n"
        "hook_work_begin:\n\t"
        "and x10, x1, #127\n\t"
        "adr x9, 2f\n\t"
        "sub x9, x9, x10, lsl #2\n\t" /* bytes per instruction */
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

/* The dependency chain continues from call to call, so the work of many hops takes the sum of its
 * cycles; the 9 instructions around it are independent of it. All branches go the same way every
 * time, up to about a thousand cycles. The accuracy has not been measured on any core
 * (unverified). */
static inline uint32_t hook_work(uint32_t carry, uint32_t cycles)
{
    register uint32_t w0 __asm__("w0") = carry;
    register uint64_t x1 __asm__("x1") = cycles;

    __asm__ volatile("bl hook_work_begin" : "+r"(w0) : "r"(x1) : "x9", "x10", "x30", "cc");
    return w0;
}

/* PRFM is a hint in the Arm ARM: which caches it fills is up to the core. */
#define HOOK_PREFETCH(operation, address) \
    __asm__ volatile("prfm " operation ", [%0]" : : "r"(address))

/* Non-temporal pairs, in order and a whole line of them: this lets a core write the line without
 * reading it first (Arm ARM C3.2.4: load/store non-temporal pair). */
static inline void hook_store_pair(uintptr_t address, uintptr_t first, uintptr_t second)
{
    __asm__ volatile("stnp %1, %2, [%3]"
                     : "=m"(*(uintptr_t(*)[2])address)
                     : "r"(first), "r"(second), "r"(address));
}

static inline void hook_store_pairs(uintptr_t address, march_pair first, march_pair second)
{
    __asm__ volatile("stnp %q1, %q2, [%3]"
                     : "=m"(*(march_pair(*)[2])address)
                     : "w"(first), "w"(second), "r"(address));
}

/* Exclusive loads and stores, which every CPU has. They take the line as the atomic instructions of
 * Armv8.1 do where these are done in the caches. */
static inline bool hook_swap(uintptr_t address, uint64_t expected, uint64_t desired)
{
    uint64_t value;
    uint32_t failed;

    do {
        __asm__ volatile("ldaxr %0, [%1]" : "=r"(value) : "r"(address) : "memory");
        if (value != expected) {
            __asm__ volatile("clrex" : : : "memory");
            return false;
        }
        __asm__ volatile("stlxr %w0, %1, [%2]"
                         : "=&r"(failed)
                         : "r"(desired), "r"(address)
                         : "memory");
    } while (failed != 0);
    return true;
}

static inline void hook_store_shared(uintptr_t address, uint64_t value)
{
    __asm__ volatile("stlr %0, [%1]" : : "r"(value), "r"(address) : "memory");
}

/* A store to the word ends the exclusive access that LDXR began, which is an event for this CPU
 * (Arm ARM, WFE, and the exclusives monitors); a store before LDXR is seen by it. */
static inline void hook_park(const uint32_t *word)
{
    uint32_t value;

    __asm__ volatile("ldxr %w0, [%1]\n\tcbnz %w0, 1f\n\twfe\n1:"
                     : "=&r"(value)
                     : "r"(word)
                     : "memory");
}

static inline uint64_t hook_load_shared(uintptr_t address)
{
    uint64_t value;

    __asm__ volatile("ldar %0, [%1]" : "=r"(value) : "r"(address) : "memory");
    return value;
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
/* There is no non-temporal store of a single register. */
#define KERNEL_LOAD_SHARED(address)                hook_load_shared(address)
#define KERNEL_STORE_SHARED(address, value)        hook_store_shared(address, value)
#define KERNEL_SWAP(address, expected, desired)    hook_swap(address, expected, desired)
#define KERNEL_SPIN()                              ((void)0)
#define KERNEL_PARK(word)                          hook_park(word)
#define KERNEL_STORE(address, value)               ((void)(*(volatile uintptr_t *)(address) = (value)))
#define KERNEL_STORE_PAIR(address, first, second)  hook_store_pair(address, first, second)
#define KERNEL_STORE_PAIRS(address, first, second) hook_store_pairs(address, first, second)
/* In order with the stores to the line before it, and complete after a DSB (Arm ARM, chapter
 * D7: ordering and completion of data cache instructions). */
#define KERNEL_STORED_LINE(address)     registers_dc_civac((const void *)(address))
#define KERNEL_STORE_DRAIN()            registers_dsb_sy()
#define KERNEL_WORD(address)            (*(const volatile uint64_t *)(address))
#define KERNEL_PAIR(address)            (*(const volatile march_pair *)(address))
#define KERNEL_TICKS()                  hook_ticks()
#define KERNEL_TICKS_FREE()             registers_cntvct_el0()
#define KERNEL_HOLD(variable)           __asm__ volatile("" : "+r"(variable))
#define KERNEL_DRAW_COST()              ((void)0)
#define KERNEL_MANY(next, chains, hops) hook_many(next, chains, hops)
#define KERNEL_MARK_BEGIN()             HOOK_MARK(0x4301)
#define KERNEL_MARK_END()               HOOK_MARK(0x4302)

#endif
