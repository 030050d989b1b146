/* SPDX-License-Identifier: BSD-2-Clause */
/* Applies the last trials of arch_speed_try around the body of a quiet section; called only by
 * quiet.c. */
#ifndef ARCH_X86_64_SPEED_H
#define ARCH_X86_64_SPEED_H

#include <stdint.h>

#include "arch/x86_64/pure_speed.h"

/* What arch_speed_try found. */
extern struct x86_64_speed speed_controls[SPEED_KINDS];

/* kinds: bit n is enum speed_kind n. */
void speed_enter(uint32_t kinds);
/* Restores what was written, of every kind. */
void speed_leave(void);

#endif
