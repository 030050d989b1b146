/* SPDX-License-Identifier: BSD-2-Clause */
/* The op sampler around the body of a quiet section; called only by quiet.c. */
#ifndef ARCH_X86_64_IBS_H
#define ARCH_X86_64_IBS_H

#include "arch/x86_64/pure_ibs.h"

/* What arch_sampler_try planned and found. */
extern struct ibs ibs_sampler;

/* Save what the sampler's control register holds, and restore it. */
void ibs_section_enter(void);
void ibs_section_leave(void);

#endif
