/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/report/plot.h"

#include "core/lib/real.h"
#include "core/report/internal.h"

#define LEFT    8 /* "100000 |" */
#define COLUMNS 54
#define ROWS    15
#define TOP     3 /* lines above the picture: what the marks mean, two for names of levels */
#define AXIS    (TOP + ROWS)
#define RIGHT   (LEFT + COLUMNS)

#define LABEL_COLUMNS 6 /* a size below the axis, with a blank */
#define NAME_ROWS     2
#define LOG_2         0.69314718055994530942

_Static_assert(AXIS + 2 == PLOT_LINES, "the picture, its axis and the sizes");
_Static_assert(RIGHT < REPORT_WIDTH, "room for names of levels");

/* From the first cell's middle to the last one's; natural logarithms. */
struct axis {
    double low, high;
    size_t cells;
};

struct picture {
    struct plot *plot;
    const struct plot_request *request;
    struct axis sets, times;
    int set_low, set_high;   /* powers of two */
    int tick_low, tick_high; /* see tick_value */
    bool several;            /* marks of different page sizes in one place */
};

static bool usable(const struct picture *picture, const struct report_point *point)
{
    const struct report_point *like = picture->request->like;

    return point->bytes != 0 && point->ns > 1e-9 && point->ns < 1e15 &&
           report_same_curve(point, like);
}

/* Finds the cell of a value above 0; false: off the axis. */
static bool axis_cell(const struct axis *axis, double value, size_t *cell)
{
    double pos = (real_log(value) - axis->low) / (axis->high - axis->low);
    double place = pos * (double)(axis->cells - 1) + 0.5;

    if (!(place >= 0 && place < (double)axis->cells))
        return false;
    *cell = (size_t)place;
    return true;
}

static int floor_third(int tick)
{
    return tick >= 0 ? tick / 3 : -((2 - tick) / 3);
}

/* ..., 0.5, 1, 2, 5, 10, ...: tick 0 is 1. */
static double tick_value(int tick)
{
    static const double mantissa[] = {1, 2, 5};
    int decade = floor_third(tick);
    double power = 1;

    for (int i = decade < 0 ? -decade : decade; i > 0; i--)
        power *= 10;
    return decade < 0 ? mantissa[tick - 3 * decade] / power : mantissa[tick - 3 * decade] * power;
}

static void find_times(struct picture *picture, double low, double high)
{
    int tick = 0;

    while (tick_value(tick) > low)
        tick--;
    while (tick_value(tick + 1) <= low)
        tick++;
    picture->tick_low = tick++;
    while (tick_value(tick) < high)
        tick++;
    picture->tick_high = tick;
    picture->times = (struct axis){.low = real_log(tick_value(picture->tick_low)),
                                   .high = real_log(tick_value(tick)),
                                   .cells = ROWS};
}

static void find_sets(struct picture *picture, uint64_t low, uint64_t high)
{
    int from = 63, to;

    while (1ull << from > low)
        from--;
    to = from + 1;
    while (to < 64 && 1ull << to < high)
        to++;
    picture->set_low = from;
    picture->set_high = to;
    picture->sets = (struct axis){.low = from * LOG_2, .high = to * LOG_2, .cells = COLUMNS};
}

static bool find_axes(struct picture *picture)
{
    const struct plot_request *request = picture->request;
    uint64_t min = 0, max = 0;
    double low = 0, high = 0;

    for (size_t i = 0; i < request->count; i++) {
        const struct report_point *point = &request->points[i];

        if (!usable(picture, point))
            continue;
        low = min == 0 || point->ns < low ? point->ns : low;
        high = min == 0 || point->ns > high ? point->ns : high;
        max = point->bytes > max ? point->bytes : max;
        min = min == 0 || point->bytes < min ? point->bytes : min;
    }
    if (min == 0)
        return false;
    find_sets(picture, min, max);
    find_times(picture, low, high);
    return true;
}

static void blank(struct plot *plot)
{
    for (size_t line = 0; line < PLOT_LINES; line++) {
        for (size_t column = 0; column < REPORT_WIDTH; column++)
            plot->line[line][column] = ' ';
        plot->line[line][REPORT_WIDTH] = '\0';
    }
}

/* What does not fit on the line is cut. */
static void put(struct plot *plot, size_t line, size_t column, const char *words)
{
    for (; *words != '\0' && column < REPORT_WIDTH; words++, column++)
        plot->line[line][column] = *words;
}

static bool is_free(const struct plot *plot, size_t line, size_t column, size_t count)
{
    for (; count > 0 && column < REPORT_WIDTH; count--, column++)
        if (plot->line[line][column] != ' ')
            return false;
    return true;
}

static size_t line_of(size_t row)
{
    return TOP + ROWS - 1 - row;
}

static void draw_tick(struct picture *picture, int tick)
{
    int decade = floor_third(tick);
    char buffer[32];
    struct text text;
    size_t row;

    if (!axis_cell(&picture->times, tick_value(tick), &row) ||
        picture->plot->line[line_of(row)][LEFT - 1] == '+')
        return;
    text_start(&text, buffer, sizeof(buffer));
    if (decade >= -3 && decade <= 5)
        text_fixed(&text, tick_value(tick), decade < 0 ? (unsigned)-decade : 0);
    else
        text_format(&text, "%ce%d", "125"[tick - 3 * decade], decade);
    put(picture->plot, line_of(row), LEFT - 2 - text.used, buffer);
    put(picture->plot, line_of(row), LEFT - 1, "+");
}

/* Whole decades first; ticks between them only if each has four lines or more. */
static void draw_times(struct picture *picture)
{
    bool between = (picture->tick_high - picture->tick_low) * 4 <= 3 * (ROWS - 1);

    for (size_t row = 0; row < ROWS; row++)
        put(picture->plot, line_of(row), LEFT - 1, "|");
    for (int tick = picture->tick_low; tick <= picture->tick_high; tick++)
        if (floor_third(tick) * 3 == tick)
            draw_tick(picture, tick);
    for (int tick = picture->tick_low; between && tick <= picture->tick_high; tick++)
        draw_tick(picture, tick);
    put(picture->plot, 0, LEFT - 4, "ns");
}

static void draw_sets(struct picture *picture)
{
    int octaves = picture->set_high - picture->set_low, step = 1;

    put(picture->plot, AXIS, LEFT - 1, "+");
    for (size_t column = 0; column < COLUMNS; column++)
        put(picture->plot, AXIS, LEFT + column, "-");
    while ((COLUMNS - 1) * step < LABEL_COLUMNS * octaves)
        step++;
    for (int power = picture->set_low; power <= picture->set_high && power < 64; power++) {
        size_t column =
            (size_t)((COLUMNS - 1) * (power - picture->set_low) * 2 + octaves) / (2 * octaves);
        uint64_t bytes = 1ull << power;
        const char *label = TEXT_SIZE(bytes);

        if (power % step != 0)
            continue;
        put(picture->plot, AXIS, LEFT + column, "+");
        put(picture->plot, AXIS + 1, LEFT + column - text_length(label) / 2, label);
    }
    put(picture->plot, AXIS + 1, RIGHT + LABEL_COLUMNS / 2, "working set");
}

/* A line down from the name, which is as low as possible. */
static void draw_capacity(struct picture *picture, const struct report_level *level)
{
    struct plot *plot = picture->plot;
    size_t length = text_length(level->name), column, row, start;

    if (!(level->bytes > 0) || !axis_cell(&picture->sets, level->bytes, &column))
        return;
    column += LEFT;
    for (size_t line = TOP; line < AXIS; line++)
        put(plot, line, column, ":");
    start = column + length <= REPORT_WIDTH ? column : REPORT_WIDTH - length;
    row = TOP - 1;
    while (row >= TOP - NAME_ROWS && !is_free(plot, row, start - 1, length + 2))
        row--;
    if (row < TOP - NAME_ROWS)
        return;
    put(plot, row, start, level->name);
    for (row++; row < TOP; row++)
        if (is_free(plot, row, column - 1, 3))
            put(plot, row, column, ":");
}

/* The name and latency beside the picture, on the level's line or near it. */
static void draw_latency(struct picture *picture, const struct report_level *level)
{
    size_t row, column = RIGHT + 3, room = REPORT_WIDTH - column;
    char name[sizeof(level->name)], words[sizeof(level->name) + 32];
    struct text text;

    if (level->adds || !(level->ns > 0) || !axis_cell(&picture->times, level->ns, &row))
        return;
    text_print(name, room + 1 < sizeof(name) ? room + 1 : sizeof(name), "%s", level->name);
    text = text_open(words, sizeof(words), "%s %s%s", name, REPORT_NUMBER(level->ns, 2),
                     level->doubt != 0 ? "?" : "");
    if (is_free(picture->plot, line_of(row), RIGHT, REPORT_WIDTH - RIGHT))
        put(picture->plot, line_of(row), RIGHT + 1, "-");
    while (row < ROWS && !is_free(picture->plot, line_of(row), column, room))
        row++;
    if (row < ROWS)
        put(picture->plot, line_of(row), column, text.used <= room ? words : name);
}

static char mark_of(const struct report_point *point)
{
    switch (point->page_log2) {
    case 0:
        return 'f';
    case 12:
        return '4';
    case 21:
        return '2';
    case 30:
        return '1';
    default:
        return 'o';
    }
}

/* Explains a mark where it is first used. */
static void add_meaning(struct text *legend, const struct report_point *point)
{
    char mark = mark_of(point);

    for (size_t i = 0; i + 1 < legend->used; i++)
        if (legend->buffer[i] == mark && legend->buffer[i + 1] == ':')
            return;
    text_format(legend, "%c: ", mark);
    if (mark == 'f')
        text_add(legend, "firmware's own");
    else if (mark == 'o')
        text_add(legend, "other pages");
    else
        text_add(legend, report_words(page_name(point->page_log2)));
    text_add(legend, "   ");
}

static void draw_points(struct picture *picture)
{
    const struct plot_request *request = picture->request;
    char buffer[REPORT_WIDTH + 1];
    size_t column, row;
    struct text legend;

    text_start(&legend, buffer, sizeof(buffer));
    for (size_t i = 0; i < request->count; i++) {
        const struct report_point *point = &request->points[i];
        char *cell, mark = mark_of(point);

        if (!usable(picture, point) || !axis_cell(&picture->sets, (double)point->bytes, &column) ||
            !axis_cell(&picture->times, point->ns, &row))
            continue;
        cell = &picture->plot->line[line_of(row)][LEFT + column];
        *cell = *cell == ' ' || *cell == ':' || *cell == mark ? mark : '#';
        picture->several = picture->several || *cell == '#';
        add_meaning(&legend, point);
    }
    text_add(&legend, picture->several ? "#: several" : "");
    put(picture->plot, 0, LEFT, buffer);
}

/* Removes blanks at the ends of lines, and empty lines. */
static void trim(struct plot *plot)
{
    size_t lines = 0;

    for (size_t line = 0; line < PLOT_LINES; line++) {
        size_t used = REPORT_WIDTH;

        while (used > 0 && plot->line[line][used - 1] == ' ')
            used--;
        plot->line[line][used] = '\0';
        if (used == 0)
            continue;
        for (size_t i = 0; lines != line && i <= used; i++)
            plot->line[lines][i] = plot->line[line][i];
        lines++;
    }
    plot->lines = lines;
}

bool plot_draw(struct plot *plot, const struct plot_request *request)
{
    struct picture picture = {.plot = plot, .request = request};

    plot->lines = 0;
    if (!find_axes(&picture))
        return false;
    blank(plot);
    draw_times(&picture);
    draw_sets(&picture);
    for (size_t i = 0; i < request->level_count; i++) {
        draw_capacity(&picture, &request->levels[i]);
        draw_latency(&picture, &request->levels[i]);
    }
    draw_points(&picture);
    trim(plot);
    return true;
}
