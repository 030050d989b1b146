/* SPDX-License-Identifier: BSD-2-Clause */
/* Selects the table rows that apply to a CPU. */
#include "arch/x86_64/pure_prefetch.h"

static bool model_is_listed(const struct x86_64_prefetch_row *row, uint32_t model)
{
    size_t i;

    if (!row->models)
        return true;
    for (i = 0; i < row->model_count; i++)
        if (row->models[i] == model)
            return true;
    return false;
}

/* The core's native model, from CPUID 1Ah or, if the model has only one kind, from the model. */
static uint32_t native_model_of(const struct cpu_identity *identity, enum prefetch_core *core)
{
    size_t i;

    *core = PREFETCH_CORE_ANY;
    if (identity->core_type == 0x20)
        *core = PREFETCH_CORE_EFFICIENCY;
    if (identity->core_type == 0x40 || identity->core_type == 0)
        *core = PREFETCH_CORE_PERFORMANCE;
    if (identity->core_type == 0x20 && identity->native_model)
        return identity->native_model;
    for (i = 0; i < x86_64_efficiency_model_count; i++) {
        if (identity->family == 6 && x86_64_efficiency_models[i].model == identity->model) {
            *core = PREFETCH_CORE_EFFICIENCY;
            return x86_64_efficiency_models[i].native_model;
        }
    }
    return 0;
}

/* Hygon's Dhyana is Zen 1 under another family; that its registers are too is unverified, and all
 * of these rows are unofficial. */
static uint32_t row_family_of(const struct cpu_identity *identity)
{
    return identity->vendor == CPU_VENDOR_AMD && identity->family == 0x18 ? 0x17 : identity->family;
}

static bool row_holds(const struct x86_64_prefetch_row *row, const struct cpu_identity *identity,
                      enum prefetch_core core, uint32_t native)
{
    if (row->vendor != identity->vendor || row->family != row_family_of(identity) ||
        !model_is_listed(row, identity->model))
        return false;
    if (row->needs_amd_bit && !identity->amd_prefetch_msr)
        return false;
    if (row->core != PREFETCH_CORE_ANY && row->core != core)
        return false;
    /* Native models newer than the known ones are not written to. */
    return row->core != PREFETCH_CORE_EFFICIENCY || (native >= row->native_first && native <= 4);
}

size_t x86_64_prefetch_select(const struct cpu_identity *identity,
                              const struct x86_64_prefetch_row **rows, size_t max)
{
    enum prefetch_core core;
    uint32_t native = native_model_of(identity, &core);
    size_t i, count = 0;

    if (!identity->msr)
        return 0;
    for (i = 0; i < x86_64_prefetch_row_count && count < max; i++)
        if (row_holds(&x86_64_prefetch_rows[i], identity, core, native))
            rows[count++] = &x86_64_prefetch_rows[i];
    return count;
}

size_t x86_64_prefetch_msrs(const struct cpu_identity *identity, uint32_t *msrs, size_t max)
{
    const struct x86_64_prefetch_row *rows[PREFETCH_CONTROLS_MAX];
    size_t row_count = x86_64_prefetch_select(identity, rows, PREFETCH_CONTROLS_MAX);
    size_t i, k, count = 0;

    for (i = 0; i < row_count && count < max; i++) {
        for (k = 0; k < count && msrs[k] != rows[i]->field.reg; k++)
            ;
        if (k == count)
            msrs[count++] = rows[i]->field.reg;
    }
    return count;
}

void x86_64_prefetch_start(struct prefetch_set *set, const struct cpu_identity *identity)
{
    const struct x86_64_prefetch_row *rows[PREFETCH_CONTROLS_MAX];
    const struct prefetch_field *fields[PREFETCH_CONTROLS_MAX];
    size_t i, count = x86_64_prefetch_select(identity, rows, PREFETCH_CONTROLS_MAX);

    for (i = 0; i < count; i++)
        fields[i] = &rows[i]->field;
    prefetch_set_start(set, fields, count);
    set->speculates = x86_64_memory_speculates(identity);
}
