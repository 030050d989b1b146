/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/plan/names.h"

#include "core/names.h"

uint64_t plan_pages_bytes(const struct point *point)
{
    return point->map == MAP_FIRMWARE ? 0 : 1ull << point->page;
}

const char *plan_pattern_name(const struct point *point)
{
    if (point->is_footprint)
        return "footprint";
    if (point->kernel == KERNEL_IID)
        return PATTERN_NAME_IID;
    if (point->kernel == KERNEL_STREAM)
        return "stream";
    return order_name(point->order);
}

const char *plan_purpose_name(const struct point *point)
{
    static const char *const names[] = {[PURPOSE_ITSELF] = NULL,
                                        [PURPOSE_LEVELS] = "levels",
                                        [PURPOSE_HEADLINE] = "headline",
                                        [PURPOSE_TRANSLATION] = "translation",
                                        [PURPOSE_PROOF] = "proof"};

    return names[point->purpose];
}
