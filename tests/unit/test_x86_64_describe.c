/* SPDX-License-Identifier: BSD-2-Clause */
/* arch/x86_64/pure_cpuid.c and pure_describe.c against recorded and made-up CPUs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "arch/x86_64/pure_describe.h"
#include "tests/unit/support_cpuid.h"

static struct arch_facts facts_of(const struct cpuid_set *set)
{
    struct cpuid_source source = cpuid_set_source(set);
    struct arch_facts facts;

    memset(&facts, 0xa5, sizeof(facts));
    x86_64_describe(&source, &facts);
    assert_string_equal(facts.arch, "x86_64");
    assert_true(facts.boot_cpu.enabled && !facts.caches_doubtful);
    return facts;
}

static struct cpu_identity identity_of(const struct cpuid_set *set)
{
    struct cpuid_source source = cpuid_set_source(set);
    struct cpu_identity identity;

    memset(&identity, 0xa5, sizeof(identity));
    cpuid_identify(&source, &identity);
    return identity;
}

static void check_cache(const struct arch_facts *facts, size_t i, unsigned level, uint64_t bytes,
                        uint32_t ways, uint32_t shared_by)
{
    assert_true(i < facts->cache_count);
    assert_int_equal(facts->caches[i].level, level);
    assert_int_equal(facts->caches[i].bytes, bytes);
    assert_int_equal(facts->caches[i].ways, ways);
    assert_int_equal(facts->caches[i].line_bytes, 64);
    assert_int_equal(facts->caches[i].shared_by, shared_by);
    assert_int_equal(facts->caches[i].unified, level > 1);
}

static void check_tlb(const struct arch_facts *facts, size_t i, unsigned level, unsigned page_log2,
                      uint32_t entries, uint32_t ways)
{
    assert_true(i < facts->tlb_count);
    assert_int_equal(facts->tlbs[i].level, level);
    assert_int_equal(facts->tlbs[i].page_log2, page_log2);
    assert_int_equal(facts->tlbs[i].entries, entries);
    assert_int_equal(facts->tlbs[i].ways, ways);
}

static void leaves_above_the_maximum_are_zero(void **state)
{
    struct cpuid_source source = cpuid_set_source(&cpuid_qemu_haswell);
    struct cpuid_words words = source.read(source.context, 0x15, 0);

    (void)state;
    /* The trap itself: the bare instruction answers leaf 0Dh. */
    assert_int_equal(words.ebx, 0x240);
    words = cpuid_get(&source, 0x15, 0);
    assert_int_equal(words.eax | words.ebx | words.ecx | words.edx, 0);
    words = cpuid_get(&source, 0x80000021, 0);
    assert_int_equal(words.eax | words.ebx | words.ecx | words.edx, 0);
    words = cpuid_get(&source, 0x40000010, 0);
    assert_int_equal(words.eax | words.ebx | words.ecx | words.edx, 0);
    assert_int_equal(cpuid_get(&source, 0xd, 0).ebx, 0x240);
}

static void hypervisor_leaves_need_the_hypervisor_bit(void **state)
{
    struct cpuid_set set = cpuid_qemu_haswell;
    struct cpuid_source source = cpuid_set_source(&set);

    (void)state;
    assert_int_equal(cpuid_get(&source, 0x40000000, 0).ebx, 0x54474354);
    cpuid_set_at(&set, 1, 0)->ecx &= 0x7fffffff;
    assert_int_equal(cpuid_get(&source, 0x40000000, 0).ebx, 0);
    assert_int_equal(facts_of(&set).guest, GUEST_NO);
    assert_string_equal(facts_of(&set).hypervisor, "");
    /* A hypervisor that leaves the maximum 0 still has its signature. */
    set = cpuid_qemu_haswell;
    cpuid_set_at(&set, 0x40000000, 0)->eax = 0;
    assert_string_equal(facts_of(&set).hypervisor, "TCGTCGTCGTCG");
}

static void cpus_are_parked_by_mwait(void **state)
{
    struct cpuid_set set = cpuid_qemu_haswell;

    (void)state;
    cpuid_set_at(&set, 1, 0)->ecx |= 1u << 3;
    assert_null(facts_of(&set).no_park);
    cpuid_set_at(&set, 1, 0)->ecx &= ~(1u << 3);
    assert_string_equal(facts_of(&set).no_park,
                        "this CPU, or its hypervisor, offers no MONITOR and MWAIT");
}

static void identities(void **state)
{
    struct cpu_identity identity = identity_of(&cpuid_alder_p);

    (void)state;
    assert_int_equal(identity.vendor, CPU_VENDOR_INTEL);
    assert_int_equal(identity.family, 6);
    assert_int_equal(identity.model, 0x97);
    assert_int_equal(identity.stepping, 2);
    assert_int_equal(identity.core_type, 0x40);
    assert_int_equal(identity.native_model, 1);
    assert_true(identity.hybrid && identity.msr && identity.mtrr && !identity.hypervisor);
    identity = identity_of(&cpuid_alder_e);
    assert_int_equal(identity.core_type, 0x20);
    assert_int_equal(identity.native_model, 1);
    identity = identity_of(&cpuid_zen4);
    assert_int_equal(identity.vendor, CPU_VENDOR_AMD);
    assert_int_equal(identity.family, 0x19);
    assert_int_equal(identity.model, 0x61);
    assert_true(identity.amd_prefetch_msr);
    identity = identity_of(&cpuid_qemu64);
    assert_int_equal(identity.family, 0xf);
    assert_int_equal(identity.model, 0x6b);
    assert_false(identity.amd_prefetch_msr);
    assert_true(identity.hypervisor);
    identity = identity_of(&cpuid_kvm_emerald);
    assert_int_equal(identity.model, 0xcf);
    assert_int_equal(identity.core_type, 0);
    /* Fn8000_0021 EAX[13] means prefetch control on AMD only. */
    struct cpuid_set set = cpuid_kvm_emerald;
    cpuid_set_at(&set, 0x80000021, 0)->eax |= 1u << 13;
    assert_false(identity_of(&set).amd_prefetch_msr);
    /* Leaf 1Ah means core types on Intel only. */
    set = cpuid_zen4;
    cpuid_set_at(&set, 0, 0)->eax = 0x20;
    cpuid_set_at(&set, 0x1a, 0)->eax = 0x20000001;
    assert_int_equal(identity_of(&set).core_type, 0);
    set = cpuid_core2;
    cpuid_set_at(&set, 0, 0)->ecx ^= 1;
    assert_int_equal(identity_of(&set).vendor, CPU_VENDOR_OTHER);
}

static void intel_hybrid_performance_core(void **state)
{
    struct arch_facts facts = facts_of(&cpuid_alder_p);

    (void)state;
    assert_string_equal(facts.cpu_name, "12th Gen Intel(R) Core(TM) i9-12900K");
    assert_string_equal(facts.boot_cpu.name, "12th Gen Intel(R) Core(TM) i9-12900K");
    assert_int_equal(facts.cache_count, 3);
    check_cache(&facts, 0, 1, 48 << 10, 12, 2);
    check_cache(&facts, 1, 2, 1280 << 10, 10, 8);
    check_cache(&facts, 2, 3, 30 << 20, 12, 128);
    /* Instruction TLBs and the one for stores are left out. */
    assert_int_equal(facts.tlb_count, 7);
    check_tlb(&facts, 0, 1, 12, 96, 6);
    check_tlb(&facts, 1, 1, 21, 32, 4);
    check_tlb(&facts, 2, 1, 30, 8, UINT32_MAX);
    check_tlb(&facts, 3, 2, 12, 2048, 16);
    check_tlb(&facts, 4, 2, 21, 2048, 16);
    check_tlb(&facts, 5, 2, 12, 1024, 8);
    check_tlb(&facts, 6, 2, 30, 1024, 8);
    assert_int_equal(facts.page_sizes, 1 << 12 | 1 << 21 | 1 << 30);
    assert_int_equal(facts.line_bytes, 64);
    assert_int_equal(facts.guest, GUEST_NO);
    assert_int_equal(facts.boot_cpu.type, 0x40);
    assert_int_equal(facts.boot_cpu.hardware_id, 9);
    assert_int_equal(facts.boot_cpu.core, 4);
}

static void intel_hybrid_efficiency_core(void **state)
{
    struct arch_facts facts = facts_of(&cpuid_alder_e);

    (void)state;
    check_cache(&facts, 0, 1, 32 << 10, 8, 1);
    check_cache(&facts, 1, 2, 2 << 20, 16, 8);
    assert_int_equal(facts.boot_cpu.type, 0x20);
    assert_int_equal(facts.boot_cpu.hardware_id, 0x4a);
    assert_int_equal(facts.boot_cpu.core, 0x25);
    assert_int_equal(facts.boot_cpu.module, 9);
    assert_string_equal(facts.cpu_name, "GenuineIntel");
    assert_int_equal(facts.tlb_count, 0);
}

static void amd_zen4(void **state)
{
    struct arch_facts facts = facts_of(&cpuid_zen4);

    (void)state;
    assert_string_equal(facts.cpu_name, "AMD Ryzen 7 7700X 8-Core Processor");
    assert_int_equal(facts.cache_count, 3);
    check_cache(&facts, 0, 1, 32 << 10, 8, 2);
    check_cache(&facts, 1, 2, 1 << 20, 8, 2);
    check_cache(&facts, 2, 3, 32 << 20, 16, 16);
    assert_int_equal(facts.tlb_count, 6);
    check_tlb(&facts, 0, 1, 12, 72, UINT32_MAX);
    check_tlb(&facts, 1, 1, 21, 72, UINT32_MAX);
    check_tlb(&facts, 2, 1, 30, 72, UINT32_MAX);
    check_tlb(&facts, 3, 2, 12, 3072, 8);
    check_tlb(&facts, 4, 2, 21, 3072, 8);
    check_tlb(&facts, 5, 2, 30, 64, 8);
    assert_int_equal(facts.boot_cpu.hardware_id, 12);
    assert_int_equal(facts.boot_cpu.core, 6);
    assert_int_equal(facts.boot_cpu.type, 0);
}

static void amd_without_topology_extensions(void **state)
{
    struct cpuid_set set = cpuid_zen4;

    (void)state;
    cpuid_set_at(&set, 0x80000001, 0)->ecx &= ~(1u << 22);
    /* Fn8000_0005 and 6: L3 of code 9 "see Fn8000_001D" has unknown ways, size 16 * 512 KiB. */
    struct arch_facts facts = facts_of(&set);
    assert_int_equal(facts.cache_count, 3);
    check_cache(&facts, 0, 1, 32 << 10, 8, 0);
    check_cache(&facts, 1, 2, 1 << 20, 8, 0);
    check_cache(&facts, 2, 3, 8 << 20, 0, 0);
}

static void qemu64(void **state)
{
    struct arch_facts facts = facts_of(&cpuid_qemu64);

    (void)state;
    assert_string_equal(facts.cpu_name, "QEMU Virtual CPU version 2.5+");
    assert_int_equal(facts.guest, GUEST_YES);
    assert_string_equal(facts.hypervisor, "TCGTCGTCGTCG");
    assert_int_equal(facts.cache_count, 3);
    check_cache(&facts, 0, 1, 64 << 10, 2, 0);
    check_cache(&facts, 1, 2, 512 << 10, 16, 0);
    check_cache(&facts, 2, 3, 16 << 20, 16, 0);
    check_tlb(&facts, 0, 1, 12, 255, 1);
    check_tlb(&facts, 2, 2, 12, 512, 4);
    assert_int_equal(facts.page_sizes, 1 << 12 | 1 << 21);
    assert_int_equal(facts.boot_cpu.hardware_id, 0);
}

static void emerald_rapids_in_kvm(void **state)
{
    struct arch_facts facts = facts_of(&cpuid_kvm_emerald);

    (void)state;
    assert_string_equal(facts.cpu_name, "Intel(R) Xeon(R) Processor");
    assert_string_equal(facts.hypervisor, "KVMKVMKVM");
    assert_int_equal(facts.cache_count, 3);
    check_cache(&facts, 0, 1, 48 << 10, 12, 1);
    check_cache(&facts, 1, 2, 2 << 20, 16, 1);
    check_cache(&facts, 2, 3, 260ull << 20, 20, 2);
    assert_int_equal(facts.tlb_count, 0);
    assert_int_equal(facts.page_sizes, 1 << 12 | 1 << 21 | 1 << 30);
}

/* Fn8000_0001 ECX[22] is AMD's; elsewhere leaf 4 applies. */
static void topology_extensions_are_amds(void **state)
{
    struct cpuid_set set = cpuid_alder_p;

    (void)state;
    cpuid_set_at(&set, 0x80000001, 0)->ecx |= 1u << 22;
    cpuid_set_at(&set, 0x80000000, 0)->eax = 0x8000001d;
    *cpuid_set_at(&set, 0x8000001d, 0) = (struct cpuid_words){0x121, 0x01c0003f, 0x3f, 0};
    struct arch_facts facts = facts_of(&set);
    check_cache(&facts, 0, 1, 48 << 10, 12, 2);
}

static void core2_without_leaf_4(void **state)
{
    struct arch_facts facts = facts_of(&cpuid_core2);

    (void)state;
    assert_string_equal(facts.cpu_name, "GenuineIntel");
    assert_int_equal(facts.cache_count, 1);
    check_cache(&facts, 0, 2, 4 << 20, 16, 0);
    assert_int_equal(facts.tlb_count, 0);
    assert_int_equal(facts.page_sizes, 1 << 12 | 1 << 21);
    assert_int_equal(facts.line_bytes, 64);
}

static void hostile_leaves_stay_in_bounds(void **state)
{
    struct cpuid_set set = cpuid_alder_p;

    (void)state;
    /* More levels than there is room for, text that is not ASCII, an endless TLB list. */
    for (uint32_t i = 0; i < 16; i++)
        *cpuid_set_at(&set, 4, i) = (struct cpuid_words){0x143, 0x03c0003f, 0x7ff, 0};
    for (uint32_t i = 0; i < 20; i++)
        *cpuid_set_at(&set, 0x18, i) = (struct cpuid_words){0xffffffff, 0x00080009, 8, 0x43};
    memset(cpuid_set_at(&set, 0x80000002, 0), 0xff, 16);
    memset(cpuid_set_at(&set, 0x80000003, 0), 'x', 16);
    memset(cpuid_set_at(&set, 0x80000004, 0), 'y', 16);
    struct arch_facts facts = facts_of(&set);
    assert_int_equal(facts.cache_count, CACHE_LEVELS_MAX);
    assert_int_equal(facts.tlb_count, TLB_LEVELS_MAX);
    assert_string_equal(facts.cpu_name, "????????????????xxxxxxxxxxxxxxxxyyyyyyyyyyyyyyyy");
    assert_int_equal(strlen(facts.boot_cpu.name), sizeof(facts.boot_cpu.name) - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_above_the_maximum_are_zero),
        cmocka_unit_test(hypervisor_leaves_need_the_hypervisor_bit),
        cmocka_unit_test(cpus_are_parked_by_mwait),
        cmocka_unit_test(identities),
        cmocka_unit_test(intel_hybrid_performance_core),
        cmocka_unit_test(intel_hybrid_efficiency_core),
        cmocka_unit_test(amd_zen4),
        cmocka_unit_test(amd_without_topology_extensions),
        cmocka_unit_test(qemu64),
        cmocka_unit_test(emerald_rapids_in_kvm),
        cmocka_unit_test(topology_extensions_are_amds),
        cmocka_unit_test(core2_without_leaf_4),
        cmocka_unit_test(hostile_leaves_stay_in_bounds),
    };
    return cmocka_run_group_tests_name("x86_64 describe", tests, NULL, NULL);
}
