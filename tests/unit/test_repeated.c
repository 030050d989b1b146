/* SPDX-License-Identifier: BSD-2-Clause */
/* Two figures of one chase over one set agree within their errors, or the second is doubted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/measure/repeated.h"

static struct plan plan;

static struct point *start(double first_ns, double second_ns, double rel_error)
{
    plan.point_count = 2;
    for (uint32_t i = 0; i < 2; i++) {
        plan.point[i] = (struct point){.work_kind = POINT_CHASE,
                                       .kernel = KERNEL_CYCLE,
                                       .order = ORDER_RANDOM,
                                       .bytes = 64 << 20,
                                       .stride_bytes = 64,
                                       .chains = 1};
        plan.point[i].result = (struct point_result){
            .known = true, .mean_ns = i == 0 ? first_ns : second_ns, .mean_rel_error = rel_error};
    }
    return &plan.point[1];
}

static void figures_beyond_their_errors_differ(void **state)
{
    (void)state;
    assert_ptr_equal(repeated_differs(&plan, start(68, 86, 0.001)), &plan.point[0]);
    assert_ptr_equal(repeated_differs(&plan, start(86, 68, 0.001)), &plan.point[0]);
    assert_null(repeated_differs(&plan, start(68, 86, 0.05)));
    /* What drifts a little is no other figure. */
    assert_null(repeated_differs(&plan, start(68, 70, 0.001)));
}

static void other_chases_are_no_repetition(void **state)
{
    struct point *second = start(68, 86, 0.001);

    (void)state;
    second->bytes *= 2;
    assert_null(repeated_differs(&plan, second));
    second = start(68, 86, 0.001);
    second->kernel = KERNEL_IID;
    assert_null(repeated_differs(&plan, second));
    second = start(68, 86, 0.001);
    second->prefetch_off = true;
    assert_null(repeated_differs(&plan, second));
    second = start(68, 86, 0.001);
    second->traffic.cpus = 1;
    assert_null(repeated_differs(&plan, second));
    second = start(68, 86, 0.001);
    plan.point[0].unrecorded = true;
    assert_null(repeated_differs(&plan, second));
    second = start(68, 86, 0.001);
    plan.point[0].result.known = false;
    assert_null(repeated_differs(&plan, second));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_beyond_their_errors_differ),
        cmocka_unit_test(other_chases_are_no_repetition),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
