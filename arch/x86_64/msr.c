/* SPDX-License-Identifier: BSD-2-Clause */
/* The program's only RDMSR and WRMSR. They are in separate assembly so that no compiler can copy or
 * move the two labelled instructions. */
#include "arch/x86_64/msr.h"

volatile uint64_t msr_faulted;

uint64_t msr_raw_read(uint32_t msr);
void msr_raw_write(uint32_t msr, uint64_t value);

/* rax and rdx are zeroed first, so that a skipped RDMSR yields 0. */
__asm__(".pushsection .text\n"
        "\t.hidden msr_raw_read, msr_raw_write, msr_read_instruction, msr_write_instruction\n"
        "\t.globl msr_raw_read, msr_raw_write, msr_read_instruction, msr_write_instruction\n"
        "\t.type msr_raw_read, @function\n"
        "msr_raw_read:\n"
        "\tmovl %edi, %ecx\n"
        "\txorl %eax, %eax\n"
        "\txorl %edx, %edx\n"
        "msr_read_instruction:\n"
        "\trdmsr\n"
        "\tshlq $32, %rdx\n"
        "\torq %rdx, %rax\n"
        "\tret\n"
        "\t.size msr_raw_read, . - msr_raw_read\n"
        "\t.type msr_raw_write, @function\n"
        "msr_raw_write:\n"
        "\tmovl %edi, %ecx\n"
        "\tmovl %esi, %eax\n"
        "\tmovq %rsi, %rdx\n"
        "\tshrq $32, %rdx\n"
        "msr_write_instruction:\n"
        "\twrmsr\n"
        "\tret\n"
        "\t.size msr_raw_write, . - msr_raw_write\n"
        "\t.popsection\n");

bool msr_read(uint32_t msr, uint64_t *value)
{
    msr_faulted = 0;
    *value = msr_raw_read(msr);
    return !msr_faulted;
}

bool msr_write(uint32_t msr, uint64_t value)
{
    msr_faulted = 0;
    msr_raw_write(msr, value);
    return !msr_faulted;
}
