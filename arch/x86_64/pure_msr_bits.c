/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/x86_64/pure_msr_bits.h"

struct msr_trial_report msr_bits_try(struct msr_bits *bits, const struct prefetch_port *port)
{
    struct msr_trial_report report = {MSR_TRIAL_REFUSED, MACHINE_UNKNOWN, false};
    uint64_t value;

    bits->works = true;
    msr_bits_enter(bits, port);
    bits->works = false;
    if (!bits->written)
        return report;
    if (port->read(port->context, bits->msr, &value))
        report.readback = value & bits->mask;
    report.result = report.readback == bits->wanted ? MSR_TRIAL_HONOURED : MSR_TRIAL_NOT_HONOURED;
    msr_bits_leave(bits, port);
    report.stuck =
        !port->read(port->context, bits->msr, &value) || ((value ^ bits->saved) & bits->mask) != 0;
    bits->works = report.result == MSR_TRIAL_HONOURED && !report.stuck;
    return report;
}

void msr_bits_enter(struct msr_bits *bits, const struct prefetch_port *port)
{
    uint64_t value;

    if (!bits->works || bits->written || !port->read(port->context, bits->msr, &value))
        return;
    if (!port->write(port->context, bits->msr, (value & ~bits->mask) | bits->wanted))
        return;
    bits->saved = value;
    bits->written = true;
}

void msr_bits_leave(struct msr_bits *bits, const struct prefetch_port *port)
{
    if (!bits->written)
        return;
    bits->written = false;
    (void)port->write(port->context, bits->msr, bits->saved);
}
