/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/plan/sampling.h"

#define PRECISE_SAMPLES   32 /* the same, with an error_scale */
#define PRECISE_CAPS      4
#define CALIBRATION_LINES 64 /* 4 KiB, or 12 */
#define CALIBRATION_ODD   3

uint64_t sampling_hops_requested(const struct options *options, const struct point *point)
{
    if (point->hops != 0)
        return point->hops;
    if (options->iterations != 0)
        return options->iterations * (point->bytes / point->stride_bytes / point->chains);
    return options->hops;
}

uint32_t sampling_samples_min(const struct point *point)
{
    return point->error_scale > 0 && point->relax_after_hops == 0 ? PRECISE_SAMPLES
                                                                  : SAMPLING_SAMPLES_MIN;
}

double sampling_cap_s(const struct budget *budget, const struct point *point)
{
    return point->error_scale > 0 ? PRECISE_CAPS * budget->cap_s : budget->cap_s;
}

bool sampling_drops(const struct point *point)
{
    return !point->stays_cached && !point->cold;
}

bool sampling_multiplies(const struct point *point)
{
    return (point->stride_bytes & (point->stride_bytes - 1)) != 0;
}

uint64_t sampling_calibration_stride_bytes(uint32_t line_bytes, const struct point *point)
{
    return (uint64_t)line_bytes * (sampling_multiplies(point) ? CALIBRATION_ODD : 1);
}

uint64_t sampling_calibration_bytes(uint32_t line_bytes, const struct point *point)
{
    return CALIBRATION_LINES * sampling_calibration_stride_bytes(line_bytes, point);
}

uint64_t sampling_window_bytes(uint32_t line_bytes, const struct point *point)
{
    uint64_t calibration = sampling_calibration_bytes(line_bytes, point);

    if (point->traffic.cpus != 0)
        return sampling_load_offset(point) + point->traffic.cpus * point->traffic.each_bytes;
    return point->kernel == KERNEL_IID && point->bytes < calibration ? calibration : point->bytes;
}

uint64_t sampling_load_offset(const struct point *point)
{
    uint64_t page = 1ull << point->page;

    return (point->bytes + page - 1) / page * page;
}
