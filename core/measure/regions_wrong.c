/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that reads wrong under a chain: of which blocks it is. These are left out from then on,
 * and the others are measured. */
#include "core/measure/regions_run.h"

#define NOTES_MAX 16

static bool holds(const struct region_block *block, uint64_t offset)
{
    return offset >= block->offset && offset - block->offset < block->bytes;
}

static uint32_t block_of(const struct regions_run *run, uint64_t offset)
{
    for (uint32_t i = 0; i < run->count; i++)
        if (holds(&run->block[i], offset))
            return i;
    return REGIONS_ANY;
}

/* ---- blocks whose memory it is */

/* Of the nodes that have been found bad last. */
struct bad_nodes {
    uint64_t count, bits;
};

static struct bad_nodes nodes_in(const struct measure *m, const struct region_block *block)
{
    const struct chain_check *check = &m->diagnosis.check;
    struct bad_nodes nodes = {0, 0};

    for (uint64_t i = 0; i < check->errors && i < CHAIN_ERRORS_MAX; i++) {
        const struct chain_error *error = &check->error[i];
        if (!holds(block, error->offset))
            continue;
        nodes.count++;
        nodes.bits |= error->expected ^ error->read;
    }
    return nodes;
}

static void note_block(struct measure *m, const struct region_block *block)
{
    static const char what[] = "memory reads wrong in a block";
    uint64_t first = block->first.value, last = first + block->bytes - 1;
    struct bad_nodes nodes = nodes_in(m, block);

    if (m->regions.wrong > NOTES_MAX)
        return;
    if (nodes.count == 0)
        journal_note_format(m->journal, SEVERITY_WARNING, what,
                            "0x%lx to 0x%lx, %s: a chain there led astray, yet reads back right; "
                            "the block is left out",
                            first, last, TEXT_SIZE(block->bytes));
    else
        journal_note_format(m->journal, SEVERITY_WARNING, what,
                            "0x%lx to 0x%lx, %s: %s%lu pointer%s of a chain there, in bits 0x%lx; "
                            "the block is left out",
                            first, last, TEXT_SIZE(block->bytes),
                            m->diagnosis.check.errors > CHAIN_ERRORS_MAX ? "at least " : "",
                            nodes.count, text_plural(nodes.count), nodes.bits);
}

static void make_wrong(struct measure *m, uint32_t number)
{
    struct region_block *block = &m->regions.block[number];

    if (block->state == REGION_WRONG)
        return;
    m->regions.measured -= region_is_measured(block);
    block->state = REGION_WRONG;
    m->regions.wrong++;
    note_block(m, block);
}

bool regions_blame(struct measure *m, enum status *status, uint32_t number)
{
    const struct chain_check *check = &m->diagnosis.check;
    struct regions_run *run = &m->regions;

    if (*status != STATUS_FAULT || !run->astray)
        return false;
    for (uint64_t i = 0; i < check->errors && i < CHAIN_ERRORS_MAX; i++) {
        uint32_t of = block_of(run, check->error[i].offset);
        if (of != REGIONS_ANY)
            make_wrong(m, of);
    }
    if (check->errors == 0 && number != REGIONS_ANY)
        make_wrong(m, number);
    if (check->errors == 0 && number == REGIONS_ANY)
        journal_note_format(m->journal, SEVERITY_WARNING,
                            "a chain through several blocks led astray",
                            "it reads back right, so that of which block it is is not known: what "
                            "the chain was to tell is left out");
    *status = STATUS_OK;
    return true;
}

void regions_note_wrong(struct measure *m)
{
    const struct regions_run *run = &m->regions;

    if (run->wrong > NOTES_MAX)
        journal_note_format(m->journal, SEVERITY_WARNING, "memory reads wrong in many blocks",
                            "%u in all: records of kind gap name them", run->wrong);
    diagnose_note_untold(m->journal, run->wrong_nodes, run->told_nodes);
}

/* ---- blocks that it led into */

struct led {
    uint32_t block[CHAIN_ERRORS_MAX + 1];
    uint32_t count;
};

static void add_led(const struct measure *m, const struct window *w, uintptr_t address,
                    uint32_t number, struct led *led)
{
    uint32_t block = address >= w->base && address - w->base < w->bytes
                         ? block_of(&m->regions, address - w->base)
                         : REGIONS_ANY;

    for (uint32_t i = 0; i < led->count; i++)
        if (led->block[i] == block)
            return;
    if (block != REGIONS_ANY && block != number)
        led->block[led->count++] = block;
}

enum status regions_stirred(struct measure *m, const struct window *w, uint32_t number,
                            enum status (*visit)(struct measure *m, const struct window *w,
                                                 uint32_t number))
{
    const struct chain_check *check = &m->diagnosis.check;
    struct led led = {.count = 0};
    enum status status = STATUS_OK;

    add_led(m, w, m->regions.stands, number, &led);
    for (uint64_t i = 0; i < check->errors && i < CHAIN_ERRORS_MAX; i++)
        add_led(m, w, (uintptr_t)check->error[i].read, number, &led);
    for (uint32_t i = 0; i < led.count && status == STATUS_OK; i++)
        status = visit(m, w, led.block[i]);
    return status;
}
