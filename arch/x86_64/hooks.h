/* SPDX-License-Identifier: BSD-2-Clause */
/* The hooks of core/chase/kernels.h that are instructions any program may execute, on x86-64: for
 * the firmware machine (chase.c) and for a process on Linux alike. Whoever includes this adds the
 * clock of samples (KERNEL_TICKS_BEGIN and _END) and KERNEL_DISTURBANCES, then includes
 * core/chase/kernels.h. Instructions: Intel SDM volume 2. */
#ifndef ARCH_X86_64_HOOKS_H
#define ARCH_X86_64_HOOKS_H

#include <stdint.h>

#include "arch/x86_64/hooks_many.h"
#include "arch/x86_64/registers.h"
#include "core/machine.h"

/* Marks a trace of executed instructions can be cut at (QEMU plugins, Intel SDE): a long NOP whose
 * displacement is the mark. It does nothing and stands outside every loop. */
#define HOOK_MARK(number) __asm__ volatile("nopl " #number "(%%rax)" : : : "memory")

/* Bit n: enum chase_load n can be had on this CPU. MOVNTDQA is SSE4.1's (CPUID 1, ECX bit 19);
 * CLFLUSH is part of every x86-64. */
static inline uint32_t hook_loads(void)
{
    bool sse41 = (registers_cpuid(1, 0).ecx >> 19 & 1) != 0;

    return 1u << LOAD_PLAIN | 1u << LOAD_FLUSH | 1u << LOAD_DIRTY | (sse41 ? 1u << LOAD_NT : 0);
}

/* The clock for single hops, inline: a call would write to the stack. No load moves across on any
 * CPU: LFENCE waits for earlier loads, and where it does not keep later instructions from starting
 * (AMD, unless made to: APM volume 2, Fn8000_0021 EAX bit 2), MFENCE does (tsc_fence_needed). Which
 * is needed is not asked here: what the fences take is measured and taken off. */
static inline uint64_t hook_ticks(void)
{
    uint64_t ticks;

    registers_mfence();
    registers_lfence();
    ticks = registers_tsc();
    registers_mfence();
    registers_lfence();
    return ticks;
}

/* MOVNTDQA reads 16 aligned bytes: the wanted half is chosen by a branch that always goes the same
 * way as long as nodes are 16 bytes apart, so that nothing waits for the choice. Getting the word
 * out of the vector register is part of a hop. */
static inline uintptr_t hook_load_nt(uintptr_t address)
{
    uintptr_t value;

    if ((address & 8) != 0)
        __asm__ volatile("movntdqa -8(%1), %%xmm0\n\tpextrq $1, %%xmm0, %0"
                         : "=r"(value)
                         : "r"(address)
                         : "xmm0", "memory");
    else
        __asm__ volatile("movntdqa (%1), %%xmm0\n\tmovq %%xmm0, %0"
                         : "=r"(value)
                         : "r"(address)
                         : "xmm0", "memory");
    return value;
}

/* The first MFENCE lets earlier stores to the line go first, the second waits for the flush. */
static inline void hook_flush(const void *address)
{
    __asm__ volatile("mfence\n\tclflush %0\n\tmfence" : : "m"(*(const char *)address) : "memory");
}

/* Past the caches: a full line of these is written to memory in one piece (SDM volume 1,
 * section 10.4.6.2), so that building neither reads the line nor leaves it cached. */
static inline void hook_store(uintptr_t address, uintptr_t value)
{
    __asm__ volatile("movnti %1, %0" : "=m"(*(uintptr_t *)address) : "r"(value));
}

typedef uintptr_t hook_pair __attribute__((vector_size(16)));

static inline void hook_store_pair(uintptr_t address, uintptr_t first, uintptr_t second)
{
    hook_pair pair = {first, second};

    __asm__ volatile("movntdq %1, %0" : "=m"(*(hook_pair *)address) : "x"(pair));
}

static inline void hook_store_drain(void)
{
    __asm__ volatile("sfence" : : : "memory");
}

/* Work: additions of a register to itself, each waiting for the one before, one cycle each on every
 * 64-bit CPU (a constant's addition would not do: newer cores fold it while renaming). It is
 * entered so many instructions before its end, and taken again for every 128 cycles more. Jumped to
 * and back from, not called: a call would write to the stack. EAX carries on, R10 cycles, R11 the
 * way back; two vector registers, so that the loop around it need not give up more than these. */
__asm__(".pushsection .text\n"
        "hook_work_begin:\n\t"
        "movq %r11, %xmm1\n\t"
        "movd %r10d, %xmm2\n\t"
        "andl $127, %r10d\n\t"
        "addl %r10d, %r10d\n\t" /* bytes of an addition */
        "leaq 2f(%rip), %r11\n\t"
        "subq %r10, %r11\n\t"
        "jmp *%r11\n\t"
        ".p2align 5\n"
        "1:\n\t"
        ".rept 128\n\t"
        "addl %eax, %eax\n\t"
        ".endr\n"
        "2:\n\t"
        "movd %xmm2, %r10d\n\t"
        "subl $128, %r10d\n\t"
        "movd %r10d, %xmm2\n\t"
        "jnc 1b\n\t"
        "movq %xmm1, %r11\n\t"
        "jmp *%r11\n"
        ".popsection");

/* Between the additions and the next call's ones nothing breaks the dependence, so that the work of
 * many hops takes the sum of its cycles; around them stand 14 instructions that wait for nothing.
 * All branches go the same way every time up to a thousand cycles or so. On one Intel core of 2023
 * rounds take their work's cycles to within half a cycle from 8 on, and 7 to 8 with less; within 1
 * % from 100 on (tests/host/test_kernels.c). */
static inline uint32_t hook_work(uint32_t carry, uint32_t cycles)
{
    register uint32_t eax __asm__("eax") = carry;
    register uint32_t r10 __asm__("r10") = cycles;

    __asm__ volatile("leaq 1f(%%rip), %%r11\n\tjmp hook_work_begin\n1:"
                     : "+r"(eax), "+r"(r10)
                     :
                     : "r11", "xmm1", "xmm2", "cc");
    return eax;
}

#define HOOK_PREFETCH(instruction, address) \
    __asm__ volatile(instruction " %0" : : "m"(*(const char *)(address)))

#define KERNEL_LOAD(chain, address)               (*(const volatile uintptr_t *)(address))
#define KERNEL_LOAD_NT(chain, address)            hook_load_nt(address)
#define KERNEL_LOAD_FREE(address)                 ((void)*(const volatile uintptr_t *)(address))
#define KERNEL_HINT_NTA(chain, address)           HOOK_PREFETCH("prefetchnta", address)
#define KERNEL_HINT_T0(chain, address)            HOOK_PREFETCH("prefetcht0", address)
#define KERNEL_HINT_T1(chain, address)            HOOK_PREFETCH("prefetcht1", address)
#define KERNEL_HINT_T2(chain, address)            HOOK_PREFETCH("prefetcht2", address)
#define KERNEL_FLUSH(address)                     hook_flush((const void *)(address))
#define KERNEL_DIRTY(chain, address, value)       ((void)(*(volatile uintptr_t *)(address) = (value)))
#define KERNEL_WORK(carry, cycles)                hook_work(carry, cycles)
#define KERNEL_WAIT(cycles)                       ((void)hook_work(0, cycles))
#define KERNEL_STORE(address, value)              hook_store(address, value)
#define KERNEL_STORE_PAIR(address, first, second) hook_store_pair(address, first, second)
#define KERNEL_STORE_DRAIN()                      hook_store_drain()
#define KERNEL_TICKS()                            hook_ticks()
#define KERNEL_HOLD(variable)                     __asm__ volatile("" : "+r"(variable))
#define KERNEL_DRAW_COST()                        ((void)0)
#define KERNEL_MANY(at, chains, hops)             hook_many(at, chains, hops)
#define KERNEL_MARK_BEGIN()                       HOOK_MARK(0x42430001)
#define KERNEL_MARK_END()                         HOOK_MARK(0x42430002)

#endif
