/* SPDX-License-Identifier: BSD-2-Clause */
/* threads and loaded on machines of several CPUs whose memory has a known latency and bandwidth. */
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
#include "tests/shared/words.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/simulator.h"

#define LOADS_MAX    512
#define FINDINGS_MAX 64

static struct {
    struct record_load load[LOADS_MAX];
    char why[LOADS_MAX][80], kind[LOADS_MAX][16], pattern[LOADS_MAX][16];
    struct record_finding finding[FINDINGS_MAX];
    char name[FINDINGS_MAX][64], detail[FINDINGS_MAX][64], bound[FINDINGS_MAX][16];
    unsigned loads, findings;
    char note[2000], end[16];
} heard;

static void keep_load(const struct record_load *load)
{
    unsigned i = heard.loads++;

    assert_true(i < LOADS_MAX);
    heard.load[i] = *load;
    snprintf(heard.kind[i], sizeof heard.kind[i], "%s", load->kind);
    snprintf(heard.pattern[i], sizeof heard.pattern[i], "%s", load->pattern ? load->pattern : "");
    snprintf(heard.why[i], sizeof heard.why[i], "%s", load->why ? load->why : "");
}

static void keep_finding(const struct record_finding *finding)
{
    unsigned i = heard.findings++;

    assert_true(i < FINDINGS_MAX);
    heard.finding[i] = *finding;
    snprintf(heard.name[i], sizeof heard.name[i], "%s", finding->name);
    snprintf(heard.detail[i], sizeof heard.detail[i], "%s", finding->detail ? finding->detail : "");
    snprintf(heard.bound[i], sizeof heard.bound[i], "%s", finding->bound);
}

static void listen(void *context, const struct record *record)
{
    size_t used = strlen(heard.note);

    (void)context;
    if (record->kind == RECORD_LOAD)
        keep_load(&record->u.load);
    if (record->kind == RECORD_FINDING)
        keep_finding(&record->u.finding);
    if (record->kind == RECORD_NOTE)
        snprintf(heard.note + used, sizeof heard.note - used, "%s: %s\n", record->u.note.what,
                 record->u.note.why);
    if (record->kind == RECORD_END)
        snprintf(heard.end, sizeof heard.end, "%s", record->u.end.status);
}

/* ---- the machine's loads may be somebody else's CPUs for a while */

static struct {
    bool on;
    unsigned sections;
    enum status (*chase_run)(void *self, const struct window *w, const struct chase_plan *plan,
                             struct chase_result *result);
} alone;

/* Of three sections with loads beside them two are without the first of these. */
static enum status often_alone(void *self, const struct window *w, const struct chase_plan *plan,
                               struct chase_result *result)
{
    enum status status = alone.chase_run(self, w, plan, result);

    if (plan->done != NULL && alone.sections++ % 3 != 0)
        plan->done[0] = (struct traffic_done){.ticks = 0};
    return status;
}

/* Loads that pause for so long never run; 0: all do. */
static struct {
    uint32_t pause_cycles, now;
    enum status (*load_start)(void *self, const struct window *w, uint32_t cpu,
                              const struct traffic *traffic, uint32_t count, const char **why);
} absent;

static enum status heed_pause(void *self, const struct window *w, uint32_t cpu,
                              const struct traffic *traffic, uint32_t count, const char **why)
{
    absent.now = traffic[0].pause_cycles;
    return absent.load_start(self, w, cpu, traffic, count, why);
}

static enum status absent_at_that_pause(void *self, const struct window *w,
                                        const struct chase_plan *plan, struct chase_result *result)
{
    enum status status = alone.chase_run(self, w, plan, result);

    if (plan->done != NULL && absent.now == absent.pause_cycles)
        plan->done[0] = (struct traffic_done){.ticks = 0};
    return status;
}

static void make_absent(struct machine *machine)
{
    absent.load_start = machine->load_start;
    machine->load_start = heed_pause;
    machine->chase_run = absent_at_that_pause;
}

/* A last cache of 64K, and what memory and CPUs are. */
static void run(const char *lines, const char *words)
{
    static struct sim_config config;
    struct simulator *sim = malloc(sizeof *sim);
    struct sim_file_error error;
    struct option_error option_error;
    char text[1600];

    memset(&heard, 0, sizeof heard);
    snprintf(text, sizeof text,
             "machine name=m pages=4k,2m\nclock core=2G counter=1G\n"
             "cache name=L1 bytes=4K ways=4 latency=4c\n"
             "cache name=L2 bytes=16K ways=8 latency=14c\n"
             "cache name=L3 bytes=64K ways=16 latency=20ns\n%s\nend\n",
             lines);
    if (!sim_machine_parse(&config, text, strlen(text), "m", &error))
        fail_msg("%s", error.text);
    simulator_start(sim, &config, false);
    alone.chase_run = sim->machine.chase_run;
    if (alone.on)
        sim->machine.chase_run = often_alone;
    if (absent.pause_cycles != 0)
        make_absent(&sim->machine);
    if (words_run(&sim->machine, words, listen, NULL, &option_error) != STATUS_OK)
        fail_msg("%s", option_error.text);
    simulator_stop(sim);
    free(sim);
    assert_string_equal(heard.end, "ok");
}

static void assert_near(double is, double wanted, double share)
{
    if (!(fabs(is - wanted) <= share * wanted))
        fail_msg("%.3f instead of %.3f", is, wanted);
}

/* 20 ns to miss the last cache, then a closed bank: 40 + 14 + 10. */
#define IDLE_NS 84.0
#define MEMORY                                                                                  \
    "memory bytes=256M base=60ns tcl=14ns trcd=10ns channels=2 banks=64 rows=closed misses=16 " \
    "bandwidth=8G\n"
#define PEAK 16e9

#define LOADED  "tests=loaded max=512K pages=2m budget=100000 hops=128"
#define THREADS "tests=threads max=2M pages=2m budget=100000 hops=128"

static unsigned find(const char *name, const char *detail)
{
    for (unsigned i = 0; i < heard.findings; i++)
        if (strcmp(heard.name[i], name) == 0 &&
            strncmp(heard.detail[i], detail, strlen(detail)) == 0)
            return i;
    fail_msg("no finding %s, %s", name, detail);
    return 0;
}

static double value_of(const char *name, const char *detail)
{
    return heard.finding[find(name, detail)].value;
}

/* ---- loaded */

static const char *const curves[][2] = {
    {"read", "sequential"}, {"read", "random"}, {"2:1", "sequential"},      {"2:1", "random"},
    {"1:1", "sequential"},  {"1:1", "random"},  {"store-nt", "sequential"}, {"store-nt", "random"}};
static const double written[] = {0, 1.0 / 3, 1.0 / 2, 1};

#define CURVES (sizeof curves / sizeof curves[0])

static bool is_of(unsigned i, size_t curve)
{
    return strcmp(heard.kind[i], curves[curve][0]) == 0 &&
           strcmp(heard.pattern[i], curves[curve][1]) == 0;
}

/* What this memory can give lies between steps below and above twice the latency; and where a step
 * is faster it takes longer. */
static void check_knee(size_t curve, const char *detail)
{
    const struct record_finding *knee =
        &heard.finding[find("bandwidth at twice the unloaded latency", detail)];

    assert_true(knee->low <= knee->value && knee->value <= knee->high);
    for (unsigned i = 0; i < heard.loads; i++) {
        const struct record_load *load = &heard.load[i];
        if (!is_of(i, curve))
            continue;
        if (load->ns_high < 2 * IDLE_NS)
            assert_true(load->bytes_per_s < 1.01 * knee->high);
        if (load->ns_low > 2 * IDLE_NS)
            assert_true(load->bytes_per_s > 0.99 * knee->low);
    }
}

static void check_curve(size_t curve)
{
    char detail[48];
    unsigned steps = 0;

    snprintf(detail, sizeof detail, "%s, %s", curves[curve][0], curves[curve][1]);
    for (unsigned i = 0; i < heard.loads; i++) {
        const struct record_load *load = &heard.load[i];
        if (!is_of(i, curve))
            continue;
        steps++;
        assert_string_equal(heard.why[i], "");
        assert_int_equal(load->processors, 5);
        assert_true(load->ns >= 0.99 * IDLE_NS && load->bytes_per_s <= 1.01 * PEAK);
        assert_true(load->ns_low <= load->ns && load->ns <= load->ns_high);
        assert_true(load->bytes_per_s_low <= load->bytes_per_s &&
                    load->bytes_per_s <= load->bytes_per_s_high);
        assert_near(load->over, load->ns / IDLE_NS, 0.01);
        /* The chase reads a line in each ns. */
        assert_near(load->written_share,
                    written[curve / 2] * (1 - 64e9 / load->ns / load->bytes_per_s), 0.01);
    }
    assert_in_range(steps, 4, 6);
    assert_near(value_of("peak bandwidth", detail), PEAK, 0.03);
    check_knee(curve, detail);
    assert_true(value_of("latency at equal bandwidth", detail) > IDLE_NS);
}

static void a_loaded_curve_has_both_its_ends(void **state)
{
    (void)state;
    run(MEMORY "cpu\ncpu\ncpu\ncpu", LOADED);
    assert_near(value_of("unloaded latency", ""), IDLE_NS, 0.01);
    for (size_t curve = 0; curve < CURVES; curve++)
        check_curve(curve);
}

/* One CPU that keeps few lines under way does not load this memory to its knee. */
static void a_weak_load_says_at_least(void **state)
{
    (void)state;
    run("memory bytes=256M base=60ns tcl=14ns trcd=10ns channels=8 banks=64 rows=closed misses=4 "
        "bandwidth=8G\ncpu",
        LOADED);
    for (unsigned i = 0; i < heard.findings; i++)
        if (strcmp(heard.name[i], "bandwidth at twice the unloaded latency") == 0) {
            assert_string_equal(heard.bound[i], "at_least");
            assert_near(heard.finding[i].value, value_of("peak bandwidth", heard.detail[i]), 1e-9);
        }
    /* Four lines in 84 ns, and one. */
    assert_near(value_of("peak bandwidth", "read, random"), 5 * 64e9 / IDLE_NS, 0.05);
}

static void one_cpu_is_said_to_be_one(void **state)
{
    (void)state;
    run(MEMORY, LOADED);
    assert_int_equal(heard.loads, 1 + CURVES);
    for (unsigned i = 1; i < heard.loads; i++) {
        assert_string_equal(heard.why[i], "the machine lists one CPU");
        assert_true(isnan(heard.load[i].ns));
    }
    assert_non_null(strstr(heard.note, "loaded: no other CPU loads memory: the machine lists one"));
    run(MEMORY "cpu", THREADS " cpus=0");
    assert_int_equal(heard.loads, 2);
    assert_string_equal(heard.why[1], "cpus= takes no other CPU");
}

/* ---- threads */

static void assert_load(unsigned i, uint64_t cpu, double ns, double bytes_per_s, double share)
{
    assert_string_equal(heard.why[i], "");
    assert_int_equal(heard.load[i].cpu, cpu);
    assert_near(heard.load[i].ns, ns, share);
    assert_near(heard.load[i].bytes_per_s, bytes_per_s, share);
}

/* Memory with room for all: nobody waits. */
static void cpus_that_do_not_wait_add_up(void **state)
{
    double one = 64e9 / IDLE_NS;

    (void)state;
    run(MEMORY "cpu\ncpu\ncpu", THREADS);
    /* 1; 2 with each of 2; 4 with each of 4 */
    assert_int_equal(heard.loads, 1 + 3 + 5);
    assert_load(0, RECORD_UNKNOWN, IDLE_NS, one, 0.01);
    assert_load(1, RECORD_UNKNOWN, IDLE_NS, 2 * one, 0.01);
    assert_load(4, RECORD_UNKNOWN, IDLE_NS, 4 * one, 0.01);
    for (unsigned cpu = 0; cpu < 4; cpu++)
        assert_load(5 + cpu, cpu, IDLE_NS, one, 0.01);
    assert_near(heard.load[4].over, 1, 0.01);
}

/* Four CPUs of fourteen chains ask for more than memory gives: each has a quarter, and waits. */
static void cpus_share_what_memory_gives(void **state)
{
    double each_ns = 4 * 14 * 64e9 / PEAK;

    (void)state;
    run(MEMORY "cpu\ncpu\ncpu", THREADS " chains=14");
    assert_int_equal(heard.loads, 9);
    assert_load(4, RECORD_UNKNOWN, each_ns, PEAK, 0.03);
    for (unsigned cpu = 0; cpu < 4; cpu++) {
        assert_load(5 + cpu, cpu, each_ns, PEAK / 4, 0.05);
        assert_near(heard.load[5 + cpu].over, heard.load[5 + cpu].ns / heard.load[0].ns, 0.001);
    }
}

/* A far CPU has its own latency; one that does not start takes no part. */
static void each_cpu_has_its_own_figure(void **state)
{
    (void)state;
    run(MEMORY "cpu far=20ns\ncpu fails=yes", THREADS);
    assert_int_equal(heard.loads, 1 + 3);
    assert_load(2, 0, IDLE_NS, 64e9 / IDLE_NS, 0.01);
    assert_load(3, 1, IDLE_NS + 20, 64e9 / (IDLE_NS + 20), 0.01);
    assert_near(heard.load[1].ns, IDLE_NS + 10, 0.01);
    assert_non_null(strstr(heard.note, "threads: a CPU takes no part: CPU 2: "));
}

/* The step that would stand between those at a knee is there already, without a figure. */
static void a_step_without_a_figure_is_not_planned_again(void **state)
{
    (void)state;
    /* Half a CPU's loads fill this memory: its knee is before the longest of all pauses. */
    absent.pause_cycles = 16384;
    run("memory bytes=256M base=60ns tcl=14ns trcd=10ns channels=1 banks=64 rows=closed misses=16 "
        "bandwidth=1500M\ncpu\ncpu\ncpu\ncpu",
        LOADED);
    absent.pause_cycles = 0;
    for (size_t curve = 0; curve < CURVES; curve++) {
        unsigned steps = 0;
        for (unsigned i = 0; i < heard.loads; i++)
            steps += is_of(i, curve) && heard.load[i].pause_cycles == 16384;
        assert_int_equal(steps, 1);
    }
}

/* A set that a declared cache holds, or may hold in part, is not memory's; nor surely one that an
 * undeclared cache may hold. */
static void small_sets_are_doubted(void **state)
{
    (void)state;
    run(MEMORY "cpu", "tests=loaded max=32K pages=2m budget=100000 hops=128");
    assert_true(heard.finding[find("unloaded latency", "")].doubt & doubt_of(DOUBT_EXTRAPOLATED));
    assert_true(heard.finding[find("peak bandwidth", "read, random")].doubt &
                doubt_of(DOUBT_EXTRAPOLATED));
    assert_true(heard.load[0].doubt & doubt_of(DOUBT_EXTRAPOLATED));
    assert_non_null(strstr(heard.note, "loaded: the set fits in a cache: the last level is "
                                       "declared to hold 64K"));
    run(MEMORY "cpu", "tests=threads max=192K pages=2m budget=100000 hops=128");
    assert_true(heard.load[0].doubt & doubt_of(DOUBT_EXTRAPOLATED));
    assert_non_null(strstr(heard.note, "threads: a cache may hold part of the set"));
    run(MEMORY "cpu", "tests=threads max=256K pages=2m budget=100000 hops=128");
    assert_int_equal(heard.load[0].doubt, doubt_of(DOUBT_UNDECLARED_CACHE));
    assert_null(strstr(heard.note, "may hold"));
    run(MEMORY "cpu", "tests=threads pages=2m budget=100000 hops=128");
    assert_int_equal(heard.load[0].bytes, 256 << 20);
    assert_int_equal(heard.load[0].doubt, 0);
}

/* Samples without them are no figure's; those with them are enough for one, which is marked. */
static void cpus_that_rarely_run_together_have_a_figure(void **state)
{
    double each_ns = 4 * 14 * 64e9 / PEAK;

    (void)state;
    alone.on = true;
    run(MEMORY "cpu\ncpu\ncpu", THREADS " chains=14");
    alone.on = false;
    assert_int_equal(heard.loads, 9);
    assert_load(4, RECORD_UNKNOWN, each_ns, PEAK, 0.03);
    assert_true(heard.load[4].doubt & doubt_of(DOUBT_DISTURBED));
    assert_false(heard.load[0].doubt & doubt_of(DOUBT_DISTURBED));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LONG_TEST(a_loaded_curve_has_both_its_ends),
        cmocka_unit_test(a_weak_load_says_at_least),
        cmocka_unit_test(one_cpu_is_said_to_be_one),
        cmocka_unit_test(cpus_that_do_not_wait_add_up),
        cmocka_unit_test(cpus_share_what_memory_gives),
        cmocka_unit_test(each_cpu_has_its_own_figure),
        LONG_TEST(a_step_without_a_figure_is_not_planned_again),
        cmocka_unit_test(small_sets_are_doubted),
        cmocka_unit_test(cpus_that_rarely_run_together_have_a_figure),
    };

    return RUN_TESTS(tests);
}
