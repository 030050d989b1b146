/* SPDX-License-Identifier: BSD-2-Clause */
/* The pairs of an experiment as tables, or, where these have no room, as maps with a character a
 * cell; one for each kind. They are printed once the last pair has come. */
#include "core/report/internal.h"

static void add_right(struct text *line, const char *words, size_t width)
{
    for (size_t i = text_length(words); i < width; i++)
        text_char(line, ' ');
    text_add(line, words);
}

/* ---- keeping */

/* Places have homes of their own. */
static uint64_t home_of(const struct record_pair *pair)
{
    return pair->to_cpu != RECORD_UNKNOWN ? pair->home_node : RECORD_UNKNOWN;
}

static bool is_of(const struct report_grid *kept, const struct record_pair *pair)
{
    return text_equal(kept->kind, pair->kind != NULL ? pair->kind : "") &&
           (kept->prefetch == PREFETCH_ON) == (pair->prefetch == PREFETCH_ON);
}

static struct report_grid *find(struct report *report, const struct record_pair *pair)
{
    struct report_grid *kept = report->grid;

    for (size_t i = 0; i < report->grids; i++, kept++)
        if (is_of(kept, pair))
            return kept;
    if (report->grids == REPORT_GRIDS_MAX)
        return NULL;
    report->grids++;
    grid_start(&kept->grid);
    kept->prefetch = pair->prefetch;
    kept->differ = false;
    kept->home_node = home_of(pair);
    text_print(kept->kind, sizeof kept->kind, "%s", pair->kind != NULL ? pair->kind : "");
    return kept;
}

bool report_grids_end_before(const struct report *report, const struct record_pair *pair)
{
    return report->grids != 0 && report->grid[0].home_node != home_of(pair);
}

void report_grids_keep(struct report *report, const struct record_pair *pair, bool listed)
{
    struct report_grid *kept;

    text_print(report->grids_of, sizeof report->grids_of, "%s", report_words(pair->experiment));
    kept = find(report, pair);
    if (kept == NULL) {
        report->grids_lost++;
        return;
    }
    /* A pair without a figure does not know how prefetchers would have been. */
    if (pair->why == NULL && kept->grid.figures != 0 && kept->prefetch != pair->prefetch)
        kept->differ = true;
    if (pair->why == NULL && kept->grid.figures == 0)
        kept->prefetch = pair->prefetch;
    grid_add(&kept->grid, pair);
    kept->unlisted += !listed;
}

/* ---- figures */

static void add_cell(struct text *line, const struct grid *grid, const struct grid_layout *layout,
                     size_t row, size_t column)
{
    uint8_t state = grid->state[row][column];
    const char *mark = grid->doubted == 0 ? "" : state == GRID_DOUBTED ? "?" : " ";
    char words[2] = {' ', '\0'};

    if (state >= GRID_REASON)
        words[0] = grid_letter((size_t)(state - GRID_REASON));
    add_right(line,
              grid_is_figure(grid, row, column)
                  ? REPORT_NUMBER((double)grid->ns[row][column], layout->decimals)
                  : words,
              layout->width - text_length(mark));
    text_add(line, mark);
}

static void table_head(struct report *report, const struct grid *grid,
                       const struct grid_layout *layout, const uint8_t columns[GRID_SIDE])
{
    const char *mark = grid->doubted == 0 ? "" : " ";
    char buffer[120], heading[GRID_PLACE_BYTES];
    struct text line = text_open(buffer, sizeof buffer, "  %s", grid->of_places ? "to" : "from");

    while (line.used < layout->label)
        text_char(&line, ' ');
    for (uint32_t i = 0; i < grid->to.count; i++) {
        grid_heading(grid, columns[i], heading);
        add_right(&line, heading, layout->width - text_length(mark));
        text_add(&line, mark);
    }
    report_line(report, buffer);
}

static void table(struct report *report, const struct grid *grid, const struct grid_layout *layout)
{
    uint8_t rows[GRID_SIDE], columns[GRID_SIDE];
    char buffer[120];

    grid_order(&grid->from, rows);
    grid_order(&grid->to, columns);
    table_head(report, grid, layout, columns);
    for (uint32_t i = 0; i < grid->from.count; i++) {
        struct text line = text_open(buffer, sizeof buffer, "  CPU ");
        add_right(&line, REPORT_COUNT(grid_number(grid, &grid->from, rows[i])),
                  layout->label - line.used);
        for (uint32_t k = 0; k < grid->to.count; k++)
            add_cell(&line, grid, layout, rows[i], columns[k]);
        report_line(report, buffer);
    }
}

/* ---- a character a cell */

/* The numbers of CPUs above their columns, a digit a line. */
static void numbers_above(struct report *report, const struct grid *grid,
                          const struct grid_axis *axis, const uint8_t order[GRID_SIDE],
                          size_t label)
{
    uint64_t last = grid_number(grid, axis, order[axis->count - 1]), unit = 1;
    char buffer[120];

    while (last / unit > 9)
        unit *= 10;
    for (; unit > 0; unit /= 10) {
        struct text line = text_open(buffer, sizeof buffer, "%s", "");
        while (line.used < label)
            text_char(&line, ' ');
        for (uint32_t i = 0; i < axis->count; i++) {
            uint64_t number = grid_number(grid, axis, order[i]);
            text_char(&line, number < unit && unit > 1 ? ' ' : (char)('0' + number / unit % 10));
        }
        report_line(report, buffer);
    }
}

static void legend(struct report *report, const struct grid_scale *scale)
{
    for (uint32_t i = 0; i < scale->classes; i++)
        if (scale->cells[i] != 0)
            report_print(report, "    %c  %s to %s ns, %lu cell%s", (char)('0' + i),
                         REPORT_NUMBER(scale->class_low[i], 2),
                         REPORT_NUMBER(scale->class_high[i], 2), scale->cells[i],
                         text_plural(scale->cells[i]));
}

static void map_of_cpus(struct report *report, const struct grid *grid, size_t label)
{
    struct grid_scale scale = grid_scale_of(grid, GRID_SIDE);
    uint8_t rows[GRID_SIDE], columns[GRID_SIDE];
    char buffer[120];

    grid_order(&grid->from, rows);
    grid_order(&grid->to, columns);
    numbers_above(report, grid, &grid->to, columns, label);
    for (uint32_t i = 0; i < grid->from.count; i++) {
        struct text line = text_open(buffer, sizeof buffer, "%s", "");
        add_right(&line, REPORT_COUNT(grid_number(grid, &grid->from, rows[i])), label - 1);
        text_char(&line, ' ');
        for (uint32_t k = 0; k < grid->to.count; k++)
            text_char(&line, grid_mark(grid, &scale, rows[i], columns[k]));
        report_line(report, buffer);
    }
    legend(report, &scale);
}

/* A row for each place, with classes of its own: caches and memory are far apart, and what is asked
 * is which CPU is farther from one of them. */
static void map_of_places(struct report *report, const struct grid *grid, size_t label)
{
    uint8_t cpus[GRID_SIDE], places[GRID_SIDE];
    char buffer[120], heading[GRID_PLACE_BYTES];

    grid_order(&grid->from, cpus);
    grid_order(&grid->to, places);
    numbers_above(report, grid, &grid->from, cpus, label);
    for (uint32_t i = 0; i < grid->to.count; i++) {
        struct grid_scale scale = grid_scale_of(grid, places[i]);
        struct text line = text_open(buffer, sizeof buffer, "%s", "");
        grid_heading(grid, places[i], heading);
        report_print(report, "  %s", heading);
        while (line.used < label)
            text_char(&line, ' ');
        for (uint32_t k = 0; k < grid->from.count; k++)
            text_char(&line, grid_mark(grid, &scale, cpus[k], places[i]));
        report_line(report, buffer);
        legend(report, &scale);
    }
}

/* ---- what belongs to the figures */

static void reasons(struct report *report, const struct grid *grid)
{
    for (size_t i = 0; i <= GRID_REASONS; i++)
        if (grid->reason[i].pairs != 0)
            report_print_wrapped(report, 7, "    %c  no figure of %lu pair%s: %s", grid_letter(i),
                                 grid->reason[i].pairs, text_plural(grid->reason[i].pairs),
                                 i < GRID_REASONS ? grid->reason[i].words
                                                  : "further reasons, which their records give");
    if (!grid->of_places && grid_has_empty(grid))
        report_line(report, "    blank: no such pair has a record");
    if (grid->lost != 0)
        report_print_wrapped(report, 4, "    %lu pair%s to further places: in the records only",
                             grid->lost, text_plural(grid->lost));
}

static void end_of(struct report *report, const char *words, const struct grid_end *end)
{
    report_print_wrapped(report, 6, "    %s: CPU %lu from CPU %lu, %s ns%s%s", words, end->from,
                         end->to, REPORT_NUMBER(end->ns, 2),
                         REPORT_BOUNDS(end->ns_low, end->ns_high, 2),
                         REPORT_DOUBT("; ", end->doubt));
}

static void bounds(struct report *report, const struct grid *grid, bool is_table)
{
    if (grid->figures == 0)
        return;
    if (!grid->of_places) {
        end_of(report, "fastest", &grid->low);
        end_of(report, "slowest", &grid->high);
    }
    if (report_known(grid->widest))
        report_print_wrapped(
            report, 6,
            "    bounds: at most %s %% of their figure from end to end, all in the "
            "records",
            REPORT_NUMBER(grid->widest * 100, 1));
    else
        report_line(report, "    not every figure has bounds");
    if (grid->doubted != 0)
        report_print_wrapped(report, 7, "    %s %lu of %lu figures; %s",
                             is_table ? "? " : "in doubt, not marked above:", grid->doubted,
                             grid->figures, REPORT_DOUBT("", grid->doubt));
}

static void title(struct report *report, const struct report_grid *kept,
                  const struct grid_layout *layout)
{
    const char *prefetch = kept->differ ? "not alike" : prefetch_state_name(kept->prefetch);

    report_line(report, "");
    if (kept->grid.of_places)
        report_print_wrapped(report, 2, "%s: ns/access from each CPU to each place, prefetchers %s",
                             report->grids_of, prefetch);
    else
        report_print_wrapped(
            report, 2, "%s: ns, %s, to the CPU on the left from the CPU above, prefetchers %s",
            report->grids_of, report_words(kept->kind), prefetch);
    if (kept->home_node != RECORD_UNKNOWN)
        report_print_wrapped(report, 2, "  lines of node %lu's memory", kept->home_node);
    if (!layout->table && kept->grid.shift != 0)
        report_print_wrapped(report, 2,
                             "  a number stands for %lu CPUs, of which it is the first, a cell for "
                             "the slowest of their pairs",
                             (uint64_t)1 << kept->grid.shift);
}

/* A single row or column is no grid: its pairs are in the list, unless that was cut. */
static bool is_shown(const struct report_grid *kept)
{
    return (kept->grid.from.count > 1 && kept->grid.to.count > 1) || kept->unlisted != 0;
}

void report_grids_close(struct report *report)
{
    for (size_t i = 0; i < report->grids; i++) {
        const struct report_grid *kept = &report->grid[i];
        struct grid_layout layout = grid_plan(&kept->grid, REPORT_WIDTH);
        if (!is_shown(kept))
            continue;
        title(report, kept, &layout);
        if (layout.table)
            table(report, &kept->grid, &layout);
        else if (layout.turned)
            map_of_places(report, &kept->grid, layout.label);
        else
            map_of_cpus(report, &kept->grid, layout.label);
        reasons(report, &kept->grid);
        bounds(report, &kept->grid, layout.table);
    }
    if (report->grids_lost != 0)
        report_print_wrapped(report, 2, "%s: %lu pair%s of further kinds: in the records only",
                             report->grids_of, report->grids_lost, text_plural(report->grids_lost));
    report->grids = 0;
    report->grids_lost = 0;
    report->grids_of[0] = '\0';
}
