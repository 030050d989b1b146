/* SPDX-License-Identifier: BSD-2-Clause */
/* Pairs of nodes as matrices: from each node down, to each node's memory across. */
#include "core/report/internal.h"

#define COLUMNS 8 /* side by side; more of them stand below */
#define WIDTH   8
#define NODES   (NODES_MAX + 1) /* in each direction: one more, that is not told */

enum what { LATENCY, RATE, OUTRIGHT, RELATIVE };

static const char *const titles[] = {
    [LATENCY] = "nodes: latency in ns, from each node to each node's memory",
    [RATE] = "nodes: GB/s that one CPU of each node reads",
    [OUTRIGHT] = "nodes: latency, over the latency that the firmware claims",
    [RELATIVE] = "nodes: latency over that of the nearest node, and this over the claimed ratio"};

static bool begins(const struct report_matrix *matrix, const struct record_pair *pair)
{
    return matrix->count == 0 || (matrix->prefetch != PREFETCH_NOT_MEASURED &&
                                  report_prefetch_differs(matrix->prefetch, pair->prefetch));
}

void report_matrix_keep(struct report *report, const struct record_pair *pair)
{
    struct report_matrix *matrix = &report->matrix;

    if (begins(matrix, pair))
        report_matrix_close(report);
    if (pair->prefetch != PREFETCH_NOT_MEASURED || matrix->count == 0)
        matrix->prefetch = pair->prefetch;
    if (matrix->count == REPORT_CELLS_MAX) {
        matrix->more++;
        return;
    }
    matrix->cell[matrix->count++] =
        (struct report_cell){.from = pair->from_node,
                             .to = pair->home_node,
                             .value = {pair->ns, pair->bytes_per_s * 1e-9,
                                       pair->ns / pair->claimed_ns, pair->times / pair->claimed}};
}

static const struct report_cell *find(const struct report_matrix *matrix, uint64_t from,
                                      uint64_t to)
{
    for (uint32_t i = 0; i < matrix->count; i++)
        if (matrix->cell[i].from == from && matrix->cell[i].to == to)
            return &matrix->cell[i];
    return NULL;
}

/* The nodes that a table has rows, or columns, for, each once, in ascending order. */
static uint32_t nodes_of(const struct report_matrix *matrix, bool columns, uint64_t node[NODES])
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < matrix->count && count < NODES; i++) {
        uint64_t number = columns ? matrix->cell[i].to : matrix->cell[i].from;
        uint32_t pos = count;
        while (pos > 0 && node[pos - 1] > number)
            pos--;
        if (pos > 0 && node[pos - 1] == number)
            continue;
        for (uint32_t k = count++; k > pos; k--)
            node[k] = node[k - 1];
        node[pos] = number;
    }
    return count;
}

static void add_right(struct text *line, const char *words)
{
    for (size_t i = text_length(words); i < WIDTH; i++)
        text_char(line, ' ');
    text_add(line, words);
}

static void print_row(struct report *report, enum what what, uint64_t from, const uint64_t to[],
                      uint32_t count)
{
    char buffer[120];
    struct text line = text_open(buffer, sizeof buffer, "  node %s", REPORT_COUNT(from));

    while (line.used < 10)
        text_char(&line, ' ');
    for (uint32_t i = 0; i < count; i++) {
        const struct report_cell *cell = find(&report->matrix, from, to[i]);
        add_right(&line, cell == NULL ? "" : REPORT_NUMBER(cell->value[what], 2));
    }
    report_line(report, buffer);
}

static void print_table(struct report *report, enum what what)
{
    uint64_t from[NODES], to[NODES];
    uint32_t rows = nodes_of(&report->matrix, false, from);
    uint32_t columns = nodes_of(&report->matrix, true, to);

    for (uint32_t first = 0; first < columns; first += COLUMNS) {
        uint32_t count = columns - first < COLUMNS ? columns - first : COLUMNS;
        char buffer[120];
        struct text line;
        report_line(report, "");
        report_wrapped(report, titles[what], 2);
        line = text_open(buffer, sizeof buffer, "  to node ");
        for (uint32_t i = 0; i < count; i++)
            add_right(&line, REPORT_COUNT(to[first + i]));
        report_line(report, buffer);
        for (uint32_t i = 0; i < rows; i++)
            print_row(report, what, from[i], &to[first], count);
    }
}

static bool has(const struct report_matrix *matrix, enum what what)
{
    for (uint32_t i = 0; i < matrix->count; i++)
        if (report_known(matrix->cell[i].value[what]))
            return true;
    return false;
}

void report_matrix_close(struct report *report)
{
    struct report_matrix *matrix = &report->matrix;

    if (matrix->count > 1) {
        for (int what = LATENCY; what <= RELATIVE; what++)
            if (what == LATENCY || has(matrix, (enum what)what))
                print_table(report, (enum what)what);
        if (matrix->more != 0)
            report_print(report, "  %u pairs have no room in these tables", matrix->more);
    }
    matrix->count = matrix->more = 0;
}
