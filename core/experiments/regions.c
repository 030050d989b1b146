/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/regions.h"

#include "core/experiments/everywhere.h"
#include "core/options/experiments.h"
#include "core/plan/check.h"

#define BLOCK_BYTES (64ull << 20)

static enum status refuse(struct plan *plan, uint32_t experiment, const char *why)
{
    text_print(plan->refused, sizeof plan->refused, "%s", why);
    journal_note_about(plan->journal, SEVERITY_WARNING, experiment_list[experiment].name,
                       "memory is not measured by blocks", "%s", why);
    return STATUS_OK;
}

static void too_few_blocks(const struct plan *plan, enum page_size page, uint64_t block_bytes,
                           uint64_t limit_bytes, struct text *why)
{
    const char *range = everywhere_range_words(plan);
    uint64_t least_bytes = 1ull << page, most_bytes = limit_bytes / 2 >> page << page;

    text_format(why,
                "%s%s can be had, which is fewer than two blocks of %s: ", TEXT_SIZE(limit_bytes),
                range, TEXT_SIZE(block_bytes));
    if (most_bytes >= least_bytes)
        text_format(why, "block= from %s to %s is allowed%s", TEXT_SIZE(least_bytes),
                    TEXT_SIZE(most_bytes), range[0] != '\0' ? ", or a larger range=" : "");
    else
        text_format(why, "memory of two pages of %s is needed", TEXT_SIZE(least_bytes));
}

static bool block_fits(const struct plan *plan, enum page_size page, uint64_t block_bytes,
                       uint64_t limit_bytes, struct text *why)
{
    if (block_bytes % (1ull << page) != 0)
        text_format(why, "block=%s is not whole pages of %s: a multiple of them is allowed",
                    TEXT_SIZE(block_bytes), TEXT_SIZE(1ull << page));
    else if (limit_bytes == 0)
        text_format(why, "no memory%s can be had in pages of %s", everywhere_range_words(plan),
                    TEXT_SIZE(1ull << page));
    else if (limit_bytes < 2 * block_bytes)
        too_few_blocks(plan, page, block_bytes, limit_bytes, why);
    else if (limit_bytes / block_bytes > REGIONS_BLOCKS_MAX)
        text_format(why, "block=%s makes more than %u blocks of %s: a larger block= is allowed",
                    TEXT_SIZE(block_bytes), REGIONS_BLOCKS_MAX, TEXT_SIZE(limit_bytes));
    else
        return true;
    return false;
}

/* A process has its pages in many pieces, few of which would hold a larger block. */
static uint64_t block_bytes(const struct plan *plan, enum page_size page)
{
    if (plan->options->block_bytes != 0)
        return plan->options->block_bytes;
    return plan->machine->process_mapping ? 1ull << page : BLOCK_BYTES;
}

enum status regions_plan(struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    enum page_size page = everywhere_page(plan);
    uint64_t block = block_bytes(plan, page);
    const char *hidden = plan_no_physical(plan->machine);
    char why[PLAN_WHY_MAX];
    struct point point;
    struct text text;

    (void)bench;
    if (hidden != NULL)
        return refuse(plan, experiment, hidden);
    if (plan->machine->process_mapping && page == PAGE_4K)
        return refuse(plan, experiment,
                      "a process has its pages of 4K all over memory: 2m or 1g pages are needed");
    point = everywhere_point(plan, experiment, page);
    point.work_kind = POINT_REGIONS;
    point.stride_bytes = plan->machine->line_bytes;
    point.regions.block_bytes = block;
    text_start(&text, why, sizeof why);
    if (!block_fits(plan, page, block, point.bytes, &text))
        return refuse(plan, experiment, why);
    plan_add(plan, &point);
    return STATUS_OK;
}
