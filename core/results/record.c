/* SPDX-License-Identifier: BSD-2-Clause */
/* Records as lines of JSON, drawn from the tables of fields.c. */
#include "core/results/record.h"

#include "core/lib/decimal.h"
#include "core/lib/real.h"
#include "core/lib/text.h"
#include "core/results/fields.h"
#include "core/results/json.h"

static void value_u64(struct text *json, uint64_t value, uint64_t unknown)
{
    if (value == unknown)
        text_add(json, "null");
    else
        json_u64(json, value);
}

static void value_hex(struct text *json, uint64_t value, bool known)
{
    if (known)
        text_format(json, "\"0x%lx\"", value);
    else
        text_add(json, "null");
}

static void value_real(struct text *json, double value)
{
    struct decimal_parts parts = decimal_split(value);

    if (parts.nan || parts.infinite)
        text_add(json, "null");
    else
        text_shortest(json, value);
}

static void value_text(struct text *json, const char *words, size_t max)
{
    if (words == NULL || words[0] == '\0')
        text_add(json, "null");
    else
        json_text(json, words, max);
}

static const char *prefetch_or_null(enum prefetch_state state)
{
    return state == PREFETCH_NOT_MEASURED ? NULL : prefetch_state_name(state);
}

static void value_bool(struct text *json, bool value)
{
    text_add(json, value ? "true" : "false");
}

static void value_answer(struct text *json, enum answer answer)
{
    if (answer == ANSWER_UNKNOWN)
        text_add(json, "null");
    else
        value_bool(json, answer == ANSWER_YES);
}

static void value_doubt(struct text *json, doubt_set doubt)
{
    const char *comma = "";

    text_char(json, '[');
    for (unsigned reason = 0; reason < DOUBT_REASONS; reason++) {
        if (!(doubt >> reason & 1))
            continue;
        text_add(json, comma);
        value_text(json, doubt_name((enum doubt_reason)reason), 24);
        comma = ",";
    }
    text_char(json, ']');
}

static void value_page_list(struct text *json, const struct record_cpu *cpu)
{
    size_t max = sizeof(cpu->page_sizes) / sizeof(cpu->page_sizes[0]);

    text_char(json, '[');
    for (size_t i = 0; i < max && cpu->page_sizes[i] != 0; i++) {
        if (i > 0)
            text_char(json, ',');
        value_text(json, page_bytes_name(cpu->page_sizes[i]), 8);
    }
    text_char(json, ']');
}

static void value_ways(struct text *json, uint32_t ways)
{
    if (ways == UINT32_MAX)
        text_add(json, "\"full\"");
    else
        value_u64(json, ways, 0);
}

static void value_caches(struct text *json, const struct record_cpu *cpu)
{
    text_char(json, '[');
    for (size_t i = 0; i < cpu->cache_count && i < CACHE_LEVELS_MAX; i++) {
        const struct cache_level *cache = &cpu->caches[i];

        text_format(json, "%s{\"level\":%u,\"unified\":%s,\"bytes\":", i > 0 ? "," : "",
                    cache->level, cache->unified ? "true" : "false");
        value_u64(json, cache->bytes, RECORD_UNKNOWN);
        text_add(json, ",\"line_bytes\":");
        value_u64(json, cache->line_bytes, 0);
        text_add(json, ",\"ways\":");
        value_ways(json, cache->ways);
        text_add(json, ",\"shared_by\":");
        value_u64(json, cache->shared_by, 0);
        text_char(json, '}');
    }
    text_char(json, ']');
}

static void value_tlbs(struct text *json, const struct record_cpu *cpu)
{
    text_char(json, '[');
    for (size_t i = 0; i < cpu->tlb_count && i < TLB_LEVELS_MAX; i++) {
        const struct tlb_level *tlb = &cpu->tlbs[i];

        text_format(json, "%s{\"level\":%u,\"pages\":", i > 0 ? "," : "", tlb->level);
        value_text(json, tlb->page_log2 < 64 ? page_bytes_name(1ull << tlb->page_log2) : NULL, 8);
        text_add(json, ",\"entries\":");
        value_u64(json, tlb->entries, 0);
        text_add(json, ",\"ways\":");
        value_ways(json, tlb->ways);
        text_char(json, '}');
    }
    text_char(json, ']');
}

static void value_shares(struct text *json, const struct record_footprint *footprint)
{
    text_char(json, '[');
    for (size_t i = 0; i < footprint->share_count && i < RECORD_FOOTPRINT_LINES; i++) {
        double share = footprint->share[i];

        if (decimal_split(share).nan)
            text_format(json, "%snull", i > 0 ? "," : "");
        else
            text_format(json, "%s%.3f", i > 0 ? "," : "", share);
    }
    text_char(json, ']');
}

static void value_functions(struct text *json, const uint64_t *function, size_t count)
{
    text_char(json, '[');
    for (size_t i = 0; i < count; i++) {
        const char *before = i > 0 ? ",[" : "[";
        for (unsigned bit = 0; bit < 64; bit++) {
            if (!(function[i] >> bit & 1))
                continue;
            text_format(json, "%s%u", before, bit);
            before = ",";
        }
        text_char(json, ']');
    }
    text_char(json, ']');
}

static void value_bits(struct text *json, uint64_t bits)
{
    const char *before = "[";

    if (bits == 0)
        text_add(json, "null");
    for (unsigned bit = 0; bit < 64; bit++)
        if (bits >> bit & 1) {
            text_format(json, "%s%u", before, bit);
            before = ",";
        }
    if (bits != 0)
        text_char(json, ']');
}

static void value_channels(struct text *json, const struct record_bandwidth *bandwidth)
{
    value_functions(json, bandwidth->channel, bandwidth->channel_functions);
}

static void value_mapping(struct text *json, const struct record_mapping *mapping)
{
    value_functions(json, mapping->functions, mapping->rank);
}

static void value_masks(struct text *json, const struct record_class *class)
{
    value_functions(json, class->mask, class->masks);
}

static void value_parities(struct text *json, const struct record_class *class)
{
    for (size_t i = 0; i < class->masks; i++)
        text_format(json, "%s%lu", i > 0 ? "," : "[", class->parities >> i & 1);
    text_char(json, ']');
}

static void value_bins(struct text *json, const struct record_distribution *distribution)
{
    text_char(json, '[');
    for (size_t i = 0; i < distribution->bins && i < RECORD_BINS_MAX; i++)
        text_format(json, "%s[%.1f,%lu]", i > 0 ? "," : "", distribution->bin_ns[i],
                    distribution->bin_count[i]);
    text_char(json, ']');
}

static void value_rules(struct text *json, const struct record_verdict *verdict)
{
    text_char(json, '[');
    for (size_t i = 0; i < verdict->rules && i < RECORD_RULES_MAX; i++) {
        const struct record_rule *rule = &verdict->rule[i];
        text_add(json, i > 0 ? ",{\"name\":" : "{\"name\":");
        value_text(json, rule->name, 20);
        text_add(json, ",\"met\":");
        value_answer(json, rule->met);
        text_add(json, ",\"figure\":");
        value_text(json, rule->figure, 40);
        text_add(json, ",\"threshold\":");
        value_text(json, rule->threshold, 40);
        text_add(json, ",\"against\":");
        value_text(json, rule->against, 40);
        text_char(json, '}');
    }
    text_char(json, ']');
}

static void value_lanes(struct text *json, const struct record_verify *verify)
{
    if (verify->lane_events == NULL) {
        text_add(json, "null");
        return;
    }
    for (unsigned lane = 0; lane < 64; lane++) {
        text_char(json, lane > 0 ? ',' : '[');
        value_u64(json, verify->lane_events[lane], RECORD_UNKNOWN);
    }
    text_char(json, ']');
}

/* All ones is what dead memory reads as: only records about something else may call it unknown. */
static bool hex_read_known(const struct record_error *error, uint64_t value)
{
    return value != RECORD_UNKNOWN || (error->kind != NULL && text_equal(error->kind, "memory"));
}

static void value_number(struct text *json, const struct record_field *field, const void *member)
{
    switch (field->kind) {
    case FIELD_U32_KNOWN:
        value_u64(json, *(const uint32_t *)member, 0);
        break;
    case FIELD_U16_KNOWN:
        value_u64(json, *(const uint16_t *)member, 0);
        break;
    case FIELD_U8_KNOWN:
        value_u64(json, *(const uint8_t *)member, 0);
        break;
    case FIELD_HEX:
        value_hex(json, *(const uint64_t *)member, *(const uint64_t *)member != RECORD_UNKNOWN);
        break;
    case FIELD_REAL:
        value_real(json, *(const double *)member);
        break;
    case FIELD_BOOL:
        value_bool(json, *(const bool *)member);
        break;
    case FIELD_ANSWER:
        value_answer(json, *(const enum answer *)member);
        break;
    case FIELD_DOUBT:
        value_doubt(json, *(const doubt_set *)member);
        break;
    case FIELD_SCHEMA:
        text_format(json, "%u", RECORD_SCHEMA);
        break;
    default:
        value_u64(json, *(const uint64_t *)member, RECORD_UNKNOWN);
        break;
    }
}

static void value_of(struct text *json, const struct record_field *field, const void *body)
{
    const void *member = (const char *)body + field->offset;

    switch (field->kind) {
    case FIELD_TEXT:
        value_text(json, *(const char *const *)member, field->max);
        break;
    case FIELD_WORDS:
        json_text(json, *(const char *const *)member, field->max);
        break;
    case FIELD_CHARS:
        value_text(json, member, field->max);
        break;
    case FIELD_HEX_READ:
        value_hex(json, *(const uint64_t *)member, hex_read_known(body, *(const uint64_t *)member));
        break;
    case FIELD_PAGES:
        value_text(json, page_bytes_name(*(const uint64_t *)member), 8);
        break;
    case FIELD_PREFETCH:
        value_text(json, prefetch_or_null(*(const enum prefetch_state *)member), 24);
        break;
    case FIELD_SEVERITY:
        json_text(json, severity_name(*(const enum severity *)member), 24);
        break;
    case FIELD_PAGE_LIST:
        value_page_list(json, body);
        break;
    case FIELD_WAYS:
        value_ways(json, *(const uint32_t *)member);
        break;
    case FIELD_CACHES:
        value_caches(json, body);
        break;
    case FIELD_TLBS:
        value_tlbs(json, body);
        break;
    case FIELD_FUNCTIONS:
        value_mapping(json, body);
        break;
    case FIELD_BITS:
        value_bits(json, *(const uint64_t *)member);
        break;
    case FIELD_CHANNELS:
        value_channels(json, body);
        break;
    case FIELD_MASKS:
        value_masks(json, body);
        break;
    case FIELD_PARITIES:
        value_parities(json, body);
        break;
    case FIELD_BINS:
        value_bins(json, body);
        break;
    case FIELD_RULES:
        value_rules(json, body);
        break;
    case FIELD_LANES:
        value_lanes(json, body);
        break;
    case FIELD_SHARES:
        value_shares(json, body);
        break;
    default:
        value_number(json, field, member);
        break;
    }
}

/* Room that a file grew into may hold lines of a run that was deleted, and a save that was cut off
 * may leave one out: both show by these. */
static void put_identity(struct text *json, const struct record *record)
{
    if (record->number == 0)
        return;
    if (record->run_id == 0)
        text_add(json, ",\"run_id\":null");
    else
        text_format(json, ",\"run_id\":\"%016lx\"", record->run_id);
    text_format(json, ",\"number\":%lu", record->number);
}

size_t record_json(const struct record *record, char line[RECORD_LINE_MAX])
{
    struct record_fields fields = record_fields_of(record->kind);
    const void *body = record_body(record);
    struct text json;

    json = text_open(line, RECORD_LINE_MAX, "{\"record\":");
    json_text(&json, record_kind_name(record->kind), 24);
    put_identity(&json, record);
    for (size_t i = 0; body != NULL && i < fields.count; i++) {
        text_format(&json, ",\"%s\":", record_field_name(&fields.field[i]));
        value_of(&json, &fields.field[i], body);
    }
    text_char(&json, '}');
    return json.used;
}

const char *record_kind_name(enum record_kind kind)
{
    static const char *const names[] = {
        [RECORD_RUN] = "run",
        [RECORD_CPU] = "cpu",
        [RECORD_MEMORY] = "memory",
        [RECORD_DIMM] = "dimm",
        [RECORD_MODULES] = "modules",
        [RECORD_EXPECTATION] = "expectation",
        [RECORD_CACHE] = "cache",
        [RECORD_PREFETCH] = "prefetch",
        [RECORD_POINT] = "point",
        [RECORD_LEVEL] = "level",
        [RECORD_DRAM] = "dram",
        [RECORD_FINDING] = "finding",
        [RECORD_WITNESS] = "witness",
        [RECORD_IBS] = "ibs",
        [RECORD_FOOTPRINT] = "footprint",
        [RECORD_PAIR] = "pair",
        [RECORD_LOAD] = "load",
        [RECORD_MAPPING] = "mapping",
        [RECORD_DISTRIBUTION] = "distribution",
        [RECORD_REGIONS] = "regions",
        [RECORD_BLOCK] = "block",
        [RECORD_RANGE] = "range",
        [RECORD_CLASS] = "class",
        [RECORD_BANDWIDTH] = "bandwidth",
        [RECORD_GAP] = "gap",
        [RECORD_VERIFY] = "verify",
        [RECORD_BAD_MEMORY] = "bad_memory",
        [RECORD_BAD_PART] = "bad_part",
        [RECORD_ERROR] = "error",
        [RECORD_HARDWARE_ERROR] = "hardware_error",
        [RECORD_HARDWARE_ERRORS] = "hardware_errors",
        [RECORD_SPREAD] = "spread",
        [RECORD_VERDICT] = "verdict",
        [RECORD_NOTE] = "note",
        [RECORD_END] = "end",
    };

    return (size_t)kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "unknown";
}

struct record_pair record_pair_from(const struct cpu_info *from)
{
    double none = real_nan();

    return (struct record_pair){.from = from->number,
                                .from_id = from->hardware_id,
                                .from_node =
                                    from->node == NODE_UNKNOWN ? RECORD_UNKNOWN : from->node,
                                .to_cpu = RECORD_UNKNOWN,
                                .home_node = RECORD_UNKNOWN,
                                .ns = none,
                                .ns_low = none,
                                .ns_high = none,
                                .ns_min = none,
                                .ns_max = none,
                                .cycles = none,
                                .cpu_hz = none,
                                .slower_ns = none,
                                .slower_low_ns = none,
                                .slower_high_ns = none,
                                .bytes_per_s = none,
                                .bytes_per_s_low = none,
                                .bytes_per_s_high = none,
                                .times = none,
                                .times_low = none,
                                .times_high = none,
                                .claimed = none,
                                .claimed_ns = none,
                                .claimed_bytes_per_s = none,
                                .claimed_distance = RECORD_UNKNOWN};
}
