/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/stats/doubt.h"

const char *doubt_name(enum doubt_reason reason)
{
    static const char *const names[] = {
        [DOUBT_UNSETTLED] = "unsettled",
        [DOUBT_DRIFT] = "drift",
        [DOUBT_TRANSLATION] = "translation",
        [DOUBT_UNDECLARED_CACHE] = "undeclared-cache",
        [DOUBT_MERGED] = "merged",
        [DOUBT_EXTRAPOLATED] = "extrapolated",
        [DOUBT_DISTURBED] = "disturbed",
        [DOUBT_BUDGET] = "budget",
        [DOUBT_COARSE_CLOCK] = "coarse-clock",
        [DOUBT_CONTRADICTED] = "contradicted",
    };

    return reason < DOUBT_REASONS ? names[reason] : "unknown";
}
