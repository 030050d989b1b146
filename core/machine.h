/* SPDX-License-Identifier: BSD-2-Clause */
/* The interface between the engine and a machine. Implemented by efi/machine.c (the firmware
 * machine), tests/host/linux_machine.c (a process on Linux) and tests/sim/simulator.c (the
 * simulated one). The chase and build kernels are core/chase/kernels.h, instantiated by each
 * machine with its own hooks. The engine itself never executes a timed load, and touches window
 * memory only inside work_run. */
#ifndef CORE_MACHINE_H
#define CORE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/inventory.h"
#include "core/lib/phys.h"
#include "core/lib/phys_ranges.h"
#include "core/lib/status.h"

#define CHAINS_MAX      24
#define MACHINE_UNKNOWN UINT64_MAX /* a quantity that the machine cannot determine */
#define NODE_ANY        NODE_UNKNOWN
#define CPU_EVERY       UINT32_MAX       /* as many CPUs as the machine can have work at once */
#define CPU_EACH        (UINT32_MAX - 1) /* these too, each on one part of its own */
#define CPU_EACH_MAX    256              /* at most so many */

enum page_size { PAGE_4K = 12, PAGE_2M = 21, PAGE_1G = 30 }; /* log2 of bytes */
enum map_mode {
    MAP_WINDOW,
    MAP_IDENTITY,
    MAP_FIRMWARE, /* the firmware's own mapping, page size unknown */
    MAP_PROCESS   /* a process's memory, as the kernel maps it */
};
/* FRAMES_CONTIGUOUS: ascending in physical memory, as near to each other as can be.
 * FRAMES_AS_ALLOCATED: as the kernel allocated them. */
enum frame_order { FRAMES_SCATTERED, FRAMES_CONTIGUOUS, FRAMES_AS_ALLOCATED };

/* The memory to allocate and how to map it. */
struct window_request {
    uint64_t bytes; /* rounded up to whole pages by the machine */
    enum page_size page;
    enum map_mode map;
    enum frame_order order; /* MAP_IDENTITY and MAP_FIRMWARE support FRAMES_CONTIGUOUS only,
                               MAP_PROCESS not FRAMES_SCATTERED */
    uint32_t node;          /* NODE_ANY: any node */
    phys_addr from, below;  /* physical range [from, below), of whatever kind its memory is;
                               from == below: no limit, but only MEMORY_ORDINARY */
    uint64_t seed;          /* selects the order of scattered frames */
    /* Memory not to be taken, [avoided]; sorted, disjoint. Unless NULL the window is all that this
       leaves, down to single pages and whatever `bytes` says: the smaller it is. */
    const struct phys_range *avoid;
    size_t avoided;
};

/* Mapped memory. base is valid inside work_run and chase_run only. */
struct window {
    uintptr_t base;
    uint64_t bytes;           /* whole pages, at least the requested bytes */
    uint64_t populated_bytes; /* populated without window_populate; meaningless if that is NULL */
    uint64_t table_bytes;     /* of page tables that walks through this window can touch */
    enum page_size page;
    enum map_mode map;
    enum frame_order order;
    void *handle; /* private to the machine */
};

/* The physical memory behind a part of a window. */
struct window_span {
    phys_addr low, high; /* the lowest and the highest byte's address; UINT64_MAX: unknown */
    uint32_t node;       /* of all of it; NODE_UNKNOWN also where it is of several */
};

enum chase_kernel {
    KERNEL_CYCLE, /* follow pointers */
    KERNEL_IID,   /* independent uniform draws, computed from the loaded data */
    KERNEL_STREAM /* loads at a fixed stride, independent of each other */
};

/* How a hop reads its line. Only KERNEL_CYCLE supports kinds other than LOAD_PLAIN. */
enum chase_load {
    LOAD_PLAIN,
    LOAD_NT,    /* non-temporal */
    LOAD_FLUSH, /* each line is flushed from every cache, then its load is timed alone. A sample is
                   the sum of its hops' times, including the cost of timing
                   (chase_result.single_ticks). One chain, no hint, no work */
    LOAD_DIRTY  /* also stores to another word of the line */
};

/* A prefetch instruction for the next line, issued right after the load that yields its address. */
enum chase_hint { HINT_NONE, HINT_NTA, HINT_T0, HINT_T1, HINT_T2 };

/* Up to this many chains support every load, hint and work; more chains only plain hops. */
#define CHAINS_ANY_HOP 7

/* Where a chase continues: the next address of each chain, and its generator state. */
struct chase_cursor {
    uintptr_t next[CHAINS_MAX];
    uint64_t draw[CHAINS_MAX];
};

/* One op that the CPU's sampler followed. Cycles are of the core. */
struct load_sample {
    bool load;              /* a load of cacheable memory; else nothing below means anything */
    bool missed;            /* the first-level data cache */
    bool tlb_missed;        /* the first-level data TLB */
    uintptr_t address;      /* that it loaded from */
    uint32_t miss_cycles;   /* if missed: from the miss to the data, which is not load to use */
    uint32_t refill_cycles; /* if tlb_missed: of the TLB (sampler_report.refills) */
};

struct traffic_done;
struct traffic_progress;

/* The chase of one quiet section: warm_hops untimed, then samples of `hops` each. */
struct chase_plan {
    enum chase_kernel kernel;
    uint32_t cpu;    /* index in machine_description.cpus */
    uint32_t chains; /* 1 .. chains_cycle_max of KERNEL_CYCLE, else 1 */
    enum chase_load load;
    enum chase_hint hint;
    uint32_t work;       /* cycles of load-independent work after each round of hops */
    uint32_t line_bytes; /* LOAD_DIRTY stores to the word after the node's, cyclically in its line
                            of this size; nodes are whole lines apart */
    uint64_t warm_hops;  /* per chain */
    uint64_t hops;       /* per chain and sample, at least 1 */
    uint32_t samples;
    uint64_t *ticks; /* caller's array[samples]: clock ticks of each sample */
    bool *disturbed; /* caller's array[samples] or NULL: true if an SMI or NMI (in a process: the
                        kernel) interrupted the sample */
    uintptr_t base;  /* KERNEL_IID and KERNEL_STREAM use the `lines` nodes from base, which are
                        stride_bytes apart */
    uint64_t lines, stride_bytes;
    uint64_t limit_ns; /* start no further sample after this; 0: the machine's own limit */
    struct load_sample *sampled; /* caller's array[samples]: of each sample at most one op that the
                                    CPU's sampler followed; NULL: the sampler stays off */
    struct traffic_done *done; /* caller's array, one for each CPU given to load_start: what it did
                                  while the samples were taken; NULL: nobody asks */
    struct traffic_progress *const *loads; /* what they tell, if the kernel is to fill `done`; set
                                              by machines. NULL: it does not */
    uint32_t load_count;
    struct chase_cursor start;
};

/* Deltas over a chase_run. MACHINE_UNKNOWN if the machine cannot count them. llc_misses, page_walks
 * and accesses are of the timed samples alone. */
struct machine_counters {
    uint64_t core_cycles, smi, machine_checks;
    uint64_t llc_misses; /* loads that no cache of the CPU's had the line of */
    uint64_t page_walks; /* loads that waited for a page walk */
    uint64_t accesses;   /* all that these could have counted */
};

/* As reported by the CPU. text is the name of the vector or exception class ("#PF page fault"). */
struct fault_info {
    uint64_t kind, address, instruction, syndrome;
    const char *text;
};

/* Registers that set or report frequencies of the core and what is around it, as read. */
#define FREQUENCY_REGISTERS_MAX 12

struct frequency_register {
    const char *name; /* "PERF_STATUS" */
    uint64_t value;
};

struct frequency_registers {
    uint32_t count; /* those that could be read; 0: none */
    struct frequency_register list[FREQUENCY_REGISTERS_MAX];
    uint32_t unread_count; /* those that are documented for this CPU and could not be read */
    const char *unread[FREQUENCY_REGISTERS_MAX];
};

struct chase_result {
    uint32_t samples;    /* number of samples taken */
    uint32_t sampled;    /* number of ops in chase_plan.sampled */
    uint64_t hops_done;  /* per chain from start to end, including warm-up */
    double single_ticks; /* LOAD_FLUSH: cost of timing one hop, without its load; else 0 */
    struct chase_cursor end;
    struct machine_counters delta;
    double core_hz_before, core_hz_after; /* 0: unknown */
    struct frequency_registers frequency; /* at its end */
    uint64_t quiet_ns;
    struct fault_info fault; /* valid if STATUS_FAULT */
};

#define PROBE_TARGETS_MAX 16

/* One probe: flushes its targets and the touched lines from every cache, loads the touched lines
 * one after the other, waits, and then loads each target once, in order, each load between two
 * clock readings. All probes of a plan execute the same instructions, so that branch prediction
 * cannot tell them apart. Every address is that of a whole line inside the window. */
struct probe {
    uintptr_t touch;                     /* the first of probe_plan.touches adjacent lines */
    uintptr_t target[PROBE_TARGETS_MAX]; /* probe_plan.targets lines, none of them touched */
    uintptr_t again; /* loaded after the wait. The first target: it must then be found in a cache;
                        otherwise a line that is not part of the probe */
    uintptr_t drop;  /* flushed after that. The first target: it must then miss; otherwise a line
                        that is not part of the probe */
    uint32_t wait;   /* in core cycles */
};

/* The probes of one quiet section. */
struct probe_plan {
    uint32_t cpu;
    uint32_t line_bytes, touches; /* touches 0: no lines are touched */
    uint32_t targets;             /* of each probe, 1 to PROBE_TARGETS_MAX */
    const struct probe *probe;    /* caller's array[count] */
    uint32_t count;
    uint64_t *ticks; /* caller's array[count][targets]: ticks of the timed loads, including the
                        clock readings */
};

/* Two lines of the window. */
struct line_pair {
    uintptr_t a, b;
};

/* The pairs of one quiet section. In each round of a pair both lines are flushed from every cache
 * and then loaded, both loads in flight together. */
struct pair_plan {
    uint32_t cpu;
    uint32_t rounds;              /* of each pair, at least 1 */
    const struct line_pair *pair; /* caller's array[count] */
    uint32_t count;
    uint64_t *ticks; /* caller's array[count][rounds]: of the loads of each round, including the
                        clock readings */
};

/* The single accesses of one quiet section: each flushes its line from every cache, waits, and then
 * loads it between two clock readings. */
struct single_plan {
    uint32_t cpu;
    const uintptr_t *line; /* caller's array[lines], asked in turn, again and again */
    uint32_t lines;
    uint32_t wait_cycles; /* a power of two: each wait is a random number of core cycles below it,
                             so that accesses keep step with nothing */
    uint64_t seed;        /* of the waits */
    uint32_t count;       /* accesses */
    uint64_t *start;      /* caller's array[count]: the clock when the load began; readings of one
                             run may be compared, whatever lay between */
    uint64_t *ticks;      /* caller's array[count]: of the load, including the clock readings */
    double *timing_ticks; /* caller's: what the readings cost of that; NULL: is not measured */
};

/* Reads of a list of lines, in one quiet section. The list itself should stay in the first caches:
 * its words are read as well. */
struct reads_plan {
    uint32_t cpu;
    const uintptr_t *line; /* caller's array[lines], read in this order */
    uint32_t lines;
    bool in_turn; /* each read begins when the one before it is done; else as many are under way as
                     the CPU can have */
    bool flush; /* before each round all lines are flushed from every cache; else they are read once
                   before the first round, and are in whichever cache has room for them */
    uint32_t rounds;
    uint64_t *ticks; /* caller's array[rounds]: from before the first read until all are done */
};

/* What a CPU does to memory while a chase is timed on another one. What it writes back to memory
 * counts as written, what it reads in order to write is read too. */
enum traffic_kind {
    TRAFFIC_CHASE,    /* follows pointers, as KERNEL_CYCLE with LOAD_PLAIN */
    TRAFFIC_READ,     /* reads lines, as many under way as the CPU can have */
    TRAFFIC_2_1,      /* of two lines one is read, the other read and written */
    TRAFFIC_1_1,      /* every line is read and written */
    TRAFFIC_STORE_NT, /* whole lines are written by non-temporal stores, and none is read */
    TRAFFIC_SPIN,     /* runs, and touches no memory: its CPU is awake, and nothing else */
    TRAFFIC_PARK      /* halted until it is over: its core is another thread's alone. Not where
                         machine_description.no_park says why not */
};

/* Lines between two pauses; what is counted is whole blocks of so many. */
#define TRAFFIC_BLOCK 64

struct traffic {
    uint32_t cpu; /* that does it: not the chase's, and each at most once */
    enum traffic_kind kind;
    uint32_t chains;           /* TRAFFIC_CHASE: 1 to chains_cycle_max */
    struct chase_cursor start; /* TRAFFIC_CHASE: of these chains */
    /* All but those, TRAFFIC_SPIN and TRAFFIC_PARK: lines that nothing else uses, one line apart.
     */
    uintptr_t base;
    uint64_t lines;        /* a multiple of TRAFFIC_BLOCK; if random, a power of two */
    bool random;           /* in an order that prefetchers cannot follow; else ascending */
    uint32_t pause_cycles; /* about so long it waits after each block: its rate */
};

/* What it did meanwhile, by its own clock readings: it may begin and end a block earlier or later
 * than the samples. All 0: it did not run, or not all the time; or it was parked. */
struct traffic_done {
    uint64_t read_lines; /* TRAFFIC_CHASE: hops of all chains */
    uint64_t written_lines;
    uint64_t wakes; /* TRAFFIC_PARK: so often it was woken; its ticks are those between wakes */
    uint64_t ticks;
};

enum handoff_kind {
    HANDOFF_CLEAN,    /* the other CPU has just read the line; this one's load is timed */
    HANDOFF_MODIFIED, /* the other CPU has just stored to it; this one's load is timed */
    HANDOFF_SWAP      /* both compare and swap a word of it in turn; one turn is half of a round */
};

/* Lines handed from one CPU to another, both inside a quiet section. */
struct handoff_plan {
    uint32_t cpu, other; /* indices in machine_description.cpus; `cpu` takes the times */
    enum handoff_kind kind;
    const uintptr_t *line; /* caller's array[lines], of the window, no two in 128 aligned bytes */
    uint32_t lines;
    uintptr_t control; /* two more such lines, the second 128 bytes behind: they say whose turn it
                          is. Not used by HANDOFF_SWAP */
    uint32_t warm_rounds, rounds; /* of each line; warm ones are not timed */
    uint32_t batch;               /* HANDOFF_SWAP: rounds between two clock readings, at least 1 */
    uint64_t *ticks;              /* caller's array[lines][rounds]: of a load, or of `batch` rounds,
                                     including the clock readings */
    uint32_t wait_cycles;         /* before a timed load, up to so many and each time others */
    double *timing_ticks;         /* caller's: what the readings cost of that */
    double *timing_error_ticks;   /* caller's: the standard error of that */
    uint64_t limit_ns;            /* it ends then, whether the other CPU answers or not */
    uint32_t lines_done;          /* result: lines whose rounds are complete */
    const char
        *why; /* result of STATUS_UNSUPPORTED, in words, static; NULL: nothing more is known */
};

enum prefetch_state {
    PREFETCH_OFF,
    PREFETCH_ON,
    PREFETCH_UNSUPPORTED,  /* no documented control for this CPU, or no such register */
    PREFETCH_REFUSED,      /* the write faulted, or writing is not allowed */
    PREFETCH_NOT_HONOURED, /* written without a fault, but does not read back */
    PREFETCH_NOT_MEASURED  /* of a point: it was not measured, in whatever state they were */
};

#define PREFETCH_CONTROLS_MAX 16

/* One register field. requested and readback are the field's bits (value & mask), MACHINE_UNKNOWN
 * if the register was not or could not be read. */
struct prefetch_control {
    const char *name;   /* "MSR 0x1a4 MISC_FEATURE_CONTROL" */
    const char *source; /* document that describes it */
    uint64_t reg, mask, requested, readback;
    bool unofficial;
    bool disputed; /* sources disagree whether the CPU has it */
    bool ignored;  /* does not count towards the report's state: not a prefetcher, not tried, or
                      disputed and not there */
    bool stuck;    /* the firmware's value could not be restored */
    enum prefetch_state state;
};

struct prefetch_report {
    size_t count;
    struct prefetch_control control[PREFETCH_CONTROLS_MAX];
    enum prefetch_state state; /* of all controls: the worst of those tried */
    bool known_only;  /* no source lists this core's controls in full: PREFETCH_OFF says so of the
                         known ones, others may be on */
    bool speculates;  /* the memory controller of this family starts reads before the last level of
                         cache has answered, for random misses too; no core register stops it */
    bool aggregation; /* off also stops page aggregation, which the firmware had left on */
};

/* Frequencies above the base frequency. */
enum turbo_choice { TURBO_AS_FOUND, TURBO_OFF, TURBO_ON };

enum turbo_state {
    TURBO_STATE_OFF,
    TURBO_STATE_ON,
    TURBO_UNSUPPORTED, /* no turbo on this CPU, or no documented control */
    TURBO_REFUSED,     /* the write faulted, or writing is not allowed */
    TURBO_NOT_HONOURED /* written without a fault, but does not read back */
};

/* requested and readback are the control's bits, MACHINE_UNKNOWN if not requested or not
 * readable. */
struct turbo_report {
    enum turbo_state state;
    const char *name, *source; /* of the control; "" if there is none */
    uint64_t requested, readback;
    bool stuck; /* the firmware's value could not be restored */
};

/* What is asked to run at its maximum: the calling core; the uncore of its package (last cache,
 * ring or mesh). */
enum speed_kind { SPEED_PSTATE, SPEED_UNCORE, SPEED_KINDS };
enum speed_choice { SPEED_AS_FOUND, SPEED_MAX };

enum speed_state {
    SPEED_AT_MAX,      /* asked for, and read back; what the hardware makes of it is seen in the
                          core's frequency and the frequency registers of each point */
    SPEED_UNSUPPORTED, /* no documented control, or it cannot be used here */
    SPEED_REFUSED,     /* the write faulted */
    SPEED_NOT_HONOURED /* written without a fault, but does not read back */
};

/* requested and readback are the control's bits, MACHINE_UNKNOWN if not requested or not
 * readable. */
struct speed_report {
    enum speed_state state;
    const char *name, *source; /* of the control; "" if there is none */
    const char *why;           /* it is unsupported; else "" */
    uint64_t requested, readback;
    bool stuck; /* the firmware's value could not be restored */
};

/* The CPU's sampler of single ops. */
struct sampler_report {
    const char *name, *source; /* of the sampler; "" if there is none */
    const char *why;           /* it cannot be used; NULL: it can */
    bool refills;              /* load_sample.refill_cycles is known */
};

/* 0.1 %: clocks that differ by more disagree, and figures are marked */
#define CLOCK_WARNING_PPM 1000.0

/* What a declared frequency is worth. */
enum clock_grade {
    CLOCK_EXACT,   /* a ratio of a crystal that the CPU names */
    CLOCK_LABEL,   /* a figure that firmware or a hypervisor wrote down */
    CLOCK_NOMINAL, /* the round figure of a data sheet: real ones are off by 0.4 % and more */
    CLOCK_INFERRED /* a ratio of a crystal that the CPU does not name */
};

/* Where the frequency in use is from. */
enum clock_choice {
    CLOCK_DECLARED,
    CLOCK_MEASURED, /* against the second clock */
    CLOCK_CRYSTAL   /* the declared ratio of the crystal that the second clock points at */
};

struct clock_declared {
    uint64_t hz; /* 0: not declared */
    const char *source;
    enum clock_grade grade;
    /* The counter runs at numerator / denominator of a crystal that is not named; 0: not so. */
    uint32_t crystal_numerator, crystal_denominator;
};

struct clock_info {
    uint64_t hz;
    enum clock_choice choice;
    struct clock_declared declared;
    uint64_t crystal_hz;   /* of CLOCK_CRYSTAL, else 0 */
    uint64_t core_base_hz; /* the core's base frequency; 0: not told */
    double check_ppm;      /* spread or disagreement of the first estimate */
    double resolution_ticks;
    const char *source, *check_source; /* check_source is "" without a second clock */
    bool invariant;
};

/* One event of the CPU's performance counters; name NULL: it cannot be counted. */
struct counter_event {
    const char *name;   /* "LLC misses 2Eh/41h" */
    const char *source; /* document that describes it */
};

/* Comparison with the second clock over the run so far. */
struct clock_check {
    bool known;
    double ppm;     /* (first clock / second clock - 1) * 1e6 */
    double seconds; /* compared interval */
    const char *source;
    /* the same by the calendar, beside or instead of another second clock; 0 s: not compared */
    double calendar_ppm, calendar_s;
};

/* Errors that the hardware has counted: banks of a CPU's error records, of a kernel's counts. */
#define ERROR_BANKS_MAX 64
#define ERRORS_UNKNOWN  UINT64_MAX

enum error_counting {
    ERRORS_UNREAD,  /* no bank can be read: error_banks.why */
    ERRORS_PRESENT, /* a bank says that there was an error, not how many */
    ERRORS_COUNTED
};

enum error_severity {
    ERROR_CORRECTED,
    ERROR_DEFERRED, /* not corrected, and nobody has used the data yet */
    ERROR_UNCORRECTED
};

/* One bank as it was read. */
struct error_bank {
    bool valid; /* it holds an error; else only `corrected` means anything */
    enum error_severity severity;
    bool overflow;                  /* it has held another error before */
    bool memory;                    /* it is a memory controller's */
    uint64_t status, address, misc; /* registers; ERRORS_UNKNOWN: not valid */
    uint64_t physical;              /* where in memory; ERRORS_UNKNOWN: not told */
    uint64_t corrected;             /* errors that it has counted */
    bool saturated;                 /* and can count no further */
};

struct error_banks {
    enum error_counting counting;
    const char *source; /* "machine-check banks", ...; NULL: this machine has none */
    const char *why;    /* ERRORS_UNREAD: why; else NULL */
    uint32_t banks;     /* those below are meaningful */
    struct error_bank bank[ERROR_BANKS_MAX];
};

/* A note for the record: what is unavailable, and why. */
enum severity { SEVERITY_INFO, SEVERITY_WARNING, SEVERITY_ERROR };

struct machine_note {
    enum severity severity;
    const char *what, *why;
};

/* What of the machine's state changes figures. */
struct machine_state {
    uint64_t microcode;            /* its revision; 0: unknown */
    const char *memory_encryption; /* "none", "sme", "tme", "tme-bypassed"; NULL: unknown */
    uint32_t threads_per_core;     /* enabled ones of the running core; 0: unknown */
    uint32_t cpu_kinds;            /* of all enabled CPUs; 0: unknown */
    uint32_t nodes_per_package;    /* with CPUs, of the running one; 0: unknown */
};

struct machine_description {
    const char *arch, *firmware, *board, *bios, *cpu_name; /* "" if unknown, never NULL */
    const char *board_source;         /* what `board` is taken from, as board_name says it, or
                                         "machine-file"; NULL: nothing */
    const struct cache_level *caches; /* data and unified, nearest first */
    size_t cache_count;
    const struct tlb_level *tlbs;
    size_t tlb_count;
    const struct memory_range *memory; /* sorted, disjoint */
    size_t memory_count;
    const struct node_map *nodes; /* NULL: nothing tells of nodes */
    uint32_t home_node;           /* whose memory windows are made of; NODE_ANY: any */
    const struct cpu_info *cpus;  /* cpus[0] runs the engine */
    size_t cpu_count;
    struct machine_state state;
    const struct dimm_info *dimms;
    size_t dimm_count;
    struct module_arrays module_arrays;
    const struct smbios_cache *smbios_caches;
    size_t smbios_cache_count;
    /* Of the caches behind all those above that tables of the firmware alone declare; 0: none. They
     * are no proof: only where the search for a large enough set begins depends on them. */
    uint64_t side_cache_bytes;
    const char *side_cache_source;             /* "HMAT", "SMBIOS type 7"; not of 0 bytes */
    uint64_t smbios_cpu_hz, smbios_cpu_max_hz; /* as SMBIOS type 4 has them; 0: unknown */
    struct clock_info clock;
    struct counter_event llc_misses, page_walks; /* what machine_counters counts */
    uint32_t page_sizes;                         /* bit n: pages of 2^n bytes can be mapped */
    const char *no_park;                         /* why TRAFFIC_PARK cannot be had; NULL: it can */
    bool firmware_mapping; /* own page tables are impossible: every window is MAP_FIRMWARE,
                              page_sizes is nominally PAGE_4K, and a note says why */
    enum guest guest;      /* GUEST_YES: its host's tables choose the memory behind an address */
    bool hides_physical;   /* where windows lie is not to be known (machine.window_phys) */
    bool process_mapping;  /* running as a process: every window is MAP_PROCESS */
    const struct boot_errors *boot_errors; /* NULL: no firmware tables tell */
    uint32_t line_bytes;
    uint32_t chains_cycle_max;
    uint32_t loads;                   /* bit n: enum chase_load n is supported */
    bool build_bypasses;              /* chain_build leaves no line of a window in any cache */
    const struct machine_note *notes; /* what the machine knows to be unavailable; the engine emits
                                         them after the describing records */
    size_t note_count;
};

/* Destination of records: one whole line per call, without its newline. */
struct record_sink {
    void *context;
    enum status (*write)(void *context, const char *line, size_t bytes);
    enum status (*flush)(void *context);
    void (*expect)(void *context, uint64_t points); /* so many records of them; may be NULL */
};

/* Destination of text for people: console, report.txt. Lines end in '\n'. */
struct text_sink {
    void *context;
    void (*write)(void *context, const char *text, size_t bytes);
};

struct progress {
    const char *experiment;
    uint32_t done, total; /* points; total 0: other work, and what follows is of that alone */
    double done_share;    /* 0..1, of the run's estimated time */
    double left_s;        /* the remaining points' estimates, summed */
    const char *part;     /* of the point: "block"; NULL: it has none */
    uint32_t number;      /* of that part, from 1 on */
};

struct chain;

/* Processes the lines (or positions) [first, end) of a mapped window. */
typedef void window_work(void *arg, const struct window *w, uint64_t first, uint64_t end);

struct machine {
    void *self;
    const struct machine_description *description;

    /* Returns the largest size for which window_open would currently satisfy such a request (its
     * bytes are ignored); 0: none. */
    uint64_t (*window_limit)(void *self, const struct window_request *request);
    /* Allocates and maps. On STATUS_NO_MEMORY, STATUS_UNSUPPORTED or STATUS_ABORTED (the user asked
     * to stop) nothing stays allocated. The caller closes every opened window with window_close. */
    enum status (*window_open)(void *self, const struct window_request *request,
                               struct window *out);
    /* Populates the first `bytes` of a window; call it before using them. It is separate because
     * populating takes time that sets beyond the budget must not cost. After STATUS_NO_MEMORY or
     * STATUS_ABORTED, what was populated before remains usable. NULL: window_open populates. */
    enum status (*window_populate)(void *self, const struct window *window, uint64_t bytes);
    void (*window_close)(void *self, struct window *window);
    phys_addr (*window_phys)(void *self, const struct window *window, uint64_t offset);
    /* Where the first `bytes` (at least one) of a populated window lie. NULL: not to be known. */
    void (*window_span)(void *self, const struct window *window, uint64_t bytes,
                        struct window_span *span);

    /* Whether chases can run on that CPU, an index in machine_description.cpus; to be asked once
     * before the first, which may start it on trial. *why: in words, static, why not. On CPU 0 they
     * always can. NULL: on CPU 0 alone. */
    bool (*cpu_ready)(void *self, uint32_t cpu, const char **why);
    /* On how many CPUs CPU_EVERY and CPU_EACH have work done at once, now. On firmware these are
     * CPUs for which cpu_ready has said yes before. NULL: on one. */
    uint32_t (*work_cpus)(void *self);
    /* Calls work on slices of [first, end) on that CPU with the window mapped; each slice is short
     * enough for the quiet limit. CPU_EVERY, of work that only reads what arg points to: on several
     * CPUs at once, in any order, or on CPU 0 alone. CPU_EACH: on each CPU in one call, which does
     * one of as many equal parts in order, all at once; the caller asks for no more than takes some
     * 0.3 s. STATUS_UNSUPPORTED from CPU_EACH: nothing ran, as CPU 0 alone is as fast. STATUS_FAULT
     * fills *fault. Never returns STATUS_ABORTED. */
    enum status (*work_run)(void *self, const struct window *w, uint32_t cpu, window_work *work,
                            void *arg, uint64_t first, uint64_t end, struct fault_info *fault);
    /* This machine's kernel_build (core/chase/kernels.h); arg is a struct chain. */
    window_work *chain_build;
    /* This machine's kernel_fill; arg is a struct chain, whose order gives the number of lines. */
    window_work *draw_fill;
    /* This machine's kernel_march (core/chase/march.h); arg is a struct march_step. */
    window_work *march;
    /* Writes a line back and invalidates it in every cache; only inside work. */
    void (*line_flush)(const void *address);
    /* Reads a word back as a load does, faults of memory included; only inside work. NULL: a plain
     * load does. */
    uintptr_t (*word_read)(const void *address);
    /* Runs one quiet section of chasing, on plan->cpu. STATUS_UNSUPPORTED: that CPU, which was
     * ready, could not be started any more; nothing ran. */
    enum status (*chase_run)(void *self, const struct window *w, const struct chase_plan *plan,
                             struct chase_result *result);
    /* Runs one quiet section of probes, with prefetchers as for chases. STATUS_FAULT: a load
     * faulted; fills *fault. STATUS_UNSUPPORTED as from chase_run. Available only if LOAD_FLUSH is
     * supported. */
    enum status (*probe_run)(void *self, const struct window *w, const struct probe_plan *plan,
                             struct fault_info *fault);
    /* The same for pairs. */
    enum status (*pair_run)(void *self, const struct window *w, const struct pair_plan *plan,
                            struct fault_info *fault);
    /* The same for single accesses. */
    enum status (*single_run)(void *self, const struct window *w, const struct single_plan *plan,
                              struct fault_info *fault);
    /* The same for lists of lines. */
    enum status (*reads_run)(void *self, const struct window *w, const struct reads_plan *plan,
                             struct fault_info *fault);

    /* Has other CPUs do that in every later chase, from before its warming until its last sample,
     * until load_stop; in each they go on where they stopped in the one before. traffic is the
     * caller's array[count] and stays. Prefetchers of these CPUs
     * are as the firmware set them. Other plans run without it. STATUS_UNSUPPORTED: these CPUs and
     * a chase on `cpu` cannot run at the same time, *why says why not; nothing is in force. NULL:
     * this machine runs one CPU at a time. */
    enum status (*load_start)(void *self, const struct window *w, uint32_t cpu,
                              const struct traffic *traffic, uint32_t count, const char **why);
    void (*load_stop)(void *self);
    /* Runs one quiet section of handing lines over. STATUS_UNSUPPORTED: these two CPUs cannot run
     * at the same time; STATUS_ABORTED: the other one did not answer within limit_ns. NULL: this
     * machine runs one CPU at a time. */
    enum status (*handoff_run)(void *self, const struct window *w, struct handoff_plan *plan,
                               struct fault_info *fault);

    /* Switches prefetchers off (off true), or leaves them as the firmware set them, inside every
     * later chase on that CPU; each chase restores them at its end. Writes once here on trial, on
     * that CPU, so that report holds values that were read back. The state holds for one CPU at a
     * time: the one of the last call. */
    enum status (*prefetch_set)(void *self, uint32_t cpu, bool off, struct prefetch_report *report);
    /* The same with a single prefetcher off and all others as the firmware set them; in force until
     * the next call of either function. index counts from 0 the prefetchers that can be switched
     * individually and that worked on trial. report holds that one control, with state PREFETCH_ON
     * (the others are on) if it reads back as off. STATUS_UNSUPPORTED: no such prefetcher, nothing
     * changed. NULL: not supported by this machine. */
    enum status (*prefetch_only_off)(void *self, uint32_t cpu, uint32_t index,
                                     struct prefetch_report *report);
    /* Sets turbo on, off, or as found inside every later chase on that CPU; each chase restores it
     * at its end. Tried once here, so that report holds values that were read back. NULL: not
     * supported. */
    enum status (*turbo_set)(void *self, uint32_t cpu, enum turbo_choice choice,
                             struct turbo_report *report);

    /* Sets the core's or the uncore's frequency to the maximum inside every later chase on that
     * CPU, or leaves it as found (max false: *report is not touched); each chase restores it at its
     * end. Tried once here, so that report holds values that were read back. NULL: not supported.
     */
    enum status (*speed_set)(void *self, uint32_t cpu, enum speed_kind kind, bool max,
                             struct speed_report *report);

    /* Tries the CPU's sampler of ops once; only after that, and if *report says that it works, may
     * a chase have it follow loads (chase_plan.sampled). Its registers are restored here and at the
     * end of each chase. NULL: this machine has none. */
    void (*sampler_try)(void *self, struct sampler_report *report);

    /* Reads the error records of the engine's CPU, and clears none. NULL: this machine has none. */
    void (*errors_read)(void *self, struct error_banks *now);

    uint64_t (*wall_ns)(void *self); /* coarse and monotonic; for budgets only */
    /* Lets about so much time pass, at most half a second, without touching the window. */
    void (*wait)(void *self, uint64_t ns);
    void (*clock_check)(void *self, struct clock_check *out);
    bool (*abort_requested)(void *self);
    void (*progress)(void *self, const struct progress *now);
    /* Keeps what progress was told last where the next start finds it, if that is wanted and due.
     * Called wherever records may be saved. True: something was written, which leaves lines in the
     * caches as a save does. NULL: this machine keeps nothing. */
    bool (*mark)(void *self);
};

#endif
