/* SPDX-License-Identifier: BSD-2-Clause */
/* Weights of points, from their error, the effect of the frame order, and whether they are
 * spikes. */
#include "core/levels/hinge_fit.h"

#include "core/lib/real.h"

#define ORDER_SOFT   0.3
#define ORDER_ROWS   0.15
#define VICTIMS_FULL 0.7
#define LOST_OFF     0.1
#define SPIKE        5.0 /* standard errors */
#define LAST_SPIKE   1.2
#define TRUST_MIN    1e-6

static double median(double *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        double value = values[i];
        size_t k = i;
        for (; k > 0 && values[k - 1] > value; k--)
            values[k] = values[k - 1];
        values[k] = value;
    }
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* Variance due to the random order of frames. Near the knee, the number of pages in overfull sets,
 * though the cache as a whole could hold them, is Poisson distributed. It is computed as for about
 * ten ways: with the fit's own softness, a softer knee would excuse any misfit. With open DRAM
 * rows, the order also decides which pages share a bank. */
static double order_about(const struct hinge_fit *fit, struct hinge knee, size_t i)
{
    double bytes = fit->bytes[i], sum = 0, plain, other;
    size_t curve = fit->curve[i];
    /* Overfull sets only add cost; a fitted softness is already their mean effect. */
    bool seen = knee.soft[curve] > 0 || (knee.scattered[curve] && fit->residual[i] >= 0);

    knee.soft[curve] = knee.rows[curve] = 0;
    knee.law = HINGE_SHARP;
    plain = hinge_share(&knee, bytes, curve);
    knee.rows[curve] = knee.rows[fit->curves - 1];
    other = ORDER_ROWS * (plain - hinge_share(&knee, bytes, curve));
    sum = other * other;
    knee.rows[curve] = 0;
    knee.soft[curve] = ORDER_SOFT;
    if (seen)
        sum += (hinge_share(&knee, bytes, curve) - plain) * fit->page_bytes[curve] / bytes;
    return knee.step * knee.step * sum;
}

/* The victim-cache law is accurate to a fraction of the cache's own contents. */
static double victims_about(const struct hinge_fit *fit, const struct hinge *knee, size_t i)
{
    double own = (knee->pos - knee->inner) / fit->bytes[i],
           behind = 1 - knee->inner / fit->bytes[i];
    double off = HINGE_LAW_ERROR * own * knee->step;

    return knee->law == HINGE_VICTIMS && behind > VICTIMS_FULL * own ? off * off : 0;
}

/* What a level lost of the nearer levels' lines is as for many ways. With few, the lines' ages
 * count in whole lines where both levels have the same sets, and are spread wider where they do
 * not: a tenth of what is lost, less or more. */
static double lost_about(const struct hinge *knee, double bytes)
{
    double off;

    if (knee->law < HINGE_BESIDE || knee->law > HINGE_BEHIND_RANDOM || !(knee->inner > 0))
        return 0;
    off = LOST_OFF * knee->step * knee->inner / bytes *
          hinge_lost(knee->law, knee->ways, knee->pos / bytes, knee->inner / knee->pos,
                     knee->inner_inner / knee->pos);
    return off * off;
}

double hinge_fit_law(const struct hinge_fit *fit, size_t i)
{
    double sum = 0;

    for (size_t j = 0; j < fit->hinges; j++)
        if (fit->hinge[j].kind == HINGE_CACHE)
            sum +=
                victims_about(fit, &fit->hinge[j], i) + lost_about(&fit->hinge[j], fit->bytes[i]);
    return sum;
}

double hinge_fit_order(const struct hinge_fit *fit, size_t i)
{
    double sum = 0;

    if (!hinge_fit_scatters(fit, fit->curve[i]))
        return 0;
    for (size_t j = 0; j < fit->hinges; j++)
        if (fit->hinge[j].kind == HINGE_CACHE)
            sum += order_about(fit, fit->hinge[j], i);
    return sum;
}

static void set_weights(struct hinge_fit *fit)
{
    for (size_t i = 0; i < fit->count; i++)
        fit->weight[i] = fit->trust[i] / (fit->error[i] * fit->error[i] + hinge_fit_order(fit, i) +
                                          hinge_fit_law(fit, i));
}

/* True if a curve's last point lies far above the extrapolation of the two before it. */
static bool is_last_spike(const struct hinge_fit *fit, size_t i)
{
    double lead;

    if (i + 1 < fit->count && fit->curve[i + 1] == fit->curve[i])
        return false;
    if (i < 2 || fit->curve[i - 2] != fit->curve[i] || !(fit->bytes[i - 1] > fit->bytes[i - 2]))
        return false;
    lead = (1 / fit->bytes[i - 1] - 1 / fit->bytes[i]) /
           (1 / fit->bytes[i - 2] - 1 / fit->bytes[i - 1]);
    lead = fit->ns[i - 1] + lead * (fit->ns[i - 1] - fit->ns[i - 2]);
    lead = lead > fit->ns[i - 1] ? lead : fit->ns[i - 1];
    return fit->ns[i] > LAST_SPIKE * lead && fit->ns[i] - lead > 2 * SPIKE * fit->error[i];
}

/* Latency never falls with the set size: a point above a later one of its curve is a spike. */
static void doubt_spikes(struct hinge_fit *fit)
{
    for (size_t i = 0; i < fit->count; i++) {
        double min = fit->ns[i];
        for (size_t k = i + 1; k < fit->count && fit->curve[k] == fit->curve[i]; k++)
            min = fit->ns[k] < min ? fit->ns[k] : min;
        fit->trust[i] = 1;
        if (fit->ns[i] - min > SPIKE * fit->error[i] || is_last_spike(fit, i))
            fit->trust[i] = TRUST_MIN;
    }
}

void hinge_fit_weigh(struct hinge_fit *fit)
{
    set_weights(fit);
    hinge_fit_steps(fit);
}

void hinge_fit_trust(struct hinge_fit *fit)
{
    doubt_spikes(fit);
    for (size_t i = 0; i < fit->count && fit->staged; i++)
        if (fit->curve[i] + 1 < fit->curves)
            fit->trust[i] = TRUST_MIN * TRUST_MIN;
}

void hinge_fit_start(struct hinge_fit *fit)
{
    size_t count = 0;

    for (fit->hinges = 0; fit->hinges < fit->knowns; fit->hinges++)
        fit->hinge[fit->hinges] = fit->known[fit->hinges];
    hinge_fit_trust(fit);
    for (size_t i = 1; i + 1 < fit->count; i++) {
        double left = 1 / fit->bytes[i - 1], middle = 1 / fit->bytes[i];
        double right = 1 / fit->bytes[i + 1];
        double part = left > right ? (left - middle) / (left - right) : 0;
        double error = fit->error[i] * fit->error[i], away;
        if (fit->curve[i - 1] != fit->curve[i + 1] || !(part > 0))
            continue;
        away = fit->ns[i] - (1 - part) * fit->ns[i - 1] - part * fit->ns[i + 1];
        error += (1 - part) * (1 - part) * fit->error[i - 1] * fit->error[i - 1];
        error += part * part * fit->error[i + 1] * fit->error[i + 1];
        fit->sorted[count++] = real_abs(away) / real_sqrt(error);
    }
    fit->noise = count > 0 ? 1.4826 * median(fit->sorted, count) : 1;
    fit->noise = fit->noise > 1 ? fit->noise : 1;
    hinge_fit_weigh(fit);
}
