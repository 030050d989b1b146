/* SPDX-License-Identifier: BSD-2-Clause */
/* Cold chains over single lines. Those of many blocks are written at once, as one list: what each
 * of several CPUs writes of it is a part of some blocks' chains. */
#include "core/chase/listed.h"
#include "core/measure/regions_run.h"

struct chain regions_chain(struct measure *m, const uint64_t *line, uint32_t chains, uint32_t lines)
{
    line_order_listed(&m->order, line, (uint64_t)chains * lines);
    return (struct chain){.order = &m->order,
                          .stride_bytes = m->machine->description->line_bytes,
                          .line_bytes = m->machine->description->line_bytes,
                          .chains = chains};
}

void regions_draw(const struct measure *m, uint64_t *line, struct region_span span, uint32_t lines,
                  struct random random)
{
    uint32_t line_bytes = m->machine->description->line_bytes;

    listed_spread(line, lines, span.offset / line_bytes, span.bytes / line_bytes, &random);
    listed_shuffle(line, lines, &random);
}

struct dropping {
    const struct chain *chain;
    void (*flush)(const void *address);
};

static void drop_lines(void *arg, const struct window *w, uint64_t first, uint64_t end)
{
    const struct dropping *dropping = arg;

    for (uint64_t position = first; position < end; position++)
        dropping->flush((const void *)chain_node(dropping->chain, w, position));
}

static enum status run_work(struct measure *m, const struct window *w, uint32_t cpu,
                            window_work *work, void *arg, const struct chain *chain)
{
    const struct machine *machine = m->machine;
    struct fault_info fault = {.kind = 0};
    enum status status =
        machine->work_run(machine->self, w, cpu, work, arg, 0, chain_positions(chain), &fault);

    if (status == STATUS_FAULT)
        diagnose_fault(m->journal, &fault);
    return status;
}

static enum status drop(struct measure *m, const struct window *w, uint32_t cpu,
                        const struct chain *chain)
{
    struct dropping dropping = {.chain = chain, .flush = m->machine->line_flush};

    return run_work(m, w, cpu, drop_lines, &dropping, chain);
}

/* Writes chains, and leaves them in no cache of a CPU's. */
static enum status build(struct measure *m, const struct window *w, uint32_t cpu,
                         struct chain *chain)
{
    enum status status;

    m->regions.astray = false;
    status = run_work(m, w, cpu, m->machine->chain_build, chain, chain);
    if (status != STATUS_OK || m->machine->description->build_bypasses)
        return status;
    return drop(m, w, cpu, chain);
}

enum status regions_build_list(struct measure *m, const struct window *w, uint32_t lines)
{
    struct chain chain = regions_chain(m, m->regions.line, 1, lines);

    return build(m, w, 0, &chain);
}

enum status regions_drop(struct measure *m, const struct window *w, struct region_span span,
                         uint32_t lines, struct random random)
{
    struct chain chain = regions_chain(m, m->regions.line, 1, lines);

    regions_draw(m, m->regions.line, span, lines, random);
    return drop(m, w, 0, &chain);
}

enum status regions_build(struct measure *m, const struct window *w, struct region_span span,
                          uint32_t lines, struct random random, uint64_t *start)
{
    regions_draw(m, m->regions.line, span, lines, random);
    *start = m->regions.line[0];
    return regions_build_list(m, w, lines);
}

enum status regions_build_batch(struct measure *m, const struct window *w, uint32_t chains,
                                uint32_t lines)
{
    struct chain chain = regions_chain(m, m->regions.batch, chains, lines);

    return build(m, w, CPU_EVERY, &chain);
}
