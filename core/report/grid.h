/* SPDX-License-Identifier: BSD-2-Clause */
/* Pairs as a grid: a row for each CPU that they are from, a column for each CPU or place that they
 * are to. However many pairs come, it takes the same room: beyond GRID_SIDE CPUs a row and a column
 * stand for 2, 4, 8, ... neighbouring numbers, and a cell for the slowest of their pairs. Pure. */
#ifndef CORE_REPORT_GRID_H
#define CORE_REPORT_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/results/record.h"

#define GRID_SIDE         72 /* a character each, behind a number, in a line */
#define GRID_PLACES       16
#define GRID_PLACE_BYTES  20
#define GRID_REASONS      8 /* told apart; further ones share one letter */
#define GRID_REASON_BYTES 100
#define GRID_CLASSES      10
#define GRID_COLUMNS_MAX  16 /* of a table of figures */

/* What a cell holds. */
enum grid_state {
    GRID_EMPTY, /* there is no record of such a pair */
    GRID_FIGURE,
    GRID_DOUBTED, /* a figure that its record doubts */
    GRID_REASON   /* no figure, for reason[0]; one more: reason[1], ...; the last: another one */
};

/* In the order in which they came. */
struct grid_axis {
    uint32_t count;
    uint64_t number[GRID_SIDE]; /* of the CPU, shifted; of a place its index */
};

struct grid_end {
    uint64_t from, to;
    double ns, ns_low, ns_high;
    doubt_set doubt;
};

struct grid {
    struct grid_axis from, to;
    uint32_t shift; /* a row, and a column of CPUs, is 1 << shift numbers */
    bool of_places; /* columns are places, not CPUs */
    uint32_t places;
    struct {
        char name[GRID_PLACE_BYTES];
        uint64_t home_node;
    } place[GRID_PLACES];
    float ns[GRID_SIDE][GRID_SIDE];
    uint8_t state[GRID_SIDE][GRID_SIDE]; /* enum grid_state */
    uint32_t reasons;
    struct {
        char words[GRID_REASON_BYTES];
        uint64_t pairs;
    } reason[GRID_REASONS + 1]; /* the last: all that have no place of their own */
    uint64_t figures, doubted;  /* pairs */
    uint64_t lost;              /* pairs to places that there is no room for */
    doubt_set doubt;            /* of all figures */
    double widest;             /* bounds, from end to end, over their figure; NAN: some have none */
    struct grid_end low, high; /* the fastest and the slowest pair, where there are figures */
};

void grid_start(struct grid *grid);
/* Pairs of one grid are all to CPUs or all to places. A pair that comes again counts as a further
 * one of its cell. */
void grid_add(struct grid *grid, const struct record_pair *pair);

/* The indices of an axis by ascending numbers. */
void grid_order(const struct grid_axis *axis, uint8_t order[GRID_SIDE]);
/* The number that a row's or column's CPUs begin with. */
uint64_t grid_number(const struct grid *grid, const struct grid_axis *axis, size_t index);
/* A column's heading: a CPU's number, a place, or of places of one name their node. */
void grid_heading(const struct grid *grid, size_t column, char words[GRID_PLACE_BYTES]);

/* How it is printed. */
struct grid_layout {
    bool table;        /* figures; else a character a cell */
    bool turned;       /* a character a cell, and rows are places */
    unsigned decimals; /* of a table: as many as there is room for, at most 2 */
    size_t width;      /* of its columns, with the blanks before them */
    size_t label;      /* columns of the screen before the first one */
};

/* Figures where at most GRID_COLUMNS_MAX columns fit in a line of `room`, and where no cell holds
 * several pairs; CPUs to few places are turned once they are more than that. */
struct grid_layout grid_plan(const struct grid *grid, size_t room);

/* The classes of figures that a character stands for: equal ratios, but of at least 2 %. */
struct grid_scale {
    double low; /* ns of the fastest cell, or a thousandth of the slowest */
    double step_log;
    uint32_t classes;                                         /* 0: no cell has a figure */
    double class_low[GRID_CLASSES], class_high[GRID_CLASSES]; /* the cells of each, where any */
    uint64_t cells[GRID_CLASSES];
};

/* Of all columns, or of one: column; GRID_SIDE: all. */
struct grid_scale grid_scale_of(const struct grid *grid, uint32_t column);
/* '0' to '9' for a figure's class, 'a' and on for a reason, ' ' for an empty cell. */
char grid_mark(const struct grid *grid, const struct grid_scale *scale, size_t row, size_t column);
/* The letter of a reason; GRID_REASONS: of all that have no letter of their own. */
char grid_letter(size_t reason);
bool grid_is_figure(const struct grid *grid, size_t row, size_t column);
bool grid_has_empty(const struct grid *grid);

#endif
