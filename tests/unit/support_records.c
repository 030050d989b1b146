/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/support_records.h"

#include <math.h>
#include <string.h>

struct record support_run(void)
{
    return (struct record){.kind = RECORD_RUN,
                           .u.run = {.microcode = 0xa601203,
                                     .memory_encryption = "none",
                                     .threads_per_core = 2,
                                     .cpu_kinds = 1,
                                     .nodes_per_package = RECORD_UNKNOWN,
                                     .version = "0.2.0 (abc)",
                                     .arch = "x86_64",
                                     .firmware = "EDK II 2.7",
                                     .board = "ACME X1",
                                     .board_source = "smbios",
                                     .bios = "ACME 1.07 2026-01-02",
                                     .cpu = "Example CPU 2900",
                                     .clock_hz = 2900000000,
                                     .clock_source = "CPUID 15h",
                                     .clock_ppm = 12.5,
                                     .clock_choice = "crystal",
                                     .clock_declared_hz = 2899000000,
                                     .clock_declared_source = "CPUID 15h, 16h",
                                     .clock_grade = "inferred",
                                     .clock_crystal_hz = 24000000,
                                     .core_base_hz = 2900000000,
                                     .smbios_cpu_hz = 2900000000,
                                     .smbios_cpu_max_hz = RECORD_UNKNOWN,
                                     .options = "plan=quick tests=auto",
                                     .seed = 1}};
}

struct record support_point(void)
{
    return (struct record){.kind = RECORD_POINT,
                           .u.point = {.experiment = "curve",
                                       .pattern = "cycle",
                                       .pages_bytes = 1 << 21,
                                       .frames = "scattered",
                                       .map = "window",
                                       .prefetch = PREFETCH_OFF,
                                       .bytes = 64 << 20,
                                       .stride_bytes = 64,
                                       .group_bytes = RECORD_UNKNOWN,
                                       .chains = 1,
                                       .load = "plain",
                                       .hint = "none",
                                       .node = RECORD_UNKNOWN,
                                       .physical_low = {RECORD_UNKNOWN},
                                       .physical_high = {RECORD_UNKNOWN},
                                       .warm_hops = 2097152,
                                       .hops = 1000,
                                       .samples = 101,
                                       .ticks_median = 232000,
                                       .ns_min = 79.5,
                                       .ns_median = 80,
                                       .ns_mean = 80.25,
                                       .ns_p95 = 81,
                                       .ns_p99 = 82.25,
                                       .ns_mad = 0.1,
                                       .cycles_median = 232,
                                       .cpu_hz_before = 2.9e9,
                                       .cpu_hz_after = 2.9e9,
                                       .hz_over_base = 1.25,
                                       .frequency_registers = "PERF_STATUS=0x1900",
                                       .rel_error = 0.004,
                                       .outliers = 2,
                                       .limited_by = "error",
                                       .verified = "lap",
                                       .smi = RECORD_UNKNOWN,
                                       .mce = 0,
                                       .seed = 1,
                                       .settled = ANSWER_YES,
                                       .hz_step = 0.0125,
                                       .counted_accesses = 101000,
                                       .llc_misses = 100900,
                                       .page_walks = RECORD_UNKNOWN,
                                       .purpose = "levels"}};
}

struct record support_dram(void)
{
    return (struct record){.kind = RECORD_DRAM,
                           .u.dram = {.pages_bytes = 1 << 30,
                                      .pattern = "cycle",
                                      .frames = "contiguous",
                                      .map = "window",
                                      .prefetch = PREFETCH_OFF,
                                      .bytes = 1 << 30,
                                      .ns = 91.23,
                                      .ns_low = 91.1,
                                      .ns_high = 91.36,
                                      .cycles = 264.6,
                                      .translation_ns = 0.25,
                                      .rise_ns = 0.5,
                                      .slope_ns = NAN,
                                      .slope_low_ns = NAN,
                                      .slope_high_ns = NAN,
                                      .tlb_cost_ns = 22.5,
                                      .tlb_cost_low_ns = 22.3,
                                      .tlb_cost_high_ns = 22.7}};
}

struct record support_finding(void)
{
    return (struct record){.kind = RECORD_FINDING,
                           .u.finding = {.experiment = "parallel",
                                         .name = "outstanding misses",
                                         .value = 10,
                                         .low = 9.9,
                                         .high = 10.1,
                                         .unit = "misses",
                                         .bound = "at_least",
                                         .limited_by = "chains",
                                         .pattern = "cycle",
                                         .pages_bytes = 1 << 21,
                                         .frames = "contiguous",
                                         .prefetch = PREFETCH_OFF,
                                         .bytes = 1 << 30,
                                         .chains = 10,
                                         .detail = "memory"}};
}

struct record support_ibs(void)
{
    return (struct record){.kind = RECORD_IBS,
                           .u.ibs = {.experiment = "dram",
                                     .sampler = "a sampler",
                                     .source = "a manual",
                                     .known_hits = 0,
                                     .known_misses = 1,
                                     .pages_bytes = 1 << 30,
                                     .pattern = "cycle",
                                     .prefetch = PREFETCH_OFF,
                                     .bytes = 1 << 30,
                                     .ops = 530,
                                     .loads = 512,
                                     .missed = 510,
                                     .miss_cycles = 401,
                                     .tlb_missed = 12,
                                     .refill_cycles = 7,
                                     .near_bytes = 256 << 10,
                                     .near_ops = 529,
                                     .near_loads = 512,
                                     .near_missed = 470,
                                     .near_miss_cycles = 10,
                                     .difference_cycles = 391,
                                     .difference_error_cycles = 1.5,
                                     .chase_difference_cycles = 402.25,
                                     .chase_difference_error_cycles = 0.75,
                                     .agrees = ANSWER_YES}};
}

struct record support_end(void)
{
    return (struct record){.kind = RECORD_END,
                           .u.end = {.status = "ok",
                                     .seconds = 61.25,
                                     .errors = 0,
                                     .clock_check_ppm = -3.5,
                                     .clock_check_source = "HPET",
                                     .clock_calendar_ppm = 20.5,
                                     .clock_calendar_s = 60}};
}

#define EVERY_DOUBT (doubt_of(DOUBT_REASONS) - 1)

/* Long, and every byte of it as long as JSON makes one: six bytes for each control character. */
static char nasty[9000];
static char longest[9000];

static void texts_start(void)
{
    static const char pieces[] = "\x01\x1f\"\\\n\t\x7f\xff\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80"
                                 "\xe2\x82\xac\xf0\x9f\x98\x80\xc3";

    for (size_t i = 0; i + 1 < sizeof(nasty); i++)
        nasty[i] = pieces[i % (sizeof(pieces) - 1)];
    memset(longest, 2, sizeof(longest) - 1);
}

typedef void record_use(void *context, const struct record *record);

static void every_run(record_use *use, void *context)
{
    struct record r = support_run();

    use(context, &r);
    r.u.run = (struct record_run){.clock_hz = RECORD_UNKNOWN,
                                  .clock_ppm = NAN,
                                  .clock_declared_hz = RECORD_UNKNOWN,
                                  .clock_crystal_hz = RECORD_UNKNOWN,
                                  .core_base_hz = RECORD_UNKNOWN};
    use(context, &r);
    for (int i = 0; i < 2; i++) {
        const char *t = i == 0 ? nasty : longest;

        r.u.run = (struct record_run){t,
                                      t,
                                      t,
                                      t,
                                      t,
                                      t,
                                      UINT64_MAX - 1,
                                      t,
                                      -1.7976931348623157e308,
                                      "measured",
                                      UINT64_MAX - 1,
                                      t,
                                      "inferred",
                                      UINT64_MAX - 1,
                                      UINT64_MAX - 1,
                                      t,
                                      UINT64_MAX - 1,
                                      UINT64_MAX - 1,
                                      "tme-bypassed",
                                      UINT64_MAX - 1,
                                      UINT64_MAX - 1,
                                      UINT64_MAX - 1,
                                      UINT64_MAX - 1,
                                      UINT64_MAX - 1,
                                      "cpu-and-memory"};
        use(context, &r);
    }
}

static void every_cpu(record_use *use, void *context)
{
    struct cache_level caches[CACHE_LEVELS_MAX];
    struct tlb_level tlbs[TLB_LEVELS_MAX];
    struct record r = {.kind = RECORD_CPU};

    r.u.cpu = (struct record_cpu){.count = RECORD_UNKNOWN, .enabled = RECORD_UNKNOWN};
    use(context, &r);
    for (size_t i = 0; i < CACHE_LEVELS_MAX; i++)
        caches[i] = (struct cache_level){255,        i % 2 != 0, UINT32_MAX - (uint32_t)i,
                                         UINT32_MAX, UINT32_MAX, UINT64_MAX - 1};
    for (size_t i = 0; i < TLB_LEVELS_MAX; i++)
        tlbs[i] = (struct tlb_level){255, (uint8_t)(i * 13), UINT32_MAX, UINT32_MAX - (uint32_t)i};
    r.u.cpu = (struct record_cpu){
        longest, UINT64_MAX - 1,   UINT64_MAX - 1, {1 << 12, 1 << 29, 1 << 29, 1 << 30},
        caches,  CACHE_LEVELS_MAX, tlbs,           TLB_LEVELS_MAX};
    use(context, &r);
    caches[0] = (struct cache_level){1, false, 12, 64, 2, 48 << 10};
    caches[1] = (struct cache_level){2, true, 0, 0, 0, 0};
    tlbs[0] = (struct tlb_level){1, 12, 64, 4};
    r.u.cpu = (struct record_cpu){"Example CPU", 8, 4, {1 << 12, 1 << 21}, caches, 2, tlbs, 1};
    use(context, &r);
}

static void every_memory(record_use *use, void *context)
{
    struct record r = {.kind = RECORD_MEMORY};
    struct dimm_info dimm = {.bytes = 0};

    r.u.memory =
        (struct record_memory){phys_make(0x100000), 1 << 30, 0, "ordinary", RECORD_UNKNOWN, true};
    use(context, &r);
    r.u.memory = (struct record_memory){phys_make(UINT64_MAX - 1), UINT64_MAX - 1, RECORD_UNKNOWN,
                                        "specific-purpose",        UINT64_MAX - 1, false};
    use(context, &r);
    r = (struct record){.kind = RECORD_DIMM, .u.dimm = {&dimm}};
    use(context, &r);
    dimm = (struct dimm_info){.locator = "DIMM_A1",
                              .bank = "BANK 0",
                              .maker = "Acme",
                              .part = "X-1",
                              .type = "DDR4",
                              .bytes = 16ull << 30,
                              .rated_mts = 3200,
                              .configured_mts = 2666,
                              .ranks = 2,
                              .data_bits = 64,
                              .total_bits = 72,
                              .use = "system memory",
                              .ecc = "single-bit",
                              .configured_mv = 1200,
                              .channel = "1",
                              .channel_source = "SMBIOS type 37",
                              .physical_last = (16ull << 30) - 1};
    use(context, &r);
    dimm.bytes = dimm.physical_first = dimm.physical_last = DIMM_UNKNOWN;
    use(context, &r);
    memset(dimm.locator, 3, sizeof(dimm.locator) - 1);
    memset(dimm.bank, 0xff, sizeof(dimm.bank) - 1);
    memset(dimm.channel, 0xff, sizeof(dimm.channel) - 1);
    memset(dimm.part, 0xff, sizeof(dimm.part) - 1);
    dimm.bytes = dimm.physical_first = dimm.physical_last = UINT64_MAX - 1;
    dimm.rated_mts = UINT32_MAX;
    dimm.configured_mv = UINT16_MAX;
    dimm.interleave_depth = dimm.interleave_position = UINT8_MAX;
    dimm.use = "persistent memory";
    use(context, &r);
}

static void every_modules(record_use *use, void *context)
{
    struct record r = {.kind = RECORD_MODULES};

    r.u.modules = (struct record_modules){
        RECORD_UNKNOWN, RECORD_UNKNOWN, RECORD_UNKNOWN, RECORD_UNKNOWN, RECORD_UNKNOWN,
        RECORD_UNKNOWN, RECORD_UNKNOWN, RECORD_UNKNOWN, NULL,           RECORD_UNKNOWN,
        RECORD_UNKNOWN, RECORD_UNKNOWN, ANSWER_UNKNOWN};
    use(context, &r);
    r.u.modules =
        (struct record_modules){8,           4,           0,        64ull << 30, 8ull << 30,
                                4800,        5600,        2,        "mixed",     512ull << 30,
                                64ull << 30, 48ull << 30, ANSWER_NO};
    use(context, &r);
    r.u.modules.ecc = "on";
    r.u.modules.map_agrees = ANSWER_YES;
    use(context, &r);
}

static void every_expectation(record_use *use, void *context)
{
    struct record r = {.kind = RECORD_EXPECTATION};

    r.u.expectation =
        (struct record_expectation){"expect-dimms", "4", "", ANSWER_UNKNOWN, "nobody tells"};
    use(context, &r);
    r.u.expectation = (struct record_expectation){"expect-size", "64G", "64G", ANSWER_NO, longest};
    use(context, &r);
    r.u.expectation = (struct record_expectation){"expect-ecc", "on", "on", ANSWER_YES, NULL};
    use(context, &r);
}

static void every_cache(record_use *use, void *context)
{
    struct smbios_cache cache = {.level = 8, .ways = UINT32_MAX};
    struct record r = {.kind = RECORD_CACHE, .u.cache = {&cache}};

    use(context, &r);
    cache = (struct smbios_cache){"SLC", "unified", 3, true, true, 16, 32 << 20};
    use(context, &r);
    memset(cache.name, 0xff, sizeof(cache.name) - 1);
    cache.kind = "instruction";
    cache.bytes = UINT64_MAX - 1;
    use(context, &r);
}

static void every_prefetch(record_use *use, void *context)
{
    struct record r = {.kind = RECORD_PREFETCH};

    for (int i = 0; i <= PREFETCH_NOT_HONOURED; i++) {
        r.u.prefetch = (struct record_prefetch){.control = "MSR 0x1a4",
                                                .source = "source",
                                                .requested = 0xf,
                                                .readback = 0xf,
                                                .unofficial = i % 2 != 0,
                                                .counts = i % 2 == 0,
                                                .known_only = i % 3 == 0,
                                                .state = (enum prefetch_state)i,
                                                .sequential_over_random = 1.02,
                                                .ratio_low = 0.97,
                                                .ratio_high = 1.07,
                                                .ratio_verdict = "off",
                                                .footprint_share = 0,
                                                .footprint_low = 0,
                                                .footprint_high = 0.0199,
                                                .footprint_touches = 3,
                                                .footprint_distance = -87,
                                                .footprint_verdict = "off",
                                                .verdict = "off",
                                                .witness = "footprint"};
        use(context, &r);
    }
    r.u.prefetch = (struct record_prefetch){.cpu = UINT64_MAX - 1,
                                            .control = longest,
                                            .source = longest,
                                            .requested = UINT64_MAX - 1,
                                            .readback = UINT64_MAX - 1,
                                            .unofficial = true,
                                            .counts = true,
                                            .known_only = true,
                                            .state = PREFETCH_OFF,
                                            .sequential_over_random = NAN,
                                            .ratio_low = -1.7976931348623157e308,
                                            .ratio_high = NAN,
                                            .footprint_touches = RECORD_UNKNOWN,
                                            .footprint_distance = NAN,
                                            .doubt = EVERY_DOUBT};
    use(context, &r);
    r.u.prefetch = (struct record_prefetch){.requested = RECORD_UNKNOWN,
                                            .readback = RECORD_UNKNOWN,
                                            .state = PREFETCH_UNSUPPORTED,
                                            .sequential_over_random = NAN,
                                            .ratio_low = NAN,
                                            .ratio_high = NAN,
                                            .footprint_share = NAN,
                                            .footprint_low = NAN,
                                            .footprint_high = NAN,
                                            .footprint_touches = RECORD_UNKNOWN,
                                            .footprint_distance = NAN};
    use(context, &r);
}

static void every_witness(record_use *use, void *context)
{
    struct record r = {.kind = RECORD_WITNESS};

    r.u.witness = (struct record_witness){
        "dram",  "counters", "LLC misses", "a manual",   "walks", "a manual", 0.001, 0.999,
        1 << 21, 1 << 30,    "cycle",      PREFETCH_OFF, 0.998,   0.97,       0.002, true};
    use(context, &r);
    r.u.witness = (struct record_witness){longest,
                                          "counters",
                                          longest,
                                          longest,
                                          longest,
                                          longest,
                                          1.7976931348623157e308,
                                          1.7976931348623157e308,
                                          1 << 30,
                                          UINT64_MAX - 1,
                                          longest,
                                          PREFETCH_NOT_HONOURED,
                                          1.7976931348623157e308,
                                          0.97,
                                          NAN,
                                          false};
    use(context, &r);
    r.u.witness = (struct record_witness){
        "dram",  "counters", NULL,  NULL,        "walks", "a manual", 0, 0,
        1 << 12, 1 << 30,    "iid", PREFETCH_ON, NAN,     0.97,       1, true};
    use(context, &r);
}

static void every_ibs(record_use *use, void *context)
{
    struct record r = {.kind = RECORD_IBS, .u.ibs = support_ibs().u.ibs};
    struct record_ibs *ibs = &r.u.ibs;

    use(context, &r);
    *ibs = (struct record_ibs){.experiment = longest,
                               .sampler = longest,
                               .source = longest,
                               .known_hits = 0.019999999999999997,
                               .known_misses = 0.98000000000000009,
                               .pages_bytes = 1 << 30,
                               .pattern = longest,
                               .prefetch = PREFETCH_NOT_HONOURED,
                               .bytes = UINT64_MAX - 1,
                               .ops = UINT64_MAX - 1,
                               .loads = UINT64_MAX - 1,
                               .missed = UINT64_MAX - 1,
                               .miss_cycles = 1.7976931348623157e308,
                               .tlb_missed = UINT64_MAX - 1,
                               .refill_cycles = NAN,
                               .near_bytes = UINT64_MAX - 1,
                               .near_ops = UINT64_MAX - 1,
                               .near_loads = UINT64_MAX - 1,
                               .near_missed = UINT64_MAX - 1,
                               .near_miss_cycles = NAN,
                               .difference_cycles = -1.7976931348623157e308,
                               .difference_error_cycles = NAN,
                               .chase_difference_cycles = -1.7976931348623157e308,
                               .chase_difference_error_cycles = NAN,
                               .agrees = ANSWER_UNKNOWN};
    use(context, &r);
}

static void every_mapping(record_use *use, void *context)
{
    const uint64_t most[] = {~0ull, 1ull << 6 | 1ull << 13};
    uint64_t all[16];
    struct record r = {.kind = RECORD_MAPPING,
                       .u.mapping = {.experiment = "banks",
                                     .modules_banks_low = 32,
                                     .modules_banks_high = 64,
                                     .modules_agree = "agree",
                                     .pages_bytes = 1 << 21,
                                     .frames = "contiguous",
                                     .map = "window",
                                     .verdict = "linear",
                                     .bytes = 4ull << 30,
                                     .pairs = 4096,
                                     .conflicts = 131,
                                     .banks_low = 24,
                                     .banks_high = 51.5,
                                     .apart_ns = 270,
                                     .conflict_ns = 322,
                                     .rank = 2,
                                     .functions = most,
                                     .offset_bytes = 768 << 20,
                                     .offset_from_bytes = 1ull << 32,
                                     .expected_banks = 32,
                                     .expectation = "possible",
                                     .guest = ANSWER_YES,
                                     .agreement = 0.98,
                                     .predicted = 192,
                                     .confirmed = 191}};

    use(context, &r);
    for (int i = 0; i < 16; i++)
        all[i] = ~0ull;
    r.u.mapping.experiment = r.u.mapping.why = longest;
    r.u.mapping.modules_why = longest;
    r.u.mapping.modules_agree = "unknown";
    r.u.mapping.modules_banks_low = r.u.mapping.modules_banks_high = RECORD_UNKNOWN;
    r.u.mapping.verdict = "unsure";
    r.u.mapping.functions = all;
    r.u.mapping.rank = 16;
    r.u.mapping.conflicts = RECORD_UNKNOWN;
    r.u.mapping.banks_high = r.u.mapping.apart_ns = r.u.mapping.conflict_ns = NAN;
    use(context, &r);
    r.u.mapping.functions = NULL;
    r.u.mapping.rank = 0;
    use(context, &r);
}

static void every_distribution(record_use *use, void *context)
{
    double ns[RECORD_BINS_MAX];
    uint64_t count[RECORD_BINS_MAX];
    const struct record_bounded unknown = {NAN, NAN, NAN};
    struct record r = {.kind = RECORD_DISTRIBUTION,
                       .u.distribution = {.experiment = "single",
                                          .pages_bytes = 1 << 21,
                                          .frames = "contiguous",
                                          .map = "window",
                                          .bytes = 1 << 30,
                                          .accesses = 1 << 20,
                                          .clock_step_ns = 0.4,
                                          .timing_ns = 21.5,
                                          .ns_min = 63,
                                          .ns_median = 78.1,
                                          .ns_p90 = 92,
                                          .ns_p99 = 352,
                                          .ns_p999 = 421,
                                          .ns_p9999 = 428,
                                          .ns_max = 1234,
                                          .bin_ns = ns,
                                          .bin_count = count,
                                          .bins = 3,
                                          .pairs = 2048,
                                          .conflicts = 64,
                                          .rows = "open",
                                          .hit_ns = {64, 63.9, 64.1},
                                          .empty_ns = unknown,
                                          .conflict_ns = {92, 91.9, 92.1},
                                          .hit_share = 0.02,
                                          .empty_share = 0.6,
                                          .conflict_share = 0.38,
                                          .refresh = "found",
                                          .period_ns = {7800, 7799, 7801},
                                          .stall_ns = {364, 359, 369},
                                          .coherence = 0.993,
                                          .slow = 2006,
                                          .scope = "together",
                                          .lines = 64,
                                          .lines_in_phase = 34}};

    for (int i = 0; i < RECORD_BINS_MAX; i++) {
        ns[i] = 63.2 * (i + 1);
        count[i] = 1000000u >> i % 20;
    }
    use(context, &r);
    r.u.distribution.rows = "closed";
    r.u.distribution.empty_ns = r.u.distribution.hit_ns;
    r.u.distribution.hit_ns = r.u.distribution.conflict_ns = unknown;
    r.u.distribution.scope = "per-bank";
    use(context, &r);
    for (int i = 0; i < RECORD_BINS_MAX; i++) {
        ns[i] = 1e9 + i;
        count[i] = UINT32_MAX;
    }
    r.u.distribution.bins = RECORD_BINS_MAX;
    r.u.distribution.experiment = longest;
    r.u.distribution.rows = r.u.distribution.refresh = r.u.distribution.scope = "unsure";
    r.u.distribution.rows_why = r.u.distribution.refresh_why = longest;
    r.u.distribution.empty_ns = r.u.distribution.period_ns = r.u.distribution.stall_ns = unknown;
    r.u.distribution.hit_share = r.u.distribution.empty_share = NAN;
    r.u.distribution.ns_p999 = r.u.distribution.ns_p9999 = r.u.distribution.coherence = NAN;
    r.u.distribution.conflicts = RECORD_UNKNOWN;
    r.u.distribution.doubt = EVERY_DOUBT;
    use(context, &r);
    r.u.distribution.bins = 0;
    use(context, &r);
}

static void every_pair(record_use *use, void *context)
{
    struct record r = {.kind = RECORD_PAIR,
                       .u.pair = {.experiment = longest,
                                  .from = 575,
                                  .from_id = UINT64_MAX - 1,
                                  .from_node = RECORD_UNKNOWN,
                                  .to = longest,
                                  .to_cpu = 3,
                                  .kind = "modified",
                                  .ns_min = 90,
                                  .ns_max = 110,
                                  .home_node = RECORD_UNKNOWN,
                                  .bytes = 1ull << 30,
                                  .pages_bytes = 1 << 21,
                                  .ns = 97,
                                  .ns_low = 96.5,
                                  .ns_high = 97.5,
                                  .cycles = 320,
                                  .cpu_hz = 3.3e9,
                                  .slower_ns = 6,
                                  .slower_low_ns = 5.5,
                                  .slower_high_ns = 6.5,
                                  .bytes_per_s = 12.8e9,
                                  .bytes_per_s_low = 12.7e9,
                                  .bytes_per_s_high = 12.9e9,
                                  .times = 2.4,
                                  .times_low = 2.3,
                                  .times_high = 2.5,
                                  .claimed = 2.1,
                                  .claimed_ns = 150,
                                  .claimed_bytes_per_s = 20e9,
                                  .claimed_distance = 21,
                                  .claimed_by = longest,
                                  .doubt = EVERY_DOUBT}};

    use(context, &r);
    r.u.pair.experiment = "cores";
    r.u.pair.to = "declared L3";
    r.u.pair.to_cpu = RECORD_UNKNOWN;
    r.u.pair.kind = NULL;
    r.u.pair.ns_min = r.u.pair.ns_max = NAN;
    r.u.pair.from_node = r.u.pair.home_node = 1;
    r.u.pair.pages_bytes = 0;
    r.u.pair.slower_ns = r.u.pair.slower_low_ns = r.u.pair.slower_high_ns = -0.5;
    r.u.pair.doubt = 0;
    use(context, &r);
    r.u.pair.experiment = "nodes";
    r.u.pair.to = "memory";
    r.u.pair.bytes_per_s = r.u.pair.bytes_per_s_low = r.u.pair.bytes_per_s_high = NAN;
    r.u.pair.claimed_ns = r.u.pair.claimed_bytes_per_s = NAN;
    r.u.pair.claimed_by = "SLIT";
    use(context, &r);
    r.u.pair.ns = r.u.pair.ns_low = r.u.pair.ns_high = r.u.pair.cycles = NAN;
    r.u.pair.cpu_hz = r.u.pair.slower_ns = r.u.pair.slower_low_ns = NAN;
    r.u.pair.slower_high_ns = r.u.pair.claimed = NAN;
    r.u.pair.times = r.u.pair.times_low = r.u.pair.times_high = NAN;
    r.u.pair.claimed_distance = RECORD_UNKNOWN;
    r.u.pair.claimed_by = NULL;
    r.u.pair.prefetch = PREFETCH_NOT_MEASURED;
    r.u.pair.why = longest;
    use(context, &r);
}

static void every_load(record_use *use, void *context)
{
    struct record r = {.kind = RECORD_LOAD,
                       .u.load = {.experiment = longest,
                                  .kind = "store-nt",
                                  .pattern = "sequential",
                                  .processors = 576,
                                  .siblings = 1,
                                  .parked = 2,
                                  .cpu = 575,
                                  .bytes = 1ull << 30,
                                  .pages_bytes = 1 << 21,
                                  .each_bytes = 1ull << 28,
                                  .chains = 24,
                                  .pause_cycles = 32768,
                                  .ns = 197,
                                  .ns_low = 196.5,
                                  .ns_high = 197.5,
                                  .bytes_per_s = 3.1e11,
                                  .bytes_per_s_low = 3.0e11,
                                  .bytes_per_s_high = 3.2e11,
                                  .written_share = 1.0 / 3,
                                  .over = 2.1,
                                  .over_low = 2.0,
                                  .over_high = 2.2,
                                  .doubt = EVERY_DOUBT}};

    use(context, &r);
    r.u.load.experiment = "threads";
    r.u.load.kind = "chase";
    r.u.load.pattern = "random";
    r.u.load.cpu = r.u.load.each_bytes = RECORD_UNKNOWN;
    r.u.load.pages_bytes = 0;
    r.u.load.doubt = 0;
    use(context, &r);
    r.u.load.kind = "spin";
    r.u.load.pattern = NULL;
    r.u.load.cpu = 0;
    r.u.load.pause_cycles = RECORD_UNKNOWN;
    use(context, &r);
    r.u.load.kind = "park";
    use(context, &r);
    r.u.load.kind = "none";
    r.u.load.ns = r.u.load.ns_low = r.u.load.ns_high = NAN;
    r.u.load.bytes_per_s = r.u.load.bytes_per_s_low = r.u.load.bytes_per_s_high = NAN;
    r.u.load.written_share = r.u.load.over = r.u.load.over_low = r.u.load.over_high = NAN;
    r.u.load.prefetch = PREFETCH_NOT_MEASURED;
    r.u.load.why = longest;
    use(context, &r);
}

static void every_class(record_use *use, void *context)
{
    uint64_t all[4] = {~0ull, 1ull << 6 | 1ull << 13, 1ull << 20, 1ull << 63};
    struct record r;

    r = (struct record){.kind = RECORD_CLASS,
                        .u.class = {.experiment = longest,
                                    .node = RECORD_UNKNOWN,
                                    .mask = all,
                                    .masks = 4,
                                    .parities = 5,
                                    .offset_bytes = 3ull << 30,
                                    .hops = 1 << 20,
                                    .ns = 97,
                                    .slower_ns = 6,
                                    .slower_low_ns = 5.8,
                                    .slower_high_ns = 6.2,
                                    .slower_repeat_ns = 0.1,
                                    .against_ns = 91}};
    use(context, &r);
    r.u.class.experiment = "regions";
    r.u.class.mask = &all[1];
    r.u.class.masks = r.u.class.node = 1;
    use(context, &r);
}

static void every_bandwidth(record_use *use, void *context)
{
    uint64_t all[4] = {~0ull, 1ull << 6 | 1ull << 13, 1ull << 20, 1ull << 63};
    struct record r;

    r = (struct record){.kind = RECORD_BANDWIDTH,
                        .u.bandwidth = {.experiment = longest,
                                        .node = RECORD_UNKNOWN,
                                        .parity = RECORD_UNKNOWN,
                                        .order = "banks in turn",
                                        .offset_bytes = 3ull << 30,
                                        .offset_from_bytes = 4ull << 30,
                                        .physical_first = {RECORD_UNKNOWN},
                                        .physical_last = {RECORD_UNKNOWN},
                                        .lines = 1 << 20,
                                        .bytes_per_s = {41e9, 40.5e9, 41.5e9},
                                        .limited_by = "memory",
                                        .under_way = {43.5, 43, 44},
                                        .cached = {63.9, 63.8, 64},
                                        .channels = 16,
                                        .channel = all,
                                        .channel_functions = 4,
                                        .why = longest,
                                        .expected_bytes_per_s = 48e9,
                                        .expectation = "unmet"}};
    use(context, &r);
    r.u.bandwidth.channel_functions = 0;
    r.u.bandwidth.channels = RECORD_UNKNOWN;
    r.u.bandwidth.cached = (struct record_bounded){NAN, NAN, NAN};
    r.u.bandwidth.expected_bytes_per_s = NAN;
    r.u.bandwidth.limited_by = "unknown";
    r.u.bandwidth.expectation = NULL;
    use(context, &r);
    r.u.bandwidth.experiment = "regions";
    r.u.bandwidth.why = r.u.bandwidth.limited_by = NULL;
    r.u.bandwidth.under_way = (struct record_bounded){NAN, NAN, NAN};
    r.u.bandwidth.function = all[1];
    r.u.bandwidth.parity = r.u.bandwidth.node = 1;
    r.u.bandwidth.effect = "between";
    use(context, &r);
    r.u.bandwidth.function = all[0];
    use(context, &r);
    r.u.bandwidth.function = 0;
    r.u.bandwidth.parity = RECORD_UNKNOWN;
    r.u.bandwidth.effect = "slower";
    r.u.bandwidth.physical_first = (phys_addr){4ull << 30};
    r.u.bandwidth.physical_last = (phys_addr){(5ull << 30) - 1};
    use(context, &r);
}

static void every_block(record_use *use, void *context)
{
    struct record r = {.kind = RECORD_BLOCK,
                       .u.block = {.experiment = "regions",
                                   .node = 1,
                                   .physical_first = phys_make(4ull << 30),
                                   .physical_last = phys_make((4ull << 30) + (64 << 20) - 1),
                                   .bytes = 64 << 20,
                                   .hops = 8192,
                                   .sample_hops = 16,
                                   .ns = 91.25,
                                   .rel_error = 0.0024,
                                   .slower_ns = -0.4,
                                   .ns_median = 90.5,
                                   .ns_p95 = 110,
                                   .ns_p99 = 131,
                                   .ns_max = 822,
                                   .compared = true}};

    use(context, &r);
    r.u.block.experiment = r.u.block.why = longest;
    r.u.block.node = RECORD_UNKNOWN;
    r.u.block.slower_ns = NAN;
    r.u.block.compared = false;
    r.u.block.flagged = true;
    use(context, &r);
    r = (struct record){.kind = RECORD_RANGE,
                        .u.range = {.experiment = longest,
                                    .node = RECORD_UNKNOWN,
                                    .physical_last = phys_make(~1ull),
                                    .bytes = 3 << 20,
                                    .edge_bytes = 1 << 20,
                                    .ns = 97,
                                    .slower_ns = -6,
                                    .slower_low_ns = -6.2,
                                    .slower_high_ns = -5.8,
                                    .slower_repeat_ns = 0.1,
                                    .against_ns = 103}};
    use(context, &r);
    r = (struct record){.kind = RECORD_GAP,
                        .u.gap = {.experiment = longest,
                                  .node = RECORD_UNKNOWN,
                                  .physical_last = phys_make(~1ull),
                                  .bytes = 4096,
                                  .why = longest}};
    use(context, &r);
}

static void every_regions(record_use *use, void *context)
{
    struct record r = {.kind = RECORD_REGIONS,
                       .u.regions = {.experiment = "regions",
                                     .pages_bytes = 1 << 21,
                                     .frames = "contiguous",
                                     .map = "window",
                                     .block_bytes = 64 << 20,
                                     .blocks = 1000,
                                     .wrong = 2,
                                     .differing = 3,
                                     .hops = 8192,
                                     .sample_hops = 16,
                                     .ns = 91.5,
                                     .scatter_ns = 0.2,
                                     .step_ns = 0.915,
                                     .touched_bytes = 512 << 20,
                                     .cache_bytes = 32 << 20,
                                     .classes = 255,
                                     .class_limit_ns = 0.4,
                                     .class_part = 32,
                                     .class_part_limit_ns = 2.5,
                                     .by = "functions",
                                     .drift = -0.003,
                                     .memory_bytes = 64ull << 30,
                                     .covered_bytes = 63ull << 30,
                                     .gap_bytes = 1 << 30}};

    use(context, &r);
    r.u.regions.experiment = longest;
    r.u.regions.node = r.u.regions.cache_bytes = RECORD_UNKNOWN;
    r.u.regions.ns = r.u.regions.scatter_ns = r.u.regions.step_ns = NAN;
    r.u.regions.classes = RECORD_UNKNOWN;
    r.u.regions.class_limit_ns = r.u.regions.class_part_limit_ns = NAN;
    r.u.regions.class_part = RECORD_UNKNOWN;
    r.u.regions.by = NULL;
    use(context, &r);
    every_block(use, context);
    every_pair(use, context);
    every_load(use, context);
    every_class(use, context);
    every_bandwidth(use, context);
}

static void every_footprint(record_use *use, void *context)
{
    double share[RECORD_FOOTPRINT_LINES];
    struct record r = {.kind = RECORD_FOOTPRINT,
                       .u.footprint = {.experiment = "footprint",
                                       .pages_bytes = 1 << 21,
                                       .frames = "contiguous",
                                       .map = "window",
                                       .line_bytes = 64,
                                       .touches = 3,
                                       .touched = 85,
                                       .tries = 66468,
                                       .threshold_ns = 80.8,
                                       .hit_ns = 1.1,
                                       .miss_ns = 85,
                                       .hits_found = 1,
                                       .misses_found = 0.001,
                                       .max_share = 0.5,
                                       .max_low = 0.4,
                                       .max_high = 0.6,
                                       .max_distance = -20,
                                       .high = 0.6,
                                       .verdict = "on",
                                       .share = share,
                                       .share_count = RECORD_FOOTPRINT_LINES}};

    for (int i = 0; i < RECORD_FOOTPRINT_LINES; i++)
        share[i] = i % 7 == 0 ? NAN : i / 191.0;
    use(context, &r);
    r.u.footprint.experiment = r.u.footprint.prefetch_only_off = longest;
    r.u.footprint.doubt = EVERY_DOUBT;
    r.u.footprint.threshold_ns = r.u.footprint.max_low = NAN;
    use(context, &r);
    r.u.footprint.share_count = 0;
    r.u.footprint.tries = 0;
    r.u.footprint.verdict = "undecided";
    use(context, &r);
}

/* A point whose every count is n and every other number d, without texts. */
static struct record_point point_of(uint64_t n, double d)
{
    struct record_point p = {.ticks_median = d, .ns_min = d, .ns_median = d, .ns_mean = d};

    p.ns_p95 = p.ns_p99 = p.ns_mad = p.cycles_median = d;
    p.hz_over_base = p.cpu_hz_before = p.cpu_hz_after = p.rel_error = p.arithmetic_ns = d;
    p.bytes = p.stride_bytes = p.group_bytes = p.chains = p.work_cycles = p.word = n;
    p.cpu = p.node = p.warm_hops = p.hops = p.samples = p.outliers = n;
    p.physical_low = p.physical_high = phys_make(n);
    p.disturbed = p.smi = p.mce = p.seed = n;
    p.experiment = "curve";
    p.pattern = "cycle";
    p.pages_bytes = 1 << 12;
    p.frames = "scattered";
    p.map = "window";
    p.prefetch = PREFETCH_ON;
    p.hz_step = d;
    return p;
}

static void every_point(record_use *use, void *context)
{
    struct record r = support_point();

    use(context, &r);
    r.u.point = point_of(RECORD_UNKNOWN, NAN);
    use(context, &r);
    r = support_point();
    r.u.point.prefetch_only_off = longest;
    r.u.point.turbo = "not-honoured";
    r.u.point.pstate = "refused";
    r.u.point.uncore = "unsupported";
    use(context, &r);
    r = support_point();
    r.u.point.map = "firmware";
    r.u.point.pages_bytes = 0;
    use(context, &r);
    r.u.point = point_of(UINT64_MAX - 1, 2.2250738585072014e-308);
    r.u.point.pages_bytes = 1 << 30;
    r.u.point.frames = "contiguous";
    r.u.point.map = "identity";
    r.u.point.prefetch = PREFETCH_NOT_HONOURED;
    r.u.point.load = "plain";
    r.u.point.hint = "none";
    r.u.point.limited_by = "budget";
    r.u.point.verified = "readback";
    r.u.point.prefetch_only_off = longest;
    r.u.point.turbo = "off";
    r.u.point.pstate = "max";
    r.u.point.uncore = "not-honoured";
    r.u.point.settled = ANSWER_NO;
    use(context, &r);
}

static void every_result(record_use *use, void *context)
{
    const double d = 2.2250738585072014e-308, q = NAN;
    struct record r = {.kind = RECORD_LEVEL};

    r.u.level = (struct record_level){"curve", "L2", "cache", 1310720, 1200000, 1400000, 4.5, 4.4,
                                      4.6,     13,   12.9,    13.1,    1310720, false,   0};
    use(context, &r);
    r.u.level = (struct record_level){
        "curve", "memory", "memory",       q,    q,          q, d, d, d, INFINITY,
        q,       q,        RECORD_UNKNOWN, true, EVERY_DOUBT};
    use(context, &r);
    r = support_dram();
    use(context, &r);
    r.u.dram = (struct record_dram){1 << 12,
                                    "cycle",
                                    "scattered",
                                    "window",
                                    PREFETCH_REFUSED,
                                    UINT64_MAX - 1,
                                    d,
                                    d,
                                    d,
                                    d,
                                    d,
                                    d,
                                    d,
                                    d,
                                    d,
                                    d,
                                    d,
                                    d,
                                    d,
                                    d,
                                    d,
                                    EVERY_DOUBT};
    use(context, &r);
    r = support_finding();
    use(context, &r);
    r.u.finding = (struct record_finding){
        "tlb",   longest, d, q,           INFINITY,       "entries",      "at_most", longest,
        longest, NULL,    0, PREFETCH_ON, RECORD_UNKNOWN, UINT64_MAX - 1, longest,   EVERY_DOUBT};
    use(context, &r);
    r.u.finding =
        (struct record_finding){"tlb", "x",  q,    q, q,           "ns",           "exact",
                                NULL,  NULL, NULL, 0, PREFETCH_ON, RECORD_UNKNOWN, RECORD_UNKNOWN,
                                NULL,  0};
    use(context, &r);
}

static void every_error(record_use *use, void *context)
{
    struct record r = {.kind = RECORD_ERROR, .u.error = record_error_of("memory")};

    r.u.error.physical_address = phys_make(0x1234000);
    r.u.error.expected = 0x10;
    r.u.error.read = r.u.error.reread = UINT64_MAX;
    r.u.error.bits = ~0x10ull;
    use(context, &r);
    r.u.error.cause = "alias";
    r.u.error.events = 7;
    r.u.error.alias_address = phys_make(0x5678000);
    use(context, &r);
    r.u.error.cause = "outside";
    r.u.error.physical_address = r.u.error.alias_address = phys_make(RECORD_UNKNOWN);
    use(context, &r);
    r.u.error = record_error_of("fault");
    r.u.error.text = longest;
    use(context, &r);
}

static void every_verify(record_use *use, void *context)
{
    static uint64_t lanes[64] = {[3] = UINT64_MAX - 1, [40] = 12};
    struct record r = {.kind = RECORD_VERIFY,
                       .u.verify = {.experiment = "verify",
                                    .pages_bytes = 1 << 21,
                                    .frames = "contiguous",
                                    .map = "window",
                                    .seed = 1,
                                    .bytes = 1 << 30,
                                    .memory_bytes = RECORD_UNKNOWN,
                                    .gap_bytes = RECORD_UNKNOWN,
                                    .least_node = RECORD_UNKNOWN,
                                    .least_share = NAN,
                                    .steps = 10,
                                    .steps_done = 10,
                                    .written_bytes = 1 << 30,
                                    .read_bytes = 1 << 30,
                                    .seconds = 2.5,
                                    .bytes_per_s = 6.4e9,
                                    .processors = 1}};

    use(context, &r);
    r.u.verify.processors = 64;
    r.u.verify.memory_bytes = 2ull << 30;
    r.u.verify.gap_bytes = 1 << 30;
    r.u.verify.least_node = 1;
    r.u.verify.least_share = 0.25;
    r.u.verify.apart_share = 0.0123;
    r.u.verify.steps_done = 3;
    r.u.verify.cut_by = "budget";
    r.u.verify.hold_s = 10;
    use(context, &r);
    for (int i = 0; i < 64; i++)
        lanes[i] = UINT64_MAX - 1;
    r.u.verify.experiment = longest;
    r.u.verify.lane_events = lanes;
    r.u.verify.words = r.u.verify.outside = 256;
    r.u.verify.events = UINT64_MAX - 1;
    use(context, &r);
    r = (struct record){.kind = RECORD_BAD_MEMORY,
                        .u.bad_memory = {.experiment = longest,
                                         .physical_first = phys_make(~0xfffull),
                                         .physical_last = phys_make(~1ull),
                                         .bytes = 4096,
                                         .events = 9,
                                         .memmap = longest,
                                         .badram = longest,
                                         .slot = longest}};
    use(context, &r);
    r = (struct record){.kind = RECORD_BAD_PART,
                        .u.bad_part = {.experiment = longest,
                                       .by = "slot",
                                       .name = longest,
                                       .words = 3,
                                       .events = UINT64_MAX - 1}};
    use(context, &r);
}

static void every_hardware_error(record_use *use, void *context)
{
    struct record r = {.kind = RECORD_HARDWARE_ERROR,
                       .u.hardware_error = {.experiment = longest,
                                            .source = longest,
                                            .bank = 17,
                                            .severity = "corrected",
                                            .corrected = 3,
                                            .at_least = true,
                                            .overflow = true,
                                            .memory = true,
                                            .status = ~1ull,
                                            .address = ~1ull,
                                            .misc = ~1ull,
                                            .physical_address = phys_make(~1ull),
                                            .slot = longest,
                                            .text = longest}};

    use(context, &r);
    r.u.hardware_error =
        (struct record_hardware_error){.experiment = "before the start",
                                       .source = "BERT",
                                       .bank = RECORD_UNKNOWN,
                                       .severity = "uncorrected",
                                       .status = RECORD_UNKNOWN,
                                       .address = RECORD_UNKNOWN,
                                       .misc = RECORD_UNKNOWN,
                                       .physical_address = phys_make(RECORD_UNKNOWN)};
    use(context, &r);
    r = (struct record){.kind = RECORD_HARDWARE_ERRORS,
                        .u.hardware_errors = {.counting = "counted",
                                              .source = longest,
                                              .banks = 32,
                                              .ecc = "on",
                                              .firmware_first = true,
                                              .hidden = true,
                                              .corrected = 3,
                                              .others = 1,
                                              .at_least = true,
                                              .before_corrected = 2,
                                              .before_others = 1}};
    use(context, &r);
    r.u.hardware_errors = (struct record_hardware_errors){.counting = "unread", .why = longest};
    use(context, &r);
}

static void every_spread(record_use *use, void *context)
{
    struct record r = {.kind = RECORD_SPREAD,
                       .u.spread = {.name = longest,
                                    .kind = "latency",
                                    .boots = 20,
                                    .middle = 91.5,
                                    .low = 90,
                                    .high = 99.5,
                                    .low_run = 3,
                                    .high_run = 9999}};

    use(context, &r);
    r.u.spread.kind = "rate";
    use(context, &r);
    r.u.spread.kind = "size";
    use(context, &r);
    r.u.spread.kind = "speed";
    use(context, &r);
    r.u.spread.kind = "time";
    use(context, &r);
    r.u.spread.high = 4.1e10;
    use(context, &r);
}

static void every_verdict(record_use *use, void *context)
{
    struct record_rule rules[RECORD_RULES_MAX];
    struct record r = {.kind = RECORD_VERDICT,
                       .u.verdict = {.verdict = "OK", .conclusive = true, .rule = rules}};

    for (int i = 0; i < RECORD_RULES_MAX; i++)
        rules[i] = (struct record_rule){longest, longest, longest, longest, (enum answer)(i % 3)};
    use(context, &r);
    r.u.verdict.rules = RECORD_RULES_MAX;
    r.u.verdict.verdict = "INCOMPLETE";
    r.u.verdict.conclusive = false;
    r.u.verdict.why = r.u.verdict.unseen = longest;
    r.u.verdict.unseen_lines_ns = 1.78;
    r.u.verdict.unseen_lines_share = 0.0141;
    use(context, &r);
    rules[0] =
        (struct record_rule){"contents", "3 words", "0 words", "what was written", ANSWER_NO};
    r.u.verdict.rules = 1;
    r.u.verdict.verdict = "SUSPECT";
    use(context, &r);
}

static void every_note(record_use *use, void *context)
{
    struct record r = {.kind = RECORD_NOTE};

    for (int i = 0; i <= SEVERITY_ERROR; i++) {
        r.u.note = (struct record_note){(enum severity)i, "something could not be had", "because"};
        use(context, &r);
    }
    r.u.note = (struct record_note){SEVERITY_INFO, NULL, NULL};
    use(context, &r);
    r.u.note = (struct record_note){SEVERITY_INFO, nasty, nasty};
    use(context, &r);
    r.u.note = (struct record_note){SEVERITY_INFO, longest, longest};
    use(context, &r);
    r = support_end();
    use(context, &r);
    r.u.end = (struct record_end){"failed", 0.1, UINT64_MAX - 1, NAN, NULL, NAN, NAN};
    use(context, &r);
    r.u.end.status = "aborted";
    use(context, &r);
}

void support_every_record(record_use *use, void *context)
{
    texts_start();
    every_run(use, context);
    every_cpu(use, context);
    every_memory(use, context);
    every_modules(use, context);
    every_expectation(use, context);
    every_cache(use, context);
    every_prefetch(use, context);
    every_witness(use, context);
    every_ibs(use, context);
    every_footprint(use, context);
    every_mapping(use, context);
    every_regions(use, context);
    every_distribution(use, context);
    every_point(use, context);
    every_result(use, context);
    every_error(use, context);
    every_verify(use, context);
    every_hardware_error(use, context);
    every_spread(use, context);
    every_verdict(use, context);
    every_note(use, context);
}
