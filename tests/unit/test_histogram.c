/* SPDX-License-Identifier: BSD-2-Clause */
/* Bins and percentiles of a logarithmic histogram against sorted values. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/lib/random.h"
#include "core/stats/histogram.h"

#define VALUES 1000000

static struct histogram histogram;
static uint64_t value[VALUES];

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Each value is in the bin whose edges are about it, and bins are narrow. */
static void every_value_is_between_its_edges(void **state)
{
    (void)state;
    for (uint64_t v = 0; v < 1ull << 41; v = v * 17 / 16 + 1) {
        size_t bin = 0;
        histogram_clear(&histogram);
        histogram_add(&histogram, v);
        while (histogram.bin[bin] == 0)
            bin++;
        assert_true(histogram_edge(bin) <= (double)v && (double)v < histogram_edge(bin + 1));
        assert_true(histogram_edge(bin + 1) - histogram_edge(bin) <= 1 + (double)v / 128);
        assert_true(histogram.min == v && histogram.max == v && histogram.count == 1);
    }
    histogram_clear(&histogram);
    histogram_add(&histogram, UINT64_MAX);
    assert_int_equal(histogram.bin[HISTOGRAM_BINS - 1], 1);
}

static void percentiles_are_those_of_sorted_values(void **state)
{
    static const double shares[] = {0.01, 0.5, 0.9, 0.99, 0.999, 0.9999};
    struct random random;

    (void)state;
    random_start(&random, 1);
    histogram_clear(&histogram);
    for (size_t i = 0; i < VALUES; i++) {
        value[i] = 200 + random_below(&random, 100);
        if (random_below(&random, 50) == 0)
            value[i] = 1ull << (8 + random_below(&random, 12)) | random_below(&random, 256);
        histogram_add(&histogram, value[i]);
    }
    qsort(value, VALUES, sizeof value[0], ascending);
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        double exact = (double)value[(size_t)(shares[i] * VALUES) - 1];
        assert_true(fabs(histogram_percentile(&histogram, shares[i]) / exact - 1) < 0.008);
    }
}

/* Fewer than a hundred values beyond it do not make a percentile. */
static void percentiles_need_values_beyond_them(void **state)
{
    static const struct {
        double share;
        size_t count;
    } least[] = {{0.5, 200}, {0.99, 10000}, {0.9999, 1000000}};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        histogram_clear(&histogram);
        for (size_t k = 0; k < least[i].count - 1; k++)
            histogram_add(&histogram, 100);
        assert_true(isnan(histogram_percentile(&histogram, least[i].share)));
        histogram_add(&histogram, 100);
        assert_true(histogram_percentile(&histogram, least[i].share) == 100);
    }
    histogram_clear(&histogram);
    assert_true(isnan(histogram_percentile(&histogram, 0.5)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_is_between_its_edges),
        cmocka_unit_test(percentiles_are_those_of_sorted_values),
        cmocka_unit_test(percentiles_need_values_beyond_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
