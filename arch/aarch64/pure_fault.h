/* SPDX-License-Identifier: BSD-2-Clause */
/* An exception as the CPU and vectors.S leave it on the stack, and the words for it. Pure. */
#ifndef ARCH_AARCH64_PURE_FAULT_H
#define ARCH_AARCH64_PURE_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lowest address first, as vector_common in vectors.S stores it. */
struct aarch64_fault_frame {
    uint64_t x[31];
    uint64_t slot; /* of the vector table, 0 to 15: Arm ARM (DDI 0487), D1.3.1.5 */
    uint64_t esr, elr, far, spsr;
    uint64_t sp; /* SP_EL0: the stack that was in use */
    uint64_t unused;
};

/* Slots: from 0 with PSTATE.SP 0, from here with PSTATE.SP 1 (while our handler runs), from there
 * on of lower levels. */
#define FAULT_SLOT_NESTED 4
#define FAULT_SLOT_LOWER  8

enum fault_kind { FAULT_SYNCHRONOUS, FAULT_IRQ, FAULT_FIQ, FAULT_SERROR };

/* What came, of a slot: its two low bits. */
enum fault_kind aarch64_fault_kind(uint64_t slot);
/* "data abort", "undefined instruction", "SError", ...: by the slot and ESR's exception class.
 * Static, never NULL. */
const char *aarch64_fault_name(uint64_t slot, uint64_t esr);
/* True where FAR holds the address that faulted: aborts and misaligned fetches. */
bool aarch64_fault_has_address(uint64_t slot, uint64_t esr);
/* True for what must not be resumed, not even at an exit path: an SError that the CPU calls
 * uncontainable (ESR_ELx.AET, with FEAT_RAS). */
bool aarch64_fault_is_fatal(uint64_t slot, uint64_t esr);
/* What, where (relative to image_base where it lies inside an image of at most 256 KiB), ESR, ELR,
 * FAR and the registers, which nobody knows of a fault in the handler; cut to capacity. */
void aarch64_fault_describe(const struct aarch64_fault_frame *frame, uintptr_t image_base,
                            char *buffer, size_t capacity);

#endif
