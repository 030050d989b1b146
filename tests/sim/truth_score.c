/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/truth_score.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SAME_LEVEL 1.6 /* further apart it is another level */

static bool same_place(double a, double b)
{
    return a < SAME_LEVEL * b && b < SAME_LEVEL * a;
}

static bool may_be(const struct level *found, const struct sim_truth_level *truth)
{
    if (truth->kind == LEVEL_MEMORY || found->kind == LEVEL_MEMORY)
        return truth->kind == found->kind;
    if (!same_place(found->bytes, truth->bytes))
        return false;
    if (truth->near && levels_is_merged(found))
        return true;
    if (truth->undeclared && found->kind == LEVEL_UNEXPLAINED)
        return true;
    return found->kind == truth->kind;
}

static void raise_to(double *largest, double value)
{
    if (value > *largest)
        *largest = value;
}

static void judge_interval(struct sim_score *score, double low, double high, double truth)
{
    if (isnan(low) || isnan(high) || isnan(truth))
        return;
    score->intervals++;
    score->intervals_hold += low <= truth && truth <= high;
}

static void judge(struct sim_score *score, const struct level *found,
                  const struct sim_truth_level *truth)
{
    double bytes_off = fabs(found->bytes / truth->bytes - 1);
    double ns_off = fabs(found->ns / truth->ns - 1);

    bool cache = found->kind == LEVEL_CACHE || found->kind == LEVEL_UNEXPLAINED;

    if (truth->kind == LEVEL_UNEXPLAINED)
        return;
    if (cache) {
        raise_to(truth->exclusive ? &score->latency_exclusive : &score->latency, ns_off);
        raise_to(truth->exclusive ? &score->capacity_exclusive : &score->capacity, bytes_off);
    }
    if (found->kind == LEVEL_TLB)
        raise_to(truth->loaded ? &score->reach_loaded : &score->reach, bytes_off);
    if (!cache && found->kind != LEVEL_TLB)
        return;
    judge_interval(score, found->bytes_low, found->bytes_high, truth->bytes);
    judge_interval(score, found->ns_low, found->ns_high, truth->ns);
}

static void note(struct sim_score *score, const char *what, const char *name, double bytes)
{
    size_t used = strlen(score->words);

    snprintf(score->words + used, sizeof score->words - used, "%s%s %s at %.0fK",
             used == 0 ? "" : ", ", what, name, bytes / 1024);
}

void sim_score_levels(const struct level *found, size_t found_count,
                      const struct sim_truth_level *truth, size_t truth_count, bool walks_load,
                      struct sim_score *score)
{
    bool explained[LEVELS_MAX] = {false};

    *score = (struct sim_score){.missing = 0};
    for (size_t i = 0; i < truth_count; i++) {
        size_t j = 0;
        while (j < found_count &&
               (!may_be(&found[j], &truth[i]) || (explained[j] && !levels_is_merged(&found[j]))))
            j++;
        if (j < found_count) {
            explained[j] = true;
            judge(score, &found[j], &truth[i]);
        } else if (!truth[i].optional) {
            score->missing++;
            note(score, "missing", truth[i].name, truth[i].bytes);
        }
    }
    for (size_t j = 0; j < found_count; j++) {
        if (explained[j] || (found[j].kind == LEVEL_WALK && walks_load))
            continue;
        score->extra++;
        note(score, "extra", found[j].name, found[j].bytes);
    }
}
