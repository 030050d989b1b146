/* SPDX-License-Identifier: BSD-2-Clause */
/* Names levels after the declared level of that size, otherwise by their order. */
#include "core/levels/state.h"

#include "core/lib/text.h"
#include "core/names.h"

#define TLBS_USUAL 2 /* of one page size; walks seem to be further ones */

static void name_one(struct level *level, unsigned number)
{
    text_print(level->name, sizeof level->name, "L%u", number);
}

size_t levels_declared(const struct levels_request *request, uint64_t bytes[CACHE_LEVELS_MAX],
                       unsigned level[CACHE_LEVELS_MAX])
{
    size_t count = 0;

    for (unsigned number = 1; number <= UINT8_MAX; number++) {
        uint64_t largest = 0;
        for (size_t i = 0; i < request->cache_count; i++)
            if (request->caches[i].level == number && request->caches[i].bytes > largest)
                largest = request->caches[i].bytes;
        if (largest != 0 && count < CACHE_LEVELS_MAX) {
            bytes[count] = largest;
            level[count++] = number;
        }
    }
    return count;
}

/* A found capacity matches a declared level alone, or together with nearer levels if exclusive:
 * with the declared ones, or with the `inner` bytes that were found. */
static bool is_declared(double found, double inner, const uint64_t *bytes, size_t declared)
{
    double sum = 0;

    for (size_t d = 0; d <= declared; d++)
        sum += (double)bytes[d];
    if (sum < inner + (double)bytes[declared])
        sum = inner + (double)bytes[declared];
    return found * HINGE_SAME > (double)bytes[declared] && found < sum * HINGE_SAME;
}

static size_t count_unnamed(const struct level *caches, size_t from, size_t count)
{
    size_t unnamed = 0;

    while (from + unnamed < count && caches[from + unnamed].name[0] == '\0')
        unnamed++;
    return unnamed;
}

/* True if a found level lies between two declared ones that are close. */
static bool is_between(const struct level *found, const uint64_t bytes[2])
{
    return found->bytes > (double)bytes[0] && found->bytes < (double)bytes[1] &&
           (double)bytes[1] <= LEVELS_CLOSE * (double)bytes[0];
}

/* What is declared, and which of it each found level was matched with; declared: with none. */
struct naming {
    const uint64_t *bytes;
    const unsigned *number;
    size_t *match;
};

static void name_after(const struct naming *naming, struct level *caches, size_t i, size_t declared)
{
    name_one(&caches[i], naming->number[declared]);
    caches[i].declared_bytes = naming->bytes[declared];
    naming->match[i] = declared;
}

static void name_unexplained(struct level *level)
{
    text_print(level->name, sizeof level->name, "unexplained");
    level->kind = LEVEL_UNEXPLAINED;
}

static double ratio_of(double a, double b)
{
    return a > b ? a / b : b / a;
}

/* Names the levels from..to-1 after those that are declared from `next` on, each after the nearest,
 * in order; what is near to none is unexplained. */
static void name_nearest(const struct naming *naming, struct level *caches, size_t from, size_t to,
                         size_t next, size_t end)
{
    for (size_t d = next; d < end; d++) {
        double bytes = (double)naming->bytes[d];
        size_t best = from;
        for (size_t i = from; i < to; i++)
            if (ratio_of(caches[i].bytes, bytes) < ratio_of(caches[best].bytes, bytes))
                best = i;
        if (from == to || !levels_are_near(caches[best].bytes, bytes, LEVELS_NEAR))
            continue;
        name_after(naming, caches, best, d);
        for (; from < best; from++)
            name_unexplained(&caches[from]);
        from++;
    }
    for (; from < to; from++)
        name_unexplained(&caches[from]);
}

/* If as many declared levels are left as found levels without a match, they are assigned in order:
 * a shared or partitioned cache provides less than declared. A level between two declared ones that
 * are left is the second, which includes the first. */
static void name_leftovers(const struct naming *naming, struct level *caches, size_t count,
                           size_t declared)
{
    size_t next = 0; /* declared level after the last one matched */

    for (size_t i = 0; i < count; i++) {
        size_t unnamed = count_unnamed(caches, i, count);
        size_t end = i + unnamed < count ? naming->match[i + unnamed] : declared;
        if (end - next == unnamed)
            for (size_t k = 0; k < unnamed; k++)
                name_after(naming, caches, i + k, next + k);
        else if (unnamed == 1 && end - next == 2 && is_between(&caches[i], naming->bytes + next))
            name_after(naming, caches, i, next + 1);
        else
            name_nearest(naming, caches, i, i + unnamed, next, end);
        i += unnamed;
        next = i < count ? naming->match[i] + 1 : declared;
    }
}

/* A declared cache that was not found and is only slightly smaller than the one found is part of
 * it: the level gets both names. */
static void name_both(struct level *caches, size_t i, const size_t *match, const uint64_t *bytes,
                      const unsigned *number)
{
    size_t before = i > 0 ? match[i - 1] + 1 : 0;

    if (match[i] != before + 1 || caches[i].declared_bytes != bytes[match[i]] ||
        (double)bytes[match[i]] > LEVELS_CLOSE * (double)bytes[before])
        return;
    caches[i].kind = LEVEL_MERGED;
    text_print(caches[i].name, sizeof caches[i].name, "L%u + L%u", number[before],
               number[match[i]]);
}

void levels_name_caches(const struct levels_request *request, struct level *caches, size_t count)
{
    uint64_t bytes[CACHE_LEVELS_MAX];
    unsigned number[CACHE_LEVELS_MAX];
    size_t match[LEVELS_MAX], declared = levels_declared(request, bytes, number), next = 0;

    for (size_t i = 0; i < count; i++) {
        caches[i].kind = LEVEL_CACHE;
        caches[i].name[0] = '\0';
        match[i] = declared;
        if (declared == 0)
            name_one(&caches[i], (unsigned)i + 1);
        for (size_t d = next; d < declared && caches[i].name[0] == '\0'; d++) {
            if (!is_declared(caches[i].bytes, i > 0 ? caches[i - 1].bytes : 0, bytes, d))
                continue;
            name_one(&caches[i], number[d]);
            caches[i].declared_bytes = bytes[d];
            match[i] = d;
            next = d + 1;
        }
    }
    if (declared != 0)
        name_leftovers(&(struct naming){bytes, number, match}, caches, count, declared);
    for (size_t i = 0; i < count && declared != 0; i++)
        if (caches[i].kind == LEVEL_CACHE)
            name_both(caches, i, match, bytes, number);
}

bool levels_are_near(double a, double b, double factor)
{
    return a < factor * b && b < factor * a;
}

void levels_hold_bytes(struct level *level, double bytes)
{
    level->bytes_low = bytes < level->bytes_low ? bytes : level->bytes_low;
    level->bytes_high = bytes > level->bytes_high ? bytes : level->bytes_high;
}

static double page_bytes_of(const struct tlb_level *tlb)
{
    return (double)(1ull << (tlb->page_log2 & 63));
}

bool levels_is_tlb_declared(const struct levels_request *request, double page_bytes, double bytes,
                            double factor)
{
    for (size_t i = 0; i < request->tlb_count; i++)
        if (page_bytes_of(&request->tlbs[i]) == page_bytes &&
            levels_are_near(bytes, request->tlbs[i].entries * page_bytes, factor))
            return true;
    return false;
}

bool levels_is_tlb_undeclared(const struct levels_request *request, double page_bytes, double bytes)
{
    bool any = false;

    for (size_t i = 0; i < request->tlb_count; i++)
        any |= page_bytes_of(&request->tlbs[i]) == page_bytes;
    return any && !levels_is_tlb_declared(request, page_bytes, bytes, LEVELS_NEAR);
}

void levels_name_walk(unsigned page_log2, struct level *level)
{
    level->kind = LEVEL_WALK;
    level->tlb_pages = 1u << page_log2;
    text_print(level->name, sizeof level->name, "walk %s", page_name(page_log2));
}

static void print_tlb_name(unsigned page_log2, unsigned number, struct level *level)
{
    unsigned last = level->kind == LEVEL_MERGED_TLBS ? number + 1 : number;
    struct text text;

    level->tlb_pages = 1u << page_log2;
    text_start(&text, level->name, sizeof level->name);
    for (; number <= last; number++)
        text_format(&text, "TLB %s L%u%s", page_name(page_log2), number,
                    number < last ? " + " : "");
}

void levels_name_tlb(const struct levels_request *request, unsigned page_log2, size_t index,
                     struct level *level)
{
    bool merged = level->kind == LEVEL_MERGED_TLBS, any = false;
    unsigned number = (unsigned)index + 1;

    level->declared_bytes = 0;
    for (size_t i = 0; i < request->tlb_count; i++) {
        const struct tlb_level *tlb = &request->tlbs[i];
        double reach = (double)((uint64_t)tlb->entries << (tlb->page_log2 & 63));
        any |= tlb->page_log2 == page_log2;
        if (tlb->page_log2 != page_log2 ||
            !levels_are_near(level->bytes, reach, merged ? LEVELS_NEAR : HINGE_SAME))
            continue;
        if (!merged || level->declared_bytes == 0 || tlb->level < number) {
            number = tlb->level;
            level->declared_bytes = (uint64_t)reach;
        }
        /* Timing's place and the register's are two figures of one reach. */
        levels_hold_bytes(level, reach);
    }
    if ((any || index >= TLBS_USUAL) && level->declared_bytes == 0)
        level->doubt |= doubt_of(DOUBT_TRANSLATION);
    print_tlb_name(page_log2, number, level);
}

bool levels_is_of_caches(const struct level *level)
{
    return level->kind != LEVEL_TLB && level->kind != LEVEL_WALK &&
           level->kind != LEVEL_MERGED_TLBS;
}

bool levels_is_merged(const struct level *level)
{
    return level->kind == LEVEL_MERGED || level->kind == LEVEL_MERGED_TLBS;
}
