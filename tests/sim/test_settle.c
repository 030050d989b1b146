/* SPDX-License-Identifier: BSD-2-Clause */
/* Points that change while they are measured: caches that fill slowly, a core that changes its
 * frequency, others' work. Each is waited for, or reported. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/long.h"
#include "tests/sim/age.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/simulator.h"
#include "tests/shared/words.h"

#define KEPT_MAX 256
#define SLOW_HZ  2e9 /* of a core that steps */
#define FAST_HZ  4e9
#define CYCLES   "cache name=L1 bytes=8K ways=8 latency=4c\n"

/* The third cache replaces any way, empty or not, and so fills as slowly as can be. */
#define RANDOM                                                                         \
    "clock core=2G counter=1G\n" CYCLES "cache name=L2 bytes=48K ways=8 latency=14c\n" \
    "cache name=L3 bytes=768K ways=12 latency=40c policy=random-any\n"                 \
    "memory bytes=64M base=100ns\n"
/* Draws scatter more than what is left of earlier sets in such a cache costs them. */
#define RANDOM_DRAWS                                                                   \
    "clock core=3G counter=3G\n" CYCLES "cache name=L2 bytes=64K ways=8 latency=12c\n" \
    "cache name=L3 bytes=3M ways=12 latency=20c policy=random\n"                       \
    "memory bytes=128M base=100ns\n"
#define SLOW_RANDOM                                                                      \
    "clock core=100M counter=1G\n" CYCLES "cache name=L2 bytes=48K ways=8 latency=14c\n" \
    "cache name=L3 bytes=768K ways=12 latency=40c policy=random-any\n"                   \
    "memory bytes=64M base=2us\n"
#define PLAIN                                                                          \
    "clock core=2G counter=1G\n" CYCLES "cache name=L2 bytes=64K ways=8 latency=14c\n" \
    "memory bytes=64M base=100ns\n"

/* Such a cache takes long to settle which part it keeps of a set that it cannot hold. */
#define ADAPTIVE                                                                 \
    "clock core=2G counter=1G\n"                                                 \
    "cache name=L1 bytes=8K ways=8 latency=4c policy=tree-plru\n"                \
    "cache name=L2 bytes=64K ways=4 latency=12c policy=tree-plru\n"              \
    "cache name=L3 bytes=512K ways=16 latency=40c policy=qlru holds=inclusive\n" \
    "memory bytes=256M base=100ns\n"

/* For draws the insertion that keeps old lines is better, but hardly. */
#define BESIDE                                                                 \
    "clock core=2G counter=1G\n"                                               \
    "cache name=L1 bytes=8K ways=8 latency=4c\n"                               \
    "cache name=L2 bytes=128K ways=8 latency=12c\n"                            \
    "cache name=L3 bytes=512K ways=16 latency=40c policy=qlru holds=neither\n" \
    "memory bytes=256M base=100ns\n"

#define SLOW_ADAPTIVE                                                            \
    "clock core=100M counter=1G\n"                                               \
    "cache name=L1 bytes=8K ways=8 latency=4c policy=tree-plru\n"                \
    "cache name=L2 bytes=64K ways=4 latency=12c policy=tree-plru\n"              \
    "cache name=L3 bytes=512K ways=16 latency=40c policy=qlru holds=inclusive\n" \
    "memory bytes=256M base=5us\n"

static struct outcome {
    struct record_point point[KEPT_MAX];
    char pattern[KEPT_MAX][16];
    struct record_finding finding[KEPT_MAX];
    char name[KEPT_MAX][32], detail[KEPT_MAX][32];
    size_t points, findings, stepped, unsettled;
} now;

/* An effect added to a machine: called after every quiet section. */
static void (*meddle)(const struct simulator *sim, const struct chase_plan *plan,
                      struct chase_result *result);
static enum status (*real_chase)(void *self, const struct window *w, const struct chase_plan *plan,
                                 struct chase_result *result);

static void keep(void *context, const struct record *record)
{
    struct outcome *o = context;

    if (record->kind == RECORD_POINT && o->points < KEPT_MAX) {
        snprintf(o->pattern[o->points], 16, "%s", record->u.point.pattern);
        o->point[o->points++] = record->u.point;
    }
    if (record->kind == RECORD_FINDING && o->findings < KEPT_MAX) {
        size_t i = o->findings++;
        snprintf(o->name[i], 32, "%s", record->u.finding.name);
        snprintf(o->detail[i], 32, "%s", record->u.finding.detail ? record->u.finding.detail : "");
        o->finding[i] = record->u.finding;
    }
    if (record->kind != RECORD_NOTE)
        return;
    o->stepped += strstr(record->u.note.what, "frequency stepped") != NULL;
    o->unsettled += strstr(record->u.note.what, "steady state not seen") != NULL;
}

static enum status meddling_chase(void *self, const struct window *w, const struct chase_plan *plan,
                                  struct chase_result *result)
{
    enum status status = real_chase(self, w, plan, result);

    if (meddle && status == STATUS_OK)
        meddle(self, plan, result);
    return status;
}

static void run(const char *machine, const char *words,
                void (*with)(const struct simulator *sim, const struct chase_plan *plan,
                             struct chase_result *result))
{
    struct simulator *sim = malloc(sizeof *sim);
    char text[1024];
    struct sim_config config;
    struct sim_file_error wrong;
    struct option_error error;

    snprintf(text, sizeof text, "machine name=settle pages=4k,2m\n%send\n", machine);
    if (!sim_machine_parse(&config, text, strlen(text), "settle", &wrong))
        fail_msg("%s", wrong.text);
    memset(&now, 0, sizeof now);
    simulator_start(sim, &config, false);
    meddle = with;
    real_chase = sim->machine.chase_run;
    sim->machine.chase_run = meddling_chase;
    (void)words_run(&sim->machine, words, keep, &now, &error);
    if (error.text[0] != '\0')
        fail_msg("%s", error.text);
    simulator_stop(sim);
    free(sim);
}

static bool near_to(double value, double truth, double share)
{
    return fabs(value - truth) <= share * truth;
}

static bool is_last_of_its_set(const struct outcome *o, size_t pos)
{
    for (size_t i = pos + 1; i < o->points; i++)
        if (o->point[i].bytes == o->point[pos].bytes &&
            o->point[i].pages_bytes == o->point[pos].pages_bytes &&
            strcmp(o->pattern[i], o->pattern[pos]) == 0)
            return false;
    return true;
}

/* ---- caches */

static uint64_t walked;
static uint32_t decided;

static void look_at_the_last(const struct simulator *sim, const struct chase_plan *plan,
                             struct chase_result *result)
{
    (void)result;
    if (walked == 0)
        ((struct simulator *)(uintptr_t)sim)->system->caches.cache[2]->duel = 0;
    walked += plan->warm_hops + plan->samples * plan->hops;
    decided = sim->system->caches.cache[2]->duel;
}

/* What an adaptive cache decided before is not what it decides for a large set. */
static void adaptive_caches_decide_before_draws(void **state)
{
    (void)state;
    walked = 0;
    run(BESIDE, "tests=pattern pattern=iid min=4M max=4M pages=2m warmup=on", look_at_the_last);
    assert_int_equal(now.points, 1);
    assert_true(decided > SIM_AGE_DUEL_MAX / 2);
}

static uint32_t large, undecided;

/* What sets that fit do to a counter on silicon, they do here at once. */
static void fit_at_once(const struct simulator *sim, const struct chase_plan *plan,
                        struct chase_result *result)
{
    struct sim_cache *last = ((struct simulator *)(uintptr_t)sim)->system->caches.cache[2];

    (void)result;
    if (plan->kernel != KERNEL_IID)
        return;
    if (plan->lines <= 8192) {
        last->duel = 0;
    } else if (plan->samples > 1) {
        large++;
        undecided += last->duel <= SIM_AGE_DUEL_MAX / 2;
    }
}

static void adaptive_caches_decide_again_after_sets_that_fit(void **state)
{
    (void)state;
    large = undecided = 0;
    run(BESIDE, "tests=curve min=256K max=4M pages=2m", fit_at_once);
    assert_true(large > 0);
    assert_int_equal(undecided, 0);
}

static void a_set_leaves_no_lines_to_the_next(void **state)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct sim_config config = sim_config_default;
    struct option_error error;

    (void)state;
    simulator_start(sim, &config, false);
    memset(&now, 0, sizeof now);
    (void)words_run(&sim->machine, "tests=pattern pattern=iid min=64K max=64K pages=2m", keep, &now,
                    &error);
    assert_int_equal(now.points, 1);
    assert_int_equal(sim_hierarchy_resident(&sim->system->caches, config.cache_count - 1), 0);
    simulator_stop(sim);
    free(sim);
}

static bool in_third_cache(const struct record_point *p)
{
    return p->bytes > 96 << 10 && p->bytes <= 768 << 10;
}

static void random_replacement_is_waited_for(void **state)
{
    size_t seen = 0;

    (void)state;
    run(RANDOM, "tests=curve pattern=cycle max=4M", NULL);
    for (size_t i = 0; i < now.points; i++) {
        const struct record_point *p = &now.point[i];
        if (!in_third_cache(p))
            continue;
        seen++;
        assert_int_equal(p->settled, ANSWER_YES);
        if (!near_to(p->ns_mean, 20, 0.01))
            fail_msg("%llu bytes: %g", (unsigned long long)p->bytes, p->ns_mean);
    }
    assert_true(seen >= 8);
}

/* What draws over that set take alone, by many of them. */
static double truth_of_draws(const char *machine, uint64_t bytes, uint64_t page_bytes)
{
    char words[128];

    snprintf(
        words, sizeof words, "tests=pattern pattern=iid pages=%s seconds=0.04 min=%llu max=%llu",
        page_bytes == 4096 ? "4k" : "2m", (unsigned long long)bytes, (unsigned long long)bytes);
    run(machine, words, NULL);
    assert_int_equal(now.points, 1);
    return now.point[0].ns_mean;
}

static void draws_find_no_lines_of_earlier_sets(void **state)
{
    static struct outcome curve;
    size_t seen = 0;

    (void)state;
    run(RANDOM_DRAWS, "tests=curve pattern=iid max=32M", NULL);
    curve = now;
    for (size_t i = 0; i < curve.points; i++) {
        const struct record_point *p = &curve.point[i];
        double truth;

        if (p->bytes < 7 << 19 || p->bytes > 1 << 22 || p->stride_bytes != 64)
            continue;
        seen++;
        truth = truth_of_draws(RANDOM_DRAWS, p->bytes, p->pages_bytes);
        if (!near_to(p->ns_mean, truth, 0.005 + 2 * p->rel_error))
            fail_msg("%llu bytes: %g for %g", (unsigned long long)p->bytes, p->ns_mean, truth);
    }
    assert_int_equal(seen, 4);
}

/* Its budget leaves no time to fill such a cache: then the points say so, and what they may be off
 * by is in their errors. */
static void what_there_is_no_time_for_is_reported(void **state)
{
    size_t unsettled = 0;

    (void)state;
    run(SLOW_RANDOM, "tests=curve pattern=cycle max=4M budget=1", NULL);
    for (size_t i = 0; i < now.points; i++) {
        const struct record_point *p = &now.point[i];
        if (!in_third_cache(p))
            continue;
        unsettled += p->settled == ANSWER_NO;
        if (!near_to(p->ns_mean, 400, 0.005) && p->settled != ANSWER_NO)
            fail_msg("%llu bytes: %g, unmarked", (unsigned long long)p->bytes, p->ns_mean);
        if (fabs(p->ns_mean - 400) > 2 * p->rel_error * p->ns_mean + 2)
            fail_msg("%llu bytes: %g, error %g", (unsigned long long)p->bytes, p->ns_mean,
                     p->rel_error);
    }
    printf("%zu points not settled\n", unsettled);
    assert_true(unsettled > 0 && now.unsettled == 1);
}

/* Nor are there marks where nothing changes any more. */
static void samples_that_move_are_taken_again(void **state)
{
    size_t laps = 0;

    (void)state;
    run(ADAPTIVE, "tests=curve max=8M", NULL);
    assert_true(now.points > 100 && now.unsettled == 0);
    for (size_t i = 0; i < now.points; i++) {
        const struct record_point *p = &now.point[i];
        if (p->settled != ANSWER_YES || !(p->rel_error < 0.02))
            fail_msg("%s, %llu bytes: %g, error %g", now.pattern[i], (unsigned long long)p->bytes,
                     p->ns_mean, p->rel_error);
        /* up to four times the last level the lines that a cache keeps are among the samples */
        if (strcmp(now.pattern[i], "cycle") != 0 || p->bytes > 2 << 20)
            continue;
        assert_true(p->samples * p->hops >= p->bytes / p->stride_bytes);
        laps += p->bytes > 512 << 10;
    }
    assert_true(laps >= 4);
}

/* What a chase over that set takes by many whole laps. */
static double truth_of(const char *machine, uint64_t bytes, bool *is_point)
{
    char words[128];

    snprintf(words, sizeof words,
             "tests=pattern pattern=cycle pages=2m iterations=8 error=20 max=%llu",
             (unsigned long long)bytes);
    run(machine, words, NULL);
    *is_point = now.points == 1;
    return now.point[0].ns_mean;
}

static struct outcome before;

/* A lap through more than an adaptive cache holds is made of parts: nearly all hits, nearly all
 * misses. What such a cache does with a set depends on what was before it, too. */
static void check_parts(const char *machine, const char *words, size_t *laps, size_t *unsettled)
{
    run(machine, words, NULL);
    before = now;
    for (size_t i = 0; i < before.points; i++) {
        const struct record_point *p = &before.point[i];
        bool is_point;
        double truth, error_ns = 2 * p->rel_error * p->ns_median;

        if (p->bytes <= 512 << 10 || !is_last_of_its_set(&before, i))
            continue;
        truth = truth_of(machine, p->bytes, &is_point);
        assert_true(is_point);
        *laps += p->hops * p->stride_bytes == p->bytes;
        if (p->settled == ANSWER_NO)
            *unsettled += 1;
        else if (!near_to(p->ns_median, truth, 0.01))
            fail_msg("%llu bytes: %g for %g", (unsigned long long)p->bytes, p->ns_median, truth);
        if (fabs(p->ns_median - truth) > error_ns + 0.01 * truth)
            fail_msg("%llu bytes: %g, error %g, for %g", (unsigned long long)p->bytes, p->ns_median,
                     error_ns, truth);
    }
}

static void what_an_adaptive_cache_keeps_is_in_the_figure(void **state)
{
    size_t laps = 0, unsettled = 0;

    (void)state;
    check_parts(ADAPTIVE, "tests=curve pattern=cycle pages=2m max=8M", &laps, &unsettled);
    printf("%zu sets sampled by laps\n", laps);
    assert_true(laps >= 6 && unsettled == 0);
}

static void no_time_for_laps_is_reported(void **state)
{
    size_t laps = 0, unsettled = 0;

    (void)state;
    check_parts(SLOW_ADAPTIVE, "tests=curve pattern=cycle pages=2m max=8M budget=10", &laps,
                &unsettled);
    printf("%zu sets sampled by laps, %zu not settled\n", laps, unsettled);
    assert_true(laps > 0 && unsettled > 0);
}

static void points_that_are_not_watched_are_unknown(void **state)
{
    (void)state;
    run(PLAIN, "tests=pattern pattern=cycle pages=4k max=1M warmup=off", NULL);
    assert_true(now.points == 1 && now.point[0].settled == ANSWER_UNKNOWN);
}

/* ---- the core's frequency */

static uint32_t sections_sampled, step_at;

/* Only the sections of a point have more than 100 samples. */
static bool is_sampling(const struct chase_plan *plan)
{
    return plan->samples > 100;
}

static void scale_ticks(const struct chase_plan *plan, const struct chase_result *result, double by)
{
    for (uint32_t i = 0; i < result->samples; i++)
        plan->ticks[i] = (uint64_t)((double)plan->ticks[i] * by);
}

/* From the section with samples numbered step_at on, the core is half as fast. */
static void steps(const struct simulator *sim, const struct chase_plan *plan,
                  struct chase_result *result)
{
    bool slow = sections_sampled >= step_at;

    (void)sim;
    result->core_hz_before = result->core_hz_after = slow ? SLOW_HZ : FAST_HZ;
    if (!slow)
        scale_ticks(plan, result, SLOW_HZ / FAST_HZ);
    sections_sampled += is_sampling(plan);
}

static void a_step_inside_a_point_is_its_own(void **state)
{
    (void)state;
    sections_sampled = 0;
    step_at = 2;
    run(PLAIN, "tests=pattern pattern=cycle pages=4k max=8K seconds=0.2", steps);
    assert_int_equal(now.points, 2);
    assert_true(sections_sampled > 3);
    assert_true(fabs(now.point[0].hz_step + 0.5) < 0.001);
    /* its caches were settled */
    assert_int_equal(now.point[0].settled, ANSWER_YES);
    assert_true(near_to(now.point[0].cycles_median, 4, 0.002));
    assert_int_equal(now.stepped, 1);
    /* after the step once more */
    assert_true(now.point[1].hz_step == 0 && near_to(now.point[1].cpu_hz_before, SLOW_HZ, 0.001));
}

/* Every eighth measurement of the frequency is wrong, but the samples are not. */
static void misreads(const struct simulator *sim, const struct chase_plan *plan,
                     struct chase_result *result)
{
    static uint32_t count;

    (void)sim;
    (void)plan;
    if (++count % 4 == 0)
        result->core_hz_after *= 0.9;
}

static void a_wrong_measurement_is_no_step(void **state)
{
    (void)state;
    run(PLAIN, "tests=curve max=256K pages=4k", misreads);
    assert_true(now.points > 10);
    for (size_t i = 0; i < now.points; i++)
        if (now.point[i].hz_step != 0 ||
            !near_to(now.point[i].cycles_median, now.point[i].ns_median * 2, 0.001))
            fail_msg("%zu: step %g, %g cycles, %g ns", i, now.point[i].hz_step,
                     now.point[i].cycles_median, now.point[i].ns_median);
    assert_int_equal(now.stepped, 0);
}

static void unknown_frequency(const struct simulator *sim, const struct chase_plan *plan,
                              struct chase_result *result)
{
    (void)sim;
    (void)plan;
    result->core_hz_before = result->core_hz_after = 0;
}

static void an_unknown_frequency_has_no_step(void **state)
{
    (void)state;
    run(PLAIN, "tests=pattern pattern=cycle pages=4k max=8K", unknown_frequency);
    assert_true(now.points == 1 && isnan(now.point[0].hz_step) &&
                isnan(now.point[0].cycles_median));
    assert_true(near_to(now.point[0].ns_median, 2, 0.001));
}

/* A draw's arithmetic is 7 cycles at any frequency: draws over a set far beyond the caches take
 * what memory takes, before a step and after it. */
static void arithmetic_follows_the_frequency(void **state)
{
    size_t slow = 0, fast = 0;

    (void)state;
    run("clock core=1G turbo=4G turbo-seconds=0.3 counter=1G\n" CYCLES
        "cache name=L2 bytes=64K ways=8 latency=14c\nmemory bytes=64M base=100ns\n",
        "tests=curve max=16M pages=2m", NULL);
    for (size_t i = 0; i < now.points; i++) {
        const struct record_point *p = &now.point[i];
        if (strcmp(now.pattern[i], "iid") != 0)
            continue;
        slow += p->cpu_hz_after < 2e9;
        fast += p->cpu_hz_before > 2e9;
        if (!near_to(p->arithmetic_ns, 7e9 / p->cpu_hz_before, 0.02))
            fail_msg("%g ns at %g Hz", p->arithmetic_ns, p->cpu_hz_before);
    }
    printf("%zu slow, %zu fast\n", slow, fast);
    assert_true(slow > 0 && fast > 0 && now.stepped == 1);
}

/* What a turbo's first moments showed is measured again when they are over. */
static void sets_before_a_step_are_measured_again(void **state)
{
    size_t twice = 0, last = 0;

    (void)state;
    run("clock core=1G turbo=4G turbo-seconds=0.3 counter=1G\n" CYCLES
        "cache name=L2 bytes=64K ways=8 latency=14c\nmemory bytes=64M base=100ns\n",
        "tests=curve max=16M", NULL);
    for (size_t i = 0; i < now.points; i++) {
        const struct record_point *p = &now.point[i];
        if (!is_last_of_its_set(&now, i)) {
            twice++;
            continue;
        }
        last++;
        if (!near_to(p->cpu_hz_before, 1e9, 0.001) || p->hz_step != 0)
            fail_msg("%llu bytes: %g Hz, step %g", (unsigned long long)p->bytes, p->cpu_hz_before,
                     p->hz_step);
        if (p->bytes <= 8 << 10)
            assert_true(near_to(p->ns_mean, 4, 0.002));
    }
    printf("%zu of %zu sets measured twice\n", twice, last);
    assert_true(twice > 0 && twice < last && now.stepped == 1);
}

static uint32_t calibrations;
static bool calibrating;

static void counts_calibrations(const struct simulator *sim, const struct chase_plan *plan,
                                struct chase_result *result)
{
    bool small = plan->kernel == KERNEL_IID && plan->lines == 64 && plan->stride_bytes <= 3 * 64;

    unknown_frequency(sim, plan, result);
    calibrations += small && !calibrating;
    calibrating = small;
}

static bool finds_by_multiplying(const struct record_point *p)
{
    return (p->stride_bytes & (p->stride_bytes - 1)) != 0;
}

/* Whether no draw before this one was of its experiment, with its arithmetic. */
static bool is_first_of_its_arithmetic(size_t pos)
{
    for (size_t i = 0; i < pos; i++)
        if (strcmp(now.pattern[i], "iid") == 0 &&
            strcmp(now.point[i].experiment, now.point[pos].experiment) == 0 &&
            finds_by_multiplying(&now.point[i]) == finds_by_multiplying(&now.point[pos]))
            return false;
    return strcmp(now.pattern[pos], "iid") == 0;
}

/* The cost of its arithmetic is then not known to other experiments, nor the cost of finding a line
 * by a multiplication. */
static void at_an_unknown_frequency_each_experiment_calibrates(void **state)
{
    uint32_t wanted = 0;

    (void)state;
    calibrations = 0;
    calibrating = false;
    run(PLAIN, "tests=curve,dram max=4M", counts_calibrations);
    for (size_t i = 0; i < now.points; i++)
        wanted += is_first_of_its_arithmetic(i);
    printf("%u calibrations\n", calibrations);
    assert_true(wanted >= 3 && now.points < KEPT_MAX);
    assert_int_equal(calibrations, wanted);
}

/* ---- samples */

/* A hop of the group's first line costs its page's walk. */
static void a_sample_is_whole_groups(void **state)
{
    (void)state;
    run("clock core=2G counter=1G\n" CYCLES "memory bytes=64M base=20ns\n"
        "tlb 4k=64\nwalk kind=constant cost=4us\n",
        "tests=pattern pattern=grouped group=256K pages=4k max=8M", NULL);
    assert_int_equal(now.points, 1);
    assert_int_equal(now.point[0].hops % 4096, 0);
    assert_true(near_to(now.point[0].ns_median, now.point[0].ns_mean, 0.001));
    assert_true(near_to(now.point[0].ns_median, 20 + 4000.0 / 64, 0.002));
}

static doubt_set doubt_of_latency(const char *detail)
{
    for (size_t i = 0; i < now.findings; i++)
        if (strcmp(now.name[i], "latency") == 0 && strcmp(now.detail[i], detail) == 0)
            return now.finding[i].doubt;
    fail_msg("no latency of %s", detail);
    return 0;
}

static void a_coarse_clock_is_a_doubt(void **state)
{
    (void)state;
    run(PLAIN, "tests=throughput max=1M hops=4096", NULL);
    assert_int_equal(doubt_of_latency("L1"), 0);
    run("clock core=2G counter=1G step=1000\n" CYCLES
        "cache name=L2 bytes=64K ways=8 latency=14c\nmemory bytes=64M base=100ns\n",
        "tests=throughput max=1M hops=4096", NULL);
    assert_true(doubt_of_latency("L1") & doubt_of(DOUBT_COARSE_CLOCK));
    assert_int_equal(doubt_of_latency("memory") & doubt_of(DOUBT_COARSE_CLOCK), 0);
}

static void disturbs(const struct simulator *sim, const struct chase_plan *plan,
                     struct chase_result *result)
{
    (void)sim;
    for (uint32_t i = 0; i < result->samples; i++)
        plan->disturbed[i] = i % 4 != 0;
}

static void samples_that_others_disturb_are_a_doubt(void **state)
{
    (void)state;
    run(PLAIN, "tests=throughput max=1M", disturbs);
    assert_true(doubt_of_latency("L1") & doubt_of(DOUBT_DISTURBED));
}

static uint64_t burst_bytes;
static double burst_until_ns;

/* Other work on the machine from the first section over such a set on, for 100 ms. */
static void bursts(const struct simulator *sim, const struct chase_plan *plan,
                   struct chase_result *result)
{
    double when_ns = simulator_now_ns(sim);

    if (plan->lines * plan->stride_bytes != burst_bytes)
        return;
    if (burst_until_ns == 0)
        burst_until_ns = when_ns + 5e6;
    if (when_ns < burst_until_ns)
        scale_ticks(plan, result, 6);
}

static void a_burst_over_a_small_set_is_contradicted(void **state)
{
    (void)state;
    burst_until_ns = 0;
    burst_bytes = 32 << 10;
    run(PLAIN, "tests=throughput max=1M", bursts);
    /* the level next to it is too imprecise to say that this is another place */
    assert_int_equal(doubt_of_latency("declared L1"), 0);
    assert_true(doubt_of_latency("L2") & doubt_of(DOUBT_CONTRADICTED));
    for (size_t i = 0; i < now.findings; i++)
        if (strcmp(now.name[i], "latency") == 0 && strcmp(now.detail[i], "L2") == 0)
            assert_true(near_to(now.finding[i].value, 7, 0.005) && now.finding[i].high >= 41);
}

/* 4M of cache are declared, and there are 64K. */
static void a_declared_place_that_timing_denies_is_marked(void **state)
{
    (void)state;
    run("clock core=2G counter=1G\n" CYCLES
        "cache name=L2 bytes=64K ways=8 latency=14c declared=4M\nmemory bytes=64M base=100ns\n",
        "tests=throughput max=16M", NULL);
    assert_int_equal(doubt_of_latency("L1"), 0);
    assert_true(doubt_of_latency("declared L2") & doubt_of(DOUBT_CONTRADICTED));
    assert_int_equal(doubt_of_latency("memory"), doubt_of(DOUBT_UNDECLARED_CACHE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_replacement_is_waited_for),
        LONG_TEST(draws_find_no_lines_of_earlier_sets),
        cmocka_unit_test(adaptive_caches_decide_before_draws),
        cmocka_unit_test(adaptive_caches_decide_again_after_sets_that_fit),
        cmocka_unit_test(a_set_leaves_no_lines_to_the_next),
        cmocka_unit_test(what_there_is_no_time_for_is_reported),
        LONG_TEST(samples_that_move_are_taken_again),
        LONG_TEST(what_an_adaptive_cache_keeps_is_in_the_figure),
        cmocka_unit_test(no_time_for_laps_is_reported),
        cmocka_unit_test(points_that_are_not_watched_are_unknown),
        LONG_TEST(a_step_inside_a_point_is_its_own),
        cmocka_unit_test(a_wrong_measurement_is_no_step),
        cmocka_unit_test(an_unknown_frequency_has_no_step),
        cmocka_unit_test(arithmetic_follows_the_frequency),
        cmocka_unit_test(sets_before_a_step_are_measured_again),
        cmocka_unit_test(at_an_unknown_frequency_each_experiment_calibrates),
        cmocka_unit_test(a_sample_is_whole_groups),
        cmocka_unit_test(a_coarse_clock_is_a_doubt),
        cmocka_unit_test(samples_that_others_disturb_are_a_doubt),
        cmocka_unit_test(a_burst_over_a_small_set_is_contradicted),
        cmocka_unit_test(a_declared_place_that_timing_denies_is_marked),
    };

    return RUN_TESTS(tests);
}
