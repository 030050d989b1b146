/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/dram/modules.h"
#include "core/lib/text.h"

#define NONE_DESCRIBED "the firmware describes no memory slots"

static void judge(struct modules_held *held, bool told, bool met, const char *why_untold)
{
    held->met = !told ? MODULES_UNTOLD : met ? MODULES_MET : MODULES_UNMET;
    held->why = told ? NULL : why_untold;
}

static void hold_count(struct modules_held *held, uint32_t expected, uint32_t found, bool told,
                       const char *why_untold)
{
    text_print(held->expected, sizeof held->expected, "%u", expected);
    if (told)
        text_print(held->found, sizeof held->found, "%u", found);
    judge(held, told, found == expected, why_untold);
}

/* A module more of unknown size cannot bring down what is too much already. */
static void hold_size(struct modules_held *held, uint64_t expected_bytes,
                      const struct modules_summary *summary)
{
    bool told =
        summary->slots != 0 && (summary->of_unknown_size == 0 || summary->bytes > expected_bytes);

    text_print(held->expected, sizeof held->expected, "%s", TEXT_SIZE(expected_bytes));
    if (told)
        text_print(held->found, sizeof held->found, "%s", TEXT_SIZE(summary->bytes));
    judge(held, told, summary->bytes == expected_bytes,
          summary->slots == 0 ? NONE_DESCRIBED : "the size of a module is not told");
    if (held->met == MODULES_MET && summary->map == MODULES_MAP_LACKS) {
        held->met = MODULES_UNMET;
        held->why = "the modules hold it, but the memory map lacks a rank or more of it";
    }
}

static bool same_speed(uint32_t mts, uint32_t expected)
{
    uint32_t off = mts > expected ? mts - expected : expected - mts;

    return (uint64_t)off * 1000 <= expected;
}

/* One that runs at another speed decides it, whatever is not told of others. */
static void hold_speed(struct modules_held *held, uint32_t expected,
                       const struct modules_summary *summary)
{
    bool any = summary->mts_low != 0;
    bool met =
        any && same_speed(summary->mts_low, expected) && same_speed(summary->mts_high, expected);
    bool told = any && (summary->mts_untold == 0 || !met);

    text_print(held->expected, sizeof held->expected, "%u", expected);
    if (any && summary->mts_low == summary->mts_high)
        text_print(held->found, sizeof held->found, "%u", summary->mts_low);
    else if (any)
        text_print(held->found, sizeof held->found, "%u to %u", summary->mts_low,
                   summary->mts_high);
    judge(held, told, met,
          summary->fitted == 0 ? NONE_DESCRIBED : "the speed of a module is not told");
}

static void hold_ecc(struct modules_held *held, enum modules_ecc expected,
                     const struct modules_summary *summary)
{
    bool told = summary->ecc != MODULES_ECC_UNKNOWN;

    text_print(held->expected, sizeof held->expected, "%s", modules_ecc_name(expected));
    if (told)
        text_print(held->found, sizeof held->found, "%s", modules_ecc_name(summary->ecc));
    judge(held, told, summary->ecc == expected,
          summary->fitted == 0 ? NONE_DESCRIBED : "error correction is not told");
}

static struct modules_held *next(struct modules_held *held, size_t *count, const char *name)
{
    held += (*count)++;
    *held = (struct modules_held){.name = name};
    return held;
}

size_t modules_hold(const struct modules_expected *expected, const struct modules_summary *summary,
                    struct modules_held held[MODULES_HELD_MAX])
{
    size_t count = 0;

    if (expected->dimms != 0)
        hold_count(next(held, &count, "expect-dimms"), expected->dimms, summary->fitted,
                   summary->slots != 0, NONE_DESCRIBED);
    if (expected->bytes != 0)
        hold_size(next(held, &count, "expect-size"), expected->bytes, summary);
    if (expected->mts != 0)
        hold_speed(next(held, &count, "expect-speed"), expected->mts, summary);
    if (expected->channels != 0)
        hold_count(next(held, &count, "expect-channels"), expected->channels, summary->channels,
                   summary->channels != 0,
                   summary->fitted == 0 ? NONE_DESCRIBED : "the channel of a module is not told");
    if (expected->ecc != MODULES_ECC_UNKNOWN)
        hold_ecc(next(held, &count, "expect-ecc"), expected->ecc, summary);
    return count;
}
