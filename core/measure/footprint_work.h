/* SPDX-License-Identifier: BSD-2-Clause */
/* State of a footprint measurement, and room for its probes. */
#ifndef CORE_MEASURE_FOOTPRINT_WORK_H
#define CORE_MEASURE_FOOTPRINT_WORK_H

#include "core/lib/random.h"
#include "core/machine.h"
#include "core/measure/footprint.h"

#define FOOTPRINT_PROBES 256  /* per quiet section: a millisecond or two */
#define FOOTPRINT_SITES  2048 /* sites to probe at, at most */

/* How the results of a probe are counted. */
struct footprint_probe_info {
    uint8_t line[PROBE_TARGETS_MAX]; /* of each target, in the three pages */
    bool control;                    /* its first target is flushed again before it is loaded */
};

struct footprint_run {
    uint64_t line_bytes, page_lines;
    uint32_t sites; /* sites of three pages each; next_site is the next one in site[] */
    uint32_t next_site;
    uint16_t site[FOOTPRINT_SITES];
    struct probe probe[FOOTPRINT_PROBES];
    struct footprint_probe_info info[FOOTPRINT_PROBES];
    uint32_t count;   /* probes that are set up */
    uint32_t targets; /* per probe */
    bool late;        /* with the longer wait */
    struct footprint_row row[FOOTPRINT_ROWS];
    struct footprint_threshold threshold;
    double share[FOOTPRINT_LINES_MAX]; /* for a record */
    struct random random;
};

#endif
