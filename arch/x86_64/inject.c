/* SPDX-License-Identifier: BSD-2-Clause */
/* Raises faults on purpose, inside the quiet section. Test build only. */
#include "arch/arch.h"
#include "arch/x86_64/msr.h"
#include "arch/x86_64/registers.h"

/* IA32_PKRS: bits 63:32 are reserved if it exists (Intel SDM volume 4, table 2-2); otherwise every
 * write faults. QEMU's TCG checks this MSR, but accepts any value for PAT. */
#define MSR_PKRS     0x6e1
#define PKRS_INVALID (1ull << 63)

/* The last page of the lower canonical half is mapped neither by firmware nor by us: our tables
 * leave a slot free there. */
#define UNMAPPED_ADDRESS      0x00007ffffffff000ull
#define NON_CANONICAL_ADDRESS 0x5a5a5a5a5a5a5a58ull

static void load_from(uint64_t address)
{
    uint64_t value;
    __asm__ volatile("movq (%1), %0" : "=r"(value) : "r"(address) : "memory");
}

/* A real double fault: a #GP whose own gate is not present. It damages the quiet section's IDT,
 * which is not used again afterwards. */
static void double_fault(void)
{
    struct descriptor_register idt = registers_idt();
    volatile uint8_t *gate_type = (volatile uint8_t *)idt.base + 13 * 16 + 5;

    *gate_type &= 0x7f;
    load_from(NON_CANONICAL_ADDRESS);
}

bool arch_inject(enum arch_inject kind)
{
    switch (kind) {
    case ARCH_INJECT_UD:
        __asm__ volatile("ud2" : : : "memory");
        return true;
    case ARCH_INJECT_PF:
        load_from(UNMAPPED_ADDRESS);
        return true;
    case ARCH_INJECT_GP:
        load_from(NON_CANONICAL_ADDRESS);
        return true;
    case ARCH_INJECT_MSR_GP:
        return !msr_write(MSR_PKRS, PKRS_INVALID);
    case ARCH_INJECT_NMI:
        __asm__ volatile("int $2" : : : "memory");
        return true;
    case ARCH_INJECT_MC:
        __asm__ volatile("int $18" : : : "memory");
        return true;
    case ARCH_INJECT_DF:
        double_fault();
        return true;
    case ARCH_INJECT_SERROR:
        break;
    }
    return false;
}
