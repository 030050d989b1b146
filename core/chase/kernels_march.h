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
                                        uint64_t line, const uint64_t read[MARCH_WORDS])
{
    struct march_line expected = march_line_of(step->expected, line, random_mix(line ^ step->key));

    for (unsigned i = 0; i < MARCH_WORDS; i++) {
        uint64_t word = march_word_of(&expected, i), again[MARCH_REREADS];
        uint64_t offset = line * MARCH_LINE_BYTES + i * sizeof word;
        bool rereads = read[i] != word && march_rereads(step->errors, offset);
        for (unsigned n = 0; rereads && n < MARCH_REREADS; n++) {
            KERNEL_FLUSH(address);
            again[n] = KERNEL_WORD(address + i * sizeof word);
        }
        if (read[i] != word)
            march_enter(step->errors, offset, word, read[i], rereads ? again : NULL);
    }
}

#define KERNEL_MARCH_READ(n)                                      \
    uint64_t read##n = KERNEL_WORD(address + (n) * sizeof read0); \
    wrong |= read##n ^ march_word_of(&expected, n)

KERNEL_INLINE void kernel_march_read(const struct march_step *step, uintptr_t address,
                                     uint64_t line, uint64_t hash)
{
    struct march_line expected = march_line_of(step->expected, line, hash);
    uint64_t wrong = 0;
    KERNEL_MARCH_READ(0);
    KERNEL_MARCH_READ(1);
    KERNEL_MARCH_READ(2);
    KERNEL_MARCH_READ(3);
    KERNEL_MARCH_READ(4);
    KERNEL_MARCH_READ(5);
    KERNEL_MARCH_READ(6);
    KERNEL_MARCH_READ(7);

    if (__builtin_expect(wrong != 0, 0)) {
        const uint64_t read[] = {read0, read1, read2, read3, read4, read5, read6, read7};
        kernel_march_wrong(step, address, line, read);
    }
}

KERNEL_INLINE void kernel_march_write(const struct march_data *data, uintptr_t address,
                                      uint64_t line, uint64_t hash)
{
    struct march_line written = march_line_of(data, line, hash);

    for (unsigned i = 0; i < MARCH_WORDS; i += 2)
        KERNEL_STORE_WORDS(address + i * sizeof written.first, march_word_of(&written, i),
                           march_word_of(&written, i + 1));
    KERNEL_STORED_LINE(address);
}

KERNEL_INLINE void kernel_march_line(const struct march_step *step, const struct window *w,
                                     uint64_t line)
{
    uintptr_t address = w->base + (uintptr_t)(line * MARCH_LINE_BYTES);
    uint64_t hash = random_mix(line ^ step->key);

    if (step->expected)
        kernel_march_read(step, address, line, hash);
    if (step->written)
        kernel_march_write(step->written, address, line, hash);
}

/* Of random order and of lists, a call more does not matter. */
KERNEL_NOINLINE void kernel_march_jump(const struct march_step *step, const struct window *w,
                                       uint64_t line)
{
    kernel_march_line(step, w, line);
}

/* Hints bring the lines of a run while the run before it is worked on: they come in no order that a
 * prefetcher of the CPU's would know. Returns how many lines there are. */
KERNEL_INLINE uint32_t kernel_march_expect(const struct march_step *step, const struct window *w,
                                           uint64_t first, uint64_t end, uint64_t line[])
{
    uint32_t count = end - first < KERNEL_MARCH_RUN ? (uint32_t)(end - first) : KERNEL_MARCH_RUN;

    march_lines(step, first, count, line);
    for (uint32_t i = 0; i < count; i++)
        KERNEL_HINT_T0(0, w->base + (uintptr_t)(line[i] * MARCH_LINE_BYTES));
    return count;
}

KERNEL_NOINLINE void kernel_march_jumps(const struct march_step *step, const struct window *w,
                                        uint64_t first, uint64_t end)
{
    uint64_t line[2][KERNEL_MARCH_RUN];
    uint32_t run = 0, count = kernel_march_expect(step, w, first, end, line[0]);

    while (count != 0) {
        uint32_t next;
        first += count;
        next = kernel_march_expect(step, w, first, end, line[run ^ 1]);
        for (uint32_t i = 0; i < count; i++)
            kernel_march_jump(step, w, line[run][i]);
        run ^= 1;
        count = next;
    }
}

/* A window_work: the positions [first, end) of a struct march_step's order. */
static void kernel_march(void *arg, const struct window *w, uint64_t first, uint64_t end)
{
    const struct march_step *step = arg;

    uint64_t line = step->order == MARCH_DOWN ? step->lines - 1 - first : first;
    uint64_t next = step->order == MARCH_DOWN ? UINT64_MAX : 1;

    if (step->order == MARCH_UP || step->order == MARCH_DOWN)
        for (; first < end; first++, line += next)
            kernel_march_line(step, w, line);
    else
        kernel_march_jumps(step, w, first, end);
    KERNEL_STORE_DRAIN();
}

#endif
