/* SPDX-License-Identifier: BSD-2-Clause */
/* What a simulated machine consists of: the known truth for every figure that the engine recovers.
 * A machine file (tests/sim/machine_file.h, docs/simulator.md) says the same in text. */
#ifndef TESTS_SIM_CONFIG_H
#define TESTS_SIM_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_CACHES_MAX      8
#define SIM_TLBS_MAX        4
#define SIM_PREFETCHERS_MAX 8
#define SIM_FAULTS_MAX      16
#define SIM_SLOW_MAX        32
#define SIM_MODULES_MAX     16
#define SIM_HOLES_MAX       8
#define SIM_DIMMS_MAX       32
#define SIM_CPUS_MAX        64
#define SIM_NAME_MAX        32
#define SIM_WAYS_MAX        64
#define SIM_MISSES_MAX      64
#define SIM_WINDOW_MAX      1024
#define SIM_MEMORY_BASE     (4ull << 30)
#define SIM_MEMORY_MAX      (16ull << 40)
/* Lines of memory; page tables have the numbers from there on. With more, up to SIM_LINES_WIDE,
 * numbers do not fit into 32 bits. */
#define SIM_LINES_MAX  (1u << 30)
#define SIM_LINES_WIDE (1ull << 40)

enum sim_page { SIM_PAGE_4K, SIM_PAGE_2M, SIM_PAGE_1G, SIM_PAGES };

/* A length of time: in core cycles, which follow the core's frequency, or in ns, which do not. */
struct sim_time {
    double value;
    bool cycles;
};

/* SIM_RANDOM fills empty ways first, SIM_RANDOM_ANY takes any way, whether it is empty or not. */
enum sim_policy {
    SIM_LRU,
    SIM_TREE_PLRU,
    SIM_RANDOM,
    SIM_RANDOM_ANY,
    SIM_QLRU, /* ages of two bits, tests/sim/age.h */
    SIM_POLICIES
};
/* Relation to the levels nearer to the core: holds all that they hold; holds only their victims; or
 * neither. */
enum sim_inclusion { SIM_NEITHER, SIM_INCLUSIVE, SIM_EXCLUSIVE };

struct sim_cache_config {
    char name[SIM_NAME_MAX];
    uint64_t bytes;
    uint32_t ways, line_bytes;
    struct sim_time latency; /* load to use of a hit here */
    enum sim_policy policy;
    enum sim_inclusion inclusion;
    bool memory_side;        /* in front of memory, beyond every cache of the cores; the last one */
    uint32_t slices;         /* equal parts, chosen by a hash; 0 or 1: one */
    uint64_t declared_bytes; /* what registers declare; 0: the truth, or nothing if memory-side */
    uint64_t smbios_bytes;   /* what tables of the firmware alone declare; 0: nothing */
};
/* A declared_bytes: registers do not declare it. */
#define SIM_UNDECLARED UINT64_MAX

struct sim_tlb_config {
    uint32_t entries[SIM_PAGES], ways[SIM_PAGES]; /* 0: holds no pages of that size */
    /* Of all sizes in shared_by (bit n: pages of 2^n bytes; 0: any) that have none of their own. */
    uint32_t shared_entries, shared_ways, shared_by;
    enum sim_policy policy;
    struct sim_time penalty; /* extra cost of a hit here over one in the first level */
};

/* Whether a host's tables translate the addresses once more, and with which page size. */
enum sim_nested { SIM_NOT_NESTED, SIM_NESTED_4K, SIM_NESTED_2M, SIM_NESTED_1G };

struct sim_walk_config {
    bool loads;             /* entries are loaded through the caches; else a walk takes `cost` */
    struct sim_time cost;   /* in addition to the loads, when there are loads */
    uint32_t first_cache;   /* 1: walks look in the first cache too */
    uint32_t entries[3];    /* paging-structure caches: entries that cover 2 MiB, 1 GiB, 512 GiB;
                               0: none */
    uint32_t coalesce;      /* pages that one TLB entry holds when their frames are contiguous */
    enum sim_nested nested; /* the host's pages; physical addresses are the guest's then */
    uint32_t nested_entries[3]; /* as above, of the host's tables */
};

/* What the machine says that a CPU is, as CPUID does. */
enum sim_cpu_kind { SIM_CPU_UNTOLD, SIM_CPU_PERFORMANCE, SIM_CPU_EFFICIENCY };

/* How far the core runs ahead of outstanding loads, and what timing and flushing cost. */
struct sim_core_config {
    uint32_t window;        /* instructions in the reorder buffer */
    uint32_t loads;         /* that can begin in a cycle */
    bool nt_fills_all;      /* non-temporal loads fill every cache, as plain ones do */
    struct sim_time timer;  /* one reading of the counter that waits for earlier loads */
    struct sim_time flush;  /* flushing a line from every cache, until it is done */
    double asleep_ns;       /* added to what leaves the private caches while no other core runs */
    double sibling_ns;      /* the same while another thread of the core runs */
    enum sim_cpu_kind kind; /* of the machine's own CPU */
};

enum sim_prefetch_kind {
    SIM_NEXT_LINE,
    SIM_ADJACENT_LINE,
    SIM_STREAM,
    SIM_REGION,
    SIM_NEXT_PAGE,
    SIM_POINTER
};

enum sim_prefetch_control {
    SIM_ALWAYS_ON,  /* no control for it */
    SIM_ALWAYS_OFF, /* present, off, no control */
    SIM_CONTROLLABLE,
    SIM_PRETENDING, /* accepts the write, reads back as off, and goes on */
    SIM_LOCKED,     /* the write faults */
    SIM_IGNORING    /* accepts the write, reads back as on */
};

struct sim_prefetch_config {
    enum sim_prefetch_kind kind;
    enum sim_prefetch_control control;
    uint32_t degree;       /* lines requested at once; pointers followed in a row (depth) */
    uint32_t into;         /* the cache it fills: 1 is the first */
    uint64_t region_bytes; /* of SIM_REGION */
    uint32_t after; /* of SIM_REGION: the miss in a region that brings all of it, 1 the first */
    uint64_t within_bytes; /* no line outside the aligned block of this many bytes is requested */
    double accuracy;       /* of SIM_POINTER: share of pointers that it follows */
    struct sim_time lead;  /* of SIM_POINTER: how much sooner than the core it sees a value */
};

enum sim_fault_kind {
    SIM_STUCK_0,
    SIM_STUCK_1,
    SIM_FLIPPING,
    SIM_LEAKING,     /* the bit becomes 0 */
    SIM_COUPLED,     /* the bit inverts when the same bit of another byte rises */
    SIM_ALIASED,     /* accesses to a range are to another one */
    SIM_LANE_READS,  /* a data lane inverts what is read from a range, now and then */
    SIM_LANE_WRITES, /* the same for what is stored */
    SIM_CHANGED,     /* a device overwrites a range, once */
    SIM_CORRECTED,   /* ECC corrects and counts an error there now and then */
    SIM_UNCORRECTED  /* the same for errors that it sees and cannot correct */
};

struct sim_fault_config {
    uint64_t physical;
    uint32_t bit; /* of the byte there; of lanes: of that byte in each 8 bytes */
    enum sim_fault_kind kind;
    double rate_hz;  /* of SIM_FLIPPING: flips a second of virtual time; of SIM_CORRECTED and
                        SIM_UNCORRECTED: errors a second, while a window holds the byte */
    double after_ns; /* of SIM_LEAKING: after it was last written */
    uint64_t with;   /* of SIM_COUPLED: the other byte; of SIM_ALIASED: where the other range is */
    uint64_t bytes;  /* of a range */
    double share;    /* of SIM_LANE_*: of words that are spoilt */
    double at_s;     /* of SIM_CHANGED */
};

/* XOR functions of a physical address: each is the parity of its bits in a mask. */
#define SIM_XORS_MAX    8
#define SIM_XOR_BIT_MIN 6
#define SIM_XOR_BIT_MAX 44
struct sim_xors {
    uint32_t count;
    uint64_t mask[SIM_XORS_MAX];
};

#define SIM_ANY UINT32_MAX

/* The near node is that of the machine's own CPU, the far one that of memory's far bytes. */
#define SIM_NODE_NEAR        0
#define SIM_NODE_FAR         1
#define SIM_NODES_MAX        4
#define SIM_WAYS_BETWEEN_MAX (SIM_NODES_MAX * SIM_NODES_MAX)

/* A CPU besides the machine's own one, which is CPU 0; everything not said here is the same. */
struct sim_cpu_config {
    uint32_t id;        /* hardware id; SIM_ANY: its number */
    uint32_t node;      /* SIM_ANY: of its core, or the near one */
    uint32_t thread_of; /* the CPU whose core it is a further thread of; SIM_ANY: its own core */
    double core_hz;     /* 0: that of its core, or the machine's */
    double far_ns;      /* negative: that of its core, or none */
    enum sim_cpu_kind kind; /* SIM_CPU_UNTOLD also: that of its core */
    bool present;           /* false: it is declared as disabled */
    bool fails;             /* it never starts */
};

/* A CPU with everything resolved. */
struct sim_cpu {
    uint32_t id, node;
    uint32_t core;  /* cores are numbered from 0; CPUs of one core share its private caches */
    double core_hz; /* 0: as the machine's clock section says */
    double far_ns;  /* added to what leaves the private caches */
    enum sim_cpu_kind kind;
    bool present, fails;
};

/* A part of memory: what all that is given here holds of. */
struct sim_part {
    uint64_t from, bytes;   /* physical addresses; no bytes: any */
    struct sim_xors mask;   /* of a physical address less the mapping's offset; none: any */
    uint32_t parity;        /* bit n: of the n-th of these functions */
    uint32_t channel, rank; /* SIM_ANY: any */
};

struct sim_slow_config {
    struct sim_part part;
    double adds_ns; /* to every access to it */
};

/* A module with timings of its own. */
struct sim_module_config {
    uint32_t channel, rank;         /* SIM_ANY: any */
    double tcl_ns, trcd_ns, trp_ns; /* negative: as everywhere */
};

/* Physical addresses above 4 GiB that are not memory, which goes on behind them. */
struct sim_hole_config {
    uint64_t from, bytes;
};

/* Memory of a node other than the near one. */
struct sim_node_config {
    uint32_t number;
    uint64_t bytes;
    bool is_specific;
};

/* From the CPUs of a node to the memory of one: what it is like, and what tables are to claim. */
struct sim_between_config {
    uint32_t from, to;
    double adds_ns;    /* to every line; negative: none to its own, far_ns to others */
    uint32_t distance; /* claimed; 0: nothing is. So the next two */
    double latency_ns;
    double bytes_per_s;
};

/* What the firmware is to say of memory slots, as tables would: true or not. Of no use to the
 * memory itself. */
enum sim_dimm_type { SIM_DDR3, SIM_DDR4, SIM_DDR5, SIM_LPDDR4, SIM_LPDDR5 };
enum sim_dimm_ecc { SIM_ECC_UNTOLD, SIM_ECC_NONE, SIM_ECC_SINGLE_BIT, SIM_ECC_MULTI_BIT };

struct sim_dimm_config {
    char slot[SIM_NAME_MAX], bank[SIM_NAME_MAX]; /* "": not told; so the next three */
    char channel[SIM_NAME_MAX], maker[SIM_NAME_MAX], part[SIM_NAME_MAX];
    uint64_t bytes; /* 0: an empty slot */
    enum sim_dimm_type type;
    enum sim_dimm_ecc ecc;
    uint32_t ranks, rated_mts, mts, data_bits, total_bits, millivolts; /* 0: not told */
};

#define SIM_TIMES_MAX 64
struct sim_times {
    uint32_t count;
    double ns[SIM_TIMES_MAX];
};

struct sim_memory_config {
    uint64_t bytes;     /* all of it usable, from physical 4 GiB on */
    uint64_t low_bytes; /* but for these, which are from physical 0 on */
    /* The lowest of them are far: another node's, or for specific purposes. */
    uint64_t far_bytes;
    double far_ns;       /* what they cost more */
    uint64_t kept_bytes; /* the highest of them no window gets but one of what others left */
    bool far_is_specific;
    size_t node_count, way_count;
    struct sim_node_config node[SIM_NODES_MAX - 1]; /* the lowest of memory, in this order */
    struct sim_between_config way[SIM_WAYS_BETWEEN_MAX];
    double base_ns; /* load to use, without the row's and the column's part below */
    double tcl_ns, trcd_ns, trp_ns;
    double trefi_ns, trfc_ns;  /* trefi 0: no refresh */
    double trefi_ppm;          /* trefi is really so much longer: memory's clock is its own */
    uint32_t refresh_banks;    /* of a rank that one refresh occupies; 0: all */
    struct sim_times phases;   /* [channels][ranks] when refreshes begin; none: evenly spread */
    struct sim_times distance; /* [channels] what each is farther away; none: all alike */
    uint64_t flex_bytes;       /* the lowest of memory, which alone use all channels; 0: all */
    double twtr_ns;            /* idle time of a channel after a write */
    uint32_t channels, ranks, banks;
    uint64_t row_bytes;
    bool open_pages;     /* a row stays open after an access */
    double bytes_per_s;  /* of one channel; 0: a transfer takes no time */
    uint32_t misses_max; /* maximum outstanding at a time */
    size_t slow_count;
    struct sim_slow_config slow[SIM_SLOW_MAX];
    size_t hole_count;
    struct sim_hole_config hole[SIM_HOLES_MAX]; /* ascending */
    size_t module_count;
    struct sim_module_config module[SIM_MODULES_MAX];
};

/* Which channel, rank, bank and row a physical address is in. No functions and no modulus: they
 * are hashed (dram.c). Subchannels count as channels, bank groups as bits of the bank. */
struct sim_mapping_config {
    uint64_t offset_bytes;      /* subtracted first, from 4 GiB on: a hole below */
    uint32_t modulus, from_bit; /* modulus > 1: the address above from_bit is divided by it; the
                                   remainder chooses the channel, the quotient takes its place */
    struct sim_xors channel, rank, bank;
    uint32_t row_bit; /* rows are numbered by the bits from there on */
};

struct sim_noise_config {
    double jitter;       /* standard deviation of a sample's time, as a share of it */
    double spike_every;  /* one sample in this many is a spike; 0: none */
    double spike_factor; /* a spike takes this many times as long */
    double smi_hz, smi_us;
    bool smi_counted;
};

/* What an event of the CPU's counters counts of what the ledger records. */
enum sim_event {
    SIM_EVENT_NONE,   /* there is no such event */
    SIM_EVENT_LOADS,  /* each load that its name promises */
    SIM_EVENT_MEMORY, /* misses that memory served, not those that waited for an outstanding line or
                         were served by a memory-side cache */
    SIM_EVENT_HALF,   /* every other one */
    SIM_EVENT_LOSSY,  /* nine of ten, but for the first thousand of a chase */
    SIM_EVENT_ALL,    /* every access */
    SIM_EVENT_FROZEN  /* nothing */
};

/* What the CPU's sampler of ops says of a load. */
enum sim_sampler_kind {
    SIM_SAMPLER_NONE,     /* there is none */
    SIM_SAMPLER_LOADS,    /* what it cost */
    SIM_SAMPLER_CONSTANT, /* every miss takes the same */
    SIM_SAMPLER_SILENT,   /* nothing, ever */
    SIM_SAMPLER_FROZEN,   /* what the first one cost */
    SIM_SAMPLER_ALL       /* that it missed */
};

struct sim_counters_config {
    enum sim_event misses, walks;
    enum sim_sampler_kind sampler;
    uint32_t banks; /* of hardware errors; 0: there are none to read. The n-th fault counts in bank
                       n modulo banks */
};

enum sim_turbo_control {
    SIM_TURBO_CONTROLLABLE,
    SIM_TURBO_NONE,       /* no control for it */
    SIM_TURBO_PRETENDING, /* accepts the write, reads back as off, and goes on */
    SIM_TURBO_LOCKED,     /* the write faults */
    SIM_TURBO_IGNORING    /* accepts the write, reads back as on */
};

/* What it takes that another core has a line. */
struct sim_coherence_config {
    bool directory;        /* false: nothing, and nobody looks for it */
    bool clean_from_owner; /* a line that one other core alone has comes from there even if that has
                              only read it; else only if it has stored to it */
    struct sim_time answer;  /* of the caches that have it, from the request to the line */
    struct sim_time swap;    /* compare and swap, once the line is there */
    struct sim_times slices; /* of a node, over which its lines' homes are spread: what each is
                                farther away; none: one, at no distance */
};

struct sim_config {
    char name[SIM_NAME_MAX];
    uint64_t seed;
    uint32_t page_sizes; /* bit n: pages of 2^n bytes */
    bool declares;       /* caches and TLBs are described to the engine */
    size_t cache_count, tlb_count, prefetch_count, fault_count, dimm_count;
    size_t cpu_count; /* besides the machine's own */
    struct sim_cache_config cache[SIM_CACHES_MAX];
    struct sim_tlb_config tlb[SIM_TLBS_MAX];
    struct sim_walk_config walk;
    struct sim_core_config core;
    struct sim_coherence_config coherence;
    struct sim_cpu_config cpu[SIM_CPUS_MAX - 1];
    struct sim_prefetch_config prefetch[SIM_PREFETCHERS_MAX];
    struct sim_fault_config fault[SIM_FAULTS_MAX];
    struct sim_memory_config memory;
    struct sim_mapping_config mapping;
    struct sim_dimm_config dimm[SIM_DIMMS_MAX];
    struct sim_noise_config noise;
    struct sim_counters_config counters;
    enum sim_turbo_control turbo_control;
    double core_hz, turbo_hz, turbo_s; /* turbo_hz for the first turbo_s, then core_hz */
    double counter_hz;
    uint64_t counter_step;    /* the counter advances in steps of this many ticks */
    struct sim_time draw;     /* the arithmetic of one independent draw */
    double build_ns, read_ns; /* cost of building and of reading back one node */
    double entry_ns;          /* entering and leaving a quiet section */
};

/* The machine that runs when none is named: three levels and flat memory. */
extern const struct sim_config sim_config_default;

/* What a machine file starts from: one of everything that has a sensible default, and no cache. */
void sim_config_start(struct sim_config *config);

/* True: addresses are mapped by functions or a modulus, else hashed. */
bool sim_mapping_is_given(const struct sim_mapping_config *mapping);

/* True: lines of this machine's memory have numbers of more than 32 bits. */
bool sim_config_large(const struct sim_config *config);
/* True: that cache holds such numbers, or so many lines that it is kept where it is used only. */
bool sim_config_wide(const struct sim_config *config, size_t cache);
/* How many caches, from the first one on, each core has for itself: all before the last one that is
 * not memory-side, and the first in any case. */
size_t sim_config_private(const struct sim_config *config);
/* CPU number `cpu`: 0 to config->cpu_count. */
struct sim_cpu sim_config_cpu(const struct sim_config *config, uint32_t cpu);
/* How many cores all CPUs are threads of. */
uint32_t sim_config_cores(const struct sim_config *config);
/* The size of a cache as declared to the engine; 0: not declared. */
uint64_t sim_config_declared(const struct sim_config *config, size_t cache);
/* ns of a length of time at that frequency of the core. */
double sim_time_ns(const struct sim_time *time, double core_hz);
/* Entries of a TLB for pages of that size, 0: none; *ways: in a set, if not NULL. */
uint32_t sim_tlb_entries(const struct sim_tlb_config *tlb, enum sim_page page, uint32_t *ways);
/* Whether they are shared with pages of other sizes. */
bool sim_tlb_shares(const struct sim_tlb_config *tlb, enum sim_page page);
/* The pages that TLBs hold for a window of pages of that size: the host's where they are smaller.
 */
enum sim_page sim_config_piece(const struct sim_config *config, enum sim_page page);
/* 12, 21, 30. */
unsigned sim_page_log2(enum sim_page page);
/* The page size of 2^page_log2 bytes. */
enum sim_page sim_page_of(unsigned page_log2);

#endif
