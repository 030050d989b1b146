/* SPDX-License-Identifier: BSD-2-Clause */
/* The last screen on a process's standard output: as high as the terminal and coloured; whole and
 * plain where output is a file or a pipe. */
#ifndef TESTS_SHARED_TERMINAL_H
#define TESTS_SHARED_TERMINAL_H

#include "core/machine.h"
#include "core/report/screen.h"

struct terminal {
    bool colours;
    size_t rows; /* for a screen, with a line of the caller's and a prompt below it */
};

/* No colours where NO_COLOR is set and not empty (https://no-color.org), or TERM says dumb. */
struct terminal terminal_of(int descriptor);
void terminal_show(const struct terminal *terminal, const struct screen *screen,
                   const struct text_sink *sink);

#endif
