/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels' hooks (core/chase/kernels.h) in plain C, on ordinary memory and a clock that counts
 * its readings: for tests of what kernels do, not of how long it takes. */
#ifndef TESTS_UNIT_SUPPORT_HOOKS_H
#define TESTS_UNIT_SUPPORT_HOOKS_H

#include <stdint.h>

static uint64_t hook_clock;

static inline void hook_many(uintptr_t *pos, uint32_t chains, uint64_t hops)
{
    for (; hops != 0; hops--)
        for (uint32_t k = 0; k < chains; k++)
            pos[k] = *(const volatile uintptr_t *)pos[k];
}

#define KERNEL_LOAD(chain, address)         (*(const volatile uintptr_t *)(address))
#define KERNEL_LOAD_NT(chain, address)      KERNEL_LOAD(chain, address)
#define KERNEL_LOAD_FREE(address)           ((void)*(const volatile uintptr_t *)(address))
#define KERNEL_HINT_NTA(chain, address)     ((void)(address))
#define KERNEL_HINT_T0(chain, address)      ((void)(address))
#define KERNEL_HINT_T1(chain, address)      ((void)(address))
#define KERNEL_HINT_T2(chain, address)      ((void)(address))
#define KERNEL_FLUSH(address)               ((void)(address))
#define KERNEL_DIRTY(chain, address, value) ((void)(*(volatile uintptr_t *)(address) = (value)))
#define KERNEL_WORK(carry, cycles)          ((carry) + (uint32_t)(cycles))
#define KERNEL_WAIT(cycles)                 ((void)(cycles))
#define KERNEL_MANY(pos, chains, hops)      hook_many(pos, chains, hops)
#define KERNEL_STORE(address, value)        KERNEL_DIRTY(0, address, value)
#define KERNEL_STORE_PAIR(address, first, second) \
    (KERNEL_STORE(address, first), KERNEL_STORE((address) + sizeof(uintptr_t), second))
#define KERNEL_STORE_PAIRS(address, first, second)       \
    (KERNEL_STORE_PAIR(address, (first)[0], (first)[1]), \
     KERNEL_STORE_PAIR((address) + 16, (second)[0], (second)[1]))
#define KERNEL_STORED_LINE(address)             ((void)(address))
#define KERNEL_WORD(address)                    (*(const volatile uint64_t *)(address))
#define KERNEL_PAIR(address)                    (*(const volatile march_pair *)(address))
#define KERNEL_LOAD_SHARED(address)             KERNEL_LOAD(0, address)
#define KERNEL_STORE_SHARED(address, value)     KERNEL_STORE(address, value)
#define KERNEL_SWAP(address, expected, desired) ((void)(address), (expected) == (desired))
#define KERNEL_SPIN()                           ((void)0)
#define KERNEL_STORE_DRAIN()                    ((void)0)
#define KERNEL_TICKS()                          (++hook_clock)
#define KERNEL_TICKS_BEGIN()                    (++hook_clock)
#define KERNEL_TICKS_END()                      (++hook_clock)
#define KERNEL_MARK_BEGIN()                     ((void)0)
#define KERNEL_MARK_END()                       ((void)0)
#define KERNEL_HOLD(variable)                   ((void)(variable))
#define KERNEL_DRAW_COST()                      ((void)0)
#define KERNEL_DISTURBANCES()                   0
#define KERNEL_EVENTS_BEGIN()                   ((void)0)
#define KERNEL_EVENTS_END()                     ((void)0)
#define KERNEL_SAMPLER_ARM()                    ((void)0)

#define KERNEL_SAMPLER_TAKE(sample) ((void)(sample), false)

#endif
