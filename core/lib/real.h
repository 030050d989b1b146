/* SPDX-License-Identifier: BSD-2-Clause */
/* Real functions without libm. */
#ifndef CORE_LIB_REAL_H
#define CORE_LIB_REAL_H

#include <stdbool.h>

/* Within 1e-15 relative from 1e-290 to 1e300; 0 for what is negative or not a number. */
double real_sqrt(double x);
/* Of two errors that know nothing of each other, as one. */
double real_hypotenuse(double a, double b);
/* Natural logarithm, within 1e-13 relative (subnormals too). 0: -infinity; negative: NAN. */
double real_log(double x);
/* Within 1e-13 relative; beyond the range of doubles 0 or infinity. */
double real_exp(double x);
double real_abs(double x);
bool real_is_nan(double x);
bool real_is_finite(double x);
double real_nan(void);

#endif
