/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/nodes.h"

#include "core/experiments/nodes_view.h"
#include "core/experiments/points.h"
#include "core/lib/real.h"
#include "core/measure/cpus.h"
#include "core/plan/sets.h"

/* Tags of its points. */
enum { NODES_CHASE = 1, NODES_STREAM };

/* ---- the set that all cells share */

struct set {
    enum page_size page;
    uint64_t bytes;
    uint32_t columns; /* that have room for it */
};

static struct point point_of(const struct plan *plan, const struct nodes_view *view,
                             uint32_t experiment, const struct set *set, bool off, uint32_t column)
{
    struct point point = plan_point(plan, experiment, set->page, off, set->bytes);

    point.bytes -= point.bytes % point.stride_bytes;
    point.label = "memory";
    point.node = view->number[column];
    point.everywhere = !view->has_ordinary[column];
    return point;
}

/* In pages of this size the largest set that every column has room for, of those that have any for
 * one beyond the caches. */
static struct set set_in(const struct plan *plan, const struct nodes_view *view,
                         const struct workbench *bench, uint32_t experiment, enum page_size page)
{
    const struct machine *machine = bench->controls->machine;
    struct set set = {page, plan_wanted_bytes(plan), 0};
    uint64_t least = plan_least_bytes(plan);

    for (uint32_t column = 0; column < view->count; column++) {
        struct point point = point_of(plan, view, experiment, &set, true, column);
        struct window_request request = plan_window(plan, &point, 0);
        uint64_t limit;
        if (!nodes_view_column(plan, view, column))
            continue;
        limit = machine->window_limit(machine->self, &request);
        if (limit < least)
            continue;
        set.columns++;
        set.bytes = limit < set.bytes ? limit : set.bytes;
    }
    return set;
}

/* The pages in which most columns have room, then those of the larger set, then the larger ones. */
static struct set choose_set(const struct plan *plan, const struct nodes_view *view,
                             const struct workbench *bench, uint32_t experiment)
{
    uint32_t sizes = plan_page_sizes(plan);
    struct set best = {.columns = 0};

    for (unsigned page = PAGE_4K; page <= PAGE_1G; page++) {
        struct set set;
        if (!(sizes & 1u << page))
            continue;
        set = set_in(plan, view, bench, experiment, (enum page_size)page);
        if (best.columns == 0 || set.columns > best.columns ||
            (set.columns == best.columns && set.bytes >= best.bytes))
            best = set;
    }
    return best;
}

/* ---- the plan */

/* The points of a row, from that CPU. */
static void add_row(struct plan *plan, const struct nodes_view *view, uint32_t experiment,
                    const struct set *set, uint32_t row, uint32_t cpu)
{
    bool off[2];
    uint32_t states = plan_prefetch_states(plan, off);

    for (uint32_t column = 0; column < view->count; column++)
        for (uint32_t i = 0; i < states && nodes_view_takes(view, row, column); i++) {
            struct point point = point_of(plan, view, experiment, set, off[i], column);
            point.cpu = cpu;
            point.tag = NODES_CHASE;
            plan_add(plan, &point);
            point.tag = NODES_STREAM;
            point.kernel = KERNEL_STREAM;
            plan_add(plan, &point);
        }
}

static bool is_beyond(const struct plan *plan)
{
    return plan_wanted_bytes(plan) > plan_last_level_bytes(plan);
}

/* Says why there is no set to measure, or that it is smaller than wanted. False: there is none. */
static bool note_set(const struct plan *plan, const struct set *set)
{
    uint64_t bytes = plan_wanted_bytes(plan);

    if (!is_beyond(plan))
        journal_note_format(plan->journal, SEVERITY_WARNING, "nodes: left out",
                            "max=%s is not beyond the declared caches", TEXT_SIZE(bytes));
    else if (set->columns == 0)
        journal_note_format(plan->journal, SEVERITY_WARNING, "nodes: left out",
                            "no node has %s, a set beyond the caches, in the pages asked for",
                            TEXT_SIZE(plan_least_bytes(plan)));
    else
        plan_clamp(plan, "nodes: the set of memory", set->bytes, &bytes);
    return is_beyond(plan) && set->columns != 0;
}

/* The CPU that stands for a row: the first that is ready. False: none is, *cpu is the first. */
static bool cpu_of(const struct plan *plan, const struct nodes_view *view,
                   const struct workbench *bench, uint32_t row, uint32_t *cpu)
{
    uint32_t first = nodes_view_cpu(plan, view, row, UINT32_MAX);
    const char *why;

    for (*cpu = first; *cpu != UINT32_MAX; *cpu = nodes_view_cpu(plan, view, row, *cpu))
        if (measure_cpu_ready(bench->controls->machine, *cpu, &why))
            return true;
    *cpu = first;
    return false;
}

static void add_others(struct plan *plan, const struct nodes_view *view,
                       const struct workbench *bench, uint32_t experiment, const struct set *set)
{
    for (uint32_t row = 0; row < view->count; row++) {
        uint32_t cpu;
        if (cpu_of(plan, view, bench, row, &cpu) && cpu != 0)
            add_row(plan, view, experiment, set, row, cpu);
    }
}

/* The row of CPU 0: other CPUs are started when it is measured, or at once where it has no cell. */
enum status nodes_plan(struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    uint32_t first = plan->point_count;
    struct nodes_view view;
    struct set set;

    nodes_view_make(plan, &view);
    set = choose_set(plan, &view, bench, experiment);
    nodes_view_note(plan, &view, set.bytes);
    if (!nodes_view_any(plan, &view) || !note_set(plan, &set))
        return STATUS_OK;
    for (uint32_t row = 0; row < view.count; row++)
        if (nodes_view_cpu(plan, &view, row, UINT32_MAX) == 0)
            add_row(plan, &view, experiment, &set, row, 0);
    if (plan->point_count == first)
        add_others(plan, &view, bench, experiment, &set);
    return STATUS_OK;
}

bool nodes_extend(struct plan *plan, const struct workbench *bench, uint32_t experiment)
{
    uint32_t first = plan->point_count;
    struct nodes_view view;
    struct set set = {.columns = 0};

    for (uint32_t i = 0; i < first; i++) {
        if (plan->point[i].experiment != experiment)
            continue;
        if (plan->point[i].cpu != 0)
            return false;
        set = (struct set){plan->point[i].page, plan->point[i].bytes, 1};
    }
    if (set.columns == 0)
        return false;
    nodes_view_make(plan, &view);
    add_others(plan, &view, bench, experiment, &set);
    return plan->point_count > first;
}

/* ---- what was found */

/* A cell of the matrix, in one state of the prefetchers. */
struct cell {
    uint32_t row, column;
    const struct point *chase, *stream; /* NULL: not planned */
};

static const struct point *find(const struct plan *plan, const struct point *like, uint32_t tag,
                                uint32_t cpu)
{
    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (p->experiment == like->experiment && p->tag == tag && p->cpu == cpu &&
            p->node == like->node && p->prefetch_off == like->prefetch_off)
            return p;
    }
    return NULL;
}

/* Whether it has a figure, and of the memory that was asked for. */
static bool is_there(const struct nodes_view *view, const struct cell *cell,
                     const struct point *point)
{
    return point != NULL && point->result.known &&
           (point->node == NODE_ANY || point->result.node == view->number[cell->column]);
}

struct matrix {
    const struct plan *plan;
    const struct workbench *bench;
    struct nodes_view view;
    uint32_t experiment;
    struct set set;
    bool off;
};

static struct cell cell_of(const struct matrix *m, uint32_t row, uint32_t column, uint32_t cpu)
{
    struct point like = point_of(m->plan, &m->view, m->experiment, &m->set, m->off, column);

    return (struct cell){row, column, find(m->plan, &like, NODES_CHASE, cpu),
                         find(m->plan, &like, NODES_STREAM, cpu)};
}

/* How many times farther a is than b by what is claimed of both; NAN: nothing is. Distances and
 * latencies are not compared with each other. */
static double claimed_times(const struct matrix *m, const struct cell *a, const struct cell *b)
{
    struct node_claim of_a = nodes_view_claim(&m->view, a->row, a->column);
    struct node_claim of_b = nodes_view_claim(&m->view, b->row, b->column);

    if (of_a.latency_ns > 0 && of_b.latency_ns > 0)
        return of_a.latency_ns / of_b.latency_ns;
    if (of_a.distance != 0 && of_b.distance != 0)
        return (double)of_a.distance / of_b.distance;
    return real_nan();
}

/* The nearest place of a row that has a figure: by what is claimed, else the row's own node, else
 * by its figure. */
static bool is_nearer(const struct matrix *m, const struct cell *a, const struct cell *b)
{
    double times = claimed_times(m, a, b);

    if (times < 1 || times > 1)
        return times < 1;
    if (a->column == a->row || b->column == b->row)
        return a->column == a->row;
    return a->chase->result.mean_ns < b->chase->result.mean_ns;
}

static bool nearest_of(const struct matrix *m, uint32_t row, uint32_t cpu, struct cell *nearest)
{
    bool any = false;

    for (uint32_t column = 0; column < m->view.count; column++) {
        struct cell cell = cell_of(m, row, column, cpu);
        if (!is_there(&m->view, &cell, cell.chase) || (any && !is_nearer(m, &cell, nearest)))
            continue;
        *nearest = cell;
        any = true;
    }
    return any;
}

/* Of the nodes that reach their own memory, the one with as many faster as slower ones. */
static const struct point *middle_of(const struct matrix *m)
{
    const struct point *own[NODES_VIEW_MAX];
    uint32_t count = 0;

    for (uint32_t row = 0; row < m->view.count; row++) {
        uint32_t cpu, pos = count;
        struct cell cell;
        if (!cpu_of(m->plan, &m->view, m->bench, row, &cpu))
            continue;
        cell = cell_of(m, row, row, cpu);
        if (!is_there(&m->view, &cell, cell.chase))
            continue;
        for (; pos > 0 && own[pos - 1]->result.mean_ns > cell.chase->result.mean_ns; pos--)
            own[pos] = own[pos - 1];
        own[pos] = cell.chase;
        count++;
    }
    return count == 0 ? NULL : own[(count - 1) / 2];
}

static double or_none(double value)
{
    return value > 0 ? value : real_nan();
}

static void add_claims(const struct matrix *m, const struct cell *cell, const struct cell *nearest,
                       struct record_pair *pair)
{
    struct node_claim claim = nodes_view_claim(&m->view, cell->row, cell->column);

    if (claim.latency_ns <= 0 && claim.bytes_per_s <= 0 && claim.distance == 0)
        return;
    pair->claimed_by = m->view.machine->nodes->source;
    pair->claimed_ns = or_none(claim.latency_ns);
    pair->claimed_bytes_per_s = or_none(claim.bytes_per_s);
    pair->claimed_distance = claim.distance != 0 ? claim.distance : RECORD_UNKNOWN;
    if (nearest != NULL)
        pair->claimed = claimed_times(m, cell, nearest);
}

static void add_rate(const struct matrix *m, const struct point *stream, struct record_pair *pair)
{
    struct figure ns = points_figure(stream);
    struct figure line = {m->plan->machine->line_bytes * 1e9, 0};

    if (ns.value > 0)
        figure_bounds(figure_ratio(line, ns), &pair->bytes_per_s, &pair->bytes_per_s_low,
                      &pair->bytes_per_s_high);
    pair->doubt |= stream->result.doubt;
}

static void add_times(const struct cell *cell, const struct cell *nearest, struct record_pair *pair)
{
    if (cell->column == nearest->column)
        pair->times = pair->times_low = pair->times_high = 1;
    else if (nearest->chase->result.mean_ns > 0)
        figure_bounds(figure_ratio(points_figure(cell->chase), points_figure(nearest->chase)),
                      &pair->times, &pair->times_low, &pair->times_high);
}

static const char *why_none(const struct matrix *m, const struct cell *cell, uint32_t cpu)
{
    const struct point *point = cell->chase;
    const char *why;

    if (!measure_cpu_ready(m->bench->controls->machine, cpu, &why))
        return why;
    if (!is_beyond(m->plan))
        return "max= leaves no set beyond the declared caches";
    if (m->set.columns == 0)
        return "no node has memory for a set beyond the caches in the pages that are asked for";
    if (point != NULL && point->left_out == LEFT_NOT_MAPPED)
        return "its memory has no room for a set beyond the caches in these pages";
    if (point != NULL && point->result.known)
        return "the set was not seen to lie in its memory";
    return pairs_why_none(m->bench, cpu, point);
}

static struct record_pair pair_of(const struct matrix *m, const struct cell *cell, uint32_t cpu,
                                  const struct point *middle)
{
    struct point like = point_of(m->plan, &m->view, m->experiment, &m->set, m->off, cell->column);
    struct record_pair pair = pairs_record(m->plan, &like, cpu);
    struct cell nearest;
    bool any = nearest_of(m, cell->row, cpu, &nearest);

    add_claims(m, cell, any ? &nearest : NULL, &pair);
    if (!is_there(&m->view, cell, cell->chase)) {
        pair.why = why_none(m, cell, cpu);
        return pair;
    }
    pairs_add_latency(&pair, m->plan, cell->chase);
    add_times(cell, &nearest, &pair);
    if (cell->row == cell->column)
        pairs_add_slower(&pair, cell->chase, middle);
    if (is_there(&m->view, cell, cell->stream))
        add_rate(m, cell->stream, &pair);
    return pair;
}

static void note_farther(const struct matrix *m, const struct record_pair *pair)
{
    if (pair->times_low > pair->claimed * (1 + PAIRS_FAR_SHARE))
        journal_note_format(m->plan->journal, SEVERITY_WARNING,
                            "memory is farther than the firmware claims",
                            "from node %lu to node %lu: %.2f ns, %.2f (%.2f to %.2f) times the "
                            "nearest; %s claims %.2f times",
                            pair->from_node, pair->home_node, pair->ns, pair->times,
                            pair->times_low, pair->times_high, pair->claimed_by, pair->claimed);
}

static void note_slower(const struct matrix *m, const struct record_pair *pair)
{
    double middle_ns = pair->ns - pair->slower_ns;

    if (pair->slower_low_ns > PAIRS_FAR_SHARE * middle_ns)
        journal_note_format(
            m->plan->journal, SEVERITY_WARNING, "a node's own memory is slower than the others'",
            "node %lu: %.2f ns (%.2f to %.2f) more than the %.2f ns of the middle "
            "one",
            pair->home_node, pair->slower_ns, pair->slower_low_ns, pair->slower_high_ns, middle_ns);
}

/* Hands each cell that is asked for to `use`. */
static void each_cell(const struct matrix *m,
                      void (*use)(const struct matrix *m, const struct record_pair *pair))
{
    const struct point *middle = middle_of(m);

    for (uint32_t row = 0; row < m->view.count; row++) {
        uint32_t cpu;
        (void)cpu_of(m->plan, &m->view, m->bench, row, &cpu);
        for (uint32_t column = 0; column < m->view.count && cpu != UINT32_MAX; column++) {
            struct cell cell = cell_of(m, row, column, cpu);
            struct record_pair pair;
            if (!nodes_view_takes(&m->view, row, column))
                continue;
            pair = pair_of(m, &cell, cpu, middle);
            use(m, &pair);
        }
    }
}

static void emit(const struct matrix *m, const struct record_pair *pair)
{
    struct record record = {.kind = RECORD_PAIR, .u.pair = *pair};

    journal_emit(m->plan->journal, &record);
}

enum status nodes_conclude(const struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    struct matrix m = {.plan = plan, .bench = bench, .experiment = experiment};
    bool off[2];
    uint32_t states = plan_prefetch_states(plan, off);

    nodes_view_make(plan, &m.view);
    m.set = choose_set(plan, &m.view, bench, experiment);
    for (uint32_t i = 0; i < plan->point_count; i++)
        if (plan->point[i].experiment == experiment)
            m.set = (struct set){plan->point[i].page, plan->point[i].bytes, 1};
    for (uint32_t i = 0; i < states; i++) {
        m.off = off[i];
        each_cell(&m, emit);
        each_cell(&m, note_farther);
        each_cell(&m, note_slower);
    }
    return STATUS_OK;
}
