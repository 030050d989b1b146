/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/clock/info.h"

#include "core/lib/text.h"

static void note_disagreement(const struct clock_info *info, const char *second, double ppm,
                              struct notes *notes)
{
    char why[NOTES_WHY_BYTES];
    struct text text;

    text_start(&text, why, sizeof why);
    text_add(&text, info->source);
    text_add(&text, " and ");
    text_add(&text, second);
    text_add(&text, " differ by ");
    text_fixed(&text, ppm, 0);
    text_add(&text, " ppm; the declared frequency is used");
    notes_add(notes, SEVERITY_WARNING, "clocks disagree", why);
}

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
        note_disagreement(info, second, apart, notes);
}
