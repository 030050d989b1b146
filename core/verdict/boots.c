/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/verdict/boots.h"

#include "core/lib/real.h"
#include "core/lib/text.h"
#include "core/stats/stats.h"

/* Fewer boots do not say how far they are apart. */
#define SCATTER_MIN 5
/* Three quarters of a normal distribution are within so many standard deviations. Few boots show
 * these roughly, and there are many figures: honest boots may be so many apart. */
#define QUARTERS_SIGMAS 1.150
#define SCATTER_SIGMAS  5.0
/* A difference that fewer boots tell is new in each of them. */
#define TOLD_PART 4

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

/* What a boot tells of a difference; of lines also by other groups than these. */
static struct lines_value value_in(const struct figures *boot, const struct figures_one *one,
                                   struct lines *room)
{
    const struct figures_one *told;
    struct class_group group;
    size_t from = 0;

    if (lines_read(one->name, &group)) {
        lines_take(room, boot);
        return lines_value(room, &group);
    }
    told = figures_find(boot, one->name, &from);
    if (told == NULL)
        return (struct lines_value){.unseen_ns = boot->unseen.range_ns};
    return (struct lines_value){.ns = told->value, .error_ns = figures_error(told), .told = true};
}

/* Of a boot: what it tells, and what of it may be there untold. */
struct told {
    double ns, unseen_ns, error_ns;
};

static size_t enter_told(struct told told[], size_t count, const struct lines_value *value)
{
    size_t at = count;

    for (; at > 0 && told[at - 1].ns > value->ns; at--)
        told[at] = told[at - 1];
    told[at] = (struct told){value->ns, value->unseen_ns,
                             real_hypotenuse(value->error_ns, value->unseen_ns)};
    return count + 1;
}

/* The middle of a difference that some boots tell, of all boots. False: so few tell it that each is
 * held against nothing. */
static bool middle_difference(const struct figures boots[], size_t count, struct lines *room,
                              struct figures_one *one)
{
    struct told told[BOOTS_MAX];
    const struct told *middle;
    size_t known = 0, telling = 0;
    double apart[BOOTS_MAX];

    for (size_t i = 0; i < count; i++) {
        struct lines_value value;
        if (boots[i].count == 0)
            continue;
        value = value_in(&boots[i], one, room);
        telling += value.told;
        known = enter_told(told, known, &value);
    }
    middle = &told[(known - 1) / 2];
    one->value = middle->ns;
    figures_set_error(one, middle->error_ns);
    for (size_t i = 0; i < known; i++) {
        apart[i] = real_abs(told[i].ns - middle->ns) - told[i].unseen_ns - middle->unseen_ns;
        apart[i] = apart[i] > 0 ? apart[i] : 0;
    }
    stats_sort_few(apart, known);
    if (known >= SCATTER_MIN)
        one->scatter = SCATTER_SIGMAS / QUARTERS_SIGMAS * apart[3 * known / 4];
    return TOLD_PART * telling > known;
}

/* Those that no boot marks come first; returns how many there are, or if there are none, all. */
static size_t put_first(const struct figures_one *found[], size_t count)
{
    size_t unmarked = 0;

    for (size_t i = 0; i < count; i++)
        if (!found[i]->marked) {
            const struct figures_one *swapped = found[unmarked];
            found[unmarked++] = found[i];
            found[i] = swapped;
        }
    return unmarked != 0 ? unmarked : count;
}

/* Enters the middle of a figure that more than half of the boots have. */
static void enter(struct figures *middle, const struct figures_one *found[], size_t count)
{
    count = put_first(found, count);
    sort_by_value(found, count);
    middle->one[middle->count++] =
        found[0]->kind == FIGURES_WORDS ? *most_said(found, count) : *found[(count - 1) / 2];
}

static void lower(double *least, double ns)
{
    if (*least == 0 || (ns > 0 && ns < *least))
        *least = ns;
}

/* What all boots have, the most exact one would have told. */
static void take_unseen(struct figures_unseen *least, const struct figures_unseen *of_boot)
{
    lower(&least->range_ns, of_boot->range_ns);
    lower(&least->half_ns, of_boot->half_ns);
    lower(&least->part_ns, of_boot->part_ns);
    lower(&least->parts, of_boot->parts);
    lower(&least->against_ns, of_boot->against_ns);
}

void boots_middle(const struct figures boots[], size_t count, struct lines *room,
                  struct figures *middle)
{
    const struct figures_one *found[BOOTS_MAX];
    size_t from[BOOTS_MAX] = {0}, seen = 0;
    struct figures_one one;
    bool difference;

    for (size_t i = 0; i < count; i++) {
        take_unseen(&middle->unseen, &boots[i].unseen);
        for (size_t k = 0; k < boots[i].count; k++) {
            const char *name = boots[i].one[k].name;
            size_t gathered;
            if (middle->count != 0 && figures_find(middle, name, &seen) != NULL)
                continue;
            gathered = gather(boots, count, name, from, found);
            one = *found[0];
            difference = one.kind == FIGURES_DIFFERENCE;
            if (difference ? !middle_difference(boots, count, room, &one) : 2 * gathered <= count)
                continue;
            if (middle->count == middle->room) {
                middle->left_out++;
                continue;
            }
            if (difference)
                middle->one[middle->count++] = one;
            else
                enter(middle, found, gathered);
        }
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
