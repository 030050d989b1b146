/* SPDX-License-Identifier: BSD-2-Clause */
/* State of one test of what memory holds. */
#ifndef CORE_MEASURE_VERIFY_WORK_H
#define CORE_MEASURE_VERIFY_WORK_H

#include "core/dram/regions.h"
#include "core/dram/verify.h"
#include "core/lib/phys_ranges.h"
#include "core/measure/slots.h"

#define VERIFY_TESTED_MAX REGIONS_BLOCKS_MAX
#define VERIFY_BAD_MAX    512

struct verify_part {
    uint32_t words;
    uint64_t events;
};

/* Of all passes that are over. */
struct verify_sums {
    uint64_t bytes, written_bytes, read_bytes, events, unlisted, words, causes[VERIFY_KINDS],
        lanes[64];
    uint32_t steps, steps_done;
    struct verify_part slot[SLOTS_PARTS_MAX], bank[SLOTS_PARTS_MAX];
};

struct verify_run {
    struct verify_sums sums;
    struct phys_range tested[VERIFY_TESTED_MAX];
    size_t tested_count;
    bool listed; /* all of what was tested is in there */
    struct verify_parts parts;
    struct phys_range aside; /* tested in the first window, and again with what that left */
    struct phys_range bad[VERIFY_BAD_MAX]; /* what has records; 0 and more of the first ranges */
    size_t bad_count;
    /* Of the pass under way; moved and seconds of all. */
    const struct verify_step *step; /* [step_count] */
    uint32_t step_count, step_moves;
    uint64_t again_bytes;         /* of the window: tested before */
    uint64_t lines, moved_before; /* by the passes before */
    double line_ns;               /* of the last slice */
    uint64_t moved;               /* lines read and written, a line that is both twice */
    uint64_t written, read;       /* lines of this pass, each step anew */
    double seconds;               /* that this took */
    uint64_t begun_ns;
    uint32_t processors; /* that worked at once, at most */
    uint32_t steps_done;
    bool retested;
    uint64_t list[MARCH_WORDS_MAX]; /* bad lines */
    struct march_share share;
    struct march_errors errors;
};

#endif
