/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/score/figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SAME_LEVEL   1.6 /* further off it is another level */
#define MERGED_BYTES 2.0 /* levels so close may be one answer that names both */
#define MERGED_NS    1.3
#define LOOSE        2.0 /* half a width over so many tolerances is as good as a mark */
#define WRONG        2.0

const char *score_class_name(enum score_class class)
{
    static const char *const names[] = {"right", "between", "wrong", "missing", "invented"};

    return names[class];
}

struct figures {
    struct score_figure *figure;
    size_t count;
    bool noisy;
};

static struct score_figure *add(struct figures *f, const char *kind, const char *name)
{
    struct score_figure *figure = &f->figure[f->count];

    if (f->count + 1 < SCORE_FIGURES_MAX)
        f->count++;
    *figure = (struct score_figure){.kind = kind,
                                    .found = (double)NAN,
                                    .low = (double)NAN,
                                    .high = (double)NAN,
                                    .truth = (double)NAN};
    snprintf(figure->name, sizeof figure->name, "%s", name);
    return figure;
}

static void judge(struct figures *f, const char *kind, const char *name, const double found[3],
                  double truth, double tolerance, doubt_set doubt)
{
    struct score_figure *figure = add(f, kind, name);
    double off = fabs(found[0] / truth - 1);

    figure->found = found[0];
    figure->low = found[1];
    figure->high = found[2];
    figure->truth = truth;
    figure->tolerance = tolerance;
    figure->doubt = doubt;
    figure->class = off <= tolerance           ? SCORE_RIGHT
                    : off <= WRONG * tolerance ? SCORE_BETWEEN
                                               : SCORE_WRONG;
    figure->marked = doubt != 0 || (found[2] - found[1]) / 2 > LOOSE * tolerance * truth;
}

static bool same_place(double a, double b, double factor)
{
    return a < factor * b && b < factor * a;
}

static bool is_kind(const struct score_run *run, size_t j, const char *kind)
{
    return strcmp(run->level_kind[j], kind) == 0;
}

static bool may_be(const struct score_run *run, size_t j, const struct sim_truth_level *truth)
{
    bool memory = is_kind(run, j, "memory");

    if (truth->kind == LEVEL_MEMORY || memory)
        return truth->kind == LEVEL_MEMORY && memory;
    if (!same_place(run->level[j].bytes, truth->bytes, SAME_LEVEL))
        return false;
    if (is_kind(run, j, "merged"))
        return truth->near || truth->kind == LEVEL_CACHE;
    if (is_kind(run, j, "unexplained"))
        return truth->undeclared || truth->kind == LEVEL_UNEXPLAINED;
    return is_kind(run, j, level_kind_name(truth->kind));
}

/* Beside another true level that a merged one stands for. */
static bool is_merged(const struct score_run *run, const struct sim_truth_level *truth,
                      size_t count, size_t i)
{
    for (size_t k = 0; k < count; k++) {
        bool close =
            k != i && truth[k].kind != LEVEL_MEMORY &&
            (same_place(truth[i].bytes, truth[k].bytes, MERGED_BYTES) ||
             (truth[i].kind == truth[k].kind && same_place(truth[i].ns, truth[k].ns, MERGED_NS)));
        for (size_t j = 0; close && j < run->levels; j++)
            if (is_kind(run, j, "merged") &&
                (same_place(run->level[j].bytes, truth[k].bytes, SAME_LEVEL) ||
                 same_place(run->level[j].bytes, truth[i].bytes, SAME_LEVEL)))
                return true;
    }
    return false;
}

/* The core's time at the frequency it has later on, where it began with another. */
static double nearer_ns(const struct sim_config *config, double found, double truth, bool cache)
{
    double later =
        cache && config->turbo_hz > 0 ? truth * config->turbo_hz / config->core_hz : truth;

    return fabs(found - later) < fabs(found - truth) ? later : truth;
}

static void judge_level(struct figures *f, const struct sim_config *config,
                        const struct record_level *l, const char *kind,
                        const struct sim_truth_level *truth)
{
    double ns[3] = {l->ns, l->ns_low, l->ns_high},
           bytes[3] = {l->bytes, l->bytes_low, l->bytes_high};
    bool tlb = truth->kind == LEVEL_TLB, memory = truth->kind == LEVEL_MEMORY;
    double latency = truth->exclusive ? (f->noisy ? 0.03 : 0.02) : (f->noisy ? 0.02 : 0.01);
    double capacity = truth->exclusive ? (f->noisy ? 0.12 : 0.08) : (f->noisy ? 0.05 : 0.03);
    double reach = truth->loaded ? (f->noisy ? 0.30 : 0.25) : (f->noisy ? 0.15 : 0.10);

    if (truth->kind == LEVEL_UNEXPLAINED || (strcmp(kind, "merged") == 0 && truth->near))
        return;
    if (!tlb && !isnan(truth->ns))
        judge(f, memory ? "memory" : "latency", truth->name, ns,
              nearer_ns(config, l->ns, truth->ns, !memory), latency, l->doubt);
    if (!memory)
        judge(f, tlb ? "reach" : "capacity", truth->name, bytes, truth->bytes,
              tlb ? reach : capacity, l->doubt);
}

static void judge_levels(struct figures *f, const struct sim_config *config,
                         const struct score_run *run, double memory_ns)
{
    struct sim_truth_level truth[SIM_TRUTHS_MAX];
    bool explained[LEVELS_MOST] = {false};
    size_t count = sim_truth_levels(config, SIM_PAGE_4K, memory_ns, run->largest_bytes, truth);

    for (size_t i = 0; i < count; i++) {
        size_t j = 0;
        while (j < run->levels &&
               (!may_be(run, j, &truth[i]) || (explained[j] && !is_kind(run, j, "merged"))))
            j++;
        if (j < run->levels) {
            explained[j] = true;
            judge_level(f, config, &run->level[j], run->level_kind[j], &truth[i]);
        } else if (!truth[i].optional && !is_merged(run, truth, count, i)) {
            struct score_figure *figure = add(f, "level", truth[i].name);
            figure->class = SCORE_MISSING;
            figure->truth = truth[i].bytes;
        }
    }
    for (size_t j = 0; j < run->levels; j++) {
        struct score_figure *figure;
        if (explained[j] || is_kind(run, j, "merged") ||
            (is_kind(run, j, "walk") && config->walk.loads))
            continue;
        figure = add(f, "level", run->level_name[j]);
        figure->class = SCORE_INVENTED;
        figure->found = run->level[j].bytes;
        figure->doubt = run->level[j].doubt;
        figure->marked = figure->doubt != 0;
    }
}

size_t score_figures(const struct sim_config *config, const struct score_run *run, bool noisy,
                     struct score_figure figure[SCORE_FIGURES_MAX])
{
    struct figures f = {.figure = figure, .noisy = noisy};
    const struct record_dram *dram = &run->dram;
    /* Another run of the machine than the one that is judged, and a long one. */
    double set = run->has_dram ? 4.0 * (double)dram->bytes : 0;
    double most = (double)config->memory.bytes;
    double memory_ns = sim_truth_memory_ns(config, set > 0 && set < most ? set : most);

    judge_levels(&f, config, run, config->walk.nested != SIM_NOT_NESTED ? (double)NAN : memory_ns);
    if (!run->has_dram) {
        add(&f, "dram", "headline")->class = SCORE_MISSING;
        return f.count;
    }
    judge(&f, "dram", "headline", (double[]){dram->ns, dram->ns_low, dram->ns_high}, memory_ns,
          noisy ? 0.01 : 0.005, dram->doubt);
    if (!isnan(dram->slope_ns))
        judge(&f, "slope", "slope",
              (double[]){dram->slope_ns, dram->slope_low_ns, dram->slope_high_ns}, memory_ns,
              noisy ? 0.02 : 0.01, dram->doubt);
    return f.count;
}
