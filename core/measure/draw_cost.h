/* SPDX-License-Identifier: BSD-2-Clause */
/* What one independent draw costs beside its load. */
#ifndef CORE_MEASURE_DRAW_COST_H
#define CORE_MEASURE_DRAW_COST_H

#include <stdbool.h>
#include <stdint.h>

/* Measured on a set that every first-level cache holds, as the difference to a plain hop there. */
struct draw_cost {
    bool known;
    double ns, error_ns; /* standard error */
    double hz;           /* of the core, at which that holds; NAN: unknown */
    uint32_t experiment; /* that asked for it */
};

#endif
