/* SPDX-License-Identifier: BSD-2-Clause */
/* The analysis against the truth of simulated machines: the machine files, and machines drawn from
 * seeds, each without and with noise. BARECHASE_MACHINES=400 draws so many (40 otherwise),
 * BARECHASE_SEED=7 starts there, BARECHASE_SHOW=1 prints every machine. */
#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/sim/generator.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/truth_curve.h"
#include "tests/sim/truth_engine.h"
#include "tests/sim/truth_score.h"

#define WORKERS      2
#define MACHINES_MAX 2000
#define DRAWN        40
#define CURVE_BEYOND 16 /* times the last level */
#define REACH_BEYOND 4  /* times the last TLB level */
#define JITTER       0.02
#define SPIKE_EVERY  200
#define SPIKE_FACTOR 3

/* What became of one machine; [1] with noise. */
struct outcome {
    bool done;
    char name[SIM_NAME_MAX];
    unsigned rejected;
    struct sim_score score[2];
    struct sim_dram_outcome dram;
};

static struct outcome *outcomes; /* shared with the workers */
static glob_t files;
static size_t drawn;
static uint64_t first_seed;

static size_t find_levels(const struct simulator *sim, const struct level_point *points,
                          size_t count, struct level *levels)
{
    struct levels_request request = {.points = points,
                                     .count = count,
                                     .caches = sim->description.caches,
                                     .cache_count = sim->description.cache_count,
                                     .tlbs = sim->description.tlbs,
                                     .tlb_count = sim->description.tlb_count,
                                     .line_bytes = sim->description.line_bytes};
    void *workspace = aligned_alloc(64, (levels_workspace_bytes() + 63) / 64 * 64);
    size_t found = levels_find(&request, workspace, levels, LEVELS_MOST);

    free(workspace);
    return found;
}

static double curve_end_bytes(const struct sim_config *config)
{
    double bytes = CURVE_BEYOND * (double)sim_truth_nominal_bytes(config, config->cache_count - 1);

    for (size_t i = 0; i < config->tlb_count; i++) {
        struct sim_truth_tlb tlb;
        if (sim_truth_tlb(config, i, SIM_PAGE_4K, &tlb) && REACH_BEYOND * tlb.reach_bytes > bytes)
            bytes = REACH_BEYOND * tlb.reach_bytes;
    }
    return bytes;
}

static void print_levels(const char *name, const struct level *found, size_t count,
                         const struct sim_truth_level *truth, size_t truths)
{
    for (size_t i = 0; i < count; i++)
        printf("  %s found %s '%s' %.1fK [%.1f %.1f] %.3f ns [%.3f %.3f]\n", name,
               level_kind_name(found[i].kind), found[i].name, found[i].bytes / 1024,
               found[i].bytes_low / 1024, found[i].bytes_high / 1024, found[i].ns, found[i].ns_low,
               found[i].ns_high);
    for (size_t i = 0; i < truths; i++)
        printf("  %s truth %s '%s' %.1fK %.3f ns%s%s\n", name, level_kind_name(truth[i].kind),
               truth[i].name, truth[i].bytes / 1024, truth[i].ns, truth[i].near ? ", near" : "",
               truth[i].optional ? ", optional" : "");
    fflush(stdout);
}

static void try_levels(const struct sim_config *config, struct outcome *outcome)
{
    static struct level_point points[2][LEVELS_POINTS_MAX];
    static struct simulator sim;
    struct sim_config disturbed = {
        .seed = config->seed,
        .noise = {.jitter = JITTER, .spike_every = SPIKE_EVERY, .spike_factor = SPIKE_FACTOR}};
    double largest = curve_end_bytes(config);
    struct sim_curve curve = {.smallest_bytes = 4096,
                              .largest_bytes = (uint64_t)largest,
                              .per_octave = 4,
                              .samples = 32,
                              .hops = 4000};
    struct sim_truth_level truth[SIM_TRUTHS_MAX];
    size_t truths = sim_truth_levels(config, SIM_PAGE_4K, (double)NAN, largest, truth);
    struct sim_noise noise;
    size_t count;

    sim_noise_start(&noise, &disturbed);
    simulator_start(&sim, config, false);
    count = sim_curve_measure(&sim, &curve, &noise, points[0], points[1]);
    for (unsigned noisy = 0; noisy < 2; noisy++) {
        struct level found[LEVELS_MOST];
        size_t levels = find_levels(&sim, points[noisy], count, found);
        sim_score_levels(found, levels, truth, truths, config->walk.loads, &outcome->score[noisy]);
        if (getenv("BARECHASE_SHOW"))
            print_levels(config->name, found, levels, truth, truths);
    }
    simulator_stop(&sim);
}

static void try_machine(size_t i)
{
    struct outcome *outcome = &outcomes[i];
    struct sim_file_error error;
    struct sim_config config;

    if (i >= files.gl_pathc)
        outcome->rejected = sim_generate(&config, first_seed + i - files.gl_pathc);
    else if (!sim_machine_load(&config, files.gl_pathv[i], &error))
        exit(1);
    snprintf(outcome->name, sizeof outcome->name, "%s", config.name);
    config.fault_count = 0;
    try_levels(&config, outcome);
    sim_dram_compare(&config, "tests=dram", &outcome->dram);
    outcome->done = true;
}

static void print_machine(const struct outcome *o)
{
    for (unsigned noisy = 0; noisy < 2; noisy++) {
        const struct sim_score *s = &o->score[noisy];
        printf("  %-22s %s %s latency %.2f/%.2f%% capacity %.2f/%.2f%% reach %.1f/%.1f%% "
               "intervals %u/%u %s\n",
               o->name, noisy ? "noisy" : "quiet", s->missing + s->extra == 0 ? "right" : "WRONG",
               100 * s->latency, 100 * s->latency_exclusive, 100 * s->capacity,
               100 * s->capacity_exclusive, 100 * s->reach, 100 * s->reach_loaded,
               s->intervals_hold, s->intervals, s->words);
    }
    printf("  %-22s dram %.2f (%.2f) slope %.2f (%.2f) TLB %.2f (%.2f) verdict %s (%s)\n", o->name,
           o->dram.ns, o->dram.truth_ns, o->dram.slope_ns, o->dram.slope_truth_ns,
           o->dram.tlb_cost_ns, o->dram.tlb_cost_truth_ns, o->dram.verdict,
           o->dram.prefetches ? "on" : "off");
}

static int run_all(void **state)
{
    const char *machines = getenv("BARECHASE_MACHINES"), *seed = getenv("BARECHASE_SEED");
    size_t count;

    (void)state;
    drawn = machines ? (size_t)atol(machines) : DRAWN;
    first_seed = seed ? (uint64_t)atoll(seed) : 1;
    if (glob("tests/sim/machines/*.machine", 0, NULL, &files) != 0)
        return -1;
    count = files.gl_pathc + drawn;
    if (count > MACHINES_MAX)
        return -1;
    outcomes = mmap(NULL, count * sizeof *outcomes, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (outcomes == MAP_FAILED)
        return -1;
    fflush(stdout);
    for (size_t worker = 0; worker < WORKERS; worker++) {
        if (fork() != 0)
            continue;
        for (size_t i = worker; i < count; i += WORKERS)
            try_machine(i);
        fflush(stdout);
        _exit(0);
    }
    for (size_t worker = 0; worker < WORKERS; worker++)
        wait(NULL);
    for (size_t i = 0; i < count; i++)
        if (outcomes[i].done && (i < files.gl_pathc || getenv("BARECHASE_SHOW")))
            print_machine(&outcomes[i]);
    return 0;
}

/* ---- figures, each a number per machine that should stay below 1 */

typedef double figure(const struct outcome *o, unsigned noisy);

static double levels_wrong(const struct outcome *o, unsigned noisy)
{
    return o->score[noisy].missing + o->score[noisy].extra;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double latency_off(const struct outcome *o, unsigned noisy)
{
    const struct sim_score *s = &o->score[noisy];

    return larger(s->latency / (noisy ? 0.02 : 0.01), s->latency_exclusive / (noisy ? 0.03 : 0.02));
}

static double capacity_off(const struct outcome *o, unsigned noisy)
{
    const struct sim_score *s = &o->score[noisy];

    return larger(s->capacity / (noisy ? 0.05 : 0.03),
                  s->capacity_exclusive / (noisy ? 0.12 : 0.08));
}

static double reach_off(const struct outcome *o, unsigned noisy)
{
    const struct sim_score *s = &o->score[noisy];

    return larger(s->reach / (noisy ? 0.15 : 0.10), s->reach_loaded / (noisy ? 0.30 : 0.25));
}

static double dram_off(const struct outcome *o, unsigned noisy)
{
    (void)noisy;
    return o->dram.ran ? fabs(o->dram.ns / o->dram.truth_ns - 1) / 0.005 : 1e9;
}

static double slope_off(const struct outcome *o, unsigned noisy)
{
    (void)noisy;
    return isnan(o->dram.slope_ns) ? 0 : fabs(o->dram.slope_ns / o->dram.slope_truth_ns - 1) / 0.01;
}

static double tlb_cost_off(const struct outcome *o, unsigned noisy)
{
    const struct sim_dram_outcome *d = &o->dram;

    (void)noisy;
    if (isnan(d->tlb_cost_truth_ns) || isnan(d->tlb_cost_ns))
        return 0;
    return fabs(d->tlb_cost_ns - d->tlb_cost_truth_ns) /
           larger(0.03 * fabs(d->tlb_cost_truth_ns), 0.005 * d->small_pages_ns);
}

static double verdict_wrong(const struct outcome *o, unsigned noisy)
{
    (void)noisy;
    return strcmp(o->dram.verdict, o->dram.prefetches ? "on" : "off") != 0;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Prints how a figure is distributed over the drawn machines, and the worst of them; answers which
 * share of the machines from `first` to `end` keeps it at most 1. */
static double share_of(const char *name, figure *of, unsigned noisy, size_t first, size_t end)
{
    static double sorted[MACHINES_MAX];
    size_t count = end - first, good = 0, worst = first;

    for (size_t i = first; i < end; i++) {
        double value = outcomes[i].done ? of(&outcomes[i], noisy) : 1e9;
        sorted[i - first] = value;
        good +=
            value <= 1 && (of != levels_wrong || value == 0) && (of != verdict_wrong || value == 0);
        if (value > of(&outcomes[worst], noisy))
            worst = i;
    }
    qsort(sorted, count, sizeof *sorted, compare_doubles);
    printf("%-8s %-5s %3.0f %% of %zu within; in units of the tolerance: median %.2f, 90 %% %.2f, "
           "largest %.2f (%s)\n",
           name, noisy ? "noisy" : "quiet", 100.0 * (double)good / (double)count, count,
           sorted[count / 2], sorted[count * 9 / 10], sorted[count - 1], outcomes[worst].name);
    return (double)good / (double)count;
}

/* least: what the analysis keeps to now, quiet and noisy; it must not get worse. wanted: what it is
 * to reach. */
static void check(const char *name, figure *of, double least_files, double least_quiet,
                  double least_noisy)
{
    size_t count = files.gl_pathc + drawn;
    double quiet_files, quiet, noisy = 1;

    assert_true(drawn > 0);
    quiet_files = share_of(name, of, 0, 0, files.gl_pathc);
    quiet = share_of(name, of, 0, files.gl_pathc, count);
    if (of == levels_wrong || of == latency_off || of == capacity_off || of == reach_off)
        noisy = share_of(name, of, 1, files.gl_pathc, count);
    assert_true(quiet_files >= least_files);
    assert_true(quiet >= least_quiet);
    assert_true(noisy >= least_noisy);
}

static void every_machine_was_run(void **state)
{
    unsigned rejected = 0;

    (void)state;
    for (size_t i = 0; i < files.gl_pathc + drawn; i++) {
        if (!outcomes[i].done)
            fail_msg("machine %zu was not run to its end", i);
        rejected += outcomes[i].rejected;
    }
    printf("machine files: %zu; machines drawn: %zu, of %zu draws %.0f %% rejected\n",
           files.gl_pathc, drawn, drawn + rejected, 100.0 * rejected / (double)(drawn + rejected));
    assert_true(files.gl_pathc >= 10);
}

static void levels_are_all_found_and_no_others(void **state)
{
    (void)state;
    check("levels", levels_wrong, 0, 0, 0);
}

static void latencies_are_right(void **state)
{
    (void)state;
    check("latency", latency_off, 0, 0, 0);
}

static void capacities_are_right(void **state)
{
    (void)state;
    check("capacity", capacity_off, 0, 0, 0);
}

static void tlb_reaches_are_right(void **state)
{
    (void)state;
    check("reach", reach_off, 0, 0, 0);
}

static void dram_is_right(void **state)
{
    (void)state;
    check("dram", dram_off, 0, 0, 0);
    check("slope", slope_off, 0, 0, 0);
    check("TLB cost", tlb_cost_off, 0, 0, 0);
}

static void prefetcher_verdicts_are_right(void **state)
{
    (void)state;
    check("verdict", verdict_wrong, 0, 0, 0);
}

static void intervals_hold_the_truth(void **state)
{
    unsigned all[3] = {0}, hold[3] = {0};

    (void)state;
    for (size_t i = 0; i < files.gl_pathc + drawn; i++) {
        for (unsigned noisy = 0; noisy < 2; noisy++) {
            all[noisy] += outcomes[i].score[noisy].intervals;
            hold[noisy] += outcomes[i].score[noisy].intervals_hold;
        }
        all[2] += outcomes[i].dram.intervals;
        hold[2] += outcomes[i].dram.intervals_hold;
    }
    printf("intervals that hold the truth: levels quiet %.1f %% of %u, noisy %.1f %% of %u; dram "
           "%.1f %% of %u\n",
           100.0 * hold[0] / all[0], all[0], 100.0 * hold[1] / all[1], all[1],
           100.0 * hold[2] / all[2], all[2]);
    assert_true(all[0] > 0 && all[1] > 0 && all[2] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_machine_was_run),
        cmocka_unit_test(levels_are_all_found_and_no_others),
        cmocka_unit_test(latencies_are_right),
        cmocka_unit_test(capacities_are_right),
        cmocka_unit_test(tlb_reaches_are_right),
        cmocka_unit_test(dram_is_right),
        cmocka_unit_test(prefetcher_verdicts_are_right),
        cmocka_unit_test(intervals_hold_the_truth),
    };
    return cmocka_run_group_tests(tests, run_all, NULL);
}
