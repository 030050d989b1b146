/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/measure/measure.h"
#include "core/measure/time.h"

static void look_at(const struct machine *machine, struct plan *plan, const struct point *point)
{
    struct window_request request = plan_window(plan, point, 0);
    uint32_t page = point_page_index(point->page);
    uint64_t *limit = point->everywhere ? &plan->outlook.all_bytes[page]
                                        : &plan->outlook.limit_bytes[page][point->frames];

    *limit = machine->window_limit(machine->self, &request);
}

void measure_look(const struct machine *machine, struct plan *plan)
{
    plan->outlook.now_ns = time_now_ns(machine);
    for (unsigned bit = PAGE_4K; bit <= PAGE_1G; bit++) {
        struct point point = plan_point(plan, 0, (enum page_size)bit, false, 0);
        if (!(machine->description->page_sizes & 1u << bit))
            continue;
        look_at(machine, plan, &point);
        if (point.frames == FRAMES_SCATTERED) {
            point.frames = FRAMES_CONTIGUOUS;
            look_at(machine, plan, &point);
        }
        point.everywhere = true;
        look_at(machine, plan, &point);
    }
}
