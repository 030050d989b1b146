/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/shared/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define ROWS_BELOW 2

struct terminal terminal_of(int descriptor)
{
    const char *refused = getenv("NO_COLOR"), *kind = getenv("TERM");
    struct terminal terminal = {.rows = SCREEN_LINES_MAX};
    struct winsize size;

    if (isatty(descriptor) != 1)
        return terminal;
    terminal.colours =
        (refused == NULL || refused[0] == '\0') && kind != NULL && strcmp(kind, "dumb") != 0;
    terminal.rows = SCREEN_ROWS - ROWS_BELOW;
    if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_row > SCREEN_ROWS)
        terminal.rows = size.ws_row - ROWS_BELOW;
    return terminal;
}

static void put(const struct text_sink *sink, const char *words)
{
    sink->write(sink->context, words, strlen(words));
}

void terminal_show(const struct terminal *terminal, const struct screen *screen,
                   const struct text_sink *sink)
{
    /* Select graphic rendition: ECMA-48, 8.3.117. */
    static const char *const begins[SCREEN_MEANINGS] = {[SCREEN_PLAIN] = "",
                                                        [SCREEN_HEADLINE] = "\x1b[1m",
                                                        [SCREEN_OK] = "\x1b[32m",
                                                        [SCREEN_MARK] = "\x1b[33m",
                                                        [SCREEN_ERROR] = "\x1b[31m"};

    for (size_t i = 0; i < screen->lines; i++) {
        const struct screen_line *line = &screen->line[i];
        bool colour = terminal->colours && line->meaning != SCREEN_PLAIN;
        put(sink, colour ? begins[line->meaning] : "");
        put(sink, line->words);
        put(sink, colour ? "\x1b[0m\n" : "\n");
    }
}
