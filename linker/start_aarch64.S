/* SPDX-License-Identifier: BSD-2-Clause */
/* Entry point: clears .bss, applies the image's own relocations and calls
 *     EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
 * Firmware and program use the same calling convention (AAPCS64). */
#define R_AARCH64_RELATIVE 1027
#define RELA_BYTES         24

    .text
    .globl _start
    .hidden _start
    .type _start, %function
_start:
    adrp x3, bss_start
    add x3, x3, :lo12:bss_start
    adrp x4, bss_end
    add x4, x4, :lo12:bss_end
0:  stp xzr, xzr, [x3], #16
    cmp x3, x4
    b.lo 0b

    adrp x2, image_base
    add x2, x2, :lo12:image_base
    adrp x3, rela_start
    add x3, x3, :lo12:rela_start
    adrp x4, rela_end
    add x4, x4, :lo12:rela_end
1:  cmp x3, x4
    b.hs efi_main
    ldp x5, x6, [x3]                    /* Elf64_Rela: offset, type and symbol, addend */
    cmp w6, #R_AARCH64_RELATIVE
    b.ne 2f
    ldr x6, [x3, #16]
    add x6, x6, x2
    str x6, [x2, x5]
2:  add x3, x3, #RELA_BYTES
    b 1b
    .size _start, . - _start

    .section .note.GNU-stack, "", %progbits
