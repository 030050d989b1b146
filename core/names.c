/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/names.h"

const char *const load_names[] = {
    [LOAD_PLAIN] = "plain", [LOAD_NT] = "nt", [LOAD_FLUSH] = "flush", [LOAD_DIRTY] = "dirty", NULL};
const char *const hint_names[] = {[HINT_NONE] = "none", [HINT_NTA] = "nta", [HINT_T0] = "t0",
                                  [HINT_T1] = "t1",     [HINT_T2] = "t2",   NULL};
const char *const map_names[] = {[MAP_WINDOW] = "window",
                                 [MAP_IDENTITY] = "identity",
                                 [MAP_FIRMWARE] = "firmware",
                                 [MAP_PROCESS] = "process",
                                 NULL};
const char *const frame_order_names[] = {[FRAMES_SCATTERED] = "scattered",
                                         [FRAMES_CONTIGUOUS] = "contiguous",
                                         [FRAMES_AS_ALLOCATED] = "as-allocated",
                                         NULL};
const char *const memory_kind_names[] = {[MEMORY_ORDINARY] = "ordinary",
                                         [MEMORY_SPECIFIC] = "specific-purpose",
                                         [MEMORY_NONVOLATILE] = "nonvolatile",
                                         NULL};
const char *const speed_names[] = {[SPEED_AS_FOUND] = "as-found", [SPEED_MAX] = "max", NULL};

const char *const traffic_names[] = {[TRAFFIC_CHASE] = "chase",       [TRAFFIC_READ] = "read",
                                     [TRAFFIC_2_1] = "2:1",           [TRAFFIC_1_1] = "1:1",
                                     [TRAFFIC_STORE_NT] = "store-nt", [TRAFFIC_SPIN] = "spin",
                                     [TRAFFIC_PARK] = "park",         NULL};

static const char *const prefetch_names[] = {[PREFETCH_OFF] = "off",
                                             [PREFETCH_ON] = "on",
                                             [PREFETCH_UNSUPPORTED] = "unsupported",
                                             [PREFETCH_REFUSED] = "refused",
                                             [PREFETCH_NOT_HONOURED] = "not-honoured"};
static const char *const turbo_names[] = {[TURBO_STATE_OFF] = "off",
                                          [TURBO_STATE_ON] = "on",
                                          [TURBO_UNSUPPORTED] = "unsupported",
                                          [TURBO_REFUSED] = "refused",
                                          [TURBO_NOT_HONOURED] = "not-honoured"};
static const char *const speed_state_names[] = {[SPEED_AT_MAX] = "max",
                                                [SPEED_UNSUPPORTED] = "unsupported",
                                                [SPEED_REFUSED] = "refused",
                                                [SPEED_NOT_HONOURED] = "not-honoured"};
static const char *const grade_names[] = {[CLOCK_EXACT] = "exact",
                                          [CLOCK_LABEL] = "label",
                                          [CLOCK_NOMINAL] = "nominal",
                                          [CLOCK_INFERRED] = "inferred"};
static const char *const choice_names[] = {
    [CLOCK_DECLARED] = "declared", [CLOCK_MEASURED] = "measured", [CLOCK_CRYSTAL] = "crystal"};
static const char *const severity_names[] = {
    [SEVERITY_INFO] = "info", [SEVERITY_WARNING] = "warning", [SEVERITY_ERROR] = "error"};

#define NAME(names, value) \
    ((size_t)(value) < sizeof(names) / sizeof((names)[0]) ? (names)[value] : "unknown")

const char *prefetch_state_name(enum prefetch_state state)
{
    return NAME(prefetch_names, state);
}

const char *turbo_state_name(enum turbo_state state)
{
    return NAME(turbo_names, state);
}

const char *speed_state_name(enum speed_state state)
{
    return NAME(speed_state_names, state);
}

const char *clock_grade_name(enum clock_grade grade)
{
    return NAME(grade_names, grade);
}

const char *clock_choice_name(enum clock_choice choice)
{
    return NAME(choice_names, choice);
}

const char *severity_name(enum severity severity)
{
    return NAME(severity_names, severity);
}

const char *page_name(unsigned log2)
{
    static const struct {
        unsigned log2;
        const char *name;
    } names[] = {{12, "4k"},  {14, "16k"},  {16, "64k"}, {21, "2m"},
                 {25, "32m"}, {29, "512m"}, {30, "1g"}};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i].log2 == log2)
            return names[i].name;
    return NULL;
}

const char *page_bytes_name(uint64_t bytes)
{
    unsigned log2 = 0;

    while (log2 < 63 && 1ull << log2 < bytes)
        log2++;
    return 1ull << log2 == bytes ? page_name(log2) : NULL;
}
