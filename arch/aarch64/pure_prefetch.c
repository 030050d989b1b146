/* SPDX-License-Identifier: BSD-2-Clause */
/* Selects the table rows that apply to a core. */
#include "arch/aarch64/pure_prefetch.h"

#include "arch/aarch64/pure_midr.h"

static bool row_holds(const struct aarch64_prefetch_row *row, uint64_t midr)
{
    if (row->implementer != midr_implementer(midr))
        return false;
    for (size_t i = 0; i < row->part_count; i++)
        if (row->parts[i] == midr_part(midr))
            return true;
    return false;
}

size_t aarch64_prefetch_select(uint64_t midr, const struct aarch64_prefetch_row **rows, size_t max)
{
    size_t count = 0;

    for (size_t i = 0; i < aarch64_prefetch_row_count && count < max; i++)
        if (row_holds(&aarch64_prefetch_rows[i], midr))
            rows[count++] = &aarch64_prefetch_rows[i];
    return count;
}

size_t aarch64_prefetch_registers(uint64_t midr, enum sysreg *registers, size_t max)
{
    const struct aarch64_prefetch_row *rows[PREFETCH_CONTROLS_MAX];
    size_t row_count = aarch64_prefetch_select(midr, rows, PREFETCH_CONTROLS_MAX), count = 0;

    for (size_t i = 0; i < row_count && count < max; i++) {
        enum sysreg reg = (enum sysreg)rows[i]->field.reg;
        size_t k = 0;

        while (k < count && registers[k] != reg)
            k++;
        if (k == count)
            registers[count++] = reg;
    }
    return count;
}

void aarch64_prefetch_start(struct prefetch_set *set, uint64_t midr)
{
    const struct aarch64_prefetch_row *rows[PREFETCH_CONTROLS_MAX];
    const struct prefetch_field *fields[PREFETCH_CONTROLS_MAX];
    size_t count = aarch64_prefetch_select(midr, rows, PREFETCH_CONTROLS_MAX);

    for (size_t i = 0; i < count; i++)
        fields[i] = &rows[i]->field;
    prefetch_set_start(set, fields, count);
}
