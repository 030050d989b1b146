/* SPDX-License-Identifier: BSD-2-Clause */
/* Part of core/chase/kernels.h: one step of a march test (core/chase/march.h). */
#ifndef CORE_CHASE_KERNELS_MARCH_H
#define CORE_CHASE_KERNELS_MARCH_H

#include "core/chase/kernels_sample.h"
#include "core/chase/march.h"

/* Lines whose numbers are computed at once. */
#define KERNEL_MARCH_RUN 64

/* In the same quiet section a word is read again, past every cache: what a transfer has spoilt
 * reads right then, what memory holds does not. */
KERNEL_INLINE struct march_reread kernel_march_reread(uintptr_t line, unsigned word,
                                                      uint64_t expected)
{
    struct march_reread again = {.wrong = 0};

    for (unsigned n = 0; n < MARCH_REREADS; n++) {
        KERNEL_FLUSH(line);
        again.last = KERNEL_WORD(line + word * sizeof again.last);
        again.wrong += again.last != expected;
    }
    return again;
}

/* Keeps a line that was read wrong. Which of its words need not be read again is only known when
 * all before them are entered. False: there is room for no other. */
KERNEL_INLINE bool kernel_march_keep(struct march_share *share, const struct march_found *found)
{
    uint32_t index = __atomic_fetch_add(&share->count, 1, __ATOMIC_RELAXED);
    bool goes_on = index < MARCH_FOUND_MAX - MARCH_STOPS_MAX;

    share->found[index] = *found;
    if (goes_on)
        share->found[index].end = found->pos + 1;
    return goes_on;
}

/* Enters the words of a line that were read wrong, or keeps the line. False: its part ends here. */
KERNEL_NOINLINE bool kernel_march_wrong(const struct march_step *step, uintptr_t address,
                                        struct march_found *found)
{
    struct march_form form = march_form_of(step->expected);
    uint64_t hash = random_mix(found->line ^ step->key);
    struct march_line expected = march_line_of(&form, found->line, hash);
    march_pair pair = {0, 0};

    for (unsigned i = 0; i < MARCH_WORDS; i++) {
        uint64_t offset = found->line * MARCH_LINE_BYTES + i * sizeof offset, word;
        bool rereads;
        if (i % 2 == 0)
            pair = march_next_pair(&expected);
        word = pair[i % 2];
        if (found->read[i] == word)
            continue;
        rereads = step->share != NULL || march_rereads(step->errors, offset);
        if (rereads)
            found->again[i] = kernel_march_reread(address, i, word);
        if (step->share == NULL)
            march_enter(step->errors, offset, word, found->read[i],
                        rereads ? &found->again[i] : NULL);
    }
    return step->share == NULL || kernel_march_keep(step->share, found);
}

#define KERNEL_MARCH_READ(n)                                          \
    march_pair read##n = KERNEL_PAIR(address + (n) * sizeof read##n); \
    wrong |= read##n ^ march_next_pair(&expected)

/* Lines of a part that follow each other in the order. */
struct kernel_march_lines {
    const uint64_t *line;
    uint64_t pos, end; /* the first one's position, and up to where the part goes */
};

/* The line at *at was read as `read`. False: the part ends with it. */
KERNEL_NOINLINE bool kernel_march_found(const struct march_step *step, uintptr_t address,
                                        const struct kernel_march_lines *lines, const uint64_t *at,
                                        const march_pair read[MARCH_PAIRS])
{
    struct march_found found = {
        .pos = lines->pos + (uint64_t)(at - lines->line), .line = *at, .end = lines->end};

    for (unsigned word = 0; word < MARCH_WORDS; word++)
        found.read[word] = read[word / 2][word % 2];
    return kernel_march_wrong(step, address, &found);
}

/* Reads the line at *at of them; returns as kernel_march_found. */
KERNEL_INLINE bool kernel_march_read(const struct march_step *step, const struct march_form *form,
                                     uintptr_t address, uint64_t line, uint64_t hash,
                                     const struct kernel_march_lines *lines, const uint64_t *at)
{
    struct march_line expected = march_line_of(form, line, hash);
    march_pair wrong = {0, 0};
    KERNEL_MARCH_READ(0);
    KERNEL_MARCH_READ(1);
    KERNEL_MARCH_READ(2);
    KERNEL_MARCH_READ(3);

    if (__builtin_expect((wrong[0] | wrong[1]) != 0, 0)) {
        const march_pair read[] = {read0, read1, read2, read3};
        return kernel_march_found(step, address, lines, at, read);
    }
    return true;
}

KERNEL_INLINE void kernel_march_write(const struct march_form *form, uintptr_t address,
                                      uint64_t line, uint64_t hash)
{
    struct march_line written = march_line_of(form, line, hash);

    for (unsigned i = 0; i < MARCH_PAIRS; i += 2) {
        march_pair first = march_next_pair(&written), second = march_next_pair(&written);
        KERNEL_STORE_PAIRS(address + i * sizeof first, first, second);
    }
    KERNEL_STORED_LINE(address);
}

/* Each line is read and written before the next one, as a march test has it: what writing one does
 * to another is seen when that one is read. False: the part ended with one of them. */
KERNEL_NOINLINE bool kernel_march_run(const struct march_step *step, const struct window *w,
                                      const struct kernel_march_lines *lines, uint32_t count)
{
    const struct march_data none = {MARCH_ADDRESS, false};
    bool reads = step->expected != NULL, writes = step->written != NULL, goes_on = true;
    struct march_form expected = march_form_of(reads ? step->expected : &none);
    struct march_form written = march_form_of(writes ? step->written : &none);
    bool hashed = expected.pattern != MARCH_ADDRESS || written.pattern != MARCH_ADDRESS;
    const uint64_t *last = lines->line + count;
    uint64_t key = step->key;
    uintptr_t base = w->base;

    for (const uint64_t *at = lines->line; at < last; at++) {
        uint64_t line = *at, hash = hashed ? random_mix(line ^ key) : 0;
        uintptr_t address = base + (uintptr_t)(line * MARCH_LINE_BYTES);
        if (reads && !kernel_march_read(step, &expected, address, line, hash, lines, at)) {
            goes_on = false;
            last = at;
        }
        if (writes)
            kernel_march_write(&written, address, line, hash);
    }
    return goes_on;
}

/* The next lines of the order; returns how many. Where they come in no order that a prefetcher of
 * the CPU's would know, hints bring them while those before them are worked on. All hints at once:
 * with one beside each line that is worked on, the step took half as long again (EPYC guest). */
KERNEL_INLINE uint32_t kernel_march_expect(const struct march_step *step, const struct window *w,
                                           uint64_t first, uint64_t end, uint64_t line[])
{
    uint32_t count = end - first < KERNEL_MARCH_RUN ? (uint32_t)(end - first) : KERNEL_MARCH_RUN;

    march_lines(step, first, count, line);
    if (step->order == MARCH_SHUFFLED || step->order == MARCH_LISTED)
        for (uint32_t i = 0; i < count; i++)
            KERNEL_HINT_T0(0, w->base + (uintptr_t)(line[i] * MARCH_LINE_BYTES));
    return count;
}

/* A window_work: the positions [first, end) of a struct march_step's order. */
static void kernel_march(void *arg, const struct window *w, uint64_t first, uint64_t end)
{
    const struct march_step *step = arg;
    uint64_t line[2][KERNEL_MARCH_RUN];
    uint32_t run = 0, count = kernel_march_expect(step, w, first, end, line[0]);

    while (count != 0) {
        const struct kernel_march_lines lines = {.line = line[run], .pos = first, .end = end};
        uint32_t next;
        first += count;
        next = kernel_march_expect(step, w, first, end, line[run ^ 1]);
        count = kernel_march_run(step, w, &lines, count) ? next : 0;
        run ^= 1;
    }
    KERNEL_STORE_DRAIN();
}

#endif
