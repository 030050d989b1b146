/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/stats/rate.h"

#include "core/lib/real.h"

void rate_add(struct rate_account *account, double count, double time)
{
    if (!(time > 0))
        return;
    account->stretches++;
    account->count += count;
    account->time += time;
    account->count_count += count * count;
    account->count_time += count * time;
    account->time_time += time * time;
}

struct figure rate_figure(const struct rate_account *account)
{
    double rate = account->count / account->time, n = account->stretches, squares;

    if (account->stretches == 0)
        return figure_unknown();
    if (account->stretches == 1)
        return (struct figure){rate, real_nan()};
    squares =
        account->count_count - 2 * rate * account->count_time + rate * rate * account->time_time;
    /* Below zero by rounding alone. */
    squares = squares > 0 ? squares : 0;
    return (struct figure){rate, real_sqrt(squares * n / (n - 1)) / account->time};
}
