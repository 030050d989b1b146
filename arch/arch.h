/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPU interface: arch/x86_64 and arch/aarch64 implement the same symbols in files of the same
 * names. It does not depend on the firmware; efi/ calls it with boot services active, and
 * arch_quiet_run at TPL_HIGH_LEVEL. Functions marked pure access no registers and are tested on any
 * host. The others act on the calling CPU, and on one CPU at a time, arch_aside_run and the
 * kernels of several CPUs apart: state, stack and vectors of the quiet section are there once, and
 * what a section saves it restores before it ends. What a
 * trial found (prefetchers, turbo, frequencies, counters) holds for the CPU that it ran on; a
 * section on another one asks for it only after a trial there. */
#ifndef ARCH_ARCH_H
#define ARCH_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/chase/traffic.h"
#include "core/firmware/acpi.h"
#include "core/firmware/census.h"
#include "core/firmware/devicetree.h"
#include "core/inventory.h"
#include "core/machine.h"
#include "core/cpu/pmu.h"
#include "core/cpu/prefetch.h"
#include "core/cpu/same.h"
#include "core/clock/refclock.h"
#include "core/lib/status.h"
#include "core/mapping/tables.h"

/* ---- identification (describe.c) */

struct arch_facts {
    const char *arch;                            /* "x86_64", "aarch64" */
    char cpu_name[64];                           /* "" if unknown */
    struct cache_level caches[CACHE_LEVELS_MAX]; /* data and unified, nearest first */
    size_t cache_count;
    struct tlb_level tlbs[TLB_LEVELS_MAX];
    size_t tlb_count;
    uint32_t page_sizes; /* bit n: leaves of 2^n bytes */
    uint32_t line_bytes;
    enum guest guest; /* GUEST_UNKNOWN on AArch64: no register tells */
    char hypervisor[16];
    struct cpu_info boot_cpu;
    bool caches_doubtful; /* prefer the firmware tables' description of the caches */
    const char *no_park;  /* why TRAFFIC_PARK cannot be had; NULL: it can */
};

/* Reads the calling CPU's identification registers. Never fails; unknown values are 0 or "". */
void arch_describe(struct arch_facts *facts);

/* Fills microcode, memory_encryption and, where registers tell, cpu_kinds of *state (all unknown
 * before); in a quiet section of its own where that takes MSRs. *bits is for census_take. */
void arch_state_read(struct machine_state *state, struct census_bits *bits);

/* ---- time (clock.c) */

struct arch_clock {
    struct clock_declared declared; /* source: "CPUID 15h", "MSR 0xce", "CNTFRQ_EL0", ...; "" */
    uint64_t core_base_hz; /* the core's frequency without turbo, by the data sheet; 0: not told */
    bool invariant;
    const char *counter;     /* its name in messages: "TSC" */
    double resolution_ticks; /* smallest step seen between two readings */
};

/* What the CPU declares about its clock, without a comparison with another one. */
void arch_clock_declared(struct arch_clock *clock);
/* Reads the clock, fenced: neither earlier nor later loads move across. */
uint64_t arch_ticks(void);
/* Lists the reference clocks that the ACPI tables declare, best first (PM timer, HPET, PIT). Stores
 * at most `max`; returns how many. Reading one is a single port or MMIO read. */
size_t arch_refclocks(const struct acpi_facts *acpi, struct refclock *clocks, size_t max);
/* Returns the current core frequency in Hz from APERF/MPERF or PMCCNTR or, failing those, by timing
 * a chain of dependent one-cycle instructions. Takes about 50 us, up to 1 ms with a coarse clock of
 * tick_hz. 0: not measurable. *source names the method. Call it only inside the quiet section. */
double arch_core_hz(uint64_t tick_hz, const char **source);

/* Reads the registers that set or report frequencies and are documented for this CPU; those that
 * fault are named instead (frequency.c). Call it only inside the quiet section. */
void arch_frequency_read(struct frequency_registers *registers);

/* ---- memory types (memtype.c) */

/* Copies the registers that give memory types (MTRRs), in a quiet section of its own; call it once,
 * after arch_quiet_prepare. Does nothing on AArch64, where only the firmware's map decides. */
void arch_memory_types_read(void);
/* Returns an address, above base and at most end, up to which the CPU caches everything write-back
 * (*writeback) or nothing, by those registers; behind it the same may go on. Everything is
 * write-back where there are none. base is below end. Pure on what was read. */
phys_addr arch_memory_same_type(phys_addr base, phys_addr end, bool *writeback);

/* ---- page tables (pure_paging.c decides, paging.c reads the registers) */

/* The registers that determine the table format; the architecture's pure_control.h defines the
 * words. */
struct arch_paging {
    uint64_t root; /* CR3 or TTBR0_ELx as set by the firmware */
    uint64_t control[8];
};

void arch_paging_read(struct arch_paging *paging);

struct arch_table_request {
    struct arch_paging paging;
    struct table_request window;
};

/* Returns an upper bound of the arena bytes for such a window. Pure. */
uint64_t arch_tables_bytes(const struct arch_paging *paging, enum page_size page, enum map_mode map,
                           uint64_t pages);
/* Determines this CPU's table format and builds the tables (core/mapping/tables.h). Pure.
 * STATUS_UNSUPPORTED or STATUS_REFUSED: the registers do not permit it, or table_build refuses;
 * tree->refusal says why. */
enum status arch_tables_build(const struct arch_table_request *request, struct table_tree *tree);

/* ---- other CPUs (same.c reads, pure_same.c decides) */

/* Reads from the calling CPU what the quiet section, our page tables and the kernels take for
 * granted: how it translates, caches, and computes with vector registers. Outside the quiet section
 * too: no access of it faults, and nothing is written. */
void arch_same_read(struct same_words *same);
/* Why the other CPU cannot run what was prepared on the boot CPU, a clause about it, static; NULL:
 * it can. Pure. */
const char *arch_same_refusal(const struct same_words *boot, const struct same_words *other);

/* ---- CPUs turned on and off (power.c; AArch64: pure_psci.c decides), where the firmware has no
 * services that start them */

/* So much memory each of them needs, aligned to as much. */
#define ARCH_POWER_BYTES 16384

enum arch_power {
    ARCH_POWER_OFF,
    ARCH_POWER_ON,
    ARCH_POWER_TURNING_ON, /* it was asked for, and has not begun */
    ARCH_POWER_UNKNOWN     /* the firmware does not tell */
};

/* Whether CPUs can be turned on and off on this machine, by its tables and by one call, in a quiet
 * section of its own; before any other of these functions. NULL: they can; else why not, static,
 * said of another CPU. */
const char *arch_power_prepare(const struct acpi_facts *acpi, const struct devicetree_facts *tree);
/* Of another CPU; hardware_id as cpu_info has it. */
enum arch_power arch_power_state(uint64_t hardware_id);
/* Turns on one that is off. It runs body(arg) on the calling CPU's tables and vectors, as they are
 * now, with everything masked, and then turns itself off. room, of ARCH_POWER_BYTES, is its stack,
 * and stays until it is off. NULL: it was turned on; else why not, in words, static. */
const char *arch_power_on(uint64_t hardware_id, uintptr_t room, void (*body)(void *arg), void *arg);
/* Whether the CPU that was turned on in that room has run its body: before, its state says nothing,
 * because firmware is known that calls it off until it has begun (QEMU). */
bool arch_power_ran(uintptr_t room);
/* Why it could not turn itself off behind it, in words, static; NULL: it could, or is on its way.
 */
const char *arch_power_stays_on(uintptr_t room);

/* ---- prefetchers (pure_prefetch.c and core/cpu/prefetch.c decide, prefetch.c applies) */

/* Reads, modifies, writes, reads back and restores each of this CPU's controls once, in a quiet
 * section of its own, and reports the result. arch_quiet_run does not touch controls that did not
 * work. Never fails: states are in the report. */
void arch_prefetch_try(const struct prefetch_request *request, struct prefetch_report *report);
/* True if writing a control may hang the machine, because a higher exception level that forbids it
 * may halt instead of refusing (AArch64). The caller then writes only on request, after storing
 * *identity (of the CPU, never 0) in non-volatile memory. False: *identity is 0. */
bool arch_prefetch_is_risky(uint64_t *identity);

/* After an arch_prefetch_try with off and write requested: later quiet sections switch off only
 * prefetcher number `index` of those that worked; see prefetch_set_alone. Returns false if there is
 * none. */
bool arch_prefetch_only_off(uint32_t index, struct prefetch_report *report);

/* ---- turbo (turbo.c; x86-64: pure_turbo.c decides) */

/* Tries the choice once in a quiet section of its own, restores it, and reports the result; later
 * quiet sections that ask for turbo apply it. Never fails: the state is in the report. */
void arch_turbo_try(enum turbo_choice choice, struct turbo_report *report);

/* ---- frequencies of core and uncore (speed.c; x86-64: pure_speed.c decides) */

/* Tries the maximum once in a quiet section of its own, restores it, and reports the result; later
 * quiet sections that ask for that kind apply it. Never fails: the state is in the report. */
void arch_speed_try(enum speed_kind kind, struct speed_report *report);

/* ---- performance counters (pmu.c, pmu_try.c; pure_pmu.c and core/cpu/pmu.c decide) */

/* Tries them once in a quiet section of its own, restores every register, and reports what later
 * quiet sections with plan.count can count. Never fails. */
void arch_pmu_try(struct pmu_report *report);
/* Start and stop counting, inside such a section; elsewhere they do nothing. */
void arch_pmu_begin(void);
void arch_pmu_end(void);
/* Sets what the last section counted: llc_misses, page_walks and accesses. */
void arch_pmu_counts(struct machine_counters *delta);

/* ---- the sampler of ops (x86-64: ibs.c, ibs_try.c; pure_ibs.c decides) */

/* Tries it once in a quiet section of its own, restores its registers, and reports whether later
 * quiet sections with plan.sample can use it. Never fails. */
void arch_sampler_try(struct sampler_report *report);
/* Inside such a section: has one op followed from about here on, and takes it. take returns false
 * if none has been followed to its end since arm. Elsewhere they do nothing. */
void arch_sampler_arm(void);
bool arch_sampler_take(struct load_sample *sample);

/* ---- errors that the hardware has counted (errors.c; pure_errors.c decodes) */

/* Reads the calling CPU's error records in a quiet section of its own. Never fails: what could not
 * be read is said in *now. AArch64: older firmware may halt the machine at it (sysreg.h). */
void arch_errors_read(struct error_banks *now);

/* ---- the quiet section (quiet*.c, vectors.S, stack.S) */

/* Called from the exception path if execution cannot continue (double fault, machine check), with
 * the firmware's tables and vectors restored: prints the text on the firmware console, and resets.
 * It is called on the CPU that the section ran on; where that is not the boot CPU, the boot CPU
 * waits. banks: error records that hold what was not corrected, "bank 5 status 0x..."; "": none. */
typedef void arch_fatal(const char *text, const char *banks);

struct arch_quiet_counters {
    uint64_t nmi;            /* handled and resumed */
    uint64_t smi;            /* MACHINE_UNKNOWN: cannot be counted */
    uint64_t machine_checks; /* corrected, from the banks; MACHINE_UNKNOWN */
};

struct arch_quiet_plan {
    uint64_t root;     /* 0: keep the firmware's tables */
    bool prefetch_off; /* as far as arch_prefetch_try found it to work */
    bool turbo;        /* as far as arch_turbo_try found it to work */
    uint32_t speed;    /* bit n: enum speed_kind n, as far as arch_speed_try found it to work */
    bool count;        /* as far as arch_pmu_try found it to work */
    bool sample;       /* as far as arch_sampler_try found it to work */
    void (*body)(void *arg); /* runs on our stack with interrupts masked */
    void *arg;
};

struct arch_quiet_result {
    struct fault_info fault;
    char fault_text[1000]; /* cause, address, all registers; if STATUS_FAULT */
    struct arch_quiet_counters delta;
    uint64_t ticks; /* time with interrupts masked */
};

/* Prepares vectors and stack; call once before any arch_quiet_run. image_base is the load address
 * of our PE image, so that faults can be reported relative to it. */
enum status arch_quiet_prepare(uintptr_t image_base, arch_fatal *fatal);
/* Enters the quiet section: masks interrupts; switches vectors, stack, tables and prefetchers; runs
 * body; and undoes all in reverse order, whether body returned or faulted. Returns STATUS_OK or
 * STATUS_FAULT. Not reentrant. */
enum status arch_quiet_run(const struct arch_quiet_plan *plan, struct arch_quiet_result *result);

/* ---- beside the quiet section (aside.c): what other CPUs do at the same time */

/* So much memory each of them needs, aligned to as much. */
#define ARCH_ASIDE_BYTES 16384

struct arch_aside {
    uint64_t root; /* 0: keep the firmware's tables */
    void (*body)(void *arg);
    void *arg;
    bool faulted;
    struct fault_info fault; /* if it faulted */
};

/* room stays; it has ARCH_ASIDE_BYTES for each place. False: this architecture has no such thing.
 */
bool arch_aside_prepare(uintptr_t room, uint32_t places);
/* Runs body(arg) on the calling CPU, with interrupts masked, on the stack of that place, which no
 * other CPU uses meanwhile, with our vectors and those tables; all undone afterwards, whether body
 * returned or faulted. Prefetchers and frequencies stay as the firmware set them. False: nothing
 * ran, because this CPU's code segment is not the boot CPU's. */
bool arch_aside_run(struct arch_aside *aside, uint32_t place);

/* ---- kernels (chase.c: core/chase/kernels.h with this CPU's hooks); only inside the quiet
 * section */

void arch_chase(const struct chase_plan *plan, uint64_t tick_hz, struct chase_result *result);
void arch_probe(const struct probe_plan *plan);
void arch_pairs(const struct pair_plan *plan);
void arch_singles(const struct single_plan *plan);
void arch_reads(const struct reads_plan *plan);
/* Until traffic_stop; on a CPU of its own, where interrupts may be as they are. */
void arch_traffic(const struct traffic *traffic, struct traffic_progress *shared);
/* Lines handed over: prepare on either CPU before both others, which run at the same time, time on
 * plan->cpu and answer on plan->other. False: the other CPU did not answer. */
void arch_handoff_prepare(const struct handoff_plan *plan);
bool arch_handoff_time(struct handoff_plan *plan, uint64_t tick_hz);
void arch_handoff_answer(const struct handoff_plan *plan, uint64_t tick_hz);
/* Sets the CPU-dependent parts of a machine: chain_build, draw_fill and line_flush; and of its
 * description: chains_cycle_max, loads and build_bypasses. Leaves everything else unchanged. */
void arch_kernels_offer(struct machine *machine, struct machine_description *description);

/* ---- test build only (dump.c, inject.c) */

typedef void arch_dump_line(void *context, const char *name, uint64_t value);
/* Dumps every register that a run could change: control registers, descriptor tables, flags, PAT,
 * memory types, and this CPU's prefetch registers. */
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
/* Raises that fault; call it inside the quiet section. Returns false if it does not exist on this
 * CPU. */
bool arch_inject(enum arch_inject kind);

#endif
