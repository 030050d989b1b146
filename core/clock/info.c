/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/clock/info.h"

#include "core/lib/real.h"
#include "core/lib/text.h"
#include "core/names.h"

#define CRYSTAL_PPM 1000.0
/* A base clock of the board's own is off by percents; a timer that counts twice by a half. */
#define PLAUSIBLE_PPM 100000.0

static const struct {
    uint64_t hz;
    const char *source;
} crystals[] = {
    {24000000, "CPUID 15h, 24 MHz crystal"},
    {25000000, "CPUID 15h, 25 MHz crystal"},
    {38400000, "CPUID 15h, 38.4 MHz crystal"},
};

struct clock_info clock_info_declared(const struct clock_declared *declared)
{
    return (struct clock_info){.hz = declared->hz,
                               .choice = CLOCK_DECLARED,
                               .declared = *declared,
                               .source = declared->source,
                               .check_source = ""};
}

static bool is_vouched_for(const struct clock_info *info)
{
    return info->declared.hz != 0 &&
           (info->declared.grade == CLOCK_EXACT || info->declared.grade == CLOCK_LABEL);
}

static double excess_ppm(double hz, double over_hz)
{
    return (hz / over_hz - 1) * 1e6;
}

static bool snap_to_crystal(struct clock_info *info, const struct refclock_result *measured)
{
    const struct clock_declared *declared = &info->declared;

    if (declared->crystal_numerator == 0 || declared->crystal_denominator == 0)
        return false;
    for (size_t i = 0; i < sizeof(crystals) / sizeof(crystals[0]); i++) {
        double hz =
            (double)crystals[i].hz * declared->crystal_numerator / declared->crystal_denominator;
        double ppm = excess_ppm(hz, measured->hz);

        if (real_abs(ppm) > CRYSTAL_PPM)
            continue;
        info->hz = (uint64_t)(hz + 0.5);
        info->choice = CLOCK_CRYSTAL;
        info->crystal_hz = crystals[i].hz;
        info->source = crystals[i].source;
        info->check_ppm = ppm;
        return true;
    }
    return false;
}

static void adopt_measured(struct clock_info *info, const char *second,
                           const struct refclock_result *measured)
{
    info->hz = (uint64_t)(measured->hz + 0.5);
    info->choice = CLOCK_MEASURED;
    info->source = second;
    info->check_ppm = measured->spread_ppm;
}

static void remark_adopted(const struct clock_info *info, struct clock_remark *remark)
{
    const struct clock_declared *declared = &info->declared;

    if (declared->hz == 0 ||
        !(real_abs(excess_ppm((double)declared->hz, (double)info->hz)) > CLOCK_WARNING_PPM))
        return;
    remark->severity = SEVERITY_INFO;
    remark->what = "clock is not as declared";
    text_print(remark->why, sizeof remark->why,
               "%s says %.3f MHz, which is %s; %.3f MHz by %s is used", declared->source,
               (double)declared->hz / 1e6, clock_grade_name(declared->grade),
               (double)info->hz / 1e6, info->source);
}

static void remark_kept(const struct clock_info *info, const char *second, double spread_ppm,
                        struct clock_remark *remark)
{
    double apart = real_abs(info->check_ppm);

    remark->severity = SEVERITY_WARNING;
    if (apart > CLOCK_WARNING_PPM) {
        remark->what = "clocks disagree";
        text_print(remark->why, sizeof remark->why,
                   "%s and %s differ by %.0f ppm; the declared frequency is used", info->source,
                   second, apart);
    } else if (!is_vouched_for(info)) {
        remark->what = "clock known roughly";
        text_print(remark->why, sizeof remark->why,
                   "%s is %s, and the windows of %s differ by %.0f ppm; the declared frequency is "
                   "used",
                   info->source, clock_grade_name(info->declared.grade), second, spread_ppm);
    }
}

void clock_info_adopt(struct clock_info *info, const char *second,
                      const struct refclock_result *measured, struct clock_remark *remark)
{
    bool close = measured->spread_ppm < CLOCK_SPREAD_PPM;

    remark->what = NULL;
    info->check_ppm = excess_ppm((double)info->hz, measured->hz);
    if (!is_vouched_for(info)) {
        bool plausible = real_abs(info->check_ppm) < PLAUSIBLE_PPM;

        if (snap_to_crystal(info, measured)) {
            remark_adopted(info, remark);
            return;
        }
        if (info->declared.hz == 0 || (close && plausible)) {
            adopt_measured(info, second, measured);
            remark_adopted(info, remark);
            return;
        }
    }
    remark_kept(info, second, measured->spread_ppm, remark);
}

bool clock_info_wants_longer(const struct clock_info *info, const struct refclock_result *measured)
{
    return !is_vouched_for(info) && !(measured->spread_ppm < CLOCK_SPREAD_PPM);
}

void clock_info_unmeasured(const struct clock_info *info, struct clock_remark *remark)
{
    remark->what = NULL;
    if (info->declared.hz == 0 || is_vouched_for(info))
        return;
    remark->severity = SEVERITY_WARNING;
    remark->what = "clock known roughly";
    text_print(remark->why, sizeof remark->why,
               "%s is %s and no second clock measures it; real ones are off by some 1000 ppm",
               info->source, clock_grade_name(info->declared.grade));
}

void clock_check_by_calendar(struct clock_check *check, const char *name)
{
    check->source = name;
    check->known = check->calendar_s > 0;
    check->ppm = check->calendar_ppm;
    check->seconds = check->calendar_s;
}

const char *clock_check_disagrees(const struct clock_check *check, double *ppm)
{
    *ppm = check->ppm;
    if (check->known && real_abs(check->ppm) > CLOCK_WARNING_PPM)
        return "second clock";
    *ppm = check->calendar_ppm;
    return check->calendar_s > 0 && real_abs(check->calendar_ppm) > CLOCK_WARNING_PPM ? "calendar"
                                                                                      : NULL;
}
