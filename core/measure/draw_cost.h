/* SPDX-License-Identifier: BSD-2-Clause */
/* What one independent draw costs besides its load. */
#ifndef CORE_MEASURE_DRAW_COST_H
#define CORE_MEASURE_DRAW_COST_H

#include <stdbool.h>
#include <stdint.h>

/* Measured on a set that fits every first-level cache, as the difference to a plain hop there. */
struct draw_cost {
    bool known;
    double ns, error_ns; /* standard error */
    double hz;           /* of the core during the measurement; NAN: unknown */
    uint32_t experiment; /* that the measurement was made for */
};

#endif
