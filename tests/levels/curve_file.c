/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/levels/curve_file.h"

#include <string.h>

static void write_truth(const struct sim_truth_level *truth, FILE *file)
{
    fprintf(file, "truth %d %.17g %.17g %d %d %d %d %d %s\n", (int)truth->kind, truth->bytes,
            truth->ns, truth->exclusive, truth->undeclared, truth->loaded, truth->near,
            truth->optional, truth->name);
}

void curve_file_write(const struct curve_file *curve, FILE *file)
{
    const struct levels_request *r = &curve->request;

    fprintf(file, "machine %s %d %d\n", curve->machine, curve->noisy, curve->walks_load);
    fprintf(file, "common %.17g %u %.17g %d %d\n", r->common_error_ns, r->line_bytes,
            r->brought_lines, r->in_pieces, r->prefetched);
    for (size_t i = 0; i < r->cache_count; i++)
        fprintf(file, "cache %u %llu\n", r->caches[i].level,
                (unsigned long long)r->caches[i].bytes);
    for (size_t i = 0; i < r->tlb_count; i++)
        fprintf(file, "tlb %u %u %u\n", r->tlbs[i].level, r->tlbs[i].page_log2, r->tlbs[i].entries);
    for (size_t i = 0; i < r->count; i++)
        fprintf(file, "point %u %.17g %.17g %.17g %u\n", (unsigned)r->points[i].page,
                r->points[i].bytes, r->points[i].ns, r->points[i].rel_error,
                (unsigned)r->points[i].doubt);
    for (size_t i = 0; i < r->spread_count; i++)
        fprintf(file, "spread %u %.17g %.17g %.17g %u\n", (unsigned)r->spread[i].page,
                r->spread[i].pages, r->spread[i].ns, r->spread[i].rel_error,
                (unsigned)r->spread[i].doubt);
    for (size_t i = 0; i < curve->truths; i++)
        write_truth(&curve->truth[i], file);
    fprintf(file, "end\n");
}

static bool read_truth(struct curve_file *curve, const char *line)
{
    struct sim_truth_level *truth = &curve->truth[curve->truths];
    int kind, exclusive, undeclared, loaded, near, optional;

    if (curve->truths == SIM_TRUTHS_MAX ||
        sscanf(line, "truth %d %lf %lf %d %d %d %d %d %47[^\n]", &kind, &truth->bytes, &truth->ns,
               &exclusive, &undeclared, &loaded, &near, &optional, truth->name) != 9)
        return false;
    truth->kind = (enum level_kind)kind;
    truth->exclusive = exclusive;
    truth->undeclared = undeclared;
    truth->loaded = loaded;
    truth->near = near;
    truth->optional = optional;
    curve->truths++;
    return true;
}

static bool read_declared(struct curve_file *curve, const char *line)
{
    struct levels_request *r = &curve->request;
    unsigned level, page, entries;
    unsigned long long bytes;

    if (sscanf(line, "cache %u %llu", &level, &bytes) == 2 && r->cache_count < CACHE_LEVELS_MAX) {
        curve->cache[r->cache_count++] =
            (struct cache_level){.level = (uint8_t)level, .unified = level > 1, .bytes = bytes};
        return true;
    }
    if (sscanf(line, "tlb %u %u %u", &level, &page, &entries) != 3 ||
        r->tlb_count == CURVE_TLBS_MAX)
        return false;
    curve->tlb[r->tlb_count++] =
        (struct tlb_level){.level = (uint8_t)level, .page_log2 = (uint8_t)page, .entries = entries};
    return true;
}

static bool read_spread(struct curve_file *curve, const char *line)
{
    struct levels_request *r = &curve->request;
    struct level_spread *spread = &curve->spread[r->spread_count];
    unsigned page, doubt = 0;

    /* Older curve files have no doubts. */
    if (r->spread_count == LEVELS_SPREAD_MAX ||
        sscanf(line, "spread %u %lf %lf %lf %u", &page, &spread->pages, &spread->ns,
               &spread->rel_error, &doubt) < 4)
        return false;
    spread->doubt = (doubt_set)doubt;
    spread->page = (enum page_size)page;
    r->spread_count++;
    return true;
}

static bool read_line(struct curve_file *curve, const char *line)
{
    struct levels_request *r = &curve->request;
    struct level_point *point = &curve->point[r->count];
    int noisy, walks_load, in_pieces = 0, prefetched = -1;
    unsigned page, doubt;

    if (sscanf(line, "machine %31s %d %d", curve->machine, &noisy, &walks_load) == 3) {
        curve->noisy = noisy;
        curve->walks_load = walks_load;
        return true;
    }
    /* Older curve files do not say how many lines were brought, nor anything about pieces, nor
     * whether lines are brought on several misses only. */
    if (sscanf(line, "common %lf %u %lf %d %d", &r->common_error_ns, &r->line_bytes,
               &r->brought_lines, &in_pieces, &prefetched) >= 2) {
        r->in_pieces = in_pieces;
        r->prefetched = prefetched < 0 ? r->brought_lines > 0 : prefetched > 0;
        return true;
    }
    if (r->count < LEVELS_POINTS_MAX &&
        sscanf(line, "point %u %lf %lf %lf %u", &page, &point->bytes, &point->ns, &point->rel_error,
               &doubt) == 5) {
        point->doubt = (doubt_set)doubt;
        point->page = (enum page_size)page;
        r->count++;
        return true;
    }
    return read_spread(curve, line) || read_declared(curve, line) || read_truth(curve, line);
}

bool curve_file_read(struct curve_file *curve, FILE *file)
{
    char line[400];

    memset(curve, 0, sizeof *curve);
    curve->request.points = curve->point;
    curve->request.spread = curve->spread;
    curve->request.caches = curve->cache;
    curve->request.tlbs = curve->tlb;
    while (fgets(line, sizeof line, file)) {
        if (strcmp(line, "end\n") == 0)
            return true;
        if (!read_line(curve, line))
            return false;
    }
    return false;
}
