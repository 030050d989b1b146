/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/clock/info.h"

void clock_info_adopt(struct clock_info *info, const char *second,
                      const struct refclock_result *measured, struct notes *notes)
{
    double apart;

    if (info->hz == 0) {
        info->hz = (uint64_t)(measured->hz + 0.5);
        info->source = second;
        info->check_ppm = measured->spread_ppm;
        return;
    }
    info->check_ppm = ((double)info->hz / measured->hz - 1) * 1e6;
    apart = info->check_ppm < 0 ? -info->check_ppm : info->check_ppm;
    if (apart > CLOCK_INFO_WARNING_PPM)
        notes_format(notes, SEVERITY_WARNING, "clocks disagree",
                     "%s and %s differ by %.0f ppm; the declared frequency is used", info->source,
                     second, apart);
}
