/* SPDX-License-Identifier: BSD-2-Clause */
/* What making memory takes, where a machine makes it as it is needed. */
#include "core/engine_state.h"

#define MAKE_NS    0.3          /* a byte, before anything is known */
#define MAKE_LEAST (1ull << 20) /* bytes: fewer say nothing about a large set */
#define NEWEST     0.4

static size_t page_class(enum page_size page)
{
    return (page - PAGE_4K) / (PAGE_2M - PAGE_4K);
}

void estimate_make_start(struct engine *engine)
{
    for (size_t i = 0; i < ESTIMATE_PAGES; i++)
        engine->model.make_ns[i] = MAKE_NS;
}

void estimate_learn_make(struct engine *engine, enum page_size page, uint64_t bytes, uint64_t ns)
{
    double *make_ns = &engine->model.make_ns[page_class(page)];

    if (bytes >= MAKE_LEAST)
        *make_ns += NEWEST * ((double)ns / (double)bytes - *make_ns);
}

uint64_t *estimate_made_bytes(struct engine *engine, enum page_size page)
{
    return &engine->made_bytes[page_class(page)];
}

double estimate_make_ns(const struct engine *engine, enum page_size page)
{
    return engine->model.make_ns[page_class(page)];
}

double estimate_make_s(const struct engine *engine, const struct point *point)
{
    size_t page = page_class(point->page);
    uint64_t bytes = point_window_bytes(engine, point), made = engine->made_bytes[page];

    if (engine->machine->window_make == NULL || bytes <= made)
        return 0;
    return (double)(bytes - made) * engine->model.make_ns[page] * 1e-9;
}
