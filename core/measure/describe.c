/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/measure/describe.h"

#include "core/lib/real.h"
#include "core/measure/modules.h"

static void describe_clock(const struct clock_info *clock, struct record_run *run)
{
    const struct clock_declared *declared = &clock->declared;
    bool checked = clock->check_source != NULL && clock->check_source[0] != '\0';

    run->clock_hz = clock->hz;
    run->clock_source = clock->source;
    run->clock_ppm = checked ? clock->check_ppm : real_nan();
    run->clock_choice = clock_choice_name(clock->choice);
    run->clock_declared_hz = declared->hz != 0 ? declared->hz : RECORD_UNKNOWN;
    run->clock_declared_source = declared->hz != 0 ? declared->source : NULL;
    run->clock_grade = declared->hz != 0 ? clock_grade_name(declared->grade) : NULL;
    run->core_base_hz = clock->core_base_hz != 0 ? clock->core_base_hz : RECORD_UNKNOWN;
    run->clock_crystal_hz = clock->crystal_hz != 0 ? clock->crystal_hz : RECORD_UNKNOWN;
}

static uint64_t known_or_null(uint64_t number)
{
    return number != 0 ? number : RECORD_UNKNOWN;
}

static void describe_state(const struct machine_state *state, struct record_run *run)
{
    run->microcode = known_or_null(state->microcode);
    run->memory_encryption = state->memory_encryption;
    run->threads_per_core = known_or_null(state->threads_per_core);
    run->cpu_kinds = known_or_null(state->cpu_kinds);
    run->nodes_per_package = known_or_null(state->nodes_per_package);
}

void describe_run(const struct machine_description *d, const struct options *options,
                  const char *version, char *text, struct journal *journal)
{
    struct record record = {.kind = RECORD_RUN};

    options_effective(options, text, OPTIONS_EFFECTIVE_MAX);
    record.u.run = (struct record_run){.version = version,
                                       .arch = d->arch,
                                       .firmware = d->firmware,
                                       .board = d->board,
                                       .board_source = d->board_source,
                                       .bios = d->bios,
                                       .cpu = d->cpu_name,
                                       .options = text,
                                       .seed = options->seed};
    describe_clock(&d->clock, &record.u.run);
    describe_state(&d->state, &record.u.run);
    record.u.run.smbios_cpu_hz = known_or_null(d->smbios_cpu_hz);
    record.u.run.smbios_cpu_max_hz = known_or_null(d->smbios_cpu_max_hz);
    journal_emit(journal, &record);
}

static void describe_cpu(const struct machine_description *d, struct journal *journal)
{
    struct record record = {.kind = RECORD_CPU};
    struct record_cpu *cpu = &record.u.cpu;
    size_t sizes = 0;

    *cpu = (struct record_cpu){.name = d->cpu_name,
                               .count = d->cpu_count,
                               .caches = d->caches,
                               .cache_count = d->cache_count,
                               .tlbs = d->tlbs,
                               .tlb_count = d->tlb_count};
    for (size_t i = 0; i < d->cpu_count; i++)
        cpu->enabled += d->cpus[i].enabled;
    for (unsigned bit = PAGE_4K; bit <= PAGE_1G; bit++)
        if (d->page_sizes & 1u << bit && sizes < 4)
            cpu->page_sizes[sizes++] = 1ull << bit;
    journal_emit(journal, &record);
}

/* Flushes do not empty such a cache, and sets that fit into it are no memory's. */
static void note_side_cache(const struct machine_description *d, struct journal *journal)
{
    if (d->side_cache_bytes != 0)
        journal_note_format(
            journal, SEVERITY_WARNING, "memory behind a memory-side cache",
            "the firmware declares %s of it (%s); sets that fit into it, and load=flush, show the "
            "cache, not the memory",
            TEXT_SIZE(d->side_cache_bytes), d->side_cache_source);
}

static void describe_smbios_caches(const struct machine_description *d, struct journal *journal)
{
    for (size_t i = 0; i < d->smbios_cache_count; i++) {
        struct record record = {.kind = RECORD_CACHE};
        record.u.cache.cache = &d->smbios_caches[i];
        journal_emit(journal, &record);
    }
}

void describe_machine(const struct machine_description *d, struct journal *journal)
{
    struct record record;

    describe_cpu(d, journal);
    for (size_t i = 0; i < d->memory_count; i++) {
        const struct memory_range *range = &d->memory[i];
        record = (struct record){.kind = RECORD_MEMORY};
        record.u.memory = (struct record_memory){
            .base = range->base,
            .bytes = range->bytes,
            .node = range->node == NODE_UNKNOWN ? RECORD_UNKNOWN : range->node,
            .kind = memory_kind_names[range->kind],
            .side_cache_bytes = range->cache_bytes != 0 ? range->cache_bytes : RECORD_UNKNOWN,
            .usable = range->usable};
        journal_emit(journal, &record);
    }
    modules_describe(d, journal);
    describe_smbios_caches(d, journal);
    note_side_cache(d, journal);
    for (size_t i = 0; i < d->note_count; i++)
        journal_note(journal, d->notes[i].severity, d->notes[i].what, d->notes[i].why);
}

static struct record_prefetch nothing_seen(void)
{
    return (struct record_prefetch){.sequential_over_random = real_nan(),
                                    .ratio_low = real_nan(),
                                    .ratio_high = real_nan(),
                                    .footprint_share = real_nan(),
                                    .footprint_low = real_nan(),
                                    .footprint_high = real_nan(),
                                    .footprint_touches = RECORD_UNKNOWN,
                                    .footprint_distance = real_nan()};
}

void describe_prefetch(const struct prefetch_report *report, uint32_t cpu,
                       const struct record_prefetch *seen, struct journal *journal)
{
    struct record record = {.kind = RECORD_PREFETCH};
    struct record_prefetch *out = &record.u.prefetch;

    *out = seen != NULL ? *seen : nothing_seen();
    out->cpu = cpu;
    for (size_t i = 0; i < report->count; i++) {
        const struct prefetch_control *control = &report->control[i];
        out->control = control->name;
        out->source = control->source;
        out->requested = control->requested;
        out->readback = control->readback;
        out->unofficial = control->unofficial;
        out->counts = !control->ignored;
        out->known_only = report->known_only;
        out->state = control->state;
        journal_emit(journal, &record);
    }
    if (report->count != 0)
        return;
    /* No control at all is a result too, and the verdict needs a record. */
    out->requested = out->readback = RECORD_UNKNOWN;
    out->state = report->state;
    out->counts = true;
    journal_emit(journal, &record);
}
