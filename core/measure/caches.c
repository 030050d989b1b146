/* SPDX-License-Identifier: BSD-2-Clause */
/* How much of a set the caches can hold, and flushing it from them. */
#include "core/measure/run.h"
#include "core/plan/estimate_warm.h"

#define CACHEABLE_LAST_LEVELS 4
#define KEPT_LAST_LEVELS      32

/* An undeclared cache may be of any size. */
static bool is_up_to(const struct measurement *run, uint64_t last_levels)
{
    uint64_t last_level = estimate_last_level_bytes(run->m->plan);

    return plan_last_level_bytes(run->m->plan) == 0 ||
           run->point->bytes / run->point->chains <= last_levels * last_level;
}

bool point_is_cacheable(const struct measurement *run)
{
    return is_up_to(run, CACHEABLE_LAST_LEVELS);
}

bool point_is_kept(const struct measurement *run)
{
    uint64_t last_level = plan_last_level_bytes(run->m->plan);

    return run->point->kernel == KERNEL_CYCLE && run->settling && !run->point->beyond_caches &&
           is_up_to(run, KEPT_LAST_LEVELS) && run->point->bytes > last_level;
}

/* What is to be flushed. */
struct cooling {
    const struct chain *chain;
    bool draws;
    void (*flush)(const void *address);
};

static void cool_lines(void *arg, const struct window *w, uint64_t first, uint64_t end)
{
    const struct cooling *cooling = arg;
    struct chain_link link[CHAIN_LINKS_RUN];
    struct chain_links links;
    uint32_t count;

    if (cooling->draws) {
        for (uint64_t line = first; line < end; line++)
            cooling->flush((const void *)(w->base + line * cooling->chain->stride_bytes));
        return;
    }
    chain_links_start(&links, cooling->chain, w, first, end);
    while ((count = chain_links_next(&links, link)) != 0)
        for (uint32_t i = 0; i < count; i++)
            cooling->flush((const void *)link[i].node);
}

/* Flushes the set from node `first` on. */
static enum status drop_lines(struct measurement *run, uint64_t first)
{
    const struct machine *machine = run->m->machine;
    struct cooling cooling = {.chain = &run->chain,
                              .draws = run->point->kernel == KERNEL_IID,
                              .flush = machine->line_flush};
    uint64_t nodes = diagnose_nodes(run->point, &run->chain);
    struct fault_info fault = {.kind = 0};
    enum status status = point_work(run, 0, cool_lines, &cooling, first, nodes, &fault);

    if (status == STATUS_FAULT)
        diagnose_chain(&run->m->diagnosis, run->point, run->w, &run->chain, &fault, 0, 0);
    return status;
}

enum status point_leave(struct measurement *run)
{
    enum status status;

    if (!sampling_drops(run->point))
        return STATUS_OK;
    status = drop_lines(run, 0);
    /* The point itself is complete. */
    return status == STATUS_LATE ? STATUS_OK : status;
}

enum status point_cool(struct measurement *run)
{
    uint64_t nodes = diagnose_nodes(run->point, &run->chain), first = 0;
    uint64_t built = 2 * plan_last_level_bytes(run->m->plan) / run->chain.line_bytes;
    enum status status;

    /* Of a large set, caches hold at most what was built last. */
    if (!point_is_cacheable(run) && built < nodes)
        first = nodes - built;
    status = drop_lines(run, first);
    run->cooled_at = run->position;
    run->cooled = true;
    return status;
}
