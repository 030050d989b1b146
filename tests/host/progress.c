/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/host/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "core/report/live.h"
#include "tests/host/clock.h"
#include "tests/host/quiet.h"
#include "tests/shared/output.h"

#define STEP_NS 250000000ull
#define WIDTH   60

static struct {
    bool terminal, shown, alone;
    struct live_line line;
} live;

void progress_start(bool alone)
{
    live.terminal = isatty(STDERR_FILENO) == 1;
    live.alone = alone;
}

void progress_show(const struct progress *now)
{
    char line[LIVE_BYTES];

    if (!live.terminal || !live_words(&live.line, now, clock_wall_ns(), STEP_NS, line))
        return;
    fflush(stdout);
    fprintf(stderr, "\r%-*s", WIDTH, line);
    live.shown = true;
}

static void progress_clear(void)
{
    if (live.shown)
        fprintf(stderr, "\r%-*s\r", WIDTH, "");
    live.shown = false;
}

static void write_text(void *context, const char *text, size_t bytes)
{
    (void)context;
    progress_clear();
    if (!output_write(text, bytes) && live.alone)
        quiet_stop();
}

bool progress_end(void)
{
    progress_clear();
    return output_end();
}

struct text_sink progress_text_sink(void)
{
    return (struct text_sink){.write = write_text};
}
