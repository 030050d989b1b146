/* SPDX-License-Identifier: BSD-2-Clause */
/* Curves of simulated machines, as they were measured, whose levels were once misread. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/levels/levels.h"

#define KIB   1024.0
#define MIB   (1024.0 * KIB)
#define ERROR 0.001 /* relative, about what each of their points had */

struct sample {
    double kib, ns;
};

/* A third cache of 6M, declared, and 128M of a memory-side one that no register declares, of 50 ns;
 * memory of 93.4 ns. Pages of 4K and 1G. */
static const struct sample behind_6m_4k[] = {
    {8, 1.143},      {10, 1.143},     {12, 1.143},     {14, 1.143},     {16, 1.143},
    {20, 1.143},     {24, 1.143},     {28, 1.143},     {32, 1.143},     {40, 1.601},
    {48, 1.905},     {56, 2.122},     {64, 2.284},     {80, 2.513},     {96, 2.665},
    {112, 2.776},    {128, 2.857},    {160, 2.972},    {192, 3.049},    {224, 3.102},
    {256, 3.143},    {320, 5.316},    {384, 6.769},    {448, 7.791},    {512, 8.563},
    {640, 9.651},    {768, 10.39},    {896, 10.89},    {1024, 11.28},   {1280, 11.84},
    {1536, 12.18},   {1792, 12.53},   {2048, 13.02},   {2560, 13.33},   {3072, 13.45},
    {3584, 13.71},   {4096, 14.59},   {5120, 18.37},   {6144, 21.63},   {7168, 24.95},
    {8192, 27.4},    {10240, 32},     {12288, 35.41},  {14336, 37.17},  {16384, 39.12},
    {20480, 42.37},  {24576, 44.57},  {28672, 46.18},  {32768, 47.32},  {40960, 49.42},
    {49152, 50.88},  {57344, 51.99},  {65536, 53.03},  {73728, 54.02},  {81920, 55.06},
    {98304, 56.15},  {114688, 57.21}, {131072, 58.04}, {163840, 67.77}, {196608, 74.83},
    {229376, 79.84}, {262144, 83.21}, {327680, 88.26}, {393216, 91.66}, {458752, 94.06},
    {524288, 96.01}, {655360, 98.38}, {739852, 99.37}};
static const struct sample behind_6m_1g[] = {
    {8, 1.143},      {10, 1.143},     {12, 1.143},     {14, 1.143},     {16, 1.143},
    {20, 1.143},     {24, 1.143},     {28, 1.143},     {32, 1.143},     {40, 1.601},
    {48, 1.905},     {56, 2.122},     {64, 2.284},     {80, 2.513},     {96, 2.665},
    {112, 2.775},    {128, 2.857},    {160, 2.972},    {192, 3.049},    {224, 3.101},
    {256, 3.143},    {320, 4.916},    {384, 6.1},      {448, 6.937},    {512, 7.562},
    {640, 8.454},    {768, 9.056},    {896, 9.451},    {1024, 9.781},   {1280, 10.23},
    {1536, 10.52},   {1792, 10.74},   {2048, 10.89},   {2560, 11.12},   {3072, 11.26},
    {3584, 11.36},   {4096, 11.45},   {5120, 11.56},   {6144, 11.63},   {7168, 17.07},
    {8192, 21.22},   {10240, 26.87},  {12288, 30.81},  {14336, 33.56},  {16384, 35.63},
    {20480, 38.5},   {24576, 40.38},  {28672, 41.88},  {32768, 42.77},  {40960, 44.2},
    {49152, 45.25},  {57344, 45.91},  {65536, 46.39},  {73728, 46.81},  {81920, 47.1},
    {98304, 47.6},   {114688, 47.94}, {131072, 48.18}, {163840, 56.89}, {196608, 62.79},
    {229376, 67.18}, {262144, 70.4},  {327680, 75.15}, {393216, 78.11}, {458752, 80.26},
    {524288, 81.94}, {655360, 84.26}, {739852, 85.26}};

static struct level_point point[200];
static size_t points;
static struct level level[LEVELS_MAX];

static void add(const struct sample *samples, size_t count, enum page_size page)
{
    for (size_t i = 0; i < count; i++)
        point[points++] = (struct level_point){samples[i].kib * KIB, samples[i].ns, ERROR, page, 0};
}

/* Open rows would make memory as much cheaper in sets of up to 128M, if there were so many. */
static void a_cache_is_larger_than_all_open_rows(void **state)
{
    static const struct cache_level caches[] = {
        {.level = 1, .line_bytes = 64, .bytes = 32 << 10},
        {.level = 2, .unified = true, .line_bytes = 64, .bytes = 256 << 10},
        {.level = 3, .unified = true, .line_bytes = 64, .bytes = 6 << 20}};
    static const struct tlb_level tlbs[] = {{.level = 1, .page_log2 = 12, .entries = 64},
                                            {.level = 1, .page_log2 = 30, .entries = 4},
                                            {.level = 2, .page_log2 = 12, .entries = 1536}};
    struct levels_request request = {.points = point,
                                     .caches = caches,
                                     .cache_count = 3,
                                     .tlbs = tlbs,
                                     .tlb_count = 3,
                                     .line_bytes = 64};
    void *workspace = aligned_alloc(16, (levels_workspace_bytes() + 15) / 16 * 16);
    size_t count, found = 0;

    (void)state;
    assert_non_null(workspace);
    points = 0;
    add(behind_6m_4k, sizeof behind_6m_4k / sizeof *behind_6m_4k, PAGE_4K);
    add(behind_6m_1g, sizeof behind_6m_1g / sizeof *behind_6m_1g, PAGE_1G);
    request.count = points;
    count = levels_find(&request, workspace, level, LEVELS_MAX);
    for (size_t i = 0; i < count; i++) {
        if (level[i].kind != LEVEL_UNEXPLAINED)
            continue;
        found++;
        assert_true(fabs(level[i].bytes / (128 * MIB) - 1) < 0.05);
        assert_true(fabs(level[i].ns / 50 - 1) < 0.01);
    }
    assert_int_equal(found, 1);
    assert_true(count > 0 && fabs(level[count - 1].ns / 93.44 - 1) < 0.01);
    free(workspace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_cache_is_larger_than_all_open_rows)};

    return cmocka_run_group_tests_name("levels_curves", tests, NULL, NULL);
}
