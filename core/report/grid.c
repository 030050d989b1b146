/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/report/grid.h"

#include "core/lib/memory.h"
#include "core/lib/real.h"
#include "core/lib/text.h"

#define LOG_LEAST 0.0198 /* of 1.02: noise is not shown as a pattern */
#define RATIO_MAX 1000.0
#define HUGE_NS   1e300 /* above which there is no class but the first */
#define NUMBERS   "CPU "

void grid_start(struct grid *grid)
{
    memory_fill(grid, 0, sizeof *grid);
}

bool grid_is_figure(const struct grid *grid, size_t row, size_t column)
{
    return grid->state[row][column] == GRID_FIGURE || grid->state[row][column] == GRID_DOUBTED;
}

/* ---- rows and columns */

/* The index of a number, added if it is new. False: there is no room. */
static bool axis_find(struct grid_axis *axis, uint64_t number, uint32_t *index)
{
    for (*index = 0; *index < axis->count; (*index)++)
        if (axis->number[*index] == number)
            return true;
    if (axis->count == GRID_SIDE)
        return false;
    axis->number[axis->count++] = number;
    return true;
}

/* The slower of two figures, a figure rather than a reason, a reason rather than nothing. */
static void merge(struct grid *grid, uint32_t row, uint32_t column, uint8_t state, float ns)
{
    bool is_new = state == GRID_FIGURE || state == GRID_DOUBTED;
    bool is_slower = is_new && (!grid_is_figure(grid, row, column) || ns > grid->ns[row][column]);

    if (!is_slower && (is_new || grid->state[row][column] != GRID_EMPTY))
        return;
    grid->state[row][column] = state;
    grid->ns[row][column] = ns;
}

/* Halves the numbers of an axis; to[i] is where index i has gone, which is never behind i. */
static void fold_axis(struct grid_axis *axis, uint8_t to[GRID_SIDE])
{
    uint32_t count = axis->count;

    axis->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index;
        (void)axis_find(axis, axis->number[i] >> 1, &index);
        to[i] = (uint8_t)index;
    }
}

static void move_cell(struct grid *grid, uint32_t row, uint32_t column, uint32_t to_row,
                      uint32_t to_column)
{
    uint8_t state = grid->state[row][column];

    if (row == to_row && column == to_column)
        return;
    grid->state[row][column] = GRID_EMPTY;
    merge(grid, to_row, to_column, state, grid->ns[row][column]);
}

/* Cells move up and to the left, to where all cells that were there have moved before. */
static void fold(struct grid *grid)
{
    uint8_t row[GRID_SIDE], column[GRID_SIDE];
    uint32_t rows = grid->from.count, columns = grid->to.count;

    for (uint32_t i = 0; i < columns; i++)
        column[i] = (uint8_t)i;
    fold_axis(&grid->from, row);
    if (!grid->of_places)
        fold_axis(&grid->to, column);
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t k = 0; k < columns; k++)
            move_cell(grid, i, k, row[i], column[k]);
    grid->shift++;
}

/* False: there is no room. */
static bool find_place(struct grid *grid, const struct record_pair *pair, uint64_t *index)
{
    char name[GRID_PLACE_BYTES];

    text_print(name, sizeof name, "%s", pair->to != NULL ? pair->to : "-");
    for (*index = 0; *index < grid->places; (*index)++)
        if (text_equal(grid->place[*index].name, name) &&
            grid->place[*index].home_node == pair->home_node)
            return true;
    if (grid->places == GRID_PLACES)
        return false;
    memory_copy(grid->place[grid->places].name, name, sizeof name);
    grid->place[grid->places++].home_node = pair->home_node;
    return true;
}

/* ---- cells */

static uint8_t reason_of(struct grid *grid, const char *why)
{
    char words[GRID_REASON_BYTES];
    uint32_t i = 0;

    text_print(words, sizeof words, "%s", why);
    while (i < grid->reasons && !text_equal(grid->reason[i].words, words))
        i++;
    if (i == grid->reasons && i < GRID_REASONS)
        memory_copy(grid->reason[grid->reasons++].words, words, sizeof words);
    grid->reason[i].pairs++;
    return (uint8_t)(GRID_REASON + i);
}

static void keep_ends(struct grid *grid, const struct record_pair *pair)
{
    struct grid_end end = {pair->from,   pair->to_cpu,  pair->ns,
                           pair->ns_low, pair->ns_high, pair->doubt};
    double share = (pair->ns_high - pair->ns_low) / pair->ns;

    if (grid->figures == 0 || pair->ns < grid->low.ns)
        grid->low = end;
    if (grid->figures == 0 || pair->ns > grid->high.ns)
        grid->high = end;
    if (!(share <= grid->widest))
        grid->widest = real_is_finite(grid->widest) ? share : real_nan();
}

static uint8_t keep_figure(struct grid *grid, const struct record_pair *pair)
{
    keep_ends(grid, pair);
    grid->figures++;
    grid->doubted += pair->doubt != 0;
    grid->doubt |= pair->doubt;
    return pair->doubt != 0 ? GRID_DOUBTED : GRID_FIGURE;
}

void grid_add(struct grid *grid, const struct record_pair *pair)
{
    bool of_places = pair->to_cpu == RECORD_UNKNOWN;
    uint64_t place = 0;
    uint32_t row, column;
    uint8_t state;

    if (of_places && !find_place(grid, pair, &place)) {
        grid->lost++;
        return;
    }
    grid->of_places = of_places;
    while (!axis_find(&grid->from, pair->from >> grid->shift, &row) ||
           !axis_find(&grid->to, of_places ? place : pair->to_cpu >> grid->shift, &column))
        fold(grid);
    state = real_is_finite(pair->ns) ? keep_figure(grid, pair)
                                     : reason_of(grid, pair->why != NULL ? pair->why : "unknown");
    merge(grid, row, column, state, (float)pair->ns);
}

/* ---- what stands where */

void grid_order(const struct grid_axis *axis, uint8_t order[GRID_SIDE])
{
    for (uint32_t i = 0; i < axis->count; i++) {
        uint32_t pos = i;
        for (; pos > 0 && axis->number[order[pos - 1]] > axis->number[i]; pos--)
            order[pos] = order[pos - 1];
        order[pos] = (uint8_t)i;
    }
}

uint64_t grid_number(const struct grid *grid, const struct grid_axis *axis, size_t index)
{
    return grid->of_places && axis == &grid->to ? axis->number[index]
                                                : axis->number[index] << grid->shift;
}

void grid_heading(const struct grid *grid, size_t column, char words[GRID_PLACE_BYTES])
{
    size_t place = (size_t)grid->to.number[column];
    uint32_t alike = 0;

    if (!grid->of_places) {
        text_print(words, GRID_PLACE_BYTES, "%lu", grid_number(grid, &grid->to, column));
        return;
    }
    for (uint32_t i = 0; i < grid->places; i++)
        alike += text_equal(grid->place[i].name, grid->place[place].name);
    if (alike > 1 && grid->place[place].home_node != RECORD_UNKNOWN)
        text_print(words, GRID_PLACE_BYTES, "node %lu", grid->place[place].home_node);
    else
        memory_copy(words, grid->place[place].name, GRID_PLACE_BYTES);
}

bool grid_has_empty(const struct grid *grid)
{
    for (uint32_t row = 0; row < grid->from.count; row++)
        for (uint32_t column = 0; column < grid->to.count; column++)
            if (grid->state[row][column] == GRID_EMPTY)
                return true;
    return false;
}

static size_t digits_of(uint64_t number)
{
    char digits[TEXT_DIGITS];

    return text_digits(number, 10, digits);
}

static size_t widest_number(const struct grid *grid, const struct grid_axis *axis)
{
    size_t most = 0;

    for (uint32_t i = 0; i < axis->count; i++) {
        size_t digits = digits_of(grid_number(grid, axis, i));
        most = digits > most ? digits : most;
    }
    return most;
}

/* Columns that the longest figure or heading takes, without a blank before it. */
static size_t cell_width(const struct grid *grid, unsigned decimals)
{
    char words[GRID_PLACE_BYTES];
    double low = real_abs(grid->low.ns), high = real_abs(grid->high.ns);
    double most_ns = low > high ? low : high;
    size_t most = digits_of((uint64_t)(most_ns < 1e15 ? most_ns + 0.5 : 1e15));

    most += (grid->low.ns < 0) + (grid->doubted != 0) + (decimals == 0 ? 0 : decimals + 1);
    for (uint32_t i = 0; i < grid->to.count; i++) {
        grid_heading(grid, i, words);
        most = text_length(words) > most ? text_length(words) : most;
    }
    return most;
}

static bool fits(const struct grid *grid, struct grid_layout *layout, size_t room)
{
    layout->label = 2 + sizeof NUMBERS - 1 + widest_number(grid, &grid->from);
    if (grid->to.count == 0 || grid->to.count > GRID_COLUMNS_MAX || grid->shift != 0)
        return false;
    layout->width = (room - layout->label) / grid->to.count;
    if (layout->width < cell_width(grid, 0) + 1)
        return false;
    layout->decimals = 2;
    while (layout->decimals > 0 && cell_width(grid, layout->decimals) + 1 > layout->width)
        layout->decimals--;
    if (layout->width > cell_width(grid, layout->decimals) + 3)
        layout->width = cell_width(grid, layout->decimals) + 3;
    return true;
}

struct grid_layout grid_plan(const struct grid *grid, size_t room)
{
    struct grid_layout layout = {.table = false};
    bool many = grid->of_places && grid->from.count > GRID_COLUMNS_MAX;

    layout.table = fits(grid, &layout, room) && !many;
    if (!layout.table) {
        layout.turned = grid->of_places;
        layout.label = layout.turned ? 4 : widest_number(grid, &grid->from) + 2;
    }
    return layout;
}

/* ---- classes of figures */

static uint32_t class_of(const struct grid_scale *scale, double ns)
{
    double class;

    if (!(ns > scale->low))
        return 0;
    class = real_log(ns / scale->low) / scale->step_log;
    return class < scale->classes ? (uint32_t) class : scale->classes - 1;
}

static void count_cell(struct grid_scale *scale, double ns)
{
    uint32_t class = class_of(scale, ns);

    if (scale->cells[class] == 0 || ns < scale->class_low[class])
        scale->class_low[class] = ns;
    if (scale->cells[class] == 0 || ns > scale->class_high[class])
        scale->class_high[class] = ns;
    scale->cells[class]++;
}

static void choose_steps(struct grid_scale *scale, double fastest, double slowest)
{
    double classes = 1, whole;

    scale->low = fastest > slowest / RATIO_MAX ? fastest : slowest / RATIO_MAX;
    scale->classes = 1;
    scale->step_log = LOG_LEAST;
    if (!(scale->low > 0))
        return;
    whole = real_log(slowest / scale->low);
    if (whole > LOG_LEAST)
        classes = whole / LOG_LEAST;
    scale->classes = classes < GRID_CLASSES ? (uint32_t)classes : GRID_CLASSES;
    if (whole > LOG_LEAST)
        scale->step_log = whole / scale->classes;
}

/* Hands all figures of the columns first to last to `use`. */
static void each_figure(const struct grid *grid, uint32_t first, uint32_t last,
                        struct grid_scale *scale, void (*use)(struct grid_scale *scale, double ns))
{
    for (uint32_t row = 0; row < grid->from.count; row++)
        for (uint32_t column = first; column < last; column++)
            if (grid_is_figure(grid, row, column))
                use(scale, (double)grid->ns[row][column]);
}

/* class_low[0] and class_high[0] are the ends, once there is one cell. */
static void find_ends(struct grid_scale *scale, double ns)
{
    scale->classes = 1;
    count_cell(scale, ns);
}

struct grid_scale grid_scale_of(const struct grid *grid, uint32_t column)
{
    uint32_t first = column == GRID_SIDE ? 0 : column;
    uint32_t last = column == GRID_SIDE ? grid->to.count : column + 1;
    struct grid_scale ends = {.low = HUGE_NS}, scale = {.classes = 0};

    each_figure(grid, first, last, &ends, find_ends);
    if (ends.classes == 0)
        return scale;
    choose_steps(&scale, ends.class_low[0], ends.class_high[0]);
    each_figure(grid, first, last, &scale, count_cell);
    return scale;
}

char grid_letter(size_t reason)
{
    return reason < GRID_REASONS ? (char)('a' + reason) : 'z';
}

char grid_mark(const struct grid *grid, const struct grid_scale *scale, size_t row, size_t column)
{
    uint8_t state = grid->state[row][column];

    if (state >= GRID_REASON)
        return grid_letter((size_t)(state - GRID_REASON));
    if (state == GRID_EMPTY)
        return ' ';
    return (char)('0' + class_of(scale, (double)grid->ns[row][column]));
}
