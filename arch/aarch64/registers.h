/* SPDX-License-Identifier: BSD-2-Clause */
/* One-instruction accessors of AArch64 registers, without any decisions. Those that may be absent
 * or trapped are in sysreg.h. Registers: Arm ARM (DDI 0487), chapter D19, by the names used here.
 * At EL2 the *_EL2 names work with and without VHE (HCR_EL2.E2H); the *_EL1 names access EL1's
 * registers without VHE and EL2's with it. */
#ifndef ARCH_AARCH64_REGISTERS_H
#define ARCH_AARCH64_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

/* registers_<name>() reads; registers_<name>_write(value) writes without synchronisation. */
#define REGISTERS_READ(name)                                           \
    static inline uint64_t registers_##name(void)                      \
    {                                                                  \
        uint64_t value;                                                \
        __asm__ volatile("mrs %0, " #name : "=r"(value) : : "memory"); \
        return value;                                                  \
    }
#define REGISTERS_READ_WRITE(name)                                       \
    REGISTERS_READ(name)                                                 \
    static inline void registers_##name##_write(uint64_t value)          \
    {                                                                    \
        __asm__ volatile("msr " #name ", %0" : : "r"(value) : "memory"); \
    }

/* identification */
REGISTERS_READ(midr_el1)
REGISTERS_READ(mpidr_el1)
REGISTERS_READ(revidr_el1)
REGISTERS_READ(ctr_el0)
REGISTERS_READ(dczid_el0)
REGISTERS_READ(clidr_el1)
REGISTERS_READ(ccsidr_el1)
REGISTERS_READ_WRITE(csselr_el1)
REGISTERS_READ(id_aa64pfr0_el1)
REGISTERS_READ(id_aa64pfr1_el1)
REGISTERS_READ(id_aa64dfr0_el1)
REGISTERS_READ(id_aa64mmfr0_el1)
REGISTERS_READ(id_aa64mmfr1_el1)
REGISTERS_READ(id_aa64mmfr2_el1)
REGISTERS_READ(id_aa64isar0_el1)
REGISTERS_READ(id_aa64isar1_el1)

/* the generic timer */
REGISTERS_READ(cntfrq_el0)
REGISTERS_READ(cntpct_el0)
REGISTERS_READ(cntvct_el0)
REGISTERS_READ_WRITE(cntkctl_el1)
REGISTERS_READ_WRITE(cnthctl_el2)
REGISTERS_READ(cntvoff_el2)

/* processor state */
REGISTERS_READ(currentel)
REGISTERS_READ_WRITE(daif)
REGISTERS_READ(isr_el1)
REGISTERS_READ(spsel)
REGISTERS_READ(sp_el0)
REGISTERS_READ(fpcr)
REGISTERS_READ(fpsr)
REGISTERS_READ(tpidr_el0)
REGISTERS_READ(tpidr_el1)
REGISTERS_READ(tpidr_el2)

/* control and translation */
REGISTERS_READ_WRITE(sctlr_el1)
REGISTERS_READ_WRITE(sctlr_el2)
REGISTERS_READ_WRITE(actlr_el1)
REGISTERS_READ_WRITE(actlr_el2)
REGISTERS_READ_WRITE(cpacr_el1)
REGISTERS_READ_WRITE(cptr_el2)
REGISTERS_READ_WRITE(hcr_el2)
REGISTERS_READ_WRITE(mdcr_el2)
REGISTERS_READ_WRITE(mdscr_el1)
REGISTERS_READ_WRITE(tcr_el1)
REGISTERS_READ_WRITE(tcr_el2)
REGISTERS_READ_WRITE(ttbr0_el1)
REGISTERS_READ_WRITE(ttbr0_el2)
REGISTERS_READ_WRITE(ttbr1_el1)
REGISTERS_READ_WRITE(mair_el1)
REGISTERS_READ_WRITE(mair_el2)
REGISTERS_READ_WRITE(vbar_el1)
REGISTERS_READ_WRITE(vbar_el2)

/* exceptions */
REGISTERS_READ_WRITE(esr_el1)
REGISTERS_READ_WRITE(esr_el2)
REGISTERS_READ_WRITE(elr_el1)
REGISTERS_READ_WRITE(elr_el2)
REGISTERS_READ_WRITE(far_el1)
REGISTERS_READ_WRITE(far_el2)
REGISTERS_READ_WRITE(spsr_el1)
REGISTERS_READ_WRITE(spsr_el2)

#undef REGISTERS_READ
#undef REGISTERS_READ_WRITE

/* 1, 2 or 3: CurrentEL bits 3:2. */
static inline unsigned registers_level(void)
{
    return (unsigned)(registers_currentel() >> 2 & 3);
}

/* ---- barriers and maintenance */

static inline void registers_isb(void)
{
    __asm__ volatile("isb" : : : "memory");
}

static inline void registers_dsb_sy(void)
{
    __asm__ volatile("dsb sy" : : : "memory");
}

static inline void registers_dsb_ish(void)
{
    __asm__ volatile("dsb ish" : : : "memory");
}

static inline void registers_dsb_ishst(void)
{
    __asm__ volatile("dsb ishst" : : : "memory");
}

/* Waits for this PE's earlier loads. */
static inline void registers_dsb_nshld(void)
{
    __asm__ volatile("dsb nshld" : : : "memory");
}

static inline void registers_dsb_nsh(void)
{
    __asm__ volatile("dsb nsh" : : : "memory");
}

/* ESB with FEAT_RAS, otherwise a NOP. */
static inline void registers_esb(void)
{
    __asm__ volatile("hint #16" : : : "memory");
}

/* Invalidates this PE's translations of its own regime; with E2H and TGE set, vmalle1 is
 * EL2&0's. */
static inline void registers_tlbi_vmalle1(void)
{
    __asm__ volatile("tlbi vmalle1" : : : "memory");
}

static inline void registers_tlbi_alle2(void)
{
    __asm__ volatile("tlbi alle2" : : : "memory");
}

/* Cleans and invalidates the line to the point of coherency. */
static inline void registers_dc_civac(const void *address)
{
    __asm__ volatile("dc civac, %0" : : "r"(address) : "memory");
}

/* ---- masks: DAIF bits as in DAIFSet and DAIFClr */

#define REGISTERS_MASK_F 1
#define REGISTERS_MASK_I 2
#define REGISTERS_MASK_A 4
#define REGISTERS_MASK_D 8

/* IRQ and FIQ. */
static inline void registers_interrupts_mask(void)
{
    __asm__ volatile("msr daifset, #3" : : : "memory");
}

static inline void registers_serror_mask(void)
{
    __asm__ volatile("msr daifset, #4" : : : "memory");
}

static inline void registers_serror_unmask(void)
{
    __asm__ volatile("msr daifclr, #4" : : : "memory");
}

#endif
