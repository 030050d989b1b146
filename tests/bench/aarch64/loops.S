/* SPDX-License-Identifier: BSD-2-Clause */
/* Hand-written loops that the kernels are held against. Each is
 * void bench_...(uintptr_t at[], uint64_t rounds, uint64_t argument): at[] is where the chains
 * stand, before and after; a round is BENCH_ROUND hops of each (bench.h). */

#define REGISTERS \
    x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, x16, x17, x19, x20, x21, \
    x22, x23, x24, x25, x26
#define COUNTS 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24

        .macro  take register
        ldr     \register, [x0, #8 * chain]
        .endm
        .macro  hop register
        ldr     \register, [\register]
        .endm
        .macro  put register
        str     \register, [x0, #8 * chain]
        .endm

        .macro  enter name
        .globl  \name
        .type   \name, %function
        .p2align 6
\name:
        stp     x19, x20, [sp, #-64]!
        stp     x21, x22, [sp, #16]
        stp     x23, x24, [sp, #32]
        stp     x25, x26, [sp, #48]
        .endm
        .macro  leave_with chains
        each    \chains, put
        ldp     x21, x22, [sp, #16]
        ldp     x23, x24, [sp, #32]
        ldp     x25, x26, [sp, #48]
        ldp     x19, x20, [sp], #64
        ret
        .endm

        .macro  take_argument
        mov     x3, x2
        .endm
        .macro  again
        subs    x1, x1, #1
        b.ne    1b
        .endm

#include "tests/bench/loops_shared.S"

        .macro  hop_nt
        ldnp    x2, x4, [x2]
        .endm
        .macro  hop_dirty
        ldr     x4, [x2]
        str     x4, [x2, #8]
        mov     x2, x4
        .endm
        .macro  hop_hint hint
        ldr     x2, [x2]
        prfm    \hint, [x2]
        .endm
        /* One of x3 lines from at[1] on, drawn by the word at x2 and a generator's state. */
        .macro  hop_draw
        madd    x5, x5, x6, x7
        ldr     x2, [x2]
        add     x2, x2, x5
        umulh   x2, x2, x3
        add     x2, x4, x2, lsl #6
        .endm

        special bench_nt, hop_nt
        special bench_dirty, hop_dirty
        special bench_hint_nta, hop_hint pldl1strm
        special bench_hint_t0, hop_hint pldl1keep
        special bench_hint_t1, hop_hint pldl2keep
        special bench_hint_t2, hop_hint pldl3keep

        enter   bench_draw
        mov     x3, x2
        ldr     x4, [x0, #8]
        mov     x5, #1
        ldr     x6, =6364136223846793005
        ldr     x7, =1442695040888963407
        ldr     x2, [x0]
        rounds  bench_draw, 1, hop_draw
        .ltorg

/* void bench_stream(void *to, uint64_t lines): whole lines of 64 bytes past the caches. */
        .globl  bench_stream
        .type   bench_stream, %function
        .p2align 6
bench_stream:
        dup     v0.2d, x0
1:      stnp    q0, q0, [x0]
        stnp    q0, q0, [x0, #32]
        add     x0, x0, #64
        subs    x1, x1, #1
        b.ne    1b
        dsb     sy
        ret
        .size   bench_stream, . - bench_stream
