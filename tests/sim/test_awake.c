/* SPDX-License-Identifier: BSD-2-Clause */
/* awake on machines whose last cache and memory answer later while no other core runs, or while
 * another thread of the core does. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/stats/doubt.h"
#include "tests/long.h"
#include "tests/sim/trial.h"

static struct sim_trial trial;

/* ---- the machine's CPUs that are kept awake may be somebody else's for a while */

static struct {
    unsigned of; /* of so many sections one is with all of them; 0: all are */
    unsigned sections;
    enum status (*chase_run)(void *self, const struct window *w, const struct chase_plan *plan,
                             struct chase_result *result);
} away;

/* What is to halt wakes all the time. */
static bool restless;

static enum status mostly_away(void *self, const struct window *w, const struct chase_plan *plan,
                               struct chase_result *result)
{
    enum status status = away.chase_run(self, w, plan, result);

    if (plan->done != NULL && away.sections++ % away.of != 0)
        plan->done[0] = (struct traffic_done){.ticks = 0};
    for (uint32_t i = 0; i < 3 && restless && plan->done != NULL; i++)
        plan->done[i].wakes = 100 * result->samples;
    return status;
}

/* A machine whose memory gets slower all the time, or is another every few sections, whatever other
 * CPUs do. */
static bool slows;
static uint64_t steps;
#define STEP_SECTIONS 12

static enum status slower_and_slower(void *self, const struct window *w,
                                     const struct chase_plan *plan, struct chase_result *result)
{
    enum status status = away.chase_run(self, w, plan, result);
    double more = 1 + 0.0005 * away.sections++;

    if (!slows) {
        uint64_t draw = (steps + away.sections / STEP_SECTIONS) * 0x9e3779b97f4a7c15ull;
        more = 1 + 0.1 * (double)((draw ^ draw >> 29) * 0xbf58476d1ce4e5b9ull >> 32) / 0x1p32;
    }
    for (uint32_t i = 0; i < result->samples; i++)
        plan->ticks[i] = (uint64_t)((double)plan->ticks[i] * more);
    return status;
}

#define L3_NS 20.0
/* 20 ns to miss the last cache, then a closed bank: 40 + 14 + 10. */
#define MEMORY_NS  84.0
#define ASLEEP_NS  12.0
#define SIBLING_NS 5.0

/* Too small to hold much of half of the last one, or of half that and random. */
static const char small_l2[] = "bytes=4K ways=8", random_l2[] = "bytes=16K ways=8 policy=random";
static const char *l2 = small_l2;

/* NULL: the machine can park CPUs. */
static const char *no_park;

static void change(struct simulator *sim)
{
    sim->description.no_park = no_park;
    away.sections = 0;
    away.chase_run = sim->machine.chase_run;
    if (away.of != 0 || restless)
        sim->machine.chase_run = mostly_away;
    if (slows || steps != 0)
        sim->machine.chase_run = slower_and_slower;
}

static void run(const char *cpus, const char *words)
{
    char lines[1000], all[200];

    snprintf(lines, sizeof lines,
             "clock core=2G counter=1G\n"
             "core asleep-adds=12ns sibling-adds=5ns\n"
             "cache name=L1 bytes=1K ways=4 latency=4c\n"
             "cache name=L2 %s latency=14c\n"
             "cache name=L3 bytes=64K ways=16 latency=20ns\n"
             "memory bytes=256M base=60ns tcl=14ns trcd=10ns channels=2 banks=64 rows=closed\n%s",
             l2, cpus);
    snprintf(all, sizeof all, "tests=awake pages=2m budget=100000 hops=128 %s", words);
    sim_trial_run_changed(&trial, lines, all, change);
    assert_string_equal(trial.refused, "");
    assert_string_equal(trial.end, "ok");
    for (size_t i = 0; i < trial.loads; i++) {
        const struct record_load *load = &trial.load[i].load;
        assert_null(load->pattern);
        assert_true(load->pause_cycles == RECORD_UNKNOWN && load->each_bytes == RECORD_UNKNOWN);
    }
    for (size_t i = 0; i < trial.findings; i++)
        assert_string_equal(trial.finding[i].finding.unit, "ns");
}

static void assert_near(double is, double wanted)
{
    if (!(fabs(is - wanted) <= 0.01 * fabs(wanted)))
        fail_msg("%.3f instead of %.3f", is, wanted);
}

/* An undeclared cache may hold sets of memory that are this small. */
static doubt_set small_set(bool memory)
{
    return memory ? doubt_of(DOUBT_UNDECLARED_CACHE) : 0;
}

static void assert_load(unsigned i, const char *kind, uint64_t processors, uint64_t siblings,
                        uint64_t parked, double ns, double asleep_ns)
{
    const struct record_load *load = &trial.load[i].load;

    assert_true(i < trial.loads);
    assert_string_equal(trial.load[i].why, "");
    assert_string_equal(trial.load[i].load.kind, kind);
    assert_int_equal(load->processors, processors);
    assert_int_equal(load->siblings, siblings);
    assert_int_equal(load->parked, parked);
    assert_int_equal(load->cpu, 0);
    assert_near(load->ns, ns);
    assert_true(load->ns_low <= load->ns && load->ns <= load->ns_high);
    assert_near(load->over, ns / asleep_ns);
    /* What the one that chases reads; the others read nothing. */
    assert_near(load->bytes_per_s, 64e9 / ns);
    assert_true(load->written_share == 0);
    assert_int_equal(load->doubt, small_set(load->bytes == 2 << 20));
}

static void assert_finding(unsigned i, const char *name, const char *detail, double ns)
{
    const struct record_finding *finding = &trial.finding[i].finding;

    assert_true(i < trial.findings);
    assert_string_equal(trial.finding[i].name, name);
    assert_string_equal(trial.finding[i].detail, detail);
    assert_near(finding->value, ns);
    assert_true(finding->low <= finding->value && finding->value <= finding->high);
    assert_int_equal(finding->doubt, small_set(strcmp(detail, "memory") == 0));
}

static void each_state_is_found(void **state)
{
    const char *const names[] = {"memory", "L3"};
    const double ns[] = {MEMORY_NS, L3_NS};

    (void)state;
    /* The sibling is the first of the others. */
    run("cpu thread-of=0\ncpu\ncpu thread-of=2", "max=2M");
    assert_int_equal(trial.loads, 8);
    assert_int_equal(trial.findings, 6);
    for (unsigned set = 0; set < 2; set++) {
        double asleep = ns[set] + ASLEEP_NS;
        assert_load(4 * set, "none", 1, 0, 0, asleep, asleep);
        assert_load(4 * set + 1, "spin", 3, 0, 1, ns[set], asleep);
        assert_load(4 * set + 2, "spin", 4, 1, 0, ns[set] + SIBLING_NS, asleep);
        assert_load(4 * set + 3, "park", 1, 0, 3, asleep, asleep);
        assert_finding(3 * set, "awake less asleep", names[set], -ASLEEP_NS);
        assert_finding(3 * set + 1, "sibling awake less asleep", names[set], SIBLING_NS);
        assert_finding(3 * set + 2, "parked less asleep", names[set], 0);
    }
    assert_false(sim_trial_noted(&trial, "awake: "));
}

/* Threads of the core are then as they were found. */
static void a_machine_that_cannot_park_says_so(void **state)
{
    (void)state;
    no_park = "its CPUs do not halt";
    run("cpu thread-of=0\ncpu\ncpu thread-of=2", "max=2M");
    no_park = NULL;
    assert_int_equal(trial.loads, 6);
    assert_load(1, "spin", 3, 0, 0, MEMORY_NS, MEMORY_NS + ASLEEP_NS);
    assert_load(2, "spin", 4, 1, 0, MEMORY_NS + SIBLING_NS, MEMORY_NS + ASLEEP_NS);
    assert_int_equal(trial.findings, 4);
    assert_true(sim_trial_noted(&trial,
                                "awake: no CPU is parked: those that do not run are as they "
                                "were found: its CPUs do not halt"));
}

static void without_siblings_there_are_three_states(void **state)
{
    (void)state;
    run("cpu\ncpu", "max=2M");
    assert_int_equal(trial.loads, 6);
    assert_int_equal(trial.findings, 4);
    assert_load(1, "spin", 3, 0, 0, MEMORY_NS, MEMORY_NS + ASLEEP_NS);
    assert_finding(2, "awake less asleep", "L3", -ASLEEP_NS);
    assert_true(sim_trial_noted(&trial, "awake: no sibling is kept awake: no CPU that takes part"));
}

/* Other cores sleep all the time. */
static void a_sibling_alone_is_compared_with_asleep(void **state)
{
    (void)state;
    run("cpu thread-of=0", "max=2M");
    assert_int_equal(trial.loads, 8);
    assert_string_equal(trial.load[1].why,
                        "every other CPU that takes part is a thread of the same core");
    assert_true(isnan(trial.load[1].load.ns) && trial.load[1].load.siblings == 0);
    assert_load(2, "spin", 2, 1, 0, MEMORY_NS + ASLEEP_NS + SIBLING_NS, MEMORY_NS + ASLEEP_NS);
    assert_int_equal(trial.findings, 4);
    assert_finding(0, "sibling awake less asleep", "memory", SIBLING_NS);
}

static void one_cpu_is_said_to_be_one(void **state)
{
    (void)state;
    run("", "max=2M");
    assert_int_equal(trial.loads, 4);
    assert_int_equal(trial.findings, 0);
    assert_load(0, "none", 1, 0, 0, MEMORY_NS + ASLEEP_NS, MEMORY_NS + ASLEEP_NS);
    assert_string_equal(trial.load[1].load.kind, "spin");
    assert_string_equal(trial.load[1].why, "the machine lists one CPU");
    assert_string_equal(trial.load[3].why, "the machine lists one CPU");
    assert_true(
        sim_trial_noted(&trial, "awake: no other CPU is kept awake: the machine lists one"));
    run("cpu\ncpu", "max=2M cpus=0");
    assert_string_equal(trial.load[1].why, "cpus= takes no other CPU");
}

/* Those that it does not take sleep, and those that do not start. */
static void cpus_says_who_is_awake(void **state)
{
    (void)state;
    run("cpu thread-of=0\ncpu\ncpu fails=yes\ncpu", "max=2M cpus=0,2,3");
    assert_int_equal(trial.loads, 6);
    assert_load(1, "spin", 2, 0, 0, MEMORY_NS, MEMORY_NS + ASLEEP_NS);
    assert_true(sim_trial_noted(&trial, "awake: a CPU takes no part: CPU 3: "));
    run("cpu thread-of=0\ncpu", "max=2M cpus=0,1");
    assert_load(2, "spin", 2, 1, 0, MEMORY_NS + ASLEEP_NS + SIBLING_NS, MEMORY_NS + ASLEEP_NS);
}

/* Samples without them are no figure's. */
static void those_that_do_not_run_are_not_awake(void **state)
{
    (void)state;
    away.of = 3;
    run("cpu\ncpu", "max=2M");
    assert_string_equal(trial.load[1].why, "");
    assert_near(trial.load[1].load.ns, MEMORY_NS);
    assert_true(trial.load[1].load.doubt & doubt_of(DOUBT_DISTURBED));
    assert_int_equal(trial.load[0].load.doubt, small_set(true));
    assert_true(trial.finding[0].finding.doubt & doubt_of(DOUBT_DISTURBED));
    away.of = 1000;
    run("cpu\ncpu", "max=2M");
    away.of = 0;
    assert_string_equal(trial.load[1].why,
                        "a CPU that was to be kept awake did not run most of the time");
    assert_true(isnan(trial.load[1].load.ns));
    assert_int_equal(trial.findings, 2);
    assert_finding(0, "parked less asleep", "memory", 0);
}

/* As under an emulator, for which MWAIT is nothing. */
static void parked_cpus_that_wake_are_marked(void **state)
{
    (void)state;
    away.of = 1;
    restless = true;
    run("cpu thread-of=0\ncpu\ncpu thread-of=2", "max=2M");
    restless = false;
    away.of = 0;
    assert_int_equal(trial.loads, 8);
    for (size_t i = 0; i < trial.loads; i++)
        assert_int_equal((trial.load[i].load.doubt & doubt_of(DOUBT_DISTURBED)) != 0,
                         trial.load[i].load.parked != 0);
    assert_true(sim_trial_noted(&trial, "awake: parked CPUs do not stay halted: they woke "));
}

/* A set of memory that a cache may hold in part is not memory's; the cache's own is none. */
static void a_small_set_of_memory_is_doubted(void **state)
{
    (void)state;
    run("cpu", "max=192K");
    for (unsigned i = 0; i < 3; i++) {
        assert_true(trial.load[i].load.doubt & doubt_of(DOUBT_EXTRAPOLATED));
        assert_int_equal(trial.load[3 + i].load.doubt, 0);
    }
    for (unsigned i = 0; i < 2; i++) {
        assert_true(trial.finding[i].finding.doubt & doubt_of(DOUBT_EXTRAPOLATED));
        assert_int_equal(trial.finding[2 + i].finding.doubt, 0);
    }
}

/* The last cache's set is walked in a cycle, of which a random cache keeps a part. */
static void what_a_nearer_cache_may_answer_is_doubted(void **state)
{
    (void)state;
    l2 = random_l2;
    run("cpu", "max=2M");
    l2 = small_l2;
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(trial.load[i].load.doubt, small_set(true));
        assert_int_equal(trial.load[3 + i].load.doubt, doubt_of(DOUBT_MERGED));
    }
    assert_true(trial.load[3].load.ns < 0.95 * (L3_NS + ASLEEP_NS));
    assert_int_equal(trial.finding[2].finding.doubt, doubt_of(DOUBT_MERGED));
}

static bool is_held(size_t i)
{
    const struct record_finding *finding = &trial.finding[i].finding;
    double ns = strcmp(trial.finding[i].name, "parked less asleep") == 0 ? 0 : -ASLEEP_NS;

    return finding->low <= ns && ns <= finding->high;
}

/* What moves meanwhile is no difference between states: it is in the bounds. */
static void drift_is_in_the_bounds(void **state)
{
    (void)state;
    slows = true;
    run("cpu\ncpu", "");
    slows = false;
    assert_int_equal(trial.findings, 4);
    for (size_t i = 0; i < trial.findings; i++)
        if (!is_held(i))
            fail_msg("%.2f (%.2f to %.2f)", trial.finding[i].finding.value,
                     trial.finding[i].finding.low, trial.finding[i].finding.high);
}

/* Nor is what comes and goes: bounds hold it in 95 of 100 runs. */
static void steps_are_in_the_bounds(void **state)
{
    unsigned held = 0, all = 0;

    (void)state;
    for (steps = 1000; steps <= 40000; steps += 1000) {
        run("cpu\ncpu", "max=2M");
        for (size_t i = 0; i < trial.findings; i++) {
            held += is_held(i);
            all++;
        }
    }
    steps = 0;
    assert_int_equal(all, 160);
    if (held < 150)
        fail_msg("%u of %u", held, all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_state_is_found),
        cmocka_unit_test(a_machine_that_cannot_park_says_so),
        cmocka_unit_test(without_siblings_there_are_three_states),
        cmocka_unit_test(a_sibling_alone_is_compared_with_asleep),
        cmocka_unit_test(one_cpu_is_said_to_be_one),
        cmocka_unit_test(cpus_says_who_is_awake),
        cmocka_unit_test(those_that_do_not_run_are_not_awake),
        cmocka_unit_test(parked_cpus_that_wake_are_marked),
        cmocka_unit_test(a_small_set_of_memory_is_doubted),
        cmocka_unit_test(what_a_nearer_cache_may_answer_is_doubted),
        cmocka_unit_test(drift_is_in_the_bounds),
        LONG_TEST(steps_are_in_the_bounds),
    };

    return RUN_TESTS(tests);
}
