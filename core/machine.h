/* SPDX-License-Identifier: BSD-2-Clause */
/* What the engine may ask of a machine. Implemented by efi/machine.c (the firmware machine) and
 * tests/sim/machine.c (the simulated one). The chase and build kernels are core/chase/kernels.h,
 * instantiated by each machine with its own hooks; the engine itself never executes a timed load
 * and touches window memory only inside work_run. */
#ifndef CORE_MACHINE_H
#define CORE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/inventory.h"
#include "core/lib/phys.h"
#include "core/lib/status.h"

#define CHAINS_MAX      24
#define MACHINE_UNKNOWN UINT64_MAX /* a quantity the machine cannot tell */
#define NODE_ANY        UINT32_MAX

enum page_size { PAGE_4K = 12, PAGE_2M = 21, PAGE_1G = 30 }; /* log2 of bytes */
enum map_mode {
    MAP_WINDOW,
    MAP_IDENTITY,
    MAP_FIRMWARE, /* as the firmware has it, in pages of a size that nobody knows */
    MAP_PROCESS   /* a process's memory, as the kernel maps it */
};
/* FRAMES_FOUND: as the kernel gave them; nobody chose. */
enum frame_order { FRAMES_SCATTERED, FRAMES_CONTIGUOUS, FRAMES_FOUND };

/* What memory is wanted, and how it shall be mapped. */
struct window_request {
    uint64_t bytes; /* rounded up to whole pages by the machine */
    enum page_size page;
    enum map_mode map;
    enum frame_order order; /* MAP_IDENTITY and MAP_FIRMWARE know FRAMES_CONTIGUOUS only,
                               MAP_PROCESS FRAMES_FOUND */
    uint32_t node;          /* NODE_ANY: anywhere */
    phys_addr from, below;  /* physical range [from, below); from == below: anywhere */
    uint64_t seed;          /* decides the order of scattered frames */
};

/* Mapped memory. base is valid inside work_run and chase_run only. */
struct window {
    uintptr_t base;
    uint64_t bytes;       /* whole pages, at least what was asked */
    uint64_t made_bytes;  /* so many of them need no window_make; meaningless where that is NULL */
    uint64_t table_bytes; /* of page tables that a walk through this window can touch */
    enum page_size page;
    enum map_mode map;
    enum frame_order order;
    void *handle; /* the machine's */
};

enum chase_kernel {
    KERNEL_CYCLE, /* follow pointers */
    KERNEL_IID,   /* independent uniform draws, computed from the loaded data */
    KERNEL_STREAM /* loads at a fixed distance, none of which waits for another */
};

/* How a hop reads its line. Only KERNEL_CYCLE knows others than LOAD_PLAIN. */
enum chase_load {
    LOAD_PLAIN,
    LOAD_NT,    /* with the CPU's hint that the line will not be used again */
    LOAD_FLUSH, /* dropped from every cache first, then timed singly: a sample is the sum of its
                   hops' times, what timing itself takes (chase_result.single_ticks) still in; one
                   chain, no hint, no work */
    LOAD_DIRTY  /* another word of the line is written too */
};

/* A prefetch instruction for the line just learnt of, at once after the load. */
enum chase_hint { HINT_NONE, HINT_NTA, HINT_T0, HINT_T1, HINT_T2 };

/* Up to so many chains every load, hint and work can be had; above it only plain hops. */
#define CHAINS_ANY_HOP 7

/* Where a chase goes on: the address that each chain loads next, and the state of its draws. */
struct chase_cursor {
    uintptr_t at[CHAINS_MAX];
    uint64_t draw[CHAINS_MAX];
};

/* One quiet section's worth of chasing: warm_hops untimed, then samples of hops each. */
struct chase_plan {
    enum chase_kernel kernel;
    uint32_t cpu;    /* index in machine_description.cpus */
    uint32_t chains; /* 1 .. chains_cycle_max of KERNEL_CYCLE, else 1 */
    enum chase_load load;
    enum chase_hint hint;
    uint32_t work;       /* cycles of work that waits for no load, after each round of hops */
    uint32_t line_bytes; /* LOAD_DIRTY writes the word after the node's, in the same line of so many
                            bytes (after the last word the first); nodes are whole lines apart */
    uint64_t warm_hops;  /* per chain */
    uint64_t hops;       /* per chain and sample, at least 1 */
    uint32_t samples;
    uint64_t *ticks; /* caller's array[samples]: clock ticks each sample took */
    bool *disturbed; /* caller's array[samples] or NULL: an SMI or NMI fell into the sample, or
                        what the kernel does to a process */
    uintptr_t base;  /* KERNEL_IID draws from, KERNEL_STREAM walks, the `lines` nodes of
                        stride_bytes from base on */
    uint64_t lines, stride_bytes;
    uint64_t limit_ns; /* no further sample is started after this; 0: the machine's own limit */
    struct chase_cursor start;
};

/* Counted over a chase_run. MACHINE_UNKNOWN where the machine cannot count. */
struct machine_counters {
    uint64_t core_cycles, smi, machine_checks, llc_misses, page_walks;
};

/* As the CPU gave them. text is the vector's or exception class's name ("#PF page fault"). */
struct fault_info {
    uint64_t kind, address, instruction, syndrome;
    const char *text;
};

struct chase_result {
    uint32_t samples;    /* how many of the planned ones were taken */
    uint64_t hops_done;  /* per chain, warm-up included: the cursor's way from start to end */
    double single_ticks; /* LOAD_FLUSH: what timing one hop takes without its load; else 0 */
    struct chase_cursor end;
    struct machine_counters delta;
    double core_hz_before, core_hz_after; /* 0: unknown */
    uint64_t quiet_ns;
    struct fault_info fault; /* meaningful when STATUS_FAULT */
};

#define PROBE_TARGETS_MAX 16

/* One probe: its targets and the touched lines are dropped from every cache, the latter are loaded
 * one after the other, and after a while each target is loaded once, in order, that load alone
 * between two readings of the clock. No two probes of a plan differ in their instructions, so that
 * no CPU can guess wrongly what this one does. Every address is of a whole line inside the window.
 */
struct probe {
    uintptr_t touch;                     /* the first of probe_plan.touches lines side by side */
    uintptr_t target[PROBE_TARGETS_MAX]; /* probe_plan.targets of them, none of those */
    uintptr_t again; /* loaded after the while: the first target, and it must be found in a cache;
                        else a line that has no part in this */
    uintptr_t drop;  /* then dropped from every cache: the first target, and it must not; else
                        another such */
    uint32_t wait;   /* the while, in core cycles */
};

/* One quiet section's worth of them. */
struct probe_plan {
    uint32_t cpu;
    uint32_t line_bytes, touches; /* touches 0: nothing is touched */
    uint32_t targets;             /* 1 to PROBE_TARGETS_MAX, of each probe */
    const struct probe *probe;    /* caller's array[count] */
    uint32_t count;
    uint64_t *ticks; /* caller's array[count][targets]: what the timed loads took, the readings in
                        it */
};

enum prefetch_state {
    PREFETCH_OFF,
    PREFETCH_ON,
    PREFETCH_UNSUPPORTED, /* no documented control for this CPU, or the register is not there */
    PREFETCH_REFUSED,     /* the write faulted, or we may not write */
    PREFETCH_NOT_HONOURED /* written without a fault, but it does not read back */
};

#define PREFETCH_CONTROLS_MAX 16

/* One register field. requested and readback are the field's bits (value & mask),
 * MACHINE_UNKNOWN where the register was not or could not be read. */
struct prefetch_control {
    const char *name;   /* "MSR 0x1a4 MISC_FEATURE_CONTROL" */
    const char *source; /* where the fact comes from */
    uint64_t reg, mask, requested, readback;
    bool unofficial;
    bool stuck; /* the firmware's bits could not be written back */
    enum prefetch_state state;
};

struct prefetch_report {
    size_t count;
    struct prefetch_control control[PREFETCH_CONTROLS_MAX];
    enum prefetch_state state; /* of all controls together: the worst of those tried */
};

/* The core's own opportunity to run faster than its base frequency. */
enum turbo_choice { TURBO_AS_FOUND, TURBO_OFF, TURBO_ON };

enum turbo_state {
    TURBO_STATE_OFF,
    TURBO_STATE_ON,
    TURBO_UNSUPPORTED, /* this CPU has none, or no documented control */
    TURBO_REFUSED,     /* the write faulted, or we may not write */
    TURBO_NOT_HONOURED /* written without a fault, but it does not read back */
};

/* requested and readback are the control's bits, MACHINE_UNKNOWN where not asked or not readable.
 */
struct turbo_report {
    enum turbo_state state;
    const char *name, *source; /* the control; "" when there is none */
    uint64_t requested, readback;
    bool stuck; /* the firmware's bits could not be written back */
};

struct clock_info {
    uint64_t hz;
    double check_ppm; /* spread or disagreement of the first estimate */
    double resolution_ticks;
    const char *source, *check_source; /* check_source "" when there is no second clock */
    bool invariant;
};

/* The answer of the second clock over the whole run so far. */
struct clock_check {
    bool known;
    double ppm;     /* (first clock / second clock - 1) * 1e6 */
    double seconds; /* over how long */
    const char *source;
};

/* A note for the record: what could not be had, and why. */
enum severity { SEVERITY_INFO, SEVERITY_WARNING, SEVERITY_ERROR };

struct machine_note {
    enum severity severity;
    const char *what, *why;
};

struct machine_description {
    const char *arch, *firmware, *board, *bios, *cpu_name; /* "" when unknown, never NULL */
    const struct cache_level *caches; /* data and unified ones, nearest first */
    size_t cache_count;
    const struct tlb_level *tlbs;
    size_t tlb_count;
    const struct memory_range *memory; /* sorted, disjoint */
    size_t memory_count;
    const struct cpu_info *cpus; /* [0] runs the engine */
    size_t cpu_count;
    const struct dimm_info *dimms;
    size_t dimm_count;
    struct clock_info clock;
    uint32_t page_sizes;   /* bit n: pages of 2^n bytes can be mapped */
    bool firmware_mapping; /* no page tables of our own can be had: every window is MAP_FIRMWARE,
                              and page_sizes PAGE_4K for form's sake; a note says why */
    bool process_mapping;  /* a process: every window is MAP_PROCESS on FRAMES_FOUND */
    uint32_t line_bytes;
    uint32_t chains_cycle_max;
    uint32_t loads;                   /* bit n: enum chase_load n can be had */
    bool build_bypasses;              /* chain_build leaves no line of a window in any cache */
    const struct machine_note *notes; /* what the machine already knows it could not have; the
                                         engine emits them after the describing records */
    size_t note_count;
};

/* Where records go: one whole line a call, without its newline. */
struct record_sink {
    void *context;
    enum status (*write)(void *context, const char *line, size_t bytes);
    enum status (*flush)(void *context);
};

/* Where text for people goes: console, report.txt. Lines end in '\n'. */
struct text_sink {
    void *context;
    void (*write)(void *context, const char *text, size_t bytes);
};

struct progress {
    const char *experiment;
    uint32_t done, total; /* points */
    double done_share;    /* 0..1 of the whole run's estimated time */
    double left_s;        /* the remaining points' estimates, summed */
};

struct chain;

/* A slice of work on lines (or positions) [first, end) of a mapped window. */
typedef void window_work(void *arg, const struct window *w, uint64_t first, uint64_t end);

struct machine {
    void *self;
    const struct machine_description *description;

    /* The largest request like this one (bytes ignored) that window_open can satisfy now; 0: none.
     */
    uint64_t (*window_limit)(void *self, const struct window_request *request);
    /* Allocates and maps. STATUS_NO_MEMORY, STATUS_UNSUPPORTED or STATUS_ABORTED (asked to stop
     * meanwhile) leave nothing behind. Every window opened is closed with window_close. */
    enum status (*window_open)(void *self, const struct window_request *request,
                               struct window *out);
    /* Before anything is done with the first `bytes` of a window: makes them, where that takes its
     * time, and is not to be done for sets that the budget does not hold. STATUS_NO_MEMORY,
     * STATUS_ABORTED: what was made before can still be used. NULL: windows are whole from the
     * beginning. */
    enum status (*window_make)(void *self, const struct window *window, uint64_t bytes);
    void (*window_close)(void *self, struct window *window);
    phys_addr (*window_phys)(void *self, const struct window *window, uint64_t offset);

    /* Calls work on slices of [first, end) with the window mapped, on that CPU, each slice short
     * enough for the quiet limit. STATUS_FAULT fills *fault. STATUS_ABORTED is not answered. */
    enum status (*work_run)(void *self, const struct window *w, uint32_t cpu, window_work *work,
                            void *arg, uint64_t first, uint64_t end, struct fault_info *fault);
    /* The machine's instance of kernel_build (core/chase/kernels.h); arg is a struct chain. */
    window_work *chain_build;
    /* The machine's instance of kernel_fill; arg is a struct chain (its order's lines count). */
    window_work *draw_fill;
    /* Writes a line back and drops it from every cache; inside work only. */
    void (*line_flush)(const void *address);
    /* One quiet section. */
    enum status (*chase_run)(void *self, const struct window *w, const struct chase_plan *plan,
                             struct chase_result *result);
    /* One quiet section of probes, prefetchers as they are for chases. STATUS_FAULT: a load went
     * wrong, and *fault says which. Only where LOAD_FLUSH can be had. */
    enum status (*probe_run)(void *self, const struct window *w, const struct probe_plan *plan,
                             struct fault_info *fault);

    /* Asks that prefetchers be off (off true) or as the firmware left them inside every later
     * chase on that CPU, undone on leaving; report holds what was read back there. Writing happens
     * once here, on trial, so that the report is true. */
    enum status (*prefetch_set)(void *self, uint32_t cpu, bool off, struct prefetch_report *report);
    /* The same with one prefetcher alone off, every other as the firmware left it; holds until the
     * next call of either. Prefetchers that can be switched by themselves, and that obeyed on
     * trial, are numbered from 0; report holds that one only, and its state is PREFETCH_ON when it
     * reads back as off (the others are on). STATUS_UNSUPPORTED: no prefetcher of that number,
     * nothing is changed. NULL: this machine cannot. */
    enum status (*prefetch_alone)(void *self, uint32_t cpu, uint32_t index,
                                  struct prefetch_report *report);
    /* Asks for turbo on, off, or as found inside every later chase on that CPU, undone on leaving;
     * tried once here, so that the report is true. NULL: this machine cannot. */
    enum status (*turbo_set)(void *self, uint32_t cpu, enum turbo_choice choice,
                             struct turbo_report *report);

    uint64_t (*wall_ns)(void *self); /* coarse, monotone; budgets only */
    void (*clock_check)(void *self, struct clock_check *out);
    bool (*abort_asked)(void *self);
    void (*progress)(void *self, const struct progress *now);
};

#endif
