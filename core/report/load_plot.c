/* SPDX-License-Identifier: BSD-2-Clause */
/* Curves of latency over bandwidth as one picture: both axes from 0 on, a mark for each kind of
 * load. */
#include "core/lib/text.h"
#include "core/report/internal.h"

#define COLUMNS 60
#define ROWS    14
#define LEFT    8 /* "12345.6 " */
#define GB      1e9

/* A mark for kind and pattern; in upper case at random. */
static const struct {
    const char *kind;
    char sequential, random;
} marks[] = {{"none", 'o', 'o'},
             {"read", 'r', 'R'},
             {"2:1", 't', 'T'},
             {"1:1", 'e', 'E'},
             {"store-nt", 's', 'S'}};

static char mark_of(const struct record_load *load)
{
    bool random = load->pattern != NULL && text_equal(load->pattern, "random");

    for (size_t i = 0; load->kind != NULL && i < sizeof marks / sizeof marks[0]; i++)
        if (text_equal(load->kind, marks[i].kind))
            return random ? marks[i].random : marks[i].sequential;
    return '\0';
}

void report_load_keep(struct report *report, const struct record_load *load)
{
    char mark = mark_of(load);

    if (mark == '\0' || report->load.dots == REPORT_LOADS_MAX || !(load->ns > 0) ||
        !(load->bytes_per_s > 0) || !report_known(load->ns) || !report_known(load->bytes_per_s))
        return;
    report->load.dot[report->load.dots++] =
        (struct report_dot){.mark = mark, .ns = load->ns, .gb_per_s = load->bytes_per_s / GB};
}

/* Where a value is among `cells` from 0 to max. */
static size_t cell_of(double value, double max, size_t cells)
{
    size_t cell = (size_t)(value / max * (double)cells);

    return cell < cells ? cell : cells - 1;
}

static void draw_row(struct report *report, size_t row, double max_ns, double max_gb_per_s)
{
    char buffer[LEFT + COLUMNS + 2];
    bool labelled = row == ROWS - 1 || row == 0;
    struct text line = text_open(buffer, sizeof buffer, "%s",
                                 !labelled  ? ""
                                 : row == 0 ? "0"
                                            : REPORT_NUMBER(max_ns, 1));

    while (line.used < LEFT - 1)
        text_char(&line, ' ');
    text_char(&line, '|');
    while (line.used < LEFT + COLUMNS)
        text_char(&line, ' ');
    for (size_t i = 0; i < report->load.dots; i++) {
        const struct report_dot *dot = &report->load.dot[i];
        char *at = &buffer[LEFT + cell_of(dot->gb_per_s, max_gb_per_s, COLUMNS)];
        if (cell_of(dot->ns, max_ns, ROWS) == row)
            *at = *at == ' ' || *at == dot->mark ? dot->mark : '*';
    }
    report_line(report, buffer);
}

static void draw(struct report *report)
{
    double max_ns = 0, max_gb_per_s = 0;
    char buffer[LEFT + COLUMNS + 16];
    const char *label;
    struct text line;

    for (size_t i = 0; i < report->load.dots; i++) {
        const struct report_dot *dot = &report->load.dot[i];
        max_ns = dot->ns > max_ns ? dot->ns : max_ns;
        max_gb_per_s = dot->gb_per_s > max_gb_per_s ? dot->gb_per_s : max_gb_per_s;
    }
    report_line(report, "");
    report_print_wrapped(report, 2,
                         "  ns over GB/s: o alone, r read, t 2:1, e 1:1, s store-nt; in capitals "
                         "at random; * several");
    for (size_t row = ROWS; row-- > 0;)
        draw_row(report, row, max_ns, max_gb_per_s);
    line = text_open(buffer, sizeof buffer, "%s", "       +");
    while (line.used < LEFT + COLUMNS)
        text_char(&line, '-');
    report_line(report, buffer);
    line = text_open(buffer, sizeof buffer, "%s", "        0");
    label = REPORT_NUMBER(max_gb_per_s, 2);
    while (line.used + text_length(label) < LEFT + COLUMNS)
        text_char(&line, ' ');
    text_format(&line, "%s GB/s", label);
    report_line(report, buffer);
}

void report_loads_close(struct report *report)
{
    if (report->load.dots > 1)
        draw(report);
    report->load.dots = 0;
    report->load.experiment[0] = report->load.kind[0] = '\0';
}
