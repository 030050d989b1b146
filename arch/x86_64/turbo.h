/* SPDX-License-Identifier: BSD-2-Clause */
/* Applies the last turbo trial around the body of a quiet section; called only by quiet.c. */
#ifndef ARCH_X86_64_TURBO_H
#define ARCH_X86_64_TURBO_H

#include "arch/x86_64/pure_turbo.h"

/* What arch_turbo_try found. */
extern struct x86_64_turbo turbo_control;

void turbo_enter(void);
void turbo_leave(void);

#endif
