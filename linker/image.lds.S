/* SPDX-License-Identifier: BSD-2-Clause */
/* Lays out the PE image with the ELF linker: the PE headers are data in this script, so that
 * objcopy -O binary yields a finished image and no PE-aware tool is needed. Preprocessed with
 * MACHINE, the COFF machine number. Field names are those of the PE/COFF specification (rev. 11);
 * linker/check_image verifies the result. In memory every section begins at a multiple of 4 KiB, in
 * the file at one of 512 bytes, behind the one before: its address (RVA) is the linker's, its place
 * in the file the load address. The data are in the file as one LZMA stream, .packed, which pack_data
 * appends; start_<architecture>.S unpacks it into the PE's .bss, which is not in the file, and
 * begins with what .rodata, .relr and .data are here. What that costs: constants are writable, also
 * on firmware that would protect a section of their own. */

#define PAGE                 0x1000
#define SECTOR               0x200
#define HEADERS              0x400
#define CODE_READ_EXECUTE    0x60000020
#define DATA_READ            0x40000040
#define DATA_READ_WRITE      0xc0000040
#define DATA_READ_DISCARD    0x42000040
#define ZEROED_READ_WRITE    0xc0000080
#define DLL_NX_COMPAT        0x0100
#define SUBSYSTEM_EFI_APP    10
/* executable, no line numbers, no local symbols, large address aware, no debug data */
#define FILE_CHARACTERISTICS 0x022e

/* A section table entry; the name is two little-endian words. */
#define SECTION(name_low, name_high, memory_bytes, rva, file_bytes, file_offset, flags)            \
    LONG(name_low) LONG(name_high) LONG(memory_bytes) LONG(rva)                                    \
    LONG(file_bytes) LONG(file_offset) QUAD(0) LONG(0) LONG(flags)
/* The entry of a section that is not in the file. */
#define ZEROED(name_low, name_high, memory_bytes, rva, flags)                                      \
    LONG(name_low) LONG(name_high) LONG(memory_bytes) LONG(rva)                                    \
    LONG(0) LONG(0) QUAD(0) LONG(0) LONG(flags)

ENTRY(_start)

PHDRS
{
    head PT_LOAD FLAGS(4);
    text PT_LOAD FLAGS(5);
    rodata PT_LOAD FLAGS(4);
    data PT_LOAD FLAGS(6);
    reloc PT_LOAD FLAGS(4);
    sbat PT_LOAD FLAGS(4);
    zero PT_LOAD FLAGS(6);
    outside PT_LOAD FLAGS(4);
}

SECTIONS
{
    . = 0;
    .head : {
        image_base = .;
        /* DOS header: "MZ" and, at 0x3c, the offset of the PE header. */
        LONG(0x00005a4d) FILL(0) . = 0x3c; LONG(0x40)
        /* "PE\0\0", then the COFF header: machine, 5 sections, time stamp 0, no symbols. */
        LONG(0x00004550)
        SHORT(MACHINE) SHORT(5) LONG(0) LONG(0) LONG(0) SHORT(0xf0) SHORT(FILE_CHARACTERISTICS)
        /* Optional header, PE32+: linker version, sizes of code, of data, of zeroed data. */
        SHORT(0x20b) BYTE(2) BYTE(40)
        LONG(SIZEOF(.text)) LONG(file_end - LOADADDR(.reloc)) LONG(bss_end - ADDR(.rodata))
        LONG(_start) LONG(ADDR(.text))
        /* Image base, alignment in memory and in the file, versions. */
        QUAD(0) LONG(PAGE) LONG(SECTOR) LONG(0) LONG(0) LONG(0) LONG(0)
        /* Size of the image and of the headers, check sum, subsystem, DLL characteristics. */
        LONG(image_end) LONG(HEADERS) LONG(0) SHORT(SUBSYSTEM_EFI_APP) SHORT(DLL_NX_COMPAT)
        /* Stack and heap sizes, loader flags. */
        QUAD(0) QUAD(0) QUAD(0) QUAD(0) LONG(0)
        /* 16 data directories; the sixth is base relocation, the others are empty. */
        LONG(16)
        QUAD(0) QUAD(0) QUAD(0) QUAD(0) QUAD(0) LONG(ADDR(.reloc)) LONG(12)
        QUAD(0) QUAD(0) QUAD(0) QUAD(0) QUAD(0) QUAD(0) QUAD(0) QUAD(0) QUAD(0) QUAD(0)
        /* .text .reloc .sbat .bss .packed; pack_data fills in the last one's bytes in the file. */
        SECTION(0x7865742e, 0x74, SIZEOF(.text), ADDR(.text), SIZEOF(.text), LOADADDR(.text),
                CODE_READ_EXECUTE)
        SECTION(0x6c65722e, 0x636f, 12, ADDR(.reloc), SIZEOF(.reloc), LOADADDR(.reloc),
                DATA_READ_DISCARD)
        SECTION(0x6162732e, 0x74, sbat_end - ADDR(.sbat), ADDR(.sbat), SIZEOF(.sbat),
                LOADADDR(.sbat), DATA_READ)
        ZEROED(0x7373622e, 0, bss_end - ADDR(.rodata), ADDR(.rodata), ZEROED_READ_WRITE)
        SECTION(0x6361702e, 0x64656b, unpacked_end - unpacked_start, packed_start, 0, file_end,
                DATA_READ)
    } :head

    .text ALIGN(PAGE) : AT(HEADERS) { *(.text.first) *(.text .text.*) . = ALIGN(SECTOR); } :text

    .reloc ALIGN(PAGE) : AT(LOADADDR(.text) + SIZEOF(.text)) {
        KEEP(*(.reloc))
        . = ALIGN(SECTOR);
    } :reloc
    .sbat ALIGN(PAGE) : AT(LOADADDR(.reloc) + SIZEOF(.reloc)) {
        KEEP(*(.sbat))
        sbat_end = .;
        . = ALIGN(SECTOR);
    } :sbat
    file_end = LOADADDR(.sbat) + SIZEOF(.sbat);

    .rodata ALIGN(PAGE) : { unpacked_start = .; *(SORT_BY_ALIGNMENT(.rodata*)) } :rodata
    /* Filled by pack_relocations, applied by start_<architecture>.S; the firmware relocates nothing
     * (.reloc is empty). An entry names 63 words, or the one that the next begins behind: there is
     * room for more than one of each in 127 words, and what does not fit is an error. */
    .relr : ALIGN(8) {
        relr_start = .;
        QUAD(1)
        . += ALIGN(SIZEOF(.data) / 48, 8);
        relr_end = .;
    }
    .data ALIGN(PAGE) : {
        *(.data.rel.ro .data.rel.ro.* .data .data.*)
        *(.got .got.plt)
        *(.dynamic)
        . = ALIGN(SECTOR);
        unpacked_end = .;
    } :data
    /* start_<architecture>.S clears it too, in case the firmware does not. */
    .bss ALIGN(PAGE) : {
        bss_start = .;
        *(.bss .bss.* COMMON)
        . = ALIGN(PAGE);
        bss_end = .;
    } :zero
    /* The packed block's size is not known here: it has the room of what it unpacks to. */
    packed_start = bss_end;
    image_end = ALIGN(packed_start + unpacked_end - unpacked_start, PAGE);

    /* What pack_relocations reads, and tables that ld writes and nobody reads; not in the image. */
    . = image_end;
    .rela ALIGN(PAGE) : { *(.rela .rela.*) } :outside
    .gnu.hash : { *(.gnu.hash) }
    .hash : { *(.hash) }
    .dynsym : { *(.dynsym) }
    .dynstr : { *(.dynstr) }
    .gnu.version : { *(.gnu.version) }

    /DISCARD/ : {
        *(.gnu.version_*) *(.plt .plt.*) *(.iplt .rela.iplt .igot*) *(.dynbss) *(.sframe)
        *(.comment) *(.note*) *(.interp) *(.eh_frame*) *(.debug*) *(.llvm_addrsig)
    }
}
