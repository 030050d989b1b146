/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of fields. Texts' limits leave every record below RECORD_LINE_MAX. */
#include "core/results/fields.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define RUN(name, kind, most)                                \
    {                                                        \
#name, kind, offsetof(struct record_run, name), most \
    }

static const struct record_field run_fields[] = {
    {"schema", FIELD_SCHEMA, 0, 0},     RUN(version, FIELD_TEXT, 120),
    RUN(arch, FIELD_TEXT, 24),          RUN(firmware, FIELD_TEXT, 240),
    RUN(board, FIELD_TEXT, 240),        RUN(bios, FIELD_TEXT, 240),
    RUN(cpu, FIELD_TEXT, 240),          RUN(clock_hz, FIELD_U64, 0),
    RUN(clock_source, FIELD_TEXT, 160), RUN(clock_ppm, FIELD_REAL, 0),
    RUN(options, FIELD_TEXT, 2000),     RUN(seed, FIELD_U64, 0),
};

#define CPU(name, kind)                                     \
    {                                                       \
#name, kind, offsetof(struct record_cpu, name), 240 \
    }

static const struct record_field cpu_fields[] = {
    CPU(name, FIELD_TEXT),     CPU(count, FIELD_U64),
    CPU(enabled, FIELD_U64),   CPU(page_sizes, FIELD_PAGE_LIST),
    CPU(caches, FIELD_CACHES), CPU(tlbs, FIELD_TLBS),
};

#define MEMORY(name, kind)                                   \
    {                                                        \
#name, kind, offsetof(struct record_memory, name), 0 \
    }

static const struct record_field memory_fields[] = {
    MEMORY(base, FIELD_HEX),
    MEMORY(bytes, FIELD_U64),
    MEMORY(node, FIELD_U64),
    MEMORY(usable, FIELD_BOOL),
};

#define DIMM(name, kind)                                   \
    {                                                      \
#name, kind, offsetof(struct dimm_info, name), 150 \
    }

static const struct record_field dimm_fields[] = {
    DIMM(locator, FIELD_CHARS),        DIMM(bank, FIELD_CHARS),
    DIMM(maker, FIELD_CHARS),          DIMM(part, FIELD_CHARS),
    DIMM(type, FIELD_CHARS),           DIMM(bytes, FIELD_U64),
    DIMM(rated_mts, FIELD_U32_KNOWN),  DIMM(configured_mts, FIELD_U32_KNOWN),
    DIMM(ranks, FIELD_U8_KNOWN),       DIMM(data_bits, FIELD_U16_KNOWN),
    DIMM(total_bits, FIELD_U16_KNOWN),
};

#define PREFETCH(name, kind, most)                                \
    {                                                             \
#name, kind, offsetof(struct record_prefetch, name), most \
    }

static const struct record_field prefetch_fields[] = {
    PREFETCH(cpu, FIELD_U64, 0),
    PREFETCH(control, FIELD_TEXT, 240),
    PREFETCH(source, FIELD_TEXT, 400),
    PREFETCH(requested, FIELD_HEX, 0),
    PREFETCH(readback, FIELD_HEX, 0),
    PREFETCH(unofficial, FIELD_BOOL, 0),
    PREFETCH(state, FIELD_PREFETCH, 0),
    PREFETCH(sequential_over_random, FIELD_REAL, 0),
    PREFETCH(ratio_low, FIELD_REAL, 0),
    PREFETCH(ratio_high, FIELD_REAL, 0),
    PREFETCH(ratio_verdict, FIELD_TEXT, 60),
    PREFETCH(footprint_share, FIELD_REAL, 0),
    PREFETCH(footprint_low, FIELD_REAL, 0),
    PREFETCH(footprint_high, FIELD_REAL, 0),
    PREFETCH(footprint_touches, FIELD_U64, 0),
    PREFETCH(footprint_distance, FIELD_REAL, 0),
    PREFETCH(footprint_verdict, FIELD_TEXT, 60),
    PREFETCH(verdict, FIELD_TEXT, 60),
    PREFETCH(witness, FIELD_TEXT, 60),
    PREFETCH(doubt, FIELD_DOUBT, 0),
};

#define POINT(name, kind)                                    \
    {                                                        \
#name, kind, offsetof(struct record_point, name), 60 \
    }

static const struct record_field point_fields[] = {
    POINT(experiment, FIELD_TEXT),
    POINT(pattern, FIELD_TEXT),
    {"pages", FIELD_PAGES, offsetof(struct record_point, pages_bytes), 0},
    POINT(frames, FIELD_TEXT),
    POINT(map, FIELD_TEXT),
    POINT(prefetch, FIELD_PREFETCH),
    POINT(bytes, FIELD_U64),
    POINT(stride_bytes, FIELD_U64),
    POINT(group_bytes, FIELD_U64),
    POINT(chains, FIELD_U64),
    POINT(load, FIELD_TEXT),
    POINT(hint, FIELD_TEXT),
    POINT(work_cycles, FIELD_U64),
    POINT(word, FIELD_U64),
    POINT(cpu, FIELD_U64),
    POINT(node, FIELD_U64),
    POINT(warm_hops, FIELD_U64),
    POINT(hops, FIELD_U64),
    POINT(samples, FIELD_U64),
    POINT(ticks_median, FIELD_REAL),
    POINT(ns_min, FIELD_REAL),
    POINT(ns_median, FIELD_REAL),
    POINT(ns_mean, FIELD_REAL),
    POINT(ns_p95, FIELD_REAL),
    POINT(ns_p99, FIELD_REAL),
    POINT(ns_mad, FIELD_REAL),
    POINT(cycles_median, FIELD_REAL),
    POINT(cpu_hz_before, FIELD_REAL),
    POINT(cpu_hz_after, FIELD_REAL),
    POINT(rel_error, FIELD_REAL),
    POINT(arithmetic_ns, FIELD_REAL),
    POINT(outliers, FIELD_U64),
    POINT(limited_by, FIELD_TEXT),
    POINT(verified, FIELD_TEXT),
    POINT(disturbed, FIELD_U64),
    POINT(smi, FIELD_U64),
    POINT(mce, FIELD_U64),
    POINT(seed, FIELD_U64),
    {"prefetch_alone", FIELD_TEXT, offsetof(struct record_point, prefetch_alone), 240},
    POINT(turbo, FIELD_TEXT),
    POINT(settled, FIELD_ANSWER),
    POINT(hz_step, FIELD_REAL),
    POINT(purpose, FIELD_TEXT),
};

#define LEVEL(name, kind)                                    \
    {                                                        \
#name, kind, offsetof(struct record_level, name), 60 \
    }

static const struct record_field level_fields[] = {
    LEVEL(experiment, FIELD_TEXT),
    LEVEL(name, FIELD_TEXT),
    LEVEL(kind, FIELD_TEXT),
    LEVEL(bytes, FIELD_REAL),
    LEVEL(bytes_low, FIELD_REAL),
    LEVEL(bytes_high, FIELD_REAL),
    LEVEL(ns, FIELD_REAL),
    LEVEL(ns_low, FIELD_REAL),
    LEVEL(ns_high, FIELD_REAL),
    LEVEL(cycles, FIELD_REAL),
    LEVEL(cycles_low, FIELD_REAL),
    LEVEL(cycles_high, FIELD_REAL),
    LEVEL(declared_bytes, FIELD_U64),
    LEVEL(extrapolated, FIELD_BOOL),
    LEVEL(doubt, FIELD_DOUBT),
};

#define DRAM(name, kind)                                    \
    {                                                       \
#name, kind, offsetof(struct record_dram, name), 60 \
    }

static const struct record_field dram_fields[] = {
    {"pages", FIELD_PAGES, offsetof(struct record_dram, pages_bytes), 0},
    DRAM(pattern, FIELD_TEXT),
    DRAM(frames, FIELD_TEXT),
    DRAM(map, FIELD_TEXT),
    DRAM(prefetch, FIELD_PREFETCH),
    DRAM(bytes, FIELD_U64),
    DRAM(ns, FIELD_REAL),
    DRAM(ns_low, FIELD_REAL),
    DRAM(ns_high, FIELD_REAL),
    DRAM(cycles, FIELD_REAL),
    DRAM(translation_ns, FIELD_REAL),
    DRAM(rise_ns, FIELD_REAL),
    DRAM(slope_ns, FIELD_REAL),
    DRAM(slope_low_ns, FIELD_REAL),
    DRAM(slope_high_ns, FIELD_REAL),
    DRAM(tlb_cost_ns, FIELD_REAL),
    DRAM(tlb_cost_low_ns, FIELD_REAL),
    DRAM(tlb_cost_high_ns, FIELD_REAL),
    DRAM(doubt, FIELD_DOUBT),
};

#define FINDING(name, kind, most)                                \
    {                                                            \
#name, kind, offsetof(struct record_finding, name), most \
    }

static const struct record_field finding_fields[] = {
    FINDING(experiment, FIELD_TEXT, 60),
    FINDING(name, FIELD_TEXT, 120),
    FINDING(value, FIELD_REAL, 0),
    FINDING(low, FIELD_REAL, 0),
    FINDING(high, FIELD_REAL, 0),
    FINDING(unit, FIELD_TEXT, 60),
    FINDING(bound, FIELD_TEXT, 60),
    FINDING(limited_by, FIELD_TEXT, 240),
    FINDING(pattern, FIELD_TEXT, 60),
    {"pages", FIELD_PAGES, offsetof(struct record_finding, pages_bytes), 0},
    FINDING(frames, FIELD_TEXT, 60),
    FINDING(prefetch, FIELD_PREFETCH, 0),
    FINDING(bytes, FIELD_U64, 0),
    FINDING(chains, FIELD_U64, 0),
    FINDING(detail, FIELD_TEXT, 400),
    FINDING(doubt, FIELD_DOUBT, 0),
};

#define FOOTPRINT(name, kind)                                    \
    {                                                            \
#name, kind, offsetof(struct record_footprint, name), 60 \
    }

static const struct record_field footprint_fields[] = {
    FOOTPRINT(experiment, FIELD_TEXT),
    {"pages", FIELD_PAGES, offsetof(struct record_footprint, pages_bytes), 0},
    FOOTPRINT(frames, FIELD_TEXT),
    FOOTPRINT(map, FIELD_TEXT),
    FOOTPRINT(prefetch, FIELD_PREFETCH),
    {"prefetch_alone", FIELD_TEXT, offsetof(struct record_footprint, prefetch_alone), 240},
    FOOTPRINT(line_bytes, FIELD_U64),
    FOOTPRINT(touches, FIELD_U64),
    FOOTPRINT(touched, FIELD_U64),
    FOOTPRINT(tries, FIELD_U64),
    FOOTPRINT(threshold_ns, FIELD_REAL),
    FOOTPRINT(hit_ns, FIELD_REAL),
    FOOTPRINT(miss_ns, FIELD_REAL),
    FOOTPRINT(hits_found, FIELD_REAL),
    FOOTPRINT(misses_found, FIELD_REAL),
    FOOTPRINT(most, FIELD_REAL),
    FOOTPRINT(most_low, FIELD_REAL),
    FOOTPRINT(most_high, FIELD_REAL),
    FOOTPRINT(most_distance, FIELD_REAL),
    FOOTPRINT(high, FIELD_REAL),
    FOOTPRINT(verdict, FIELD_TEXT),
    FOOTPRINT(doubt, FIELD_DOUBT),
    {"shares", FIELD_SHARES, 0, 0},
};

#define ERROR(name, kind, most)                                \
    {                                                          \
#name, kind, offsetof(struct record_error, name), most \
    }

static const struct record_field error_fields[] = {
    ERROR(kind, FIELD_WORDS, 60),       ERROR(physical_address, FIELD_HEX, 0),
    ERROR(expected, FIELD_HEX_READ, 0), ERROR(read, FIELD_HEX_READ, 0),
    ERROR(reread, FIELD_HEX_READ, 0),   ERROR(text, FIELD_TEXT, 2400),
};

#define NOTE(name, kind, most)                                \
    {                                                         \
#name, kind, offsetof(struct record_note, name), most \
    }

static const struct record_field note_fields[] = {
    NOTE(severity, FIELD_SEVERITY, 0),
    NOTE(what, FIELD_WORDS, 600),
    NOTE(why, FIELD_WORDS, 2400),
};

#define END(name, kind)                                    \
    {                                                      \
#name, kind, offsetof(struct record_end, name), 24 \
    }

static const struct record_field end_fields[] = {
    END(status, FIELD_WORDS),
    END(seconds, FIELD_REAL),
    END(errors, FIELD_U64),
    END(clock_check_ppm, FIELD_REAL),
};

struct record_fields record_fields_of(enum record_kind kind)
{
    static const struct record_fields tables[] = {
        [RECORD_RUN] = {run_fields, COUNT(run_fields)},
        [RECORD_CPU] = {cpu_fields, COUNT(cpu_fields)},
        [RECORD_MEMORY] = {memory_fields, COUNT(memory_fields)},
        [RECORD_DIMM] = {dimm_fields, COUNT(dimm_fields)},
        [RECORD_PREFETCH] = {prefetch_fields, COUNT(prefetch_fields)},
        [RECORD_POINT] = {point_fields, COUNT(point_fields)},
        [RECORD_LEVEL] = {level_fields, COUNT(level_fields)},
        [RECORD_DRAM] = {dram_fields, COUNT(dram_fields)},
        [RECORD_FINDING] = {finding_fields, COUNT(finding_fields)},
        [RECORD_FOOTPRINT] = {footprint_fields, COUNT(footprint_fields)},
        [RECORD_ERROR] = {error_fields, COUNT(error_fields)},
        [RECORD_NOTE] = {note_fields, COUNT(note_fields)},
        [RECORD_END] = {end_fields, COUNT(end_fields)},
    };

    return (size_t)kind < COUNT(tables) ? tables[kind] : (struct record_fields){NULL, 0};
}

const void *record_body(const struct record *record)
{
    return record->kind == RECORD_DIMM ? (const void *)record->u.dimm.dimm
                                       : (const void *)&record->u;
}
