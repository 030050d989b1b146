/* SPDX-License-Identifier: BSD-2-Clause */
/* The experiment `parallel` on machines drawn from seeds: a number of outstanding misses that it
 * calls exact is the machine's, and one that it calls a bound is no more. BARECHASE_MACHINES=400
 * draws a twentieth of so many, BARECHASE_SEED= says where to start. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/sim/generator.h"
#include "tests/sim/trial.h"

#define EXACT_LEAST \
    0.3 /* of the machines; the others have too many misses or too little bandwidth */

static unsigned number(const char *name, unsigned otherwise)
{
    const char *text = getenv(name);

    return text ? (unsigned)atoi(text) : otherwise;
}

static void misses_are_exact_or_a_bound(void **state)
{
    struct sim_trial *trial = malloc(sizeof *trial);
    unsigned first = number("BARECHASE_SEED", 6), exact = 0;
    unsigned count = (number("BARECHASE_MACHINES", 0) + 59) / 20;

    (void)state;
    for (unsigned seed = first; seed < first + count; seed++) {
        const struct record_finding *finding;
        struct sim_config config;
        double truth;
        sim_generate(&config, seed);
        sim_trial_run_on(trial, &config, "tests=parallel max=8M");
        if (strcmp(trial->end, "ok") != 0 || !sim_trial_find(trial, "outstanding misses", NULL))
            fail_msg("seed %u: %s", seed, trial->notes != 0 ? trial->note[trial->notes - 1] : "");
        finding = &sim_trial_find(trial, "outstanding misses", NULL)->finding;
        truth = config.memory.misses_most;
        printf("seed %u: %u misses, found %s %.2f%s%s\n", seed, config.memory.misses_most,
               finding->bound, finding->value, finding->limited_by ? ", limited by " : "",
               finding->limited_by ? finding->limited_by : "");
        if (strcmp(finding->bound, "exact") == 0) {
            exact++;
            assert_true(finding->value == truth);
        } else {
            assert_string_equal(finding->bound, "at_least");
            assert_non_null(finding->limited_by);
            assert_true(finding->value <= 1.02 * truth && finding->value >= 1);
        }
    }
    assert_true(exact >= (unsigned)(EXACT_LEAST * count));
    free(trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(misses_are_exact_or_a_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
