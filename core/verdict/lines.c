/* SPDX-License-Identifier: BSD-2-Clause */
/* A latency by class is a sum over functions of address bits, each with an effect of its own: the
 * lines of its parity 1 less the others. What is told of a group of lines is one equation for the
 * effects of its functions and of their XORs; what is told of no function is little. Of all effects
 * that fit, those are taken whose squares have the least sum, so that any group's difference is a
 * sum of what was told, and what is left of the group is not told at all. */
#include "core/verdict/lines.h"

#include "core/dram/slots.h"
#include "core/lib/bits.h"
#include "core/lib/memory.h"
#include "core/lib/real.h"
#include "core/lib/text.h"

#define START  "lines"
#define SWEEPS 60
/* Of an address, that a function of classes may have. */
#define BITS_MAX 48
/* Of a group that what was told before has told already, but for rounding. */
#define NOTHING 1e-6
#define HALF    0.5
#define HUGE_NS 1e300
/* Figures may come from anywhere, and without errors. */
#define ERROR_MIN_NS 1e-3

/* ---- names */

static bool read_bits(const char **at, uint64_t *mask)
{
    const char *word = *at;

    *mask = 0;
    do {
        size_t digits = 0;
        uint64_t bit;
        while (word[digits] >= '0' && word[digits] <= '9')
            digits++;
        if (!text_read_u64(word, digits, &bit) || bit >= BITS_MAX)
            return false;
        *mask |= 1ull << bit;
        word += digits;
    } while (*word++ == '^');
    *at = word;
    return word[-1] == '=' && (*word == '0' || *word == '1');
}

bool lines_are(const struct figures_one *one)
{
    return one->kind == FIGURES_DIFFERENCE && text_is(one->name, sizeof START - 1, START);
}

bool lines_read(const char *name, struct class_group *group)
{
    *group = (struct class_group){.parities = 0};
    for (name += sizeof START - 1; *name == ' '; name++) {
        struct address_functions *of = &group->functions;
        uint32_t choice;
        if (of->count == CLASSES_PART_MAX)
            return false;
        name++;
        if (!read_bits(&name, &of->mask[of->count]) ||
            bits_sum_to(of->mask, of->count, of->mask[of->count], &choice))
            return false;
        group->parities |= (unsigned)(*name - '0') << of->count++;
    }
    return *name == '\0' && group->functions.count != 0;
}

/* ---- one run */

static double parts_of(const struct class_group *group)
{
    return (double)(1u << group->functions.count);
}

/* Of two differences, as vectors of effects. */
static double overlap(const struct class_group *a, const struct class_group *b)
{
    double pa = parts_of(a), pb = parts_of(b);

    return (class_share(a, b) * pb - 1) * pa / (pa - 1) * pb / (pb - 1) / 4;
}

struct lines_value lines_value(const struct lines *lines, const struct class_group *group)
{
    double with[LINES_TOLD_MAX], weight[LINES_TOLD_MAX] = {0}, all = overlap(group, group);
    struct lines_value value = {.ns = 0};
    double left = all;

    for (size_t i = 0; i < lines->count; i++)
        with[i] = overlap(group, &lines->told[i].group);
    for (unsigned sweep = 0; sweep < SWEEPS; sweep++)
        for (size_t i = 0; i < lines->count; i++) {
            double rest = with[i];
            for (size_t k = 0; k < lines->count; k++)
                rest -= lines->overlap[i][k] * weight[k];
            weight[i] += rest / lines->overlap[i][i];
        }
    for (size_t i = 0; i < lines->count; i++) {
        const struct lines_told *told = &lines->told[i];
        value.ns += weight[i] * told->ns;
        value.error_ns = real_hypotenuse(value.error_ns, weight[i] * told->error_ns);
        value.scatter_ns = real_hypotenuse(value.scatter_ns, weight[i] * told->scatter_ns);
        left -= weight[i] * with[i];
    }
    value.told = left < HALF * all;
    value.whole = left < NOTHING;
    value.unseen_ns = !value.whole ? lines->unseen.half_ns * real_sqrt(left) : 0;
    return value;
}

/* The most exact first: what these tell, others that tell it too add nothing to. */
static void enter(struct lines *lines, const struct lines_told *told)
{
    size_t at = lines->count;

    if (lines->count == LINES_TOLD_MAX) {
        lines->more = true;
        return;
    }
    for (; at > 0 && lines->told[at - 1].error_ns > told->error_ns; at--)
        lines->told[at] = lines->told[at - 1];
    lines->told[at] = *told;
    lines->count++;
}

void lines_take(struct lines *lines, const struct figures *figures)
{
    memory_fill(lines, 0, sizeof *lines);
    for (size_t i = 0; i < figures->count; i++) {
        const struct figures_one *one = &figures->one[i];
        struct lines_told told = {.name = one->name,
                                  .ns = one->value,
                                  .error_ns = figures_error(one),
                                  .scatter_ns = one->scatter};
        if (!lines_are(one))
            continue;
        if (lines_read(one->name, &told.group))
            enter(lines, &told);
        else
            lines->more = true;
        if (one->against_ns > lines->against_ns)
            lines->against_ns = one->against_ns;
    }
    for (size_t i = 0; i < lines->count; i++)
        for (size_t k = 0; k < lines->count; k++)
            lines->overlap[i][k] = overlap(&lines->told[i].group, &lines->told[k].group);
    lines->unseen = figures->unseen;
    if (lines->against_ns == 0)
        lines->against_ns = figures->unseen.against_ns;
}

/* ---- two runs */

double lines_error_ns(const struct lines_value *a, const struct lines_value *b)
{
    return real_hypotenuse(real_hypotenuse(a->error_ns, a->unseen_ns),
                           real_hypotenuse(b->error_ns, b->unseen_ns));
}

static double unseen_of(const struct lines_room *room)
{
    return real_hypotenuse(room->then.unseen.half_ns, room->now.unseen.half_ns);
}

static void see(struct lines_room *room, const struct class_group *group)
{
    struct lines_seen *seen = &room->seen[room->count];
    struct lines_value then = lines_value(&room->then, group);
    struct lines_value now = lines_value(&room->now, group);

    if (room->count == LINES_SEEN_MAX) {
        room->now.more = true;
        return;
    }
    room->count++;
    *seen =
        (struct lines_seen){.group = *group, .ns = now.ns - then.ns, .scatter_ns = then.scatter_ns};
    seen->error_ns = lines_error_ns(&then, &now);
}

/* What is seen of a function by itself, of either parity; NULL: nothing is told of it. */
static const struct lines_seen *find_half(const struct lines_room *room,
                                          const struct class_group *half)
{
    for (size_t i = 0; i < room->count; i++)
        if (room->seen[i].group.functions.count == 1 &&
            room->seen[i].group.functions.mask[0] == half->functions.mask[0])
            return &room->seen[i];
    return NULL;
}

static void see_all(struct lines_room *room, const struct lines *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        const struct class_group *group = &lines->told[i].group;
        for (unsigned some = 1; some < 1u << group->functions.count; some++) {
            struct class_group half = class_half(group, some);
            if (find_half(room, &half) == NULL)
                see(room, &half);
        }
        if (group->functions.count > 1)
            see(room, group);
    }
}

void lines_start(struct lines_room *room, const struct figures *then, const struct figures *now)
{
    struct lines *a = &room->then, *b = &room->now;

    lines_take(a, then);
    lines_take(b, now);
    a->against_ns = b->against_ns = a->against_ns > b->against_ns ? a->against_ns : b->against_ns;
    room->count = room->changes = 0;
    see_all(room, a);
    see_all(room, b);
}

/* ---- which group explains it */

/* What one change of a group's lines would be, by least squares, and within the bounds of all that
 * is seen of it if that is possible. */
struct fit {
    double sum, weight, squares, low, high;
};

static void fit_add(struct fit *fit, double part, double ns, double error_ns)
{
    double error = error_ns > ERROR_MIN_NS ? error_ns : ERROR_MIN_NS;
    double weight = part / (error * error), reach = real_abs(error / part);
    double low = ns / part - reach, high = ns / part + reach;

    fit->sum += weight * ns;
    fit->weight += weight * part;
    fit->squares += ns * ns / (error * error);
    fit->low = low > fit->low ? low : fit->low;
    fit->high = high < fit->high ? high : fit->high;
}

/* What a group's lines that take 1 ns more make of a difference. */
static double explains(const struct class_group *group, const struct class_group *seen)
{
    double parts = parts_of(seen);

    return (class_share(seen, group) - 1 / parts_of(group)) * parts / (parts - 1);
}

static struct fit fit_of(const struct lines_room *room, const struct class_group *group)
{
    struct fit fit = {.low = -HUGE_NS, .high = HUGE_NS};
    double each = 2 / parts_of(group);

    for (unsigned some = 1; some < 1u << group->functions.count; some++) {
        const struct class_group of = class_half(group, some);
        const struct lines_seen *half = find_half(room, &of);
        double part = half != NULL && half->group.parities != of.parities ? -each : each;
        fit_add(&fit, part, half != NULL ? half->ns : 0,
                half != NULL ? half->error_ns : unseen_of(room));
    }
    for (size_t i = 0; i < room->count; i++) {
        const struct lines_seen *seen = &room->seen[i];
        double part = seen->group.functions.count > 1 ? explains(group, &seen->group) : 0;
        if (real_abs(part) > NOTHING)
            fit_add(&fit, part, seen->ns, seen->error_ns);
    }
    return fit;
}

/* The squares of errors that it explains, less those that it should explain and does not. */
static double gain_of(const struct fit *fit)
{
    return 2 * fit->sum * fit->sum / fit->weight - fit->squares;
}

/* Chooses the parities that explain most; returns how much. */
static double choose_parities(const struct lines_room *room, struct class_group *group)
{
    struct class_group tried = *group;
    double most = -HUGE_NS;

    for (tried.parities = 0; tried.parities < 1u << tried.functions.count; tried.parities++) {
        struct fit fit = fit_of(room, &tried);
        if (gain_of(&fit) <= most)
            continue;
        most = gain_of(&fit);
        group->parities = tried.parities;
    }
    return most;
}

/* The group with that one more function that explains most; false: none explains more. */
static bool extend(const struct lines_room *room, struct class_group *group, double *gain)
{
    struct class_group best = *group;
    double most = *gain;

    for (size_t i = 0; i < room->count; i++) {
        const struct class_group *half = &room->seen[i].group;
        struct class_group with = *group;
        uint32_t choice;
        double more;
        if (half->functions.count > 1 || bits_sum_to(group->functions.mask, group->functions.count,
                                                     half->functions.mask[0], &choice))
            continue;
        with.functions.mask[with.functions.count++] = half->functions.mask[0];
        more = choose_parities(room, &with);
        if (more <= most)
            continue;
        most = more;
        best = with;
    }
    if (most == *gain)
        return false;
    *gain = most;
    *group = best;
    return true;
}

/* Whether it is more than errors make it, and than boots are apart or latencies may be. */
static bool is_beyond(double ns, double error_ns, double scatter_ns, double limit_ns)
{
    return real_abs(ns) > error_ns + (scatter_ns < limit_ns ? scatter_ns : limit_ns) + NOTHING;
}

/* The change of a group. What either run tells of it best is kept, and the other one's made of it.
 * Of two halves it is the one that is slower, or was. */
static void make_change(const struct lines_room *room, const struct class_group *group,
                        struct lines_change *change)
{
    struct fit fit = fit_of(room, group);
    double ns = fit.sum / fit.weight;

    if (fit.low <= fit.high)
        ns = ns < fit.low ? fit.low : ns > fit.high ? fit.high : ns;
    change->group = *group;
    change->ns = ns;
    change->error_ns = 1 / real_sqrt(fit.weight);
    change->then = lines_value(&room->then, group);
    change->now = lines_value(&room->now, group);
    if (change->then.unseen_ns <= change->now.unseen_ns)
        change->now.ns = change->then.ns + ns;
    else if (change->then.told)
        change->then.ns = change->now.ns - ns;
    if (group->functions.count > 1 || change->then.ns + change->now.ns >= 0)
        return;
    change->group.parities ^= 1;
    change->then.ns = 0 - change->then.ns;
    change->now.ns = 0 - change->now.ns;
    change->ns = 0 - ns;
}

static void take_off(struct lines_room *room, const struct lines_change *change)
{
    for (size_t i = 0; i < room->count; i++)
        room->seen[i].ns -= change->ns * explains(&change->group, &room->seen[i].group);
}

/* Of the same lines, the functions with the fewest bits. */
static void simplify(struct class_group *group)
{
    struct class_group simple = *group;

    address_simplify(&simple.functions);
    simple.parities = 0;
    for (unsigned i = 0; i < simple.functions.count; i++) {
        uint32_t choice;
        (void)bits_sum_to(group->functions.mask, group->functions.count, simple.functions.mask[i],
                          &choice);
        simple.parities |= bits_parity(choice & group->parities) << i;
    }
    *group = simple;
}

static bool anything_is_left(const struct lines_room *room, double limit_ns)
{
    for (size_t i = 0; i < room->count; i++) {
        const struct lines_seen *seen = &room->seen[i];
        if (is_beyond(seen->ns, seen->error_ns, seen->scatter_ns, limit_ns))
            return true;
    }
    return false;
}

bool lines_next(struct lines_room *room, double limit_ns, struct lines_change *change)
{
    double most = 0;

    if (room->changes == LINES_CHANGES_MAX || !anything_is_left(room, limit_ns))
        return false;
    for (size_t i = 0; i < room->count; i++) {
        struct class_group group = room->seen[i].group;
        double gain = choose_parities(room, &group);
        do {
            struct lines_change found;
            if (gain <= most)
                continue;
            make_change(room, &group, &found);
            if (!is_beyond(found.ns, found.error_ns, found.then.scatter_ns, limit_ns))
                continue;
            most = gain;
            *change = found;
        } while (group.functions.count < CLASSES_PART_MAX && extend(room, &group, &gain));
    }
    if (most == 0)
        return false;
    take_off(room, change);
    simplify(&change->group);
    room->changes++;
    return true;
}

/* ---- as figures */

static void add_slot(const struct decode *decode, const struct class_group *group, char *slot,
                     size_t room)
{
    struct address_functions functions = {.count = decode->masks};
    struct text text;
    uint32_t number;

    memory_copy(functions.mask, decode->mask, decode->masks * sizeof decode->mask[0]);
    text_start(&text, slot, room);
    if (decode->masks != 0 && slots_of_class(&functions, group->functions.mask,
                                             group->functions.count, group->parities, &number))
        decode_name(decode, number, &text);
}

void lines_figure(const struct lines_change *change, const struct lines_value *value,
                  const struct figures *run, const struct decode *decode, struct figures_one *one)
{
    const struct class_group *group = &change->group;
    const struct figures_one *found;
    size_t from = 0;
    struct text name;

    *one = (struct figures_one){.kind = FIGURES_DIFFERENCE, .value = value->ns};
    text_start(&name, one->name, sizeof one->name);
    figures_name_lines(&name, group->functions.mask, group->functions.count, group->parities);
    figures_set_error(one, real_hypotenuse(value->error_ns, value->unseen_ns));
    found = run->count != 0 ? figures_find(run, one->name, &from) : NULL;
    if (found != NULL)
        text_print(one->slot, sizeof one->slot, "%s", found->slot);
    else if (decode != NULL)
        add_slot(decode, group, one->slot, sizeof one->slot);
}
