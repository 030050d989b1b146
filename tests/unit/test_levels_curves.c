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
    double at, ns; /* KiB; of page curves, pages */
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

/* An undeclared memory-side cache of 32M and 6.05 ns, as much as 16 entries of 2M reach; memory of
 * 75.61 ns. Pages of 4K and 2M, and one line in each of so many pages. */
static const struct sample at_32m_4k[] = {
    {8, 0.8641},     {10, 0.8641},    {12, 0.8641},     {14, 0.8641},    {16, 0.8641},
    {20, 0.8641},    {24, 0.8641},    {28, 0.8641},     {32, 0.8641},    {40, 0.8641},
    {48, 0.8641},    {56, 0.8641},    {64, 0.8641},     {80, 1.252},     {96, 1.514},
    {112, 1.697},    {128, 1.833},    {160, 2.42},      {192, 2.811},    {224, 3.086},
    {256, 3.298},    {320, 3.583},    {384, 3.783},     {448, 3.919},    {512, 4.024},
    {640, 4.165},    {768, 4.268},    {896, 4.333},     {1024, 4.388},   {1280, 5.109},
    {1536, 5.587},   {1792, 5.936},   {2048, 6.18},     {2560, 6.551},   {3072, 6.786},
    {3584, 6.958},   {4096, 7.1},     {5120, 7.278},    {6144, 7.398},   {7168, 7.511},
    {8192, 7.544},   {10240, 8.447},  {12288, 8.928},   {14336, 9.471},  {16384, 9.584},
    {20480, 10.35},  {24576, 10.14},  {28672, 10.37},   {32768, 10.48},  {40960, 24.51},
    {49152, 36.01},  {57344, 40.54},  {65536, 45.49},   {81920, 52.28},  {98304, 57.42},
    {114688, 60.52}, {131072, 63.19}, {163840, 66.49},  {196608, 69.08}, {229376, 70.65},
    {262144, 72.04}, {327680, 73.97}, {348037.9, 74.22}};
static const struct sample at_32m_2m[] = {
    {8, 0.8641},     {10, 0.8641},     {12, 0.8641},    {14, 0.8641},    {16, 0.8641},
    {20, 0.8641},    {24, 0.8641},     {28, 0.8641},    {32, 0.8641},    {40, 0.8641},
    {48, 0.8641},    {56, 0.8641},     {64, 0.8641},    {80, 0.8641},    {96, 0.8641},
    {112, 0.8641},   {128, 0.8641},    {160, 1.253},    {192, 1.513},    {224, 1.696},
    {256, 1.837},    {320, 2.026},     {384, 2.162},    {448, 2.254},    {512, 2.323},
    {640, 2.417},    {768, 2.486},     {896, 2.53},     {1024, 2.566},   {1280, 3.263},
    {1536, 3.721},   {1792, 4.062},    {2048, 4.303},   {2560, 4.654},   {3072, 4.881},
    {3584, 5.051},   {4096, 5.187},    {5120, 5.347},   {6144, 5.468},   {7168, 5.554},
    {8192, 5.638},   {10240, 5.698},   {12288, 5.761},  {14336, 5.797},  {16384, 6.048},
    {20480, 5.871},  {28672, 5.925},   {32768, 5.946},  {40960, 20.11},  {49152, 31.83},
    {57344, 36.25},  {65536, 41.63},   {81920, 48.59},  {98304, 53.44},  {114688, 56.87},
    {131072, 59.42}, {163840, 62.96},  {196608, 65.63}, {229376, 67.07}, {262144, 68.45},
    {327680, 70.19}, {348037.9, 70.63}};
static const struct sample pages_of_4k[] = {
    {2, 0.8641},    {3, 0.8641},    {4, 0.8641},   {5, 0.8641},   {6, 0.8641},   {7, 0.8641},
    {8, 0.8641},    {10, 0.8641},   {12, 0.8641},  {14, 0.8641},  {15, 0.8641},  {19, 1.17},
    {23, 1.456},    {27, 1.657},    {31, 1.804},   {39, 2.011},   {47, 2.147},   {55, 2.242},
    {64, 2.323},    {79, 2.414},    {95, 2.481},   {111, 2.527},  {128, 2.566},  {159, 2.613},
    {192, 2.646},   {223, 2.67},    {256, 2.686},  {320, 2.712},  {384, 2.727},  {448, 2.74},
    {512, 2.747},   {640, 2.76},    {768, 2.768},  {896, 2.773},  {1024, 2.778}, {1280, 2.785},
    {1536, 2.787},  {1792, 2.791},  {2048, 2.887}, {2560, 3.88},  {3072, 4.602}, {3584, 5.111},
    {4096, 5.506},  {5120, 6.028},  {6144, 6.403}, {7168, 6.662}, {8192, 6.853}, {10240, 7.121},
    {12288, 7.313}, {14336, 7.431}, {15650, 7.5}};
static const struct sample pages_of_2m[] = {
    {1, 0.8641},  {2, 0.8641},  {3, 0.8641},  {4, 0.8641},  {5, 0.8641},  {6, 0.8641}, {7, 0.8641},
    {9, 0.8641},  {11, 0.8641}, {13, 0.8641}, {15, 0.8641}, {19, 1.173},  {23, 1.455}, {27, 1.657},
    {31, 1.803},  {39, 2.011},  {47, 2.147},  {55, 2.243},  {64, 2.323},  {79, 2.412}, {95, 2.483},
    {111, 2.527}, {128, 2.566}, {159, 2.612}, {192, 2.646}, {223, 2.669}, {255, 2.685}};

static struct level_point point[200];
static struct level_spread spread[200];
static size_t points, spreads;
static struct level level[LEVELS_MAX];

static void add(const struct sample *samples, size_t count, enum page_size page)
{
    for (size_t i = 0; i < count; i++)
        point[points++] = (struct level_point){samples[i].at * KIB, samples[i].ns, ERROR, page, 0};
}

static void add_pages(const struct sample *samples, size_t count, enum page_size page)
{
    for (size_t i = 0; i < count; i++)
        spread[spreads++] = (struct level_spread){samples[i].at, samples[i].ns, ERROR, page, 0};
}

/* Returns how many levels there are. */
static size_t find(struct levels_request *request)
{
    void *workspace = aligned_alloc(16, (levels_workspace_bytes() + 15) / 16 * 16);
    size_t count;

    assert_non_null(workspace);
    request->points = point;
    request->count = points;
    request->spread = spread;
    request->spread_count = spreads;
    request->line_bytes = 64;
    count = levels_find(request, workspace, level, LEVELS_MAX);
    free(workspace);
    return count;
}

/* The one cache that no register declares, and memory. */
static void expect_undeclared(size_t count, double bytes, double ns, double memory_ns)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        if (level[i].kind != LEVEL_UNEXPLAINED)
            continue;
        found++;
        assert_true(fabs(level[i].bytes / bytes - 1) < 0.05);
        assert_true(fabs(level[i].ns / ns - 1) < 0.01);
    }
    assert_int_equal(found, 1);
    assert_true(count > 0 && fabs(level[count - 1].ns / memory_ns - 1) < 0.01);
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
    struct levels_request request = {
        .caches = caches, .cache_count = 3, .tlbs = tlbs, .tlb_count = 3};

    (void)state;
    points = spreads = 0;
    add(behind_6m_4k, sizeof behind_6m_4k / sizeof *behind_6m_4k, PAGE_4K);
    add(behind_6m_1g, sizeof behind_6m_1g / sizeof *behind_6m_1g, PAGE_1G);
    expect_undeclared(find(&request), 128 * MIB, 50, 93.44);
}

/* Each page size shows a TLB there, but both show it, and none costs as much. */
static void a_cache_as_large_as_a_tlb_reaches(void **state)
{
    static const struct cache_level caches[] = {
        {.level = 1, .line_bytes = 64, .bytes = 128 << 10},
        {.level = 2, .unified = true, .line_bytes = 64, .bytes = 1 << 20}};
    static const struct tlb_level tlbs[] = {{.level = 1, .page_log2 = 12, .entries = 16},
                                            {.level = 1, .page_log2 = 21, .entries = 16},
                                            {.level = 2, .page_log2 = 12, .entries = 2048},
                                            {.level = 2, .page_log2 = 21, .entries = 1024}};
    struct levels_request request = {
        .caches = caches, .cache_count = 2, .tlbs = tlbs, .tlb_count = 4};

    (void)state;
    points = spreads = 0;
    add(at_32m_4k, sizeof at_32m_4k / sizeof *at_32m_4k, PAGE_4K);
    add(at_32m_2m, sizeof at_32m_2m / sizeof *at_32m_2m, PAGE_2M);
    add_pages(pages_of_4k, sizeof pages_of_4k / sizeof *pages_of_4k, PAGE_4K);
    add_pages(pages_of_2m, sizeof pages_of_2m / sizeof *pages_of_2m, PAGE_2M);
    expect_undeclared(find(&request), 32 * MIB, 6.05, 75.61);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_cache_is_larger_than_all_open_rows),
                                       cmocka_unit_test(a_cache_as_large_as_a_tlb_reaches)};

    return cmocka_run_group_tests_name("levels_curves", tests, NULL, NULL);
}
