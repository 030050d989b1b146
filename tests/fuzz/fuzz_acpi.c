/* SPDX-License-Identifier: BSD-2-Clause */
/* ACPI tables made of any bytes: the input is memory from address 0 on, the RSDP comes first.
 * Inputs of odd size get sound checksums, so that mutations reach what the tables hold. */
#include "core/firmware/acpi.h"
#include "core/firmware/fpdt.h"
#include "core/firmware/numa.h"
#include "core/firmware/pptt.h"
#include "core/lib/bytes.h"
#include "tests/fuzz/support_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void tables_mend(uint8_t *bytes, size_t size)
{
    static const char *const signatures[] = {"XSDT", "RSDT", "FACP", "HPET", "APIC",
                                             "PPTT", "SRAT", "SLIT", "HMAT", "FPDT"};
    fuzz_mend(bytes, size, 20, 8);
    for (size_t pos = 0; pos + 36 <= size; pos += 4) {
        for (size_t i = 0; i < sizeof signatures / sizeof signatures[0]; i++) {
            if (memcmp(bytes + pos, signatures[i], 4) == 0)
                fuzz_mend(bytes + pos, size - pos, bytes_u32(bytes + pos + 4), 9);
        }
    }
    if (size >= 36)
        fuzz_mend(bytes, size, bytes_u32(bytes + 20), 32);
}

/* The topology of every CPU that was found, and of one that is not there. */
static void topology_read(const struct acpi_facts *facts)
{
    struct cache_level caches[CACHE_LEVELS_MAX], other[CACHE_LEVELS_MAX];
    for (size_t i = 0; i <= facts->cpu_count && i < 4; i++) {
        uint32_t id = i < facts->cpu_count ? facts->cpus[i].firmware_id : UINT32_MAX;
        size_t count = pptt_caches(facts->pptt, facts->pptt_bytes, id, caches, CACHE_LEVELS_MAX);
        if (count > CACHE_LEVELS_MAX ||
            pptt_merge(other, 0, caches, count, CACHE_LEVELS_MAX) > count)
            abort();
        for (size_t k = 0; k < count; k++)
            if (caches[k].level != k + 1)
                abort();
    }
}

/* Ranges stay sorted, disjoint and as long as they were, whatever they are cut into. */
static void nodes_read(struct acpi_facts *facts)
{
    static struct numa_facts numa;
    struct memory_range ranges[8] = {{.base = phys_make(0), .bytes = 0xa0000},
                                     {.base = phys_make(1 << 20), .bytes = 3ull << 30},
                                     {.base = phys_make(4ull << 30), .bytes = 1ull << 50}};
    uint64_t pos = 0, sum = 0;

    numa_read(facts, &numa);
    size_t count = numa_cut(&numa, ranges, 3, 8);
    if (count < 3 || count > 8)
        abort();
    for (size_t i = 0; i < count; i++) {
        if (ranges[i].base.value < pos || ranges[i].bytes == 0)
            abort();
        pos = ranges[i].base.value + ranges[i].bytes;
        sum += ranges[i].bytes;
    }
    if (sum != 0xa0000 + (3ull << 30) + (1ull << 50))
        abort();
    for (uint32_t node = 0; node < 4; node++) {
        (void)numa_cache_bytes(&numa, node);
        for (uint32_t to = 0; to < 4; to++) {
            struct node_claim claim = numa_claim(&numa, node, to);
            if (!(claim.latency_ns >= 0) || !(claim.bytes_per_s >= 0))
                abort();
        }
        if (numa_distance(&numa, node, node) % 10 != 0 || numa_distance(&numa, 0, node) == 255)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct acpi_facts facts;
    struct fpdt_times times;
    struct fuzz_memory memory = fuzz_memory_start(data, size, tables_mend);
    struct acpi_reader reader = {&memory, fuzz_memory_at};
    enum status status = acpi_read(&reader, phys_make(0), &facts);
    if (facts.pptt != NULL)
        topology_read(&facts);
    nodes_read(&facts);
    if ((fpdt_read(&reader, &facts.fpdt, &times) == NULL) != (times.took_ns != 0))
        abort();
    fuzz_memory_end(&memory);
    if (status != STATUS_OK && (facts.cpu_count > 0 || facts.fadt_known || facts.bad_tables == 0))
        abort();
    if (facts.cpu_count > CPUS_MAX || facts.oem[6] != '\0')
        abort();
    for (size_t i = 1; i < facts.cpu_count; i++) {
        if (facts.cpus[i].enabled && !facts.cpus[i - 1].enabled)
            abort();
    }
    return 0;
}
