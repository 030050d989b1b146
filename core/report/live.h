/* SPDX-License-Identifier: BSD-2-Clause */
/* The live line of a run: "curve  12/57  21 %  0:23 left". */
#ifndef CORE_REPORT_LIVE_H
#define CORE_REPORT_LIVE_H

#include "core/machine.h"

#define LIVE_BYTES 80

/* What the line showed last; zero before the first. */
struct live_line {
    bool shown;
    uint64_t shown_ns;
    const char *experiment;
    unsigned percent;
    double left_s;
};

/* Puts the line together and returns true if it is due: at once where the experiment is another
 * one, else after step_ns where its share has changed by a per cent, and every two seconds, so that
 * it is seen to live. The share never falls, and the time left never rises by more than a tenth
 * from one line to the next: a worse estimate is told in steps. now_ns: the machine's wall clock.
 */
bool live_words(struct live_line *live, const struct progress *now, uint64_t now_ns,
                uint64_t step_ns, char words[LIVE_BYTES]);

#endif
