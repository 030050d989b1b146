/* SPDX-License-Identifier: BSD-2-Clause */
/* 8 to 14 chains on x86-64, more than compilers can keep in registers. Chain k is in the k-th
 * register of the list, the loop counter in R15. Everything else is saved in vector registers, so
 * that no loop touches the stack. */
#ifndef ARCH_X86_64_HOOKS_MANY_H
#define ARCH_X86_64_HOOKS_MANY_H

#include <stdint.h>

#define HOOK_MANY_MAX 14

#define MANY_LIST_8(what)                                                             \
    what(0, rax) what(8, rbx) what(16, rcx) what(24, rdx) what(32, rsi) what(40, rdi) \
        what(48, rbp) what(56, r8)
#define MANY_LIST_9(what)  MANY_LIST_8(what) what(64, r9)
#define MANY_LIST_10(what) MANY_LIST_9(what) what(72, r10)
#define MANY_LIST_11(what) MANY_LIST_10(what) what(80, r11)
#define MANY_LIST_12(what) MANY_LIST_11(what) what(88, r12)
#define MANY_LIST_13(what) MANY_LIST_12(what) what(96, r13)
#define MANY_LIST_14(what) MANY_LIST_13(what) what(104, r14)

#define MANY_IN(offset, name)  "movq " #offset "(%%r15), %%" #name "\n\t"
#define MANY_HOP(offset, name) "movq (%%" #name "), %%" #name "\n\t"
#define MANY_OUT(offset, name) "movq %%" #name ", " #offset "(%%r15)\n\t"

struct hook_many {
    uintptr_t *next;
    uint64_t rounds, rest; /* hops = rounds of the unrolled loop + rest */
    uint64_t chains;
};

/* Hops per round of the unrolled loop: more than 32 loads in total. */
static inline uint32_t hook_many_unroll(uint32_t chains)
{
    return chains == 8 ? 8 : 4;
}

/* The loops for one number of chains. */
#define MANY_LOOPS(chains, unroll)                                                             \
    "cmpl $" #chains ", %%r15d\n\t"                                                            \
    "jne 5f\n\t"                                                                               \
    "movq %%xmm1, %%r15\n\t"                                                                   \
    "testq %%r15, %%r15\n\t"                                                                   \
    "jz 2f\n\t"                                                                                \
    ".p2align 5\n"                                                                             \
    "1:\n\t"                                                                                   \
    ".rept " #unroll                                                                           \
    "\n\t" MANY_LIST_##chains(MANY_HOP) ".endr\n\t"                                            \
                                        "decq %%r15\n\t"                                       \
                                        "jnz 1b\n"                                             \
                                        "2:\n\t"                                               \
                                        "movq %%xmm2, %%r15\n\t"                               \
                                        "testq %%r15, %%r15\n\t"                               \
                                        "jz 9f\n"                                              \
                                        "3:\n\t" MANY_LIST_##chains(MANY_HOP) "decq %%r15\n\t" \
                                                                              "jnz 3b\n\t"     \
                                                                              "jmp 9f\n"       \
                                                                              "5:\n\t"

/* Makes `hops` hops of each of `chains` chains (8 .. HOOK_MANY_MAX). at[HOOK_MANY_MAX] holds their
 * cursors and is updated; unused entries are unchanged. The marks are directly around the loops. */
static inline void hook_many(uintptr_t *next, uint32_t chains, uint64_t hops)
{
    uint32_t unroll = hook_many_unroll(chains);
    struct hook_many many = {next, hops / unroll, hops % unroll, chains};
    register struct hook_many *r15 __asm__("r15") = &many;

    /* One line per number of chains. */
    /* clang-format off */
    __asm__ volatile("movq %%r15, %%xmm0\n\t"
                     "movq 8(%%r15), %%xmm1\n\t"
                     "movq 16(%%r15), %%xmm2\n\t"
                     "movq 24(%%r15), %%xmm3\n\t"
                     "movq (%%r15), %%r15\n\t"
                     MANY_LIST_14(MANY_IN)
                     "movq %%xmm3, %%r15\n\t"
                     "nopl 0x42430001(%%rax)\n\t"
                     MANY_LOOPS(8, 8)
                     MANY_LOOPS(9, 4)
                     MANY_LOOPS(10, 4)
                     MANY_LOOPS(11, 4)
                     MANY_LOOPS(12, 4)
                     MANY_LOOPS(13, 4)
                     MANY_LOOPS(14, 4)
                     "9:\n\t"
                     "nopl 0x42430002(%%rax)\n\t"
                     "movq %%xmm0, %%r15\n\t"
                     "movq (%%r15), %%r15\n\t"
                     MANY_LIST_14(MANY_OUT)
                     : "+r"(r15)
                     :
                     : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "r8", "r9", "r10", "r11",
                       "r12", "r13", "r14", "xmm0", "xmm1", "xmm2", "xmm3", "cc", "memory");
    /* clang-format on */
}

#endif
