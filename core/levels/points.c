/* SPDX-License-Identifier: BSD-2-Clause */
/* Prepares measured points for the fit: ascending in each curve. */
#include "core/levels/state.h"

#include "core/lib/memory.h"
#include "core/lib/real.h"

#define MODEL_FLOOR  0.002 /* minimum relative error of a point */
#define OFFSET_SHARE 0.2   /* of the first cache's latency: less is no miss of a TLB */

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
    state->fit.brought = request->brought_lines;
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

struct figure levels_start_of(const struct levels_state *state, size_t curve)
{
    const struct hinge_fit *fit = &state->fit;
    double weights = 0, sum = 0;
    size_t count = 0;

    for (size_t i = 0; i < fit->count && count < LEVELS_START_POINTS; i++) {
        double weight = 1 / (fit->error[i] * fit->error[i]);
        if (fit->curve[i] != curve)
            continue;
        weights += weight;
        sum += weight * fit->ns[i];
        count++;
    }
    return (struct figure){sum / weights, 1 / real_sqrt(weights)};
}

double levels_offset_ns(struct figure small, struct figure more)
{
    if (!figure_is_known(more) || more.value < OFFSET_SHARE * small.value ||
        more.value < FIGURE_ERRORS * more.error)
        return 0;
    return more.value;
}

/* A first-level TLB without entries for large pages is missed by every access to them: no knee
 * shows that. */
static void take_off_offsets(struct levels_state *state)
{
    struct hinge_fit *fit = &state->fit;
    struct figure small = levels_start_of(state, 0);

    for (size_t curve = 1; curve < fit->curves && fit->page_bytes[0] == 1 << PAGE_4K; curve++) {
        double more_ns =
            levels_offset_ns(small, figure_difference(levels_start_of(state, curve), small));
        for (size_t i = 0; i < fit->count; i++)
            fit->ns[i] -= fit->curve[i] == curve ? more_ns : 0;
        state->offset_ns[curve] = more_ns;
    }
}

double levels_page_offset_ns(const void *workspace, enum page_size page)
{
    const struct levels_state *state = workspace;

    for (size_t curve = 0; curve < state->fit.curves; curve++)
        if (levels_page_of_curve(state, curve) == (unsigned)page)
            return state->offset_ns[curve];
    return 0;
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
    take_off_offsets(state);
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

bool levels_see_beyond(const struct level_point *points, size_t count, double bytes)
{
    size_t beyond[PAGE_1G + 1] = {0};

    for (size_t i = 0; i < count; i++)
        if (points[i].bytes > bytes && ++beyond[points[i].page] == HINGE_BEYOND)
            return true;
    return false;
}
