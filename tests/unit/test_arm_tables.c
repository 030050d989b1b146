/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables that firmware of AArch64 really gave (tests/boot/tables.py: QEMU virt, EDK2; 4 CPUs, 2
 * nodes): what they say, and that none of it is read beyond where they end, wherever that is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/firmware/numa.h"
#include "core/firmware/pptt.h"

#define FILE_NAME "tests/fuzz/corpus_acpi/arm_nodes.bin"
#define BYTES_MAX 4096

static uint8_t file[BYTES_MAX];
static struct acpi_facts facts;
static struct numa_facts numa;

/* Memory from address 0 on, of exactly so many bytes. */
struct memory {
    uint8_t *bytes;
    size_t size;
};

static const void *memory_at(void *context, phys_addr address, size_t bytes)
{
    const struct memory *memory = context;

    if (address.value > memory->size || bytes > memory->size - address.value)
        return NULL;
    return memory->bytes + address.value;
}

static size_t load(void)
{
    FILE *in = fopen(FILE_NAME, "rb");
    size_t size;

    assert_non_null(in);
    size = fread(file, 1, sizeof file, in);
    assert_int_equal(fclose(in), 0);
    assert_in_range(size, 1000, BYTES_MAX - 1);
    return size;
}

static struct memory copy_of(size_t size)
{
    struct memory memory = {malloc(size == 0 ? 1 : size), size};

    assert_non_null(memory.bytes);
    memcpy(memory.bytes, file, size);
    return memory;
}

static void cpus_and_nodes_are_as_the_machine_was_told(void **state)
{
    struct memory memory = copy_of(load());
    struct acpi_reader reader = {&memory, memory_at};
    struct cache_level caches[CACHE_LEVELS_MAX];
    (void)state;

    assert_int_equal(acpi_read(&reader, phys_make(0), &facts), STATUS_OK);
    assert_int_equal(facts.bad_tables, 0);
    assert_int_equal(facts.bad_madt, 0);
    assert_int_equal(facts.cpu_count, 4);
    assert_true(facts.hardware_reduced);
    assert_int_equal(facts.arm_boot_flags, 3); /* PSCI, by HVC */
    numa_read(&facts, &numa);
    assert_int_equal(numa.bad_srat + numa.bad_slit + numa.bad_hmat, 0);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(facts.cpus[i].hardware_id, i);
        assert_int_equal(facts.cpus[i].node, i / 2);
        assert_true(facts.cpus[i].enabled);
    }
    assert_int_equal(numa.range_count, 2);
    assert_int_equal(numa.range[0].base.value, 1ull << 30);
    assert_int_equal(numa.range[1].base.value, (1ull << 30) + (256u << 20));
    assert_int_equal(numa_distance(&numa, 0, 1), 21);
    for (uint32_t one = 0; one < 2; one++)
        for (uint32_t other = 0; other < 2; other++) {
            struct node_claim claim = numa_claim(&numa, one, other);
            assert_true(claim.latency_ns == (one == other ? 10 : 30));
            assert_true(claim.bytes_per_s == 2.0 * (1u << 30));
        }
    /* QEMU's PPTT has no caches. */
    assert_non_null(facts.pptt);
    assert_int_equal(pptt_caches(facts.pptt, facts.pptt_bytes, facts.cpus[0].firmware_id, caches,
                                 CACHE_LEVELS_MAX),
                     0);
    free(memory.bytes);
}

/* Cut anywhere, or with any one byte of a length or a count wrong under a sound checksum. */
static void they_may_end_anywhere(void **state)
{
    size_t size = load();
    (void)state;

    for (size_t bytes = 0; bytes < size; bytes++) {
        struct memory memory = copy_of(bytes);
        struct acpi_reader reader = {&memory, memory_at};
        (void)acpi_read(&reader, phys_make(0), &facts);
        numa_read(&facts, &numa);
        assert_true(facts.cpu_count == 4 || facts.bad_tables != 0);
        free(memory.bytes);
    }
}

static void seal(uint8_t *table, size_t bytes)
{
    uint8_t sum = 0;

    table[9] = 0;
    for (size_t i = 0; i < bytes; i++)
        sum = (uint8_t)(sum + table[i]);
    table[9] = (uint8_t)(0 - sum);
}

static uint8_t *find(const struct memory *memory, const char *signature, size_t *bytes)
{
    for (size_t i = 128; i + 36 <= memory->size; i += 4)
        if (memcmp(memory->bytes + i, signature, 4) == 0) {
            *bytes = memory->bytes[i + 4] + 256u * memory->bytes[i + 5];
            return memory->bytes + i;
        }
    fail_msg("no %s", signature);
    return NULL;
}

static void any_byte_may_be_wrong(void **state)
{
    static const char *const signatures[] = {"APIC", "SRAT", "SLIT", "HMAT", "PPTT"};
    static const uint8_t values[] = {0, 1, 2, 0x7f, 0x80, 0xff};
    size_t size = load();
    (void)state;

    for (size_t s = 0; s < sizeof signatures / sizeof signatures[0]; s++) {
        struct memory memory = copy_of(size);
        struct acpi_reader reader = {&memory, memory_at};
        size_t bytes = 0;
        uint8_t *table = find(&memory, signatures[s], &bytes);
        for (size_t i = 36; i < bytes; i++) {
            uint8_t kept = table[i];
            for (size_t v = 0; v < sizeof values; v++) {
                table[i] = values[v];
                seal(table, bytes);
                assert_int_equal(acpi_read(&reader, phys_make(0), &facts), STATUS_OK);
                assert_int_equal(facts.bad_tables, 0);
                numa_read(&facts, &numa);
                assert_true(numa_claim(&numa, 0, 1).latency_ns >= 0);
                assert_true(facts.cpu_count <= 4);
            }
            table[i] = kept;
        }
        free(memory.bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpus_and_nodes_are_as_the_machine_was_told),
        cmocka_unit_test(they_may_end_anywhere),
        cmocka_unit_test(any_byte_may_be_wrong),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
