/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/x86_64/pure_ibs.h"

#define BIT(n) (1ull << (n))

/* CPUID 8000_0001h ECX */
#define CPUID_EXTAPIC BIT(3)
#define CPUID_IBS     BIT(10)
/* CPUID 8000_001Bh EAX */
#define CAPS_VALID BIT(0)
#define CAPS_OPSAM BIT(2)
#define CAPS_OPCNT BIT(4)

/* IBS_OP_CTL. Counts are of 16 ops or cycles. */
#define OP_CTL_COUNT     0xffffull
#define OP_CTL_COUNT_EXT (0x7full << 20)
#define OP_CTL_ENABLE    BIT(17)
#define OP_CTL_VALID     BIT(18)
#define OP_CTL_BY_OPS    BIT(19)
/* The shortest that Linux asks for: perf/x86/amd/ibs, min_period 90h. */
#define PERIOD (0x90 >> 4)

/* IBS_OP_DATA3 */
#define DATA3_LOAD         BIT(0)
#define DATA3_STORE        BIT(1)
#define DATA3_L1_DTLB_MISS BIT(2)
#define DATA3_DC_MISS      BIT(7)
#define DATA3_UNCACHEABLE  BIT(14)
#define DATA3_LINEAR_VALID BIT(17)
#define DATA3_PREFETCH     BIT(21)

/* IBS_CTL */
#define CTL_LVT_VALID  BIT(8)
#define CTL_LVT_OFFSET 0xfull

/* The local APIC: SDM volume 3, 10.4.4 (as AMD's); the extended registers APM volume 2, 16.4. */
#define APIC_BASE_ENABLE BIT(11)
#define APIC_BASE_X2APIC BIT(10)
#define APIC_BASE_PAGE   0x000ffffffffff000ull
#define APIC_FEATURES    0x400u
#define APIC_EXT_LVT     0x500u
#define APIC_LVT_MASKED  BIT(16)

static bool has_refills(const struct cpu_identity *cpu)
{
    return cpu->family >= 0x16 || (cpu->family == 0x15 && cpu->model >= 0x30);
}

void x86_64_ibs_plan(const struct cpuid_source *cpuid, struct ibs_plan *plan)
{
    struct cpu_identity cpu;
    uint32_t features = cpuid_get(cpuid, 0x80000001, 0).ecx;
    uint32_t caps = cpuid_get(cpuid, 0x8000001b, 0).eax;

    cpuid_identify(cpuid, &cpu);
    *plan = (struct ibs_plan){.refills = has_refills(&cpu), .erratum = cpu.family == 0x10};
    /* As Linux does: the first CPUs have the sampler without saying what it can. */
    if (!(caps & CAPS_VALID))
        caps = CAPS_OPSAM;
    plan->armed = PERIOD | OP_CTL_ENABLE | (caps & CAPS_OPCNT ? OP_CTL_BY_OPS : 0);
    if (cpu.vendor != CPU_VENDOR_AMD || !cpu.msr)
        plan->why = "instruction-based sampling is AMD's, and this CPU is not";
    else if (!(features & CPUID_IBS))
        plan->why = "the CPU, its firmware or its hypervisor declares no instruction-based "
                    "sampling (CPUID 8000_0001h ECX bit 10); some firmware has a switch for it";
    else if (!(caps & CAPS_OPSAM))
        plan->why = "the CPU declares no sampling of ops (CPUID 8000_001Bh EAX bit 2)";
    else if (!(features & CPUID_EXTAPIC))
        plan->why = "the CPU declares no extended interrupts (CPUID 8000_0001h ECX bit 3)";
}

/* ---- the trial */

static bool apic_read(const struct ibs_port *port, uint64_t base, uint32_t offset, uint64_t *value)
{
    if (base & APIC_BASE_X2APIC)
        return port->msr->read(port->msr->context, MSR_X2APIC + offset / 16, value);
    *value = port->apic_read(port->apic_context, (base & APIC_BASE_PAGE) + offset);
    return true;
}

/* Whether the interrupt that a followed op raises is known and masked. */
static enum ibs_state find_interrupt(const struct ibs_port *port)
{
    const struct prefetch_port *msr = port->msr;
    uint64_t control, base, features, entry;
    uint32_t offset;

    if (!msr->read(msr->context, MSR_IBS_CTL, &control) ||
        !msr->read(msr->context, MSR_APIC_BASE, &base))
        return IBS_REFUSED;
    offset = control & CTL_LVT_OFFSET;
    if (!(control & CTL_LVT_VALID) || !(base & APIC_BASE_ENABLE))
        return IBS_UNROUTED;
    if (!apic_read(port, base, APIC_FEATURES, &features))
        return IBS_REFUSED;
    if (offset >= (features >> 16 & 0xff))
        return IBS_UNROUTED;
    if (!apic_read(port, base, APIC_EXT_LVT + 16 * offset, &entry))
        return IBS_REFUSED;
    return entry & APIC_LVT_MASKED ? IBS_WORKS : IBS_UNMASKED;
}

static bool is_free(const struct prefetch_port *port, uint64_t *control)
{
    return port->read(port->context, MSR_IBS_OP_CTL, control) && *control == 0;
}

static bool arm(const struct ibs *ibs, const struct prefetch_port *port)
{
    return port->write(port->context, MSR_IBS_OP_CTL, ibs->plan.armed);
}

/* An op may have been followed to its end by now: whether the enable bit stays is not documented.
 */
static bool is_armed(const struct ibs *ibs, const struct prefetch_port *port)
{
    uint64_t kept = OP_CTL_COUNT | OP_CTL_COUNT_EXT | OP_CTL_ENABLE | OP_CTL_BY_OPS, value;

    if (!port->read(port->context, MSR_IBS_OP_CTL, &value))
        return false;
    if (value & OP_CTL_VALID)
        kept &= ~OP_CTL_ENABLE;
    return (value & kept) == (ibs->plan.armed & kept);
}

/* True: IBS_OP_CTL holds the firmware's value again. */
static bool restore(struct ibs *ibs, const struct prefetch_port *port)
{
    uint64_t value;

    ibs->entered = false;
    if (ibs->plan.erratum)
        (void)port->write(port->context, MSR_IBS_OP_CTL, OP_CTL_ENABLE);
    return port->write(port->context, MSR_IBS_OP_CTL, ibs->saved) &&
           port->read(port->context, MSR_IBS_OP_CTL, &value) && value == ibs->saved;
}

static enum ibs_state try_once(struct ibs *ibs, const struct prefetch_port *port)
{
    enum ibs_state state = IBS_WORKS;

    if (!port->read(port->context, MSR_IBS_OP_CTL, &ibs->saved))
        return IBS_REFUSED;
    if (ibs->saved != 0)
        return IBS_IN_USE;
    ibs->entered = true;
    if (!arm(ibs, port))
        state = IBS_REFUSED;
    else if (!is_armed(ibs, port))
        state = IBS_NOT_HONOURED;
    return restore(ibs, port) || state == IBS_REFUSED ? state : IBS_STUCK;
}

void x86_64_ibs_try(struct ibs *ibs, const struct ibs_port *port)
{
    ibs->state = ibs->plan.why != NULL ? IBS_ABSENT : find_interrupt(port);
    if (ibs->state == IBS_WORKS)
        ibs->state = try_once(ibs, port->msr);
}

static const char *problem_of(const struct ibs *ibs)
{
    switch (ibs->state) {
    case IBS_WORKS:
        return NULL;
    case IBS_ABSENT:
        return ibs->plan.why;
    case IBS_UNROUTED:
        return "the firmware has not said which interrupt the sampler raises (MSR C001_103Ah), so "
               "it cannot be seen to be masked";
    case IBS_UNMASKED:
        return "the sampler's interrupt (extended local vector table) is not masked";
    case IBS_IN_USE:
        return "the sampler is in use by the firmware or a hypervisor (MSR C001_1033h is not 0)";
    case IBS_REFUSED:
        return "the sampler's registers refuse access";
    case IBS_NOT_HONOURED:
        return "MSR C001_1033h does not keep what is written";
    case IBS_STUCK:
        return "the firmware's value of MSR C001_1033h could not be restored";
    default:
        return "not tried";
    }
}

void x86_64_ibs_report(const struct ibs *ibs, struct sampler_report *report)
{
    *report = (struct sampler_report){.name = "AMD instruction-based op sampling",
                                      .source = "AMD PPR, MSR C001_1033h to C001_103Ah; unverified",
                                      .why = problem_of(ibs),
                                      .refills = ibs->plan.refills};
}

/* ---- in a quiet section */

void x86_64_ibs_enter(struct ibs *ibs, const struct prefetch_port *port)
{
    if (ibs->state == IBS_WORKS && !ibs->entered)
        ibs->entered = is_free(port, &ibs->saved);
}

void x86_64_ibs_arm(const struct ibs *ibs, const struct prefetch_port *port)
{
    if (ibs->entered)
        (void)arm(ibs, port);
}

bool x86_64_ibs_take(const struct ibs *ibs, const struct prefetch_port *port,
                     struct load_sample *sample)
{
    uint64_t control, data3, linear = 0;

    if (!ibs->entered || !port->read(port->context, MSR_IBS_OP_CTL, &control) ||
        !(control & OP_CTL_VALID) || !port->read(port->context, MSR_IBS_OP_DATA3, &data3) ||
        !port->read(port->context, MSR_IBS_DC_LIN, &linear))
        return false;
    *sample = x86_64_ibs_decode(data3, linear);
    return true;
}

void x86_64_ibs_leave(struct ibs *ibs, const struct prefetch_port *port)
{
    if (ibs->entered && !restore(ibs, port))
        ibs->state = IBS_STUCK;
}

struct load_sample x86_64_ibs_decode(uint64_t data3, uint64_t linear)
{
    uint64_t wanted = DATA3_LOAD | DATA3_LINEAR_VALID;
    uint64_t others = DATA3_STORE | DATA3_UNCACHEABLE | DATA3_PREFETCH;

    return (struct load_sample){.load = (data3 & (wanted | others)) == wanted,
                                .missed = data3 & DATA3_DC_MISS,
                                .tlb_missed = data3 & DATA3_L1_DTLB_MISS,
                                .address = (uintptr_t)linear,
                                .miss_cycles = data3 >> 32 & 0xffff,
                                .refill_cycles = data3 >> 48 & 0xffff};
}
