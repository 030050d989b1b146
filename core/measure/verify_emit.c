/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/dram/badram.h"
#include "core/lib/real.h"
#include "core/lib/u64.h"
#include "core/measure/regions_run.h"
#include "core/measure/verify_run.h"
#include "core/names.h"
#include "core/options/experiments.h"
#include "core/plan/names.h"

#define RANGES_MAX  256
#define APART_SHARE 0.001 /* below it are single pages that the firmware took meanwhile */

static const char *experiment_of(const struct point *point)
{
    return experiment_list[point->experiment].name;
}

static phys_addr physical_of(const struct measure *m, const struct window *w, uint64_t offset)
{
    return m->machine->window_phys(m->machine->self, w, offset);
}

/* ---- the summary */

static const char *cut_by(enum status status)
{
    switch (status) {
    case STATUS_OK:
        return NULL;
    case STATUS_ABORTED:
        return "stopped";
    case STATUS_LATE:
        return "budget";
    default:
        return "fault";
    }
}

/* Whole pages in pieces as long as they come, which is where this pass was. */
static void enter_tested(struct measure *m, const struct window *w, uint64_t bytes)
{
    struct verify_run *run = &m->verify;

    if (m->machine->description->hides_physical)
        return;
    m->regions.page_bytes = 1ull << w->page;
    m->regions.block_bytes = PHYS_ALL;
    regions_cut(m, w, bytes);
    for (uint32_t i = 0; i < m->regions.count; i++) {
        const struct region_block *block = &m->regions.block[i];
        run->listed = phys_ranges_add(run->tested, &run->tested_count, VERIFY_TESTED_MAX,
                                      (struct phys_range){block->first, block->bytes}) &&
                      run->listed;
    }
}

/* What of the memory map was tested; false: where that lies is not to be known. */
static bool cover(struct measure *m, const struct point *point, struct coverage *coverage)
{
    const struct verify_run *run = &m->verify;

    if (m->machine->description->hides_physical)
        return false;
    m->regions.page_bytes = plan_pages_bytes(point);
    m->regions.unreached = GAP_LATE;
    m->regions.count = (uint32_t)run->tested_count;
    for (uint32_t i = 0; i < run->tested_count; i++)
        m->regions.block[i] = (struct region_block){
            .first = run->tested[i].base, .bytes = run->tested[i].bytes, .state = REGION_COMPARED};
    regions_cover(m, coverage);
    return true;
}

static void emit_summary(struct measure *m, const struct point *point, enum status status,
                         const struct coverage *coverage)
{
    const struct coverage_node *least = coverage != NULL ? coverage_least(coverage) : NULL;
    const struct verify_run *run = &m->verify;
    const struct verify_sums *sums = &run->sums;
    struct record record = {.kind = RECORD_VERIFY};

    record.u.verify = (struct record_verify){
        .experiment = experiment_of(point),
        .pages_bytes = plan_pages_bytes(point),
        .frames = frame_order_names[point->frames],
        .map = map_names[point->map],
        .seed = m->options->seed,
        .bytes = sums->bytes,
        .memory_bytes = coverage != NULL ? coverage->memory_bytes : RECORD_UNKNOWN,
        .gap_bytes = coverage != NULL ? coverage->gap_bytes : RECORD_UNKNOWN,
        .least_node = least != NULL && least->node != NODE_UNKNOWN ? least->node : RECORD_UNKNOWN,
        .least_share =
            least != NULL ? 1 - (double)least->gap_bytes / (double)least->memory_bytes : real_nan(),
        .apart_share = status == STATUS_OK ? verify_parts_apart(&run->parts) : real_nan(),
        .steps = sums->steps,
        .steps_done = sums->steps_done,
        .cut_by = cut_by(status),
        .written_bytes = sums->written_bytes,
        .read_bytes = sums->read_bytes,
        .hold_s = m->options->hold_s,
        .seconds = run->seconds,
        .bytes_per_s =
            run->seconds > 0 ? (double)run->moved * MARCH_LINE_BYTES / run->seconds : real_nan(),
        .processors = run->processors,
        .events = sums->events,
        .unlisted = sums->unlisted,
        .words = sums->words,
        .stored = sums->causes[VERIFY_STORED],
        .transfers = sums->causes[VERIFY_TRANSFER],
        .aliases = sums->causes[VERIFY_ALIAS],
        .outside = sums->causes[VERIFY_OUTSIDE],
        .lane_events = sums->events != 0 ? sums->lanes : NULL};
    journal_emit(m->journal, &record);
}

/* ---- words */

static void add_to_parts(struct measure *m, const struct record_error *error)
{
    struct verify_sums *sums = &m->verify.sums;
    uint32_t number;

    if (error->physical_address.value == RECORD_UNKNOWN)
        return;
    if (slots_slot(&m->slots, error->physical_address, &number)) {
        sums->slot[number].words++;
        sums->slot[number].events += error->events;
    }
    if (slots_bank(&m->slots, error->physical_address, &number)) {
        sums->bank[number].words++;
        sums->bank[number].events += error->events;
    }
}

static void emit_part(struct measure *m, const struct point *point, const char *by,
                      const char *name, const struct verify_part *part)
{
    struct record record = {.kind = RECORD_BAD_PART};

    record.u.bad_part = (struct record_bad_part){.experiment = experiment_of(point),
                                                 .by = by,
                                                 .name = name,
                                                 .words = part->words,
                                                 .events = part->events};
    journal_emit(m->journal, &record);
}

static void emit_parts(struct measure *m, const struct point *point)
{
    const struct verify_sums *sums = &m->verify.sums;
    uint32_t banks = 1u << m->slots.found.functions.count;
    char bank[32];

    for (uint32_t i = 0; i < 1u << m->slots.decode.masks; i++)
        if (sums->slot[i].words != 0)
            emit_part(m, point, "slot", slots_name(&m->slots, i), &sums->slot[i]);
    for (uint32_t i = 0; i < banks; i++)
        if (sums->bank[i].words != 0) {
            text_print(bank, sizeof bank, "%u of %u", i, banks);
            emit_part(m, point, "bank", bank, &sums->bank[i]);
        }
}

/* Of a range that has a record: a pass before has found it. */
static bool is_known(const struct verify_run *run, phys_addr address)
{
    bool inside = false;

    if (address.value != RECORD_UNKNOWN)
        (void)phys_ranges_same(run->bad, run->bad_count, address, phys_make(address.value + 1),
                               &inside);
    return inside;
}

static void emit_word(struct measure *m, const struct window *w, uint64_t bytes, uint32_t index)
{
    const struct march_word *word = &m->verify.errors.word[index];
    struct verify_verdict verdict =
        verify_judge(&m->verify.errors, index, bytes, m->verify.retested);
    struct record record = {.kind = RECORD_ERROR, .u.error = record_error_of("memory")};
    struct record_error *error = &record.u.error;

    error->physical_address = physical_of(m, w, word->offset);
    if (is_known(&m->verify, error->physical_address))
        return;
    m->verify.sums.words++;
    error->expected = word->expected;
    error->read = word->read;
    error->reread = word->reread;
    error->cause = verify_kind_name(verdict.kind);
    error->bits = word->bits;
    error->events = word->events;
    if (verdict.kind == VERIFY_ALIAS)
        error->alias_address = physical_of(m, w, verdict.alias_offset);
    m->verify.sums.causes[verdict.kind]++;
    add_to_parts(m, error);
    journal_emit(m->journal, &record);
}

/* ---- ranges */

struct ranges {
    struct measure *m;
    const char *experiment;
    uint64_t first, end, events; /* of the one that grows; first == end: none does */
    uint32_t count, left_out;
};

static void close_range(struct ranges *ranges)
{
    struct verify_run *run = &ranges->m->verify;
    uint64_t bytes = ranges->end - ranges->first;
    struct record record = {.kind = RECORD_BAD_MEMORY};
    char memmap[64], badram[420];
    struct text line;

    if (bytes == 0)
        return;
    if (ranges->count++ >= RANGES_MAX) {
        ranges->left_out++;
        return;
    }
    text_start(&line, memmap, sizeof memmap);
    badram_memmap(phys_make(ranges->first), bytes, &line);
    text_start(&line, badram, sizeof badram);
    badram_grub(phys_make(ranges->first), bytes, &line);
    record.u.bad_memory = (struct record_bad_memory){.experiment = ranges->experiment,
                                                     .physical_first = phys_make(ranges->first),
                                                     .physical_last = phys_make(ranges->end - 1),
                                                     .bytes = bytes,
                                                     .events = ranges->events,
                                                     .memmap = memmap,
                                                     .badram = badram};
    journal_emit(ranges->m->journal, &record);
    (void)phys_ranges_add(run->bad, &run->bad_count, VERIFY_BAD_MAX,
                          (struct phys_range){phys_make(ranges->first), bytes});
}

static void add_range(struct ranges *ranges, uint64_t first, uint64_t end, uint64_t events)
{
    if (first != ranges->end || ranges->first == ranges->end) {
        /* Two pieces may share a page. */
        if (ranges->first < ranges->end && first >= ranges->first && first < ranges->end) {
            ranges->end = end > ranges->end ? end : ranges->end;
            ranges->events += events;
            return;
        }
        close_range(ranges);
        ranges->first = first;
        ranges->events = 0;
    }
    ranges->end = end;
    ranges->events += events;
}

/* But for what has a record. Its events are told with the first range. */
static void add_new(struct ranges *ranges, uint64_t first, uint64_t end, uint64_t *events)
{
    const struct verify_run *run = &ranges->m->verify;

    while (first < end) {
        bool inside;
        phys_addr edge =
            phys_ranges_same(run->bad, run->bad_count, phys_make(first), phys_make(end), &inside);
        if (!inside) {
            add_range(ranges, first, edge.value, *events);
            *events = 0;
        }
        first = edge.value;
    }
}

/* A piece of the window may be of several frames. */
static void add_piece(struct ranges *ranges, const struct window *w,
                      const struct march_piece *piece)
{
    uint64_t page = 1ull << w->page, events = piece->events;
    uint64_t pos = piece->first * MARCH_LINE_BYTES & ~(uint64_t)(BADRAM_PAGE_BYTES - 1);
    uint64_t end = (piece->last + 1) * MARCH_LINE_BYTES;

    end = (end + BADRAM_PAGE_BYTES - 1) & ~(uint64_t)(BADRAM_PAGE_BYTES - 1);
    while (pos < end) {
        uint64_t left = page - pos % page, bytes = end - pos < left ? end - pos : left;
        uint64_t first = physical_of(ranges->m, w, pos).value;
        add_new(ranges, first, first + bytes, &events);
        pos += bytes;
    }
}

/* Whether a device or the firmware wrote what was wrong in a piece. A word that is bad goes on
 * being so and would be listed; of pieces without a listed word nothing is known. */
static bool is_from_outside(const struct measure *m, uint64_t bytes, uint32_t piece)
{
    const struct march_errors *errors = &m->verify.errors;
    bool outside = false;

    for (uint32_t i = 0; i < errors->count; i++) {
        if (errors->word[i].offset / MARCH_LINE_BYTES / errors->piece_lines != piece)
            continue;
        if (verify_judge(errors, i, bytes, m->verify.retested).kind != VERIFY_OUTSIDE)
            return false;
        outside = true;
    }
    return outside;
}

static void emit_ranges(struct measure *m, const struct point *point, const struct window *w,
                        uint64_t bytes)
{
    const struct march_errors *errors = &m->verify.errors;
    struct ranges ranges = {.m = m, .experiment = experiment_of(point)};

    for (uint32_t i = 0; i < errors->pieces; i++)
        if (errors->piece[i].events != 0 && !is_from_outside(m, bytes, i))
            add_piece(&ranges, w, &errors->piece[i]);
    close_range(&ranges);
    if (ranges.left_out != 0)
        journal_note_format(m->journal, SEVERITY_WARNING, "more ranges of bad memory than records",
                            "ranges without one: %u", ranges.left_out);
}

/* ---- notes */

static void note_cut(struct measure *m, enum status status)
{
    static const char what[] = "memory was not tested to the end";

    if (status == STATUS_LATE)
        journal_note_format(m->journal, SEVERITY_WARNING, what,
                            "budget= ended after %u of %u steps: without budget= it takes the "
                            "time that it needs",
                            m->verify.sums.steps_done, m->verify.sums.steps);
    else if (status != STATUS_OK)
        journal_note_format(m->journal, SEVERITY_WARNING, what, "%s after %u of %u steps",
                            cut_by(status), m->verify.sums.steps_done, m->verify.sums.steps);
}

static void note_errors(struct measure *m)
{
    const struct verify_sums *sums = &m->verify.sums;

    if (sums->unlisted != 0)
        journal_note_format(m->journal, SEVERITY_ERROR, "more bad words than error records",
                            "%lu word%s with one; others were read wrong %lu time%s", sums->words,
                            text_plural(sums->words), sums->unlisted, text_plural(sums->unlisted));
}

static void note_apart(struct measure *m, enum status status)
{
    double share = verify_parts_apart(&m->verify.parts);

    if (status != STATUS_OK || share == 0)
        return;
    journal_note_format(m->journal, share < APART_SHARE ? SEVERITY_INFO : SEVERITY_WARNING,
                        "not all memory was tested as one",
                        "%.3f %% of all pairs of addresses were never held at once: where one of "
                        "such a pair changes the other, or is the same memory, it does not show",
                        100 * share);
}

/* Of what a pass has written or read, what no pass before had. */
static uint64_t new_bytes(const struct verify_run *run, uint64_t lines)
{
    uint64_t bytes = u64_min(lines, run->lines) * MARCH_LINE_BYTES;

    return bytes > run->again_bytes ? bytes - run->again_bytes : 0;
}

static void add_up(struct verify_run *run, uint64_t bytes)
{
    struct verify_sums *sums = &run->sums;

    sums->bytes += bytes - run->again_bytes;
    sums->written_bytes += new_bytes(run, run->written);
    sums->read_bytes += new_bytes(run, run->read);
    sums->events += run->errors.events;
    sums->unlisted += run->errors.unlisted;
    sums->steps += run->step_count;
    sums->steps_done += run->steps_done;
    for (unsigned lane = 0; lane < 64; lane++)
        sums->lanes[lane] += run->errors.lanes[lane];
}

void verify_end_pass(struct measure *m, const struct point *point, const struct window *w,
                     uint64_t bytes)
{
    add_up(&m->verify, bytes);
    for (uint32_t i = 0; i < m->verify.errors.count; i++)
        emit_word(m, w, bytes, i);
    if (!m->machine->description->hides_physical)
        emit_ranges(m, point, w, bytes);
    if (m->verify.again_bytes != bytes)
        enter_tested(m, w, bytes);
}

void verify_emit(struct measure *m, const struct point *point, enum status status)
{
    struct coverage coverage;
    bool covered = cover(m, point, &coverage);

    emit_summary(m, point, status, covered ? &coverage : NULL);
    emit_parts(m, point);
    if (covered)
        regions_emit_gaps(m, experiment_of(point));
    note_errors(m);
    note_apart(m, status);
    note_cut(m, status);
}
