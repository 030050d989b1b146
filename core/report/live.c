/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/report/live.h"

#include "core/lib/text.h"

#define STILL_NS   1000000000ull
#define RISE       1.1
#define LEFT_S_MIN 1 /* shown while the run goes on; it may not rise again from 0 */

static bool is_due(const struct live_line *live, const struct progress *now, bool changed,
                   uint64_t passed_ns, uint64_t step_ns)
{
    if (!live->shown || live->experiment != now->experiment)
        return true;
    return passed_ns >= STILL_NS || (passed_ns >= step_ns && changed);
}

static bool own_words(struct live_line *live, const struct progress *now, unsigned percent,
                      uint64_t now_ns, uint64_t step_ns, char words[LIVE_BYTES])
{
    if (!is_due(live, now, percent != live->own_percent, now_ns - live->shown_ns, step_ns))
        return false;
    live->shown = true;
    live->shown_ns = now_ns;
    live->experiment = now->experiment;
    live->own_percent = percent;
    text_print(words, LIVE_BYTES, "%s  %u %%", now->experiment, percent);
    return true;
}

bool live_words(struct live_line *live, const struct progress *now, uint64_t now_ns,
                uint64_t step_ns, char words[LIVE_BYTES])
{
    double share = now->done_share < 0 ? 0 : now->done_share > 1 ? 1 : now->done_share;
    double left_s = now->left_s > LEFT_S_MIN ? now->left_s : LEFT_S_MIN;
    unsigned percent = (unsigned)(share * 100);
    uint64_t seconds;

    if (now->total == 0)
        return own_words(live, now, percent, now_ns, step_ns, words);
    if (percent < live->percent)
        percent = live->percent;
    if (!is_due(live, now, percent != live->percent, now_ns - live->shown_ns, step_ns))
        return false;
    if (live->left_s > 0 && left_s > RISE * live->left_s)
        left_s = RISE * live->left_s;
    *live = (struct live_line){true, now_ns, now->experiment, percent, 0, left_s};
    seconds = (uint64_t)(left_s + 0.5);
    text_print(words, LIVE_BYTES, "%s  %u/%u  %u %%  %lu:%02lu left", now->experiment, now->done,
               now->total, percent, seconds / 60, seconds % 60);
    return true;
}
