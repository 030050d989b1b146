/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/host/progress.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/host/clock.h"
#include "tests/host/quiet.h"

#define STEP_NS 250000000ull
#define WIDTH   60

static struct {
    bool terminal, shown, alone;
    int error; /* of the first write to standard output that failed */
    uint64_t shown_ns;
} live;

void progress_start(bool alone)
{
    live.terminal = isatty(STDERR_FILENO) == 1;
    live.alone = alone;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
}

void progress_show(const struct progress *now)
{
    double share = now->done_share < 0 ? 0 : now->done_share > 1 ? 1 : now->done_share;
    unsigned long left = now->left_s > 0 ? (unsigned long)(now->left_s + 0.5) : 0;
    uint64_t now_ns = clock_wall_ns();
    char line[WIDTH + 1];

    if (!live.terminal || (live.shown && now_ns - live.shown_ns < STEP_NS))
        return;
    snprintf(line, sizeof line, "%s  %u/%u  %u %%  %lu:%02lu left", now->experiment, now->done,
             now->total, (unsigned)(share * 100), left / 60, left % 60);
    fflush(stdout);
    fprintf(stderr, "\r%-*s", WIDTH, line);
    live.shown = true;
    live.shown_ns = now_ns;
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
