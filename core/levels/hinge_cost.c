/* SPDX-License-Identifier: BSD-2-Clause */
/* The cost of a model: its misfit, plus the gain that each hinge must achieve to be accepted. */
#include "core/levels/hinge_fit.h"

#include "core/lib/real.h"

/* A hinge has two parameters, place and step: required gain in the sum of squares per ln of the
 * number of points. BIC would be 2; more because the place was searched for. */
#define GAIN_PER_LOG  3.0
#define LONE_MAX      100.0
#define HINT_NEAR     1.08
#define SLIGHT_STEP   0.2
#define DECLARED_NEAR 0.03

double hinge_fit_gain(const struct hinge_fit *fit)
{
    return GAIN_PER_LOG * real_log((double)fit->count) * fit->noise * fit->noise;
}

static bool is_hinted(const struct hinge_fit *fit, const struct hinge *hinge)
{
    for (size_t k = 0; k < fit->hints; k++) {
        double ratio = hinge->pos / fit->hint[k].pos;
        if (hinge->kind != HINGE_CACHE && hinge->kind == fit->hint[k].kind &&
            hinge->curve == fit->hint[k].curve && ratio < HINT_NEAR && ratio * HINT_NEAR > 1)
            return true;
    }
    return false;
}

/* 0 to 1, as far as `bytes` is from where a declared capacity would place the knee. */
static double off_place(double bytes, double place)
{
    double off = real_log(bytes / place) / DECLARED_NEAR;

    return off * off / (1 + off * off);
}

/* A level of victims has its knee where its own capacity and that of the nearer levels are full;
 * one that loses lines to them at its own. A sharp knee may be either. */
static double off_declared(const struct hinge *hinge, double declared)
{
    double alone = off_place(hinge->pos, declared);
    double together = off_place(hinge->pos, declared + hinge->inner);

    if (hinge->law == HINGE_VICTIMS)
        return together;
    return hinge->law == HINGE_SHARP && together < alone ? together : alone;
}

/* How far a cache's knee is from where any declared capacity would place it, 0 to 1; 0 where no
 * cache is declared. */
static double undeclared(const struct hinge_fit *fit, const struct hinge *hinge)
{
    double min = 1;
    bool any = false;

    for (size_t k = 0; k < fit->hints && hinge->kind == HINGE_CACHE; k++) {
        double off;
        if (fit->hint[k].kind != HINGE_CACHE)
            continue;
        any = true;
        off = off_declared(hinge, fit->hint[k].pos);
        min = off < min ? off : min;
    }
    return any ? min : 0;
}

/* True for a cache that is implausibly little slower than the one before it. */
static bool is_slight(const struct hinge_fit *fit, size_t j)
{
    double before = fit->base;

    if (fit->hinge[j].kind != HINGE_CACHE)
        return false;
    for (size_t k = 0; k < fit->hinges; k++)
        if (fit->hinge[k].kind == HINGE_CACHE && fit->hinge[k].pos < fit->hinge[j].pos)
            before += fit->hinge[k].step;
    return fit->hinge[j].step < SLIGHT_STEP * before;
}

bool hinge_fit_is_shared(const struct hinge *hinge)
{
    return hinge->most > 0 && hinge->step > hinge->most;
}

double hinge_fit_price(const struct hinge_fit *fit, size_t j)
{
    double sum = hinge_fit_gain(fit);

    if (hinge_fit_is_shared(&fit->hinge[j]))
        return 2 * sum;
    if (is_hinted(fit, &fit->hinge[j]))
        sum -= HINGE_FAVOUR * fit->noise * fit->noise;
    sum += undeclared(fit, &fit->hinge[j]) * HINGE_FAVOUR * fit->noise * fit->noise;
    return is_slight(fit, j) ? sum + HINGE_SOFT_COST : sum;
}

/* Cost of shape parameters beyond place and step. */
static double price_of_shape(const struct hinge *hinge, size_t curves)
{
    double sum = 0;

    sum += hinge->law != HINGE_SHARP ? HINGE_SOFT_COST : 0;
    sum += hinge->open > 0 ? HINGE_SOFT_COST : 0;
    sum += hinge->rows[curves - 1] > 0 ? HINGE_ROWS_COST - HINGE_SOFT_COST : 0;
    for (size_t curve = 0; curve < curves; curve++) {
        sum += hinge->soft[curve] > 0 ? HINGE_SOFT_COST : 0;
        sum += hinge->rows[curve] > 0 ? HINGE_SOFT_COST : 0;
    }
    return sum;
}

double hinge_fit_cost(const struct hinge_fit *fit)
{
    double sum = 0;

    for (size_t i = 0; i < fit->count; i++) {
        double own = fit->error[i] * fit->error[i], order = hinge_fit_order(fit, i);
        double square = fit->trust[i] * fit->residual[i] * fit->residual[i] /
                        (own + order + hinge_fit_law(fit, i));
        sum += square < LONE_MAX ? square : LONE_MAX;
        sum += order > 0 ? fit->trust[i] * real_log(1 + order / own) : 0;
    }
    for (size_t j = 0; j < fit->hinges; j++)
        sum += hinge_fit_price(fit, j) + price_of_shape(&fit->hinge[j], fit->curves);
    return sum;
}
