/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of fields. The limits of texts keep every record below RECORD_LINE_MAX. */
#include "core/results/fields.h"

/* A member of struct `of`; a text is cut to `max` bytes. */
#define FIELD(of, name, kind, max)                  \
    {                                               \
#name, kind, offsetof(struct of, name), max \
    }
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct record_field run_fields[] = {
    {"schema", FIELD_SCHEMA, 0, 0},
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
};

static const struct record_field cache_fields[] = {
    FIELD(smbios_cache, name, FIELD_CHARS, 150),
    FIELD(smbios_cache, level, FIELD_U8_KNOWN, 0),
    FIELD(smbios_cache, kind, FIELD_TEXT, 24),
    FIELD(smbios_cache, bytes, FIELD_U64, 0),
    FIELD(smbios_cache, ways, FIELD_WAYS, 0),
    FIELD(smbios_cache, enabled, FIELD_BOOL, 0),
    {"beyond_registers", FIELD_BOOL, offsetof(struct smbios_cache, beyond), 0},
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
    {"pages", FIELD_PAGES, offsetof(struct record_point, pages_bytes), 0},
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
    {"prefetch_only_off", FIELD_TEXT, offsetof(struct record_point, prefetch_only_off), 240},
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
    {"pages", FIELD_PAGES, offsetof(struct record_dram, pages_bytes), 0},
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
    {"pages", FIELD_PAGES, offsetof(struct record_witness, pages_bytes), 0},
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
    {"pages", FIELD_PAGES, offsetof(struct record_ibs, pages_bytes), 0},
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
    {"pages", FIELD_PAGES, offsetof(struct record_finding, pages_bytes), 0},
    FIELD(record_finding, frames, FIELD_TEXT, 60),
    FIELD(record_finding, prefetch, FIELD_PREFETCH, 0),
    FIELD(record_finding, bytes, FIELD_U64, 0),
    FIELD(record_finding, chains, FIELD_U64, 0),
    FIELD(record_finding, detail, FIELD_TEXT, 400),
    FIELD(record_finding, doubt, FIELD_DOUBT, 0),
};

static const struct record_field footprint_fields[] = {
    FIELD(record_footprint, experiment, FIELD_TEXT, 60),
    {"pages", FIELD_PAGES, offsetof(struct record_footprint, pages_bytes), 0},
    FIELD(record_footprint, frames, FIELD_TEXT, 60),
    FIELD(record_footprint, map, FIELD_TEXT, 60),
    FIELD(record_footprint, prefetch, FIELD_PREFETCH, 0),
    {"prefetch_only_off", FIELD_TEXT, offsetof(struct record_footprint, prefetch_only_off), 240},
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
    {"shares", FIELD_SHARES, 0, 0},
};

static const struct record_field mapping_fields[] = {
    FIELD(record_mapping, experiment, FIELD_TEXT, 60),
    {"pages", FIELD_PAGES, offsetof(struct record_mapping, pages_bytes), 0},
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
    {"functions", FIELD_FUNCTIONS, 0, 0},
    FIELD(record_mapping, offset_bytes, FIELD_U64, 0),
    FIELD(record_mapping, agreement, FIELD_REAL, 0),
    FIELD(record_mapping, predicted, FIELD_U64, 0),
    FIELD(record_mapping, confirmed, FIELD_U64, 0),
};

static const struct record_field error_fields[] = {
    FIELD(record_error, kind, FIELD_WORDS, 60),
    FIELD(record_error, physical_address, FIELD_HEX, 0),
    FIELD(record_error, expected, FIELD_HEX_READ, 0),
    FIELD(record_error, read, FIELD_HEX_READ, 0),
    FIELD(record_error, reread, FIELD_HEX_READ, 0),
    FIELD(record_error, text, FIELD_TEXT, 2400),
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

struct record_fields record_fields_of(enum record_kind kind)
{
    static const struct record_fields tables[] = {
        [RECORD_RUN] = {run_fields, COUNT(run_fields)},
        [RECORD_CPU] = {cpu_fields, COUNT(cpu_fields)},
        [RECORD_MEMORY] = {memory_fields, COUNT(memory_fields)},
        [RECORD_DIMM] = {dimm_fields, COUNT(dimm_fields)},
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
        [RECORD_ERROR] = {error_fields, COUNT(error_fields)},
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
