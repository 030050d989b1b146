/* SPDX-License-Identifier: BSD-2-Clause */
/* Performance counters around the body of a quiet section; called only by quiet.c. */
#ifndef ARCH_X86_64_PMU_H
#define ARCH_X86_64_PMU_H

#include "core/cpu/pmu.h"

/* What arch_pmu_try planned and found. */
extern struct pmu pmu_counters;

/* Save and set up what arch_pmu_try found to work, and restore it. */
void pmu_section_enter(void);
void pmu_section_leave(void);

#endif
