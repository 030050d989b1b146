/* SPDX-License-Identifier: BSD-2-Clause */
/* Entry point: clears .bss, unpacks the data, applies the image's own relocations and calls
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

    /* Nothing has read .rodata or .data up to here. */
    stp x29, x30, [sp, #-32]!
    mov x29, sp
    stp x0, x1, [sp, #16]
    adrp x0, packed_start
    add x0, x0, :lo12:packed_start
    adrp x1, unpacked_start
    add x1, x1, :lo12:unpacked_start
    adrp x2, unpacked_end
    add x2, x2, :lo12:unpacked_end
    bl unpack_data
    mov w9, w0
    ldp x0, x1, [sp, #16]
    ldp x29, x30, [sp], #32
    tbz w9, #0, 6f

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
6:  mov x0, #1                          /* EFI_LOAD_ERROR: the file was damaged */
    orr x0, x0, #(1 << 63)
    ret
    .size _start, . - _start

    .section .note.GNU-stack, "", %progbits
