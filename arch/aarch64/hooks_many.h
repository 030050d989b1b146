/* SPDX-License-Identifier: BSD-2-Clause */
/* 8 to 24 chains on AArch64, more than compilers can keep in registers. Chain k is in the k-th
 * register of the list (X18 is the platform's), the loop counter in X28; X25 to X27 hold everything
 * else, so that no loop touches the stack. */
#ifndef ARCH_AARCH64_HOOKS_MANY_H
#define ARCH_AARCH64_HOOKS_MANY_H

#include <stdint.h>

#define HOOK_MANY_MAX     24
#define INSTRUCTION_BYTES 4

#define MANY_LIST_8(what)                                                                    \
    what(0, x0) what(8, x1) what(16, x2) what(24, x3) what(32, x4) what(40, x5) what(48, x6) \
        what(56, x7)
#define MANY_LIST_9(what)  MANY_LIST_8(what) what(64, x8)
#define MANY_LIST_10(what) MANY_LIST_9(what) what(72, x9)
#define MANY_LIST_11(what) MANY_LIST_10(what) what(80, x10)
#define MANY_LIST_12(what) MANY_LIST_11(what) what(88, x11)
#define MANY_LIST_13(what) MANY_LIST_12(what) what(96, x12)
#define MANY_LIST_14(what) MANY_LIST_13(what) what(104, x13)
#define MANY_LIST_15(what) MANY_LIST_14(what) what(112, x14)
#define MANY_LIST_16(what) MANY_LIST_15(what) what(120, x15)
#define MANY_LIST_17(what) MANY_LIST_16(what) what(128, x16)
#define MANY_LIST_18(what) MANY_LIST_17(what) what(136, x17)
#define MANY_LIST_19(what) MANY_LIST_18(what) what(144, x19)
#define MANY_LIST_20(what) MANY_LIST_19(what) what(152, x20)
#define MANY_LIST_21(what) MANY_LIST_20(what) what(160, x21)
#define MANY_LIST_22(what) MANY_LIST_21(what) what(168, x22)
#define MANY_LIST_23(what) MANY_LIST_22(what) what(176, x23)
#define MANY_LIST_24(what) MANY_LIST_23(what) what(184, x24)

#define MANY_IN(offset, name)  "ldr " #name ", [x25, #" #offset "]\n\t"
#define MANY_HOP(offset, name) "ldr " #name ", [" #name "]\n\t"
#define MANY_OUT(offset, name) "str " #name ", [x25, #" #offset "]\n\t"

struct hook_many {
    uintptr_t *next;
    uint64_t rounds;     /* of the unrolled loop; the first one may be partial */
    uint64_t skip_bytes; /* instructions that the first round skips, in bytes */
    uint64_t chains;
};

/* Hops per round of the unrolled loop: more than 32 loads in total. */
static inline uint32_t hook_many_unroll(uint32_t chains)
{
    return chains == 8 ? 8 : chains <= 16 ? 4 : 2;
}

/* The loops for one number of chains. */
#define MANY_LOOPS(chains, unroll)                                               \
    "cmp x27, #" #chains "\n\t"                                                  \
    "b.ne 5f\n\t"                                                                \
    "adr x27, 1f\n\t"                                                            \
    "add x27, x27, x26\n\t"                                                      \
    "br x27\n\t"                                                                 \
    ".p2align 5\n"                                                               \
    "1:\n\t"                                                                     \
    ".rept " #unroll "\n\t" MANY_LIST_##chains(MANY_HOP) ".endr\n\t"             \
                                                         "subs x28, x28, #1\n\t" \
                                                         "b.ne 1b\n\t"           \
                                                         "b 9f\n"                \
                                                         "5:\n\t"

/* Makes `hops` hops of each of `chains` chains (8 .. HOOK_MANY_MAX). at[HOOK_MANY_MAX] holds their
 * cursors and is updated; unused entries are unchanged. The marks are directly around the loops. */
static inline void hook_many(uintptr_t *next, uint32_t chains, uint64_t hops)
{
    uint32_t unroll = hook_many_unroll(chains);
    uint64_t rounds = (hops + unroll - 1) / unroll, skipped = rounds * unroll - hops;
    struct hook_many many = {next, rounds, skipped * chains * INSTRUCTION_BYTES, chains};
    register struct hook_many *x27 __asm__("x27") = &many;

    /* One line per number of chains. */
    /* clang-format off */
    __asm__ volatile("ldp x25, x28, [x27]\n\t"
                     "ldp x26, x27, [x27, #16]\n\t"
                     MANY_LIST_24(MANY_IN)
                     "movz xzr, #0x4301\n\t"
                     "cbz x28, 9f\n\t"
                     MANY_LOOPS(8, 8)
                     MANY_LOOPS(9, 4)
                     MANY_LOOPS(10, 4)
                     MANY_LOOPS(11, 4)
                     MANY_LOOPS(12, 4)
                     MANY_LOOPS(13, 4)
                     MANY_LOOPS(14, 4)
                     MANY_LOOPS(15, 4)
                     MANY_LOOPS(16, 4)
                     MANY_LOOPS(17, 2)
                     MANY_LOOPS(18, 2)
                     MANY_LOOPS(19, 2)
                     MANY_LOOPS(20, 2)
                     MANY_LOOPS(21, 2)
                     MANY_LOOPS(22, 2)
                     MANY_LOOPS(23, 2)
                     MANY_LOOPS(24, 2)
                     "9:\n\t"
                     "movz xzr, #0x4302\n\t"
                     MANY_LIST_24(MANY_OUT)
                     : "+r"(x27)
                     :
                     : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11",
                       "x12", "x13", "x14", "x15", "x16", "x17", "x19", "x20", "x21", "x22", "x23",
                       "x24", "x25", "x26", "x28", "cc", "memory");
    /* clang-format on */
}

#endif
