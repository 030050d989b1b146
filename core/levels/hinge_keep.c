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

void hinge_fit_kept(struct hinge_fit *fit)
{
    fit->hinges = hinge_fit_copy(fit->hinge, fit->other, fit->other_hinges);
    hinge_fit_steps(fit);
    hinge_fit_weigh(fit);
}

double hinge_fit_as_found(struct hinge_fit *fit, size_t k)
{
    double before = hinge_fit_cost(fit);

    fit->hinges = hinge_fit_copy(fit->hinge, fit->found[k].hinge, fit->found[k].hinges);
    hinge_fit_steps(fit);
    hinge_fit_weigh(fit);
    return hinge_fit_cost(fit) - before;
}
