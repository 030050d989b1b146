/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the fit may put a TLB that another source says to be possible, in a range of sets where it
 * says that there is no other; and from which alternatives the search goes on. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "core/levels/hinge_fit.h"

#define KIB 1024.0
#define MIB (1024 * KIB)

static struct hinge_fit fit;

static double missed(double held, double bytes)
{
    return bytes > held ? 1 - held / bytes : 0;
}

/* Curves of 4K and 2M pages: a cache of 64 KiB, and in the first a TLB of `reach` bytes whose
 * misses cost 3 ns. TLBs are known up to 64 MiB: one of 6 MiB is possible. */
static void measure(double reach)
{
    memset(&fit, 0, sizeof fit);
    fit.curves = 2;
    fit.page_bytes[0] = 4 * KIB;
    fit.page_bytes[1] = 2 * MIB;
    for (size_t curve = 0; curve < 2; curve++)
        for (unsigned i = 0; i < 50; i++) {
            double bytes = 8 * KIB * (double)(1ull << i / 4) * (1 + 0.25 * (i % 4));
            double ns = 1 + 20 * missed(64 * KIB, bytes);
            fit.bytes[fit.count] = bytes;
            fit.ns[fit.count] = ns + (curve == 0 ? 3 * missed(reach, bytes) : 0);
            fit.error[fit.count] = 0.002 * ns;
            fit.curve[fit.count++] = curve;
        }
    fit.covered[0] = fit.covered[1] = 64 * MIB;
    fit.hints = 1;
    fit.hint[0] = (struct hinge){.kind = HINGE_TLB, .pos = 6 * MIB, .known = true};
}

/* The first TLB's knee of the curve of 4K pages; NULL: there is none. */
static const struct hinge *tlb(void)
{
    for (size_t j = 0; j < fit.hinges; j++)
        if (fit.hinge[j].kind == HINGE_TLB && fit.hinge[j].curve == 0)
            return &fit.hinge[j];
    return NULL;
}

static void walks_become_the_tlb_that_is_possible(void **state)
{
    (void)state;
    measure(6 * MIB);
    hinge_fit_start(&fit);
    fit.hinges = 2;
    fit.hinge[0] = (struct hinge){.kind = HINGE_CACHE, .pos = 64 * KIB};
    fit.hinge[1] = (struct hinge){.kind = HINGE_WALK, .pos = 20 * MIB};
    hinge_fit_steps(&fit);
    hinge_fit_weigh(&fit);
    assert_true(hinge_fit_try_tlb(&fit, 1, &fit.hint[0], 1.4));
    assert_non_null(tlb());
    assert_true(fabs(tlb()->pos / (6 * MIB) - 1) < 0.01 && fabs(tlb()->step / 3 - 1) < 0.01);
}

static void a_possible_tlb_is_found(void **state)
{
    (void)state;
    measure(5.6 * MIB);
    hinge_fit_find(&fit);
    assert_non_null(tlb());
    assert_true(fabs(tlb()->pos / (5.6 * MIB) - 1) < 0.01);
}

static void a_possible_tlb_is_no_knee_elsewhere(void **state)
{
    static const double reach[] = {1 * MIB, 2 * MIB, 20 * MIB};

    (void)state;
    for (size_t i = 0; i < sizeof reach / sizeof *reach; i++) {
        measure(reach[i]);
        hinge_fit_find(&fit);
        for (size_t j = 0; j < fit.hinges; j++)
            assert_true(fit.hinge[j].kind != HINGE_TLB ||
                        fabs(log(fit.hinge[j].pos / (6 * MIB))) < HINGE_REACH_LOG + 1e-6);
    }
}

/* The search goes on from the cheapest alternative that was noted, and only if one is cheaper. */
static void a_cheaper_alternative_is_searched_from(void **state)
{
    static const struct hinge dear = {.kind = HINGE_CACHE, .pos = 90 * KIB, .law = HINGE_SHARP};

    (void)state;
    measure(6 * MIB);
    hinge_fit_find(&fit);
    fit.hinges = 1;
    fit.hinge[0] = dear;
    hinge_fit_steps(&fit);
    hinge_fit_note(&fit, -3);
    assert_false(hinge_fit_find_from_noted(&fit));
    assert_true(fit.hinges == 1 && fit.hinge[0].pos == dear.pos);
    fit.hinge[0].pos = 64 * KIB;
    hinge_fit_note(&fit, 30);
    fit.hinge[0] = dear;
    hinge_fit_note(&fit, 20);
    assert_true(hinge_fit_find_from_noted(&fit));
    assert_int_equal(fit.hinges, 2);
    assert_non_null(tlb());
    assert_true(fabs(fit.hinge[0].pos / (64 * KIB) - 1) < 0.01);
    assert_false(hinge_fit_find_from_noted(&fit));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_become_the_tlb_that_is_possible),
        cmocka_unit_test(a_possible_tlb_is_found),
        cmocka_unit_test(a_possible_tlb_is_no_knee_elsewhere),
        cmocka_unit_test(a_cheaper_alternative_is_searched_from),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
