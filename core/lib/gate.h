/* SPDX-License-Identifier: BSD-2-Clause */
/* Work for another CPU that may come for it at once, late or never. Whoever handed it out waits as
 * long as it likes, then shuts the gate: after that nobody begins it any more, however late a CPU
 * comes, so that what the work uses can be given back. One CPU at most begins it. The gate itself
 * has to stay as long as anybody may still come. */
#ifndef CORE_LIB_GATE_H
#define CORE_LIB_GATE_H

#include <stdbool.h>
#include <stdint.h>

enum gate_state {
    GATE_IDLE, /* 0: no work yet */
    GATE_OPEN, /* waits for somebody */
    GATE_INSIDE,
    GATE_LEFT,  /* it was done */
    GATE_MISSED /* shut before anybody came */
};

struct gate {
    uint32_t state; /* enum gate_state */
    void (*body)(void *arg);
    void *arg;
};

/* Nobody may be inside. */
void gate_open(struct gate *gate, void (*body)(void *arg), void *arg);
/* False: there is nothing to do, or it is done already: go back. Else the caller calls gate->body,
 * then gate_leave. */
bool gate_enter(struct gate *gate);
void gate_leave(struct gate *gate);
/* Lets nobody in any more. Who is inside stays; gate_look tells. */
void gate_shut(struct gate *gate);
/* What the one who left had written is there when this says GATE_LEFT. */
enum gate_state gate_look(const struct gate *gate);

#endif
