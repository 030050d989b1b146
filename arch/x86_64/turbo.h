/* SPDX-License-Identifier: BSD-2-Clause */
/* Turbo as last tried, around the body of a quiet section; only quiet.c calls these. */
#ifndef ARCH_X86_64_TURBO_H
#define ARCH_X86_64_TURBO_H

void turbo_enter(void);
void turbo_leave(void);

#endif
