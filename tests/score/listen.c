/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/score/listen.h"

#include <stdio.h>
#include <string.h>

static void keep_level(struct score_run *run, const struct record_level *level)
{
    size_t i = run->levels;

    if (i == LEVELS_MAX)
        return;
    run->levels++;
    run->level[i] = *level;
    snprintf(run->level_name[i], sizeof run->level_name[i], "%s", level->name);
    snprintf(run->level_kind[i], sizeof run->level_kind[i], "%s", level->kind);
}

void score_listen(void *context, const struct record *record)
{
    struct score_run *run = context;
    const struct record_point *point = &record->u.point;

    switch (record->kind) {
    case RECORD_POINT:
        if (sim_truth_curve_bytes(point) > run->largest_bytes)
            run->largest_bytes = sim_truth_curve_bytes(point);
        break;
    case RECORD_LEVEL:
        keep_level(run, &record->u.level);
        break;
    case RECORD_DRAM:
        run->dram = record->u.dram;
        run->has_dram = true;
        break;
    case RECORD_PREFETCH:
        if (!record->u.prefetch.verdict)
            break;
        snprintf(run->verdict, sizeof run->verdict, "%s", record->u.prefetch.verdict);
        run->verdict_doubt = record->u.prefetch.doubt;
        break;
    case RECORD_END:
        snprintf(run->end, sizeof run->end, "%s", record->u.end.status);
        run->seconds = record->u.end.seconds;
        break;
    default:
        break;
    }
}

const char *score_verdict(const struct score_run *run, const struct sim_config *config)
{
    const char *truth = sim_truth_prefetches(config, true) ? "on" : "off";

    if (strcmp(run->verdict, truth) == 0)
        return "right";
    return strcmp(run->verdict, "on") == 0 || strcmp(run->verdict, "off") == 0 ? "wrong"
                                                                               : "undecided";
}
