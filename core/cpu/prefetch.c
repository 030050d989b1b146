/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/cpu/prefetch.h"

/* Subsets of a field to try if writing all of it faults, widest first. */
static const uint64_t narrower_masks[] = {0xff, 0x3f, 0x2f, 0xf, 0x5};

/* Writes the off value into the bits of mask and keeps the rest of the register. */
static bool write_off(struct prefetch_action *action, const struct prefetch_port *port,
                      uint64_t value, uint64_t mask)
{
    if (!port->write(port->context, action->field->reg,
                     (value & ~mask) | (action->field->off & mask)))
        return false;
    action->saved = value;
    action->written = true;
    return true;
}

/* Returns the widest subset of the field's bits that can be written without a fault; 0: none. */
static uint64_t write_widest(struct prefetch_action *action, const struct prefetch_port *port,
                             uint64_t value)
{
    uint64_t mask = action->field->mask;
    size_t i;

    if (write_off(action, port, value, mask))
        return mask;
    for (i = 0; !port->faults_are_final && i < sizeof(narrower_masks) / sizeof(narrower_masks[0]);
         i++) {
        uint64_t narrower = action->field->mask & narrower_masks[i];
        if (!narrower || narrower == mask)
            continue;
        mask = narrower;
        if (write_off(action, port, value, mask))
            return mask;
    }
    return 0;
}

static void try_off(struct prefetch_action *action, const struct prefetch_port *port,
                    uint64_t value, struct prefetch_control *control)
{
    const struct prefetch_field *field = action->field;
    uint64_t taken = write_widest(action, port, value);
    uint64_t after;

    if (!taken) {
        control->state = field->disputed ? PREFETCH_UNSUPPORTED : PREFETCH_REFUSED;
        return;
    }
    if (!port->read(port->context, field->reg, &after)) {
        control->readback = MACHINE_UNKNOWN;
        control->state = PREFETCH_NOT_HONOURED;
        return;
    }
    control->readback = after & field->mask;
    action->works = taken & ~(after ^ field->off);
    if (control->readback == field->off)
        control->state = PREFETCH_OFF;
    else
        control->state = taken == field->mask ? PREFETCH_NOT_HONOURED : PREFETCH_REFUSED;
}

/* True if the field that this one depends on (needs_last) has its off value now. */
static bool last_holds(const struct prefetch_action *action, const struct prefetch_port *port)
{
    const struct prefetch_field *last = action[-1].field;
    uint64_t value;

    return port->read(port->context, last->reg, &value) && (value & last->mask) == last->off;
}

/* Returns true if the control counts towards the report's state. */
static bool try_one(struct prefetch_action *action, const struct prefetch_request *request,
                    const struct prefetch_port *port, struct prefetch_control *control)
{
    const struct prefetch_field *field = action->field;
    uint64_t value;

    *control = (struct prefetch_control){.name = field->name,
                                         .source = field->source,
                                         .reg = field->reg,
                                         .mask = field->mask,
                                         .requested = request->off ? field->off : MACHINE_UNKNOWN,
                                         .readback = MACHINE_UNKNOWN,
                                         .unofficial = field->unofficial,
                                         .disputed = field->disputed,
                                         .state = PREFETCH_UNSUPPORTED};
    if (field->unofficial && !request->unofficial)
        return false;
    if (!port->read(port->context, field->reg, &value))
        return true;
    control->readback = value & field->mask;
    if (!request->off)
        control->requested = control->readback;
    if (!field->off && !value)
        return true;
    control->state = control->readback == field->off ? PREFETCH_OFF : PREFETCH_ON;
    if (request->off && request->write && control->state == PREFETCH_ON) {
        if (field->fixed || (field->needs_last && !last_holds(action, port)))
            control->state = PREFETCH_REFUSED;
        else
            try_off(action, port, value, control);
    }
    return !(field->disputed &&
             (control->state == PREFETCH_UNSUPPORTED || control->state == PREFETCH_NOT_HONOURED));
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
    case PREFETCH_NOT_MEASURED:
        break;
    }
    return 4;
}

/* Restores the saved register; false if the field's bits do not read back as saved. */
static bool restore(struct prefetch_action *action, const struct prefetch_port *port)
{
    uint64_t after;

    if (!port->write(port->context, action->field->reg, action->saved) ||
        !port->read(port->context, action->field->reg, &after))
        return false;
    return !((after ^ action->saved) & action->field->mask);
}

/* If a field cannot be restored, the field that it depends on keeps its off value too. */
static void restore_all(struct prefetch_set *set, const struct prefetch_port *port,
                        struct prefetch_report *report)
{
    bool lean = false;
    size_t i;

    for (i = set->count; i-- > 0;) {
        struct prefetch_action *action = &set->action[i];
        bool stuck = action->written && (lean || !restore(action, port));

        lean = stuck && action->field->needs_last;
        action->written = false;
        if (!stuck)
            continue;
        action->works = action->to_write = 0;
        if (report)
            report->control[i].stuck = true;
    }
}

void prefetch_report_start(const struct prefetch_set *set, struct prefetch_report *report)
{
    report->count = 0;
    report->state = PREFETCH_UNSUPPORTED;
    report->speculates = set->speculates;
    report->known_only = report->aggregation = false;
}

void prefetch_set_try(struct prefetch_set *set, const struct prefetch_request *request,
                      const struct prefetch_port *port, struct prefetch_report *report)
{
    bool counted = false;
    size_t i;

    prefetch_report_start(set, report);
    report->count = set->count;
    for (i = 0; i < set->count; i++) {
        struct prefetch_control *control = &report->control[i];

        report->known_only |= set->action[i].field->inherited;
        set->action[i].works = set->action[i].to_write = 0;
        set->action[i].written = false;
        control->ignored =
            !try_one(&set->action[i], request, port, control) || set->action[i].field->aside;
        if (control->ignored)
            continue;
        if (!counted || state_rank(control->state) > state_rank(report->state))
            report->state = control->state;
        counted = true;
    }
    restore_all(set, port, report);
    for (i = 0; i < set->count; i++) {
        set->action[i].to_write = set->action[i].works;
        report->aggregation |= set->action[i].field->aggregates && set->action[i].works != 0;
    }
}

/* A prefetcher that can be switched individually. */
struct single {
    struct prefetch_action *action;
    uint64_t mask;
    const char *name;
};

static bool part_obeys(const struct prefetch_action *action, uint64_t mask)
{
    return mask != 0 && (action->works & mask) == mask;
}

/* Finds this field's prefetcher number *index; if it has fewer, subtracts its count from *index. */
static bool single_of_field(struct prefetch_action *action, size_t *index, struct single *single)
{
    const struct prefetch_field *field = action->field;
    size_t count = field->parts ? field->part_count : 1;

    for (size_t k = 0; k < count; k++) {
        uint64_t mask = field->parts ? field->parts[k].mask : field->mask;
        if (!part_obeys(action, mask) || (*index)-- != 0)
            continue;
        *single = (struct single){action, mask, field->parts ? field->parts[k].name : field->name};
        return true;
    }
    return false;
}

static bool find_single(struct prefetch_set *set, size_t index, struct single *single)
{
    for (size_t i = 0; i < set->count; i++) {
        struct prefetch_action *action = &set->action[i];
        /* A prefetcher that depends on another one cannot be switched off individually. */
        bool leans = action->field->needs_last && !action[-1].field->aside;

        if (action->field->aside || action->field->leads || leans)
            continue;
        if (single_of_field(action, &index, single))
            return true;
    }
    return false;
}

bool prefetch_set_alone(struct prefetch_set *set, const struct prefetch_port *port, size_t index,
                        struct prefetch_report *report)
{
    struct prefetch_control *control = &report->control[0];
    const struct prefetch_field *field;
    struct single single;
    uint64_t value = 0;

    if (!find_single(set, index, &single))
        return false;
    field = single.action->field;
    for (size_t i = 0; i < set->count; i++) {
        const struct prefetch_field *other = set->action[i].field;
        set->action[i].to_write = other->aside || other->leads ? set->action[i].works : 0;
    }
    single.action->to_write = single.mask;
    *control = (struct prefetch_control){.name = single.name,
                                         .source = field->source,
                                         .reg = field->reg,
                                         .mask = single.mask,
                                         .requested = field->off & single.mask,
                                         .readback = MACHINE_UNKNOWN,
                                         .unofficial = field->unofficial,
                                         .disputed = field->disputed};
    prefetch_report_start(set, report);
    prefetch_set_enter(set, port);
    if (port->read(port->context, field->reg, &value))
        control->readback = value & single.mask;
    prefetch_set_leave(set, port);
    control->stuck = single.action->to_write == 0;
    control->state = control->readback == control->requested ? PREFETCH_OFF : PREFETCH_NOT_HONOURED;
    report->count = 1;
    report->state = control->state == PREFETCH_OFF ? PREFETCH_ON : control->state;
    return true;
}

void prefetch_set_start(struct prefetch_set *set, const struct prefetch_field *const *fields,
                        size_t count)
{
    size_t i;

    set->speculates = false;
    set->count = count < PREFETCH_CONTROLS_MAX ? count : PREFETCH_CONTROLS_MAX;
    for (i = 0; i < set->count; i++)
        set->action[i] = (struct prefetch_action){.field = fields[i]};
}

void prefetch_set_enter(struct prefetch_set *set, const struct prefetch_port *port)
{
    size_t i;

    for (i = 0; i < set->count; i++) {
        struct prefetch_action *action = &set->action[i];
        uint64_t value;

        if (action->to_write && !action->written &&
            (!action->field->needs_last || last_holds(action, port)) &&
            port->read(port->context, action->field->reg, &value))
            (void)write_off(action, port, value, action->to_write);
    }
}

void prefetch_set_leave(struct prefetch_set *set, const struct prefetch_port *port)
{
    restore_all(set, port, NULL);
}
