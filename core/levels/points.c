/* SPDX-License-Identifier: BSD-2-Clause */
/* Prepares measured points for the fit: ascending in each curve. */
#include "core/levels/state.h"

#include "core/lib/memory.h"
#include "core/lib/real.h"

#define MODEL_FLOOR 0.002 /* minimum relative error of a point */

static bool is_usable(const struct level_point *point)
{
    return real_is_finite(point->bytes) && real_is_finite(point->ns) && point->bytes > 0 &&
           point->ns > 0;
}

static size_t count_of_page(const struct levels_request *request, unsigned page)
{
    size_t count = 0;

    for (size_t i = 0; i < request->count; i++)
        count += (unsigned)request->points[i].page == page && is_usable(&request->points[i]);
    return count;
}

static double relative_error(const struct level_point *point)
{
    double error = point->rel_error;

    if (!(error > 0))
        return 0;
    return error < 1 ? error : 1;
}

void levels_start(struct levels_state *state, const struct levels_request *request)
{
    struct hinge_poll poll = state->fit.poll;

    memory_fill(state, 0, sizeof *state);
    state->fit.poll = poll;
    state->request = request;
    state->common_error_ns = request->common_error_ns > 0 ? request->common_error_ns : 0;
}

/* Keeps the points of a curve sorted. */
void levels_insert_point(struct levels_state *state, const struct level_point *point, size_t curve)
{
    struct hinge_fit *fit = &state->fit;
    double error = relative_error(point);
    size_t k = fit->count;

    if (k == HINGE_FIT_POINTS || !is_usable(point))
        return;
    fit->count++;
    for (; k > 0 && fit->curve[k - 1] == curve && fit->bytes[k - 1] > point->bytes; k--) {
        fit->bytes[k] = fit->bytes[k - 1];
        fit->ns[k] = fit->ns[k - 1];
        fit->error[k] = fit->error[k - 1];
        fit->curve[k] = fit->curve[k - 1];
        state->own_error[k] = state->own_error[k - 1];
        state->doubt[k] = state->doubt[k - 1];
    }
    fit->bytes[k] = point->bytes;
    fit->ns[k] = point->ns;
    fit->error[k] = point->ns * real_hypotenuse(error, MODEL_FLOOR);
    fit->curve[k] = curve;
    state->own_error[k] = point->ns * error;
    state->doubt[k] = point->doubt;
}

bool levels_take_points(struct levels_state *state, const struct levels_request *request)
{
    struct hinge_fit *fit = &state->fit;

    levels_start(state, request);
    for (unsigned page = PAGE_4K; page <= PAGE_1G && fit->curves < HINGE_CURVES; page++) {
        if (count_of_page(request, page) < LEVELS_POINTS_MIN)
            continue;
        fit->page_bytes[fit->curves] = (double)(1ull << page);
        for (size_t i = 0; i < request->count; i++)
            if ((unsigned)request->points[i].page == page)
                levels_insert_point(state, &request->points[i], fit->curves);
        fit->curves++;
    }
    return fit->count >= LEVELS_POINTS_MIN;
}

void levels_keep_last_curve(struct levels_state *state)
{
    struct hinge_fit *fit = &state->fit;
    size_t last = fit->curves - 1, kept = 0;

    for (size_t i = 0; i < fit->count; i++) {
        if (fit->curve[i] != last)
            continue;
        fit->bytes[kept] = fit->bytes[i];
        fit->ns[kept] = fit->ns[i];
        /* Relative residuals of equal weight, so that the fit is comparable with other tools'. */
        fit->error[kept] = fit->ns[i] * MODEL_FLOOR;
        state->own_error[kept] = state->own_error[i];
        state->doubt[kept] = state->doubt[i];
        fit->curve[kept++] = 0;
    }
    fit->count = kept;
    fit->curves = 1;
    fit->page_bytes[0] = fit->page_bytes[last];
}
