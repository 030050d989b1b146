/* SPDX-License-Identifier: BSD-2-Clause */
/* Saves and restores models: the hinges are kept and fitted anew. */
#include "core/levels/hinge_fit.h"

size_t hinge_fit_copy(struct hinge *to, const struct hinge *from, size_t count)
{
    for (size_t j = 0; j < count; j++)
        to[j] = from[j];
    return count;
}

void hinge_fit_save(struct hinge_fit *fit)
{
    hinge_fit_copy(fit->saved, fit->hinge, fit->hinges);
}

void hinge_fit_restore(struct hinge_fit *fit, size_t hinges)
{
    fit->hinges = hinge_fit_copy(fit->hinge, fit->saved, hinges);
    hinge_fit_steps(fit);
}

void hinge_fit_take_away(struct hinge_fit *fit, size_t j)
{
    fit->hinges--;
    for (; j < fit->hinges; j++)
        fit->hinge[j] = fit->hinge[j + 1];
}

void hinge_fit_keep(struct hinge_fit *fit)
{
    fit->other_hinges = hinge_fit_copy(fit->other, fit->hinge, fit->hinges);
}

static void take(struct hinge_fit *fit, const struct hinge *hinges, size_t count)
{
    fit->hinges = hinge_fit_copy(fit->hinge, hinges, count);
    hinge_fit_steps(fit);
    hinge_fit_weigh(fit);
}

void hinge_fit_kept(struct hinge_fit *fit)
{
    take(fit, fit->other, fit->other_hinges);
}

void hinge_fit_note(struct hinge_fit *fit, double less)
{
    if (!(less > fit->cheaper))
        return;
    fit->cheaper = less;
    fit->cheapest.hinges = hinge_fit_copy(fit->cheapest.hinge, fit->hinge, fit->hinges);
}

void hinge_fit_noted(struct hinge_fit *fit)
{
    take(fit, fit->cheapest.hinge, fit->cheapest.hinges);
    fit->cheaper = 0;
}

double hinge_fit_as_found(struct hinge_fit *fit, size_t k)
{
    double before = hinge_fit_cost(fit);

    take(fit, fit->found[k].hinge, fit->found[k].hinges);
    return hinge_fit_cost(fit) - before;
}
