/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/clock/info.h"

#include "core/lib/text.h"

bool clock_info_adopt(struct clock_info *info, const char *second,
                      const struct refclock_result *measured, char *why)
{
    double apart;

    if (info->hz == 0) {
        info->hz = (uint64_t)(measured->hz + 0.5);
        info->source = second;
        info->check_ppm = measured->spread_ppm;
        return false;
    }
    info->check_ppm = ((double)info->hz / measured->hz - 1) * 1e6;
    apart = info->check_ppm < 0 ? -info->check_ppm : info->check_ppm;
    if (!(apart > CLOCK_WARNING_PPM))
        return false;
    text_print(why, CLOCK_INFO_WHY_BYTES,
               "%s and %s differ by %.0f ppm; the declared frequency is used", info->source, second,
               apart);
    return true;
}
