/* SPDX-License-Identifier: BSD-2-Clause */
/* arch/x86_64/pure_state.c on scripted CPUID leaves and registers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "arch/x86_64/pure_state.h"
#include "tests/unit/support_cpuid.h"

/* Registers that exist; any other faults. */
static struct {
    uint32_t msr;
    uint64_t value;
} registers[4];
static size_t register_count;
static struct cpuid_set set;
static bool identified; /* CPUID 1 was executed before MSR 8Bh was read */
static struct cpuid_source recorded;

static bool msr_of(void *context, uint32_t msr, uint64_t *value)
{
    assert_ptr_equal(context, registers);
    *value = 0;
    for (size_t i = 0; i < register_count; i++) {
        if (registers[i].msr != msr)
            continue;
        *value = registers[i].value;
        if (msr == 0x8b)
            assert_true(identified);
        return true;
    }
    return false;
}

static struct cpuid_words cpuid_watched(void *context, uint32_t leaf, uint32_t subleaf)
{
    (void)context;
    identified = leaf == 1 || (identified && leaf != 0);
    return recorded.read(recorded.context, leaf, subleaf);
}

static void start(const struct cpuid_set *cpu)
{
    set = *cpu;
    register_count = 0;
    identified = false;
}

static void put(uint32_t msr, uint64_t value)
{
    registers[register_count].msr = msr;
    registers[register_count++].value = value;
}

static struct machine_state state_of(void)
{
    struct cpuid_source source = {NULL, cpuid_watched};
    struct state_port port = {registers, msr_of};
    struct machine_state state = {.microcode = 0};

    recorded = cpuid_set_source(&set);
    x86_64_state(&source, &port, &state);
    return state;
}

static void intel(void **unused)
{
    (void)unused;
    start(&cpuid_kvm_emerald);
    cpuid_set_at(&set, 7, 0)->ecx &= ~(1u << 13);
    put(0x8b, 0x21000230ull << 32 | 0x55);
    assert_int_equal(state_of().microcode, 0x21000230);
    assert_string_equal(state_of().memory_encryption, "none");
    assert_int_equal(state_of().cpu_kinds, 1);
    cpuid_set_at(&set, 7, 0)->ecx |= 1u << 13;
    assert_null(state_of().memory_encryption); /* the register faults */
    put(0x982, 1);
    assert_string_equal(state_of().memory_encryption, "none");
    registers[1].value = 3;
    assert_string_equal(state_of().memory_encryption, "tme");
    registers[1].value = 3 | 1ull << 31;
    assert_string_equal(state_of().memory_encryption, "tme-bypassed");
}

static void amd(void **unused)
{
    (void)unused;
    start(&cpuid_zen4);
    cpuid_set_at(&set, 1, 0)->edx |= 1u << 5;
    if (cpuid_set_at(&set, 0x80000000, 0)->eax < 0x8000001f)
        cpuid_set_at(&set, 0x80000000, 0)->eax = 0x8000001f;
    cpuid_set_at(&set, 0x8000001f, 0)->eax = 0;
    put(0x8b, 0xffffffff0a601203);
    assert_int_equal(state_of().microcode, 0xa601203);
    assert_string_equal(state_of().memory_encryption, "none");
    cpuid_set_at(&set, 0x8000001f, 0)->eax = 1;
    assert_null(state_of().memory_encryption);
    put(0xc0010010, 0);
    assert_null(state_of().memory_encryption); /* TSME may be on */
    registers[1].value = 1u << 23;
    assert_string_equal(state_of().memory_encryption, "sme");
}

static void nothing_to_read(void **unused)
{
    (void)unused;
    start(&cpuid_zen4);
    cpuid_set_at(&set, 1, 0)->edx &= ~(1u << 5); /* no MSRs at all */
    put(0x8b, 1);
    assert_int_equal(state_of().microcode, 0);
    assert_null(state_of().memory_encryption);
    start(&cpuid_alder_p); /* hybrid: other kinds cannot be seen from one CPU */
    assert_int_equal(state_of().cpu_kinds, 0);
    assert_int_equal(state_of().microcode, 0);
}

static void what_ids_hold(void **unused)
{
    struct cpuid_source source;

    (void)unused;
    start(&cpuid_core2);
    source = cpuid_set_source(&set);
    assert_true(x86_64_census_bits(&source).thread > CENSUS_BITS_MAX);
    assert_true(x86_64_census_bits(&source).package > CENSUS_BITS_MAX);
    start(&cpuid_kvm_emerald);
    cpuid_set_at(&set, 0, 0)->eax = 0x1f;
    *cpuid_set_at(&set, 0x1f, 0) = (struct cpuid_words){1, 2, 0x100, 0x40};
    *cpuid_set_at(&set, 0x1f, 1) = (struct cpuid_words){4, 12, 0x201, 0x40};
    *cpuid_set_at(&set, 0x1f, 2) = (struct cpuid_words){7, 96, 0x302, 0x40};
    *cpuid_set_at(&set, 0x1f, 3) = (struct cpuid_words){0, 0, 3, 0x40};
    source = cpuid_set_source(&set);
    assert_int_equal(x86_64_census_bits(&source).thread, 1);
    assert_int_equal(x86_64_census_bits(&source).package, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intel),
        cmocka_unit_test(amd),
        cmocka_unit_test(nothing_to_read),
        cmocka_unit_test(what_ids_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
