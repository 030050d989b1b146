/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/verdict/boots.h"

#include "core/lib/real.h"
#include "core/lib/text.h"

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

static void sort_numbers(double number[], size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t k = i; k > 0 && number[k] < number[k - 1]; k--) {
            double swapped = number[k];
            number[k] = number[k - 1];
            number[k - 1] = swapped;
        }
}

/* The lines of the other parity, of one function: "lines 17^21=1", "lines 17^21=0". False: there
 * are none. */
static bool name_others(const char *name, char others[FIGURES_NAME_BYTES])
{
    size_t bytes = text_length(name), functions = 0;

    for (size_t i = 0; i < bytes; i++)
        functions += name[i] == '=';
    if (functions != 1 || bytes < 2 || name[bytes - 2] != '=')
        return false;
    text_print(others, FIGURES_NAME_BYTES, "%s", name);
    others[bytes - 1] = name[bytes - 1] == '0' ? '1' : '0';
    return true;
}

/* What boots tell of lines, by boot: by how much they are slower, or the others (less than 0); not
 * told: 0. Returns how many tell it. */
static size_t tell_lines(const struct figures boots[], size_t count, const char *name,
                         double ns[BOOTS_MAX])
{
    char others[FIGURES_NAME_BYTES];
    bool paired = name_others(name, others);
    size_t told = 0, from = 0;

    for (size_t i = 0; i < count; i++) {
        const struct figures_one *one = NULL, *other = NULL;
        if (boots[i].count != 0)
            one = figures_find(&boots[i], name, &from);
        if (one == NULL && boots[i].count != 0 && paired)
            other = figures_find(&boots[i], others, &from);
        ns[i] = one != NULL ? one->value : other != NULL ? -other->value : 0;
        told += one != NULL || other != NULL;
    }
    return told;
}

/* How far apart they are for sure, if one of them does not tell it. */
static double apart_ns(double a, double b, double unseen_ns)
{
    double apart = real_abs(a - b);

    if (a != 0 && b != 0)
        return apart;
    return apart > unseen_ns ? apart - unseen_ns : 0;
}

/* The middle of lines that are slower than others in some of the boots, which have them found[]: of
 * all boots, not told being nothing. False: so few tell it that each is held against nothing. */
static bool middle_lines(const struct figures boots[], size_t count,
                         const struct figures_one *found[], size_t gathered,
                         struct figures_one *one)
{
    double ns[BOOTS_MAX], apart[BOOTS_MAX];
    size_t told = tell_lines(boots, count, found[0]->name, ns);

    sort_by_value(found, gathered);
    *one = *found[(gathered - 1) / 2];
    if (2 * gathered <= count)
        one->value = 0;
    for (size_t i = 0; i < count; i++)
        apart[i] = apart_ns(ns[i], one->value, one->unseen_ns);
    sort_numbers(apart, count);
    if (count >= SCATTER_MIN)
        one->scatter = SCATTER_SIGMAS / QUARTERS_SIGMAS * apart[3 * count / 4];
    return TOLD_PART * told > count;
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

void boots_middle(const struct figures boots[], size_t count, struct figures *middle)
{
    const struct figures_one *found[BOOTS_MAX];
    size_t from[BOOTS_MAX] = {0}, seen = 0;
    struct figures_one lines;
    bool difference;

    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < boots[i].count; k++) {
            const char *name = boots[i].one[k].name;
            size_t gathered;
            if (middle->count != 0 && figures_find(middle, name, &seen) != NULL)
                continue;
            gathered = gather(boots, count, name, from, found);
            difference = found[0]->kind == FIGURES_DIFFERENCE;
            if (difference ? !middle_lines(boots, count, found, gathered, &lines)
                           : 2 * gathered <= count)
                continue;
            if (middle->count == middle->room) {
                middle->left_out++;
                continue;
            }
            if (difference)
                middle->one[middle->count++] = lines;
            else
                enter(middle, found, gathered);
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
