/* SPDX-License-Identifier: BSD-2-Clause */
/* x86-64 hooks of core/chase/kernels.h that are unprivileged instructions, for the firmware machine
 * (chase.c) and for a process on Linux. The including file adds the clock of samples
 * (KERNEL_TICKS_BEGIN and _END) and KERNEL_DISTURBANCES, then includes core/chase/kernels.h.
 * Instructions: Intel SDM volume 2. */
#ifndef ARCH_X86_64_HOOKS_H
#define ARCH_X86_64_HOOKS_H

#include <stdint.h>

#include "arch/x86_64/hooks_many.h"
#include "arch/x86_64/registers.h"
#include "core/chase/march.h"
#include "core/machine.h"

/* Marks for cutting instruction traces (QEMU plugins, Intel SDE): a long NOP whose displacement is
 * the mark's number. Outside every loop. */
#define HOOK_MARK(number) __asm__ volatile("nopl " #number "(%%rax)" : : : "memory")

/* Bit n: enum chase_load n is supported. MOVNTDQA needs SSE4.1 (CPUID 1, ECX bit 19); CLFLUSH
 * exists on every x86-64 CPU. */
static inline uint32_t hook_loads(void)
{
    bool sse41 = (registers_cpuid(1, 0).ecx >> 19 & 1) != 0;

    return 1u << LOAD_PLAIN | 1u << LOAD_FLUSH | 1u << LOAD_DIRTY | (sse41 ? 1u << LOAD_NT : 0);
}

/* The clock for single hops; inline, because a call would write to the stack. No load moves across
 * it on any CPU: LFENCE waits for earlier loads, and on CPUs where it does not block later
 * instructions (AMD unless configured: APM volume 2, Fn8000_0021 EAX bit 2) MFENCE does
 * (tsc_fence_needed). Both are always executed: their cost is measured and subtracted. */
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

/* MOVNTDQA reads 16 aligned bytes. A branch selects the half; it always goes the same way if nodes
 * are 16 bytes apart, so nothing waits for it. Moving the word out of the vector register is part
 * of the hop. */
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

/* The first MFENCE completes earlier stores to the line, the second waits for the flush. */
static inline void hook_flush(const void *address)
{
    __asm__ volatile("mfence\n\tclflush %0\n\tmfence" : : "m"(*(const char *)address) : "memory");
}

/* Non-temporal: a full line of these stores is written to memory in one piece (SDM volume 1,
 * section 10.4.6.2), without reading the line or leaving it cached. */
static inline void hook_store(uintptr_t address, uintptr_t value)
{
    __asm__ volatile("movnti %1, %0" : "=m"(*(uintptr_t *)address) : "r"(value));
}

/* A non-temporal store of 16 bytes takes no longer than one of 8: 1 GiB took 49 ms with these and
 * 100 ms with those (EPYC guest, Zen 5 class). */
static inline void hook_store_vector(uintptr_t address, march_pair pair)
{
    __asm__ volatile("movntdq %1, %0" : "=m"(*(march_pair *)address) : "x"(pair));
}

static inline void hook_store_drain(void)
{
    __asm__ volatile("sfence" : : : "memory");
}

/* Work: dependent additions of a register to itself, one cycle each on every 64-bit CPU (newer
 * cores fold additions of a constant at rename). The sequence has 128 of them; it is entered as
 * many instructions before its end as cycles remain, and repeated for every 128 cycles more.
 * Reached by jumps, because a call would write to the stack. EAX is the carry, R10 the cycles, R11
 * the return address; two vector registers save registers of the calling loop. */
__asm__(".pushsection .text\n"
        "hook_work_begin:\n\t"
        "movq %r11, %xmm1\n\t"
        "movd %r10d, %xmm2\n\t"
        "andl $127, %r10d\n\t"
        "addl %r10d, %r10d\n\t" /* bytes per addition */
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

/* The dependency chain continues from call to call, so the work of many hops takes the sum of its
 * cycles; the 14 instructions around it are independent of it. All branches go the same way every
 * time, up to about a thousand cycles. On an Intel core of 2023, rounds take their work's cycles to
 * within half a cycle for 8 and more, and 7 to 8 cycles for less; within 1 % from 100 on
 * (tests/host/test_kernels.c). */
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

/* Loads are not reordered with loads, nor stores with stores, nor a load with a later store (SDM
 * volume 3, section 9.2.2): plain moves do for all but the swap. */
static inline bool hook_swap(uintptr_t address, uint64_t expected, uint64_t desired)
{
    bool swapped;

    __asm__ volatile("lock cmpxchgq %3, %1\n\tsete %0"
                     : "=q"(swapped), "+m"(*(uint64_t *)address), "+a"(expected)
                     : "r"(desired)
                     : "memory", "cc");
    return swapped;
}

static inline void hook_store_shared(uintptr_t address, uint64_t value)
{
    __asm__ volatile("movq %1, %0" : "=m"(*(uint64_t *)address) : "r"(value) : "memory");
}

static inline uint64_t hook_load_shared(uintptr_t address)
{
    uint64_t value;

    __asm__ volatile("movq %1, %0" : "=r"(value) : "m"(*(const uint64_t *)address) : "memory");
    return value;
}

/* Between two looks at a line that another CPU has: each takes it away from that one. As many as
 * other programs pause for (multichase, pingpong -r). */
static inline void hook_spin(void)
{
    __asm__ volatile("pause\n\tpause\n\tpause\n\tpause\n\tpause\n\tpause\n\tpause\n\tpause\n\t"
                     "pause\n\tpause"
                     :
                     :
                     : "memory");
}

/* Also with interrupts masked a store to the line ends it (SDM volume 2, MONITOR, MWAIT; APM volume
 * 3, MONITOR, MWAIT). The word is read again once the line is watched: a store before that would
 * wake nobody. Hint 0 is C1, as HLT has it. */
static inline void hook_park(const uint32_t *word)
{
    __asm__ volatile("monitor" : : "a"(word), "c"(0), "d"(0) : "memory");
    if (__atomic_load_n(word, __ATOMIC_RELAXED) == 0)
        __asm__ volatile("mwait" : : "a"(0), "c"(0) : "memory");
}

#define HOOK_PREFETCH(instruction, address) \
    __asm__ volatile(instruction " %0" : : "m"(*(const char *)(address)))

#define KERNEL_LOAD(chain, address)             (*(const volatile uintptr_t *)(address))
#define KERNEL_LOAD_NT(chain, address)          hook_load_nt(address)
#define KERNEL_LOAD_FREE(address)               ((void)*(const volatile uintptr_t *)(address))
#define KERNEL_HINT_NTA(chain, address)         HOOK_PREFETCH("prefetchnta", address)
#define KERNEL_HINT_T0(chain, address)          HOOK_PREFETCH("prefetcht0", address)
#define KERNEL_HINT_T1(chain, address)          HOOK_PREFETCH("prefetcht1", address)
#define KERNEL_HINT_T2(chain, address)          HOOK_PREFETCH("prefetcht2", address)
#define KERNEL_FLUSH(address)                   hook_flush((const void *)(address))
#define KERNEL_DIRTY(chain, address, value)     ((void)(*(volatile uintptr_t *)(address) = (value)))
#define KERNEL_WORK(carry, cycles)              hook_work(carry, cycles)
#define KERNEL_WAIT(cycles)                     ((void)hook_work(0, cycles))
#define KERNEL_LOAD_SHARED(address)             hook_load_shared(address)
#define KERNEL_STORE_SHARED(address, value)     hook_store_shared(address, value)
#define KERNEL_SWAP(address, expected, desired) hook_swap(address, expected, desired)
#define KERNEL_SPIN()                           hook_spin()
#define KERNEL_PARK(word)                       hook_park(word)
#define KERNEL_STORE(address, value)            hook_store(address, value)
#define KERNEL_STORE_PAIR(address, first, second) \
    hook_store_vector(address, (march_pair){first, second})
#define KERNEL_STORE_PAIRS(address, first, second) \
    (hook_store_vector(address, first), hook_store_vector((address) + sizeof(march_pair), second))
/* A non-temporal store has evicted it (SDM volume 1, section 10.4.6.2). */
#define KERNEL_STORED_LINE(address)     ((void)(address))
#define KERNEL_STORE_DRAIN()            hook_store_drain()
#define KERNEL_WORD(address)            (*(const volatile uint64_t *)(address))
#define KERNEL_PAIR(address)            (*(const volatile march_pair *)(address))
#define KERNEL_TICKS()                  hook_ticks()
#define KERNEL_TICKS_FREE()             registers_tsc()
#define KERNEL_HOLD(variable)           __asm__ volatile("" : "+r"(variable))
#define KERNEL_DRAW_COST()              ((void)0)
#define KERNEL_MANY(next, chains, hops) hook_many(next, chains, hops)
#define KERNEL_MARK_BEGIN()             HOOK_MARK(0x42430001)
#define KERNEL_MARK_END()               HOOK_MARK(0x42430002)

#endif
