/* SPDX-License-Identifier: BSD-2-Clause */
/* Large pages that are mapped by small pieces, as by the host of a guest: every curve then has the
 * misses of the small pages' TLB, and what they cost does not appear as a difference between the
 * curves. */
#include "core/levels/state.h"

double levels_page_bytes(const struct levels_reach *reach)
{
    return (double)(1ull << reach->page_log2);
}

static bool is_of_pieces(const struct levels_state *state, const struct levels_reach *reach)
{
    return state->request->in_pieces && state->fit.curves > 1 && reach->page_log2 == PAGE_4K &&
           state->fit.page_bytes[0] == levels_page_bytes(reach);
}

/* No entry holds a large page: what page curves of these show is the pieces' TLB again, or some of
 * its sets. */
static bool is_of_wholes(const struct levels_state *state, const struct levels_reach *reach)
{
    return state->fit.pieces && reach->page_log2 != PAGE_4K;
}

void levels_tell_pieces(struct levels_state *state)
{
    size_t kept = 0;

    for (size_t k = 0; k < state->reaches; k++)
        state->fit.pieces |= state->reach[k].of_pieces = is_of_pieces(state, &state->reach[k]);
    for (size_t k = 0; k < state->reaches; k++)
        if (!is_of_wholes(state, &state->reach[k]))
            state->reach[kept++] = state->reach[k];
    state->reaches = kept;
}

double levels_clear_bytes(const struct levels_state *state)
{
    double clear = __builtin_inf();

    for (size_t k = 0; k < state->reaches; k++)
        if (state->reach[k].of_pieces && state->reach[k].level.bytes < clear)
            clear = state->reach[k].level.bytes;
    return clear;
}
