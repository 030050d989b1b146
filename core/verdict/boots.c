/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/verdict/boots.h"

#include "core/lib/text.h"

/* The figure of each boot that has it. */
static size_t gather(const struct figures boots[], size_t count, const char *name,
                     size_t from[BOOTS_MAX], const struct figures_one *found[BOOTS_MAX])
{
    size_t gathered = 0;

    for (size_t i = 0; i < count; i++) {
        const struct figures_one *one =
            boots[i].count != 0 ? figures_find(&boots[i], name, &from[i]) : NULL;
        if (one != NULL)
            found[gathered++] = one;
    }
    return gathered;
}

static void sort_by_value(const struct figures_one *found[], size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t k = i; k > 0 && found[k]->value < found[k - 1]->value; k--) {
            const struct figures_one *swapped = found[k];
            found[k] = found[k - 1];
            found[k - 1] = swapped;
        }
}

/* Of words the one that most boots have. */
static const struct figures_one *most_said(const struct figures_one *found[], size_t count)
{
    const struct figures_one *most = found[0];
    size_t best = 0;

    for (size_t i = 0; i < count; i++) {
        size_t same = 0;
        for (size_t k = 0; k < count; k++)
            same += text_equal(found[i]->words, found[k]->words);
        if (same > best) {
            best = same;
            most = found[i];
        }
    }
    return most;
}

void boots_middle(const struct figures boots[], size_t count, struct figures *middle)
{
    const struct figures_one *found[BOOTS_MAX];
    size_t from[BOOTS_MAX] = {0}, seen = 0;

    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < boots[i].count; k++) {
            const char *name = boots[i].one[k].name;
            size_t gathered;
            if (middle->count != 0 && figures_find(middle, name, &seen) != NULL)
                continue;
            gathered = gather(boots, count, name, from, found);
            if (2 * gathered <= count)
                continue;
            if (middle->count == middle->room) {
                middle->left_out++;
                continue;
            }
            sort_by_value(found, gathered);
            middle->one[middle->count++] = found[0]->kind == FIGURES_WORDS
                                               ? *most_said(found, gathered)
                                               : *found[(gathered - 1) / 2];
        }
}

void boots_spread(const struct figures boots[], size_t count, const struct figures_one *of,
                  struct boots_spread *spread)
{
    *spread = (struct boots_spread){.count = 0};
    for (size_t i = 0; i < count; i++) {
        size_t from = 0;
        const struct figures_one *one =
            boots[i].count != 0 ? figures_find(&boots[i], of->name, &from) : NULL;
        if (one == NULL)
            continue;
        if (spread->count == 0 || one->value < spread->low) {
            spread->low = one->value;
            spread->low_boot = i;
        }
        if (spread->count == 0 || one->value > spread->high) {
            spread->high = one->value;
            spread->high_boot = i;
        }
        spread->count++;
    }
}

/* ---- the firmware's time */

static double middle_of(const double s[], size_t count)
{
    double sorted[BOOTS_MAX];
    size_t known = 0;

    for (size_t i = 0; i < count; i++) {
        size_t k = known;
        if (!(s[i] > 0))
            continue;
        for (; k > 0 && sorted[k - 1] > s[i]; k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = s[i];
        known++;
    }
    return known != 0 ? sorted[(known - 1) / 2] : 0;
}

void boots_firmware(const double s[], size_t count, struct boots_times *times, bool longer[])
{
    *times = (struct boots_times){.middle_s = middle_of(s, count)};
    for (size_t i = 0; i < count; i++) {
        double more_s = s[i] - times->middle_s;
        longer[i] = more_s > BOOTS_LONGER_S && more_s > BOOTS_LONGER_SHARE * times->middle_s;
        if (!(s[i] > 0))
            continue;
        if (times->count == 0 || s[i] < times->low_s) {
            times->low_s = s[i];
            times->low_boot = i;
        }
        if (times->count == 0 || s[i] > times->high_s) {
            times->high_s = s[i];
            times->high_boot = i;
        }
        times->count++;
    }
}
