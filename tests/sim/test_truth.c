/* SPDX-License-Identifier: BSD-2-Clause */
/* The analysis against the truth of simulated machines: the machine files, and machines drawn from
 * seeds, without noise, and some of them with it. BARECHASE_MACHINES=400 draws that many (default
 * 40), BARECHASE_SEED=7 sets the first seed, BARECHASE_SHOW=1 prints every machine,
 * BARECHASE_NOISY=1 runs all of them with noise too. */
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

#include "tests/long.h"
#include "tests/sim/generator.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/truth_engine.h"
#include "tests/sim/truth_score.h"

#define WORKERS      2
#define MACHINES_MAX 2000
#define DRAWN        40
#define JITTER       0.02
#define SPIKE_EVERY  200
/* Runs with noise take long, so only one drawn machine in NOISY_EVERY runs with noise too; all of
 * them if BARECHASE_NOISY is set. */
#define NOISY_EVERY 4
/* Of the machine files one in so many, unless BARECHASE_LONG is set. */
#define FILES_EVERY  4
#define QUANTILE     0.001
#define SPIKE_FACTOR 3

/* The outcome of one machine; [1] with noise. */
struct outcome {
    bool done, noisy;
    char name[SIM_NAME_MAX];
    unsigned rejected;
    struct sim_score score[2];
    struct sim_engine_outcome run[2];
};

static struct outcome *outcomes; /* shared with the workers */
static glob_t files;
static size_t drawn;
static uint64_t first_seed;

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

/* The two page sizes that the curve fits together when nothing is said. */
static const char *curve_words(const struct sim_config *config)
{
    return config->page_sizes & 1u << 30 ? "tests=curve pattern=iid pages=4k,1g"
                                         : "tests=curve pattern=iid pages=4k,2m";
}

static void try_once(const struct sim_config *config, struct outcome *outcome, unsigned noisy)
{
    struct sim_engine_outcome *run = &outcome->run[noisy];
    struct sim_truth_level truth[SIM_TRUTHS_MAX];
    size_t truths;

    /* Levels are found from draws: the curve's other chases, which would take as long again, are
     * left out. */
    sim_engine_try(config, curve_words(config), run);
    sim_engine_try(config, "tests=dram", run);
    truths = sim_truth_levels(config, SIM_PAGE_4K, (double)NAN, run->largest_bytes, truth);
    sim_score_levels(run->level, run->levels, truth, truths, config->walk.loads,
                     &outcome->score[noisy]);
    if (getenv("BARECHASE_SHOW"))
        print_levels(config->name, run->level, run->levels, truth, truths);
}

static void print_machine(const struct outcome *o)
{
    for (unsigned noisy = 0; noisy <= o->noisy; noisy++) {
        const struct sim_score *s = &o->score[noisy];
        const struct sim_engine_outcome *d = &o->run[noisy];
        printf("  %-22s %s %s latency %.2f/%.2f%% capacity %.2f/%.2f%% reach %.1f/%.1f%% "
               "intervals %u/%u %s\n",
               o->name, noisy ? "noisy" : "quiet", s->missing + s->extra == 0 ? "right" : "WRONG",
               100 * s->latency, 100 * s->latency_exclusive, 100 * s->capacity,
               100 * s->capacity_exclusive, 100 * s->reach, 100 * s->reach_loaded,
               s->intervals_hold, s->intervals, s->words);
        printf("  %-22s       dram %.2f (%.2f) slope %.2f (%.2f) TLB %.2f (%.2f) verdict %s (%s)\n",
               "", d->ns, d->truth_ns, d->slope_ns, d->slope_truth_ns, d->tlb_cost_ns,
               d->tlb_cost_truth_ns, d->verdict, d->prefetches ? "on" : "off");
    }
}

static size_t files_step(void)
{
    return tests_are_long() ? 1 : FILES_EVERY;
}

static size_t tried_files(void)
{
    return (files.gl_pathc + files_step() - 1) / files_step();
}

static void try_machine(size_t i)
{
    struct outcome *outcome = &outcomes[i];
    struct sim_file_error error;
    struct sim_config config;

    if (i >= tried_files())
        outcome->rejected = sim_generate(&config, first_seed + i - tried_files());
    else if (!sim_machine_load(&config, files.gl_pathv[i * files_step()], &error))
        exit(1);
    snprintf(outcome->name, sizeof outcome->name, "%s", config.name);
    config.fault_count = 0;
    try_once(&config, outcome, 0);
    if (!getenv("BARECHASE_NOISY") && (i < tried_files() || (i - tried_files()) % NOISY_EVERY != 1))
        return;
    outcome->noisy = true;
    config.noise.jitter = JITTER;
    config.noise.spike_every = SPIKE_EVERY;
    config.noise.spike_factor = SPIKE_FACTOR;
    try_once(&config, outcome, 1);
}

static void try_and_print(size_t i)
{
    try_machine(i);
    outcomes[i].done = true;
    if (i < tried_files() || getenv("BARECHASE_SHOW"))
        print_machine(&outcomes[i]);
    fflush(stdout);
}

static void *shared_pages(size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    return pages == MAP_FAILED ? NULL : pages;
}

static int run_all(void **state)
{
    const char *machines = getenv("BARECHASE_MACHINES"), *seed = getenv("BARECHASE_SEED");
    size_t count, *next;

    (void)state;
    drawn = machines ? (size_t)atol(machines) : DRAWN;
    first_seed = seed ? (uint64_t)atoll(seed) : 1;
    if (glob("tests/sim/machines/*.machine", 0, NULL, &files) != 0)
        return -1;
    count = tried_files() + drawn;
    if (count > MACHINES_MAX)
        return -1;
    outcomes = shared_pages(count * sizeof *outcomes);
    next = shared_pages(sizeof *next);
    if (!outcomes || !next)
        return -1;
    fflush(stdout);
    for (size_t worker = 0; worker < WORKERS; worker++) {
        if (fork() != 0)
            continue;
        /* Machines differ much in run time, so each free worker takes the next one. */
        for (size_t i; (i = __atomic_fetch_add(next, 1, __ATOMIC_RELAXED)) < count;)
            try_and_print(i);
        fflush(stdout);
        _exit(0);
    }
    for (size_t worker = 0; worker < WORKERS; worker++)
        wait(NULL);
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
    const struct sim_engine_outcome *d = &o->run[noisy];

    return d->ran ? fabs(d->ns / d->truth_ns - 1) / (noisy ? 0.01 : 0.005) : 1e9;
}

static double slope_off(const struct outcome *o, unsigned noisy)
{
    const struct sim_engine_outcome *d = &o->run[noisy];

    return d->ran ? fabs(d->slope_ns / d->slope_truth_ns - 1) / (noisy ? 0.02 : 0.01) : 1e9;
}

static double tlb_cost_off(const struct outcome *o, unsigned noisy)
{
    const struct sim_engine_outcome *d = &o->run[noisy];
    double twice = noisy ? 2 : 1;

    if (!d->ran || isnan(d->tlb_cost_truth_ns))
        return 1e9;
    return fabs(d->tlb_cost_ns - d->tlb_cost_truth_ns) /
           larger(twice * 0.03 * fabs(d->tlb_cost_truth_ns), twice * 0.005 * d->small_pages_ns);
}

static double verdict_wrong(const struct outcome *o, unsigned noisy)
{
    const struct sim_engine_outcome *d = &o->run[noisy];

    return strcmp(d->verdict, d->prefetches ? "off" : "on") == 0;
}

static double verdict_missing(const struct outcome *o, unsigned noisy)
{
    const struct sim_engine_outcome *d = &o->run[noisy];

    return strcmp(d->verdict, "on") != 0 && strcmp(d->verdict, "off") != 0;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

struct kept {
    size_t good, count;
};

/* Prints how a figure is distributed over the machines from `first` to `end`, and the worst of
 * them; returns how many of them keep it at most 1. */
static struct kept kept_of(const char *name, figure *of, unsigned noisy, size_t first, size_t end)
{
    static double sorted[MACHINES_MAX];
    size_t count = 0, good = 0, worst = first;

    for (size_t i = first; i < end; i++) {
        double value = outcomes[i].done ? of(&outcomes[i], noisy) : 1e9;
        if (noisy && !outcomes[i].noisy)
            continue;
        sorted[count++] = value;
        good +=
            value <= 1 &&
            ((of != levels_wrong && of != verdict_wrong && of != verdict_missing) || value == 0);
        if (count == 1 || value > of(&outcomes[worst], noisy))
            worst = i;
    }
    if (count == 0)
        return (struct kept){0, 0};
    qsort(sorted, count, sizeof *sorted, compare_doubles);
    printf("%-8s %-5s %3.0f %% of %zu within; in units of the tolerance: median %.2f, 90 %% %.2f, "
           "largest %.2f (%s)\n",
           name, noisy ? "noisy" : "quiet", 100.0 * (double)good / (double)count, count,
           sorted[count / 2], sorted[count * 9 / 10], sorted[count - 1], outcomes[worst].name);
    return (struct kept){good, count};
}

/* How many good machines there must be of `count` if `share` of all are good: fewer happen by
 * chance once in a thousand tries. */
static size_t good_min(size_t count, double share)
{
    /* With some hundreds of machines the first terms are too small for a double. */
    double term = (double)count * log(1 - share), sum = exp(term);
    size_t good = 0;

    if (share >= 1)
        return count;
    while (sum < QUANTILE) {
        term += log((double)(count - good) / (double)(good + 1) * share / (1 - share));
        sum += exp(term);
        good++;
    }
    return good;
}

/* The shares of machines on which the analysis must be right. */
struct floors {
    double files, quiet, noisy;
};

static void check(const char *name, figure *of, struct floors min)
{
    size_t count = tried_files() + drawn;
    struct kept shipped, quiet, noisy;

    assert_true(drawn > 0);
    shipped = kept_of(name, of, 0, 0, tried_files());
    quiet = kept_of(name, of, 0, tried_files(), count);
    noisy = kept_of(name, of, 1, tried_files(), count);
    assert_true(shipped.good >= good_min(shipped.count, min.files));
    assert_true(quiet.good >= good_min(quiet.count, min.quiet));
    assert_true(noisy.good >= good_min(noisy.count, min.noisy));
}

static void good_min_is_a_quantile(void **state)
{
    (void)state;
    assert_int_equal(good_min(4, 1), 4);
    assert_int_equal(good_min(4, 0.95), 2);
    assert_int_equal(good_min(40, 0.9), 29);
    assert_int_equal(good_min(400, 0.95), 365);
    assert_int_equal(good_min(4000, 0.93), 3669);
}

static void every_machine_was_run(void **state)
{
    unsigned rejected = 0;

    (void)state;
    for (size_t i = 0; i < tried_files() + drawn; i++) {
        if (!outcomes[i].done)
            fail_msg("machine %zu was not run to its end", i);
        rejected += outcomes[i].rejected;
    }
    printf("machine files: %zu; machines drawn: %zu, of %zu draws %.0f %% rejected\n",
           tried_files(), drawn, drawn + rejected, 100.0 * rejected / (double)(drawn + rejected));
    assert_true(files.gl_pathc >= 10);
}

static void levels_are_all_found_and_no_others(void **state)
{
    (void)state;
    check("levels", levels_wrong, (struct floors){1, 0.95, 0.9});
}

static void latencies_are_right(void **state)
{
    (void)state;
    check("latency", latency_off, (struct floors){1, 0.95, 0.9});
}

static void capacities_are_right(void **state)
{
    (void)state;
    check("capacity", capacity_off, (struct floors){1, 0.95, 0.9});
}

static void tlb_reaches_are_right(void **state)
{
    (void)state;
    check("reach", reach_off, (struct floors){1, 0.9, 0.9});
}

static void dram_is_right(void **state)
{
    (void)state;
    check("dram", dram_off, (struct floors){1, 0.95, 0.9});
    check("slope", slope_off, (struct floors){1, 0.95, 0.9});
    check("TLB cost", tlb_cost_off, (struct floors){1, 0.95, 0.9});
}

static void prefetcher_verdicts_are_right(void **state)
{
    (void)state;
    check("verdict", verdict_wrong, (struct floors){1, 1, 1});
    check("decided", verdict_missing, (struct floors){1, 0.97, 0.97});
}

/* Share of the 95 % intervals that hold the truth; wider ones are no fault here. */
#define INTERVALS_HOLD 0.93

static void intervals_hold_the_truth(void **state)
{
    (void)state;
    for (unsigned noisy = 0; noisy < 2; noisy++) {
        unsigned levels = 0, held = 0, dram = 0, dram_held = 0;
        for (size_t i = 0; i < tried_files() + drawn; i++) {
            levels += outcomes[i].score[noisy].intervals;
            held += outcomes[i].score[noisy].intervals_hold;
            dram += outcomes[i].run[noisy].intervals;
            dram_held += outcomes[i].run[noisy].intervals_hold;
        }
        printf("intervals that hold the truth, %s: levels %.1f %% of %u, dram %.1f %% of %u\n",
               noisy ? "noisy" : "quiet", 100.0 * held / levels, levels, 100.0 * dram_held / dram,
               dram);
        assert_true(levels > 0 && dram > 0);
        assert_true(held >= good_min(levels, INTERVALS_HOLD));
        assert_true(dram_held >= good_min(dram, INTERVALS_HOLD));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_min_is_a_quantile),
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
