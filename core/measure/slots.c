/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/measure/slots.h"

#include "core/lib/memory.h"

/* What slots are told by. */
static const struct address_mapping *mapping_of(const struct slots *slots)
{
    return slots->decode.found ? &slots->found : &slots->said;
}

static bool number_of(const struct address_mapping *mapping, phys_addr address, uint32_t *number)
{
    *number = address_class(&mapping->functions, address_moved(mapping, address.value));
    return mapping->functions.count != 0;
}

bool slots_bank(const struct slots *slots, phys_addr address, uint32_t *bank)
{
    return number_of(&slots->found, address, bank);
}

bool slots_slot(const struct slots *slots, phys_addr address, uint32_t *number)
{
    return number_of(&slots->said, address, number);
}

static const char *name_of(struct slots *slots, unsigned index, uint32_t number)
{
    struct text text;

    text_start(&text, slots->name[index], sizeof slots->name[index]);
    if (slots->decode.found)
        text_format(&text, "bank %u of %u", number, 1u << slots->found.functions.count);
    else
        decode_name(&slots->decode, number, &text);
    return slots->name[index];
}

const char *slots_name(struct slots *slots, uint32_t number)
{
    return name_of(slots, 0, number);
}

static const char *name_range(struct slots *slots, phys_addr first, phys_addr last, unsigned index)
{
    const struct address_mapping *mapping = mapping_of(slots);
    uint32_t number;

    if (first.value == RECORD_UNKNOWN || last.value == RECORD_UNKNOWN)
        return NULL;
    slots->missed = slots->missed || mapping->functions.count == 0;
    if (mapping->functions.count == 0 ||
        !slots_of_range(&mapping->functions, address_moved(mapping, first.value),
                        address_moved(mapping, last.value), &number))
        return NULL;
    return name_of(slots, index, number);
}

/* Parities of a class are of addresses less its offset. */
static const char *name_class(struct slots *slots, const struct record_class *class)
{
    const struct address_mapping *mapping = mapping_of(slots);
    uint32_t number;

    if (mapping->functions.count == 0 || mapping->offset_bytes != class->offset_bytes ||
        !slots_of_class(&mapping->functions, class->mask, (uint32_t) class->masks, class->parities,
                        &number))
        return NULL;
    return name_of(slots, 0, number);
}

static void set_functions(struct address_functions *functions, const uint64_t mask[], size_t count)
{
    functions->count = (unsigned)count;
    memory_copy(functions->mask, mask, count * sizeof mask[0]);
}

static void learn(struct address_mapping *found, const struct record_mapping *mapping)
{
    if (!text_equal(mapping->verdict, "linear") || mapping->rank > SLOTS_FUNCTIONS_MAX)
        return;
    set_functions(&found->functions, mapping->functions, mapping->rank);
    found->offset_bytes = mapping->offset_bytes;
    found->offset_from = mapping->offset_from_bytes;
}

static void complete(void *context, struct record *record)
{
    struct slots *slots = context;

    if (record->kind == RECORD_MAPPING)
        learn(&slots->found, &record->u.mapping);
    if (!slots->decode.found && slots->decode.masks == 0)
        return;
    switch (record->kind) {
    case RECORD_ERROR: {
        struct record_error *error = &record->u.error;
        error->slot = name_range(slots, error->physical_address, error->physical_address, 0);
        error->alias_slot = name_range(slots, error->alias_address, error->alias_address, 1);
        break;
    }
    case RECORD_HARDWARE_ERROR: {
        struct record_hardware_error *error = &record->u.hardware_error;
        error->slot = name_range(slots, error->physical_address, error->physical_address, 0);
        break;
    }
    case RECORD_BAD_MEMORY: {
        struct record_bad_memory *bad = &record->u.bad_memory;
        bad->slot = name_range(slots, bad->physical_first, bad->physical_last, 0);
        break;
    }
    case RECORD_RANGE: {
        struct record_range *range = &record->u.range;
        range->slot = name_range(slots, range->physical_first, range->physical_last, 0);
        break;
    }
    case RECORD_BLOCK: {
        struct record_block *block = &record->u.block;
        block->slot = name_range(slots, block->physical_first, block->physical_last, 0);
        break;
    }
    case RECORD_GAP: {
        struct record_gap *gap = &record->u.gap;
        gap->slot = name_range(slots, gap->physical_first, gap->physical_last, 0);
        break;
    }
    case RECORD_CLASS:
        record->u.class.slot = name_class(slots, &record->u.class);
        break;
    default:
        break;
    }
}

void slots_start(struct slots *slots, const char *decode, struct journal *journal)
{
    const char *why;

    *slots = (struct slots){.missed = false};
    (void)decode_read(decode, text_length(decode), &slots->decode, &why);
    set_functions(&slots->said.functions, slots->decode.mask, slots->decode.masks);
    journal->complete = complete;
    journal->complete_context = slots;
}

void slots_note(const struct slots *slots, struct journal *journal)
{
    if (slots->missed)
        journal_note(journal, SEVERITY_WARNING, "addresses without a slot",
                     "decode=found goes by the functions of tests=banks, which had found none by "
                     "then: ask for it first");
}
