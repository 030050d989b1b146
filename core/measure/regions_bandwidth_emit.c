/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of the rates at which lines are read: of all lines, and of classes that are read at
 * another rate or whose function is one of the mapping's. */
#include "core/lib/real.h"
#include "core/measure/regions_run.h"
#include "core/names.h"
#include "core/options/experiments.h"

#define BOUND_ERRORS 2.576 /* 99 % of a normal distribution */

static struct record_bounded rate_of(const struct measure *m, struct figure line_ns)
{
    double line_bytes = m->machine->description->line_bytes;
    double low = line_ns.value - BOUND_ERRORS * line_ns.error;

    return (struct record_bounded){.value = line_bytes / line_ns.value * 1e9,
                                   .low = line_bytes /
                                          (line_ns.value + BOUND_ERRORS * line_ns.error) * 1e9,
                                   .high = low > 0 ? line_bytes / low * 1e9 : real_nan()};
}

static struct record_bounded bounded(struct figure figure)
{
    return (struct record_bounded){.value = figure.value,
                                   .low = figure.value - BOUND_ERRORS * figure.error,
                                   .high = figure.value + BOUND_ERRORS * figure.error};
}

/* What all records have. */
static struct record_bandwidth common(const struct measure *m, const struct point *point,
                                      struct figure line_ns)
{
    uint32_t node = m->bandwidth.node;

    return (struct record_bandwidth){.experiment = experiment_list[point->experiment].name,
                                     .node = node == NODE_UNKNOWN ? RECORD_UNKNOWN : node,
                                     .prefetch = controls_prefetch_state(&m->controls),
                                     .parity = RECORD_UNKNOWN,
                                     .order = m->regions.mapped ? "banks in turn" : "random",
                                     .offset_bytes = m->regions.mapping.offset_bytes,
                                     .offset_from_bytes = m->regions.mapping.offset_from,
                                     .bytes_per_s = rate_of(m, line_ns),
                                     .under_way = bounded(figure_unknown()),
                                     .cached = bounded(figure_unknown()),
                                     .physical_first = {RECORD_UNKNOWN},
                                     .physical_last = {RECORD_UNKNOWN},
                                     .channels = RECORD_UNKNOWN,
                                     .expected_bytes_per_s = real_nan()};
}

/* ---- what was expected */

static void note_expected(struct measure *m, const char *experiment, enum bandwidth_met met)
{
    const struct bandwidth *bandwidth = &m->bandwidth.bandwidth;
    double line_bytes = m->machine->description->line_bytes;
    const char *limit = bandwidth_limit_name(bandwidth->limit);
    static const char *const what[] = {"bandwidth is as expected",
                                       "bandwidth is less than expected",
                                       "whether bandwidth is as expected is not known"};

    journal_note_about(
        m->journal, met == BANDWIDTH_MET ? SEVERITY_INFO : SEVERITY_WARNING, experiment, what[met],
        "expect-bandwidth=%s, and one CPU reads %.1f GB/s%s%s",
        TEXT_SHORTEST(m->options->expect_bandwidth_gb_s), line_bytes / bandwidth->line_ns.value,
        met == BANDWIDTH_NOT_SHOWN ? "; memory is not known to be the limit, which is: " : "",
        met == BANDWIDTH_NOT_SHOWN ? limit : "");
}

static const char *reason(const struct measure *m, enum status status)
{
    if (status == STATUS_LATE)
        return "the budget ended";
    if (status == STATUS_ABORTED)
        return "the run was stopped";
    if (status == STATUS_FAULT)
        return "a fault ended the measurement";
    return m->bandwidth.can_read ? "there are too few lines in blocks that do not differ"
                                 : "this machine cannot flush lines and time their reads";
}

static void note_nothing(struct measure *m, const char *experiment, enum status status)
{
    journal_note_about(m->journal, SEVERITY_INFO, experiment, "bandwidth is not measured", "%s",
                       reason(m, status));
}

/* ---- records */

static void emit_all(struct measure *m, const struct point *point)
{
    const struct bandwidth *bandwidth = &m->bandwidth.bandwidth;
    double expected = m->options->expect_bandwidth_gb_s * 1e9;
    struct record record = {.kind = RECORD_BANDWIDTH};
    struct record_bandwidth *all = &record.u.bandwidth;
    enum bandwidth_met met =
        bandwidth_meets(bandwidth, m->machine->description->line_bytes, expected);

    *all = common(m, point, bandwidth->line_ns);
    all->lines = (uint64_t)m->bandwidth.rounds * BANDWIDTH_ALL * BANDWIDTH_PIECE;
    all->limited_by = bandwidth_limit_name(bandwidth->limit);
    all->under_way = bounded(bandwidth->under_way);
    all->cached = bounded(bandwidth->cached);
    all->channels = bandwidth->told ? 1ull << bandwidth->channel.count : RECORD_UNKNOWN;
    all->channel = bandwidth->channel.mask;
    all->channel_functions = bandwidth->channel.count;
    all->why = bandwidth->why;
    all->expected_bytes_per_s = expected > 0 ? expected : real_nan();
    all->expectation = expected > 0 ? bandwidth_met_name(met) : NULL;
    journal_emit(m->journal, &record);
    m->plan->bandwidth_judged = true;
    if (expected > 0)
        note_expected(m, all->experiment, met);
}

static bool is_function(const struct address_functions *functions, uint64_t mask)
{
    for (unsigned i = 0; i < functions->count; i++)
        if (functions->mask[i] == mask)
            return true;
    return false;
}

static void emit_class(struct measure *m, const struct point *point,
                       const struct bandwidth_class *class)
{
    for (unsigned parity = 0; parity < 2; parity++) {
        struct record record = {.kind = RECORD_BANDWIDTH};
        struct record_bandwidth *half = &record.u.bandwidth;
        *half = common(m, point, class->line_ns[parity]);
        half->function = class->mask;
        half->parity = parity;
        half->lines = (uint64_t)m->bandwidth.rounds * BANDWIDTH_PIECE / 2;
        half->effect = bandwidth_effect_name(class->effect);
        journal_emit(m->journal, &record);
    }
}

/* The blocks of the node in that part. */
static void place_of(const struct measure *m, uint32_t part, struct record_bandwidth *record)
{
    uint32_t end = bandwidth_part_begin(m->regions.count, part + 1);
    bool any = false;

    for (uint32_t i = bandwidth_part_begin(m->regions.count, part); i < end; i++) {
        const struct region_block *block = &m->regions.block[i];
        if (block->node != m->bandwidth.node)
            continue;
        if (!any)
            record->physical_first = block->first;
        record->physical_last = (phys_addr){block->first.value + block->bytes - 1};
        any = true;
    }
}

static void emit_part(struct measure *m, const struct point *point, uint32_t number)
{
    const struct bandwidth_part *part = &m->bandwidth.bandwidth.part[number];
    struct record record = {.kind = RECORD_BANDWIDTH};

    record.u.bandwidth = common(m, point, part->line_ns);
    record.u.bandwidth.lines = (uint64_t)m->bandwidth.rounds * BANDWIDTH_PIECE;
    record.u.bandwidth.effect = part->slower ? "slower" : "same";
    place_of(m, number, &record.u.bandwidth);
    journal_emit(m->journal, &record);
}

static void note_slower(struct measure *m, const char *experiment)
{
    if (m->bandwidth.bandwidth.slower != 0)
        journal_note_about(m->journal, SEVERITY_WARNING, experiment,
                           "memory is read slower in parts",
                           "%u of %u parts, by address: fewer channels may serve them",
                           m->bandwidth.bandwidth.slower, (unsigned)BANDWIDTH_PARTS);
}

void bandwidth_emit(struct measure *m, const struct point *point, enum status status)
{
    const struct bandwidth *bandwidth = &m->bandwidth.bandwidth;

    if (!m->bandwidth.known) {
        note_nothing(m, experiment_list[point->experiment].name, status);
        return;
    }
    emit_all(m, point);
    for (uint32_t i = 0; i < bandwidth->count; i++) {
        const struct bandwidth_class *class = &bandwidth->class[i];
        if (figure_is_known(class->line_ns[0]) &&
            (class->effect != BANDWIDTH_SAME ||
             is_function(&m->regions.mapping.functions, class->mask)))
            emit_class(m, point, class);
    }
    for (uint32_t i = 0; i < BANDWIDTH_PARTS; i++)
        if (figure_is_known(bandwidth->part[i].line_ns))
            emit_part(m, point, i);
    note_slower(m, experiment_list[point->experiment].name);
}
