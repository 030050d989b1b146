/* SPDX-License-Identifier: BSD-2-Clause */
/* Building, reading back and flushing in slices, so that a stop or the end of the budget does not
 * have to wait for gibibytes. */
#include "core/measure/run.h"
#include "core/measure/time.h"

#define SLICE_S   0.25
#define SLICE_MIN 4096 /* lines in the first slice, before the cost of a line is known */
#define GROWS_MAX 4    /* from slice to slice: the first lines may be cheaper */

static uint64_t slice_lines(double line_ns, uint64_t max)
{
    double lines = SLICE_S * 1e9 / line_ns;

    if (lines >= (double)max)
        return max;
    return lines < SLICE_MIN ? SLICE_MIN : (uint64_t)lines;
}

enum status point_work(struct measurement *run, uint32_t cpu, window_work *work, void *arg,
                       uint64_t first, uint64_t end, struct fault_info *fault)
{
    struct measure *m = run->m;
    const struct machine *machine = m->machine;
    uint64_t slice = SLICE_MIN;
    enum status status = STATUS_OK;

    while (first < end && status == STATUS_OK) {
        uint64_t begun_ns = time_now_ns(machine);
        uint64_t next = end - first < slice ? end : first + slice;
        double took_ns;
        status = machine->work_run(machine->self, run->w, cpu, work, arg, first, next, fault);
        if (status != STATUS_OK)
            break;
        took_ns = (double)(time_now_ns(machine) - begun_ns) + 1;
        slice = slice_lines(took_ns / (double)(next - first), GROWS_MAX * slice);
        first = next;
        if (first < end)
            status = point_poll(run);
        if (status == STATUS_OK)
            (void)measure_save(m);
    }
    return status;
}
