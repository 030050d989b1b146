/* SPDX-License-Identifier: BSD-2-Clause */
/* Raises faults on purpose, inside the quiet section. Test build only. */
#include "arch/aarch64/quiet.h"
#include "arch/aarch64/registers.h"
#include "arch/aarch64/sysreg.h"
#include "arch/arch.h"

/* Between the ranges of TTBR0 and TTBR1 for any T0SZ; not a tagged address. */
#define UNMAPPED_ADDRESS 0x0010000000001000ull

/* Class SError without a syndrome, and with that of an uncontainable error. */
#define ESR_SERROR    (0x2full << 26 | 1ull << 25)
#define UNCONTAINABLE 0x11ull

static void load_from(uint64_t address)
{
    uint64_t value;
    __asm__ volatile("ldr %0, [%1]" : "=r"(value) : "r"(address) : "memory");
}

/* No virtual machine raises a real SError on demand (QEMU's external aborts are synchronous). Sets
 * up the state after taking one by hand and jumps to the vector. */
static _Noreturn void serror_enter(uint64_t esr)
{
    bool el2 = registers_level() == 2;
    uint64_t spsr = registers_daif() | (el2 ? 8 : 4); /* EL2t, EL1t */
    uintptr_t slot = (uintptr_t)quiet_vectors + QUIET_SLOT_SERROR * QUIET_SLOT_BYTES;
    uintptr_t here;

    __asm__ volatile("adr %0, ." : "=r"(here));
    if (el2) {
        registers_esr_el2_write(esr);
        registers_elr_el2_write(here);
        registers_spsr_el2_write(spsr);
    } else {
        registers_esr_el1_write(esr);
        registers_elr_el1_write(here);
        registers_spsr_el1_write(spsr);
    }
    __asm__ volatile("msr daifset, #15\n\tmsr spsel, #1\n\tbr %0" : : "r"(slot) : "memory");
    __builtin_unreachable();
}

/* A real fault in the handler: its stack pointer is set to an unmapped address. */
static void double_fault(void)
{
    __asm__ volatile("msr spsel, #1\n\tmov sp, %0\n\tmsr spsel, #0"
                     :
                     : "r"(UNMAPPED_ADDRESS & ~15ull)
                     : "memory");
    load_from(UNMAPPED_ADDRESS);
}

bool arch_inject(enum arch_inject kind)
{
    switch (kind) {
    case ARCH_INJECT_UD:
        __asm__ volatile("udf #0" : : : "memory");
        return true;
    case ARCH_INJECT_PF:
        load_from(UNMAPPED_ADDRESS);
        return true;
    case ARCH_INJECT_MSR_GP:
        return !sysreg_write(SYSREG_UNALLOCATED, 0);
    case ARCH_INJECT_SERROR:
        serror_enter(ESR_SERROR);
    case ARCH_INJECT_MC:
        serror_enter(ESR_SERROR | UNCONTAINABLE);
    case ARCH_INJECT_DF:
        double_fault();
        return true;
    case ARCH_INJECT_GP:
    case ARCH_INJECT_NMI:
        break;
    }
    return false;
}
