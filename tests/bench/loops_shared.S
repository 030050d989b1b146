/* SPDX-License-Identifier: BSD-2-Clause */
/* What the hand-written loops of every architecture have in common. Before this is included there
 * are REGISTERS, one a chain, COUNTS, of chains from 1 up to as many, and macros: take, hop, put (a
 * chain's register from at[], one hop on, back to at[]), enter, leave_with (a function's two ends),
 * take_argument (to where the hops of one chain want it), again (a round less, and back to 1). */

        .set    ROUND, 64

        .macro  each chains, action
        .set    chain, 0
        .irp    register, REGISTERS
        .if     chain < \chains
        \action \register
        .endif
        .set    chain, chain + 1
        .endr
        .endm

        /* Rounds of a body, and a function's end; the chains have been taken. */
        .macro  rounds name, chains, body:vararg
        .p2align 6
1:      .rept   ROUND
        \body
        .endr
        again
        leave_with \chains
        .size   \name, . - \name
        .endm

        .macro  plain chains
        enter   bench_plain_\chains
        each    \chains, take
        rounds  bench_plain_\chains, \chains, each \chains, hop
        .endm

        /* One chain whose hops do more: `body` brings the first register forward. */
        .macro  special name, body:vararg
        enter   \name
        take_argument
        each    1, take
        rounds  \name, 1, \body
        .endm

        .text
        .irp    chains, COUNTS
        plain   \chains
        .endr

        .section .data.rel.ro, "aw"
        .globl  bench_plain
        .p2align 3
bench_plain:
        .irp    chains, COUNTS
        .quad   bench_plain_\chains
        .endr
        .quad   0

        .section .note.GNU-stack, "", %progbits
        .text
