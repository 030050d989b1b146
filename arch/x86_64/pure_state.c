/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/x86_64/pure_state.h"

#define MSR_PATCH_LEVEL  0x8bu
#define MSR_TME_ACTIVATE 0x982u
#define MSR_SYSCFG       0xc0010010u

#define SYSCFG_SMEE (1ull << 23)
#define TME_ENABLE  (1ull << 1)
#define TME_BYPASS  (1ull << 31)

static uint64_t microcode_of(const struct cpuid_source *source, const struct cpu_identity *cpu,
                             const struct state_port *port)
{
    uint64_t value;

    /* On Intel, CPUID 1 puts the revision into the register. */
    (void)cpuid_get(source, 1, 0);
    if (!port->read(port->context, MSR_PATCH_LEVEL, &value))
        return 0;
    return cpu->vendor == CPU_VENDOR_INTEL ? value >> 32 : value & UINT32_MAX;
}

static const char *encryption_of_amd(const struct cpuid_source *source,
                                     const struct state_port *port)
{
    uint64_t value;

    if (!(cpuid_get(source, 0x8000001f, 0).eax & 1))
        return "none";
    if (!port->read(port->context, MSR_SYSCFG, &value) || !(value & SYSCFG_SMEE))
        return NULL;
    return "sme";
}

static const char *encryption_of_intel(const struct cpuid_source *source,
                                       const struct state_port *port)
{
    uint64_t value;

    if (!(cpuid_get(source, 7, 0).ecx >> 13 & 1))
        return "none";
    if (!port->read(port->context, MSR_TME_ACTIVATE, &value))
        return NULL;
    if (!(value & TME_ENABLE))
        return "none";
    return value & TME_BYPASS ? "tme-bypassed" : "tme";
}

void x86_64_state(const struct cpuid_source *source, const struct state_port *port,
                  struct machine_state *state)
{
    struct cpu_identity cpu;

    cpuid_identify(source, &cpu);
    /* A hybrid CPU has two kinds at least, of which one CPU does not see how many. */
    state->cpu_kinds = cpu.hybrid ? 0 : 1;
    if (!cpu.msr)
        return;
    if (cpu.vendor == CPU_VENDOR_AMD)
        state->memory_encryption = encryption_of_amd(source, port);
    else if (cpu.vendor == CPU_VENDOR_INTEL)
        state->memory_encryption = encryption_of_intel(source, port);
    else
        return;
    state->microcode = microcode_of(source, &cpu, port);
}

struct census_bits x86_64_census_bits(const struct cpuid_source *source)
{
    uint32_t leaf = cpuid_get(source, 0x1f, 0).ebx ? 0x1f : 0x0b;
    struct census_bits bits = {CENSUS_BITS_MAX + 1, CENSUS_BITS_MAX + 1};

    for (uint32_t i = 0; i < 8; i++) {
        struct cpuid_words words = cpuid_get(source, leaf, i);
        uint32_t type = words.ecx >> 8 & 0xff, shift = words.eax & 0x1f;
        if (!type || !(words.ebx & 0xffff))
            break;
        if (type == 1)
            bits.thread = shift;
        bits.package = shift;
    }
    return bits;
}
