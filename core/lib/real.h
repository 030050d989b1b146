/* SPDX-License-Identifier: BSD-2-Clause */
/* Real functions without libm. */
#ifndef CORE_LIB_REAL_H
#define CORE_LIB_REAL_H

#include <stdbool.h>
#include <stdint.h>

/* Relative error below 1e-15 from 1e-290 to 1e300; 0 for negative x or NaN. */
double real_sqrt(double x);
/* sqrt(a^2 + b^2): two independent errors combined. NAN if either is NAN: with an unknown part the
 * whole is unknown. */
double real_hypotenuse(double a, double b);
/* Natural logarithm, relative error below 1e-13 (subnormals too). 0: -infinity; negative: NaN. */
double real_log(double x);
/* Relative error below 1e-13; 0 or infinity outside the range of doubles. */
double real_exp(double x);
/* The point of the unit circle at that many 2^64ths of a turn, to within 1e-9. */
void real_circle(uint64_t turn, double *cosine, double *sine);
double real_abs(double x);
bool real_is_nan(double x);
bool real_is_finite(double x);
double real_nan(void);

#endif
