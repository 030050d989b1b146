/* SPDX-License-Identifier: BSD-2-Clause */
/* Hand-written loops that the kernels are held against. Each is
 * void bench_...(uintptr_t at[], uint64_t rounds, uint64_t argument): at[] is where the chains
 * stand, before and after; a round is BENCH_ROUND hops of each (bench.h). */

#define REGISTERS rax, rbx, rdx, rsi, rbp, r8, r9, r10, r11, r12, r13, r14, r15, rdi
#define COUNTS 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14

        .macro  take register
        mov     8 * chain(%rdi), %\register
        .endm
        .macro  hop register
        mov     (%\register), %\register
        .endm
        .macro  put register
        mov     %\register, 8 * chain(%rcx)
        .endm

        .macro  enter name
        .globl  \name
        .type   \name, @function
        .p2align 6
\name:
        push    %rbx
        push    %rbp
        push    %r12
        push    %r13
        push    %r14
        push    %r15
        push    %rdi
        mov     %rsi, %rcx
        .endm
        .macro  leave_with chains
        pop     %rcx
        each    \chains, put
        pop     %r15
        pop     %r14
        pop     %r13
        pop     %r12
        pop     %rbp
        pop     %rbx
        ret
        .endm

        .macro  take_argument
        mov     %rdx, %r8
        .endm
        .macro  again
        dec     %rcx
        jnz     1b
        .endm

#include "tests/bench/loops_shared.S"

        .macro  hop_nt
        movntdqa (%rax), %xmm0
        movq    %xmm0, %rax
        .endm
        .macro  hop_dirty
        mov     (%rax), %rdx
        mov     %rdx, 8(%rax)
        mov     %rdx, %rax
        .endm
        .macro  hop_hint hint
        mov     (%rax), %rax
        \hint   (%rax)
        .endm
        /* One of %r8 lines from at[1] on, drawn by the word at %rax and a generator's state. */
        .macro  hop_draw
        imul    %r11, %r10
        add     %r12, %r10
        mov     (%rax), %rax
        add     %r10, %rax
        mul     %r8
        shl     $6, %rdx
        lea     (%r9, %rdx), %rax
        .endm

        special bench_nt, hop_nt
        special bench_dirty, hop_dirty
        special bench_hint_nta, hop_hint prefetchnta
        special bench_hint_t0, hop_hint prefetcht0
        special bench_hint_t1, hop_hint prefetcht1
        special bench_hint_t2, hop_hint prefetcht2

        enter   bench_draw
        mov     %rdx, %r8
        mov     8(%rdi), %r9
        mov     $1, %r10
        movabs  $6364136223846793005, %r11
        movabs  $1442695040888963407, %r12
        mov     (%rdi), %rax
        rounds  bench_draw, 1, hop_draw

/* void bench_stream(void *to, uint64_t lines): whole lines of 64 bytes past the caches. */
        .globl  bench_stream
        .type   bench_stream, @function
        .p2align 6
bench_stream:
        movq    %rdi, %xmm0
        punpcklqdq %xmm0, %xmm0
1:      movntdq %xmm0, (%rdi)
        movntdq %xmm0, 16(%rdi)
        movntdq %xmm0, 32(%rdi)
        movntdq %xmm0, 48(%rdi)
        add     $64, %rdi
        dec     %rsi
        jnz     1b
        sfence
        ret
        .size   bench_stream, . - bench_stream
