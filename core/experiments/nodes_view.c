/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/nodes_view.h"

#include "core/lib/text.h"
#include "core/measure/cpus.h"

/* A memory-side cache of this share of the set holds enough of it to be felt. */
#define SIDE_SHARE 0.02

static void add_node(struct nodes_view *view, const struct node_info *info)
{
    view->number[view->count] = info->number;
    view->has_memory[view->count] = info->bytes != 0;
    view->has_ordinary[view->count++] = info->ordinary_bytes != 0;
}

static bool has_strangers(const struct machine_description *d)
{
    for (size_t i = 0; i < d->cpu_count; i++)
        if (d->cpus[i].enabled && d->cpus[i].node == NODE_UNKNOWN)
            return true;
    return false;
}

void nodes_view_make(const struct plan *plan, struct nodes_view *view)
{
    const struct machine_description *d = plan->machine;
    const struct options *o = plan->options;
    struct node_info stranger = {NODE_UNKNOWN, 0, 0};
    const char *why;

    *view = (struct nodes_view){.machine = d, .cpus = cpus_of(o->cpus)};
    (void)node_read(o->node, text_length(o->node), &view->node, &why);
    (void)place_read(o->place, text_length(o->place), &view->place, &why);
    for (size_t i = 0; d->nodes != NULL && i < d->nodes->count; i++)
        add_node(view, &d->nodes->node[i]);
    if (view->count == 0)
        stranger.bytes = stranger.ordinary_bytes = 1;
    if (view->count == 0 || has_strangers(d))
        add_node(view, &stranger);
}

uint32_t nodes_view_cpu(const struct plan *plan, const struct nodes_view *view, uint32_t row,
                        uint32_t after)
{
    const struct machine_description *d = view->machine;
    bool alone = d->cpus[0].node == view->number[row];

    if (alone)
        return after == UINT32_MAX ? 0 : UINT32_MAX;
    for (uint32_t cpu = after == UINT32_MAX ? 1 : after + 1; cpu < d->cpu_count; cpu++)
        if (d->cpus[cpu].node == view->number[row] && pairs_takes(plan, &view->cpus, cpu))
            return cpu;
    return UINT32_MAX;
}

bool nodes_view_takes(const struct nodes_view *view, uint32_t row, uint32_t column)
{
    return view->has_memory[column] &&
           node_chosen(&view->node, view->number[row], view->number[column]) &&
           place_chosen(&view->place, view->number, view->count, row, column);
}

bool nodes_view_column(const struct plan *plan, const struct nodes_view *view, uint32_t column)
{
    for (uint32_t row = 0; row < view->count; row++)
        if (nodes_view_takes(view, row, column) &&
            nodes_view_cpu(plan, view, row, UINT32_MAX) != UINT32_MAX)
            return true;
    return false;
}

bool nodes_view_any(const struct plan *plan, const struct nodes_view *view)
{
    for (uint32_t column = 0; column < view->count; column++)
        if (nodes_view_column(plan, view, column))
            return true;
    return false;
}

struct node_claim nodes_view_claim(const struct nodes_view *view, uint32_t row, uint32_t column)
{
    const struct node_map *map = view->machine->nodes;

    for (size_t i = 0; map != NULL && i < map->claim_count; i++)
        if (map->claim[i].from == view->number[row] && map->claim[i].to == view->number[column])
            return map->claim[i];
    return (struct node_claim){.distance = 0};
}

/* "0, 1, 3" */
static void add_numbers(struct text *text, const struct nodes_view *view)
{
    const char *between = "";

    for (uint32_t i = 0; i < view->count; i++)
        if (view->number[i] != NODE_UNKNOWN) {
            text_format(text, "%s%u", between, view->number[i]);
            between = ", ";
        }
    if (between[0] == '\0')
        text_add(text, "none that anything tells of");
}

void nodes_view_note_missing(const struct plan *plan, const struct nodes_view *view)
{
    uint32_t missing = node_missing(&view->node, view->number, view->count);
    char buffer[300];
    struct text text = text_open(buffer, sizeof buffer, "node %u; there is ", missing);

    add_numbers(&text, view);
    if (missing != UINT32_MAX)
        journal_note(plan->journal, SEVERITY_WARNING, "node= names a node that is not there",
                     buffer);
}

static void note_counts(const struct plan *plan, const struct nodes_view *view)
{
    const struct node_map *map = view->machine->nodes;
    char buffer[300];
    struct text text = text_open(
        buffer, sizeof buffer, "node=, place= and cpus= together take no pair of nodes; there is ");

    add_numbers(&text, view);
    if (!nodes_view_any(plan, view))
        journal_note(plan->journal, SEVERITY_WARNING, "nodes: nothing to measure", buffer);
    else if (view->count == 1)
        journal_note(plan->journal, SEVERITY_WARNING, "nodes: one node",
                     map == NULL || map->count == 0
                         ? "nothing tells of nodes: memory is measured as if all of it were one's"
                         : "the machine has no other: its one pair is measured");
    if (map != NULL && map->more != 0)
        journal_note_format(plan->journal, SEVERITY_WARNING, "nodes: some are left out",
                            "there is room for %u; %u more are named", NODES_MAX, map->more);
}

static void note_memory(const struct plan *plan, const struct nodes_view *view, uint64_t bytes)
{
    const struct machine_description *d = view->machine;

    for (uint32_t i = 0; i < view->count; i++) {
        uint64_t cache_bytes = 0;
        if (view->has_memory[i] && !view->has_ordinary[i])
            journal_note_format(plan->journal, SEVERITY_INFO, "nodes: memory for specific purposes",
                                "node %u has no other, and is measured in it", view->number[i]);
        for (size_t k = 0; k < d->memory_count; k++)
            if (d->memory[k].node == view->number[i] && d->memory[k].cache_bytes > cache_bytes)
                cache_bytes = d->memory[k].cache_bytes;
        if ((double)cache_bytes > SIDE_SHARE * (double)bytes)
            journal_note_format(plan->journal, SEVERITY_WARNING,
                                "nodes: a memory-side cache holds some of a set",
                                "node %u: %s of %s; a larger max= shows its memory",
                                view->number[i], TEXT_SIZE(cache_bytes), TEXT_SIZE(bytes));
    }
}

void nodes_view_note(const struct plan *plan, const struct nodes_view *view, uint64_t bytes)
{
    measure_note_missing_cpu(view->machine, &view->cpus, plan->journal);
    nodes_view_note_missing(plan, view);
    note_counts(plan, view);
    note_memory(plan, view, bytes);
}
