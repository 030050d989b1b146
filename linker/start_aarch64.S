/* SPDX-License-Identifier: BSD-2-Clause */
/* Entry point: clears .bss, applies the image's own relocations and calls
 *     EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
 * Firmware and program use the same calling convention (AAPCS64). */

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
    /* Packed relocations (DT_RELR, ELF gABI): an even entry is the offset of a word to relocate; an
     * odd one has a bit for each of the next 63 words. Addends stand in the words. */
    adrp x3, relr_start
    add x3, x3, :lo12:relr_start
    adrp x4, relr_end
    add x4, x4, :lo12:relr_end
1:  cmp x3, x4
    b.hs efi_main
    ldr x5, [x3], #8
    tbnz x5, #0, 2f
    add x6, x5, x2                      /* x6: the next word */
    ldr x7, [x6]
    add x7, x7, x2
    str x7, [x6], #8
    b 1b
2:  mov x8, x6
3:  lsr x5, x5, #1
    cbz x5, 5f
    tbz x5, #0, 4f
    ldr x7, [x8]
    add x7, x7, x2
    str x7, [x8]
4:  add x8, x8, #8
    b 3b
5:  add x6, x6, #(63 * 8)
    b 1b
    .size _start, . - _start

    .section .note.GNU-stack, "", %progbits
