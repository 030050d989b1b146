/* SPDX-License-Identifier: BSD-2-Clause */
/* Applies the last turbo trial around the body of a quiet section; called only by quiet.c. */
#ifndef ARCH_X86_64_TURBO_H
#define ARCH_X86_64_TURBO_H

void turbo_enter(void);
void turbo_leave(void);

#endif
