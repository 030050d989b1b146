/* SPDX-License-Identifier: BSD-2-Clause */
/* SMBIOS tables made of any bytes: the input is memory from address 0 on, the entry point comes
 * first. Inputs of odd size get sound checksums, so that mutations reach the structures. */
#include "core/firmware/smbios.h"
#include "tests/fuzz/support_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void entry_mend(uint8_t *bytes, size_t size)
{
    if (size < 32)
        return;
    if (memcmp(bytes, "_SM3_", 5) == 0) {
        fuzz_mend(bytes, size, bytes[6], 5);
        return;
    }
    fuzz_mend(bytes + 16, size - 16, 15, 5);
    fuzz_mend(bytes, size, bytes[5] == 30 ? 31 : bytes[5], 4);
}

static void assert_text(const char *text, size_t capacity)
{
    size_t length = 0;
    while (length < capacity && text[length] != '\0') {
        if (text[length] < ' ' || text[length] > '~')
            abort();
        length++;
    }
    if (length == capacity || text[0] == ' ' || (length > 0 && text[length - 1] == ' '))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct smbios_facts facts;
    struct fuzz_memory memory = fuzz_memory_start(data, size, entry_mend);
    struct acpi_reader reader = {&memory, fuzz_memory_at};
    enum status status = smbios_read(&reader, phys_make(0), &facts);
    fuzz_memory_end(&memory);
    if (status != STATUS_OK && facts.dimm_count > 0)
        abort();
    if (facts.dimm_count > DIMMS_MAX)
        abort();
    assert_text(facts.bios_vendor, sizeof facts.bios_vendor);
    assert_text(facts.bios_date, sizeof facts.bios_date);
    assert_text(facts.board_version, sizeof facts.board_version);
    if (facts.cache_count > SMBIOS_CACHES_MAX || (status != STATUS_OK && facts.cache_count > 0))
        abort();
    for (size_t i = 0; i < facts.cache_count; i++) {
        const struct smbios_cache *cache = &facts.caches[i];
        assert_text(cache->name, sizeof cache->name);
        if (cache->level < 1 || cache->level > 8 || cache->bytes > 0x7fffffffull << 16)
            abort();
    }
    static const struct cache_level declared[] = {{.level = 1, .bytes = 32768},
                                                  {.level = 3, .bytes = 1 << 20}};
    uint64_t beyond = smbios_caches_beyond(facts.caches, facts.cache_count, declared, 2);
    if (beyond != 0 && beyond <= 1 << 20)
        abort();
    char why[400];
    bool doubt = smbios_doubt(&facts, why, sizeof why);
    assert_text(why, sizeof why);
    if (doubt !=
        (facts.truncated || facts.dimms_dropped + facts.links_dropped + facts.links_bad > 0))
        abort();
    for (size_t i = 0; i < facts.dimm_count; i++) {
        assert_text(facts.dimms[i].locator, sizeof facts.dimms[i].locator);
        assert_text(facts.dimms[i].part, sizeof facts.dimms[i].part);
        assert_text(facts.dimms[i].type, sizeof facts.dimms[i].type);
        assert_text(facts.dimms[i].channel, sizeof facts.dimms[i].channel);
        if ((facts.dimms[i].channel[0] != '\0') != (facts.dimms[i].channel_source != NULL) ||
            facts.dimms[i].physical_first > facts.dimms[i].physical_last)
            abort();
    }
    return 0;
}
