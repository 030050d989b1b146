/* SPDX-License-Identifier: BSD-2-Clause */
/* State of one test of what memory holds. */
#ifndef CORE_MEASURE_VERIFY_WORK_H
#define CORE_MEASURE_VERIFY_WORK_H

#include "core/dram/verify.h"

struct verify_run {
    uint64_t lines;
    double line_ns; /* of the last slice */
    uint64_t moved; /* lines read and written, a line that is both twice */
    double seconds; /* that this took */
    uint64_t begun_ns;
    uint32_t steps_done;
    bool retested;
    uint64_t list[MARCH_WORDS_MAX]; /* bad lines */
    struct march_errors errors;
};

#endif
