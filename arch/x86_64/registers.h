/* SPDX-License-Identifier: BSD-2-Clause */
/* One-instruction accessors of x86-64 registers, without any decisions. Those that can fault (MSRs)
 * are in msr.h. Instruction semantics: Intel SDM volume 2. */
#ifndef ARCH_X86_64_REGISTERS_H
#define ARCH_X86_64_REGISTERS_H

#include <stdint.h>

#include "arch/x86_64/pure_cpuid.h"

static inline struct cpuid_words registers_cpuid(uint32_t leaf, uint32_t subleaf)
{
    struct cpuid_words words;
    __asm__ volatile("cpuid"
                     : "=a"(words.eax), "=b"(words.ebx), "=c"(words.ecx), "=d"(words.edx)
                     : "a"(leaf), "c"(subleaf)
                     : "memory");
    return words;
}

/* Unfenced; use arch_ticks for an ordered reading. */
static inline uint64_t registers_tsc(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

static inline void registers_lfence(void)
{
    __asm__ volatile("lfence" : : : "memory");
}

static inline void registers_mfence(void)
{
    __asm__ volatile("mfence" : : : "memory");
}

static inline uint8_t registers_port_read8(uint16_t port)
{
    uint8_t value;
    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port) : "memory");
    return value;
}

static inline void registers_port_write8(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port) : "memory");
}

static inline uint32_t registers_port_read32(uint16_t port)
{
    uint32_t value;
    __asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(port) : "memory");
    return value;
}

static inline uint64_t registers_cr0(void)
{
    uint64_t value;
    __asm__ volatile("mov %%cr0, %0" : "=r"(value) : : "memory");
    return value;
}

static inline uint64_t registers_cr2(void)
{
    uint64_t value;
    __asm__ volatile("mov %%cr2, %0" : "=r"(value) : : "memory");
    return value;
}

static inline uint64_t registers_cr3(void)
{
    uint64_t value;
    __asm__ volatile("mov %%cr3, %0" : "=r"(value) : : "memory");
    return value;
}

static inline uint64_t registers_cr4(void)
{
    uint64_t value;
    __asm__ volatile("mov %%cr4, %0" : "=r"(value) : : "memory");
    return value;
}

static inline uint64_t registers_cr8(void)
{
    uint64_t value;
    __asm__ volatile("mov %%cr8, %0" : "=r"(value) : : "memory");
    return value;
}

static inline void registers_cr3_write(uint64_t value)
{
    __asm__ volatile("mov %0, %%cr3" : : "r"(value) : "memory");
}

static inline void registers_cr4_write(uint64_t value)
{
    __asm__ volatile("mov %0, %%cr4" : : "r"(value) : "memory");
}

static inline uint64_t registers_flags(void)
{
    uint64_t value;
    __asm__ volatile("pushfq\n\tpopq %0" : "=r"(value) : : "memory");
    return value;
}

static inline void registers_flags_write(uint64_t value)
{
    __asm__ volatile("pushq %0\n\tpopfq" : : "r"(value) : "memory", "cc");
}

static inline void registers_interrupts_mask(void)
{
    __asm__ volatile("cli" : : : "memory");
}

struct descriptor_register {
    uint16_t limit;
    uint64_t base;
} __attribute__((packed));

static inline struct descriptor_register registers_idt(void)
{
    struct descriptor_register table;
    __asm__ volatile("sidt %0" : "=m"(table) : : "memory");
    return table;
}

static inline void registers_idt_write(const struct descriptor_register *table)
{
    __asm__ volatile("lidt %0" : : "m"(*table) : "memory");
}

static inline struct descriptor_register registers_gdt(void)
{
    struct descriptor_register table;
    __asm__ volatile("sgdt %0" : "=m"(table) : : "memory");
    return table;
}

static inline uint16_t registers_code_selector(void)
{
    uint16_t selector;
    __asm__ volatile("mov %%cs, %0" : "=r"(selector));
    return selector;
}

static inline uint16_t registers_ldt(void)
{
    uint16_t selector;
    __asm__ volatile("sldt %0" : "=r"(selector));
    return selector;
}

static inline uint16_t registers_task(void)
{
    uint16_t selector;
    __asm__ volatile("str %0" : "=r"(selector));
    return selector;
}

static inline uint32_t registers_mxcsr(void)
{
    uint32_t value;
    __asm__ volatile("stmxcsr %0" : "=m"(value) : : "memory");
    return value;
}

static inline uint16_t registers_fpu_control(void)
{
    uint16_t value;
    __asm__ volatile("fnstcw %0" : "=m"(value) : : "memory");
    return value;
}

#endif
