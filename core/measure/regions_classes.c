/* SPDX-License-Identifier: BSD-2-Clause */
/* Classes of lines: chains whose samples are of one class each find the functions that are worth
 * measuring; for each of those, chains of either parity are chased in turns. Lines are of blocks
 * that do not differ, whose scatter would hide what is looked for. */
#include "core/chase/listed.h"
#include "core/lib/bits.h"
#include "core/lib/memory.h"
#include "core/lib/real.h"
#include "core/measure/banks.h"
#include "core/measure/regions_run.h"
#include "core/measure/time.h"
#include "core/stats/apart.h"
#include "core/stats/stats.h"

#define LISTS_MAX    32
#define LINES_PART   16  /* of a node's lines, so that few are drawn twice */
#define LIMIT_SHARE  0.7 /* of what is told of at all */
#define BUDGET_SHARE 0.25
#define CLIP         3.0   /* standard deviations */
#define QUARTILES    1.349 /* of a normal distribution, from one to the other */
#define TRIES        64
#define OTHERS_STEP  11
#define WRONG_TRIES  4
#define SPREAD       0x9e3779b97f4a7c15ull /* of a hash: 2^64 over the golden ratio */
#define SCREEN_SEED  0x636c6173736573ull
#define ABOVE_HOLE   (4ull << 30)

/* A list of lines, drawn in units: samples whose lines belong together, or single lines. */
struct wanted {
    uint32_t count, unit; /* lines */
    unsigned class;       /* of single lines */
    bool (*draw)(struct measure *m, const struct wanted *wanted, uint32_t number,
                 struct random *random, uint64_t *line);
};

/* ---- one line */

static bool has_physical(const struct region_block *block, uint64_t at)
{
    return at >= block->first.value && at - block->first.value < block->bytes;
}

/* The block that is compared and holds an address; NULL: none does. */
static const struct region_block *block_at(const struct regions_run *run, uint64_t at)
{
    uint32_t low = 0, high = run->even_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct region_block *block = &run->block[run->even[middle]];
        if (has_physical(block, at))
            return block;
        if (block->first.value < at)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static uint64_t line_of(const struct measure *m, const struct region_block *block, uint64_t at)
{
    return (block->offset + at - block->first.value) / m->machine->description->line_bytes;
}

/* A random line's physical address. */
static uint64_t draw_address(const struct measure *m, struct random *random)
{
    const struct regions_run *run = &m->regions;
    uint32_t line_bytes = m->machine->description->line_bytes;
    const struct region_block *block =
        &run->block[run->even[random_below(random, run->even_count)]];

    return block->first.value + random_below(random, block->bytes / line_bytes) * line_bytes;
}

/* Whether a line of that address exists; *line is its number in the window. */
static bool find_line(const struct measure *m, uint64_t at, uint64_t *line)
{
    const struct region_block *block = block_at(&m->regions, at);

    if (block != NULL)
        *line = line_of(m, block, at);
    return block != NULL;
}

/* The mapping of addresses below the hole is another where an offset stands for the hole. */
static bool is_mapped(const struct regions_run *run, uint64_t at)
{
    return run->mapping.offset_bytes == 0 || at >= ABOVE_HOLE;
}

/* Whether the list that is drawn has not had that line yet; it has it from now on. */
static bool is_new(struct regions_run *run, uint64_t line)
{
    uint64_t at = (line * SPREAD) >> (64 - REGIONS_SEEN_BITS);

    while (run->seen[at] != 0 && run->seen[at] != line + 1)
        at = (at + 1) % REGIONS_SEEN;
    if (run->seen[at] != 0 || run->seen_count >= REGIONS_SEEN / 2)
        return false;
    run->seen_count++;
    run->seen[at] = line + 1;
    return true;
}

/* Lines of a sample that is not taken count as had, and are not drawn again. */
static bool are_new(struct regions_run *run, const uint64_t *line, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!is_new(run, line[i]))
            return false;
    return true;
}

static bool draw_of(struct measure *m, unsigned class, struct random *random, uint64_t *line)
{
    struct regions_run *run = &m->regions;
    uint64_t offset = run->mapping.offset_bytes;

    for (uint32_t i = 0; i < TRIES; i++) {
        uint64_t at = draw_address(m, random);
        if (is_mapped(run, at) &&
            find_line(m, class_steps_to(&run->steps, at - offset, class) + offset, line) &&
            is_new(run, *line))
            return true;
    }
    return false;
}

/* ---- units of a list */

static bool draw_single(struct measure *m, const struct wanted *wanted, uint32_t number,
                        struct random *random, uint64_t *line)
{
    (void)number;
    return draw_of(m, wanted->class, random, line);
}

/* A sample of one class. */
static bool draw_sample(struct measure *m, const struct wanted *wanted, uint32_t number,
                        struct random *random, uint64_t *line)
{
    struct regions_run *run = &m->regions;

    run->of_sample[number] = random_below(random, 1ull << run->steps.functions.count);
    for (uint32_t i = 0; i < wanted->unit; i++)
        if (!draw_of(m, (unsigned)run->of_sample[number], random, &line[i]))
            return false;
    return true;
}

/* The lines that agree with a random one in all bits but a few; as many as the unit has. */
static bool draw_around(const struct measure *m, uint64_t at, uint64_t free, uint32_t unit,
                        uint64_t *line)
{
    uint64_t some = 0;

    for (uint32_t i = 0; i < unit; i++) {
        if (!find_line(m, at ^ some, &line[i]))
            return false;
        some = (some - free) & free;
    }
    return true;
}

static uint64_t draw_bits(uint64_t bits, uint32_t count, struct random *random)
{
    uint64_t drawn = 0;

    for (uint32_t left = bits_count(bits); count > 0; left--, bits &= bits - 1)
        if (random_below(random, left) < count) {
            drawn |= bits_lowest(bits);
            count--;
        }
    return drawn;
}

/* A sample of lines that share all bits of their addresses but as few as they need to differ. */
static bool draw_sample_bits(struct measure *m, const struct wanted *wanted, uint32_t number,
                             struct random *random, uint64_t *line)
{
    struct regions_run *run = &m->regions;
    uint32_t count = 0;

    while (1u << count < wanted->unit)
        count++;
    for (uint32_t i = 0; i < TRIES; i++) {
        run->of_sample[number] = draw_address(m, random);
        run->free_bits[number] = draw_bits(run->screen.bits, count, random);
        if (!draw_around(m, run->of_sample[number], run->free_bits[number], wanted->unit, line) ||
            !are_new(run, line, wanted->unit))
            continue;
        listed_shuffle(line, wanted->unit, random);
        return true;
    }
    return false;
}

/* ---- a list */

/* Draws a list into run->line, each line once. False: there are too few such lines. */
static bool draw_list(struct measure *m, const struct wanted *wanted, struct random *random)
{
    struct regions_run *run = &m->regions;

    memory_fill(run->seen, 0, sizeof run->seen);
    run->seen_count = 0;
    for (uint32_t i = 0; i < wanted->count; i += wanted->unit)
        if (!wanted->draw(m, wanted, i / wanted->unit, random, &run->line[i]))
            return false;
    return true;
}

/* ---- all functions at once */

/* Adds a list's samples to the screen, each less what is usual in the list: without far ones, which
 * interrupts and refreshes made. */
static void add_samples(struct measure *m, uint32_t count)
{
    double hop_ns = 1e9 / (double)m->machine->description->clock.hz / m->regions.hops;
    struct regions_run *run = &m->regions;
    uint64_t *sorted = m->samples.sorted;
    double middle, far, mean = 0;

    memory_copy(sorted, m->samples.ticks, count * sizeof sorted[0]);
    stats_sort(sorted, count);
    middle = (double)sorted[count / 2];
    far = CLIP / QUARTILES * (double)(sorted[count - 1 - count / 4] - sorted[count / 4]) + 1;
    for (unsigned turn = 0; turn < 2; turn++)
        for (uint32_t s = 0; s < count; s++) {
            double ticks = (double)m->samples.ticks[s] - middle;
            ticks = ticks > far ? far : ticks < -far ? -far : ticks;
            if (turn == 0)
                mean += ticks / count;
            else if (run->screen.functions.count != 0)
                class_screen_add(&run->screen, (unsigned)run->of_sample[s],
                                 (ticks - mean) * hop_ns);
            else
                class_screen_add_bits(&run->screen, run->of_sample[s], run->free_bits[s],
                                      (ticks - mean) * hop_ns);
        }
}

static enum status screen_list(struct measure *m, const struct window *w,
                               const struct wanted *wanted, struct random *random)
{
    struct regions_run *run = &m->regions;
    uint32_t whole = run->samples;
    enum status status;

    if (!draw_list(m, wanted, random))
        return STATUS_UNSUPPORTED;
    status = regions_build_list(m, w, wanted->count);
    run->samples = wanted->count / wanted->unit;
    if (status == STATUS_OK)
        status = regions_chase_list(m, w, wanted->count, 0, run->line[0]);
    if (status == STATUS_OK)
        add_samples(m, run->samples);
    run->samples = whole;
    return status == STATUS_OK ? regions_go_on(m) : status;
}

/* Address bits in which the lines that are compared differ. */
static uint64_t bits_of(const struct measure *m)
{
    const struct regions_run *run = &m->regions;
    uint64_t first = run->block[run->even[0]].first.value, bits = 0;

    for (uint32_t i = 0; i < run->even_count; i++) {
        const struct region_block *block = &run->block[run->even[i]];
        uint64_t last = block->first.value + block->bytes - 1;
        uint64_t within = block->first.value ^ last;
        while (within & (within + 1))
            within |= within >> 1;
        bits |= within | (block->first.value ^ first);
    }
    return bits & ~(uint64_t)(m->machine->description->line_bytes - 1);
}

/* Blocks are whole multiples of it, and begin at one. */
static uint64_t even_bytes(const struct regions_run *run)
{
    uint64_t any = 0;

    for (uint32_t i = 0; i < run->even_count; i++)
        any |= run->block[run->even[i]].first.value | run->block[run->even[i]].bytes;
    return bits_lowest(any);
}

static struct wanted screen_wanted(const struct measure *m)
{
    const struct regions_run *run = &m->regions;
    uint64_t lines = run->block[run->even[0]].bytes / m->machine->description->line_bytes;
    uint32_t samples = MEASURE_SAMPLES_MAX;

    lines = lines * run->even_count / LINES_PART;
    lines = lines < REGIONS_LINES_MAX ? lines : REGIONS_LINES_MAX;
    samples = lines / run->hops < samples ? (uint32_t)(lines / run->hops) : samples;
    return (struct wanted){.count = samples * run->hops,
                           .unit = run->hops,
                           .draw =
                               run->screen.functions.count != 0 ? draw_sample : draw_sample_bits};
}

/* Lists until the limit is as low as what is told of, or their share of the time is used up. */
static enum status screen(struct measure *m, const struct window *w,
                          const struct address_functions *functions, double base_ns)
{
    struct regions_run *run = &m->regions;
    struct random random = regions_random(m, SCREEN_SEED);
    uint64_t begun_ns = time_now_ns(m->machine);
    double share_s = budget_left_s(&m->plan->budget, begun_ns) * BUDGET_SHARE;
    struct wanted wanted;
    enum status status;

    class_screen_start(&run->screen, functions, bits_of(m), even_bytes(run));
    class_steps_of(functions, &run->steps);
    wanted = screen_wanted(m);
    status = wanted.count == 0 ? STATUS_UNSUPPORTED : STATUS_OK;
    for (uint32_t i = 0; i < LISTS_MAX && status == STATUS_OK; i++) {
        status = screen_list(m, w, &wanted, &random);
        if (class_screen_limit_ns(&run->screen) <= LIMIT_SHARE * APART_SHARE * base_ns ||
            time_since_s(m->machine, begun_ns) > share_s)
            break;
    }
    return status;
}

/* ---- one class against the others */

static enum status chase_list(struct measure *m, const struct window *w, const uint64_t *line,
                              struct region_figures *figures)
{
    struct regions_run *run = &m->regions;
    enum status status;

    memory_copy(run->line, line, run->lines * sizeof run->line[0]);
    status = regions_chase_list(m, w, run->lines, run->warm_hops, run->line[0]);
    if (status == STATUS_OK)
        regions_figures(m, figures);
    return status;
}

/* Both are built before either is chased; first: which comes first. */
static enum status measure_both(struct measure *m, const struct window *w, const unsigned class[2],
                                unsigned first, struct random *random, double ns[2])
{
    struct regions_run *run = &m->regions;
    struct region_figures figures;
    uint64_t *list[2] = {run->other, run->drawn};
    enum status status = STATUS_OK;

    for (unsigned i = 0; i < 2 && status == STATUS_OK; i++) {
        struct wanted wanted = {
            .count = run->lines, .unit = 1, .class = class[first ^ i], .draw = draw_single};
        if (!draw_list(m, &wanted, random))
            return STATUS_UNSUPPORTED;
        memory_copy(list[i], run->line, run->lines * sizeof run->line[0]);
        status = regions_build_list(m, w, run->lines);
    }
    for (unsigned i = 0; i < 2 && status == STATUS_OK; i++) {
        status = chase_list(m, w, list[i], &figures);
        ns[first ^ i] = figures.ns;
    }
    return status == STATUS_OK ? regions_go_on(m) : status;
}

/* Lines of a group in turns with those of another one of the same functions, each in its turn: of
 * all others together there are more in each bank's reach, and fewer find their row open. What
 * explained[] explains of the difference is taken off *left. */
static enum status compare(struct measure *m, const struct window *w, struct random *random,
                           const struct regions_classes *explained, struct class_told *told,
                           struct region_difference *left)
{
    struct regions_run *run = &m->regions;
    unsigned others = (1u << told->group.functions.count) - 1;
    double difference[REGIONS_ROUNDS], rest[REGIONS_ROUNDS], base = 0, doubt, doubts = 0;
    enum status status = STATUS_OK;

    class_steps_of(&told->group.functions, &run->steps);
    for (uint32_t i = 0; i < REGIONS_ROUNDS; i++) {
        /* The factor has none in common with any number of others: each comes as often. */
        unsigned class[2] = {told->group.parities,
                             told->group.parities ^ (1 + i * OTHERS_STEP % others)};
        struct class_group other = {told->group.functions, class[1]};
        double ns[2];
        status = measure_both(m, w, class, i / 2 % 2, random, ns);
        if (status != STATUS_OK)
            return status;
        difference[i] = ns[0] - ns[1];
        rest[i] = difference[i] - classes_explained_ns(explained->told, explained->told_count,
                                                       &told->group, &other, &doubt);
        doubts += doubt / REGIONS_ROUNDS;
        base += ns[1] / REGIONS_ROUNDS;
    }
    classes_even(difference, others);
    classes_even(rest, others);
    told->base_ns = base;
    told->difference = regions_compare(difference, base);
    *left = regions_compare(rest, base);
    left->sure = left->sure && left->ns > doubts;
    return STATUS_OK;
}

static enum status compare_shortly(struct measure *m, const struct window *w, struct random *random,
                                   const struct regions_classes *explained, struct class_told *told,
                                   struct region_difference *left)
{
    struct regions_chain whole = regions_shorten(&m->regions);
    enum status status = compare(m, w, random, explained, told, left);

    regions_lengthen(&m->regions, &whole);
    return status;
}

static bool is_slower(const struct region_difference *difference)
{
    return difference->sure && difference->ns > 0;
}

static enum status confirm_group(struct measure *m, const struct window *w, struct random *random,
                                 const struct class_group *group, struct regions_classes *classes)
{
    struct class_told told = {.group = *group};
    struct region_difference left;
    enum status status;

    if (classes->told_count == CLASSES_KEPT)
        return STATUS_OK;
    status = compare_shortly(m, w, random, classes, &told, &left);
    if (status == STATUS_OK && is_slower(&told.difference) && is_slower(&left))
        classes->told[classes->told_count++] = told;
    return status;
}

/* Where a part of the lines is slower than half of them are, both stand out as one group: what the
 * half has beside that is told too. */
static enum status confirm(struct measure *m, const struct window *w, struct random *random,
                           const struct class_effect *effect, struct regions_classes *classes)
{
    unsigned functions = effect->group.functions.count, told = classes->told_count;
    enum status status = confirm_group(m, w, random, &effect->group, classes);

    if (functions == 1 || classes->told_count == told)
        return status;
    for (unsigned some = 1; some < 1u << functions && status == STATUS_OK; some++) {
        struct class_group half = class_half(&effect->group, some);
        status = confirm_group(m, w, random, &half, classes);
    }
    return status;
}

/* Two halves of the lines, to learn how exactly groups are compared. */
static enum status measure_control(struct measure *m, const struct window *w, struct random *random,
                                   double base_ns, struct regions_classes *classes)
{
    const struct class_screen *screen = &m->regions.screen;
    uint64_t bits = screen->bits & screen->inner;
    const struct address_functions *functions = &screen->functions;
    struct class_told control = {
        .group.functions = {1, {functions->count != 0 ? functions->mask[0] : bits_lowest(bits)}}};
    struct region_difference left;
    unsigned part = functions->count == 0 || functions->count > CLASSES_PART_MAX ? CLASSES_PART_MAX
                                                                                 : functions->count;
    enum status status = compare_shortly(m, w, random, classes, &control, &left);

    if (status != STATUS_OK)
        return status;
    classes->masks = screen->masks;
    classes->by_bits = functions->count == 0;
    classes->limit_ns =
        classes_limit_ns(class_screen_limit_ns(screen), base_ns, &control.difference);
    classes->part = 1u << part;
    classes->part_limit_ns =
        classes_limit_ns(class_screen_part_limit_ns(screen, part), base_ns, &control.difference);
    classes->known = true;
    return STATUS_OK;
}

/* Bits and pairs that were found are functions like those of banks, and are compared once more. */
static enum status find_groups(struct measure *m, const struct window *w, double base_ns,
                               struct class_effect effect[CLASSES_KEPT], uint32_t *count)
{
    struct regions_run *run = &m->regions;
    struct address_functions functions;
    enum status status;

    *count = class_screen_find(&run->screen, effect);
    if (run->screen.functions.count != 0 || *count == 0)
        return STATUS_OK;
    class_functions_of(effect, *count, &functions);
    status = screen(m, w, &functions, base_ns);
    *count = status == STATUS_OK ? class_screen_find(&run->screen, effect) : 0;
    return status;
}

/* ---- one node */

static void sort_even(struct regions_run *run)
{
    for (uint32_t gap = run->even_count / 2; gap > 0; gap /= 2)
        for (uint32_t i = gap; i < run->even_count; i++) {
            uint32_t kept = run->even[i], at = i;
            for (; at >= gap &&
                   run->block[run->even[at - gap]].first.value > run->block[kept].first.value;
                 at -= gap)
                run->even[at] = run->even[at - gap];
            run->even[at] = kept;
        }
}

/* Blocks of one node that are alike, as far as is known. */
static void find_even(struct regions_run *run, uint32_t first, uint32_t end)
{
    run->even_count = 0;
    for (uint32_t i = first; i < end; i++) {
        const struct region_block *block = &run->block[i];
        if (block->state == REGION_COMPARED && !block->told && !block->differs)
            run->even[run->even_count++] = i;
    }
    sort_even(run);
}

static enum status classes_of_node(struct measure *m, const struct window *w, uint32_t first,
                                   uint32_t end, double base_ns, struct regions_classes *classes)
{
    struct random random = regions_random(m, SCREEN_SEED + 1);
    struct class_effect effect[CLASSES_KEPT];
    struct regions_run *run = &m->regions;
    uint32_t count = 0;
    enum status status;

    find_even(run, first, end);
    if (run->even_count == 0)
        return STATUS_UNSUPPORTED;
    status = screen(m, w, &run->mapping.functions, base_ns);
    if (status == STATUS_OK)
        status = measure_control(m, w, &random, base_ns, classes);
    if (status == STATUS_OK)
        status = find_groups(m, w, base_ns, effect, &count);
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++)
        status = confirm(m, w, &random, &effect[i], classes);
    return status;
}

/* ---- the mapping */

static bool can_search(const struct measure *m)
{
    return m->plan->probes && m->machine->description->loads & 1u << LOAD_FLUSH;
}

static enum status find_mapping(struct measure *m, const struct window *w,
                                const struct point *point)
{
    struct regions_run *run = &m->regions;
    enum status status;

    if (!can_search(m))
        return STATUS_OK;
    status = banks_find(m, w, point->bytes, &run->banks);
    if (status != STATUS_OK)
        return status;
    banks_emit(m, point, &run->banks);
    run->mapped = run->banks.verdict == BANKS_LINEAR;
    if (run->mapped)
        run->mapping = run->banks.mapping;
    return STATUS_OK;
}

void regions_note_classes(struct measure *m, enum status status, bool known)
{
    uint64_t side_bytes = m->machine->description->side_cache_bytes;

    bool stopped = status == STATUS_LATE || status == STATUS_ABORTED || status == STATUS_FAULT;
    const char *why = status == STATUS_LATE    ? "the budget ended"
                      : status == STATUS_FAULT ? "memory reads wrong"
                                               : "the run was stopped";

    if (known && (stopped || status == STATUS_UNSUPPORTED))
        journal_note_format(m->journal, SEVERITY_WARNING,
                            "not all that was found by address bits was measured again", "%s",
                            stopped ? why : "there are too few lines in it");
    else if (status == STATUS_UNSUPPORTED)
        journal_note_format(m->journal, SEVERITY_INFO, "lines are not compared by address bits",
                            "there are too few lines in blocks that do not differ");
    else if (stopped)
        journal_note_format(m->journal, SEVERITY_WARNING, "lines are not compared by address bits",
                            "%s; a slow rank or channel that is spread over all blocks would not "
                            "show",
                            why);
    else if (status == STATUS_OK && side_bytes != 0)
        journal_note_format(m->journal, SEVERITY_WARNING, "lines may be in a cache",
                            "those compared by address bits are read soon after they are written, "
                            "and a memory-side cache of %s cannot be emptied: a slow rank may not "
                            "show",
                            TEXT_SIZE(side_bytes));
}

/* Without blocks that turn out to read wrong; *wrong: there was no end of them. */
static enum status classes_of_right(struct measure *m, const struct window *w, uint32_t first,
                                    uint32_t end, uint32_t node, bool *wrong)
{
    struct regions_run *run = &m->regions;
    struct regions_classes *classes = &run->classes[node];
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < WRONG_TRIES && status == STATUS_OK; i++) {
        memory_fill(classes, 0, sizeof *classes);
        status = classes_of_node(m, w, first, end, run->base[node].ns, classes);
        if (!regions_blame(m, &status, REGIONS_ANY))
            return status;
        status = regions_go_on(m);
    }
    *wrong = status == STATUS_OK;
    return status;
}

enum status regions_classes(struct measure *m, const struct window *w, const struct point *point)
{
    struct regions_run *run = &m->regions;
    enum status status = find_mapping(m, w, point);
    uint32_t node = 0, end;
    bool wrong;

    for (uint32_t i = 0; i < run->count && status == STATUS_OK && node < run->node_count; i = end) {
        wrong = false;
        end = i + 1;
        while (end < run->count && run->block[end].node == run->block[i].node)
            end++;
        status = classes_of_right(m, w, i, end, node, &wrong);
        node++;
        regions_note_classes(m, wrong ? STATUS_FAULT : status, run->classes[node - 1].known);
        if (status == STATUS_UNSUPPORTED)
            status = STATUS_OK;
    }
    if (node == 0)
        regions_note_classes(m, status, false);
    return status;
}
