/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/score/figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SAME_LEVEL   1.6 /* further apart it is another level */
#define MERGED_BYTES 2.0 /* levels this close may be one that names both */
#define MERGED_NS    1.3
#define LOOSE        2.0 /* half a width beyond this many tolerances counts as a mark */
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

/* Two levels that may be found as one. */
static bool are_close(const struct sim_truth_level *a, const struct sim_truth_level *b)
{
    bool caches = a->kind == LEVEL_CACHE && b->kind == LEVEL_CACHE;

    return a->kind != LEVEL_MEMORY && b->kind != LEVEL_MEMORY &&
           (same_place(a->bytes, b->bytes, MERGED_BYTES) ||
            (caches && same_place(a->ns, b->ns, MERGED_NS)));
}

/* It is where one of two close levels is, and names both. */
static bool is_merged(const struct score_run *run, size_t j, const struct sim_truth_level *truth,
                      size_t count, size_t i)
{
    if (strstr(run->level_name[j], " + ") == NULL)
        return false;
    for (size_t k = 0; k < count; k++)
        if (k != i && are_close(&truth[i], &truth[k]) &&
            (same_place(run->level[j].bytes, truth[k].bytes, SAME_LEVEL) ||
             same_place(run->level[j].bytes, truth[i].bytes, SAME_LEVEL)))
            return true;
    return false;
}

static bool may_be(const struct score_run *run, size_t j, const struct sim_truth_level *truth,
                   size_t count, size_t i)
{
    bool memory = is_kind(run, j, "memory");

    if (truth[i].kind == LEVEL_MEMORY || memory)
        return truth[i].kind == LEVEL_MEMORY && memory;
    if (is_kind(run, j, "merged"))
        return is_merged(run, j, truth, count, i);
    if (!same_place(run->level[j].bytes, truth[i].bytes, SAME_LEVEL))
        return false;
    if (is_kind(run, j, "unexplained"))
        return truth[i].undeclared || truth[i].kind == LEVEL_UNEXPLAINED;
    return is_kind(run, j, level_kind_name(truth[i].kind));
}

/* The cycles' time at the core's later frequency, where it began with another and that is nearer.
 */
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

    if (truth->kind == LEVEL_UNEXPLAINED)
        return;
    if (strcmp(kind, "merged") == 0) {
        /* Right as it is: neither of the two has figures of its own. */
        struct score_figure *figure = add(f, "level", truth->name);
        figure->class = SCORE_RIGHT;
        figure->doubt = l->doubt;
        figure->marked = l->doubt != 0;
        return;
    }
    if (!tlb && !isnan(truth->ns))
        judge(f, memory ? "memory" : "latency", truth->name, ns,
              nearer_ns(config, l->ns, truth->ns, !memory), latency, l->doubt);
    if (!memory)
        judge(f, tlb ? "reach" : "capacity", truth->name, bytes, truth->bytes,
              tlb ? reach : capacity, l->doubt);
}

static void miss(struct figures *f, const struct sim_truth_level *truth)
{
    struct score_figure *figure = add(f, "level", truth->name);

    figure->class = SCORE_MISSING;
    figure->truth = truth->bytes;
}

static void invent(struct figures *f, const struct score_run *run, size_t j)
{
    struct score_figure *figure = add(f, "level", run->level_name[j]);

    figure->class = SCORE_INVENTED;
    figure->found = run->level[j].bytes;
    figure->doubt = run->level[j].doubt;
    figure->marked = figure->doubt != 0;
}

/* What was found of truth i: a level of its own is preferred to one of several names. run->levels:
 * nothing. */
static size_t found_of(const struct score_run *run, const struct sim_truth_level *truth,
                       size_t count, size_t i, const bool *explained)
{
    size_t merged = run->levels;

    for (size_t j = 0; j < run->levels; j++) {
        if (!may_be(run, j, truth, count, i))
            continue;
        if (!is_kind(run, j, "merged") && !explained[j])
            return j;
        if (is_kind(run, j, "merged") && merged == run->levels)
            merged = j;
    }
    return merged;
}

static void judge_levels(struct figures *f, const struct sim_config *config,
                         const struct score_run *run, double memory_ns)
{
    struct sim_truth_level truth[SIM_TRUTHS_MAX];
    bool explained[LEVELS_MAX] = {false};
    size_t count = sim_truth_levels(config, SIM_PAGE_4K, memory_ns, run->largest_bytes, truth);

    for (size_t i = 0; i < count; i++) {
        size_t j = found_of(run, truth, count, i, explained);
        if (j < run->levels) {
            explained[j] = true;
            judge_level(f, config, &run->level[j], run->level_kind[j], &truth[i]);
        } else if (!truth[i].optional) {
            miss(f, &truth[i]);
        }
    }
    for (size_t j = 0; j < run->levels; j++)
        if (!explained[j] && !(is_kind(run, j, "walk") && config->walk.loads))
            invent(f, run, j);
}

/* What the headline claims: memory alone or, where it says that translation is in it, a hop of that
 * very set. From another and longer run of the machine than the one that is judged. */
static double headline_truth_ns(const struct sim_config *config, const struct record_dram *dram,
                                double memory_ns)
{
    enum sim_page page = sim_page_of((unsigned)__builtin_ctzll(dram->pages_bytes));
    struct sim_config later = *config;
    double first_ns, later_ns;

    if (!(dram->doubt & doubt_of(DOUBT_TRANSLATION)))
        return memory_ns;
    /* Walks take the core's cycles, and it may have another frequency later on. */
    later.turbo_hz = 0;
    later_ns = sim_truth_translated_ns(&later, page, (double)dram->bytes);
    if (config->turbo_hz == 0)
        return later_ns;
    first_ns = sim_truth_translated_ns(config, page, (double)dram->bytes);
    return fabs(dram->ns - first_ns) < fabs(dram->ns - later_ns) ? first_ns : later_ns;
}

static void judge_dram(struct figures *f, const struct sim_config *config,
                       const struct record_dram *dram, double memory_ns)
{
    judge(f, "dram", "headline", (double[]){dram->ns, dram->ns_low, dram->ns_high},
          headline_truth_ns(config, dram, memory_ns), f->noisy ? 0.01 : 0.005, dram->doubt);
    if (!isnan(dram->slope_ns))
        judge(f, "slope", "slope",
              (double[]){dram->slope_ns, dram->slope_low_ns, dram->slope_high_ns}, memory_ns,
              f->noisy ? 0.02 : 0.01, dram->doubt);
}

size_t score_figures(const struct sim_config *config, const struct score_run *run, bool noisy,
                     struct score_figure figure[SCORE_FIGURES_MAX])
{
    struct figures f = {.figure = figure, .noisy = noisy};
    double set = run->has_dram ? 4.0 * (double)run->dram.bytes : 0;
    double max = (double)config->memory.bytes;
    double memory_ns = sim_truth_memory_ns(config, set > 0 && set < max ? set : max);

    if (run->largest_bytes > 0)
        judge_levels(&f, config, run,
                     config->walk.nested != SIM_NOT_NESTED ? (double)NAN : memory_ns);
    if (run->has_dram)
        judge_dram(&f, config, &run->dram, memory_ns);
    else
        add(&f, "dram", "headline")->class = SCORE_MISSING;
    return f.count;
}
