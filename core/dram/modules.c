/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/dram/modules.h"

#include "core/lib/text.h"

bool modules_counts(const struct dimm_info *dimm)
{
    return dimm->use == NULL || text_equal(dimm->use, "system memory");
}

const char *modules_ecc_name(enum modules_ecc ecc)
{
    static const char *const names[] = {NULL, "off", "on", "mixed"};

    return names[ecc];
}

/* Parity tells of errors, and corrects none. */
static enum modules_ecc ecc_of(const struct dimm_info *dimm)
{
    if (dimm->ecc != NULL)
        return text_equal(dimm->ecc, "none") || text_equal(dimm->ecc, "parity") ? MODULES_ECC_OFF
                                                                                : MODULES_ECC_ON;
    if (dimm->data_bits == 0 || dimm->total_bits == 0)
        return MODULES_ECC_UNKNOWN;
    return dimm->total_bits > dimm->data_bits ? MODULES_ECC_ON : MODULES_ECC_OFF;
}

static bool is_fitted(const struct dimm_info *dimm)
{
    return dimm->bytes != 0 && modules_counts(dimm);
}

static void add_size(const struct dimm_info *dimm, struct modules_summary *summary)
{
    uint64_t rank_bytes = dimm->bytes / (dimm->ranks != 0 ? dimm->ranks : 1);

    if (dimm->bytes == DIMM_UNKNOWN) {
        summary->of_unknown_size++;
        return;
    }
    summary->bytes += dimm->bytes;
    if (summary->rank_bytes == 0 || rank_bytes < summary->rank_bytes)
        summary->rank_bytes = rank_bytes;
}

static void add_speed(uint32_t mts, struct modules_summary *summary)
{
    if (mts == 0) {
        summary->mts_untold++;
        return;
    }
    if (summary->mts_low == 0 || mts < summary->mts_low)
        summary->mts_low = mts;
    if (mts > summary->mts_high)
        summary->mts_high = mts;
}

static uint32_t count_channels(const struct dimm_info *dimms, size_t count)
{
    uint32_t channels = 0;

    for (size_t i = 0; i < count; i++) {
        bool seen = false;
        if (!is_fitted(&dimms[i]))
            continue;
        if (dimms[i].channel[0] == '\0')
            return 0;
        for (size_t k = 0; k < i && !seen; k++)
            seen = is_fitted(&dimms[k]) && text_equal(dimms[k].channel, dimms[i].channel);
        channels += !seen;
    }
    return channels;
}

static enum modules_ecc sum_ecc(const struct dimm_info *dimms, size_t count)
{
    bool seen[MODULES_ECC_MIXED] = {false};

    for (size_t i = 0; i < count; i++)
        if (is_fitted(&dimms[i]))
            seen[ecc_of(&dimms[i])] = true;
    if (seen[MODULES_ECC_ON] && seen[MODULES_ECC_OFF])
        return MODULES_ECC_MIXED;
    if (seen[MODULES_ECC_UNKNOWN])
        return MODULES_ECC_UNKNOWN;
    return seen[MODULES_ECC_ON]    ? MODULES_ECC_ON
           : seen[MODULES_ECC_OFF] ? MODULES_ECC_OFF
                                   : MODULES_ECC_UNKNOWN;
}

/* Memory for special uses may be modules' or not: it fills a gap, and exceeds nothing. */
static void hold_map(const struct memory_range *memory, size_t count,
                     struct modules_summary *summary)
{
    uint64_t ordinary = 0;

    for (size_t i = 0; i < count; i++) {
        if (memory[i].kind != MEMORY_NONVOLATILE)
            summary->map_bytes += memory[i].bytes;
        if (memory[i].kind == MEMORY_ORDINARY)
            ordinary += memory[i].bytes;
    }
    if (summary->fitted == 0 || summary->of_unknown_size != 0 || summary->map_bytes == 0)
        summary->map = MODULES_MAP_UNKNOWN;
    else if (ordinary > summary->bytes)
        summary->map = MODULES_MAP_EXCEEDS;
    else if (summary->bytes > summary->map_bytes &&
             summary->bytes - summary->map_bytes >= summary->rank_bytes)
        summary->map = MODULES_MAP_LACKS;
    else
        summary->map = MODULES_MAP_AGREES;
}

void modules_sum(const struct dimm_info *dimms, size_t count, const struct module_arrays *arrays,
                 const struct memory_range *memory, size_t memory_count,
                 struct modules_summary *summary)
{
    *summary = (struct modules_summary){.slots = 0};
    for (size_t i = 0; i < count; i++) {
        summary->slots += modules_counts(&dimms[i]);
        if (!is_fitted(&dimms[i]))
            continue;
        summary->fitted++;
        add_size(&dimms[i], summary);
        add_speed(dimms[i].configured_mts, summary);
    }
    if (summary->slots != 0 && arrays->slots > summary->slots)
        summary->slots = arrays->slots;
    summary->channels = count_channels(dimms, count);
    summary->ecc = sum_ecc(dimms, count);
    hold_map(memory, memory_count, summary);
}

bool modules_several_nodes(const struct memory_range *memory, size_t count)
{
    const struct memory_range *first = NULL;

    for (size_t i = 0; i < count; i++) {
        if (memory[i].kind != MEMORY_ORDINARY)
            continue;
        if (first != NULL && memory[i].node != first->node)
            return true;
        first = &memory[i];
    }
    return false;
}
