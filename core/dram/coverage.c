/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/dram/coverage.h"

#include "core/lib/memory.h"
#include "core/lib/u64.h"

const char *gap_reason_words(enum gap_reason reason)
{
    static const char *const words[GAP_REASONS] = {
        [GAP_IN_USE] = "in use by the firmware or a loader, or not cached",
        [GAP_NONVOLATILE] = "non-volatile",
        [GAP_RANGE] = "outside range=",
        [GAP_PAGE] = "less than a page at an edge",
        [GAP_RESERVE] = "kept free for the firmware and page tables",
        [GAP_MAX] = "more than max=",
        [GAP_OTHERS] = "the kernel's, other programs', or free",
        [GAP_SMALL] = "too few lines for a chain",
        [GAP_LATE] = "not reached within the budget",
        [GAP_STOPPED] = "not reached when the run was stopped",
        [GAP_FAULT] = "not reached when a fault ended the measurement",
        [GAP_WRONG] = "memory there reads wrong: see errors",
    };

    return words[reason];
}

struct walk {
    const struct coverage_request *request;
    void (*visit)(void *context, const struct gap *gap);
    void *context;
    struct coverage *sums;
};

static struct coverage_node *node_of(struct coverage *sums, uint32_t number)
{
    struct coverage_node *node = sums->node;

    while (node < sums->node + sums->nodes && node->node != number)
        node++;
    if (node < sums->node + sums->nodes)
        return node;
    if (sums->nodes == COVERAGE_NODES_MAX)
        return node - 1;
    sums->nodes++;
    *node = (struct coverage_node){.node = number};
    return node;
}

static void tell(const struct walk *walk, const struct memory_range *range, uint64_t first,
                 uint64_t end, enum gap_reason reason)
{
    struct gap gap = {phys_make(first), end - first, range->node, reason};

    if (first >= end)
        return;
    walk->sums->gap_bytes += gap.bytes;
    node_of(walk->sums, range->node)->gap_bytes += gap.bytes;
    if (walk->visit != NULL)
        walk->visit(walk->context, &gap);
}

/* Memory without a block that could have had one. */
static void tell_usable(const struct walk *walk, const struct memory_range *range, uint64_t first,
                        uint64_t end)
{
    const struct coverage_request *r = walk->request;
    bool anywhere = r->from.value == r->below.value;
    uint64_t from = anywhere || r->from.value < first ? first : r->from.value;
    uint64_t below = anywhere || r->below.value > end ? end : r->below.value;

    if (from >= below) {
        tell(walk, range, first, end, GAP_RANGE);
        return;
    }
    tell(walk, range, first, from, GAP_RANGE);
    tell(walk, range, from, below,
         r->process                     ? GAP_OTHERS
         : below - from < r->page_bytes ? GAP_PAGE
         : r->limited                   ? GAP_MAX
                                        : GAP_RESERVE);
    tell(walk, range, below, end, GAP_RANGE);
}

static void tell_gap(const struct walk *walk, const struct memory_range *range, uint64_t first,
                     uint64_t end)
{
    if (first >= end)
        return;
    if (range->usable)
        tell_usable(walk, range, first, end);
    else
        tell(walk, range, first, end,
             range->kind == MEMORY_NONVOLATILE ? GAP_NONVOLATILE : GAP_IN_USE);
}

static enum gap_reason reason_of(const struct walk *walk, const struct region_block *block)
{
    if (block->state == REGION_WRONG)
        return GAP_WRONG;
    return block->state == REGION_NO_CHAIN ? GAP_SMALL : walk->request->unreached;
}

/* *next: the first block that may reach into the range. */
static void walk_range(const struct walk *walk, const struct memory_range *range, uint32_t *next)
{
    const struct coverage_request *r = walk->request;
    uint64_t pos = range->base.value, end = pos + range->bytes;

    walk->sums->memory_bytes += range->bytes;
    node_of(walk->sums, range->node)->memory_bytes += range->bytes;
    for (; *next < r->block_count && r->block[*next].first.value < end; ++*next) {
        const struct region_block *block = &r->block[*next];
        uint64_t first = u64_max(block->first.value, pos);
        uint64_t last = u64_min(block->first.value + block->bytes, end);
        if (last <= pos)
            continue;
        tell_gap(walk, range, pos, first);
        if (region_is_measured(block))
            walk->sums->covered_bytes += last - first;
        else
            tell(walk, range, first, last, reason_of(walk, block));
        pos = last;
        /* It goes on in the next range. */
        if (block->first.value + block->bytes > end)
            break;
    }
    tell_gap(walk, range, pos, end);
}

const struct coverage_node *coverage_least(const struct coverage *coverage)
{
    const struct coverage_node *least = NULL;

    for (uint32_t i = 0; i < coverage->nodes; i++) {
        const struct coverage_node *node = &coverage->node[i];
        if (least == NULL || (double)node->gap_bytes * (double)least->memory_bytes >
                                 (double)least->gap_bytes * (double)node->memory_bytes)
            least = node;
    }
    return least;
}

void coverage_walk(const struct coverage_request *request,
                   void (*visit)(void *context, const struct gap *gap), void *context,
                   struct coverage *sums)
{
    struct walk walk = {request, visit, context, sums};
    uint32_t next = 0;

    memory_fill(sums, 0, sizeof *sums);
    for (size_t i = 0; i < request->memory_count; i++)
        walk_range(&walk, &request->memory[i], &next);
}
