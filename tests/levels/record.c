/* SPDX-License-Identifier: BSD-2-Clause */
/* Records the curves that levels are found from: record DIRECTORY KIND FIRST END, of the machines
 * of those seeds. KIND is drawn (tests/sim/generator.h), wide, score (tests/score/draw.h), whole
 * (the same machines in a default run, whose other experiments take their share of its budget), or
 * one of them with "-noisy". A curve that the directory has already is not measured again.
 * levels_find is wrapped by the linker: what the engine passes to it is what is written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <math.h>

#include "tests/levels/curve_file.h"
#include "tests/levels/wide.h"
#include "tests/score/draw.h"
#include "tests/sim/generator.h"
#include "tests/shared/words.h"

static struct curve_file recorded;
static bool has_curve;
static double curve_hz; /* of the core when the curve was complete */
static struct simulator simulator;

size_t __wrap_levels_find(const struct levels_request *request, void *workspace,
                          struct level *levels, size_t max);

/* Of wide machines one in five does not declare one of its caches beyond the first, and one in ten
 * declares it wrongly. */
static void misdeclare(struct curve_file *curve, uint64_t seed)
{
    struct levels_request *r = &curve->request;
    size_t which = 1 + seed / 10 % 3;

    if (strncmp(curve->machine, "wide", 4) != 0 || which >= r->cache_count)
        return;
    if (seed % 10 == 5) {
        curve->cache[which].bytes *= 4;
    } else if (seed % 5 == 1) {
        r->cache_count--;
        memmove(&curve->cache[which], &curve->cache[which + 1],
                (r->cache_count - which) * sizeof curve->cache[0]);
    }
}

size_t __wrap_levels_find(const struct levels_request *request, void *workspace,
                          struct level *levels, size_t max)
{
    (void)workspace;
    (void)levels;
    (void)max;
    recorded.request = *request;
    memcpy(recorded.point, request->points, request->count * sizeof *request->points);
    memcpy(recorded.spread, request->spread, request->spread_count * sizeof *request->spread);
    memcpy(recorded.cache, request->caches, request->cache_count * sizeof *request->caches);
    memcpy(recorded.tlb, request->tlbs, request->tlb_count * sizeof *request->tlbs);
    recorded.request.points = recorded.point;
    recorded.request.spread = recorded.spread;
    recorded.request.caches = recorded.cache;
    recorded.request.tlbs = recorded.tlb;
    misdeclare(&recorded, simulator.config->seed);
    has_curve = true;
    curve_hz = simulator.first.core_hz;
    return 0;
}

/* Whether a level is declared, and with its true size. */
static bool is_declared(const struct curve_file *curve, const struct sim_truth_level *truth)
{
    for (size_t i = 0; i < curve->request.cache_count; i++)
        if (truth->name[1] == '0' + (int)curve->cache[i].level)
            return strchr(truth->name, 'L') == truth->name && !truth->undeclared;
    return false;
}

static void ignore(void *context, const struct record *record)
{
    (void)context;
    (void)record;
}

static void add_noise(struct sim_config *config)
{
    config->noise.jitter = 0.02;
    config->noise.spike_every = 200;
    config->noise.spike_factor = 3;
}

static void record_one(struct sim_config *config, bool whole, FILE *file)
{
    struct sim_config later = *config;
    struct option_error error;
    double largest = 0;
    char words[80];

    has_curve = false;
    snprintf(recorded.machine, sizeof recorded.machine, "%s", config->name);
    snprintf(words, sizeof words, "tests=curve pattern=iid pages=4k,%s%s",
             config->page_sizes & 1u << 30 ? "1g" : "2m",
             strncmp(config->name, "wide", 4) == 0 && config->seed % 3 == 0 ? " max=256M" : "");
    simulator_start(&simulator, config, false);
    (void)words_run(&simulator.machine, whole ? "" : words, ignore, NULL, &error);
    simulator_stop(&simulator);
    if (!has_curve)
        return;
    for (size_t i = 0; i < recorded.request.count; i++)
        if (recorded.point[i].bytes > largest)
            largest = recorded.point[i].bytes;
    recorded.walks_load = config->walk.loads;
    /* Points are taken again where a turbo ends; one that outlasts the curve is its frequency.
     * Memory beyond every set: where rows stay open, the largest one's misses cost less. */
    later.turbo_hz = 0;
    later.core_hz = curve_hz;
    recorded.truths = sim_truth_levels(&later, SIM_PAGE_4K,
                                       sim_truth_memory_ns(&later, (double)later.memory.bytes),
                                       largest, recorded.truth);
    for (size_t i = 0; i < recorded.truths; i++)
        if (recorded.truth[i].kind == LEVEL_CACHE && !is_declared(&recorded, &recorded.truth[i]))
            recorded.truth[i].undeclared = true;
    curve_file_write(&recorded, file);
}

static unsigned draw(const char *kind, struct sim_config *config, unsigned long seed)
{
    if (strncmp(kind, "score", 5) == 0 || strncmp(kind, "whole", 5) == 0)
        return score_draw(config, seed);
    return strncmp(kind, "wide", 4) == 0 ? wide_generate(config, seed) : sim_generate(config, seed);
}

int main(int argc, char **argv)
{
    bool noisy;
    unsigned rejected = 0;

    if (argc != 5) {
        fprintf(stderr, "usage: record DIRECTORY drawn|wide|score|whole[-noisy] FIRST END\n");
        return 2;
    }
    noisy = strstr(argv[2], "-noisy") != NULL;
    for (unsigned long seed = strtoul(argv[3], NULL, 10); seed < strtoul(argv[4], NULL, 10);
         seed++) {
        char path[400], part[420];
        struct sim_config config;
        FILE *file;

        snprintf(path, sizeof path, "%s/%s-%05lu.curve", argv[1], argv[2], seed);
        snprintf(part, sizeof part, "%s.part%d", path, (int)getpid());
        if (access(path, F_OK) == 0)
            continue;
        rejected += draw(argv[2], &config, seed);
        recorded.noisy = noisy;
        if (noisy)
            add_noise(&config);
        file = fopen(part, "w");
        if (!file)
            return 1;
        record_one(&config, strncmp(argv[2], "whole", 5) == 0, file);
        if (fclose(file) != 0 || rename(part, path) != 0)
            return 1;
    }
    fprintf(stderr, "%u draws rejected\n", rejected);
    return 0;
}
