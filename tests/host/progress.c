/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/host/progress.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/report/live.h"
#include "tests/host/clock.h"
#include "tests/host/quiet.h"

#define STEP_NS 250000000ull
#define WIDTH   60

static struct {
    bool terminal, shown, alone;
    int error; /* of the first write to standard output that failed */
    struct live_line line;
} live;

void progress_start(bool alone)
{
    live.terminal = isatty(STDERR_FILENO) == 1;
    live.alone = alone;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
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
    if (live.error != 0)
        return;
    errno = 0;
    if (fwrite(text, 1, bytes, stdout) == bytes && ferror(stdout) == 0)
        return;
    live.error = errno != 0 ? errno : EIO;
    if (live.alone)
        quiet_stop();
}

bool progress_end(void)
{
    progress_clear();
    errno = 0;
    if (live.error == 0 && fflush(stdout) != 0)
        live.error = errno;
    if (live.error != 0)
        fprintf(stderr, "barechase: standard output: cannot be written: %s\n",
                strerror(live.error));
    return live.error == 0;
}

struct text_sink progress_text_sink(void)
{
    return (struct text_sink){.write = write_text};
}
