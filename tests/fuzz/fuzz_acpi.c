/* SPDX-License-Identifier: BSD-2-Clause */
/* ACPI tables out of any bytes: the input is memory from address 0 on, the RSDP comes first. */
#include <stdlib.h>

#include "core/acpi.h"
#include "tests/fuzz/support_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct acpi_facts facts;
    struct fuzz_memory memory = {data, size, NULL};
    struct acpi_reader reader = {&memory, fuzz_memory_at};
    enum status status = acpi_read(&reader, phys_make(0), &facts);
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
