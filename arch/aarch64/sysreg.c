/* SPDX-License-Identifier: BSD-2-Clause */
/* One stub per guarded register and direction, because MRS and MSR encode the register. They are in
 * separate assembly, so that no compiler can copy or move them, in the order of enum sysreg and 16
 * bytes apart. */
#include "arch/aarch64/sysreg.h"

#define STUB_BYTES 16

volatile uint64_t sysreg_faulted;

extern const char sysreg_read_stubs[];
extern const char sysreg_write_stubs[];

#define NAME(op0, op1, crn, crm, op2)             "s" #op0 "_" #op1 "_c" #crn "_c" #crm "_" #op2
#define READ_STUB(name, op0, op1, crn, crm, op2)  "\tread_stub " NAME(op0, op1, crn, crm, op2) "\n"
#define WRITE_STUB(name, op0, op1, crn, crm, op2) "\twrite_stub " NAME(op0, op1, crn, crm, op2) "\n"

/* x0 is 0 on entry of a read, so that a skipped MRS yields 0. */
__asm__("\t.macro read_stub register\n"
        "\t.p2align 4\n"
        "\tmrs x0, \\register\n"
        "\tret\n"
        "\t.endm\n"
        "\t.macro write_stub register\n"
        "\t.p2align 4\n"
        "\tmsr \\register, x0\n"
        "\tisb\n"
        "\tret\n"
        "\t.endm\n");

#define READ_STUBS  SYSREG_LIST(READ_STUB)
#define WRITE_STUBS SYSREG_LIST(WRITE_STUB)

__asm__(".pushsection .text\n"
        "\t.hidden sysreg_guard_begin, sysreg_guard_end, sysreg_read_stubs, sysreg_write_stubs\n"
        "\t.globl sysreg_guard_begin, sysreg_guard_end, sysreg_read_stubs, sysreg_write_stubs\n"
        "\t.p2align 4\n"
        "sysreg_guard_begin:\n"
        "sysreg_read_stubs:\n" READ_STUBS "\t.p2align 4\n"
        "sysreg_write_stubs:\n" WRITE_STUBS "sysreg_guard_end:\n"
        "\t.popsection\n");

typedef uint64_t stub(uint64_t value);

static stub *stub_of(const char *stubs, enum sysreg which)
{
    return (stub *)(uintptr_t)(stubs + (uintptr_t)which * STUB_BYTES);
}

bool sysreg_read(enum sysreg which, uint64_t *value)
{
    sysreg_faulted = 0;
    *value = stub_of(sysreg_read_stubs, which)(0);
    return !sysreg_faulted;
}

bool sysreg_write(enum sysreg which, uint64_t value)
{
    sysreg_faulted = 0;
    (void)stub_of(sysreg_write_stubs, which)(value);
    return !sysreg_faulted;
}
