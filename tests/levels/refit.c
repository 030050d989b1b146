/* SPDX-License-Identifier: BSD-2-Clause */
/* Refits recorded curves and compares the levels with the truth: refit [-v] FILE... prints one line
 * of shares. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/levels/curve_file.h"

enum figure_kind { LATENCY, CAPACITY, REACH, COST, MEMORY, FIGURES };
static const char *const figure_names[FIGURES] = {"latency", "capacity", "reach", "cost", "memory"};

struct tally {
    unsigned judged[FIGURES], right[FIGURES], wrong[FIGURES], marked[FIGURES], loose[FIGURES];
    unsigned unmarked_wrong[FIGURES], bounded[FIGURES], held[FIGURES];
    double widths[FIGURES][20000], pulls[FIGURES][20000];
    unsigned machines, levels_right, all_right, machines_unmarked_wrong, missing, extra, figures,
        figures_marked;
};
static struct tally tally;

/* How the figures that a reason marks turned out; invented levels are one figure each. */
enum fate { FATE_RIGHT, FATE_LOOSE, FATE_BETWEEN, FATE_WRONG, FATE_INVENTED, FATES };
static unsigned fates[DOUBT_REASONS + 1][FATES]; /* the last: no reason, loose */

static void count_fate(doubt_set doubt, enum fate fate)
{
    for (unsigned reason = 0; reason < DOUBT_REASONS; reason++)
        fates[reason][fate] += doubt >> reason & 1;
    fates[DOUBT_REASONS][fate] += doubt == 0;
}
static bool verbose;
static char words[2000];

static void say(const char *what, const char *name, double bytes)
{
    size_t used = strlen(words);

    snprintf(words + used, sizeof words - used, " %s %s@%.0fK", what, name, bytes / 1024);
}

static double tolerance(enum figure_kind figure, const struct curve_file *curve,
                        const struct sim_truth_level *truth)
{
    bool noisy = curve->noisy;

    switch (figure) {
    case LATENCY:
    case MEMORY:
        return truth->exclusive ? (noisy ? 0.03 : 0.02) : (noisy ? 0.02 : 0.01);
    case CAPACITY:
        return truth->exclusive ? (noisy ? 0.12 : 0.08) : (noisy ? 0.05 : 0.03);
    case REACH:
    case COST:
    case FIGURES:
        break;
    }
    return truth->loaded ? (noisy ? 0.30 : 0.25) : (noisy ? 0.15 : 0.10);
}

static bool is_marked(const struct level *level)
{
    return level->doubt != 0;
}

/* How one figure turned out; adds to the machine's counts. */
struct verdict {
    unsigned wrong, not_right, unmarked_wrong;
};

static void judge(enum figure_kind figure, const struct curve_file *curve,
                  const struct level *found, const struct sim_truth_level *truth,
                  struct verdict *verdict)
{
    bool ns = figure == LATENCY || figure == COST || figure == MEMORY;
    double value = ns ? found->ns : found->bytes, true_value = ns ? truth->ns : truth->bytes;
    double low = ns ? found->ns_low : found->bytes_low;
    double high = ns ? found->ns_high : found->bytes_high;
    double max = tolerance(figure, curve, truth), off = fabs(value / true_value - 1);
    bool loose = (high - low) / 2 > 2 * max * value, marked = is_marked(found) || loose;

    if (isnan(true_value) || isnan(value))
        return;
    count_fate(found->doubt, off > 2 * max ? FATE_WRONG
                             : off > max   ? FATE_BETWEEN
                             : loose       ? FATE_LOOSE
                                           : FATE_RIGHT);
    tally.figures++;
    tally.figures_marked += marked;
    tally.judged[figure]++;
    tally.right[figure] += off <= max;
    tally.wrong[figure] += off > 2 * max;
    tally.marked[figure] += marked;
    tally.loose[figure] += loose;
    tally.unmarked_wrong[figure] += off > 2 * max && !marked;
    verdict->wrong += off > 2 * max;
    verdict->not_right += off > max;
    verdict->unmarked_wrong += off > 2 * max && !marked;
    if (off > max) {
        size_t used = strlen(words);
        snprintf(words + used, sizeof words - used, " %s%s %s %.1f%%(%.1f..%.1f)%s",
                 off > 2 * max ? "!" : "", figure_names[figure], truth->name,
                 100 * (value / true_value - 1), 100 * (low / true_value - 1),
                 100 * (high / true_value - 1), marked ? "m" : "");
    }
    if (isnan(low) || isnan(high))
        return;
    tally.widths[figure][tally.bounded[figure]] = (high - low) / 2 / value / max;
    tally.pulls[figure][tally.bounded[figure]] =
        fabs(value - true_value) / (value > true_value ? value - low : high - value);
    tally.bounded[figure]++;
    tally.held[figure] += low <= true_value && true_value <= high;
}

static bool within(double a, double b, double factor)
{
    return a <= factor * b && b <= factor * a;
}

/* Two caches that one merged level may stand for. */
static bool are_close(const struct sim_truth_level *a, const struct sim_truth_level *b)
{
    return a->kind == LEVEL_CACHE && b->kind == LEVEL_CACHE &&
           (within(a->bytes, b->bytes, 2) || within(a->ns, b->ns, 1.3));
}

static bool may_be(const struct level *found, const struct curve_file *curve, size_t i)
{
    const struct sim_truth_level *truth = &curve->truth[i];

    if (truth->kind == LEVEL_MEMORY || found->kind == LEVEL_MEMORY)
        return truth->kind == found->kind;
    if (levels_is_merged(found)) {
        bool near = within(found->bytes, truth->bytes, 2.2);
        if (truth->near && near)
            return true;
        for (size_t k = 0; k < curve->truths && near; k++)
            if (k != i && are_close(&curve->truth[k], truth))
                return true;
        return false;
    }
    if (!within(found->bytes, truth->bytes, 1.6))
        return false;
    if (truth->kind == LEVEL_CACHE && found->kind == LEVEL_UNEXPLAINED)
        return truth->undeclared || is_marked(found);
    return found->kind == truth->kind;
}

static void judge_level(const struct curve_file *curve, const struct level *found,
                        const struct sim_truth_level *truth, struct verdict *verdict)
{
    bool cache = found->kind == LEVEL_CACHE || found->kind == LEVEL_UNEXPLAINED;

    if (truth->kind == LEVEL_UNEXPLAINED)
        return;
    if (found->kind == LEVEL_MEMORY)
        judge(MEMORY, curve, found, truth, verdict);
    else if (cache && truth->kind == LEVEL_CACHE) {
        judge(LATENCY, curve, found, truth, verdict);
        judge(CAPACITY, curve, found, truth, verdict);
    } else if (found->kind == LEVEL_TLB) {
        judge(REACH, curve, found, truth, verdict);
        judge(COST, curve, found, truth, verdict);
    }
}

static void score(const struct curve_file *curve, const struct level *found, size_t count)
{
    struct verdict verdict = {0};
    bool explained[LEVELS_MAX] = {false};
    unsigned missing = 0, extra = 0;

    words[0] = '\0';
    for (size_t i = 0; i < curve->truths; i++) {
        const struct sim_truth_level *truth = &curve->truth[i];
        size_t best = count;
        for (size_t j = 0; j < count; j++)
            if (may_be(&found[j], curve, i) && (!explained[j] || levels_is_merged(&found[j])) &&
                (best == count || fabs(log(found[j].bytes / truth->bytes)) <
                                      fabs(log(found[best].bytes / truth->bytes))))
                best = j;
        if (best < count) {
            explained[best] = true;
            judge_level(curve, &found[best], truth, &verdict);
        } else if (!truth->optional) {
            missing++;
            say("missing", truth->name, truth->bytes);
        }
    }
    for (size_t j = 0; j < count; j++) {
        if (explained[j] || (found[j].kind == LEVEL_WALK && curve->walks_load))
            continue;
        extra++;
        say(is_marked(&found[j]) ? "(extra)" : "extra", found[j].name, found[j].bytes);
        verdict.unmarked_wrong += !is_marked(&found[j]);
        count_fate(found[j].doubt, FATE_INVENTED);
        tally.figures++;
        tally.figures_marked += is_marked(&found[j]);
    }
    /* A missing level is counted, if anywhere, under one whose doubt says so. */
    for (unsigned k = 0; k < missing; k++)
        verdict.unmarked_wrong++;
    tally.machines++;
    tally.missing += missing;
    tally.extra += extra;
    tally.levels_right += missing + extra == 0;
    tally.all_right += missing + extra == 0 && verdict.not_right == 0;
    tally.machines_unmarked_wrong += verdict.unmarked_wrong != 0;
    if (verbose && words[0] != '\0')
        printf("%s%s:%s\n", curve->machine, curve->noisy ? "-noisy" : "", words);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double share(unsigned part, unsigned all)
{
    return all != 0 ? 100.0 * part / all : 100;
}

static void print_tally(void)
{
    printf("machines %u: all right %.1f %%, levels all and no other %.1f %% (missing %u, extra "
           "%u), unmarked wrong in %.1f %%, figures marked %.1f %%\n",
           tally.machines, share(tally.all_right, tally.machines),
           share(tally.levels_right, tally.machines), tally.missing, tally.extra,
           share(tally.machines_unmarked_wrong, tally.machines),
           share(tally.figures_marked, tally.figures));
    for (int k = 0; k < FIGURES; k++) {
        unsigned n = tally.bounded[k];
        qsort(tally.widths[k], n, sizeof(double), compare_doubles);
        qsort(tally.pulls[k], n, sizeof(double), compare_doubles);
        printf(
            "  %-8s %5u: right %5.1f %% wrong %4.1f %% unmarked wrong %u, marked %4.1f %% (loose "
            "%4.1f %%), bounds hold %5.1f %% (with factors: 93 %% %.2f, 95 %% %.2f), half-widths "
            "in "
            "tolerances: median %.2f, 90 %% %.2f\n",
            figure_names[k], tally.judged[k], share(tally.right[k], tally.judged[k]),
            share(tally.wrong[k], tally.judged[k]), tally.unmarked_wrong[k],
            share(tally.marked[k], tally.judged[k]), share(tally.loose[k], tally.judged[k]),
            share(tally.held[k], n), n ? tally.pulls[k][n * 93 / 100] : 0,
            n ? tally.pulls[k][n * 95 / 100] : 0, n ? tally.widths[k][n / 2] : 0,
            n ? tally.widths[k][n * 9 / 10] : 0);
    }
}

static void print_fates(void)
{
    printf("  figures by doubt: right, loose, between, wrong, invented\n");
    for (unsigned reason = 0; reason <= DOUBT_REASONS; reason++) {
        const unsigned *fate = fates[reason];
        printf("  %-16s %5u %4u %4u %4u %4u\n",
               reason < DOUBT_REASONS ? doubt_name((enum doubt_reason)reason) : "none",
               fate[FATE_RIGHT], fate[FATE_LOOSE], fate[FATE_BETWEEN], fate[FATE_WRONG],
               fate[FATE_INVENTED]);
    }
}

static void show(const struct curve_file *curve, const struct level *found, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("  found %-11s %-16s %10.1fK [%.1f %.1f] %8.3f ns [%.3f %.3f] %x\n",
               level_kind_name(found[i].kind), found[i].name, found[i].bytes / 1024,
               found[i].bytes_low / 1024, found[i].bytes_high / 1024, found[i].ns, found[i].ns_low,
               found[i].ns_high, (unsigned)found[i].doubt);
    for (size_t i = 0; i < curve->truths; i++)
        printf("  truth %-11s %-16s %10.1fK %8.3f ns%s%s%s\n",
               level_kind_name(curve->truth[i].kind), curve->truth[i].name,
               curve->truth[i].bytes / 1024, curve->truth[i].ns,
               curve->truth[i].near ? " near" : "", curve->truth[i].optional ? " optional" : "",
               curve->truth[i].exclusive ? " exclusive" : "");
}

int main(int argc, char **argv)
{
    void *workspace = malloc(levels_workspace_bytes());
    static struct curve_file curve;
    static struct level found[LEVELS_MAX];
    bool shows = false;

    for (int i = 1; i < argc; i++) {
        FILE *file;
        size_t count;
        if (strcmp(argv[i], "-v") == 0 || strcmp(argv[i], "-V") == 0) {
            verbose = true;
            shows |= argv[i][1] == 'V';
            continue;
        }
        file = fopen(argv[i], "r");
        if (!file || !curve_file_read(&curve, file)) {
            fprintf(stderr, "refit: %s: no whole curve\n", argv[i]);
            return 1;
        }
        fclose(file);
        count = levels_find(&curve.request, workspace, found, LEVELS_MAX);
        if (shows)
            show(&curve, found, count);
        score(&curve, found, count);
    }
    print_tally();
    print_fates();
    free(workspace);
    return 0;
}
