/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/plan/names.h"

const char *plan_load_name(enum chase_load load)
{
    static const char *const names[] = {
        [LOAD_PLAIN] = "plain", [LOAD_NT] = "nt", [LOAD_FLUSH] = "flush", [LOAD_DIRTY] = "dirty"};

    return names[load];
}

const char *plan_hint_name(enum chase_hint hint)
{
    static const char *const names[] = {[HINT_NONE] = "none",
                                        [HINT_NTA] = "nta",
                                        [HINT_T0] = "t0",
                                        [HINT_T1] = "t1",
                                        [HINT_T2] = "t2"};

    return names[hint];
}

const char *plan_map_name(const struct point *point)
{
    switch (point->map) {
    case MAP_IDENTITY:
        return "identity";
    case MAP_FIRMWARE:
        return "firmware";
    case MAP_PROCESS:
        return "process";
    case MAP_WINDOW:
        break;
    }
    return "window";
}

const char *plan_frames_name(const struct point *point)
{
    switch (point->frames) {
    case FRAMES_SCATTERED:
        return "scattered";
    case FRAMES_FOUND:
        return "as-found";
    case FRAMES_CONTIGUOUS:
        break;
    }
    return "contiguous";
}

uint64_t plan_pages_bytes(const struct point *point)
{
    return point->map == MAP_FIRMWARE ? 0 : 1ull << point->page;
}

const char *plan_pattern_name(const struct point *point)
{
    if (point->is_footprint)
        return "footprint";
    if (point->kernel == KERNEL_IID)
        return "iid";
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

const char *plan_page_name(enum page_size page)
{
    switch (page) {
    case PAGE_1G:
        return "1g";
    case PAGE_2M:
        return "2m";
    case PAGE_4K:
        break;
    }
    return "4k";
}
