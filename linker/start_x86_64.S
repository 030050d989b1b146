/* SPDX-License-Identifier: BSD-2-Clause */
/* Entry point: clears .bss, unpacks the data, applies the image's own relocations and calls
 *     EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
 * The firmware uses Microsoft's calling convention (arguments in rcx, rdx; rdi, rsi and xmm6-xmm15
 * are callee-saved), the program System V's (arguments in rdi, rsi; none of those are
 * callee-saved), so those registers are saved here. */

    .text
    .globl _start
    .hidden _start
    .type _start, @function
_start:
    endbr64
    pushq %rdi
    pushq %rsi
    subq $168, %rsp                     /* 10 registers of 16 bytes; realigns rsp to 16 */
    movups %xmm6, (%rsp)
    movups %xmm7, 16(%rsp)
    movups %xmm8, 32(%rsp)
    movups %xmm9, 48(%rsp)
    movups %xmm10, 64(%rsp)
    movups %xmm11, 80(%rsp)
    movups %xmm12, 96(%rsp)
    movups %xmm13, 112(%rsp)
    movups %xmm14, 128(%rsp)
    movups %xmm15, 144(%rsp)
    cld

    leaq bss_start(%rip), %r9
    leaq bss_end(%rip), %r10
    xorl %eax, %eax
0:  movq %rax, (%r9)
    addq $8, %r9
    cmpq %r10, %r9
    jb 0b

    /* Nothing has read .rodata or .data up to here. */
    pushq %rcx
    pushq %rdx
    leaq packed_start(%rip), %rdi
    leaq unpacked_start(%rip), %rsi
    leaq unpacked_end(%rip), %rdx
    call unpack_data
    popq %rdx
    popq %rcx
    testb %al, %al
    movabsq $0x8000000000000001, %rax   /* EFI_LOAD_ERROR: the file was damaged */
    jz 7f

    leaq image_base(%rip), %r8
    /* Packed relocations (DT_RELR, ELF gABI): an even entry is the offset of a word to relocate; an
     * odd one has a bit for each of the next 63 words. Addends stand in the words. */
    leaq relr_start(%rip), %r9
    leaq relr_end(%rip), %r10
1:  cmpq %r10, %r9
    jae 6f
    movq (%r9), %rax
    addq $8, %r9
    testb $1, %al
    jnz 2f
    leaq (%r8, %rax), %r11              /* r11: the next word */
    addq %r8, (%r11)
    addq $8, %r11
    jmp 1b
2:  movq %r11, %rdi
3:  shrq $1, %rax
    jz 5f
    testb $1, %al
    jz 4f
    addq %r8, (%rdi)
4:  addq $8, %rdi
    jmp 3b
5:  addq $(63 * 8), %r11
    jmp 1b

6:  movq %rcx, %rdi
    movq %rdx, %rsi
    call efi_main

7:  movups (%rsp), %xmm6
    movups 16(%rsp), %xmm7
    movups 32(%rsp), %xmm8
    movups 48(%rsp), %xmm9
    movups 64(%rsp), %xmm10
    movups 80(%rsp), %xmm11
    movups 96(%rsp), %xmm12
    movups 112(%rsp), %xmm13
    movups 128(%rsp), %xmm14
    movups 144(%rsp), %xmm15
    addq $168, %rsp
    popq %rsi
    popq %rdi
    ret
    .size _start, . - _start

    .section .note.GNU-stack, "", %progbits
