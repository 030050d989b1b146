/* SPDX-License-Identifier: BSD-2-Clause */
/* Part of core/chase/kernels.h: one step of a march test (core/chase/march.h). */
#ifndef CORE_CHASE_KERNELS_MARCH_H
#define CORE_CHASE_KERNELS_MARCH_H

#include "core/chase/kernels_sample.h"
#include "core/chase/march.h"

/* Lines whose numbers are computed at once. */
#define KERNEL_MARCH_RUN 64

/* Enters the words of a line that were read wrong. In the same quiet section each is read again,
 * past every cache: what a transfer has spoilt reads right then, what memory holds does not. */
KERNEL_NOINLINE void kernel_march_wrong(const struct march_step *step, uintptr_t address,
                                        uint64_t line, const march_pair read[MARCH_PAIRS])
{
    struct march_form form = march_form_of(step->expected);
    struct march_line expected = march_line_of(&form, line, random_mix(line ^ step->key));
    march_pair pair = {0, 0};

    for (unsigned i = 0; i < MARCH_WORDS; i++) {
        uint64_t word, got = read[i / 2][i % 2], again[MARCH_REREADS];
        uint64_t offset = line * MARCH_LINE_BYTES + i * sizeof word;
        bool rereads;
        if (i % 2 == 0)
            pair = march_next_pair(&expected);
        word = pair[i % 2];
        rereads = got != word && march_rereads(step->errors, offset);
        for (unsigned n = 0; rereads && n < MARCH_REREADS; n++) {
            KERNEL_FLUSH(address);
            again[n] = KERNEL_WORD(address + i * sizeof word);
        }
        if (got != word)
            march_enter(step->errors, offset, word, got, rereads ? again : NULL);
    }
}

#define KERNEL_MARCH_READ(n)                                          \
    march_pair read##n = KERNEL_PAIR(address + (n) * sizeof read##n); \
    wrong |= read##n ^ march_next_pair(&expected)

KERNEL_INLINE void kernel_march_read(const struct march_step *step, const struct march_form *form,
                                     uintptr_t address, uint64_t line, uint64_t hash)
{
    struct march_line expected = march_line_of(form, line, hash);
    march_pair wrong = {0, 0};
    KERNEL_MARCH_READ(0);
    KERNEL_MARCH_READ(1);
    KERNEL_MARCH_READ(2);
    KERNEL_MARCH_READ(3);

    if (__builtin_expect((wrong[0] | wrong[1]) != 0, 0)) {
        const march_pair read[] = {read0, read1, read2, read3};
        kernel_march_wrong(step, address, line, read);
    }
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
 * to another is seen when that one is read. */
KERNEL_NOINLINE void kernel_march_run(const struct march_step *step, const struct window *w,
                                      const uint64_t line[], uint32_t count)
{
    const struct march_data none = {MARCH_ADDRESS, false};
    bool reads = step->expected != NULL, writes = step->written != NULL;
    struct march_form expected = march_form_of(reads ? step->expected : &none);
    struct march_form written = march_form_of(writes ? step->written : &none);
    bool hashed = expected.pattern != MARCH_ADDRESS || written.pattern != MARCH_ADDRESS;
    uint64_t key = step->key;
    uintptr_t base = w->base;

    for (uint32_t i = 0; i < count; i++) {
        uintptr_t address = base + (uintptr_t)(line[i] * MARCH_LINE_BYTES);
        uint64_t hash = hashed ? random_mix(line[i] ^ key) : 0;
        if (reads)
            kernel_march_read(step, &expected, address, line[i], hash);
        if (writes)
            kernel_march_write(&written, address, line[i], hash);
    }
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
        uint32_t next;
        first += count;
        next = kernel_march_expect(step, w, first, end, line[run ^ 1]);
        kernel_march_run(step, w, line[run], count);
        run ^= 1;
        count = next;
    }
    KERNEL_STORE_DRAIN();
}

#endif
