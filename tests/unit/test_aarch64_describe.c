/* SPDX-License-Identifier: BSD-2-Clause */
/* arch/aarch64/pure_describe.c and pure_midr.c against recorded and made-up cores. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "arch/aarch64/pure_describe.h"
#include "arch/aarch64/pure_midr.h"

#define K 1024u
#define M (1024u * 1024u)

static struct arch_facts facts_of(const struct describe_snapshot *snapshot)
{
    struct arch_facts facts;

    memset(&facts, 0xa5, sizeof(facts));
    aarch64_describe(snapshot, &facts);
    assert_string_equal(facts.arch, "aarch64");
    assert_true(facts.boot_cpu.enabled && facts.caches_doubtful);
    assert_int_equal(facts.tlb_count, 0);
    assert_string_equal(facts.hypervisor, "");
    assert_int_equal(facts.guest, GUEST_UNKNOWN);
    assert_string_equal(facts.boot_cpu.name, facts.cpu_name);
    return facts;
}

static void check_cache(const struct arch_facts *facts, size_t i, unsigned level, bool unified,
                        uint64_t bytes, uint32_t ways, uint32_t line_bytes)
{
    assert_true(i < facts->cache_count);
    assert_int_equal(facts->caches[i].level, level);
    assert_int_equal(facts->caches[i].unified, unified);
    assert_int_equal(facts->caches[i].bytes, bytes);
    assert_int_equal(facts->caches[i].ways, ways);
    assert_int_equal(facts->caches[i].line_bytes, line_bytes);
    assert_int_equal(facts->caches[i].shared_by, 0);
}

/* Recorded under QEMU 7.2. */
static const struct describe_snapshot cortex_a57 = {.midr = 0x411fd070,
                                                    .mpidr = 0x80000000,
                                                    .ctr = 0x8444c004,
                                                    .clidr = 0x0a200023,
                                                    .mmfr0 = 0x1124,
                                                    .ccsidr = {0x701fe00a, 0x70ffe07a}};
static const struct describe_snapshot a64fx = {.midr = 0x461f0010,
                                               .mpidr = 0x80000000,
                                               .ctr = 0x86668006,
                                               .clidr = 0x80000023,
                                               .mmfr0 = 0x1125,
                                               .mmfr2 = 0x1000000000000011,
                                               .ccsidr = {0x7007e01c, 0x70ffe07c}};

static void recorded_cores(void **state)
{
    struct arch_facts facts = facts_of(&cortex_a57);

    (void)state;
    assert_string_equal(facts.cpu_name, "Arm Cortex-A57 r1p0");
    assert_int_equal(facts.cache_count, 2);
    check_cache(&facts, 0, 1, false, 32 * K, 2, 64);
    check_cache(&facts, 1, 2, true, 2 * M, 16, 64);
    assert_int_equal(facts.line_bytes, 64);
    assert_int_equal(facts.page_sizes, 1u << 12 | 1u << 21 | 1u << 30);
    facts = facts_of(&a64fx);
    assert_string_equal(facts.cpu_name, "Fujitsu A64FX r1p0");
    check_cache(&facts, 0, 1, false, 64 * K, 4, 256);
    check_cache(&facts, 1, 2, true, 8 * M, 16, 256);
    assert_int_equal(facts.line_bytes, 256);
}

/* FEAT_CCIDX: more ways and sets than the old format can express. */
static void wide_ccsidr(void **state)
{
    struct describe_snapshot snapshot = {.midr = 0x410fd4f0, .mmfr2 = 1u << 20, .ctr = 0x4 << 16};
    struct arch_facts facts;

    (void)state;
    snapshot.ccsidr[0] = (uint64_t)(256 - 1) << 32 | (4 - 1) << 3 | 2;       /* 64K */
    snapshot.ccsidr[1] = (uint64_t)(2048 - 1) << 32 | (16 - 1) << 3 | 2;     /* 2M */
    snapshot.ccsidr[2] = (uint64_t)(65536 - 1) << 32 | (1100 - 1) << 3 | 2u; /* 4400M */
    snapshot.clidr = 3 | 4 << 3 | 4 << 6;
    facts = facts_of(&snapshot);
    assert_int_equal(facts.cache_count, 3);
    check_cache(&facts, 0, 1, false, 64 * K, 4, 64);
    check_cache(&facts, 1, 2, true, 2 * M, 16, 64);
    check_cache(&facts, 2, 3, true, 65536ull * 1100 * 64, 1100, 64);
    /* The same words without FEAT_CCIDX are something else: the flag decides. */
    snapshot.mmfr2 = 0xfffffffffe0fffff;
    facts = facts_of(&snapshot);
    check_cache(&facts, 0, 1, false, 1 * 4 * 64, 4, 64);
}

/* The old format at its limits. */
static void narrow_ccsidr(void **state)
{
    struct describe_snapshot snapshot = {.clidr = 4, .ccsidr = {0x0fffffff}};
    struct arch_facts facts = facts_of(&snapshot);

    (void)state;
    check_cache(&facts, 0, 1, true, 32768ull * 1024 * 2048, 1024, 2048);
    snapshot.ccsidr[0] = 0xf0000000; /* WT, WB, RA, WA: no part of the size */
    facts = facts_of(&snapshot);
    check_cache(&facts, 0, 1, true, 16, 1, 16);
}

static void levels_of_clidr(void **state)
{
    struct describe_snapshot snapshot = {.clidr = 0};
    struct arch_facts facts = facts_of(&snapshot);

    (void)state;
    assert_int_equal(facts.cache_count, 0);
    /* code only at level 1, data only at level 2, both at 3, nothing at 4, unified at 5 */
    snapshot.clidr = 1 | 2 << 3 | 3 << 6 | 0 << 9 | 4 << 12;
    facts = facts_of(&snapshot);
    assert_int_equal(facts.cache_count, 2);
    assert_int_equal(facts.caches[0].level, 2);
    assert_false(facts.caches[0].unified);
    assert_int_equal(facts.caches[1].level, 3);
    assert_false(facts.caches[1].unified);
    /* all seven; LoUIS, LoC, LoUU, ICB above them do not count as an eighth */
    snapshot.clidr = 0x1ffffffff & ~0x1fffffull;
    for (unsigned level = 0; level < 7; level++)
        snapshot.clidr |= 4ull << (3 * level);
    facts = facts_of(&snapshot);
    assert_int_equal(facts.cache_count, 7);
    assert_int_equal(facts.caches[6].level, 7);
    assert_false(describe_has_data_cache(snapshot.clidr, 0));
    assert_false(describe_has_data_cache(snapshot.clidr, 8));
    /* reserved types */
    snapshot.clidr = 5 | 6 << 3 | 7 << 6;
    facts = facts_of(&snapshot);
    assert_int_equal(facts.cache_count, 0);
}

static void granules(void **state)
{
    struct describe_snapshot snapshot = {.mmfr0 = 0x1124};

    (void)state;
    assert_int_equal(facts_of(&snapshot).page_sizes, 0x40201000);
    snapshot.mmfr0 |= 1u << 28; /* with 52-bit addresses */
    assert_int_equal(facts_of(&snapshot).page_sizes, 0x40201000);
    snapshot.mmfr0 |= 0xfu << 28;
    assert_int_equal(facts_of(&snapshot).page_sizes, 0);
}

static void affinity(void **state)
{
    struct describe_snapshot snapshot = {.mpidr = 0x80000102};
    struct arch_facts facts = facts_of(&snapshot);

    (void)state;
    assert_int_equal(facts.boot_cpu.hardware_id, 0x102);
    assert_int_equal(facts.boot_cpu.core, 0x102);
    assert_int_equal(facts.boot_cpu.module, 0x1);
    /* multithreaded: the lowest level is the thread; bits 31:24 are no part of the id */
    snapshot.mpidr = 0x00000012c1030201;
    facts = facts_of(&snapshot);
    assert_int_equal(facts.boot_cpu.hardware_id, 0x1200030201);
    assert_int_equal(facts.boot_cpu.core, 0x120302);
    assert_int_equal(facts.boot_cpu.module, 0x1203);
}

static void check_name(uint64_t midr, const char *name)
{
    char text[64];

    midr_describe(midr, text, sizeof(text));
    assert_string_equal(text, name);
}

static void names(void **state)
{
    (void)state;
    check_name(0x410fd034, "Arm Cortex-A53 r0p4");
    check_name(0x414fd0c1, "Arm Neoverse N1 r4p1");
    check_name(0x410fd083, "Arm Cortex-A72 r0p3");
    check_name(0x410fd850, "Arm Cortex-X925 r0p0");
    check_name(0x410fd840, "Arm Neoverse V3 r0p0");
    check_name(0x411fd900, "Arm C1-Premium r1p0");
    check_name(0x431f0af1, "Cavium ThunderX2 99xx r1p1");
    check_name(0x481fd010, "HiSilicon TaiShan v110 (Kunpeng 920) r1p0");
    check_name(0x611f0231, "Apple Firestorm (M1) r1p1");
    check_name(0xc00fac30, "Ampere-1 (AmpereOne) r0p0");
    check_name(0x6d0fd490, "Microsoft Azure Cobalt 100 (Neoverse N2) r0p0");
    /* QEMU's max; a part number means nothing for another implementer */
    check_name(0x000f0510, "implementer 0x0 part 0x51 r0p0");
    check_name(0x512fd0c3, "implementer 0x51 part 0xd0c r2p3");
    check_name(0x411ffff2, "implementer 0x41 part 0xfff r1p2");
}

/* The longest name fits where it is kept, and nothing is written past a short buffer. */
static void names_fit(void **state)
{
    struct describe_snapshot snapshot = {.midr = 0x6dffd49f};
    struct arch_facts facts = facts_of(&snapshot);
    char text[8 + 1];

    (void)state;
    assert_string_equal(facts.cpu_name, "Microsoft Azure Cobalt 100 (Neoverse N2) r15p15");
    text[8] = '!';
    midr_describe(0x410fd034, text, 8);
    assert_int_equal(text[7], 0);
    assert_int_equal(text[8], '!');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_cores), cmocka_unit_test(wide_ccsidr),
        cmocka_unit_test(narrow_ccsidr),  cmocka_unit_test(levels_of_clidr),
        cmocka_unit_test(granules),       cmocka_unit_test(affinity),
        cmocka_unit_test(names),          cmocka_unit_test(names_fit),
    };
    return cmocka_run_group_tests_name("aarch64 describe", tests, NULL, NULL);
}
