/* SPDX-License-Identifier: BSD-2-Clause */
/* Prefetcher control: which rows hold for a CPU, the trial, and the bracket around a measurement.
 */
#include "arch/x86_64/pure_prefetch.h"

/* What remains of a field when writing the whole of it faults: wider sets of bits first. */
static const uint64_t narrower_masks[] = {0xff, 0x3f, 0x2f, 0xf, 0x5};

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

/* What kind of core this is, whether CPUID 1Ah says so or the model leaves no choice. */
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

static bool row_holds(const struct x86_64_prefetch_row *row, const struct cpu_identity *identity,
                      enum prefetch_core core, uint32_t native)
{
    if (row->vendor != identity->vendor || row->family != identity->family ||
        !model_is_listed(row, identity->model))
        return false;
    if (row->needs_amd_bit && !identity->amd_prefetch_msr)
        return false;
    if (row->core != PREFETCH_CORE_ANY && row->core != core)
        return false;
    /* A native model later than any we know is not written to. */
    return row->core != PREFETCH_CORE_EFFICIENCY || (native >= row->native_first && native <= 4);
}

size_t x86_64_prefetch_select(const struct cpu_identity *identity,
                              const struct x86_64_prefetch_row **rows, size_t most)
{
    enum prefetch_core core;
    uint32_t native = native_model_of(identity, &core);
    size_t i, count = 0;

    if (!identity->msr)
        return 0;
    for (i = 0; i < x86_64_prefetch_row_count && count < most; i++)
        if (row_holds(&x86_64_prefetch_rows[i], identity, core, native))
            rows[count++] = &x86_64_prefetch_rows[i];
    return count;
}

size_t x86_64_prefetch_msrs(const struct cpu_identity *identity, uint32_t *msrs, size_t most)
{
    const struct x86_64_prefetch_row *rows[PREFETCH_CONTROLS_MAX];
    size_t row_count = x86_64_prefetch_select(identity, rows, PREFETCH_CONTROLS_MAX);
    size_t i, k, count = 0;

    for (i = 0; i < row_count && count < most; i++) {
        for (k = 0; k < count && msrs[k] != rows[i]->msr; k++)
            ;
        if (k == count)
            msrs[count++] = rows[i]->msr;
    }
    return count;
}

void x86_64_prefetch_start(struct x86_64_prefetch *set, const struct cpu_identity *identity)
{
    const struct x86_64_prefetch_row *rows[PREFETCH_CONTROLS_MAX];
    size_t i;

    set->count = x86_64_prefetch_select(identity, rows, PREFETCH_CONTROLS_MAX);
    for (i = 0; i < set->count; i++)
        set->action[i] = (struct x86_64_prefetch_action){rows[i], 0, 0, false};
}

/* Writes the off value into the bits of mask, the rest of the register kept as read. */
static bool write_off(struct x86_64_prefetch_action *action, const struct msr_port *port,
                      uint64_t value, uint64_t mask)
{
    if (!port->write(port->context, action->row->msr, (value & ~mask) | (action->row->off & mask)))
        return false;
    action->saved = value;
    action->written = true;
    return true;
}

/* The widest set of the field's bits whose write does not fault; 0: none. */
static uint64_t write_widest(struct x86_64_prefetch_action *action, const struct msr_port *port,
                             uint64_t value)
{
    uint64_t mask = action->row->mask;
    size_t i;

    if (write_off(action, port, value, mask))
        return mask;
    for (i = 0; i < sizeof(narrower_masks) / sizeof(narrower_masks[0]); i++) {
        uint64_t narrower = action->row->mask & narrower_masks[i];
        if (!narrower || narrower == mask)
            continue;
        mask = narrower;
        if (write_off(action, port, value, mask))
            return mask;
    }
    return 0;
}

static void try_off(struct x86_64_prefetch_action *action, const struct msr_port *port,
                    uint64_t value, struct prefetch_control *control)
{
    const struct x86_64_prefetch_row *row = action->row;
    uint64_t taken = write_widest(action, port, value);
    uint64_t after;

    if (!taken) {
        control->state = row->disputed ? PREFETCH_UNSUPPORTED : PREFETCH_REFUSED;
        return;
    }
    if (!port->read(port->context, row->msr, &after)) {
        control->readback = MACHINE_UNKNOWN;
        control->state = PREFETCH_NOT_HONOURED;
        return;
    }
    control->readback = after & row->mask;
    action->works = taken & ~(after ^ row->off);
    if (control->readback == row->off)
        control->state = PREFETCH_OFF;
    else
        control->state = taken == row->mask ? PREFETCH_NOT_HONOURED : PREFETCH_REFUSED;
}

/* Answers whether the control counts for the report's state. */
static bool try_one(struct x86_64_prefetch_action *action, const struct arch_prefetch_wish *wish,
                    const struct msr_port *port, struct prefetch_control *control)
{
    const struct x86_64_prefetch_row *row = action->row;
    uint64_t value;

    *control = (struct prefetch_control){.name = row->name,
                                         .source = row->source,
                                         .reg = row->msr,
                                         .mask = row->mask,
                                         .requested = wish->off ? row->off : MACHINE_UNKNOWN,
                                         .readback = MACHINE_UNKNOWN,
                                         .unofficial = row->unofficial,
                                         .state = PREFETCH_UNSUPPORTED};
    if (row->unofficial && !wish->unofficial)
        return false;
    if (!port->read(port->context, row->msr, &value))
        return true;
    control->readback = value & row->mask;
    if (!wish->off)
        control->requested = control->readback;
    if (!row->off && !value)
        return true;
    control->state = control->readback == row->off ? PREFETCH_OFF : PREFETCH_ON;
    if (wish->off && wish->write && control->state == PREFETCH_ON)
        try_off(action, port, value, control);
    return !(row->disputed && control->state == PREFETCH_UNSUPPORTED);
}

static unsigned state_rank(enum prefetch_state state)
{
    switch (state) {
    case PREFETCH_OFF:
        return 0;
    case PREFETCH_UNSUPPORTED:
        return 1;
    case PREFETCH_NOT_HONOURED:
        return 2;
    case PREFETCH_REFUSED:
        return 3;
    case PREFETCH_ON:
        break;
    }
    return 4;
}

/* Writes the saved register back; false when the field's bits do not read as they were. */
static bool restore(struct x86_64_prefetch_action *action, const struct msr_port *port)
{
    uint64_t after;

    action->written = false;
    if (!port->write(port->context, action->row->msr, action->saved) ||
        !port->read(port->context, action->row->msr, &after))
        return false;
    return !((after ^ action->saved) & action->row->mask);
}

void x86_64_prefetch_try(struct x86_64_prefetch *set, const struct arch_prefetch_wish *wish,
                         const struct msr_port *port, struct prefetch_report *report)
{
    bool counted = false;
    size_t i;

    report->count = set->count;
    report->state = PREFETCH_UNSUPPORTED;
    for (i = 0; i < set->count; i++) {
        struct prefetch_control *control = &report->control[i];

        set->action[i].works = 0;
        set->action[i].written = false;
        if (!try_one(&set->action[i], wish, port, control))
            continue;
        if (!counted || state_rank(control->state) > state_rank(report->state))
            report->state = control->state;
        counted = true;
    }
    for (i = set->count; i-- > 0;) {
        if (!set->action[i].written || restore(&set->action[i], port))
            continue;
        report->control[i].stuck = true;
        set->action[i].works = 0;
    }
}

void x86_64_prefetch_enter(struct x86_64_prefetch *set, const struct msr_port *port)
{
    size_t i;

    for (i = 0; i < set->count; i++) {
        struct x86_64_prefetch_action *action = &set->action[i];
        uint64_t value;

        if (action->works && !action->written &&
            port->read(port->context, action->row->msr, &value))
            (void)write_off(action, port, value, action->works);
    }
}

void x86_64_prefetch_leave(struct x86_64_prefetch *set, const struct msr_port *port)
{
    size_t i;

    for (i = set->count; i-- > 0;)
        if (set->action[i].written)
            (void)restore(&set->action[i], port);
}
