/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/dram/modules.h"
#include "core/lib/real.h"
#include "core/lib/text.h"

/* Of a rank, for so many bits of its width: a channel of its own, or a subchannel. */
struct type_banks {
    const char *type;
    uint16_t channel_bits; /* 0: all of the module is one */
    uint8_t wide, narrow;  /* with chips of 16 bits; with narrower ones */
};

static const struct type_banks types[] = {{"DDR3", 0, 8, 8},
                                          {"DDR4", 0, 8, 16},
                                          {"DDR5", 32, 16, 32},
                                          {"LPDDR4", 16, 8, 8},
                                          {"LPDDR5", 16, 8, 16}};

static const struct type_banks *type_of(const struct dimm_info *dimm)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (text_equal(dimm->type, types[i].type))
            return &types[i];
    return NULL;
}

/* With error correction a channel is 40 or 72 bits wide, which chips of 16 bits do not make up. */
static bool may_be_wide(const struct dimm_info *dimm, uint32_t parts)
{
    return dimm->total_bits / parts % 16 == 0;
}

static const char *add_module(const struct dimm_info *dimm, struct modules_banks *banks)
{
    const struct type_banks *type = type_of(dimm);
    uint32_t parts = 1;

    if (type == NULL)
        return "the banks of a module's type are not known";
    if (dimm->ranks == 0)
        return "the ranks of a module are not told";
    if (type->channel_bits != 0) {
        if (dimm->data_bits == 0 || dimm->data_bits % type->channel_bits != 0)
            return "the width of a module is not told";
        parts = dimm->data_bits / type->channel_bits;
    }
    banks->low += parts * dimm->ranks * (may_be_wide(dimm, parts) ? type->wide : type->narrow);
    banks->high += parts * dimm->ranks * type->narrow;
    return NULL;
}

void modules_count_banks(const struct dimm_info *dimms, size_t count, struct modules_banks *banks)
{
    const struct dimm_info *first = NULL;
    const char *why = NULL;

    *banks = (struct modules_banks){.low = 0};
    for (size_t i = 0; i < count && why == NULL; i++) {
        if (dimms[i].bytes == 0 || !modules_counts(&dimms[i]))
            continue;
        why = add_module(&dimms[i], banks);
        banks->between |= first != NULL && !text_equal(first->part, dimms[i].part);
        first = first == NULL ? &dimms[i] : first;
    }
    if (first == NULL)
        why = "the firmware describes no module";
    if (why != NULL)
        *banks = (struct modules_banks){.why = why};
}

static bool within(double low, double high, uint32_t banks)
{
    return low <= banks && banks <= high;
}

static bool possible(const struct modules_banks *banks, double low, double high)
{
    return within(low, high, banks->low) || within(low, high, banks->high) ||
           (banks->between && low <= banks->high && high >= banks->low);
}

enum modules_agreement modules_hold_banks(const struct modules_banks *banks,
                                          const struct modules_summary *summary, double found_low,
                                          double found_high, uint64_t searched_bytes,
                                          const char **why)
{
    uint64_t all = summary->map_bytes != 0 ? summary->map_bytes : summary->bytes;
    bool in_part = all > searched_bytes && all - searched_bytes >= summary->rank_bytes;

    *why = banks->why;
    if (*why == NULL && real_is_nan(found_low))
        *why = "no number of banks was found";
    if (*why != NULL)
        return MODULES_NOT_HELD;
    if (found_low > banks->high)
        return MODULES_DIFFER;
    if (real_is_nan(found_high))
        *why = "the share of conflicts allows any number above";
    else if (possible(banks, found_low, found_high))
        return MODULES_AGREE;
    else if (in_part)
        *why = "fewer were found, but not all memory was searched";
    return *why != NULL ? MODULES_NOT_HELD : MODULES_DIFFER;
}

const char *modules_agreement_name(enum modules_agreement agreement)
{
    static const char *const names[] = {"unknown", "agree", "does-not"};

    return names[agreement];
}
