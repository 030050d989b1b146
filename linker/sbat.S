/* SPDX-License-Identifier: BSD-2-Clause */
/* Two sections that loaders read. .reloc is one empty block: without it, some loaders regard the
 * image as stripped of relocations and refuse to relocate it. .sbat lets shim revoke old
 * generations (https://github.com/rhboot/shim/blob/main/SBAT.md); raise the second line's
 * generation when a version must no longer boot under Secure Boot. */
    .section .reloc, "a"
    .long 0, 12
    .short 0, 0

    .section .sbat, "a"
    .ascii "sbat,1,SBAT Version,sbat,1,https://github.com/rhboot/shim/blob/main/SBAT.md\n"
    .ascii "barechase,1,barechase,barechase,"
    .ascii BARECHASE_VERSION
    .ascii ",https://barechase.invalid/\n"

    .section .note.GNU-stack, "", %progbits
