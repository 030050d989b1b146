/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of an experiment's points: working sets down and page sizes across. What is no curve, or
 * only a means to another figure, stands in lists (list.c). */
#include "core/report/parts.h"

#define SET_WIDTH     10
#define COLUMN_WIDTH  22
#define COLUMNS_A_ROW 3
#define COLUMNS_MAX   16
#define TABLE_SETS    3 /* fewer are no table */

/* What the points of one column have in common. */
struct column {
    uint8_t page_log2;
    bool contiguous, found, identity;
};

/* The points of one table: those like this one. */
struct table {
    const struct report *report;
    const struct report_point *like;
    struct column column[COLUMNS_MAX];
    size_t columns;
};

static char limit_mark(const char *limited_by)
{
    if (limited_by == NULL || text_equal(limited_by, "error") ||
        text_equal(limited_by, "samples") || text_equal(limited_by, "seconds"))
        return ' ';
    return text_equal(limited_by, "cap")      ? 'c'
           : text_equal(limited_by, "budget") ? 'b'
           : text_equal(limited_by, "abort")  ? 'a'
                                              : '?';
}

static uint8_t page_log2(uint64_t bytes)
{
    uint8_t log2 = 0;

    while (bytes > 1) {
        bytes >>= 1;
        log2++;
    }
    return log2;
}

static enum report_purpose purpose_of(const char *purpose)
{
    if (purpose == NULL)
        return REPORT_FIGURE;
    return text_equal(purpose, "proof")         ? REPORT_PROOF
           : text_equal(purpose, "translation") ? REPORT_TRANSLATION
                                                : REPORT_FIGURE;
}

void report_point_keep(struct report *report, const struct record_point *point)
{
    struct report_point *kept;
    struct text pattern;

    if (report->tabled || report->gathered == REPORT_POINTS_MAX)
        report_close_all(report);
    kept = &report->point[report->gathered++];
    *kept = (struct report_point){
        .bytes = point->bytes,
        .ns = point->ns_median,
        .cycles = point->cycles_median,
        .rel_error = point->rel_error,
        .page_log2 = page_log2(point->pages_bytes),
        .prefetch = (uint8_t)point->prefetch,
        .purpose = (uint8_t)purpose_of(point->purpose),
        .fitted = point->purpose != NULL && text_equal(point->purpose, "levels"),
        .contiguous = point->frames != NULL && text_equal(point->frames, "contiguous"),
        .found = point->frames != NULL && text_equal(point->frames, "as-found"),
        .identity = point->map != NULL && text_equal(point->map, "identity"),
        .disturbed = point->disturbed != 0 && point->disturbed != RECORD_UNKNOWN,
        .moving = report_point_moved(point),
        .limit = limit_mark(point->limited_by)};
    text_print(kept->experiment, sizeof(kept->experiment), "%s", report_words(point->experiment));
    text_start(&pattern, kept->pattern, sizeof(kept->pattern));
    report_pattern_words(&pattern, report, point);
}

bool report_same_curve(const struct report_point *a, const struct report_point *b)
{
    return a->prefetch == b->prefetch && a->purpose == b->purpose &&
           text_equal(a->pattern, b->pattern);
}

static bool in_column(const struct report_point *point, const struct column *column)
{
    return point->page_log2 == column->page_log2 && point->contiguous == column->contiguous &&
           point->found == column->found && point->identity == column->identity;
}

void report_add_page(struct text *line, uint8_t log2)
{
    static const char units[] = "bkmgtpe";

    text_format(line, "%u%c", 1u << log2 % 10, units[log2 / 10 % 7]);
}

static void add_column_name(struct text *line, const struct column *column)
{
    if (column->page_log2 == 0) {
        text_add(line, "firmware's own");
        return;
    }
    report_add_page(line, column->page_log2);
    text_add(line, column->identity     ? " identity"
                   : column->found      ? " as found"
                   : column->contiguous ? " contiguous"
                                        : " scattered");
}

static struct column column_of(const struct report_point *point)
{
    return (struct column){point->page_log2, point->contiguous, point->found, point->identity};
}

void report_add_frames(struct text *line, const struct report_point *point)
{
    struct column column = column_of(point);

    add_column_name(line, &column);
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
            table->column[table->columns++] = column_of(point);
    }
}

/* The smallest working set above `above` in the table; 0: none. */
static uint64_t next_set(const struct table *table, uint64_t above)
{
    uint64_t best = 0;

    for (size_t i = 0; i < table->report->points; i++) {
        const struct report_point *point = &table->report->point[i];

        if (report_same_curve(point, table->like) && point->bytes > above &&
            (best == 0 || point->bytes < best))
            best = point->bytes;
    }
    return best;
}

/* Of several the last. */
static const struct report_point *find_cell(const struct table *table, uint64_t bytes,
                                            const struct column *column)
{
    for (size_t i = table->report->points; i-- > 0;) {
        const struct report_point *point = &table->report->point[i];

        if (report_same_curve(point, table->like) && point->bytes == bytes &&
            in_column(point, column))
            return point;
    }
    return NULL;
}

void report_add_marks(struct text *line, const struct report_point *point)
{
    text_format(line, "%c%c%c", point->limit, point->disturbed ? '!' : ' ',
                point->moving ? '~' : ' ');
}

static void add_cell(struct text *line, const struct report_point *point, size_t left)
{
    if (point == NULL) {
        text_right(line, "-", left + 10);
        text_right(line, "-", left + 19);
        text_add(line, "   ");
        return;
    }
    text_right(line, REPORT_NUMBER(point->ns, 2), left + 10);
    text_right(line, REPORT_NUMBER(point->cycles, 1), left + 19);
    report_add_marks(line, point);
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
        add_column_name(&one, &table->column[first + c]);
        text_right(&top, name, left + 19);
        text_right(&bottom, "ns", left + 10);
        text_right(&bottom, "cycles", left + 19);
    }
    report_line(report, upper);
    report_line(report, lower);
}

static void print_title(struct report *report, const char *what, const char *pattern,
                        enum prefetch_state state)
{
    char buffer[240];
    struct text line;

    text_start(&line, buffer, sizeof(buffer));
    text_format(&line, "%s: %s", report->experiment, what);
    if (pattern != NULL)
        text_format(&line, ", pattern %s", pattern);
    text_add(&line, ", ");
    report_prefetch_words(&line, report, state, NULL);
    report_line(report, "");
    report_wrapped(report, buffer, 2);
}

void report_curve_title(struct report *report, const char *what, const struct report_point *like)
{
    print_title(report, what, like->pattern, (enum prefetch_state)like->prefetch);
}

void report_list_title(struct report *report, const char *what, const struct report_point *like)
{
    print_title(report, what, NULL, (enum prefetch_state)like->prefetch);
}

static void print_table(struct report *report, const struct report_point *like)
{
    struct table table = {.report = report, .like = like};

    find_columns(&table);
    report_curve_title(report, "ns and core cycles a hop", like);
    for (size_t first = 0; first < table.columns; first += COLUMNS_A_ROW) {
        size_t left = table.columns - first;
        size_t count = left < COLUMNS_A_ROW ? left : COLUMNS_A_ROW;

        print_heads(report, &table, first, count);
        for (uint64_t set = next_set(&table, 0); set != 0; set = next_set(&table, set))
            print_row(report, &table, set, first, count);
    }
}

bool report_curve_begins(const struct report *report, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (report_same_curve(&report->point[i], &report->point[index]))
            return false;
    return true;
}

static bool is_few(const struct report *report, const struct report_point *like)
{
    struct table table = {.report = report, .like = like};
    uint64_t set = 0;

    for (size_t sets = 0; sets < TABLE_SETS; sets++)
        if ((set = next_set(&table, set)) == 0)
            return true;
    return false;
}

static void print_marks(struct report *report)
{
    bool limit = false, disturbed = false, moving = false;

    for (size_t i = 0; i < report->points; i++) {
        if (report->point[i].purpose == REPORT_TRANSLATION)
            continue;
        limit = limit || report->point[i].limit != ' ';
        disturbed = disturbed || report->point[i].disturbed;
        moving = moving || report->point[i].moving;
    }
    if (limit)
        report_line(report, "  c, b, a: ended by the point's cap, the budget, a key press, before "
                            "error=");
    if (disturbed)
        report_line(report,
                    "  !: something interrupted some samples (SMI, NMI; on Linux the kernel)");
    if (moving)
        report_line(
            report,
            "  ~: moved while it was measured (caches not steady, or the core's frequency)");
}

void report_tables(struct report *report)
{
    if (report->points == 0 || report->tabled)
        return;
    report->tabled = true;
    for (size_t i = 0; i < report->points; i++)
        report->point[i].listed =
            report->point[i].purpose != REPORT_FIGURE || is_few(report, &report->point[i]);
    for (size_t i = 0; i < report->points; i++)
        if (!report->point[i].listed && report_curve_begins(report, i))
            print_table(report, &report->point[i]);
    report_lists(report);
    print_marks(report);
}
