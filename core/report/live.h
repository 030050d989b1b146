/* SPDX-License-Identifier: BSD-2-Clause */
/* The live line of a run: "curve  12/57  21 %  0:23 left", and "levels  40 %" of work that is no
 * point. */
#ifndef CORE_REPORT_LIVE_H
#define CORE_REPORT_LIVE_H

#include "core/machine.h"

#define LIVE_BYTES 80

/* The state that the line showed last; zero before the first. */
struct live_line {
    bool shown;
    uint64_t shown_ns;
    const char *experiment;
    unsigned percent, own_percent; /* of the run; of the work that is no point */
    double left_s;
};

/* Composes the line and returns true if it is due: at once for another experiment, else after
 * step_ns if the share has changed by one per cent, and every second to show that the run is alive.
 * The run's share never falls, and the time left rises by at most a tenth from one line to the
 * next, so a worse estimate appears in steps. now_ns: the machine's wall clock. */
bool live_words(struct live_line *live, const struct progress *now, uint64_t now_ns,
                uint64_t step_ns, char words[LIVE_BYTES]);

#endif
