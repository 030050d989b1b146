/* SPDX-License-Identifier: BSD-2-Clause */
/* Real functions without libm. */
#ifndef CORE_REAL_H
#define CORE_REAL_H

#include <stdbool.h>

/* Within 1e-15 relative for 0 <= x < 1e300; 0 for what is negative or not a number. */
double real_sqrt(double x);
bool real_is_nan(double x);
double real_nan(void);

#endif
