/* SPDX-License-Identifier: BSD-2-Clause */
/* Performance counters through a register port: the trial, enter and leave around a measurement,
 * and counting in between. arch/ plans which registers of a CPU count what; the product runs this
 * on the real registers, tests on a scripted register model. */
#ifndef CORE_CPU_PMU_H
#define CORE_CPU_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cpu/prefetch.h"
#include "core/machine.h"

enum pmu_kind { PMU_LLC_MISSES, PMU_PAGE_WALKS, PMU_ACCESSES, PMU_KINDS };

#define PMU_SETS_MAX   10
#define PMU_STARTS_MAX 2

/* A register that enter saves and changes to (saved & ~mask) | value, and leave restores. */
struct pmu_set {
    uint32_t reg;
    uint64_t mask, value;
    bool counter; /* moves while counting: its value is not compared when read back */
    bool started; /* pmu_start changes it too */
};

/* The counters are in use by others if one of these bits is set. */
struct pmu_busy {
    uint32_t reg;
    uint64_t mask;
};

/* Writing start to reg starts counting, writing stop to stop_reg stops it. While counting, reg
 * reads with the bits of `counting` set. */
struct pmu_start {
    uint32_t reg, stop_reg;
    uint64_t start, stop, counting;
};

struct pmu_plan {
    struct counter_event event[PMU_KINDS]; /* name NULL: not counted */
    uint32_t counter[PMU_KINDS];           /* its register */
    uint64_t raw[PMU_KINDS];               /* config of Linux's PERF_TYPE_RAW */
    uint64_t width_mask;                   /* of each counter */
    const char *why[PMU_KINDS]; /* the reason if it is not counted; NULL: it is counted */
    size_t busy_count, set_count, start_count;
    struct pmu_busy busy[PMU_SETS_MAX];
    struct pmu_set set[PMU_SETS_MAX];
    struct pmu_start start[PMU_STARTS_MAX];
};

enum pmu_state {
    PMU_UNTRIED,
    PMU_WORKS,
    PMU_ABSENT,       /* nothing is planned */
    PMU_IN_USE,       /* by the firmware, or by code below it */
    PMU_REFUSED,      /* an access faulted */
    PMU_NOT_HONOURED, /* a register does not read back what was written */
    PMU_STUCK         /* the firmware's value could not be restored */
};

struct pmu {
    struct pmu_plan plan;
    enum pmu_state state;
    uint64_t saved[PMU_SETS_MAX];
    size_t entered; /* registers of plan.set that must be restored */
    bool counted;   /* count[] holds what the last pmu_begin to pmu_end counted */
    uint64_t count[PMU_KINDS];
};

/* Tries the whole plan once, restores every register, and sets state. */
void pmu_try(struct pmu *pmu, const struct prefetch_port *port);

/* What can be counted; where name is NULL, why is the reason. */
struct pmu_report {
    struct counter_event event[PMU_KINDS];
    const char *why[PMU_KINDS];
};
void pmu_report(const struct pmu *pmu, struct pmu_report *report);

/* enter saves the registers and sets them up, begin starts counting, end stops and reads, leave
 * restores in reverse order, however far the calls before it got. All of them do nothing unless the
 * state is PMU_WORKS. Counts are lost (counted false) if an access faults or the counters stopped
 * by themselves. */
void pmu_enter(struct pmu *pmu, const struct prefetch_port *port);
void pmu_begin(struct pmu *pmu, const struct prefetch_port *port);
void pmu_end(struct pmu *pmu, const struct prefetch_port *port);
void pmu_leave(struct pmu *pmu, const struct prefetch_port *port);
/* Sets llc_misses, page_walks and accesses of *delta to what the last section counted;
 * MACHINE_UNKNOWN: not counted, or lost. */
void pmu_counts(const struct pmu *pmu, struct machine_counters *delta);

#endif
