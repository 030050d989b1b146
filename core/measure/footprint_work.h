/* SPDX-License-Identifier: BSD-2-Clause */
/* What probing for a footprint goes by, and room for its probes. */
#ifndef CORE_MEASURE_FOOTPRINT_WORK_H
#define CORE_MEASURE_FOOTPRINT_WORK_H

#include "core/lib/random.h"
#include "core/machine.h"
#include "core/measure/footprint.h"

#define FOOTPRINT_PROBES 256  /* of one quiet section: a millisecond or two */
#define FOOTPRINT_STAGES 2048 /* places to probe at */

/* What a probe was sent to find out. */
struct footprint_errand {
    uint8_t line[PROBE_TARGETS_MAX]; /* of the three pages */
    bool control;                    /* the first of them is dropped again before it is loaded */
};

struct footprint_run {
    uint64_t line_bytes, page_lines;
    uint32_t stages; /* places of three pages each, of which the next pass goes on at stage_at */
    uint32_t stage_at;
    uint16_t stage[FOOTPRINT_STAGES];
    struct probe probe[FOOTPRINT_PROBES];
    struct footprint_errand errand[FOOTPRINT_PROBES];
    uint32_t count;   /* probes that stand ready */
    uint32_t targets; /* of each of them */
    bool late;        /* they wait longer */
    struct footprint_row row[FOOTPRINT_ROWS];
    struct footprint_threshold threshold;
    double share[FOOTPRINT_LINES_MAX]; /* of a record */
    struct random random;
};

#endif
