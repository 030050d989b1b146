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

static unsigned find(const char *name, const char *detail)
{
    for (unsigned i = 0; i < heard.findings; i++)
        if (strcmp(heard.name[i], name) == 0 &&
            strncmp(heard.detail[i], detail, strlen(detail)) == 0)
            return i;
    fail_msg("no finding %s, %s", name, detail);
    return 0;
}

static void print_loads(void)
{
    for (unsigned i = 0; i < heard.loads; i++)
        printf("%s %s cpu %ld of %lu pause %ld: %.2f (%.2f to %.2f) ns, %.3f (%.3f to %.3f) GB/s, "
               "%.3f written, doubt %x %s\n",
               heard.kind[i], heard.pattern[i], (long)heard.load[i].cpu,
               (unsigned long)heard.load[i].processors, (long)heard.load[i].pause_cycles,
               heard.load[i].ns, heard.load[i].ns_low, heard.load[i].ns_high,
               heard.load[i].bytes_per_s * 1e-9, heard.load[i].bytes_per_s_low * 1e-9,
               heard.load[i].bytes_per_s_high * 1e-9, heard.load[i].written_share,
               heard.load[i].doubt, heard.why[i]);
    for (unsigned i = 0; i < heard.findings; i++)
        printf("%s, %s: %s %.4g (%.4g to %.4g)\n", heard.name[i], heard.detail[i], heard.bound[i],
               heard.finding[i].value, heard.finding[i].low, heard.finding[i].high);
    printf("%s", heard.note);
}

static void a_loaded_curve_has_both_its_ends(void **state)
{
    (void)state;
    run(MEMORY "cpu\ncpu\ncpu\ncpu", "tests=loaded max=1M pages=2m budget=100000 error=2");
    print_loads();
    assert_near(heard.finding[find("unloaded latency", "")].value, IDLE_NS, 0.01);
    assert_near(heard.finding[find("peak bandwidth", "read, sequential")].value, PEAK, 0.03);
}

static void cpus_that_chase_share_memory(void **state)
{
    (void)state;
    run(MEMORY "cpu\ncpu\ncpu", "tests=threads max=2M pages=2m budget=100000");
    print_loads();
    /* 1; 2 with each of 2; 4 with each of 4 */
    assert_int_equal(heard.loads, 1 + 3 + 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpus_that_chase_share_memory),
        cmocka_unit_test(a_loaded_curve_has_both_its_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
