/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/plan/names.h"

#include "core/names.h"
#include "core/results/record.h"

uint64_t plan_pages_bytes(const struct point *point)
{
    return point->map == MAP_FIRMWARE ? 0 : 1ull << point->page;
}

const char *plan_pattern_name(const struct point *point)
{
    if (point->work_kind == POINT_FOOTPRINT)
        return "footprint";
    if (point->work_kind == POINT_BANKS)
        return "pairs";
    if (point->work_kind == POINT_SINGLE)
        return "single";
    if (point->work_kind == POINT_REGIONS)
        return "blocks";
    if (point->work_kind == POINT_VERIFY)
        return "march";
    if (point->work_kind == POINT_HANDOFF)
        return "handoff";
    if (point->kernel == KERNEL_IID)
        return PATTERN_NAME_IID;
    if (point->kernel == KERNEL_STREAM)
        return "stream";
    return order_name(point->order);
}

const char *plan_purpose_name(const struct point *point)
{
    static const char *const names[] = {[PURPOSE_ITSELF] = NULL,
                                        [PURPOSE_LEVELS] = PURPOSE_NAME_LEVELS,
                                        [PURPOSE_HEADLINE] = PURPOSE_NAME_HEADLINE,
                                        [PURPOSE_TRANSLATION] = PURPOSE_NAME_TRANSLATION,
                                        [PURPOSE_PROOF] = PURPOSE_NAME_PROOF,
                                        [PURPOSE_WITNESS] = PURPOSE_NAME_WITNESS};

    return names[point->purpose];
}
