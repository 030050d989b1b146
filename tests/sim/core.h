/* SPDX-License-Identifier: BSD-2-Clause */
/* The core of the simulated machine when more than one thing is outstanding: instructions enter and
 * leave the reorder buffer in program order, and each starts when its operands are ready. A plain
 * chase of one chain needs none of this. */
#ifndef TESTS_SIM_CORE_H
#define TESTS_SIM_CORE_H

#include "core/machine.h"
#include "tests/sim/memory_system.h"

enum sim_instruction {
    SIM_LOADS,
    SIM_LOADS_NT,
    SIM_HINTS,
    SIM_STORES,
    SIM_WORKS /* `weight` cycles of work, as many instructions */
};

/* An instruction in the window, or work. */
struct sim_slot {
    enum sim_instruction instruction;
    bool begun;
    uint32_t weight; /* instructions */
    uint32_t next;   /* the chain's next one that has not begun; SIM_NO_SLOT: none yet */
    struct sim_reference to;
    uintptr_t value;  /* that a load will return */
    size_t into;      /* of a hint: the cache, 0 the first */
    bool alone;       /* of a hint: that one only */
    double enters_ns; /* when it has its place */
    double draw_ns;   /* arithmetic before the address is known */
    double done_ns;   /* once begun */
};
#define SIM_NO_SLOT UINT32_MAX

/* A load returned this value then: for prefetchers that follow values. */
typedef void sim_core_value(void *context, uintptr_t value, double done_ns);

struct sim_core {
    struct sim_memory_system *system;
    double *ready_ns; /* [CHAINS_MAX] when each chain has the address of its next load */
    sim_core_value *value;
    void *context;
    uint32_t chains, waiting;                     /* waiting: slots that have not begun */
    uint32_t first[CHAINS_MAX], last[CHAINS_MAX]; /* of them, for each chain */
    uint32_t oldest, count, weight;               /* slots in the window, their instructions */
    struct sim_slot slot[SIM_WINDOW_MAX];         /* a ring */
    double left_ns; /* when the last one left; the next can enter from then on */
    double port_ns; /* when the next load can begin */
    double work_ns; /* when the work so far is done */
    double draw_ns; /* for the next load */
};

/* Starts with an empty window at that time; ready_ns[0..chains) is set to it. ready_ns and system
 * must outlive the core. */
void sim_core_open(struct sim_core *core, uint32_t chains, double when_ns);
/* A load of a chain, which needs the value of the chain's load before; draws before it wait too. */
void sim_core_load(struct sim_core *core, uint32_t chain, const struct sim_reference *to,
                   uintptr_t value, bool nt);
/* A load whose address is known in advance and whose value is not used. */
void sim_core_load_free(struct sim_core *core, const struct sim_reference *to);
void sim_core_hint(struct sim_core *core, uint32_t chain, const struct sim_reference *to,
                   size_t into, bool alone);
void sim_core_store(struct sim_core *core, uint32_t chain, const struct sim_reference *to);
/* A store past the caches. */
void sim_core_stream(struct sim_core *core, const struct sim_reference *to);
void sim_core_work(struct sim_core *core, uint32_t cycles);
/* Waits for everything started; returns when that is, and continues from there. */
double sim_core_settle(struct sim_core *core);

#endif
