/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/lib/gate.h"

/* Of two that try this at the same time one succeeds. */
static bool go(struct gate *gate, enum gate_state from, enum gate_state to)
{
    uint32_t expected = from;

    return __atomic_compare_exchange_n(&gate->state, &expected, (uint32_t)to, false,
                                       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

void gate_open(struct gate *gate, void (*body)(void *arg), void *arg)
{
    gate->body = body;
    gate->arg = arg;
    __atomic_store_n(&gate->state, (uint32_t)GATE_OPEN, __ATOMIC_RELEASE);
}

bool gate_enter(struct gate *gate)
{
    return go(gate, GATE_OPEN, GATE_INSIDE);
}

void gate_leave(struct gate *gate)
{
    __atomic_store_n(&gate->state, (uint32_t)GATE_LEFT, __ATOMIC_RELEASE);
}

void gate_shut(struct gate *gate)
{
    (void)go(gate, GATE_OPEN, GATE_MISSED);
}

enum gate_state gate_look(const struct gate *gate)
{
    return (enum gate_state)__atomic_load_n(&gate->state, __ATOMIC_ACQUIRE);
}
