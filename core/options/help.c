/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the documentation of the options from their table. */
#include "core/options/table.h"

#include "core/options/experiments.h"

#define HELP_WIDTH  79
#define HELP_INDENT 21

/* Adds words separated by single blanks, wrapped at the width; every line starts at the indent. */
static void add_wrapped(struct text *out, const char *words, size_t *column)
{
    while (*words != '\0') {
        size_t length = 0;

        while (words[length] != '\0' && words[length] != ' ')
            length++;
        if (*column > HELP_INDENT && *column + 1 + length > HELP_WIDTH) {
            text_char(out, '\n');
            text_column(out, HELP_INDENT);
            *column = HELP_INDENT;
        } else if (*column > HELP_INDENT) {
            text_char(out, ' ');
            ++*column;
        }
        text_bytes(out, words, length);
        *column += length;
        words += length + (words[length] == ' ');
    }
}

static void help_row(const struct option_row *row, const struct options *defaults,
                     const struct text_sink *sink)
{
    char buffer[1024], facts[512];
    struct text out, more;
    size_t column = HELP_INDENT;

    out = text_open(buffer, sizeof(buffer), "%s=", row->key);
    more = text_open(facts, sizeof(facts), "Allowed: ");
    text_column(&out, HELP_INDENT);
    add_wrapped(&out, row->help, &column);
    option_allowed(row, &more);
    if (!option_is_empty(row, defaults)) {
        text_add(&more, ". Default: ");
        option_write(row, defaults, &more);
    }
    text_char(&more, '.');
    add_wrapped(&out, facts, &column);
    text_char(&out, '\n');
    sink->write(sink->context, buffer, out.used);
}

static void help_experiment(const struct experiment_listing *experiment,
                            const struct text_sink *sink)
{
    char buffer[512];
    struct text out;
    size_t column = HELP_INDENT;

    out = text_open(buffer, sizeof(buffer), "%s", experiment->name);
    text_column(&out, HELP_INDENT);
    add_wrapped(&out, experiment->help, &column);
    if (experiment->plans == 0)
        add_wrapped(&out, "(only on request)", &column);
    text_char(&out, '\n');
    sink->write(sink->context, buffer, out.used);
}

void options_help(enum option_host host, const struct text_sink *sink)
{
    static const char experiments[] = "\nExperiments of tests=:\n";
    struct options defaults;

    options_default(&defaults);
    for (size_t i = 0; i < option_row_count; i++)
        if ((option_rows[i].hosts & host) != 0)
            help_row(&option_rows[i], &defaults, sink);
    sink->write(sink->context, experiments, sizeof(experiments) - 1);
    for (size_t i = 0; i < experiment_count; i++)
        help_experiment(&experiment_list[i], sink);
}
