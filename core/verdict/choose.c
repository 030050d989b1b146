/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/verdict/choose.h"

static bool expects(const struct options *o)
{
    return o->expect_banks != 0 || o->expect_dimms != 0 || o->expect_size != 0 ||
           o->expect_speed != 0 || o->expect_channels != 0 || o->expect_ecc != EXPECT_AUTO ||
           o->expect_bandwidth_gb_s > 0 || o->expect_latency_ns[1] > 0 ||
           o->expect_spread_percent != OPTIONS_SPREAD_PERCENT;
}

bool verdict_is_wanted(const struct options *options)
{
    if (options->verdict != EXPECT_AUTO)
        return options->verdict == EXPECT_ON;
    return !options->dry && (options->boots != 0 || options_test(options, "verify") ||
                             expects(options) || verdict_baseline_path(options) != NULL);
}

struct verdict_limits verdict_limits_of(const struct options *options)
{
    return (struct verdict_limits){.contents = options_test(options, "verify"),
                                   .lines = options_test(options, "regions"),
                                   .coverage = options->rule_coverage_percent / 100,
                                   .slower = options->expect_spread_percent / 100,
                                   .latency_low_ns = options->expect_latency_ns[0],
                                   .latency_high_ns = options->expect_latency_ns[1],
                                   .corrected = options->rule_corrected,
                                   .decode = options->decode,
                                   .baseline = {.latency = options->rule_latency_percent / 100,
                                                .rate = options->rule_bandwidth_percent / 100}};
}

bool verdict_saves_baseline(const struct options *options)
{
    return text_equal(options->baseline, "save");
}

const char *verdict_baseline_path(const struct options *options)
{
    return options->baseline[0] == '\0' || verdict_saves_baseline(options) ? NULL
                                                                           : options->baseline;
}
