/* SPDX-License-Identifier: BSD-2-Clause */
/* Single loads that a sampler followed: which of them count, what they say of a set, when the
 * sampler is believed, and when it contradicts a chase. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/experiments/dram_sampler.h"
#include "core/measure/sampler.h"

#define BASE  0x10000000u
#define BYTES 0x100000u

static struct load_sample load_at(uint32_t offset, bool missed, uint32_t cycles)
{
    return (struct load_sample){
        .load = true, .missed = missed, .address = BASE + offset, .miss_cycles = cycles};
}

/* A sampler that followed `count` loads of the set, the first `missed` of which missed and took
 * 100, 101, ... cycles. */
static struct sampler *sampler_with(uint32_t count, uint32_t missed)
{
    struct sampler *sampler = calloc(1, sizeof *sampler);

    assert_non_null(sampler);
    for (uint32_t i = 0; i < count; i++)
        sampler->load[i] = load_at(64 * i, i < missed, 100 + i);
    sampler_keep(sampler, 2 * count, count, BASE, BYTES);
    return sampler;
}

static void only_loads_of_the_set_are_kept(void **state)
{
    struct sampler *sampler = sampler_with(2, 1);
    struct load_summary summary;
    (void)state;

    sampler->load[2] = load_at(0, true, 5);
    sampler->load[2].load = false;
    sampler->load[3] = load_at(BYTES, true, 5);
    sampler->load[4] = load_at(BYTES - 8, true, 7);
    sampler->load[5] = load_at((uint32_t)-8, true, 5);
    sampler_keep(sampler, 64, 4, BASE, BYTES);
    assert_int_equal(sampler->samples, 68);
    assert_int_equal(sampler->ops, 6);
    assert_int_equal(sampler->loads, 3);
    assert_true(sampler->load[2].miss_cycles == 7);
    summary = sampler_summary(sampler);
    assert_false(summary.known);
    assert_true(summary.ops == 6 && summary.loads == 3 && summary.missed == 2);
    sampler_forget(sampler);
    assert_int_equal(sampler->samples + sampler->ops + sampler->loads, 0);
    free(sampler);
}

static void a_share_needs_enough_loads_at_several_addresses(void **state)
{
    struct sampler *sampler = sampler_with(SAMPLER_KNOWN, 3);
    (void)state;

    assert_true(sampler_missed(sampler) == 3.0 / SAMPLER_KNOWN);
    sampler->loads--;
    assert_true(isnan(sampler_missed(sampler)));
    sampler->loads++;
    for (uint32_t i = 0; i < sampler->loads; i++)
        sampler->load[i].address = BASE;
    assert_true(isnan(sampler_missed(sampler)));
    sampler->load[SAMPLER_KNOWN - 1].address = BASE + 64;
    assert_false(isnan(sampler_missed(sampler)));
    free(sampler);
}

static void a_summary_is_of_what_missed(void **state)
{
    struct sampler *sampler = sampler_with(SAMPLER_LOADS, 301);
    struct load_summary summary;
    (void)state;

    for (uint32_t i = 0; i < 128; i++) {
        sampler->load[i].tlb_missed = true;
        sampler->load[i].refill_cycles = 20;
    }
    sampler->report.refills = true;
    summary = sampler_summary(sampler);
    assert_true(summary.known);
    assert_true(summary.missed == 301 && summary.tlb_missed == 128);
    assert_true(summary.miss_cycles.value == 250); /* of 100 to 400 */
    assert_true(summary.miss_cycles.error > 4 && summary.miss_cycles.error < 12);
    assert_true(summary.refill_cycles == 20);
    assert_true(fabs(summary.refill_mean_cycles - 20.0 * 128 / SAMPLER_LOADS) < 1e-9);
    sampler->report.refills = false;
    assert_true(isnan(sampler_summary(sampler).refill_cycles));
    free(sampler);
    sampler = sampler_with(SAMPLER_KNOWN, 0);
    summary = sampler_summary(sampler);
    assert_true(summary.known && isnan(summary.miss_cycles.value) && isnan(summary.refill_cycles));
    free(sampler);
}

static struct point_result result_of(double cycles, double miss_cycles, double refill)
{
    return (struct point_result){
        .cycles = cycles,
        .rel_error = 0.001,
        .loads = {.known = true, .miss_cycles = {miss_cycles, 1}, .refill_mean_cycles = refill}};
}

static void only_differences_are_compared(void **state)
{
    static const struct {
        double near_chase, near_miss, far_chase, far_miss, refill;
        enum answer agrees;
    } cases[] = {
        {14, 10, 414, 410, 0, ANSWER_YES},
        {14, 200, 414, 600, 0, ANSWER_YES}, /* an offset of both is no matter */
        {14, 10, 414, 368, 0, ANSWER_YES},  /* a tenth less and two errors */
        {14, 10, 414, 366, 0, ANSWER_NO},
        {14, 10, 414, 448, 0, ANSWER_YES},
        {14, 10, 414, 460, 0, ANSWER_NO},
        {14, 10, 464, 410, 50, ANSWER_YES}, /* what its TLB misses add */
        {14, 10, 464, 410, 0, ANSWER_NO},
        {14, 10, 414, 410, -100, ANSWER_YES},
        {14, 100, 414, 100, 0, ANSWER_NO}, /* constant */
        {14, 10, 414, NAN, 0, ANSWER_UNKNOWN},
        {14, 10, NAN, 410, 0, ANSWER_UNKNOWN},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct point_result near = result_of(cases[i].near_chase, cases[i].near_miss, 0);
        struct point_result far = result_of(cases[i].far_chase, cases[i].far_miss, cases[i].refill);
        struct sampler_difference d = dram_sampler_compare(&near, &far);

        if (d.agrees != cases[i].agrees)
            fail_msg("case %zu: %d", i, (int)d.agrees);
        near.loads.known = false;
        assert_int_equal(dram_sampler_compare(&near, &far).agrees, ANSWER_UNKNOWN);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_loads_of_the_set_are_kept),
        cmocka_unit_test(a_share_needs_enough_loads_at_several_addresses),
        cmocka_unit_test(a_summary_is_of_what_missed),
        cmocka_unit_test(only_differences_are_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
