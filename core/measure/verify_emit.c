/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/dram/badram.h"
#include "core/lib/real.h"
#include "core/measure/regions_run.h"
#include "core/measure/verify_run.h"
#include "core/names.h"
#include "core/options/experiments.h"
#include "core/plan/names.h"

#define RANGES_MAX  256
#define BLOCK_BYTES (1ull << 30) /* for what was not tested; any size would do */

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

static void count_causes(const struct measure *m, uint64_t bytes, struct record_verify *verify)
{
    const struct march_errors *errors = &m->verify.errors;
    uint64_t *const counts[] = {[VERIFY_STORED] = &verify->stored,
                                [VERIFY_TRANSFER] = &verify->transfers,
                                [VERIFY_ALIAS] = &verify->aliases,
                                [VERIFY_OUTSIDE] = &verify->outside};

    for (uint32_t i = 0; i < errors->count; i++)
        ++*counts[verify_judge(errors, i, bytes, m->verify.retested).kind];
}

/* What of the memory map was tested; false: where the window lies is not to be known. */
static bool cover(struct measure *m, const struct point *point, const struct window *w,
                  struct coverage *coverage)
{
    if (m->machine->description->hides_physical)
        return false;
    m->regions.page_bytes = 1ull << w->page;
    m->regions.block_bytes = BLOCK_BYTES;
    m->regions.late = false;
    regions_cut(m, w, point->bytes);
    for (uint32_t i = 0; i < m->regions.count; i++)
        m->regions.block[i].state = REGION_COMPARED;
    regions_cover(m, coverage);
    return true;
}

static void emit_summary(struct measure *m, const struct point *point, enum status status,
                         const struct coverage *coverage)
{
    const struct verify_run *run = &m->verify;
    struct record record = {.kind = RECORD_VERIFY};

    record.u.verify = (struct record_verify){
        .experiment = experiment_of(point),
        .pages_bytes = plan_pages_bytes(point),
        .frames = frame_order_names[point->frames],
        .map = map_names[point->map],
        .seed = m->options->seed,
        .bytes = point->bytes,
        .memory_bytes = coverage != NULL ? coverage->memory_bytes : RECORD_UNKNOWN,
        .gap_bytes = coverage != NULL ? coverage->gap_bytes : RECORD_UNKNOWN,
        .steps = VERIFY_STEPS,
        .steps_done = run->steps_done,
        .cut_by = cut_by(status),
        .hold_s = m->options->hold_s,
        .seconds = run->seconds,
        .bytes_per_s =
            run->seconds > 0 ? (double)run->moved * MARCH_LINE_BYTES / run->seconds : real_nan(),
        .events = run->errors.events,
        .unlisted = run->errors.unlisted,
        .words = run->errors.count,
        .lane_events = run->errors.events != 0 ? run->errors.lanes : NULL};
    count_causes(m, point->bytes, &record.u.verify);
    journal_emit(m->journal, &record);
}

/* ---- words */

static void emit_word(struct measure *m, const struct point *point, const struct window *w,
                      uint32_t index)
{
    const struct march_word *word = &m->verify.errors.word[index];
    struct verify_verdict verdict =
        verify_judge(&m->verify.errors, index, point->bytes, m->verify.retested);
    struct record record = {.kind = RECORD_ERROR, .u.error = record_error_of("memory")};
    struct record_error *error = &record.u.error;

    error->physical_address = physical_of(m, w, word->offset);
    error->expected = word->expected;
    error->read = word->read;
    error->reread = word->reread;
    error->cause = verify_kind_name(verdict.kind);
    error->bits = word->bits;
    error->events = word->events;
    if (verdict.kind == VERIFY_ALIAS)
        error->alias_address = physical_of(m, w, verdict.alias_offset);
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

/* A piece of the window may be of several frames; its events are told with the first. */
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
        add_range(ranges, first, first + bytes, events);
        events = 0;
        pos += bytes;
    }
}

static void emit_ranges(struct measure *m, const struct point *point, const struct window *w)
{
    const struct march_errors *errors = &m->verify.errors;
    struct ranges ranges = {.m = m, .experiment = experiment_of(point)};

    for (uint32_t i = 0; i < errors->pieces; i++)
        if (errors->piece[i].events != 0)
            add_piece(&ranges, w, &errors->piece[i]);
    close_range(&ranges);
    if (ranges.left_out != 0)
        journal_note_format(m->journal, SEVERITY_WARNING, "more ranges of bad memory than records",
                            "%u further ones have none", ranges.left_out);
}

/* ---- notes */

static void note_cut(struct measure *m, enum status status)
{
    static const char what[] = "memory was not tested to the end";

    if (status == STATUS_LATE)
        journal_note_format(m->journal, SEVERITY_WARNING, what,
                            "budget= ended after %u of %u steps: without budget= it takes the "
                            "time that it needs",
                            m->verify.steps_done, VERIFY_STEPS);
    else if (status != STATUS_OK)
        journal_note_format(m->journal, SEVERITY_WARNING, what, "%s after %u of %u steps",
                            cut_by(status), m->verify.steps_done, VERIFY_STEPS);
}

static void note_errors(struct measure *m)
{
    const struct march_errors *errors = &m->verify.errors;

    if (errors->unlisted != 0)
        journal_note_format(m->journal, SEVERITY_ERROR, "more bad words than error records",
                            "%u words have one; words beyond them were read wrong %lu times",
                            errors->count, errors->unlisted);
}

void verify_emit(struct measure *m, const struct point *point, const struct window *w,
                 enum status status)
{
    struct coverage coverage;
    bool covered = cover(m, point, w, &coverage);

    emit_summary(m, point, status, covered ? &coverage : NULL);
    for (uint32_t i = 0; i < m->verify.errors.count; i++)
        emit_word(m, point, w, i);
    if (covered) {
        emit_ranges(m, point, w);
        regions_emit_gaps(m, experiment_of(point));
    }
    note_errors(m);
    note_cut(m, status);
}
