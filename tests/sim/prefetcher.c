/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/prefetcher.h"

#include <string.h>

#include "tests/sim/memory_system.h"

static bool starts_active(const struct sim_prefetch_config *config)
{
    return config->control != SIM_ALWAYS_OFF;
}

/* So that accesses need not check each of them. */
static void sum_up(struct sim_prefetchers *all, const struct sim_config *config)
{
    all->lines = all->pages = all->follows = false;
    for (size_t i = 0; i < config->prefetch_count; i++) {
        enum sim_prefetch_kind kind = config->prefetch[i].kind;
        all->follows |= all->each[i].active && kind == SIM_POINTER;
        all->pages |= all->each[i].active && kind == SIM_NEXT_PAGE;
        all->lines |= all->each[i].active && kind != SIM_POINTER && kind != SIM_NEXT_PAGE;
    }
}

void sim_prefetchers_start(struct sim_prefetchers *all, const struct sim_config *config)
{
    memset(all, 0, sizeof *all);
    random_start(&all->random, config->seed + 200);
    for (size_t i = 0; i < config->prefetch_count; i++) {
        all->each[i].active = starts_active(&config->prefetch[i]);
        for (size_t j = 0; j < SIM_TRACKERS; j++)
            all->each[i].region_key[j] = SIM_EMPTY;
    }
    sum_up(all, config);
}

static enum prefetch_state state_of(const struct sim_prefetch_config *config, bool off)
{
    if (config->control == SIM_ALWAYS_ON)
        return PREFETCH_UNSUPPORTED;
    if (config->control == SIM_ALWAYS_OFF)
        return PREFETCH_OFF;
    if (!off)
        return PREFETCH_ON;
    switch (config->control) {
    case SIM_LOCKED:
        return PREFETCH_REFUSED;
    case SIM_IGNORING:
        return PREFETCH_NOT_HONOURED;
    default:
        return PREFETCH_OFF;
    }
}

/* How bad a state is for a figure that should be without prefetchers. */
static int rank_of(enum prefetch_state state)
{
    static const enum prefetch_state order[] = {
        PREFETCH_OFF, PREFETCH_UNSUPPORTED, PREFETCH_NOT_HONOURED, PREFETCH_REFUSED, PREFETCH_ON};
    int rank = 0;

    while (order[rank] != state)
        rank++;
    return rank;
}

static const char *const names[] = {"next line", "adjacent line", "stream",
                                    "region",    "next page",     "pointer"};

void sim_prefetchers_set(struct sim_prefetchers *all, const struct sim_config *config, bool off,
                         struct prefetch_report *report)
{
    *report = (struct prefetch_report){.count = config->prefetch_count, .state = PREFETCH_OFF};
    for (size_t i = 0; i < config->prefetch_count; i++) {
        const struct sim_prefetch_config *each = &config->prefetch[i];
        struct prefetch_control *control = &report->control[i];
        enum prefetch_state state = state_of(each, off);

        if (each->control == SIM_CONTROLLABLE)
            all->each[i].active = !off;
        *control = (struct prefetch_control){.name = names[each->kind],
                                             .source = "machine file",
                                             .reg = i,
                                             .mask = 1,
                                             .requested = off,
                                             .readback = state == PREFETCH_OFF,
                                             .state = state};
        if (state == PREFETCH_UNSUPPORTED)
            control->requested = control->readback = MACHINE_UNKNOWN;
        if (rank_of(state) > rank_of(report->state))
            report->state = state;
    }
    sum_up(all, config);
}

/* By their registers these two look the same. */
static bool obeys(const struct sim_prefetch_config *config)
{
    return config->control == SIM_CONTROLLABLE || config->control == SIM_PRETENDING;
}

bool sim_prefetchers_alone(struct sim_prefetchers *all, const struct sim_config *config,
                           uint32_t index, struct prefetch_report *report)
{
    size_t found = 0;

    while (found < config->prefetch_count && (!obeys(&config->prefetch[found]) || index-- != 0))
        found++;
    if (found == config->prefetch_count)
        return false;
    for (size_t i = 0; i < config->prefetch_count; i++)
        if (config->prefetch[i].control == SIM_CONTROLLABLE)
            all->each[i].active = i != found;
    *report = (struct prefetch_report){.count = 1, .state = PREFETCH_ON};
    report->control[0] = (struct prefetch_control){.name = names[config->prefetch[found].kind],
                                                   .source = "machine file",
                                                   .reg = found,
                                                   .mask = 1,
                                                   .requested = 1,
                                                   .readback = 1,
                                                   .state = PREFETCH_OFF};
    return true;
}

/* The prefetcher's tracker of a region; a new region takes over the oldest tracker. */
static struct sim_tracker *track(struct sim_prefetcher *each, uint32_t region_key)
{
    uint8_t *hint = &each->hint[region_key % SIM_TRACKER_HINTS];
    uint32_t found = 0;

    if (each->region_key[*hint] == region_key)
        return &each->tracker[*hint];
    /* Without a branch on what is found: it is chance. */
    for (uint32_t i = 0; i < SIM_TRACKERS; i++)
        found |= each->region_key[i] == region_key ? i + 1 : 0;
    if (found == 0) {
        found = each->next % SIM_TRACKERS + 1;
        each->next++;
        each->region_key[found - 1] = region_key;
        each->tracker[found - 1] = (struct sim_tracker){.last = SIM_NO_KEY};
    }
    *hint = (uint8_t)(found - 1);
    return &each->tracker[found - 1];
}

/* The region of memory that a line belongs to, beyond whose ends a prefetcher does not look. */
static uint64_t region_of(const struct sim_memory_system *system,
                          const struct sim_prefetch_config *config, uint64_t line)
{
    return line >> ((unsigned)__builtin_ctzll(config->within_bytes) - system->line_log2);
}

static void request(struct sim_memory_system *system, const struct sim_prefetch_config *config,
                    uint64_t line, uint64_t wanted, double when_ns)
{
    if (region_of(system, config, line) != region_of(system, config, wanted) || wanted == line)
        return;
    sim_memory_prefetch(system, wanted, config->into - 1, when_ns);
}

static void stream(struct sim_memory_system *system, size_t i, uint64_t line, double when_ns)
{
    const struct sim_prefetch_config *config = &system->config->prefetch[i];
    struct sim_tracker *tracker =
        track(&system->prefetchers.each[i], (uint32_t)region_of(system, config, line));
    int32_t stride = (int32_t)(line - tracker->last);

    if (tracker->last == line)
        return;
    if (tracker->last != SIM_NO_KEY) {
        tracker->seen = stride == tracker->stride ? tracker->seen + 1 : 0;
        tracker->stride = stride;
    }
    tracker->last = line;
    /* Three lines with two equal distances make a stream. */
    for (uint32_t ahead = 1; tracker->seen >= 1 && ahead <= config->degree; ahead++)
        request(system, config, line, line + (uint64_t)((int64_t)ahead * stride), when_ns);
}

/* From a certain miss in a region on, each miss brings all of it; lines not requested for lack of a
 * free slot are requested again at the next miss. */
static void region(struct sim_memory_system *system, size_t i, uint64_t line, double when_ns)
{
    const struct sim_prefetch_config *config = &system->config->prefetch[i];
    uint32_t lines = (uint32_t)(config->region_bytes >> system->line_log2);
    struct sim_tracker *tracker = track(&system->prefetchers.each[i], (uint32_t)(line / lines));

    tracker->seen += tracker->last != line;
    tracker->last = line;
    if (tracker->seen < config->after)
        return;
    for (uint32_t j = 0; j < lines && !sim_memory_busy(system, when_ns); j++)
        request(system, config, line, line / lines * lines + j, when_ns);
}

static void one_after_access(struct sim_memory_system *system, size_t i, uint64_t line,
                             size_t server, double when_ns)
{
    const struct sim_prefetch_config *config = &system->config->prefetch[i];

    switch (config->kind) {
    case SIM_NEXT_LINE:
        for (uint32_t ahead = 1; server != 0 && ahead <= config->degree; ahead++)
            request(system, config, line, line + ahead, when_ns);
        break;
    case SIM_ADJACENT_LINE:
        if (server > config->into - 1)
            request(system, config, line, line ^ 1, when_ns);
        break;
    case SIM_STREAM:
        stream(system, i, line, when_ns);
        break;
    case SIM_REGION:
        if (server > config->into - 1)
            region(system, i, line, when_ns);
        break;
    case SIM_NEXT_PAGE:
    case SIM_POINTER:
        break;
    }
}

void sim_prefetchers_after_access(struct sim_memory_system *system, uint64_t line, size_t server,
                                  double when_ns)
{
    for (size_t i = 0; i < system->config->prefetch_count; i++)
        if (system->prefetchers.each[i].active)
            one_after_access(system, i, line, server, when_ns);
}

void sim_prefetchers_after_walk(struct sim_memory_system *system, uint32_t page, double when_ns)
{
    const struct sim_config *config = system->config;

    for (size_t i = 0; i < config->prefetch_count; i++)
        if (system->prefetchers.each[i].active && config->prefetch[i].kind == SIM_NEXT_PAGE)
            for (uint32_t ahead = 1; ahead <= config->prefetch[i].degree; ahead++)
                sim_memory_prefetch_page(system, page + ahead, when_ns);
}

/* In a pure chase the core requests the next line the moment it has the value. What such a
 * prefetcher gains is its position: it sees the value on the way, `lead` sooner than the core. */
static void follow(struct sim_memory_system *system, size_t i, uintptr_t value, double done_ns,
                   sim_peek *peek, void *context)
{
    const struct sim_prefetch_config *config = &system->config->prefetch[i];
    double now = done_ns - system->costs.lead_ns[i];

    for (uint32_t depth = 0; depth < config->degree; depth++) {
        double dice = (double)(random_next(&system->prefetchers.random) >> 11) * 0x1p-53;
        uint64_t line;
        double arrived;
        if (dice >= config->accuracy || !peek(context, value, &line, &value))
            return;
        arrived = sim_memory_prefetch(system, line, config->into - 1, now);
        if (arrived > now)
            now = arrived - system->costs.lead_ns[i];
    }
}

void sim_prefetchers_after_value(struct sim_memory_system *system, uintptr_t value, double done_ns,
                                 sim_peek *peek, void *context)
{
    for (size_t i = 0; i < system->config->prefetch_count; i++)
        if (system->prefetchers.each[i].active && system->config->prefetch[i].kind == SIM_POINTER)
            follow(system, i, value, done_ns, peek, context);
}
