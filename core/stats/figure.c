/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/stats/figure.h"

#include "core/lib/real.h"

struct figure figure_unknown(void)
{
    return (struct figure){real_nan(), real_nan()};
}

bool figure_is_known(struct figure figure)
{
    return !real_is_nan(figure.value);
}

struct figure figure_of(double value, double rel_error)
{
    return (struct figure){value, rel_error < 1 ? value * rel_error : real_nan()};
}

struct figure figure_difference(struct figure a, struct figure b)
{
    return (struct figure){a.value - b.value, real_hypotenuse(a.error, b.error)};
}

struct figure figure_sum(struct figure a, struct figure b)
{
    return (struct figure){a.value + b.value, real_hypotenuse(a.error, b.error)};
}

struct figure figure_ratio(struct figure a, struct figure b)
{
    double ratio = a.value / b.value;

    return (struct figure){ratio, real_hypotenuse(a.error / b.value, ratio * b.error / b.value)};
}

struct figure figure_scaled(struct figure a, double by)
{
    return (struct figure){a.value * by, real_abs(a.error * by)};
}

/* Student's t for 99 in 100, by rounds. */
static const double students_t[FIGURE_ROUNDS_MAX + 1] = {0,     0,     63.66, 9.925, 5.841,
                                                         4.604, 4.032, 3.707, 3.499};

struct figure figure_of_rounds(const struct figure *round, unsigned count)
{
    struct figure sum = round[0], mean;
    double squares = 0, scatter;

    for (unsigned i = 1; i < count; i++)
        sum = figure_sum(sum, round[i]);
    mean = figure_scaled(sum, 1.0 / count);
    for (unsigned i = 0; i < count; i++)
        squares += (round[i].value - mean.value) * (round[i].value - mean.value);
    scatter = count < 2 ? 0 : real_sqrt(squares / (count - 1) / count);
    scatter *= students_t[count] / FIGURE_ERRORS;
    mean.error = scatter > mean.error ? scatter : mean.error;
    return mean;
}

void figure_bounds(struct figure figure, double *value, double *low, double *high)
{
    *value = figure.value;
    *low = figure.value - FIGURE_ERRORS * figure.error;
    *high = figure.value + FIGURE_ERRORS * figure.error;
}
