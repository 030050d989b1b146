/* SPDX-License-Identifier: BSD-2-Clause */
/* Which performance counters of an x86 CPU count misses of the last cache and page walks. Pure.
 * Intel: architectural performance monitoring, SDM volume 3, 21.2 (CPUID 0Ah; IA32_PERFEVTSELx,
 * IA32_PMCx, IA32_PERF_GLOBAL_CTRL 38Fh, IA32_PERF_GLOBAL_INUSE 392h). AMD: APM volume 2, 13.2
 * (CPUID 8000_0001h ECX[23]; PerfEvtSel C001_0200h, PerfCtr C001_0201h; with CPUID 8000_0022h
 * EAX[0] PerfCntrGlobalCtl C000_0301h). Events of single models: Intel's and AMD's event lists as
 * Linux and LIKWID carry them; not verified on silicon. */
#ifndef ARCH_X86_64_PURE_PMU_H
#define ARCH_X86_64_PURE_PMU_H

#include "arch/x86_64/pure_cpuid.h"
#include "core/cpu/pmu.h"

/* Fills all of *plan. For events that are not counted, plan->why has the reason. */
void x86_64_pmu_plan(const struct cpuid_source *cpuid, struct pmu_plan *plan);

#endif
