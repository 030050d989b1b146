/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/x86_64/pure_turbo.h"

#define MSR_MISC_ENABLE    0x1a0
#define MISC_TURBO_DISABLE (1ull << 38)
#define MSR_HWCR           0xc0010015
#define HWCR_CPB_DISABLE   (1ull << 25)
#define INTEL_TURBO_FAMILY 6
#define AMD_BOOST_FAMILY   0x10 /* first family with core performance boost */
#define CPUID_POWER        6
#define CPUID_POWER_AMD    0x80000007

void x86_64_turbo_start(struct x86_64_turbo *turbo, const struct cpuid_source *cpuid)
{
    struct cpu_identity identity;

    cpuid_identify(cpuid, &identity);
    *turbo = (struct x86_64_turbo){.name = "", .source = ""};
    if (!identity.msr)
        return;
    if (identity.vendor == CPU_VENDOR_INTEL && identity.family == INTEL_TURBO_FAMILY) {
        turbo->there = true;
        turbo->declared = cpuid_get(cpuid, CPUID_POWER, 0).eax >> 1 & 1;
        turbo->bits.msr = MSR_MISC_ENABLE;
        turbo->bits.mask = MISC_TURBO_DISABLE;
        turbo->name = "MSR 0x1a0 bit 38 turbo mode disable";
        turbo->source = "Intel SDM volume 4";
    }
    if (identity.vendor == CPU_VENDOR_AMD && identity.family >= AMD_BOOST_FAMILY) {
        turbo->declared = cpuid_get(cpuid, CPUID_POWER_AMD, 0).edx >> 9 & 1;
        turbo->there = turbo->declared;
        turbo->bits.msr = MSR_HWCR;
        turbo->bits.mask = HWCR_CPB_DISABLE;
        turbo->name = "MSR 0xc0010015 bit 25 core performance boost disable";
        turbo->source = "AMD APM, PPR";
    }
}

void x86_64_turbo_report(const struct x86_64_turbo *turbo, struct turbo_report *report)
{
    *report = (struct turbo_report){.state = TURBO_UNSUPPORTED,
                                    .name = turbo->name,
                                    .source = turbo->source,
                                    .requested = MACHINE_UNKNOWN,
                                    .readback = MACHINE_UNKNOWN};
}

static enum turbo_state state_of(const struct x86_64_turbo *turbo, uint64_t bit)
{
    return bit & turbo->bits.mask ? TURBO_STATE_OFF : TURBO_STATE_ON;
}

static void try_write(struct x86_64_turbo *turbo, const struct prefetch_port *port,
                      struct turbo_report *report)
{
    struct msr_trial_report trial = msr_bits_try(&turbo->bits, port);

    report->stuck = trial.stuck;
    if (trial.result == MSR_TRIAL_REFUSED) {
        report->state = TURBO_REFUSED;
        return;
    }
    report->readback = trial.readback;
    report->state =
        trial.result == MSR_TRIAL_HONOURED ? state_of(turbo, trial.readback) : TURBO_NOT_HONOURED;
}

void x86_64_turbo_try(struct x86_64_turbo *turbo, enum turbo_choice choice,
                      const struct prefetch_port *port, struct turbo_report *report)
{
    uint64_t value;

    x86_64_turbo_report(turbo, report);
    turbo->bits.works = turbo->bits.written = false;
    if (!turbo->there || !port->read(port->context, turbo->bits.msr, &value))
        return;
    report->readback = value & turbo->bits.mask;
    /* Without turbo, the disable bit is clear and is left alone. */
    if (!turbo->declared && !report->readback)
        return;
    report->state = state_of(turbo, value);
    if (choice == TURBO_AS_FOUND)
        return;
    turbo->bits.wanted = choice == TURBO_OFF ? turbo->bits.mask : 0;
    report->requested = turbo->bits.wanted;
    if (report->readback != turbo->bits.wanted)
        try_write(turbo, port, report);
}

void x86_64_turbo_enter(struct x86_64_turbo *turbo, const struct prefetch_port *port)
{
    msr_bits_enter(&turbo->bits, port);
}

void x86_64_turbo_leave(struct x86_64_turbo *turbo, const struct prefetch_port *port)
{
    msr_bits_leave(&turbo->bits, port);
}
