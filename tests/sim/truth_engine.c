/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/truth_engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/shared/words.h"

#define POINTS_MAX 512

/* What a run said, each point with the ledger of its samples. */
struct listener {
    struct simulator sim;
    struct record_point point[POINTS_MAX];
    struct sim_ledger ledger[POINTS_MAX];
    size_t points;
    struct level level[LEVELS_MAX];
    size_t levels;
    struct record_dram dram;
    bool has_dram, ended_ok, followed, undeclared;
    doubt_set verdict_doubt;
    char verdict[16];
};

static void keep_level(struct listener *l, const struct record_level *record)
{
    struct level *level = &l->level[l->levels];

    if (l->levels == LEVELS_MAX)
        return;
    *level = (struct level){.bytes = record->bytes,
                            .doubt = record->doubt,
                            .bytes_low = record->bytes_low,
                            .bytes_high = record->bytes_high,
                            .ns = record->ns,
                            .ns_low = record->ns_low,
                            .ns_high = record->ns_high};
    snprintf(level->name, sizeof level->name, "%s", record->name);
    while (strcmp(level_kind_name(level->kind), record->kind) != 0)
        level->kind++;
    l->levels++;
}

static void listen(void *context, const struct record *record)
{
    struct listener *l = context;

    switch (record->kind) {
    case RECORD_POINT:
        if (l->points < POINTS_MAX &&
            sim_truth_samples(&l->sim, record->u.point.hops, record->u.point.samples,
                              &l->ledger[l->points]))
            l->point[l->points++] = record->u.point;
        break;
    case RECORD_LEVEL:
        keep_level(l, &record->u.level);
        break;
    case RECORD_DRAM:
        l->dram = record->u.dram;
        l->has_dram = true;
        break;
    case RECORD_PREFETCH:
        if (record->u.prefetch.verdict)
            snprintf(l->verdict, sizeof l->verdict, "%s", record->u.prefetch.verdict);
        l->verdict_doubt |= record->u.prefetch.doubt;
        break;
    case RECORD_NOTE:
        l->undeclared |= strstr(record->u.note.what, "undeclared cache detected") != NULL;
        l->followed |= strstr(record->u.note.what, "something follows pointers") != NULL;
        break;
    case RECORD_END:
        l->ended_ok = strcmp(record->u.end.status, "ok") == 0;
        break;
    default:
        break;
    }
}

static const struct sim_ledger *ledger_of(const struct listener *l, uint64_t bytes,
                                          uint64_t pages_bytes, const char *pattern)
{
    for (size_t i = 0; i < l->points; i++)
        if (l->point[i].bytes == bytes && l->point[i].pages_bytes == pages_bytes &&
            strcmp(l->point[i].pattern, pattern) == 0)
            return &l->ledger[i];
    return NULL;
}

static void hold(struct sim_engine_outcome *o, double low, double high, double truth)
{
    if (isnan(low) || isnan(high) || isnan(truth))
        return;
    o->intervals++;
    o->intervals_hold += low <= truth && truth <= high;
}

static void compare_levels(const struct listener *l, struct sim_engine_outcome *o)
{
    if (!l->ended_ok || l->levels == 0)
        return;
    memcpy(o->level, l->level, sizeof o->level);
    o->levels = l->levels;
    for (size_t i = 0; i < l->points; i++)
        if (sim_truth_curve_bytes(&l->point[i]) > o->largest_bytes)
            o->largest_bytes = sim_truth_curve_bytes(&l->point[i]);
}

static void compare_dram(const struct listener *l, const struct sim_config *config,
                         struct sim_engine_outcome *o)
{
    const struct record_dram *dram = &l->dram;
    const struct sim_ledger *large = ledger_of(l, dram->bytes, dram->pages_bytes, dram->pattern);
    const struct sim_ledger *small = ledger_of(l, dram->bytes, 4096, "iid");
    const struct sim_ledger *drawn = ledger_of(l, dram->bytes, dram->pages_bytes, "iid");

    if (!l->has_dram || !l->ended_ok || !large)
        return;
    o->ran = true;
    o->ns = dram->ns;
    o->doubt = dram->doubt;
    o->bytes = (double)dram->bytes;
    o->truth_ns = sim_ledger_memory_ns(large);
    o->slope_ns = dram->slope_ns;
    o->translation_ns = dram->translation_ns;
    o->tlb_cost_ns = dram->tlb_cost_ns;
    o->tlb_cost_truth_ns = o->small_pages_ns = (double)NAN;
    hold(o, dram->ns_low, dram->ns_high, o->truth_ns);
    if (!isnan(dram->slope_ns)) {
        o->slope_truth_ns = sim_truth_memory_ns(config, 4.0 * (double)dram->bytes);
        hold(o, dram->slope_low_ns, dram->slope_high_ns, o->slope_truth_ns);
    }
    if (small && drawn && dram->pages_bytes != 4096) {
        o->small_pages_ns = sim_ledger_hop_ns(small);
        o->tlb_cost_truth_ns = o->small_pages_ns - sim_ledger_hop_ns(drawn);
        hold(o, dram->tlb_cost_low_ns, dram->tlb_cost_high_ns, o->tlb_cost_truth_ns);
    }
}

void sim_engine_try(const struct sim_config *config, const char *words,
                    struct sim_engine_outcome *outcome)
{
    struct listener *l = calloc(1, sizeof *l);
    struct option_error error;

    outcome->prefetches = sim_truth_prefetches(config, true);
    simulator_start(&l->sim, config, false);
    (void)words_run(&l->sim.machine, words, listen, l, &error);
    if (error.text[0] != '\0')
        abort();
    compare_levels(l, outcome);
    compare_dram(l, config, outcome);
    if (l->verdict[0] != '\0')
        memcpy(outcome->verdict, l->verdict, sizeof outcome->verdict);
    outcome->followed |= l->followed;
    outcome->verdict_doubt |= l->verdict_doubt;
    outcome->undeclared |= l->undeclared;
    outcome->loads += l->sim.loads;
    simulator_stop(&l->sim);
    free(l);
}
