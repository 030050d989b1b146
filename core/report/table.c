/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of an experiment's points: working sets down and page sizes across. What is no curve, or
 * only a means to another figure, stands in lists (list.c). */
#include "core/report/internal.h"

#define SET_WIDTH     10
#define COLUMN_WIDTH  22
#define COLUMNS_A_ROW 3
#define COLUMNS_MAX   16

/* The points of one table: those like this one. */
struct table {
    const struct report *report;
    const struct report_point *like;
    struct report_pages column[COLUMNS_MAX];
    size_t columns;
};

static bool in_column(const struct report_point *point, const struct report_pages *column)
{
    return point->page_log2 == column->page_log2 && point->contiguous == column->contiguous &&
           point->found == column->found && point->identity == column->identity;
}

static void find_columns(struct table *table)
{
    const struct report *report = table->report;

    table->columns = 0;
    for (size_t i = 0; i < report->points; i++) {
        const struct report_point *point = &report->point[i];
        size_t c = 0;

        if (!report_same_curve(point, table->like))
            continue;
        while (c < table->columns && !in_column(point, &table->column[c]))
            c++;
        if (c == table->columns && c < COLUMNS_MAX)
            table->column[table->columns++] = report_pages_of(point);
    }
}

/* Of several the last. */
static const struct report_point *find_cell(const struct table *table, uint64_t bytes,
                                            const struct report_pages *column)
{
    for (size_t i = table->report->points; i-- > 0;) {
        const struct report_point *point = &table->report->point[i];

        if (report_same_curve(point, table->like) && point->bytes == bytes &&
            in_column(point, column))
            return point;
    }
    return NULL;
}

static void add_cell(struct text *line, const struct report_point *point, size_t left)
{
    text_right(line, point != NULL ? REPORT_NUMBER(point->ns, 2) : "-", left + 10);
    text_right(line, point != NULL ? REPORT_NUMBER(point->cycles, 1) : "-", left + 19);
    if (point != NULL)
        report_add_marks(line, point);
    else
        text_add(line, "   ");
}

static void print_row(struct report *report, const struct table *table, uint64_t bytes,
                      size_t first, size_t count)
{
    char buffer[96];
    struct text line;

    text_start(&line, buffer, sizeof(buffer));
    text_right(&line, REPORT_SIZE(bytes), SET_WIDTH);
    for (size_t c = 0; c < count; c++)
        add_cell(&line, find_cell(table, bytes, &table->column[first + c]),
                 SET_WIDTH + c * COLUMN_WIDTH);
    report_line(report, buffer);
}

static void print_heads(struct report *report, const struct table *table, size_t first,
                        size_t count)
{
    char upper[96], lower[96], name[24];
    struct text top, bottom, one;

    text_start(&top, upper, sizeof(upper));
    text_start(&bottom, lower, sizeof(lower));
    text_right(&bottom, "set", SET_WIDTH);
    for (size_t c = 0; c < count; c++) {
        size_t left = SET_WIDTH + c * COLUMN_WIDTH;

        text_start(&one, name, sizeof(name));
        report_add_pages(&one, &table->column[first + c]);
        text_right(&top, name, left + 19);
        text_add(&bottom, "        ns   cycles   ");
    }
    report_line(report, upper);
    report_line(report, lower);
}

static void print_table(struct report *report, const struct report_point *like)
{
    struct table table = {.report = report, .like = like};

    find_columns(&table);
    report_curve_title(report, "ns/access, cycles/access", like);
    for (size_t first = 0; first < table.columns; first += COLUMNS_A_ROW) {
        size_t left = table.columns - first;
        size_t count = left < COLUMNS_A_ROW ? left : COLUMNS_A_ROW;

        print_heads(report, &table, first, count);
        for (uint64_t set = report_next_set(report, like, 0); set != 0;
             set = report_next_set(report, like, set))
            print_row(report, &table, set, first, count);
    }
}

void report_print_tables(struct report *report)
{
    for (size_t i = 0; i < report->points; i++)
        if (!report->point[i].listed && report_curve_begins(report, i) &&
            !(report->on_console && report_is_second(report, &report->point[i])))
            print_table(report, &report->point[i]);
}
