/* SPDX-License-Identifier: BSD-2-Clause */
/* Records: what a run reports, as plain structs. record_json writes one as a line of results.jsonl;
 * tables, report.txt and points.csv are views of the same structs (core/report/report.h,
 * core/report/csv.h). Unknown: NULL for text, NAN for double, RECORD_UNKNOWN for integers; all
 * become null. docs/results.schema.json defines them for programs, docs/results.md for people. */
#ifndef CORE_RESULTS_RECORD_H
#define CORE_RESULTS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/inventory.h"
#include "core/lib/phys.h"
#include "core/machine.h"
#include "core/names.h"
#include "core/stats/doubt.h"

/* Names of what else a point was measured for (record_point.purpose). */
#define PURPOSE_NAME_LEVELS      "levels"
#define PURPOSE_NAME_HEADLINE    "headline"
#define PURPOSE_NAME_TRANSLATION "translation"
#define PURPOSE_NAME_PROOF       "proof"
#define PURPOSE_NAME_WITNESS     "witness"

#define RECORD_UNKNOWN         UINT64_MAX
#define RECORD_LINE_MAX        4096 /* no record's JSON is longer; longer text is cut at a character */
#define RECORD_SCHEMA          2
#define RECORD_FOOTPRINT_LINES 192

enum record_kind {
    RECORD_RUN,
    RECORD_CPU,
    RECORD_MEMORY,
    RECORD_DIMM,
    RECORD_MODULES,
    RECORD_EXPECTATION,
    RECORD_CACHE,
    RECORD_PREFETCH,
    RECORD_POINT,
    RECORD_LEVEL,
    RECORD_DRAM,
    RECORD_FINDING,
    RECORD_WITNESS,
    RECORD_IBS,
    RECORD_FOOTPRINT,
    RECORD_PAIR,
    RECORD_LOAD,
    RECORD_MAPPING,
    RECORD_DISTRIBUTION,
    RECORD_REGIONS, /* and those below, up to the gap: of one measurement block by block */
    RECORD_BLOCK,
    RECORD_RANGE,
    RECORD_CLASS,
    RECORD_BANDWIDTH,
    RECORD_GAP,
    RECORD_VERIFY,
    RECORD_BAD_MEMORY,
    RECORD_BAD_PART,
    RECORD_ERROR,
    RECORD_HARDWARE_ERROR,
    RECORD_HARDWARE_ERRORS,
    RECORD_SPREAD,
    RECORD_VERDICT,
    RECORD_NOTE,
    RECORD_END
};

/* Yes, no, or not known. */
enum answer { ANSWER_UNKNOWN, ANSWER_NO, ANSWER_YES };

struct record_run {
    const char *version, *arch, *firmware, *board, *bios, *cpu;
    uint64_t clock_hz;
    const char *clock_source;
    double clock_ppm;
    const char *clock_choice;
    uint64_t clock_declared_hz;
    const char *clock_declared_source, *clock_grade;
    uint64_t clock_crystal_hz, core_base_hz;
    const char *options; /* in effect, as options_effective gives them */
    uint64_t seed;
    uint64_t microcode;
    const char *memory_encryption; /* "none", "sme", "tme", "tme-bypassed" */
    uint64_t threads_per_core, cpu_kinds, nodes_per_package;
    uint64_t smbios_cpu_hz, smbios_cpu_max_hz;
    const char *board_source; /* "smbios", "device-tree", "cpu-and-memory", "machine-file" */
};

struct record_cpu { /* the machine's processors and what one of them declares */
    const char *name;
    uint64_t count, enabled;
    uint64_t page_sizes[4]; /* bytes; 0 ends */
    const struct cache_level *caches;
    size_t cache_count;
    const struct tlb_level *tlbs;
    size_t tlb_count;
};

struct record_memory { /* one range of the physical memory map */
    phys_addr base;
    uint64_t bytes, node;
    const char *kind;          /* "ordinary", "specific-purpose", "nonvolatile" */
    uint64_t side_cache_bytes; /* of declared memory-side caches; unknown: none is declared */
    bool usable;
};

struct record_dimm {
    const struct dimm_info *dimm;
};

/* All modules of system memory together, as the firmware describes them. */
struct record_modules {
    uint64_t slots, fitted, of_unknown_size;
    uint64_t bytes;      /* of those of known size */
    uint64_t rank_bytes; /* of the smallest rank */
    uint64_t configured_mts_low, configured_mts_high;
    uint64_t channels;                /* with a module */
    const char *ecc;                  /* "on", "off", "mixed" */
    uint64_t max_bytes, mapped_bytes; /* by SMBIOS types 16 and 19 */
    uint64_t map_bytes;               /* of memory in the memory map */
    enum answer map_agrees;
};

/* What an expect- option says of the board, held against what there is. */
struct record_expectation {
    const char *name;             /* of the option: "expect-dimms" */
    const char *expected, *found; /* as the option has it; found NULL or "": it is not told */
    enum answer met;
    const char *why; /* it is not met, or that is not told; else NULL */
};

struct record_cache { /* as SMBIOS type 7 has it */
    const struct smbios_cache *cache;
};

struct record_prefetch {
    uint64_t cpu;
    const char *control, *source;
    uint64_t requested, readback;
    bool unofficial;
    bool counts;     /* towards the state of all */
    bool known_only; /* no source lists this core's controls in full */
    enum prefetch_state state;
    double sequential_over_random; /* NAN until the behaviour has been measured; 99.9 % bounds */
    double ratio_low, ratio_high;
    const char *ratio_verdict; /* by the ratio alone: as verdict */
    /* Of the line that the footprint found most often, its share, lower bound, and distance from
     * the last of footprint_touches touched lines; footprint_high is the greatest upper bound of
     * any line. NAN: not measured. */
    double footprint_share, footprint_low, footprint_high;
    uint64_t footprint_touches;
    double footprint_distance;
    const char *footprint_verdict; /* by the footprint alone: as verdict */
    const char *verdict;           /* "off", "on", "undecided", NULL: not measured */
    const char *witness; /* "footprint", "ratio": where the verdict comes from; NULL: neither */
    doubt_set doubt;     /* of the verdict */
};

struct record_point {
    const char *experiment, *pattern;
    uint64_t pages_bytes;     /* page size; 0: unknown, the firmware's own mapping */
    const char *frames, *map; /* "scattered", "contiguous", "as-allocated"; "window",
                                 "identity", "firmware", "process" */
    enum prefetch_state prefetch;
    uint64_t bytes, stride_bytes;
    uint64_t group_bytes; /* RECORD_UNKNOWN: the pattern has no groups */
    uint64_t chains;
    const char *load, *hint;    /* "plain", "nt", "flush", "dirty"; "none", "nta", "t0" .. "t2" */
    uint64_t work_cycles, word; /* cycles per access */
    uint64_t cpu, node;
    phys_addr physical_low, physical_high; /* the lowest and the highest byte's */
    uint64_t warm_hops, hops, samples;
    double ticks_median, ns_min, ns_median, ns_mean, ns_p95, ns_p99, ns_mad; /* ns are per hop */
    double cycles_median, cpu_hz_before, cpu_hz_after, rel_error;
    double hz_over_base;             /* NAN: either is not known */
    const char *frequency_registers; /* "PERF_STATUS=0x... PERF_CTL=0x..."; NULL: none */
    double arithmetic_ns; /* already subtracted from every ns above: what a hop computes besides its
                             load */
    uint64_t outliers;    /* samples that ns_mean leaves out */
    const char *limited_by; /* "error", "cap", "budget", "abort" */
    const char *verified;   /* "lap", "readback", "none" */
    uint64_t disturbed, smi, mce, seed;
    const char
        *prefetch_only_off; /* the control of the only prefetcher off; NULL: as prefetch says */
    const char *turbo;      /* "on", "off", ...; NULL: as found */
    const char *pstate, *uncore; /* "max", "unsupported", ...; NULL: as found */
    enum answer settled;         /* the caches were seen in steady state before the samples */
    double hz_step; /* largest step of the core's frequency within the point, as a fraction */
    /* By the CPU's counters, of so many accesses of the samples; unknown: not counted. */
    uint64_t counted_accesses, llc_misses, page_walks;
    const char *purpose; /* "levels", "headline", "proof", "translation", "witness"; NULL: the
                            point itself */
};

struct record_level {
    const char *experiment, *name;
    const char *kind; /* cache, tlb, walk, memory, merged, unexplained */
    double bytes, bytes_low, bytes_high, ns, ns_low, ns_high, cycles, cycles_low, cycles_high;
    uint64_t declared_bytes;
    bool extrapolated;
    doubt_set doubt;
};

struct record_dram {
    uint64_t pages_bytes;
    const char *pattern, *frames, *map;
    enum prefetch_state prefetch;
    uint64_t bytes;
    double ns, ns_low, ns_high, cycles;
    double translation_ns; /* TLB misses in these pages, already subtracted from ns and slope; NAN:
                              not subtracted */
    double rise_ns;        /* added to an access by the last doubling of the set */
    double slope_ns, slope_low_ns, slope_high_ns, tlb_cost_ns, tlb_cost_low_ns, tlb_cost_high_ns;
    double missed_share; /* of the chase's accesses, by the CPU's counters; NAN: not counted */
    double core_hz, core_over_base; /* over the headline's set; NAN: unknown */
    doubt_set doubt;
};

/* What a witness beside timing says of a set: shares of its accesses; NAN: not counted. */
struct record_witness {
    const char *experiment;
    const char *method;               /* "counters" */
    const char *event, *event_source; /* what missed_share counts */
    const char *walk_event, *walk_event_source;
    double known_hits, known_misses; /* shares of both that were counted as misses */
    uint64_t pages_bytes, bytes;
    const char *pattern;
    enum prefetch_state prefetch;
    double missed_share;
    double least_share; /* that has to miss beside the caches found */
    double walked_share;
    bool agrees;
};

/* What the CPU's sampler of ops says of single loads of a set in memory, and of one in a near
 * cache. Cycles are of the core, and medians. */
struct record_ibs {
    const char *experiment, *sampler, *source;
    double known_hits, known_misses; /* shares of both that it saw as misses */
    uint64_t pages_bytes;
    const char *pattern;
    enum prefetch_state prefetch;
    uint64_t bytes, ops, loads, missed; /* missed: the first-level cache */
    double miss_cycles;                 /* from the miss to the data; not from load to use */
    uint64_t tlb_missed;                /* the first-level TLB */
    double refill_cycles;               /* of it; NAN: none, or not known */
    uint64_t near_bytes, near_ops, near_loads, near_missed;
    double near_miss_cycles;
    double difference_cycles, difference_error_cycles; /* of miss_cycles; a standard error */
    double chase_difference_cycles, chase_difference_error_cycles;
    enum answer agrees;
};

/* A figure that an experiment derived from its points. */
struct record_finding {
    const char *experiment, *name;
    double value, low, high; /* NAN for low and high: not known */
    const char *unit;        /* "ns", "cycles", "misses", "entries", "bytes_per_s", "ratio", ... */
    const char *bound;       /* "exact", "at_least", "at_most" */
    const char *limited_by;  /* why it is a bound only; NULL where it is exact */
    const char *pattern, *frames;
    uint64_t pages_bytes; /* 0: unknown, or not of one page size */
    enum prefetch_state prefetch;
    uint64_t bytes, chains; /* of its points; RECORD_UNKNOWN: they differ */
    const char *detail;     /* what it applies to: a level, a prefetcher's control; NULL: nothing */
    doubt_set doubt;
};

/* Which lines of a page and its two neighbours are found in a cache after some were touched. */
struct record_footprint {
    const char *experiment;
    uint64_t pages_bytes;
    const char *frames, *map;
    enum prefetch_state prefetch;
    const char *prefetch_only_off;         /* as in a point */
    uint64_t line_bytes, touches, touched; /* touched: index of the first touched line, from the
                                              first line of the page before */
    uint64_t tries;                        /* over all lines */
    double threshold_ns, hit_ns, miss_ns;  /* including the clock readings */
    double hits_found, misses_found;       /* shares of known hits and misses below the threshold */
    double max_share, max_low, max_high, max_distance; /* of the line found most often */
    double high;                                       /* the greatest upper bound of any line */
    const char *verdict;                               /* "off", "on", "undecided" */
    doubt_set doubt;
    const double *share; /* [share_count], of each line; NAN: touched, or not tried */
    size_t share_count;  /* at most RECORD_FOOTPRINT_LINES */
};

/* Which functions of physical address bits choose channel, rank and bank. */
struct record_mapping {
    const char *experiment;
    uint64_t pages_bytes;
    const char *frames, *map;
    enum prefetch_state prefetch;
    const char *verdict;          /* "linear", "not-linear", "unsure" */
    const char *why;              /* it is unsure; else NULL */
    uint64_t bytes;               /* of the set that pairs were drawn from */
    uint64_t pairs, conflicts;    /* random ones; RECORD_UNKNOWN: not told apart */
    double banks_low, banks_high; /* from their share, 99.9 % bounds; NAN: no bound */
    double apart_ns, conflict_ns; /* of a round: both lines flushed and loaded */
    uint64_t rank;                /* of the span: 2^rank banks */
    const uint64_t *functions;    /* [rank], independent, as few bits as there can be */
    uint64_t offset_bytes;        /* subtracted from addresses first */
    uint64_t offset_from_bytes;   /* but from lower ones */
    double agreement;             /* share of repeated conflicts that fit the functions */
    uint64_t predicted, confirmed;
    uint64_t expected_banks; /* RECORD_UNKNOWN: none */
    const char *expectation; /* "met", "possible", "unmet", "unknown"; NULL: none */
    uint64_t modules_banks_low, modules_banks_high; /* that modules like the fitted ones have */
    const char *modules_agree;                      /* "agree", "does-not", "unknown" */
    const char *modules_why;                        /* it is unknown; else NULL */
    enum answer guest;                              /* addresses are a guest's */
};

#define RECORD_BINS_MAX    64
#define RECORD_BINS_OCTAVE 8

/* A figure with its 95 % bounds; NAN: unknown. */
struct record_bounded {
    double value, low, high;
};

/* What single accesses take that miss every cache. */
struct record_distribution {
    const char *experiment;
    uint64_t pages_bytes;
    const char *frames, *map;
    enum prefetch_state prefetch;
    uint64_t bytes, accesses; /* to random lines of so many bytes */
    double clock_step_ns;     /* of the clock that each is timed with */
    double timing_ns;         /* what its readings cost; subtracted everywhere */
    double ns_min, ns_median, ns_p90, ns_p99, ns_p999, ns_p9999, ns_max; /* NAN: too few accesses */
    const double *bin_ns;      /* [bins], the lower edge of each bin that holds any */
    const uint64_t *bin_count; /* [bins] */
    size_t bins;               /* at most RECORD_BINS_MAX; the last holds all beyond */
    uint64_t pairs, conflicts; /* of one line with others; RECORD_UNKNOWN: not told apart */
    const char *rows;          /* "open", "closed", "unsure" */
    const char *rows_why;      /* it is unsure; else NULL */
    struct record_bounded hit_ns, empty_ns, conflict_ns;
    double hit_share, empty_share, conflict_share; /* of all but those that waited; NAN: unknown */
    const char *refresh;                           /* "found", "unsure" */
    const char *refresh_why;                       /* it is unsure; else NULL */
    struct record_bounded period_ns, stall_ns;
    double coherence;  /* of slow accesses' ends at that period; NAN: none were folded */
    uint64_t slow;     /* accesses that were folded */
    const char *scope; /* "together", "per-bank", "unsure" */
    uint64_t lines, lines_in_phase; /* of other banks, and those that are refreshed when it is */
    doubt_set doubt;
};

/* Memory measured block by block: a node's blocks together. */
struct record_regions {
    const char *experiment;
    uint64_t pages_bytes;
    const char *frames, *map;
    enum prefetch_state prefetch;
    uint64_t node, block_bytes, blocks;
    uint64_t wrong;     /* blocks whose memory reads wrong: they are not among `blocks` */
    uint64_t differing; /* blocks that stood out when they were first measured */
    uint64_t not_again; /* ranges of them, of all nodes, that were not measured again */
    uint64_t hops, sample_hops;
    double ns, scatter_ns; /* of blocks that do not differ; NAN: not known */
    double step_ns;        /* of the heat row */
    uint64_t touched_bytes, cache_bytes;
    uint64_t classes;      /* functions of address bits by whose parity lines were compared */
    double class_limit_ns; /* the least difference of two halves that would have been told */
    uint64_t class_part;   /* the smallest groups that were searched for: one line in so many */
    double class_part_limit_ns;
    const char *by; /* "functions", "bits and pairs"; NULL: none were compared */
    double drift;   /* of the reference block over the run, as a share, taken off; 0: by chance */
    uint64_t memory_bytes, covered_bytes, gap_bytes; /* of all nodes */
};

struct record_block {
    const char *experiment;
    uint64_t node;
    phys_addr physical_first, physical_last;
    uint64_t bytes, hops, sample_hops;
    double ns, rel_error, slower_ns, ns_median, ns_p95, ns_p99, ns_max;
    bool compared, flagged;
    const char *why;  /* it is flagged or not compared; NULL: neither */
    const char *slot; /* by decode=; NULL: not told */
};

/* A range of memory that takes another time, measured again. */
struct record_range {
    const char *experiment;
    uint64_t node;
    phys_addr physical_first, physical_last;
    uint64_t bytes, edge_bytes; /* edge_bytes: how exactly its ends are known */
    double ns, slower_ns, slower_low_ns, slower_high_ns, slower_repeat_ns, against_ns;
    const char *slot; /* by decode=; NULL: not told */
};

/* What an access costs from one CPU to one place, or a line of another CPU's to it. Figures are NAN
 * where `why` says why there are none. */
struct record_pair {
    const char *experiment;
    uint64_t from, from_id, from_node; /* the CPU's number, APIC id or MPIDR, and node */
    const char *to;                    /* "declared L3", "memory"; of two CPUs how they are apart */
    uint64_t to_cpu;                   /* the other CPU's number; RECORD_UNKNOWN: to is a place */
    const char *kind;                  /* of handing over: "clean", "modified", "swap"; else NULL */
    uint64_t home_node;                /* of the memory; RECORD_UNKNOWN: not known */
    uint64_t bytes, pages_bytes;       /* of the set */
    enum prefetch_state prefetch;
    double ns, ns_low, ns_high, cycles, cpu_hz;
    double ns_min, ns_max; /* of lines that were handed over, each by itself; else NAN */
    double slower_ns, slower_low_ns, slower_high_ns; /* than from the middle one of all CPUs */
    double bytes_per_s, bytes_per_s_low, bytes_per_s_high; /* of this CPU's reads; NAN: not
                                                              measured */
    double times, times_low, times_high; /* the latency, over that of the nearest place; NAN */
    double claimed; /* how many times the nearest place's latency the firmware says it is; NAN:
                       it says nothing */
    double claimed_ns, claimed_bytes_per_s; /* what it says outright; NAN: nothing */
    uint64_t claimed_distance;              /* as the SLIT counts; RECORD_UNKNOWN */
    const char *claimed_by;                 /* "SLIT", "HMAT", ...; NULL: nothing is claimed */
    doubt_set doubt;
    const char *why; /* there is no figure; else NULL */
};

/* What an access costs while several CPUs load memory, and at what rate they do. Figures are NAN
 * where `why` says why there are none. */
struct record_load {
    const char *experiment;
    const char *kind;    /* "none", "chase", "read", "2:1", "1:1", "store-nt", "spin",
                            "park": of the others */
    const char *pattern; /* of their lines: "random", "sequential"; NULL: they have none */
    uint64_t processors; /* at work, the one that chases included */
    uint64_t siblings;   /* of the others, threads of the core that chases, unless parked */
    uint64_t parked;     /* of the others, those that are halted meanwhile */
    uint64_t cpu;        /* whose latency and rate these are; RECORD_UNKNOWN: all together */
    enum prefetch_state prefetch; /* of the CPU that chases */
    uint64_t bytes, pages_bytes;  /* of the set that is chased */
    uint64_t each_bytes;          /* of each other CPU's lines; RECORD_UNKNOWN: the same set */
    uint64_t chains;
    uint64_t pause_cycles; /* of the other CPUs after each block of lines */
    double ns, ns_low, ns_high;
    double bytes_per_s, bytes_per_s_low, bytes_per_s_high;
    double written_share;             /* of these bytes */
    double over, over_low, over_high; /* ns over that of one CPU alone */
    doubt_set doubt;
    const char *why; /* there is no figure; else NULL */
};

/* One from that CPU, with no figure and to no place. */
struct record_pair record_pair_from(const struct cpu_info *from);

/* Lines that take longer by the parities of their address bits, measured by themselves. */
struct record_class {
    const char *experiment;
    uint64_t node;
    const uint64_t *mask; /* [masks] of an address less the offset, independent */
    size_t masks;
    uint64_t parities; /* bit n: of mask[n] */
    uint64_t offset_bytes, hops;
    double ns, slower_ns, slower_low_ns, slower_high_ns, slower_repeat_ns, against_ns;
    const char *slot; /* by decode=; NULL: not told */
};

/* At what rate one CPU reads lines, all of a node's or those of one parity of a function. */
struct record_bandwidth {
    const char *experiment;
    uint64_t node;
    enum prefetch_state prefetch;
    uint64_t function; /* of an address less the offset; 0: all lines */
    uint64_t parity;   /* of the function; RECORD_UNKNOWN: all lines */
    uint64_t offset_bytes, offset_from_bytes;
    uint64_t lines;    /* that were read */
    const char *order; /* they were read in: "banks in turn"; "random": their functions are not
                          known, lines of one bank wait for each other, and the rate is lower */
    struct record_bounded bytes_per_s;
    phys_addr physical_first, physical_last; /* of a part; RECORD_UNKNOWN: no part */
    const char *effect;     /* of the function: "same", "half", "between"; of a part: "same",
                               "slower"; NULL: all lines */
    const char *limited_by; /* all lines: "core", "memory", "unknown"; else NULL */
    struct record_bounded under_way, cached; /* reads at a time; unknown, or not of all lines */
    uint64_t channels;                       /* RECORD_UNKNOWN: not told, or not of all lines */
    const uint64_t *channel;                 /* [channel_functions] that choose one */
    size_t channel_functions;
    const char *why;             /* channels are not told; else NULL */
    double expected_bytes_per_s; /* NAN: nothing is expected */
    const char *expectation;     /* "met", "unmet", "unknown"; NULL: nothing is expected */
};

/* Memory that no block covers. */
struct record_gap {
    const char *experiment;
    uint64_t node;
    phys_addr physical_first, physical_last;
    uint64_t bytes;
    const char *why;
    const char *slot; /* by decode=; NULL: not told */
};

/* A test of what memory holds. */
struct record_verify {
    const char *experiment;
    uint64_t pages_bytes;
    const char *frames, *map;
    uint64_t seed;
    uint64_t bytes;                   /* that were tested */
    uint64_t memory_bytes, gap_bytes; /* of the memory map, and of it what was not tested */
    uint64_t least_node;              /* of whose memory the least share was tested */
    double least_share;
    double apart_share; /* of all pairs of addresses: never held at once; NAN: it was cut */
    uint64_t steps, steps_done;
    const char *cut_by; /* "budget", "stopped", "fault": before the last step; NULL: it came to its
                           end */
    uint64_t written_bytes,
        read_bytes;              /* of them, that were written, and read back, at least once */
    double hold_s;               /* that was waited between writing and reading, each time */
    double seconds, bytes_per_s; /* that were read and written; without what was waited */
    uint64_t processors;         /* so many CPUs worked at once where there was enough to do */
    uint64_t events;             /* how often a word was read wrong */
    uint64_t unlisted; /* of them, those of words that have no error record: there are too many */
    uint64_t words;    /* that have one, and of these so many of each cause */
    uint64_t stored, transfers, aliases, outside;
    const uint64_t *lane_events; /* [64], of each bit of a word; NULL: there are no events */
};

/* A range of memory that holds words that were read wrong, in whole pages of 4K. */
struct record_bad_memory {
    const char *experiment;
    phys_addr physical_first, physical_last;
    uint64_t bytes, events;
    const char *memmap, *badram; /* as Linux and as GRUB take it */
    const char *slot;            /* by decode=; NULL: not told */
};

/* Words of one part of memory that were read wrong. */
struct record_bad_part {
    const char *experiment;
    const char *by;   /* "slot", "bank" */
    const char *name; /* of the part */
    uint64_t words, events;
};

struct record_error { /* memory that does not hold what was written, or a fault */
    const char *kind; /* "memory", "fault", "lap" */
    phys_addr physical_address;
    uint64_t expected, read, reread; /* as hexadecimal strings in JSON */
    const char *text;                /* for faults: what, where, registers; else NULL */
    uint64_t bits;                   /* of memory: all that ever differed */
    /* Of tests=verify: "stored", "transfer", "alias", "outside"; how often the word was read wrong;
     * and of an alias the other address of the same memory. NULL and RECORD_UNKNOWN elsewhere. */
    const char *cause;
    uint64_t events;
    phys_addr alias_address;
    const char *slot, *alias_slot; /* by decode=; NULL: not told */
};

/* An error of which nothing else is known yet. */
static inline struct record_error record_error_of(const char *kind)
{
    return (struct record_error){.kind = kind,
                                 .physical_address = {RECORD_UNKNOWN},
                                 .expected = RECORD_UNKNOWN,
                                 .read = RECORD_UNKNOWN,
                                 .reread = RECORD_UNKNOWN,
                                 .bits = RECORD_UNKNOWN,
                                 .events = RECORD_UNKNOWN,
                                 .alias_address = {RECORD_UNKNOWN}};
}

/* What a bank of the hardware's error records says anew, or the firmware of the boot before. */
struct record_hardware_error {
    const char *experiment;         /* what ran, or "before the start" */
    const char *source;             /* "machine-check banks", "error records", "EDAC", "BERT" */
    uint64_t bank;                  /* RECORD_UNKNOWN: none */
    const char *severity;           /* "corrected", "deferred", "uncorrected": the worst */
    uint64_t corrected;             /* errors that were added */
    bool at_least;                  /* there may have been more */
    bool overflow;                  /* the bank lost another error */
    bool memory;                    /* it is a memory controller's */
    uint64_t status, address, misc; /* of the bank; RECORD_UNKNOWN: not valid */
    phys_addr physical_address;     /* RECORD_UNKNOWN: not told */
    const char *slot;               /* by decode=; NULL: not told */
    const char *text;               /* the unit's name and place by the firmware; else NULL */
};

/* All of a run. */
struct record_hardware_errors {
    const char *counting; /* "counted", "presence", "unread" */
    const char *source, *why;
    uint64_t banks;
    const char *ecc;            /* as of the modules */
    bool firmware_first;        /* the firmware takes corrected errors first */
    bool hidden;                /* ECC is on, and its errors cannot be counted, or not all */
    uint64_t corrected, others; /* during the run; others: not corrected */
    bool at_least;              /* corrected: there may have been more */
    uint64_t before_corrected, before_others; /* that stood there at the start */
};

/* A figure over the boots of a soak. */
struct record_spread {
    const char *name, *kind; /* as in a baseline: "latency" and "time" are ns, "rate" bytes/s */
    uint64_t boots;          /* that have it */
    double middle, low, high;
    uint64_t low_run, high_run; /* numbers of their results' directories */
};

#define RECORD_UNSEEN_BYTES 300

#define RECORD_RULES_MAX 18 /* with every text as long as it may be they fit RECORD_LINE_MAX */

/* A rule that a figure was held against. */
struct record_rule {
    const char *name, *figure, *threshold, *against;
    enum answer met; /* unknown: left open */
};

/* Whether memory came up right. */
struct record_verdict {
    const char *verdict; /* "OK", "SUSPECT", "INCOMPLETE" */
    bool conclusive;
    const char *why; /* it is not; else NULL */
    /* What could be wrong in memory that was tested, or worse than in a baseline or in other boots,
     * and would not have shown; NULL: neither was asked for. Of lines by address bits: NAN: they
     * were not compared. */
    const char *unseen;
    double unseen_lines_ns, unseen_lines_share;
    const struct record_rule *rule;
    size_t rules;
};

struct record_note {
    enum severity severity;
    const char *what, *why;
};

struct record_end {
    const char *status; /* "ok", "aborted", "failed" */
    double seconds;
    uint64_t errors;
    double clock_check_ppm;
    const char *clock_check_source;
    double clock_calendar_ppm, clock_calendar_s;
};

struct record {
    enum record_kind kind;
    /* Which run it is of and the how many'th record there, from 1: the journal's to set. 0: not
     * known, and a record that nobody numbered. */
    uint64_t run_id, number;
    union {
        struct record_run run;
        struct record_cpu cpu;
        struct record_memory memory;
        struct record_dimm dimm;
        struct record_modules modules;
        struct record_expectation expectation;
        struct record_cache cache;
        struct record_prefetch prefetch;
        struct record_point point;
        struct record_level level;
        struct record_dram dram;
        struct record_finding finding;
        struct record_witness witness;
        struct record_ibs ibs;
        struct record_footprint footprint;
        struct record_pair pair;
        struct record_load load;
        struct record_mapping mapping;
        struct record_distribution distribution;
        struct record_regions regions;
        struct record_block block;
        struct record_range range;
        struct record_class class;
        struct record_bandwidth bandwidth;
        struct record_gap gap;
        struct record_verify verify;
        struct record_bad_memory bad_memory;
        struct record_bad_part bad_part;
        struct record_error error;
        struct record_hardware_error hardware_error;
        struct record_hardware_errors hardware_errors;
        struct record_spread spread;
        struct record_verdict verdict;
        struct record_note note;
        struct record_end end;
    } u;
};

/* Writes the record as one JSON object, '\0'-terminated, no newline. Always well-formed UTF-8
 * (bytes of text that are not are replaced); returns the length, less than RECORD_LINE_MAX. */
size_t record_json(const struct record *record, char line[RECORD_LINE_MAX]);

/* The name of a kind of record in results.jsonl. */
const char *record_kind_name(enum record_kind kind);

#endif
