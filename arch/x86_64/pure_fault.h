/* SPDX-License-Identifier: BSD-2-Clause */
/* An exception frame as the CPU and vectors.S store it on the stack, and its description. Pure. */
#ifndef ARCH_X86_64_PURE_FAULT_H
#define ARCH_X86_64_PURE_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lowest address first: the pushes of vector_common, the stub's vector and error code, the CPU's
 * pushes (Intel SDM volume 3, 6.14.2). */
struct x86_64_fault_frame {
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8;
    uint64_t rdi, rsi, rbp, rbx, rdx, rcx, rax;
    uint64_t vector, error;
    uint64_t rip, cs, rflags, rsp, ss;
};

struct x86_64_fault {
    struct x86_64_fault_frame frame;
    uint64_t cr2; /* valid for #PF */
};

#define VECTOR_NMI 2
#define VECTOR_DF  8
#define VECTOR_GP  13
#define VECTOR_PF  14
#define VECTOR_MC  18

/* Returns "#PF page fault", ...; "unexpected interrupt" for vectors from 32 on. Static, never
 * NULL. */
const char *x86_64_vector_name(uint64_t vector);
/* True for vectors that must not be resumed, not even at an exit path: double fault, machine
 * check. */
bool x86_64_vector_is_fatal(uint64_t vector);
/* Describes the cause, the address (relative to image_base if inside an image of at most 1 MiB)
 * and the registers; truncated to capacity. */
void x86_64_fault_describe(const struct x86_64_fault *fault, uintptr_t image_base, char *buffer,
                           size_t capacity);

#endif
