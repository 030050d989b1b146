/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated machine behind core/machine.h: caches, TLBs, prefetchers and memory with known
 * costs, and a virtual clock. The kernels that run on it are core/chase/kernels.h, as on silicon.
 */
#ifndef TESTS_SIM_SIMULATOR_H
#define TESTS_SIM_SIMULATOR_H

#include <setjmp.h>
#include <signal.h>

#include "core/chase/traffic.h"
#include "core/mapping/frames.h"
#include "core/machine.h"
#include "tests/sim/core.h"
#include "tests/sim/faults.h"
#include "tests/sim/noise.h"
#include "tests/sim/path.h"
#include "tests/sim/sampler.h"

/* A pointer that is corrupted after the chain is built, for tests of the error path. */
struct sim_flip {
    bool armed;
    uint64_t offset; /* in the window */
    unsigned bit;
};

/* Progress that the engine reported, on the virtual clock. */
struct sim_progress {
    double at_s, left_s, share;
};
#define SIM_PROGRESS_MAX 65536

/* What one chase_run's samples cost. */
struct sim_entry {
    uint64_t hops;
    uint32_t samples;
    struct sim_ledger timed;
};
#define SIM_ENTRIES_MAX 1024

/* The window that is open: host memory, and the physical memory that it stands for. */
struct sim_window {
    bool open;
    uintptr_t base;
    uint64_t bytes;
    unsigned page_log2;
    struct memmap_run memory[SIM_PIECES_MAX]; /* that its frames are from */
    struct frames frames;
    uint32_t *frame;    /* [pages] each page's frame, counted in such pages from SIM_MEMORY_BASE */
    uint32_t *page_key; /* [pages] for the TLBs; NULL: nothing can be coalesced */
};

/* Which prefetchers are switched off, and on which CPU; on others they are as the firmware left
 * them. */
struct sim_prefetch_request {
    uint32_t cpu;
    bool off;       /* all of them */
    bool only_off;  /* this one alone: */
    uint32_t index; /* of those with a working control */
};

/* What one CPU is doing: of those that run at the same time each has one. */
struct sim_thread {
    uint32_t cpu;
    double core_hz;                   /* its frequency */
    struct sim_memory_system *system; /* its core's */
    double ready_ns[CHAINS_MAX];      /* when each chain has the address of its next load */
    uint32_t chains;                  /* how many it has */
    struct sim_core core;
    bool streams;          /* what it stores past the caches takes the time that it takes */
    bool parked;           /* TRAFFIC_PARK: it is of no account to others */
    bool direct;           /* one chain and nothing else: its loads simply follow each other */
    uintptr_t overwritten; /* the line that was stored to last */
    bool timing;           /* between KERNEL_TICKS_BEGIN and KERNEL_TICKS_END */
    double begun_ns;
    struct sim_ledger at_begin, timed; /* timed: of the samples of this chase_run */
    struct sim_sampler sampler;
    jmp_buf out; /* where a load outside the window ends it */
};

/* A CPU that loads memory while another one chases. */
struct sim_loader {
    struct traffic_progress progress;
    struct sim_thread thread;
    const struct traffic *traffic;
    struct traffic_done begun, ended; /* when the first sample began, and the last one ended */
    bool faulted;
};

struct simulator {
    struct machine machine; /* what the engine sees */
    const struct sim_config *config;
    struct machine_description description;
    struct cache_level cache_level[SIM_CACHES_MAX];
    struct tlb_level tlb_level[TLB_LEVELS_MAX];
    struct cpu_info cpu_info[SIM_CPUS_MAX];
    struct dimm_info dimm[SIM_DIMMS_MAX];
    struct memory_range memory[SIM_PIECES_MAX]; /* by nodes */
    struct node_map nodes;

    struct sim_memory_system *cores;  /* [sim_config_cores] */
    struct sim_memory_system *system; /* that of the core that runs */
    struct sim_thread *run;           /* what the CPU that runs is doing */
    struct sim_thread first;          /* the one that the machine's calls are for */
    struct sim_coherence coherence;
    struct sim_crew crew;                      /* CPUs that run at the same time */
    struct sim_thread *together[SIM_CPUS_MAX]; /* what each of them is doing */
    struct sim_loader *loader;                 /* [loaders] in force for every chase */
    uint32_t loaders;
    struct sim_noise noise;
    bool emptied;   /* the caches were emptied at the beginning of this work */
    bool kept;      /* keep what this work stores; else it is computed when it is read */
    uint64_t asked; /* bit n: CPU n was asked for, and is ready */
    enum turbo_choice turbo[SIM_CPUS_MAX];
    struct sim_prefetch_request prefetch;
    uint64_t loads;
    double clock_ns; /* what the clocks are ahead, never positive */
    struct sim_faults faults;

    struct sim_window window;
    struct sim_path path; /* through it */
    void *host_memory;    /* backing of every window; NULL: none was opened yet */
    bool *host_stored;    /* of each of the host's large pages: it may hold anything but zeros */
    struct fault_info fault;

    struct sim_entry entry[SIM_ENTRIES_MAX]; /* a ring */
    uint64_t entries;

    struct sim_flip flip;
    uint64_t abort_after_loads;        /* 0: no key is pressed */
    const volatile sig_atomic_t *stop; /* set: the run is to end; NULL: nothing can stop it */
    struct sim_progress *progress;
    size_t progress_count;
};

/* config must outlive the simulator. progress room is allocated when keep_progress. */
void simulator_start(struct simulator *sim, const struct sim_config *config, bool keep_progress);
void simulator_stop(struct simulator *sim);
/* The virtual clock. */
double simulator_now_ns(const struct simulator *sim);
/* The same as the machine's clocks show it: they lag by as much as noise has shortened samples. */
double simulator_clock_ns(const struct simulator *sim);
double simulator_seconds(const struct simulator *sim);
/* A load of one of several chains, each of which has a ready time of its own. The address is in
 * the open window. */
uintptr_t simulator_load(struct simulator *sim, uint32_t chain, uintptr_t address);

/* Where an address of the open window is. */
struct sim_reference simulator_reference(const struct simulator *sim, uintptr_t address);
/* Writes what the path knows of the window into host memory; nothing else happens. */
void simulator_store_all(struct simulator *sim, const struct window *w);

/* ---- window.c: what the simulated machine's windows consist of */

uint64_t sim_window_limit(void *self, const struct window_request *request);
enum status sim_window_open(void *self, const struct window_request *request, struct window *out);
void sim_window_close(void *self, struct window *window);
void sim_window_span(void *self, const struct window *window, uint64_t bytes,
                     struct window_span *span);
phys_addr sim_window_phys(void *self, const struct window *window, uint64_t offset);
/* Closes the last window and gives the host its memory back. */
void sim_window_stop(struct simulator *sim);

/* ---- cpus.c: machine.cpu_ready, .prefetch_set, .prefetch_only_off */

bool sim_cpu_ready(void *self, uint32_t cpu, const char **why);
/* That CPU does what follows, at the frequency that it has now. False: it was not asked for, or is
 * not ready; nothing changes. */
bool sim_cpu_run_on(struct simulator *sim, uint32_t cpu);
/* How many can have work at once: all that start. */
uint32_t sim_cpus_at_once(const struct simulator *sim);
enum status sim_prefetch_set(void *self, uint32_t cpu, bool off, struct prefetch_report *report);
enum status sim_prefetch_only_off(void *self, uint32_t cpu, uint32_t index,
                                  struct prefetch_report *report);

/* ---- turbo.c: machine.turbo_set */

enum status sim_turbo_set(void *self, uint32_t cpu, enum turbo_choice choice,
                          struct turbo_report *report);

/* ---- describe.c */

void simulator_describe(struct simulator *sim);

#endif
