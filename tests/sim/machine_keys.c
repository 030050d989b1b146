/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of all keys of a machine file, and how their values are read. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine.h"
#include "core/lib/text.h"
#include "core/names.h"
#include "tests/sim/machine_file.h"

const char *const sim_section_names[SIM_SECTIONS] = {
    "machine", "clock",  "cache",    "tlb",   "walk",     "core", "coherence",
    "cpu",     "memory", "node",     "way",   "mapping",  "hole", "module",
    "dimm",    "slow",   "prefetch", "noise", "counters", "fault"};

static const char *const policies[] = {"lru", "tree-plru", "random", "random-any", "qlru", NULL};
static const char *const inclusions[] = {"neither", "inclusive", "exclusive", NULL};
static const char *const kinds[] = {"next-line", "adjacent-line", "stream", "region",
                                    "next-page", "pointer",       NULL};
static const char *const controls[] = {"on",       "off", "controllable", "pretending", "locked",
                                       "ignoring", NULL};
static const char *const far_kinds[] = {"ordinary", "specific-purpose", NULL};
static const char *const row_policies[] = {"closed", "open", NULL};
static const char *const nt_fills[] = {"first", "all", NULL};
static const char *const cpu_kinds[] = {"untold", "performance", "efficiency", NULL};
static const char *const coherence_kinds[] = {"none", "directory", NULL};
static const char *const clean_sources[] = {"home", "owner", NULL};
static const char *const walk_kinds[] = {"constant", "loads", NULL};
static const char *const host_pages[] = {"no", "4k", "2m", "1g", NULL};
static const char *const fault_kinds[] = {"stuck-0", "stuck-1",   "flipping",    "leaking",
                                          "coupled", "aliased",   "lane-reads",  "lane-writes",
                                          "changed", "corrected", "uncorrected", NULL};
static const char *const events[] = {"none",  "loads", "memory", "half",
                                     "lossy", "all",   "frozen", NULL};
static const char *const samplers[] = {"none",   "loads", "constant", "silent",
                                       "frozen", "all",   NULL};
static const char *const turbo_controls[] = {"controllable", "none",     "pretending",
                                             "locked",       "ignoring", NULL};

static const char *const dimm_types[] = {"DDR3", "DDR4", "DDR5", "LPDDR4", "LPDDR5", NULL};
static const char *const dimm_eccs[] = {"untold", "none", "single-bit", "multi-bit", NULL};

#define CONFIG(member)    offsetof(struct sim_config, member)
#define CACHE(member)     offsetof(struct sim_cache_config, member)
#define TLB(member)       offsetof(struct sim_tlb_config, member)
#define WALK(member)      offsetof(struct sim_walk_config, member)
#define CORE(member)      offsetof(struct sim_core_config, member)
#define COHERENCE(member) offsetof(struct sim_coherence_config, member)
#define CPU(member)       offsetof(struct sim_cpu_config, member)
#define MEMORY(member)    offsetof(struct sim_memory_config, member)
#define MAPPING(member)   offsetof(struct sim_mapping_config, member)
#define HOLE(member)      offsetof(struct sim_hole_config, member)
#define MODULE(member)    offsetof(struct sim_module_config, member)
#define DIMM(member)      offsetof(struct sim_dimm_config, member)
#define SLOW(member)      offsetof(struct sim_slow_config, member)
#define PREFETCH(member)  offsetof(struct sim_prefetch_config, member)
#define NOISE(member)     offsetof(struct sim_noise_config, member)
#define COUNTERS(member)  offsetof(struct sim_counters_config, member)
#define FAULT(member)     offsetof(struct sim_fault_config, member)
#define NODE(member)      offsetof(struct sim_node_config, member)
#define WAY(member)       offsetof(struct sim_between_config, member)

const struct sim_key sim_keys[] = {
    {SIM_SECTION_MACHINE, "name", SIM_VALUE_NAME, CONFIG(name), 0, 0, true, NULL, 0},
    {SIM_SECTION_MACHINE, "seed", SIM_VALUE_SEED, CONFIG(seed), 0, 0x1p53, false, NULL, 0},
    {SIM_SECTION_MACHINE, "pages", SIM_VALUE_PAGES, CONFIG(page_sizes), 0, 0, false, NULL, 0},
    {SIM_SECTION_MACHINE, "declares", SIM_VALUE_FLAG, CONFIG(declares), 0, 0, false, NULL, 0},
    {SIM_SECTION_MACHINE, "draw", SIM_VALUE_TIME, CONFIG(draw), 0, 1000, false, NULL, 0},
    {SIM_SECTION_MACHINE, "build", SIM_VALUE_NS, CONFIG(build_ns), 0.1, 1e6, false, NULL, 0},
    {SIM_SECTION_MACHINE, "read", SIM_VALUE_NS, CONFIG(read_ns), 0.1, 1e6, false, NULL, 0},
    {SIM_SECTION_MACHINE, "entry", SIM_VALUE_NS, CONFIG(entry_ns), 0, 1e8, false, NULL, 0},

    {SIM_SECTION_CLOCK, "core", SIM_VALUE_HZ, CONFIG(core_hz), 1e8, 2e10, true, NULL, 0},
    {SIM_SECTION_CLOCK, "turbo", SIM_VALUE_HZ, CONFIG(turbo_hz), 1e8, 2e10, false, NULL, 0},
    {SIM_SECTION_CLOCK, "turbo-seconds", SIM_VALUE_REAL, CONFIG(turbo_s), 0, 1e6, false, NULL, 0},
    {SIM_SECTION_CLOCK, "turbo-control", SIM_VALUE_WORD, CONFIG(turbo_control), 0, 0, false,
     turbo_controls, 0},
    {SIM_SECTION_CLOCK, "counter", SIM_VALUE_HZ, CONFIG(counter_hz), 1e6, 1e10, true, NULL, 0},
    {SIM_SECTION_CLOCK, "step", SIM_VALUE_SEED, CONFIG(counter_step), 1, 1e6, false, NULL, 0},

    {SIM_SECTION_CACHE, "name", SIM_VALUE_NAME, CACHE(name), 0, 0, true, NULL, 0},
    {SIM_SECTION_CACHE, "bytes", SIM_VALUE_SIZE, CACHE(bytes), 1024, 0x1p40, true, NULL, 0},
    {SIM_SECTION_CACHE, "ways", SIM_VALUE_COUNT, CACHE(ways), 1, SIM_WAYS_MAX, true, NULL, 0},
    {SIM_SECTION_CACHE, "line", SIM_VALUE_COUNT, CACHE(line_bytes), 16, 256, false, NULL, 0},
    {SIM_SECTION_CACHE, "latency", SIM_VALUE_TIME, CACHE(latency), 1e-3, 1e6, true, NULL, 0},
    {SIM_SECTION_CACHE, "policy", SIM_VALUE_WORD, CACHE(policy), 0, 0, false, policies, 0},
    {SIM_SECTION_CACHE, "holds", SIM_VALUE_WORD, CACHE(inclusion), 0, 0, false, inclusions, 0},
    {SIM_SECTION_CACHE, "memory-side", SIM_VALUE_FLAG, CACHE(memory_side), 0, 0, false, NULL, 0},
    {SIM_SECTION_CACHE, "slices", SIM_VALUE_COUNT, CACHE(slices), 1, 64, false, NULL, 0},
    {SIM_SECTION_CACHE, "smbios", SIM_VALUE_SIZE, CACHE(smbios_bytes), 1024, 0x1p40, false, NULL,
     0},
    {SIM_SECTION_CACHE, "declared", SIM_VALUE_DECLARED, CACHE(declared_bytes), 1024, 0x1p40, false,
     NULL, 0},

    {SIM_SECTION_TLB, "4k", SIM_VALUE_ENTRIES, TLB(entries[0]), 1, 1 << 20, false, NULL,
     TLB(ways[0])},
    {SIM_SECTION_TLB, "2m", SIM_VALUE_ENTRIES, TLB(entries[1]), 1, 1 << 20, false, NULL,
     TLB(ways[1])},
    {SIM_SECTION_TLB, "1g", SIM_VALUE_ENTRIES, TLB(entries[2]), 1, 1 << 20, false, NULL,
     TLB(ways[2])},
    {SIM_SECTION_TLB, "shared", SIM_VALUE_ENTRIES, TLB(shared_entries), 1, 1 << 20, false, NULL,
     TLB(shared_ways)},
    {SIM_SECTION_TLB, "shared-by", SIM_VALUE_PAGES, TLB(shared_by), 0, 0, false, NULL, 0},
    {SIM_SECTION_TLB, "penalty", SIM_VALUE_TIME, TLB(penalty), 0, 1e6, false, NULL, 0},
    {SIM_SECTION_TLB, "policy", SIM_VALUE_WORD, TLB(policy), 0, 0, false, policies, 0},

    {SIM_SECTION_WALK, "cost", SIM_VALUE_TIME, WALK(cost), 0, 1e6, false, NULL, 0},
    {SIM_SECTION_WALK, "kind", SIM_VALUE_EITHER, WALK(loads), 0, 0, true, walk_kinds, 0},
    {SIM_SECTION_WALK, "first-cache", SIM_VALUE_COUNT, WALK(first_cache), 1, SIM_CACHES_MAX, false,
     NULL, 0},
    {SIM_SECTION_WALK, "entries-2m", SIM_VALUE_COUNT, WALK(entries[0]), 0, SIM_WAYS_MAX, false,
     NULL, 0},
    {SIM_SECTION_WALK, "entries-1g", SIM_VALUE_COUNT, WALK(entries[1]), 0, SIM_WAYS_MAX, false,
     NULL, 0},
    {SIM_SECTION_WALK, "entries-512g", SIM_VALUE_COUNT, WALK(entries[2]), 0, SIM_WAYS_MAX, false,
     NULL, 0},
    {SIM_SECTION_WALK, "coalesce", SIM_VALUE_COUNT, WALK(coalesce), 1, 16, false, NULL, 0},
    {SIM_SECTION_WALK, "nested", SIM_VALUE_WORD, WALK(nested), 0, 0, false, host_pages, 0},
    {SIM_SECTION_WALK, "nested-entries-2m", SIM_VALUE_COUNT, WALK(nested_entries[0]), 0,
     SIM_WAYS_MAX, false, NULL, 0},
    {SIM_SECTION_WALK, "nested-entries-1g", SIM_VALUE_COUNT, WALK(nested_entries[1]), 0,
     SIM_WAYS_MAX, false, NULL, 0},
    {SIM_SECTION_WALK, "nested-entries-512g", SIM_VALUE_COUNT, WALK(nested_entries[2]), 0,
     SIM_WAYS_MAX, false, NULL, 0},

    {SIM_SECTION_CORE, "window", SIM_VALUE_COUNT, CORE(window), 16, SIM_WINDOW_MAX, false, NULL, 0},
    {SIM_SECTION_CORE, "loads", SIM_VALUE_COUNT, CORE(loads), 1, 8, false, NULL, 0},
    {SIM_SECTION_CORE, "non-temporal", SIM_VALUE_EITHER, CORE(nt_fills_all), 0, 0, false, nt_fills,
     0},
    {SIM_SECTION_CORE, "timer", SIM_VALUE_TIME, CORE(timer), 0, 1e4, false, NULL, 0},
    {SIM_SECTION_CORE, "flush", SIM_VALUE_TIME, CORE(flush), 0, 1e6, false, NULL, 0},
    {SIM_SECTION_CORE, "asleep-adds", SIM_VALUE_NS, CORE(asleep_ns), 0, 1e4, false, NULL, 0},
    {SIM_SECTION_CORE, "sibling-adds", SIM_VALUE_NS, CORE(sibling_ns), 0, 1e4, false, NULL, 0},
    {SIM_SECTION_CORE, "kind", SIM_VALUE_WORD, CORE(kind), 0, 0, false, cpu_kinds, 0},

    {SIM_SECTION_COHERENCE, "kind", SIM_VALUE_EITHER, COHERENCE(directory), 0, 0, true,
     coherence_kinds, 0},
    {SIM_SECTION_COHERENCE, "clean", SIM_VALUE_EITHER, COHERENCE(clean_from_owner), 0, 0, false,
     clean_sources, 0},
    {SIM_SECTION_COHERENCE, "answer", SIM_VALUE_TIME, COHERENCE(answer), 0, 1e6, false, NULL, 0},
    {SIM_SECTION_COHERENCE, "swap", SIM_VALUE_TIME, COHERENCE(swap), 0, 1e6, false, NULL, 0},
    {SIM_SECTION_COHERENCE, "slices", SIM_VALUE_TIMES, COHERENCE(slices), 0, 1e6, false, NULL, 0},

    {SIM_SECTION_CPU, "id", SIM_VALUE_COUNT, CPU(id), 0, 1 << 24, false, NULL, 0},
    {SIM_SECTION_CPU, "node", SIM_VALUE_COUNT, CPU(node), 0, SIM_NODES_MAX - 1, false, NULL, 0},
    {SIM_SECTION_CPU, "thread-of", SIM_VALUE_COUNT, CPU(thread_of), 0, SIM_CPUS_MAX - 2, false,
     NULL, 0},
    {SIM_SECTION_CPU, "core", SIM_VALUE_HZ, CPU(core_hz), 1e8, 2e10, false, NULL, 0},
    {SIM_SECTION_CPU, "far", SIM_VALUE_NS, CPU(far_ns), 0, 1e6, false, NULL, 0},
    {SIM_SECTION_CPU, "kind", SIM_VALUE_WORD, CPU(kind), 0, 0, false, cpu_kinds, 0},
    {SIM_SECTION_CPU, "present", SIM_VALUE_FLAG, CPU(present), 0, 0, false, NULL, 0},
    {SIM_SECTION_CPU, "fails", SIM_VALUE_FLAG, CPU(fails), 0, 0, false, NULL, 0},

    {SIM_SECTION_MEMORY, "bytes", SIM_VALUE_SIZE, MEMORY(bytes), 0x1p21, (double)SIM_MEMORY_MAX,
     false, NULL, 0},
    {SIM_SECTION_MEMORY, "low", SIM_VALUE_SIZE, MEMORY(low_bytes), 0, (double)SIM_MEMORY_BASE,
     false, NULL, 0},
    {SIM_SECTION_MEMORY, "far", SIM_VALUE_SIZE, MEMORY(far_bytes), 0, (double)SIM_MEMORY_MAX, false,
     NULL, 0},
    {SIM_SECTION_MEMORY, "kept", SIM_VALUE_SIZE, MEMORY(kept_bytes), 0, (double)SIM_MEMORY_MAX,
     false, NULL, 0},
    {SIM_SECTION_MEMORY, "far-adds", SIM_VALUE_NS, MEMORY(far_ns), 0, 1e6, false, NULL, 0},
    {SIM_SECTION_MEMORY, "far-kind", SIM_VALUE_EITHER, MEMORY(far_is_specific), 0, 0, false,
     far_kinds, 0},
    {SIM_SECTION_MEMORY, "base", SIM_VALUE_NS, MEMORY(base_ns), 0.1, 1e6, true, NULL, 0},
    {SIM_SECTION_MEMORY, "tcl", SIM_VALUE_NS, MEMORY(tcl_ns), 0, 1e4, false, NULL, 0},
    {SIM_SECTION_MEMORY, "trcd", SIM_VALUE_NS, MEMORY(trcd_ns), 0, 1e4, false, NULL, 0},
    {SIM_SECTION_MEMORY, "trp", SIM_VALUE_NS, MEMORY(trp_ns), 0, 1e4, false, NULL, 0},
    {SIM_SECTION_MEMORY, "trefi", SIM_VALUE_NS, MEMORY(trefi_ns), 0, 1e6, false, NULL, 0},
    {SIM_SECTION_MEMORY, "trfc", SIM_VALUE_NS, MEMORY(trfc_ns), 0, 1e5, false, NULL, 0},
    {SIM_SECTION_MEMORY, "trefi-off", SIM_VALUE_PPM, MEMORY(trefi_ppm), -10000, 10000, false, NULL,
     0},
    {SIM_SECTION_MEMORY, "refresh-banks", SIM_VALUE_COUNT, MEMORY(refresh_banks), 1, 256, false,
     NULL, 0},
    {SIM_SECTION_MEMORY, "phases", SIM_VALUE_TIMES, MEMORY(phases), 0, 1e6, false, NULL, 0},
    {SIM_SECTION_MEMORY, "twtr", SIM_VALUE_NS, MEMORY(twtr_ns), 0, 1e4, false, NULL, 0},
    {SIM_SECTION_MEMORY, "channels", SIM_VALUE_COUNT, MEMORY(channels), 1, 64, false, NULL, 0},
    {SIM_SECTION_MEMORY, "ranks", SIM_VALUE_COUNT, MEMORY(ranks), 1, 64, false, NULL, 0},
    {SIM_SECTION_MEMORY, "banks", SIM_VALUE_COUNT, MEMORY(banks), 1, 256, false, NULL, 0},
    {SIM_SECTION_MEMORY, "row", SIM_VALUE_SIZE, MEMORY(row_bytes), 256, 65536, false, NULL, 0},
    {SIM_SECTION_MEMORY, "rows", SIM_VALUE_EITHER, MEMORY(open_pages), 0, 0, false, row_policies,
     0},
    {SIM_SECTION_MEMORY, "bandwidth", SIM_VALUE_HZ, MEMORY(bytes_per_s), 1e8, 1e12, false, NULL, 0},
    {SIM_SECTION_MEMORY, "distance", SIM_VALUE_TIMES, MEMORY(distance), 0, 1e4, false, NULL, 0},
    {SIM_SECTION_MEMORY, "flex", SIM_VALUE_SIZE, MEMORY(flex_bytes), 0x1p21, (double)SIM_MEMORY_MAX,
     false, NULL, 0},
    {SIM_SECTION_MEMORY, "misses", SIM_VALUE_COUNT, MEMORY(misses_max), 1, SIM_MISSES_MAX, false,
     NULL, 0},

    {SIM_SECTION_MAPPING, "channel", SIM_VALUE_XORS, MAPPING(channel), 0, 0, false, NULL, 0},
    {SIM_SECTION_MAPPING, "rank", SIM_VALUE_XORS, MAPPING(rank), 0, 0, false, NULL, 0},
    {SIM_SECTION_MAPPING, "bank", SIM_VALUE_XORS, MAPPING(bank), 0, 0, false, NULL, 0},
    {SIM_SECTION_MAPPING, "row-from", SIM_VALUE_COUNT, MAPPING(row_bit), 8, 44, false, NULL, 0},
    {SIM_SECTION_MAPPING, "modulus", SIM_VALUE_COUNT, MAPPING(modulus), 2, 16, false, NULL, 0},
    {SIM_SECTION_MAPPING, "modulus-from", SIM_VALUE_COUNT, MAPPING(from_bit), 6, 30, false, NULL,
     0},
    {SIM_SECTION_MAPPING, "offset", SIM_VALUE_SIZE, MAPPING(offset_bytes), 0, 0x1p32, false, NULL,
     0},

    {SIM_SECTION_HOLE, "from", SIM_VALUE_ADDRESS, HOLE(from), (double)SIM_MEMORY_BASE, 0x1p45, true,
     NULL, 0},
    {SIM_SECTION_HOLE, "bytes", SIM_VALUE_SIZE, HOLE(bytes), 0x1p21, 0x1p42, true, NULL, 0},

    {SIM_SECTION_NODE, "number", SIM_VALUE_COUNT, NODE(number), 1, SIM_NODES_MAX - 1, true, NULL,
     0},
    {SIM_SECTION_NODE, "bytes", SIM_VALUE_SIZE, NODE(bytes), 0x1p21, (double)SIM_MEMORY_MAX, true,
     NULL, 0},
    {SIM_SECTION_NODE, "kind", SIM_VALUE_EITHER, NODE(is_specific), 0, 0, false, far_kinds, 0},

    {SIM_SECTION_WAY, "from", SIM_VALUE_COUNT, WAY(from), 0, SIM_NODES_MAX - 1, true, NULL, 0},
    {SIM_SECTION_WAY, "to", SIM_VALUE_COUNT, WAY(to), 0, SIM_NODES_MAX - 1, true, NULL, 0},
    {SIM_SECTION_WAY, "adds", SIM_VALUE_NS, WAY(adds_ns), 0, 1e6, false, NULL, 0},
    {SIM_SECTION_WAY, "distance", SIM_VALUE_COUNT, WAY(distance), 10, 254, false, NULL, 0},
    {SIM_SECTION_WAY, "latency", SIM_VALUE_NS, WAY(latency_ns), 0.1, 1e6, false, NULL, 0},
    {SIM_SECTION_WAY, "bandwidth", SIM_VALUE_HZ, WAY(bytes_per_s), 1e6, 1e13, false, NULL, 0},

    {SIM_SECTION_MODULE, "channel", SIM_VALUE_COUNT, MODULE(channel), 0, 63, false, NULL, 0},
    {SIM_SECTION_MODULE, "rank", SIM_VALUE_COUNT, MODULE(rank), 0, 63, false, NULL, 0},
    {SIM_SECTION_MODULE, "tcl", SIM_VALUE_NS, MODULE(tcl_ns), 0, 1e4, false, NULL, 0},
    {SIM_SECTION_MODULE, "trcd", SIM_VALUE_NS, MODULE(trcd_ns), 0, 1e4, false, NULL, 0},
    {SIM_SECTION_MODULE, "trp", SIM_VALUE_NS, MODULE(trp_ns), 0, 1e4, false, NULL, 0},

    {SIM_SECTION_DIMM, "slot", SIM_VALUE_NAME, DIMM(slot), 0, 0, true, NULL, 0},
    {SIM_SECTION_DIMM, "bank", SIM_VALUE_NAME, DIMM(bank), 0, 0, false, NULL, 0},
    {SIM_SECTION_DIMM, "channel", SIM_VALUE_NAME, DIMM(channel), 0, 0, false, NULL, 0},
    {SIM_SECTION_DIMM, "maker", SIM_VALUE_NAME, DIMM(maker), 0, 0, false, NULL, 0},
    {SIM_SECTION_DIMM, "part", SIM_VALUE_NAME, DIMM(part), 0, 0, false, NULL, 0},
    {SIM_SECTION_DIMM, "bytes", SIM_VALUE_SIZE, DIMM(bytes), 0x1p20, (double)SIM_MEMORY_MAX, false,
     NULL, 0},
    {SIM_SECTION_DIMM, "type", SIM_VALUE_WORD, DIMM(type), 0, 0, false, dimm_types, 0},
    {SIM_SECTION_DIMM, "ecc", SIM_VALUE_WORD, DIMM(ecc), 0, 0, false, dimm_eccs, 0},
    {SIM_SECTION_DIMM, "ranks", SIM_VALUE_COUNT, DIMM(ranks), 1, 15, false, NULL, 0},
    {SIM_SECTION_DIMM, "rated", SIM_VALUE_COUNT, DIMM(rated_mts), 1, 100000, false, NULL, 0},
    {SIM_SECTION_DIMM, "speed", SIM_VALUE_COUNT, DIMM(mts), 1, 100000, false, NULL, 0},
    {SIM_SECTION_DIMM, "width", SIM_VALUE_COUNT, DIMM(data_bits), 8, 1024, false, NULL, 0},
    {SIM_SECTION_DIMM, "total-width", SIM_VALUE_COUNT, DIMM(total_bits), 8, 1024, false, NULL, 0},
    {SIM_SECTION_DIMM, "millivolts", SIM_VALUE_COUNT, DIMM(millivolts), 1, 65535, false, NULL, 0},

    {SIM_SECTION_SLOW, "from", SIM_VALUE_ADDRESS, SLOW(part.from), 0, 0x1p52, false, NULL, 0},
    {SIM_SECTION_SLOW, "bytes", SIM_VALUE_SIZE, SLOW(part.bytes), 4096, (double)SIM_MEMORY_MAX,
     false, NULL, 0},
    {SIM_SECTION_SLOW, "mask", SIM_VALUE_XORS, SLOW(part.mask), 0, 0, false, NULL, 0},
    {SIM_SECTION_SLOW, "parity", SIM_VALUE_COUNT, SLOW(part.parity), 0, (1 << SIM_XORS_MAX) - 1,
     false, NULL, 0},
    {SIM_SECTION_SLOW, "channel", SIM_VALUE_COUNT, SLOW(part.channel), 0, 63, false, NULL, 0},
    {SIM_SECTION_SLOW, "rank", SIM_VALUE_COUNT, SLOW(part.rank), 0, 63, false, NULL, 0},
    {SIM_SECTION_SLOW, "adds", SIM_VALUE_NS, SLOW(adds_ns), 0.01, 1e6, true, NULL, 0},

    {SIM_SECTION_PREFETCH, "kind", SIM_VALUE_WORD, PREFETCH(kind), 0, 0, true, kinds, 0},
    {SIM_SECTION_PREFETCH, "control", SIM_VALUE_WORD, PREFETCH(control), 0, 0, true, controls, 0},
    {SIM_SECTION_PREFETCH, "degree", SIM_VALUE_COUNT, PREFETCH(degree), 1, 64, false, NULL, 0},
    {SIM_SECTION_PREFETCH, "into", SIM_VALUE_COUNT, PREFETCH(into), 1, SIM_CACHES_MAX, false, NULL,
     0},
    {SIM_SECTION_PREFETCH, "region", SIM_VALUE_SIZE, PREFETCH(region_bytes), 64, 4096, false, NULL,
     0},
    {SIM_SECTION_PREFETCH, "after", SIM_VALUE_COUNT, PREFETCH(after), 1, 64, false, NULL, 0},
    {SIM_SECTION_PREFETCH, "within", SIM_VALUE_SIZE, PREFETCH(within_bytes), 4096, 0x1p30, false,
     NULL, 0},
    {SIM_SECTION_PREFETCH, "accuracy", SIM_VALUE_SHARE, PREFETCH(accuracy), 0, 1, false, NULL, 0},
    {SIM_SECTION_PREFETCH, "lead", SIM_VALUE_TIME, PREFETCH(lead), 0, 1e4, false, NULL, 0},

    {SIM_SECTION_NOISE, "jitter", SIM_VALUE_SHARE, NOISE(jitter), 0, 0.5, false, NULL, 0},
    {SIM_SECTION_NOISE, "spike-every", SIM_VALUE_REAL, NOISE(spike_every), 1, 1e9, false, NULL, 0},
    {SIM_SECTION_NOISE, "spike-factor", SIM_VALUE_REAL, NOISE(spike_factor), 1, 1000, false, NULL,
     0},
    {SIM_SECTION_NOISE, "smi-rate", SIM_VALUE_REAL, NOISE(smi_hz), 0, 1e5, false, NULL, 0},
    {SIM_SECTION_NOISE, "smi-us", SIM_VALUE_REAL, NOISE(smi_us), 0, 1e6, false, NULL, 0},
    {SIM_SECTION_NOISE, "smi-counted", SIM_VALUE_FLAG, NOISE(smi_counted), 0, 0, false, NULL, 0},

    {SIM_SECTION_COUNTERS, "misses", SIM_VALUE_WORD, COUNTERS(misses), 0, 0, false, events, 0},
    {SIM_SECTION_COUNTERS, "walks", SIM_VALUE_WORD, COUNTERS(walks), 0, 0, false, events, 0},
    {SIM_SECTION_COUNTERS, "sampler", SIM_VALUE_WORD, COUNTERS(sampler), 0, 0, false, samplers, 0},
    {SIM_SECTION_COUNTERS, "banks", SIM_VALUE_COUNT, COUNTERS(banks), 0, ERROR_BANKS_MAX, false,
     NULL, 0},

    {SIM_SECTION_FAULT, "address", SIM_VALUE_ADDRESS, FAULT(physical), 0, 0x1p52, true, NULL, 0},
    {SIM_SECTION_FAULT, "bit", SIM_VALUE_COUNT, FAULT(bit), 0, 7, false, NULL, 0},
    {SIM_SECTION_FAULT, "kind", SIM_VALUE_WORD, FAULT(kind), 0, 0, true, fault_kinds, 0},
    {SIM_SECTION_FAULT, "rate", SIM_VALUE_REAL, FAULT(rate_hz), 1e-6, 1e9, false, NULL, 0},
    {SIM_SECTION_FAULT, "after", SIM_VALUE_NS, FAULT(after_ns), 1, 1e12, false, NULL, 0},
    {SIM_SECTION_FAULT, "with", SIM_VALUE_ADDRESS, FAULT(with), 1, 0x1p52, false, NULL, 0},
    {SIM_SECTION_FAULT, "bytes", SIM_VALUE_SIZE, FAULT(bytes), 8, (double)SIM_MEMORY_MAX, false,
     NULL, 0},
    {SIM_SECTION_FAULT, "share", SIM_VALUE_SHARE, FAULT(share), 1e-9, 1, false, NULL, 0},
    {SIM_SECTION_FAULT, "at", SIM_VALUE_REAL, FAULT(at_s), 0, 1e6, false, NULL, 0},
};
const size_t sim_key_count = sizeof sim_keys / sizeof sim_keys[0];
_Static_assert(sizeof sim_keys / sizeof sim_keys[0] <= SIM_KEYS_MAX, "too many keys");

size_t sim_section_max(enum sim_section section)
{
    static const size_t max[SIM_SECTIONS] = {
        [SIM_SECTION_CACHE] = SIM_CACHES_MAX,         [SIM_SECTION_TLB] = SIM_TLBS_MAX,
        [SIM_SECTION_HOLE] = SIM_HOLES_MAX,           [SIM_SECTION_MODULE] = SIM_MODULES_MAX,
        [SIM_SECTION_DIMM] = SIM_DIMMS_MAX,           [SIM_SECTION_SLOW] = SIM_SLOW_MAX,
        [SIM_SECTION_PREFETCH] = SIM_PREFETCHERS_MAX, [SIM_SECTION_FAULT] = SIM_FAULTS_MAX,
        [SIM_SECTION_CPU] = SIM_CPUS_MAX - 1,         [SIM_SECTION_NODE] = SIM_NODES_MAX - 1,
        [SIM_SECTION_WAY] = SIM_WAYS_BETWEEN_MAX};

    return max[section] != 0 ? max[section] : 1;
}

void *sim_section_place(struct sim_config *config, enum sim_section section, size_t index)
{
    if (index >= sim_section_max(section))
        return NULL;
    switch (section) {
    case SIM_SECTION_CACHE:
        return &config->cache[index];
    case SIM_SECTION_TLB:
        return &config->tlb[index];
    case SIM_SECTION_HOLE:
        return &config->memory.hole[index];
    case SIM_SECTION_MODULE:
        return &config->memory.module[index];
    case SIM_SECTION_DIMM:
        return &config->dimm[index];
    case SIM_SECTION_SLOW:
        return &config->memory.slow[index];
    case SIM_SECTION_PREFETCH:
        return &config->prefetch[index];
    case SIM_SECTION_FAULT:
        return &config->fault[index];
    case SIM_SECTION_WALK:
        return &config->walk;
    case SIM_SECTION_CORE:
        return &config->core;
    case SIM_SECTION_COHERENCE:
        return &config->coherence;
    case SIM_SECTION_CPU:
        return &config->cpu[index];
    case SIM_SECTION_MEMORY:
        return &config->memory;
    case SIM_SECTION_NODE:
        return &config->memory.node[index];
    case SIM_SECTION_WAY:
        return &config->memory.way[index];
    case SIM_SECTION_MAPPING:
        return &config->mapping;
    case SIM_SECTION_NOISE:
        return &config->noise;
    case SIM_SECTION_COUNTERS:
        return &config->counters;
    default:
        return config;
    }
}

/* A bound as it would be written. */
static const char *bound_text(enum sim_value value, double bound, char text[24])
{
    static const char *const binary[] = {"", "K", "M", "G", "T"};
    static const char *const decimal[] = {"", "k", "M", "G", "T"};
    bool size = value == SIM_VALUE_SIZE || value == SIM_VALUE_DECLARED;
    double step = size ? 1024 : 1000;
    size_t steps = 0;

    while ((size || value == SIM_VALUE_HZ) && bound >= step && steps < 4) {
        bound /= step;
        steps++;
    }
    if (value == SIM_VALUE_ADDRESS) {
        snprintf(text, 24, "0x%llx", (unsigned long long)bound);
        return text;
    }
    snprintf(text, 24, bound == floor(bound) ? "%.0f%s%s" : "%.9g%s%s",
             value == SIM_VALUE_SHARE ? 100 * bound : bound, size ? binary[steps] : decimal[steps],
             value == SIM_VALUE_NS || value == SIM_VALUE_TIMES ? "ns"
             : value == SIM_VALUE_SHARE                        ? "%"
             : value == SIM_VALUE_PPM                          ? "ppm"
                                                               : "");
    return text;
}

static const char *say_allowed(const char *how, const struct sim_key *key,
                               char scratch[SIM_ALLOWED_MAX])
{
    char min[24], max[24];

    snprintf(scratch, SIM_ALLOWED_MAX, "%s, from %s to %s%s", how,
             bound_text(key->value, key->min, min), bound_text(key->value, key->max, max),
             key->value == SIM_VALUE_TIME ? " of either unit" : "");
    return scratch;
}

/* A plain decimal number; *rest is what follows it. False: none there. */
static bool read_number(const char *text, double *number, const char **rest)
{
    size_t digits = strspn(text, "0123456789.");
    char *end;

    /* strtod accepts more than is wanted here: signs, exponents, nan. */
    if (digits == 0 || digits > 24)
        return false;
    *number = strtod(text, &end);
    *rest = text + digits;
    return end == *rest;
}

static bool scaled(const char *text, const char *letters, const double *factors, double *number)
{
    const char *rest, *letter;

    if (!read_number(text, number, &rest))
        return false;
    if (*rest == '\0')
        return true;
    letter = strchr(letters, *rest);
    if (!letter || rest[1] != '\0')
        return false;
    *number *= factors[letter - letters];
    return true;
}

static bool read_time(const char *text, struct sim_time *time)
{
    const char *rest;

    if (!read_number(text, &time->value, &rest))
        return false;
    time->cycles = strcmp(rest, "c") == 0;
    if (strcmp(rest, "us") == 0)
        time->value *= 1000;
    return time->cycles || strcmp(rest, "ns") == 0 || strcmp(rest, "us") == 0;
}

static bool read_whole(const char *text, double *number)
{
    static const double binary[] = {0x1p10, 0x1p20, 0x1p30, 0x1p40};
    char *end;

    if (strncmp(text, "0x", 2) == 0) {
        *number = (double)strtoull(text, &end, 16);
        return text[2] != '\0' && strspn(text + 2, "0123456789abcdefABCDEF") == strlen(text + 2) &&
               strlen(text) <= 18;
    }
    return scaled(text, "KMGT", binary, number) && *number == floor(*number);
}

static const char *read_declared(const struct sim_key *key, const char *text, uint64_t *bytes,
                                 char scratch[SIM_ALLOWED_MAX])
{
    double number;

    if (strcmp(text, "no") == 0) {
        *bytes = SIM_UNDECLARED;
        return NULL;
    }
    if (!read_whole(text, &number) || !(number >= key->min && number <= key->max))
        return say_allowed("no, or a size, plain or with K, M, G or T", key, scratch);
    *bytes = (uint64_t)number;
    return NULL;
}

static bool read_pages(const char *text, uint32_t *pages)
{
    *pages = 0;
    for (;;) {
        size_t length = strcspn(text, ",");
        unsigned page = 0;
        while (page < SIM_PAGES &&
               !text_is(text, length, page_name(sim_page_log2((enum sim_page)page))))
            page++;
        if (page == SIM_PAGES || *pages & 1u << sim_page_log2((enum sim_page)page))
            return false;
        *pages |= 1u << sim_page_log2((enum sim_page)page);
        if (text[length] == '\0')
            return true;
        text += length + 1;
    }
}

/* Times in ns or us, joined by commas. */
static const char *read_times(const struct sim_key *key, const char *text, struct sim_times *times,
                              char scratch[SIM_ALLOWED_MAX])
{
    char each[32];

    *times = (struct sim_times){0};
    for (;;) {
        size_t length = strcspn(text, ",");
        struct sim_time time = {0};
        snprintf(each, sizeof each, "%.*s", (int)(length < sizeof each ? length : 0), text);
        if (times->count == SIM_TIMES_MAX || !read_time(each, &time) || time.cycles ||
            !(time.value >= key->min && time.value <= key->max))
            return say_allowed("up to 64 times like 0ns,1.5ns, each with its unit", key, scratch);
        times->ns[times->count++] = time.value;
        if (text[length] == '\0')
            return NULL;
        text += length + 1;
    }
}

/* Bits joined by ^, functions by commas. A bit named twice would cancel itself. */
static bool read_xors(const char *text, struct sim_xors *xors)
{
    *xors = (struct sim_xors){0};
    while (xors->count < SIM_XORS_MAX) {
        size_t digits = strspn(text, "0123456789");
        unsigned long bit = strtoul(text, NULL, 10);
        if (digits == 0 || digits > 2 || bit < SIM_XOR_BIT_MIN || bit > SIM_XOR_BIT_MAX ||
            xors->mask[xors->count] >> bit & 1)
            return false;
        xors->mask[xors->count] |= 1ull << bit;
        text += digits;
        xors->count += *text != '^';
        if (*text == '\0')
            return true;
        if (*text != '^' && *text != ',')
            return false;
        text++;
    }
    return false;
}

static bool read_entries(const struct sim_key *key, const char *text, void *section)
{
    uint32_t *entries = (uint32_t *)((char *)section + key->offset);
    uint32_t *ways = (uint32_t *)((char *)section + key->second_offset);
    double number, per_set;
    const char *rest;

    if (!read_number(text, &number, &rest))
        return false;
    per_set = number;
    if (*rest == '/' && !read_number(rest + 1, &per_set, &rest))
        return false;
    if (*rest != '\0' || number != floor(number) || number < key->min || number > key->max ||
        per_set != floor(per_set) || per_set < 1 || (per_set > SIM_WAYS_MAX && per_set != number))
        return false;
    *entries = (uint32_t)number;
    *ways = (uint32_t)per_set;
    return true;
}

static bool read_ppm(const char *text, double *number)
{
    bool negative = *text == '-';
    const char *rest;

    if (!read_number(text + negative, number, &rest))
        return false;
    if (negative)
        *number = -*number;
    return strcmp(rest, "ppm") == 0;
}

/* A number in the unit it is kept in. */
static bool read_kept(const struct sim_key *key, const char *text, double *number)
{
    static const double decimal[] = {1e3, 1e6, 1e9, 1e12};
    static const double per_cent[] = {0.01};
    struct sim_time time;

    switch (key->value) {
    case SIM_VALUE_NS:
        if (!read_time(text, &time) || time.cycles)
            return false;
        *number = time.value;
        return true;
    case SIM_VALUE_HZ:
        return scaled(text, "kMGT", decimal, number);
    case SIM_VALUE_SHARE:
        return strchr(text, '%') && scaled(text, "%", per_cent, number);
    case SIM_VALUE_REAL:
        return scaled(text, "", NULL, number);
    case SIM_VALUE_PPM:
        return read_ppm(text, number);
    case SIM_VALUE_COUNT:
        return scaled(text, "", NULL, number) && *number == floor(*number);
    default:
        return read_whole(text, number);
    }
}

static const char *how_to_write(enum sim_value value)
{
    switch (value) {
    case SIM_VALUE_SIZE:
        return "a size, plain or with K, M, G or T";
    case SIM_VALUE_ADDRESS:
        return "an address like 0x100001000";
    case SIM_VALUE_NS:
        return "a time like 90ns or 7.8us, with its unit";
    case SIM_VALUE_TIME:
        return "core cycles or a time, with its unit, like 4c or 3.5ns";
    case SIM_VALUE_HZ:
        return "a number, plain or with k, M, G or T";
    case SIM_VALUE_SHARE:
        return "a share like 2%, with its unit";
    case SIM_VALUE_REAL:
        return "a number like 0.5";
    case SIM_VALUE_PPM:
        return "a share like -500ppm, with its unit";
    default:
        return "a whole number";
    }
}

static const char *read_bounded(const struct sim_key *key, const char *text, void *place,
                                char scratch[SIM_ALLOWED_MAX])
{
    struct sim_time time;
    double number = 0;
    bool good;

    if (key->value == SIM_VALUE_TIME) {
        good = read_time(text, &time);
        number = time.value;
    } else {
        good = read_kept(key, text, &number);
    }
    if (!good || !(number >= key->min && number <= key->max)) {
        return say_allowed(how_to_write(key->value), key, scratch);
    }
    if (key->value == SIM_VALUE_TIME)
        *(struct sim_time *)place = time;
    else if (key->value == SIM_VALUE_COUNT)
        *(uint32_t *)place = (uint32_t)number;
    else if (key->value == SIM_VALUE_SIZE || key->value == SIM_VALUE_ADDRESS ||
             key->value == SIM_VALUE_SEED)
        *(uint64_t *)place = (uint64_t)number;
    else
        *(double *)place = number;
    return NULL;
}

static const char *read_word(const struct sim_key *key, const char *text, void *place,
                             char scratch[SIM_ALLOWED_MAX])
{
    size_t used = 0;

    for (int i = 0; key->words[i]; i++) {
        if (strcmp(text, key->words[i]) == 0) {
            if (key->value == SIM_VALUE_EITHER)
                *(bool *)place = i != 0;
            else
                *(int *)place = i;
            return NULL;
        }
        used += (size_t)snprintf(scratch + used, SIM_ALLOWED_MAX - used, "%s%s",
                                 i == 0 ? "one of " : ", ", key->words[i]);
    }
    return scratch;
}

static bool is_name(const char *text)
{
    size_t length = strlen(text);

    return length > 0 && length < SIM_NAME_MAX &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
               length;
}

const char *sim_value_read(const struct sim_key *key, const char *text, void *section,
                           char scratch[SIM_ALLOWED_MAX])
{
    void *place = (char *)section + key->offset;

    switch (key->value) {
    case SIM_VALUE_WORD:
    case SIM_VALUE_EITHER:
        return read_word(key, text, place, scratch);
    case SIM_VALUE_FLAG:
        *(bool *)place = strcmp(text, "yes") == 0;
        return *(bool *)place || strcmp(text, "no") == 0 ? NULL : "yes or no";
    case SIM_VALUE_NAME:
        if (!is_name(text))
            return "1 to 31 letters, digits, dots, dashes and underscores";
        strcpy(place, text);
        return NULL;
    case SIM_VALUE_PAGES:
        return read_pages(text, place) ? NULL : "a list of 4k, 2m and 1g, each at most once";
    case SIM_VALUE_DECLARED:
        return read_declared(key, text, place, scratch);
    case SIM_VALUE_TIMES:
        return read_times(key, text, place, scratch);
    case SIM_VALUE_XORS:
        return read_xors(text, place) ? NULL
                                      : "up to 8 functions like 7^14,15^19: address bits from 6 to "
                                        "44, each at most once in a function";
    case SIM_VALUE_ENTRIES:
        return read_entries(key, text, section)
                   ? NULL
                   : "entries/ways, or entries alone when any page may be in any of them; "
                     "at most 64 ways, or all";
    default:
        return read_bounded(key, text, place, scratch);
    }
}
