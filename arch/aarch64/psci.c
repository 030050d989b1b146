/* SPDX-License-Identifier: BSD-2-Clause */
/* DEN0028, 2.6: a call may change x0 to x17. */
#include "arch/aarch64/psci.h"

#define CLOBBERED                                                                               \
    "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", \
        "cc", "memory"

int64_t psci_call(enum psci_conduit conduit, uint32_t function, uint64_t one, uint64_t two,
                  uint64_t three)
{
    register uint64_t x0 __asm__("x0") = function;
    register uint64_t x1 __asm__("x1") = one;
    register uint64_t x2 __asm__("x2") = two;
    register uint64_t x3 __asm__("x3") = three;

    if (conduit == PSCI_HVC)
        __asm__ volatile("hvc #0" : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3) : : CLOBBERED);
    else
        __asm__ volatile("smc #0" : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3) : : CLOBBERED);
    return (int64_t)x0;
}
