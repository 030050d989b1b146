/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/x86_64/pure_speed.h"

#include "arch/x86_64/pure_frequency.h"
#include "arch/x86_64/pure_tsc.h"
#include "core/lib/u64.h"

#define MSR_MISC_ENABLE       0x1a0
#define MISC_EIST             (1ull << 16)
#define MSR_TURBO_RATIO_LIMIT 0x1ad
#define HWP_ON                1ull
#define HWP_MAX_SHIFT         8
#define HWP_MASK              (0xffff00ull | 1ull << 42) /* maximum, desired, package control */
#define CTL_RATIO_SHIFT       8
#define CTL_MASK              (0xff00ull | 1ull << 32) /* ratio, turbo disengaged */
#define UNCORE_MAX            0x7full
#define UNCORE_MIN_SHIFT      8
#define BYTE                  0xffull

static const char *core_missing(const struct cpu_identity *identity,
                                const struct x86_64_speed *speed)
{
    if (!identity->msr)
        return "this CPU has no model-specific registers";
    if (identity->vendor == CPU_VENDOR_AMD)
        return "P-states of AMD are not switched: CPPC stays on until reset";
    if (identity->vendor != CPU_VENDOR_INTEL)
        return "no control of this vendor is known";
    return speed->hwp || speed->eist ? NULL : "this CPU has neither HWP nor SpeedStep";
}

static const char *uncore_missing(const struct cpu_identity *identity,
                                  const struct x86_64_speed *speed)
{
    if (!identity->msr)
        return "this CPU has no model-specific registers";
    if (identity->vendor == CPU_VENDOR_AMD)
        return "no register of AMD's fabric frequency is documented";
    return speed->uncore ? NULL : "MSR 0x620 is not documented for this model; later ones use TPMI";
}

void x86_64_speed_start(struct x86_64_speed *speed, enum speed_kind kind,
                        const struct cpuid_source *cpuid)
{
    struct cpu_identity identity;

    cpuid_identify(cpuid, &identity);
    *speed = (struct x86_64_speed){.name = "", .source = ""};
    if (kind == SPEED_UNCORE) {
        speed->uncore = x86_64_uncore_is_by_msr(&identity);
        speed->why = uncore_missing(&identity, speed);
        return;
    }
    if (identity.vendor == CPU_VENDOR_INTEL) {
        speed->hwp = cpuid_get(cpuid, 6, 0).eax >> 7 & 1;
        speed->eist = cpuid_get(cpuid, 1, 0).ecx >> 7 & 1;
        speed->ratios = tsc_msrs_wanted(&identity).platform_info;
    }
    speed->why = core_missing(&identity, speed);
}

size_t x86_64_speed_msrs(const struct cpuid_source *cpuid, uint32_t *list)
{
    struct x86_64_speed core, uncore;
    size_t count = 0;

    x86_64_speed_start(&core, SPEED_PSTATE, cpuid);
    x86_64_speed_start(&uncore, SPEED_UNCORE, cpuid);
    if (!core.why && core.hwp)
        list[count++] = MSR_HWP_REQUEST;
    if (!core.why && core.eist)
        list[count++] = MSR_PERF_CTL;
    if (!uncore.why)
        list[count++] = MSR_UNCORE_RATIO_LIMIT;
    return count;
}

/* ---- which register, and what into it; each returns why not, or NULL */

static const char *choose_hwp(struct x86_64_speed *speed, const struct prefetch_port *port)
{
    uint64_t capabilities, request;

    if (!port->read(port->context, MSR_HWP_CAPABILITIES, &capabilities) ||
        !port->read(port->context, MSR_HWP_REQUEST, &request))
        return "HWP is on, and MSR 0x771 or 0x774 cannot be read";
    speed->bits.msr = MSR_HWP_REQUEST;
    speed->bits.mask = HWP_MASK;
    speed->bits.wanted = u64_max(capabilities & BYTE, request >> HWP_MAX_SHIFT & BYTE)
                         << HWP_MAX_SHIFT;
    speed->name = "MSR 0x774 HWP request maximum";
    speed->source = "Intel SDM volume 3, 15.4";
    return NULL;
}

/* Turbo's of one core, or the base where that is larger: Knights Landing has a number of cores in
 * the field. */
static uint64_t largest_ratio(const struct prefetch_port *port)
{
    uint64_t turbo, info;

    if (!port->read(port->context, MSR_TURBO_RATIO_LIMIT, &turbo))
        turbo = 0;
    if (!port->read(port->context, TSC_MSR_PLATFORM_INFO, &info))
        info = 0;
    return u64_max(turbo & BYTE, info >> 8 & BYTE);
}

static const char *choose_ratio(struct x86_64_speed *speed, const struct prefetch_port *port)
{
    uint64_t misc, control, ratio;

    if (!speed->eist || !port->read(port->context, MSR_MISC_ENABLE, &misc) || !(misc & MISC_EIST))
        return "SpeedStep is off (MSR 0x1a0 bit 16), HWP too";
    ratio = speed->ratios ? largest_ratio(port) : 0;
    if (ratio == 0)
        return "this model's largest ratio is not known (MSR 0x1ad, 0xce)";
    if (!port->read(port->context, MSR_PERF_CTL, &control))
        return "MSR 0x199 cannot be read";
    speed->bits.msr = MSR_PERF_CTL;
    speed->bits.mask = CTL_MASK;
    speed->bits.wanted = u64_max(ratio, control >> CTL_RATIO_SHIFT & BYTE) << CTL_RATIO_SHIFT;
    speed->name = "MSR 0x199 performance control ratio";
    speed->source = "Intel SDM volume 4, table 2-2";
    return NULL;
}

static const char *choose_uncore(struct x86_64_speed *speed, const struct prefetch_port *port)
{
    uint64_t limits;

    if (!port->read(port->context, MSR_UNCORE_RATIO_LIMIT, &limits))
        return "MSR 0x620 cannot be read";
    if ((limits & UNCORE_MAX) == 0)
        return "MSR 0x620 holds no maximum";
    speed->bits.msr = MSR_UNCORE_RATIO_LIMIT;
    speed->bits.mask = UNCORE_MAX << UNCORE_MIN_SHIFT;
    speed->bits.wanted = (limits & UNCORE_MAX) << UNCORE_MIN_SHIFT;
    speed->name = "MSR 0x620 uncore ratio limit minimum";
    speed->source = "Intel SDM volume 4, table 2-39";
    return NULL;
}

static const char *choose(struct x86_64_speed *speed, const struct prefetch_port *port)
{
    uint64_t enabled = 0;

    if (speed->uncore)
        return choose_uncore(speed, port);
    if (speed->hwp && !port->read(port->context, MSR_HWP_ENABLE, &enabled))
        return "MSR 0x770 cannot be read: HWP may be on";
    return enabled & HWP_ON ? choose_hwp(speed, port) : choose_ratio(speed, port);
}

/* ---- the trial, enter, leave */

void x86_64_speed_report(const struct x86_64_speed *speed, struct speed_report *report)
{
    *report = (struct speed_report){.state = SPEED_UNSUPPORTED,
                                    .name = speed->name,
                                    .source = speed->source,
                                    .why = speed->why ? speed->why : "",
                                    .requested = MACHINE_UNKNOWN,
                                    .readback = MACHINE_UNKNOWN};
}

static void try_write(struct x86_64_speed *speed, const struct prefetch_port *port,
                      struct speed_report *report)
{
    static const enum speed_state states[] = {[MSR_TRIAL_HONOURED] = SPEED_AT_MAX,
                                              [MSR_TRIAL_REFUSED] = SPEED_REFUSED,
                                              [MSR_TRIAL_NOT_HONOURED] = SPEED_NOT_HONOURED};
    struct msr_trial_report trial = msr_bits_try(&speed->bits, port);

    report->state = states[trial.result];
    report->stuck = trial.stuck;
    if (trial.result != MSR_TRIAL_REFUSED)
        report->readback = trial.readback;
}

void x86_64_speed_try(struct x86_64_speed *speed, const struct prefetch_port *port,
                      struct speed_report *report)
{
    uint64_t value;

    speed->bits.works = speed->bits.written = false;
    if (!speed->why)
        speed->why = choose(speed, port);
    x86_64_speed_report(speed, report);
    if (speed->why)
        return;
    report->requested = speed->bits.wanted;
    report->state = SPEED_AT_MAX;
    if (port->read(port->context, speed->bits.msr, &value))
        report->readback = value & speed->bits.mask;
    if (report->readback != speed->bits.wanted)
        try_write(speed, port, report);
}

void x86_64_speed_enter(struct x86_64_speed *speed, const struct prefetch_port *port)
{
    msr_bits_enter(&speed->bits, port);
}

void x86_64_speed_leave(struct x86_64_speed *speed, const struct prefetch_port *port)
{
    msr_bits_leave(&speed->bits, port);
}
