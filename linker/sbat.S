/* SPDX-License-Identifier: BSD-2-Clause */
/* Two sections that firmware reads: .reloc, one empty block, without which some loaders call an
 * image stripped of relocations and refuse to move it; and .sbat, by which shim revokes old
 * generations (https://github.com/rhboot/shim/blob/main/SBAT.md). The second line's generation is
 * raised when a version must no longer boot under Secure Boot. */
    .section .reloc, "a"
    .long 0, 12
    .short 0, 0

    .section .sbat, "a"
    .ascii "sbat,1,SBAT Version,sbat,1,https://github.com/rhboot/shim/blob/main/SBAT.md\n"
    .ascii "barechase,1,barechase,barechase,"
    .ascii BARECHASE_VERSION
    .ascii ",https://barechase.invalid/\n"

    .section .note.GNU-stack, "", %progbits
