/* SPDX-License-Identifier: BSD-2-Clause */
/* What experiments call memory, on machines with a memory-side cache that nothing declares:
 * memory's latency, or marked. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/stats/doubt.h"
#include "tests/long.h"
#include "tests/sim/trial.h"

#define MEMORY_NS 98.0
#define SLC_NS    45.0

static struct sim_trial trial;

/* The declared caches are so small that 32 times their size lies in the one that is not. */
static void run(const char *slc, const char *memory, const char *words)
{
    char lines[1000], all[200];

    snprintf(lines, sizeof lines,
             "clock core=2G counter=1G\n"
             "cache name=L1 bytes=32K ways=4 latency=4c\n"
             "cache name=L2 bytes=128K ways=8 latency=14c\n"
             "cache name=SLC bytes=%s ways=16 latency=45ns memory-side=yes\n"
             "memory bytes=%s base=70ns tcl=14ns trcd=14ns channels=2 banks=64 rows=closed\n"
             "cpu\n",
             slc, memory);
    snprintf(all, sizeof all, "pages=2m budget=1 hops=128 %s", words);
    sim_trial_run(&trial, lines, all);
    assert_string_equal(trial.refused, "");
    assert_string_equal(trial.end, "ok");
}

/* Of each experiment the first figure that it calls memory's. */
static double memory_ns(doubt_set *doubt)
{
    for (size_t i = 0; i < trial.pairs; i++)
        if (strcmp(trial.pair[i].pair.to, "memory") == 0) {
            *doubt = trial.pair[i].pair.doubt;
            return trial.pair[i].pair.ns;
        }
    for (size_t i = 0; i < trial.findings; i++)
        if (strcmp(trial.finding[i].name, "latency") == 0 &&
            strcmp(trial.finding[i].detail, "memory") == 0) {
            *doubt = trial.finding[i].finding.doubt;
            return trial.finding[i].finding.value;
        }
    assert_true(trial.loads > 0);
    *doubt = trial.load[0].load.doubt;
    return trial.load[0].load.ns;
}

static const char *const experiments[] = {"tests=loaded cpus=0", "tests=threads", "tests=awake",
                                          "tests=cores", "tests=throughput"};

static void a_default_set_is_far_beyond_it(void **state)
{
    doubt_set doubt;

    (void)state;
    for (size_t i = 0; i < sizeof experiments / sizeof experiments[0]; i++) {
        run("16M", "1G", experiments[i]);
        if (!(fabs(memory_ns(&doubt) / MEMORY_NS - 1) < 0.02) || doubt != 0)
            fail_msg("%s: %.2f ns, doubt %x", experiments[i], memory_ns(&doubt), doubt);
    }
}

/* Where there is not enough memory, or max= says so. */
static void a_smaller_set_is_marked(void **state)
{
    char words[80];
    doubt_set doubt;

    (void)state;
    for (size_t i = 0; i < sizeof experiments / sizeof experiments[0]; i++) {
        snprintf(words, sizeof words, "%s max=8M", experiments[i]);
        run("16M", "1G", words);
        assert_true(fabs(memory_ns(&doubt) / SLC_NS - 1) < 0.02);
        assert_true(doubt & doubt_of(DOUBT_UNDECLARED_CACHE));
        run("64M", "64M", experiments[i]);
        (void)memory_ns(&doubt);
        assert_true(doubt & doubt_of(DOUBT_UNDECLARED_CACHE));
    }
    run("16M", "1G", "tests=parallel max=8M");
    assert_true(trial.findings > 0);
    for (size_t i = 0; i < trial.findings; i++)
        assert_true(trial.finding[i].finding.doubt & doubt_of(DOUBT_UNDECLARED_CACHE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_default_set_is_far_beyond_it),
        LONG_TEST(a_smaller_set_is_marked),
    };

    return RUN_TESTS(tests);
}
