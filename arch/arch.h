/* SPDX-License-Identifier: BSD-2-Clause */
/* How one CPU does it: the contract that arch/x86_64 and arch/aarch64 both fulfil with the same
 * symbols, in files of the same names. Nothing in here knows the firmware; efi/ calls it with boot
 * services alive, at TPL_HIGH_LEVEL around arch_quiet_run. Pure functions (named so) touch no
 * register and are tested on any host. */
#ifndef ARCH_ARCH_H
#define ARCH_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/firmware/acpi.h"
#include "core/inventory.h"
#include "core/machine.h"
#include "core/cpu/prefetch.h"
#include "core/clock/refclock.h"
#include "core/lib/status.h"
#include "core/mapping/tables.h"

/* ---- what the CPU says of itself (describe.c) */

struct arch_facts {
    const char *arch;                            /* "x86_64", "aarch64" */
    char cpu_name[64];                           /* "" when unknown */
    struct cache_level caches[CACHE_LEVELS_MAX]; /* data and unified, nearest first */
    size_t cache_count;
    struct tlb_level tlbs[TLB_LEVELS_MAX];
    size_t tlb_count;
    uint32_t page_sizes; /* bit n: leaves of 2^n bytes */
    uint32_t line_bytes;
    bool virtual_machine;
    char hypervisor[16];
    struct cpu_info boot_cpu;
    bool caches_doubtful; /* what the firmware's tables say of caches is the better word */
};

/* Reads the identification registers of the calling CPU. Never fails; unknowns are 0 or "". */
void arch_describe(struct arch_facts *facts);

/* ---- time (clock.c) */

struct arch_clock {
    uint64_t hz;        /* 0: the CPU does not say */
    const char *source; /* "CPUID 15h", "MSR 0xce", "CNTFRQ_EL0", ... */
    bool invariant;
    double resolution_ticks; /* smallest step seen between two reads */
};

/* What the CPU declares of its own clock, without measuring it against another one. */
void arch_clock_declared(struct arch_clock *clock);
/* The clock, fenced on both sides so that neither earlier nor later loads move across. */
uint64_t arch_ticks(void);
/* Second clocks that this machine's tables promise, best first (PM timer, HPET, PIT). Answers how
 * many of at most `most` were written. Reading one is one port or MMIO read. */
size_t arch_refclocks(const struct acpi_facts *acpi, struct refclock *clocks, size_t most);
/* The core's own frequency now, by APERF/MPERF or PMCCNTR or, failing those, by timing a chain of
 * dependent one-cycle instructions; takes about 50 us, up to 1 ms where the clock is coarse.
 * tick_hz is the clock's. 0: not measurable.
 * *source names the method. Call it inside the quiet section only. */
double arch_core_hz(uint64_t tick_hz, const char **source);

/* ---- memory types (memtype.c) */

/* True when the CPU caches the whole physical range write-back, as far as its own registers decide
 * it (MTRRs; on AArch64 the firmware map alone decides and this is true). */
bool arch_memory_is_writeback(phys_addr base, uint64_t bytes);

/* ---- page tables (pure_paging.c decides and is pure, paging.c reads the registers) */

/* The registers that decide what tables must look like; the words' meaning is the architecture's
 * and stands in its pure_control.h. */
struct arch_paging {
    uint64_t root; /* CR3, TTBR0_ELx as the firmware has it */
    uint64_t control[8];
};

void arch_paging_read(struct arch_paging *paging);

struct arch_table_request {
    struct arch_paging paging;
    struct table_request window;
};

/* Upper bound of arena bytes for such a window. Pure. */
uint64_t arch_tables_bytes(const struct arch_paging *paging, enum page_size page, enum map_mode map,
                           uint64_t pages);
/* Decides what this CPU's tables must look like and builds them (core/mapping/tables.h). Pure.
 * STATUS_UNSUPPORTED and STATUS_REFUSED: registers that do not allow it, and what table_build
 * refuses; tree->refusal says which. */
enum status arch_tables_build(const struct arch_table_request *request, struct table_tree *tree);

/* ---- prefetchers (pure_prefetch.c and core/cpu/prefetch.c decide, prefetch.c applies) */

/* Reads, modifies, writes, reads back and restores each control of this CPU once, inside a quiet
 * section of its own, and says what came of it. Controls that did not work are not touched again
 * by arch_quiet_run. Never fails: states are in the report. */
void arch_prefetch_try(const struct prefetch_wish *wish, struct prefetch_report *report);
/* True where writing a control can cost the machine, because a level above us that forbids it may
 * halt instead of refusing (AArch64): the caller writes only when asked to, and leaves a mark with
 * *identity (of the CPU, never 0) in non-volatile memory before. False: *identity is 0. */
bool arch_prefetch_is_risky(uint64_t *identity);

/* After an arch_prefetch_try with off and write wished: later quiet sections switch off only the
 * prefetcher of that number, of those that obeyed; see prefetch_set_alone. False: no such one. */
bool arch_prefetch_alone(uint32_t index, struct prefetch_report *report);

/* ---- turbo (turbo.c; x86-64: pure_turbo.c decides) */

/* Tries the choice once, inside a quiet section of its own, restores, and says what came of it;
 * later quiet sections that ask for turbo do the same. Never fails: the state is in the report. */
void arch_turbo_try(enum turbo_choice choice, struct turbo_report *report);

/* ---- the quiet section (quiet.c, vectors.S) */

/* Called from the exception path when nothing can go on (double fault, machine check): prints the
 * text on the firmware console and resets. The firmware's own tables and vectors are back. */
typedef void arch_fatal(const char *text);

struct arch_quiet_counters {
    uint64_t nmi;            /* caught and resumed */
    uint64_t smi;            /* MACHINE_UNKNOWN: not countable */
    uint64_t machine_checks; /* corrected, from the banks; MACHINE_UNKNOWN */
};

struct arch_quiet_plan {
    uint64_t root;           /* 0: stay in the firmware's tables */
    bool prefetch_off;       /* as arch_prefetch_try found possible */
    bool turbo;              /* as arch_turbo_try found possible */
    void (*body)(void *arg); /* runs on our stack, interrupts masked */
    void *arg;
};

struct arch_quiet_result {
    struct fault_info fault;
    char fault_text[1000]; /* what, where, all registers; when STATUS_FAULT */
    struct arch_quiet_counters delta;
    uint64_t ticks; /* how long interrupts were masked */
};

/* Prepares vectors and stack; once, before any arch_quiet_run. image_base is where our PE lies, so
 * that an instruction's address can be given relative to it. */
enum status arch_quiet_prepare(uintptr_t image_base, arch_fatal *fatal);
/* The one way in and out: masks, switches vectors, stack, tables, prefetchers; runs body; undoes
 * all in reverse order, whether body returned or faulted. STATUS_OK or STATUS_FAULT. Not
 * reentrant. */
enum status arch_quiet_run(const struct arch_quiet_plan *plan, struct arch_quiet_result *result);

/* ---- kernels (chase.c: core/chase/kernels.h with this CPU's hooks); inside the quiet section */

void arch_chase(const struct chase_plan *plan, uint64_t tick_hz, struct chase_result *result);
void arch_probe(const struct probe_plan *plan);
/* Fills in what a machine takes from its CPU: chain_build, draw_fill and line_flush; and in its
 * description chains_cycle_max, loads and build_bypasses. Leaves the rest as it is. */
void arch_kernels_offer(struct machine *machine, struct machine_description *description);

/* ---- only linked into the test build (dump.c, inject.c) */

typedef void arch_dump_line(void *context, const char *name, uint64_t value);
/* Every register that a run could have changed: control registers, descriptor tables, flags, PAT,
 * memory types, every prefetch register of the tables that this CPU has. */
void arch_dump(arch_dump_line *line, void *context);

enum arch_inject {
    ARCH_INJECT_UD,
    ARCH_INJECT_PF,
    ARCH_INJECT_GP,
    ARCH_INJECT_MSR_GP,
    ARCH_INJECT_NMI,
    ARCH_INJECT_MC,
    ARCH_INJECT_DF,
    ARCH_INJECT_SERROR
};
/* Raises that fault; call it inside the quiet section. False: no meaning on this CPU. */
bool arch_inject(enum arch_inject kind);

#endif
