/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of fields. The limits of texts keep every record below RECORD_LINE_MAX. */
#include "core/results/fields.h"

#include "core/results/field_names.h"

/* Each name once, and where it begins. */
#define NAME_ROOM(name)  char name[sizeof #name];
#define NAME_CHARS(name) #name,
static const struct names {
    FIELD_NAMES(NAME_ROOM)
} names = {FIELD_NAMES(NAME_CHARS)};

/* Member `place` of struct `of`; a text is cut to `max` bytes. */
#define FIELD_AS(of, name, place, kind, max)                                \
    {                                                                       \
        offsetof(struct names, name), offsetof(struct of, place), max, kind \
    }
#define FIELD(of, name, kind, max) FIELD_AS(of, name, name, kind, max)
/* Made of several members. */
#define FIELD_OF_ALL(name, kind)                 \
    {                                            \
        offsetof(struct names, name), 0, 0, kind \
    }
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct record_field run_fields[] = {
    FIELD_OF_ALL(schema, FIELD_SCHEMA),
    FIELD(record_run, version, FIELD_TEXT, 120),
    FIELD(record_run, arch, FIELD_TEXT, 24),
    FIELD(record_run, firmware, FIELD_TEXT, 200),
    FIELD(record_run, board, FIELD_TEXT, 200),
    FIELD(record_run, bios, FIELD_TEXT, 200),
    FIELD(record_run, cpu, FIELD_TEXT, 240),
    FIELD(record_run, clock_hz, FIELD_U64, 0),
    FIELD(record_run, clock_source, FIELD_TEXT, 160),
    FIELD(record_run, clock_ppm, FIELD_REAL, 0),
    FIELD(record_run, clock_choice, FIELD_TEXT, 24),
    FIELD(record_run, clock_declared_hz, FIELD_U64, 0),
    FIELD(record_run, clock_declared_source, FIELD_TEXT, 160),
    FIELD(record_run, clock_grade, FIELD_TEXT, 24),
    FIELD(record_run, clock_crystal_hz, FIELD_U64, 0),
    FIELD(record_run, core_base_hz, FIELD_U64, 0),
    FIELD(record_run, options, FIELD_TEXT, 2000),
    FIELD(record_run, seed, FIELD_U64, 0),
    FIELD(record_run, microcode, FIELD_HEX, 0),
    FIELD(record_run, memory_encryption, FIELD_TEXT, 24),
    FIELD(record_run, threads_per_core, FIELD_U64, 0),
    FIELD(record_run, cpu_kinds, FIELD_U64, 0),
    FIELD(record_run, nodes_per_package, FIELD_U64, 0),
    FIELD(record_run, smbios_cpu_hz, FIELD_U64, 0),
    FIELD(record_run, smbios_cpu_max_hz, FIELD_U64, 0),
    FIELD(record_run, board_source, FIELD_TEXT, 24),
};

static const struct record_field cpu_fields[] = {
    FIELD(record_cpu, name, FIELD_TEXT, 240),   FIELD(record_cpu, count, FIELD_U64, 0),
    FIELD(record_cpu, enabled, FIELD_U64, 0),   FIELD(record_cpu, page_sizes, FIELD_PAGE_LIST, 0),
    FIELD(record_cpu, caches, FIELD_CACHES, 0), FIELD(record_cpu, tlbs, FIELD_TLBS, 0),
};

static const struct record_field memory_fields[] = {
    FIELD(record_memory, base, FIELD_HEX, 0),
    FIELD(record_memory, bytes, FIELD_U64, 0),
    FIELD(record_memory, node, FIELD_U64, 0),
    FIELD(record_memory, kind, FIELD_TEXT, 60),
    FIELD(record_memory, side_cache_bytes, FIELD_U64, 0),
    FIELD(record_memory, usable, FIELD_BOOL, 0),
};

static const struct record_field dimm_fields[] = {
    FIELD(dimm_info, locator, FIELD_CHARS, 150),
    FIELD(dimm_info, bank, FIELD_CHARS, 150),
    FIELD(dimm_info, maker, FIELD_CHARS, 150),
    FIELD(dimm_info, part, FIELD_CHARS, 150),
    FIELD(dimm_info, type, FIELD_CHARS, 150),
    FIELD(dimm_info, bytes, FIELD_U64, 0),
    FIELD(dimm_info, rated_mts, FIELD_U32_KNOWN, 0),
    FIELD(dimm_info, configured_mts, FIELD_U32_KNOWN, 0),
    FIELD(dimm_info, ranks, FIELD_U8_KNOWN, 0),
    FIELD(dimm_info, data_bits, FIELD_U16_KNOWN, 0),
    FIELD(dimm_info, total_bits, FIELD_U16_KNOWN, 0),
    FIELD(dimm_info, use, FIELD_TEXT, 24),
    FIELD(dimm_info, ecc, FIELD_TEXT, 24),
    FIELD(dimm_info, configured_mv, FIELD_U16_KNOWN, 0),
    FIELD(dimm_info, channel, FIELD_CHARS, 150),
    FIELD(dimm_info, channel_source, FIELD_TEXT, 24),
    FIELD(dimm_info, physical_first, FIELD_HEX, 0),
    FIELD(dimm_info, physical_last, FIELD_HEX, 0),
    FIELD(dimm_info, interleave_depth, FIELD_U8_KNOWN, 0),
    FIELD(dimm_info, interleave_position, FIELD_U8_KNOWN, 0),
};

static const struct record_field modules_fields[] = {
    FIELD(record_modules, slots, FIELD_U64, 0),
    FIELD(record_modules, fitted, FIELD_U64, 0),
    FIELD(record_modules, of_unknown_size, FIELD_U64, 0),
    FIELD(record_modules, bytes, FIELD_U64, 0),
    FIELD(record_modules, rank_bytes, FIELD_U64, 0),
    FIELD(record_modules, configured_mts_low, FIELD_U64, 0),
    FIELD(record_modules, configured_mts_high, FIELD_U64, 0),
    FIELD(record_modules, channels, FIELD_U64, 0),
    FIELD(record_modules, ecc, FIELD_TEXT, 24),
    FIELD(record_modules, max_bytes, FIELD_U64, 0),
    FIELD(record_modules, mapped_bytes, FIELD_U64, 0),
    FIELD(record_modules, map_bytes, FIELD_U64, 0),
    FIELD(record_modules, map_agrees, FIELD_ANSWER, 0),
};

static const struct record_field expectation_fields[] = {
    FIELD(record_expectation, name, FIELD_TEXT, 48),
    FIELD(record_expectation, expected, FIELD_TEXT, 48),
    FIELD(record_expectation, found, FIELD_TEXT, 48),
    FIELD(record_expectation, met, FIELD_ANSWER, 0),
    FIELD(record_expectation, why, FIELD_TEXT, 400),
};

static const struct record_field cache_fields[] = {
    FIELD(smbios_cache, name, FIELD_CHARS, 150),
    FIELD(smbios_cache, level, FIELD_U8_KNOWN, 0),
    FIELD(smbios_cache, kind, FIELD_TEXT, 24),
    FIELD(smbios_cache, bytes, FIELD_U64, 0),
    FIELD(smbios_cache, ways, FIELD_WAYS, 0),
    FIELD(smbios_cache, enabled, FIELD_BOOL, 0),
    FIELD_AS(smbios_cache, beyond_registers, beyond, FIELD_BOOL, 0),
};

static const struct record_field prefetch_fields[] = {
    FIELD(record_prefetch, cpu, FIELD_U64, 0),
    FIELD(record_prefetch, control, FIELD_TEXT, 240),
    FIELD(record_prefetch, source, FIELD_TEXT, 400),
    FIELD(record_prefetch, requested, FIELD_HEX, 0),
    FIELD(record_prefetch, readback, FIELD_HEX, 0),
    FIELD(record_prefetch, unofficial, FIELD_BOOL, 0),
    FIELD(record_prefetch, counts, FIELD_BOOL, 0),
    FIELD(record_prefetch, known_only, FIELD_BOOL, 0),
    FIELD(record_prefetch, state, FIELD_PREFETCH, 0),
    FIELD(record_prefetch, sequential_over_random, FIELD_REAL, 0),
    FIELD(record_prefetch, ratio_low, FIELD_REAL, 0),
    FIELD(record_prefetch, ratio_high, FIELD_REAL, 0),
    FIELD(record_prefetch, ratio_verdict, FIELD_TEXT, 60),
    FIELD(record_prefetch, footprint_share, FIELD_REAL, 0),
    FIELD(record_prefetch, footprint_low, FIELD_REAL, 0),
    FIELD(record_prefetch, footprint_high, FIELD_REAL, 0),
    FIELD(record_prefetch, footprint_touches, FIELD_U64, 0),
    FIELD(record_prefetch, footprint_distance, FIELD_REAL, 0),
    FIELD(record_prefetch, footprint_verdict, FIELD_TEXT, 60),
    FIELD(record_prefetch, verdict, FIELD_TEXT, 60),
    FIELD(record_prefetch, witness, FIELD_TEXT, 60),
    FIELD(record_prefetch, doubt, FIELD_DOUBT, 0),
};

static const struct record_field point_fields[] = {
    FIELD(record_point, experiment, FIELD_TEXT, 60),
    FIELD(record_point, pattern, FIELD_TEXT, 60),
    FIELD_AS(record_point, pages, pages_bytes, FIELD_PAGES, 0),
    FIELD(record_point, frames, FIELD_TEXT, 60),
    FIELD(record_point, map, FIELD_TEXT, 60),
    FIELD(record_point, prefetch, FIELD_PREFETCH, 0),
    FIELD(record_point, bytes, FIELD_U64, 0),
    FIELD(record_point, stride_bytes, FIELD_U64, 0),
    FIELD(record_point, group_bytes, FIELD_U64, 0),
    FIELD(record_point, chains, FIELD_U64, 0),
    FIELD(record_point, load, FIELD_TEXT, 60),
    FIELD(record_point, hint, FIELD_TEXT, 60),
    FIELD(record_point, work_cycles, FIELD_U64, 0),
    FIELD(record_point, word, FIELD_U64, 0),
    FIELD(record_point, cpu, FIELD_U64, 0),
    FIELD(record_point, node, FIELD_U64, 0),
    FIELD(record_point, warm_hops, FIELD_U64, 0),
    FIELD(record_point, hops, FIELD_U64, 0),
    FIELD(record_point, samples, FIELD_U64, 0),
    FIELD(record_point, ticks_median, FIELD_REAL, 0),
    FIELD(record_point, ns_min, FIELD_REAL, 0),
    FIELD(record_point, ns_median, FIELD_REAL, 0),
    FIELD(record_point, ns_mean, FIELD_REAL, 0),
    FIELD(record_point, ns_p95, FIELD_REAL, 0),
    FIELD(record_point, ns_p99, FIELD_REAL, 0),
    FIELD(record_point, ns_mad, FIELD_REAL, 0),
    FIELD(record_point, cycles_median, FIELD_REAL, 0),
    FIELD(record_point, cpu_hz_before, FIELD_REAL, 0),
    FIELD(record_point, cpu_hz_after, FIELD_REAL, 0),
    FIELD(record_point, hz_over_base, FIELD_REAL, 0),
    FIELD(record_point, frequency_registers, FIELD_TEXT, 600),
    FIELD(record_point, rel_error, FIELD_REAL, 0),
    FIELD(record_point, arithmetic_ns, FIELD_REAL, 0),
    FIELD(record_point, outliers, FIELD_U64, 0),
    FIELD(record_point, limited_by, FIELD_TEXT, 60),
    FIELD(record_point, verified, FIELD_TEXT, 60),
    FIELD(record_point, disturbed, FIELD_U64, 0),
    FIELD(record_point, smi, FIELD_U64, 0),
    FIELD(record_point, mce, FIELD_U64, 0),
    FIELD(record_point, seed, FIELD_U64, 0),
    FIELD_AS(record_point, prefetch_only_off, prefetch_only_off, FIELD_TEXT, 240),
    FIELD(record_point, turbo, FIELD_TEXT, 60),
    FIELD(record_point, pstate, FIELD_TEXT, 60),
    FIELD(record_point, uncore, FIELD_TEXT, 60),
    FIELD(record_point, settled, FIELD_ANSWER, 0),
    FIELD(record_point, hz_step, FIELD_REAL, 0),
    FIELD(record_point, counted_accesses, FIELD_U64, 0),
    FIELD(record_point, llc_misses, FIELD_U64, 0),
    FIELD(record_point, page_walks, FIELD_U64, 0),
    FIELD(record_point, purpose, FIELD_TEXT, 60),
    FIELD(record_point, physical_low, FIELD_HEX, 0),
    FIELD(record_point, physical_high, FIELD_HEX, 0),
};

static const struct record_field level_fields[] = {
    FIELD(record_level, experiment, FIELD_TEXT, 60),
    FIELD(record_level, name, FIELD_TEXT, 60),
    FIELD(record_level, kind, FIELD_TEXT, 60),
    FIELD(record_level, bytes, FIELD_REAL, 0),
    FIELD(record_level, bytes_low, FIELD_REAL, 0),
    FIELD(record_level, bytes_high, FIELD_REAL, 0),
    FIELD(record_level, ns, FIELD_REAL, 0),
    FIELD(record_level, ns_low, FIELD_REAL, 0),
    FIELD(record_level, ns_high, FIELD_REAL, 0),
    FIELD(record_level, cycles, FIELD_REAL, 0),
    FIELD(record_level, cycles_low, FIELD_REAL, 0),
    FIELD(record_level, cycles_high, FIELD_REAL, 0),
    FIELD(record_level, declared_bytes, FIELD_U64, 0),
    FIELD(record_level, extrapolated, FIELD_BOOL, 0),
    FIELD(record_level, doubt, FIELD_DOUBT, 0),
};

static const struct record_field dram_fields[] = {
    FIELD_AS(record_dram, pages, pages_bytes, FIELD_PAGES, 0),
    FIELD(record_dram, pattern, FIELD_TEXT, 60),
    FIELD(record_dram, frames, FIELD_TEXT, 60),
    FIELD(record_dram, map, FIELD_TEXT, 60),
    FIELD(record_dram, prefetch, FIELD_PREFETCH, 0),
    FIELD(record_dram, bytes, FIELD_U64, 0),
    FIELD(record_dram, ns, FIELD_REAL, 0),
    FIELD(record_dram, ns_low, FIELD_REAL, 0),
    FIELD(record_dram, ns_high, FIELD_REAL, 0),
    FIELD(record_dram, cycles, FIELD_REAL, 0),
    FIELD(record_dram, translation_ns, FIELD_REAL, 0),
    FIELD(record_dram, rise_ns, FIELD_REAL, 0),
    FIELD(record_dram, slope_ns, FIELD_REAL, 0),
    FIELD(record_dram, slope_low_ns, FIELD_REAL, 0),
    FIELD(record_dram, slope_high_ns, FIELD_REAL, 0),
    FIELD(record_dram, tlb_cost_ns, FIELD_REAL, 0),
    FIELD(record_dram, tlb_cost_low_ns, FIELD_REAL, 0),
    FIELD(record_dram, tlb_cost_high_ns, FIELD_REAL, 0),
    FIELD(record_dram, missed_share, FIELD_REAL, 0),
    FIELD(record_dram, core_hz, FIELD_REAL, 0),
    FIELD(record_dram, core_over_base, FIELD_REAL, 0),
    FIELD(record_dram, doubt, FIELD_DOUBT, 0),
};

static const struct record_field witness_fields[] = {
    FIELD(record_witness, experiment, FIELD_TEXT, 60),
    FIELD(record_witness, method, FIELD_TEXT, 60),
    FIELD(record_witness, event, FIELD_TEXT, 240),
    FIELD(record_witness, event_source, FIELD_TEXT, 240),
    FIELD(record_witness, walk_event, FIELD_TEXT, 240),
    FIELD(record_witness, walk_event_source, FIELD_TEXT, 240),
    FIELD(record_witness, known_hits, FIELD_REAL, 0),
    FIELD(record_witness, known_misses, FIELD_REAL, 0),
    FIELD_AS(record_witness, pages, pages_bytes, FIELD_PAGES, 0),
    FIELD(record_witness, bytes, FIELD_U64, 0),
    FIELD(record_witness, pattern, FIELD_TEXT, 60),
    FIELD(record_witness, prefetch, FIELD_PREFETCH, 0),
    FIELD(record_witness, missed_share, FIELD_REAL, 0),
    FIELD(record_witness, least_share, FIELD_REAL, 0),
    FIELD(record_witness, walked_share, FIELD_REAL, 0),
    FIELD(record_witness, agrees, FIELD_BOOL, 0),
};

static const struct record_field ibs_fields[] = {
    FIELD(record_ibs, experiment, FIELD_TEXT, 60),
    FIELD(record_ibs, sampler, FIELD_TEXT, 120),
    FIELD(record_ibs, source, FIELD_TEXT, 240),
    FIELD(record_ibs, known_hits, FIELD_REAL, 0),
    FIELD(record_ibs, known_misses, FIELD_REAL, 0),
    FIELD_AS(record_ibs, pages, pages_bytes, FIELD_PAGES, 0),
    FIELD(record_ibs, pattern, FIELD_TEXT, 60),
    FIELD(record_ibs, prefetch, FIELD_PREFETCH, 0),
    FIELD(record_ibs, bytes, FIELD_U64, 0),
    FIELD(record_ibs, ops, FIELD_U64, 0),
    FIELD(record_ibs, loads, FIELD_U64, 0),
    FIELD(record_ibs, missed, FIELD_U64, 0),
    FIELD(record_ibs, miss_cycles, FIELD_REAL, 0),
    FIELD(record_ibs, tlb_missed, FIELD_U64, 0),
    FIELD(record_ibs, refill_cycles, FIELD_REAL, 0),
    FIELD(record_ibs, near_bytes, FIELD_U64, 0),
    FIELD(record_ibs, near_ops, FIELD_U64, 0),
    FIELD(record_ibs, near_loads, FIELD_U64, 0),
    FIELD(record_ibs, near_missed, FIELD_U64, 0),
    FIELD(record_ibs, near_miss_cycles, FIELD_REAL, 0),
    FIELD(record_ibs, difference_cycles, FIELD_REAL, 0),
    FIELD(record_ibs, difference_error_cycles, FIELD_REAL, 0),
    FIELD(record_ibs, chase_difference_cycles, FIELD_REAL, 0),
    FIELD(record_ibs, chase_difference_error_cycles, FIELD_REAL, 0),
    FIELD(record_ibs, agrees, FIELD_ANSWER, 0),
};

static const struct record_field finding_fields[] = {
    FIELD(record_finding, experiment, FIELD_TEXT, 60),
    FIELD(record_finding, name, FIELD_TEXT, 120),
    FIELD(record_finding, value, FIELD_REAL, 0),
    FIELD(record_finding, low, FIELD_REAL, 0),
    FIELD(record_finding, high, FIELD_REAL, 0),
    FIELD(record_finding, unit, FIELD_TEXT, 60),
    FIELD(record_finding, bound, FIELD_TEXT, 60),
    FIELD(record_finding, limited_by, FIELD_TEXT, 240),
    FIELD(record_finding, pattern, FIELD_TEXT, 60),
    FIELD_AS(record_finding, pages, pages_bytes, FIELD_PAGES, 0),
    FIELD(record_finding, frames, FIELD_TEXT, 60),
    FIELD(record_finding, prefetch, FIELD_PREFETCH, 0),
    FIELD(record_finding, bytes, FIELD_U64, 0),
    FIELD(record_finding, chains, FIELD_U64, 0),
    FIELD(record_finding, detail, FIELD_TEXT, 400),
    FIELD(record_finding, doubt, FIELD_DOUBT, 0),
};

static const struct record_field footprint_fields[] = {
    FIELD(record_footprint, experiment, FIELD_TEXT, 60),
    FIELD_AS(record_footprint, pages, pages_bytes, FIELD_PAGES, 0),
    FIELD(record_footprint, frames, FIELD_TEXT, 60),
    FIELD(record_footprint, map, FIELD_TEXT, 60),
    FIELD(record_footprint, prefetch, FIELD_PREFETCH, 0),
    FIELD_AS(record_footprint, prefetch_only_off, prefetch_only_off, FIELD_TEXT, 240),
    FIELD(record_footprint, line_bytes, FIELD_U64, 0),
    FIELD(record_footprint, touches, FIELD_U64, 0),
    FIELD(record_footprint, touched, FIELD_U64, 0),
    FIELD(record_footprint, tries, FIELD_U64, 0),
    FIELD(record_footprint, threshold_ns, FIELD_REAL, 0),
    FIELD(record_footprint, hit_ns, FIELD_REAL, 0),
    FIELD(record_footprint, miss_ns, FIELD_REAL, 0),
    FIELD(record_footprint, hits_found, FIELD_REAL, 0),
    FIELD(record_footprint, misses_found, FIELD_REAL, 0),
    FIELD(record_footprint, max_share, FIELD_REAL, 0),
    FIELD(record_footprint, max_low, FIELD_REAL, 0),
    FIELD(record_footprint, max_high, FIELD_REAL, 0),
    FIELD(record_footprint, max_distance, FIELD_REAL, 0),
    FIELD(record_footprint, high, FIELD_REAL, 0),
    FIELD(record_footprint, verdict, FIELD_TEXT, 60),
    FIELD(record_footprint, doubt, FIELD_DOUBT, 0),
    FIELD_OF_ALL(shares, FIELD_SHARES),
};

static const struct record_field mapping_fields[] = {
    FIELD(record_mapping, experiment, FIELD_TEXT, 60),
    FIELD_AS(record_mapping, pages, pages_bytes, FIELD_PAGES, 0),
    FIELD(record_mapping, frames, FIELD_TEXT, 60),
    FIELD(record_mapping, map, FIELD_TEXT, 60),
    FIELD(record_mapping, prefetch, FIELD_PREFETCH, 0),
    FIELD(record_mapping, verdict, FIELD_TEXT, 60),
    FIELD(record_mapping, why, FIELD_TEXT, 240),
    FIELD(record_mapping, bytes, FIELD_U64, 0),
    FIELD(record_mapping, pairs, FIELD_U64, 0),
    FIELD(record_mapping, conflicts, FIELD_U64, 0),
    FIELD(record_mapping, banks_low, FIELD_REAL, 0),
    FIELD(record_mapping, banks_high, FIELD_REAL, 0),
    FIELD(record_mapping, apart_ns, FIELD_REAL, 0),
    FIELD(record_mapping, conflict_ns, FIELD_REAL, 0),
    FIELD(record_mapping, rank, FIELD_U64, 0),
    FIELD_OF_ALL(functions, FIELD_FUNCTIONS),
    FIELD(record_mapping, offset_bytes, FIELD_U64, 0),
    FIELD(record_mapping, offset_from_bytes, FIELD_U64, 0),
    FIELD(record_mapping, agreement, FIELD_REAL, 0),
    FIELD(record_mapping, predicted, FIELD_U64, 0),
    FIELD(record_mapping, confirmed, FIELD_U64, 0),
    FIELD(record_mapping, expected_banks, FIELD_U64, 0),
    FIELD(record_mapping, expectation, FIELD_TEXT, 24),
    FIELD(record_mapping, modules_banks_low, FIELD_U64, 0),
    FIELD(record_mapping, modules_banks_high, FIELD_U64, 0),
    FIELD(record_mapping, modules_agree, FIELD_TEXT, 24),
    FIELD(record_mapping, modules_why, FIELD_TEXT, 160),
    FIELD(record_mapping, guest, FIELD_ANSWER, 0),
};

static const struct record_field distribution_fields[] = {
    FIELD(record_distribution, experiment, FIELD_TEXT, 60),
    FIELD_AS(record_distribution, pages, pages_bytes, FIELD_PAGES, 0),
    FIELD(record_distribution, frames, FIELD_TEXT, 60),
    FIELD(record_distribution, map, FIELD_TEXT, 60),
    FIELD(record_distribution, prefetch, FIELD_PREFETCH, 0),
    FIELD(record_distribution, bytes, FIELD_U64, 0),
    FIELD(record_distribution, accesses, FIELD_U64, 0),
    FIELD(record_distribution, clock_step_ns, FIELD_REAL, 0),
    FIELD(record_distribution, timing_ns, FIELD_REAL, 0),
    FIELD(record_distribution, ns_min, FIELD_REAL, 0),
    FIELD(record_distribution, ns_median, FIELD_REAL, 0),
    FIELD(record_distribution, ns_p90, FIELD_REAL, 0),
    FIELD(record_distribution, ns_p99, FIELD_REAL, 0),
    FIELD(record_distribution, ns_p999, FIELD_REAL, 0),
    FIELD(record_distribution, ns_p9999, FIELD_REAL, 0),
    FIELD(record_distribution, ns_max, FIELD_REAL, 0),
    FIELD_OF_ALL(histogram, FIELD_BINS),
    FIELD(record_distribution, pairs, FIELD_U64, 0),
    FIELD(record_distribution, conflicts, FIELD_U64, 0),
    FIELD(record_distribution, rows, FIELD_TEXT, 60),
    FIELD(record_distribution, rows_why, FIELD_TEXT, 240),
    FIELD_AS(record_distribution, row_hit_ns, hit_ns.value, FIELD_REAL, 0),
    FIELD_AS(record_distribution, row_hit_low, hit_ns.low, FIELD_REAL, 0),
    FIELD_AS(record_distribution, row_hit_high, hit_ns.high, FIELD_REAL, 0),
    FIELD_AS(record_distribution, row_hit_share, hit_share, FIELD_REAL, 0),
    FIELD_AS(record_distribution, row_empty_ns, empty_ns.value, FIELD_REAL, 0),
    FIELD_AS(record_distribution, row_empty_low, empty_ns.low, FIELD_REAL, 0),
    FIELD_AS(record_distribution, row_empty_high, empty_ns.high, FIELD_REAL, 0),
    FIELD_AS(record_distribution, row_empty_share, empty_share, FIELD_REAL, 0),
    FIELD_AS(record_distribution, row_conflict_ns, conflict_ns.value, FIELD_REAL, 0),
    FIELD_AS(record_distribution, row_conflict_low, conflict_ns.low, FIELD_REAL, 0),
    FIELD_AS(record_distribution, row_conflict_high, conflict_ns.high, FIELD_REAL, 0),
    FIELD_AS(record_distribution, row_conflict_share, conflict_share, FIELD_REAL, 0),
    FIELD(record_distribution, refresh, FIELD_TEXT, 60),
    FIELD(record_distribution, refresh_why, FIELD_TEXT, 240),
    FIELD_AS(record_distribution, refresh_period_ns, period_ns.value, FIELD_REAL, 0),
    FIELD_AS(record_distribution, refresh_period_low, period_ns.low, FIELD_REAL, 0),
    FIELD_AS(record_distribution, refresh_period_high, period_ns.high, FIELD_REAL, 0),
    FIELD_AS(record_distribution, refresh_stall_ns, stall_ns.value, FIELD_REAL, 0),
    FIELD_AS(record_distribution, refresh_stall_low, stall_ns.low, FIELD_REAL, 0),
    FIELD_AS(record_distribution, refresh_stall_high, stall_ns.high, FIELD_REAL, 0),
    FIELD_AS(record_distribution, refresh_coherence, coherence, FIELD_REAL, 0),
    FIELD_AS(record_distribution, refresh_slow, slow, FIELD_U64, 0),
    FIELD_AS(record_distribution, refresh_scope, scope, FIELD_TEXT, 60),
    FIELD(record_distribution, lines, FIELD_U64, 0),
    FIELD(record_distribution, lines_in_phase, FIELD_U64, 0),
    FIELD(record_distribution, doubt, FIELD_DOUBT, 0),
};

static const struct record_field regions_fields[] = {
    FIELD(record_regions, experiment, FIELD_TEXT, 60),
    FIELD_AS(record_regions, pages, pages_bytes, FIELD_PAGES, 0),
    FIELD(record_regions, frames, FIELD_TEXT, 60),
    FIELD(record_regions, map, FIELD_TEXT, 60),
    FIELD(record_regions, prefetch, FIELD_PREFETCH, 0),
    FIELD(record_regions, node, FIELD_U64, 0),
    FIELD(record_regions, block_bytes, FIELD_U64, 0),
    FIELD(record_regions, blocks, FIELD_U64, 0),
    FIELD(record_regions, differing, FIELD_U64, 0),
    FIELD(record_regions, not_again, FIELD_U64, 0),
    FIELD(record_regions, hops, FIELD_U64, 0),
    FIELD(record_regions, sample_hops, FIELD_U64, 0),
    FIELD(record_regions, ns, FIELD_REAL, 0),
    FIELD(record_regions, scatter_ns, FIELD_REAL, 0),
    FIELD(record_regions, step_ns, FIELD_REAL, 0),
    FIELD(record_regions, touched_bytes, FIELD_U64, 0),
    FIELD(record_regions, cache_bytes, FIELD_U64, 0),
    FIELD(record_regions, classes, FIELD_U64, 0),
    FIELD_AS(record_regions, classes_by, by, FIELD_TEXT, 60),
    FIELD(record_regions, class_limit_ns, FIELD_REAL, 0),
    FIELD(record_regions, class_part, FIELD_U64, 0),
    FIELD(record_regions, class_part_limit_ns, FIELD_REAL, 0),
    FIELD(record_regions, drift, FIELD_REAL, 0),
    FIELD(record_regions, memory_bytes, FIELD_U64, 0),
    FIELD(record_regions, covered_bytes, FIELD_U64, 0),
    FIELD(record_regions, gap_bytes, FIELD_U64, 0),
};

static const struct record_field block_fields[] = {
    FIELD(record_block, experiment, FIELD_TEXT, 60),
    FIELD(record_block, node, FIELD_U64, 0),
    FIELD(record_block, physical_first, FIELD_HEX, 0),
    FIELD(record_block, physical_last, FIELD_HEX, 0),
    FIELD(record_block, bytes, FIELD_U64, 0),
    FIELD(record_block, hops, FIELD_U64, 0),
    FIELD(record_block, sample_hops, FIELD_U64, 0),
    FIELD(record_block, ns, FIELD_REAL, 0),
    FIELD(record_block, rel_error, FIELD_REAL, 0),
    FIELD(record_block, slower_ns, FIELD_REAL, 0),
    FIELD(record_block, ns_median, FIELD_REAL, 0),
    FIELD(record_block, ns_p95, FIELD_REAL, 0),
    FIELD(record_block, ns_p99, FIELD_REAL, 0),
    FIELD(record_block, ns_max, FIELD_REAL, 0),
    FIELD(record_block, compared, FIELD_BOOL, 0),
    FIELD(record_block, flagged, FIELD_BOOL, 0),
    FIELD(record_block, why, FIELD_TEXT, 120),
    FIELD(record_block, slot, FIELD_TEXT, 40),
};

static const struct record_field range_fields[] = {
    FIELD(record_range, experiment, FIELD_TEXT, 60),
    FIELD(record_range, node, FIELD_U64, 0),
    FIELD(record_range, physical_first, FIELD_HEX, 0),
    FIELD(record_range, physical_last, FIELD_HEX, 0),
    FIELD(record_range, bytes, FIELD_U64, 0),
    FIELD(record_range, edge_bytes, FIELD_U64, 0),
    FIELD(record_range, ns, FIELD_REAL, 0),
    FIELD(record_range, slower_ns, FIELD_REAL, 0),
    FIELD(record_range, slower_low_ns, FIELD_REAL, 0),
    FIELD(record_range, slower_high_ns, FIELD_REAL, 0),
    FIELD(record_range, against_ns, FIELD_REAL, 0),
    FIELD(record_range, slot, FIELD_TEXT, 40),
};

static const struct record_field class_fields[] = {
    FIELD(record_class, experiment, FIELD_TEXT, 60),
    FIELD(record_class, node, FIELD_U64, 0),
    FIELD_OF_ALL(mask, FIELD_MASKS),
    FIELD_OF_ALL(parity, FIELD_PARITIES),
    FIELD(record_class, offset_bytes, FIELD_U64, 0),
    FIELD(record_class, hops, FIELD_U64, 0),
    FIELD(record_class, ns, FIELD_REAL, 0),
    FIELD(record_class, slower_ns, FIELD_REAL, 0),
    FIELD(record_class, slower_low_ns, FIELD_REAL, 0),
    FIELD(record_class, slower_high_ns, FIELD_REAL, 0),
    FIELD(record_class, against_ns, FIELD_REAL, 0),
    FIELD(record_class, slot, FIELD_TEXT, 40),
};

static const struct record_field bandwidth_fields[] = {
    FIELD(record_bandwidth, experiment, FIELD_TEXT, 60),
    FIELD(record_bandwidth, node, FIELD_U64, 0),
    FIELD(record_bandwidth, prefetch, FIELD_PREFETCH, 0),
    FIELD_AS(record_bandwidth, mask, function, FIELD_BITS, 0),
    FIELD(record_bandwidth, parity, FIELD_U64, 0),
    FIELD(record_bandwidth, offset_bytes, FIELD_U64, 0),
    FIELD(record_bandwidth, offset_from_bytes, FIELD_U64, 0),
    FIELD(record_bandwidth, physical_first, FIELD_HEX, 0),
    FIELD(record_bandwidth, physical_last, FIELD_HEX, 0),
    FIELD(record_bandwidth, lines, FIELD_U64, 0),
    FIELD(record_bandwidth, order, FIELD_TEXT, 24),
    FIELD_AS(record_bandwidth, bytes_per_s, bytes_per_s.value, FIELD_REAL, 0),
    FIELD_AS(record_bandwidth, bytes_per_s_low, bytes_per_s.low, FIELD_REAL, 0),
    FIELD_AS(record_bandwidth, bytes_per_s_high, bytes_per_s.high, FIELD_REAL, 0),
    FIELD(record_bandwidth, effect, FIELD_TEXT, 24),
    FIELD(record_bandwidth, limited_by, FIELD_TEXT, 24),
    FIELD_AS(record_bandwidth, under_way, under_way.value, FIELD_REAL, 0),
    FIELD_AS(record_bandwidth, under_way_low, under_way.low, FIELD_REAL, 0),
    FIELD_AS(record_bandwidth, under_way_high, under_way.high, FIELD_REAL, 0),
    FIELD_AS(record_bandwidth, under_way_cached, cached.value, FIELD_REAL, 0),
    FIELD_AS(record_bandwidth, under_way_cached_low, cached.low, FIELD_REAL, 0),
    FIELD_AS(record_bandwidth, under_way_cached_high, cached.high, FIELD_REAL, 0),
    FIELD(record_bandwidth, channels, FIELD_U64, 0),
    FIELD_OF_ALL(channel_functions, FIELD_CHANNELS),
    FIELD(record_bandwidth, why, FIELD_TEXT, 120),
    FIELD(record_bandwidth, expected_bytes_per_s, FIELD_REAL, 0),
    FIELD(record_bandwidth, expectation, FIELD_TEXT, 24),
};

static const struct record_field gap_fields[] = {
    FIELD(record_gap, experiment, FIELD_TEXT, 60),   FIELD(record_gap, node, FIELD_U64, 0),
    FIELD(record_gap, physical_first, FIELD_HEX, 0), FIELD(record_gap, physical_last, FIELD_HEX, 0),
    FIELD(record_gap, bytes, FIELD_U64, 0),          FIELD(record_gap, why, FIELD_TEXT, 120),
    FIELD(record_gap, slot, FIELD_TEXT, 40),
};

static const struct record_field verify_fields[] = {
    FIELD(record_verify, experiment, FIELD_TEXT, 60),
    FIELD_AS(record_verify, pages, pages_bytes, FIELD_PAGES, 0),
    FIELD(record_verify, frames, FIELD_TEXT, 60),
    FIELD(record_verify, map, FIELD_TEXT, 60),
    FIELD(record_verify, seed, FIELD_U64, 0),
    FIELD(record_verify, bytes, FIELD_U64, 0),
    FIELD(record_verify, memory_bytes, FIELD_U64, 0),
    FIELD(record_verify, gap_bytes, FIELD_U64, 0),
    FIELD(record_verify, least_node, FIELD_U64, 0),
    FIELD(record_verify, least_share, FIELD_REAL, 0),
    FIELD(record_verify, steps, FIELD_U64, 0),
    FIELD(record_verify, steps_done, FIELD_U64, 0),
    FIELD(record_verify, cut_by, FIELD_TEXT, 24),
    FIELD(record_verify, written_bytes, FIELD_U64, 0),
    FIELD(record_verify, read_bytes, FIELD_U64, 0),
    FIELD(record_verify, hold_s, FIELD_REAL, 0),
    FIELD(record_verify, seconds, FIELD_REAL, 0),
    FIELD(record_verify, bytes_per_s, FIELD_REAL, 0),
    FIELD(record_verify, events, FIELD_U64, 0),
    FIELD(record_verify, unlisted, FIELD_U64, 0),
    FIELD(record_verify, words, FIELD_U64, 0),
    FIELD(record_verify, stored, FIELD_U64, 0),
    FIELD(record_verify, transfers, FIELD_U64, 0),
    FIELD(record_verify, aliases, FIELD_U64, 0),
    FIELD(record_verify, outside, FIELD_U64, 0),
    FIELD_OF_ALL(lane_events, FIELD_LANES),
};

static const struct record_field bad_memory_fields[] = {
    FIELD(record_bad_memory, experiment, FIELD_TEXT, 60),
    FIELD(record_bad_memory, physical_first, FIELD_HEX, 0),
    FIELD(record_bad_memory, physical_last, FIELD_HEX, 0),
    FIELD(record_bad_memory, bytes, FIELD_U64, 0),
    FIELD(record_bad_memory, events, FIELD_U64, 0),
    FIELD(record_bad_memory, memmap, FIELD_TEXT, 60),
    FIELD(record_bad_memory, badram, FIELD_TEXT, 400),
    FIELD(record_bad_memory, slot, FIELD_TEXT, 40),
};

static const struct record_field bad_part_fields[] = {
    FIELD(record_bad_part, experiment, FIELD_TEXT, 60), FIELD(record_bad_part, by, FIELD_TEXT, 24),
    FIELD(record_bad_part, name, FIELD_TEXT, 40),       FIELD(record_bad_part, words, FIELD_U64, 0),
    FIELD(record_bad_part, events, FIELD_U64, 0),
};
static const struct record_field error_fields[] = {
    FIELD(record_error, kind, FIELD_WORDS, 60),
    FIELD(record_error, physical_address, FIELD_HEX, 0),
    FIELD(record_error, expected, FIELD_HEX_READ, 0),
    FIELD(record_error, read, FIELD_HEX_READ, 0),
    FIELD(record_error, reread, FIELD_HEX_READ, 0),
    FIELD(record_error, text, FIELD_TEXT, 2400),
    FIELD(record_error, cause, FIELD_TEXT, 24),
    FIELD(record_error, bits, FIELD_HEX_READ, 0),
    FIELD(record_error, events, FIELD_U64, 0),
    FIELD(record_error, alias_address, FIELD_HEX, 0),
    FIELD(record_error, slot, FIELD_TEXT, 40),
    FIELD(record_error, alias_slot, FIELD_TEXT, 40),
};

static const struct record_field hardware_error_fields[] = {
    FIELD(record_hardware_error, experiment, FIELD_TEXT, 60),
    FIELD(record_hardware_error, source, FIELD_TEXT, 40),
    FIELD(record_hardware_error, bank, FIELD_U64, 0),
    FIELD(record_hardware_error, severity, FIELD_TEXT, 24),
    FIELD(record_hardware_error, corrected, FIELD_U64, 0),
    FIELD(record_hardware_error, at_least, FIELD_BOOL, 0),
    FIELD(record_hardware_error, overflow, FIELD_BOOL, 0),
    FIELD(record_hardware_error, memory, FIELD_BOOL, 0),
    FIELD(record_hardware_error, status, FIELD_HEX, 0),
    FIELD(record_hardware_error, address, FIELD_HEX, 0),
    FIELD(record_hardware_error, misc, FIELD_HEX, 0),
    FIELD(record_hardware_error, physical_address, FIELD_HEX, 0),
    FIELD(record_hardware_error, slot, FIELD_TEXT, 40),
    FIELD(record_hardware_error, text, FIELD_TEXT, 120),
};

static const struct record_field hardware_errors_fields[] = {
    FIELD(record_hardware_errors, counting, FIELD_TEXT, 24),
    FIELD(record_hardware_errors, source, FIELD_TEXT, 40),
    FIELD(record_hardware_errors, why, FIELD_TEXT, 120),
    FIELD(record_hardware_errors, banks, FIELD_U64, 0),
    FIELD(record_hardware_errors, ecc, FIELD_TEXT, 24),
    FIELD(record_hardware_errors, firmware_first, FIELD_BOOL, 0),
    FIELD(record_hardware_errors, hidden, FIELD_BOOL, 0),
    FIELD(record_hardware_errors, corrected, FIELD_U64, 0),
    FIELD(record_hardware_errors, others, FIELD_U64, 0),
    FIELD(record_hardware_errors, at_least, FIELD_BOOL, 0),
    FIELD(record_hardware_errors, before_corrected, FIELD_U64, 0),
    FIELD(record_hardware_errors, before_others, FIELD_U64, 0),
};

static const struct record_field spread_fields[] = {
    FIELD(record_spread, name, FIELD_WORDS, 120), FIELD(record_spread, kind, FIELD_TEXT, 24),
    FIELD(record_spread, boots, FIELD_U64, 0),    FIELD(record_spread, middle, FIELD_REAL, 0),
    FIELD(record_spread, low, FIELD_REAL, 0),     FIELD(record_spread, high, FIELD_REAL, 0),
    FIELD(record_spread, low_run, FIELD_U64, 0),  FIELD(record_spread, high_run, FIELD_U64, 0),
};

static const struct record_field verdict_fields[] = {
    FIELD(record_verdict, verdict, FIELD_WORDS, 24),
    FIELD(record_verdict, conclusive, FIELD_BOOL, 0),
    FIELD(record_verdict, why, FIELD_TEXT, 160),
    FIELD(record_verdict, unseen, FIELD_TEXT, RECORD_UNSEEN_BYTES),
    FIELD(record_verdict, unseen_lines_ns, FIELD_REAL, 0),
    FIELD(record_verdict, unseen_lines_share, FIELD_REAL, 0),
    FIELD_OF_ALL(rules, FIELD_RULES),
};

static const struct record_field note_fields[] = {
    FIELD(record_note, severity, FIELD_SEVERITY, 0),
    FIELD(record_note, what, FIELD_WORDS, 600),
    FIELD(record_note, why, FIELD_WORDS, 2400),
};

static const struct record_field end_fields[] = {
    FIELD(record_end, status, FIELD_WORDS, 24),
    FIELD(record_end, seconds, FIELD_REAL, 0),
    FIELD(record_end, errors, FIELD_U64, 0),
    FIELD(record_end, clock_check_ppm, FIELD_REAL, 0),
    FIELD(record_end, clock_check_source, FIELD_TEXT, 60),
    FIELD(record_end, clock_calendar_ppm, FIELD_REAL, 0),
    FIELD(record_end, clock_calendar_s, FIELD_REAL, 0),
};

const char *record_field_name(const struct record_field *field)
{
    return (const char *)&names + field->name;
}

struct record_fields record_fields_of(enum record_kind kind)
{
    static const struct record_fields tables[] = {
        [RECORD_RUN] = {run_fields, COUNT(run_fields)},
        [RECORD_CPU] = {cpu_fields, COUNT(cpu_fields)},
        [RECORD_MEMORY] = {memory_fields, COUNT(memory_fields)},
        [RECORD_DIMM] = {dimm_fields, COUNT(dimm_fields)},
        [RECORD_MODULES] = {modules_fields, COUNT(modules_fields)},
        [RECORD_EXPECTATION] = {expectation_fields, COUNT(expectation_fields)},
        [RECORD_CACHE] = {cache_fields, COUNT(cache_fields)},
        [RECORD_PREFETCH] = {prefetch_fields, COUNT(prefetch_fields)},
        [RECORD_POINT] = {point_fields, COUNT(point_fields)},
        [RECORD_LEVEL] = {level_fields, COUNT(level_fields)},
        [RECORD_DRAM] = {dram_fields, COUNT(dram_fields)},
        [RECORD_FINDING] = {finding_fields, COUNT(finding_fields)},
        [RECORD_WITNESS] = {witness_fields, COUNT(witness_fields)},
        [RECORD_IBS] = {ibs_fields, COUNT(ibs_fields)},
        [RECORD_FOOTPRINT] = {footprint_fields, COUNT(footprint_fields)},
        [RECORD_MAPPING] = {mapping_fields, COUNT(mapping_fields)},
        [RECORD_DISTRIBUTION] = {distribution_fields, COUNT(distribution_fields)},
        [RECORD_REGIONS] = {regions_fields, COUNT(regions_fields)},
        [RECORD_BLOCK] = {block_fields, COUNT(block_fields)},
        [RECORD_RANGE] = {range_fields, COUNT(range_fields)},
        [RECORD_CLASS] = {class_fields, COUNT(class_fields)},
        [RECORD_BANDWIDTH] = {bandwidth_fields, COUNT(bandwidth_fields)},
        [RECORD_GAP] = {gap_fields, COUNT(gap_fields)},
        [RECORD_VERIFY] = {verify_fields, COUNT(verify_fields)},
        [RECORD_BAD_MEMORY] = {bad_memory_fields, COUNT(bad_memory_fields)},
        [RECORD_BAD_PART] = {bad_part_fields, COUNT(bad_part_fields)},
        [RECORD_ERROR] = {error_fields, COUNT(error_fields)},
        [RECORD_HARDWARE_ERROR] = {hardware_error_fields, COUNT(hardware_error_fields)},
        [RECORD_HARDWARE_ERRORS] = {hardware_errors_fields, COUNT(hardware_errors_fields)},
        [RECORD_SPREAD] = {spread_fields, COUNT(spread_fields)},
        [RECORD_VERDICT] = {verdict_fields, COUNT(verdict_fields)},
        [RECORD_NOTE] = {note_fields, COUNT(note_fields)},
        [RECORD_END] = {end_fields, COUNT(end_fields)},
    };

    return (size_t)kind < COUNT(tables) ? tables[kind] : (struct record_fields){NULL, 0};
}

const void *record_body(const struct record *record)
{
    if (record->kind == RECORD_DIMM)
        return record->u.dimm.dimm;
    return record->kind == RECORD_CACHE ? (const void *)record->u.cache.cache
                                        : (const void *)&record->u;
}
